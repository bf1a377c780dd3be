//! Results as Arrow record batches (feature `columnar`).

use std::io::{self, Write};

use evergraph_io::arrow::{self, Kind};
pub use evergraph_io::arrow::{JSON, RecordBatch, SchemaRef};
use evergraph_property_graph::Value;

use super::cell::Cell;
use super::error::Error;
use super::json::to_json;
use super::rows::Rows;

/// Rows of a batch, at most.
const BATCH: usize = 8192;

/// Rows as record batches: an iterator over batches of at most 8,192 rows.
///
/// The type of a column is known when all of its values have been looked at: integers,
/// floats, booleans, texts, bytes, dates, times and moments of one zone, durations, and
/// lists of one of these have Arrow's types. A column with anything else in it, also with
/// values of two types, holds texts of plain JSON and says so by Arrow's extension type
/// `arrow.json`.
pub struct Batches {
    schema: SchemaRef,
    kinds: Vec<Kind>,
    rows: Rows,
}

impl Batches {
    /// Looks at all rows; those of a stream are held from now on.
    pub(super) fn of(mut rows: Rows) -> Result<Self, Error> {
        rows.hold()?;
        let mut kinds = vec![Kind::Null; rows.columns().len()];
        rows.for_each_value(&mut |column, value| {
            let kind = match value {
                Some(value) => Kind::of(value),
                None => Kind::Json,
            };
            let known = std::mem::take(&mut kinds[column]);
            kinds[column] = known.with(kind);
        });
        let names = rows.columns().iter().map(String::as_str);
        Ok(Batches {
            schema: arrow::schema(names.zip(&kinds)),
            kinds,
            rows,
        })
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Writes all as an Arrow IPC stream.
    ///
    /// # Errors
    /// Of the output; of a row that cannot be read, within it.
    pub fn write_stream(self, output: impl Write) -> io::Result<()> {
        let schema = SchemaRef::clone(&self.schema);
        arrow::write_stream(
            output,
            &schema,
            self.map(|batch| batch.map_err(io::Error::other)),
        )
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let mut columns = vec![Vec::new(); self.kinds.len()];
        let mut rows = 0;
        for row in self.rows.by_ref().take(BATCH) {
            rows += 1;
            let cells = row?.into_cells().into_iter();
            for ((column, kind), cell) in columns.iter_mut().zip(&self.kinds).zip(cells) {
                column.push(value_of(kind, cell));
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let arrays = self.kinds.iter().zip(&columns);
        let arrays = arrays.map(|(kind, values)| kind.array(values)).collect();
        let batch = arrow::batch(&self.schema, arrays, rows);
        batch
            .map(Some)
            .map_err(|error| Error::of_usage(error.to_string()))
    }
}

fn value_of(kind: &Kind, cell: Cell) -> Value {
    match (kind, cell) {
        (_, Cell::Value(Value::Null)) => Value::Null,
        (Kind::Json, cell) => Value::Text(to_json(&cell).to_string().into()),
        (_, Cell::Value(value)) => value,
        _ => Value::Null,
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

#[cfg(test)]
mod tests {
    use crate::property::arrow::NodeBatches;
    use crate::query::Statement;
    use crate::{Database, MediumKind, Options};

    fn database() -> Database {
        let options = Options {
            medium: MediumKind::Dram,
            property_graph: true,
            ..Options::default()
        };
        let db = Database::create("anywhere", &options).unwrap();
        let text = "UNWIND range(1, 20000) AS x CREATE (:N {x: x, y: toFloat(x), \
                    z: CASE x % 3 WHEN 0 THEN null WHEN 1 THEN 'a' ELSE x END})";
        db.query(text, ()).unwrap();
        db
    }

    /// Held rows, streamed ones, and those of a statement that writes.
    #[test]
    fn results_are_record_batches() {
        let db = database();
        for text in [
            "MATCH (n:N) RETURN n.x AS x, n.y AS y, n.z AS z, n, null AS nothing",
            "MATCH (n:N) SET n.w = 1 RETURN n.x AS x, n.y AS y, n.z AS z, n, null AS nothing",
        ] {
            let statement = Statement::new(text);
            let held = db.execute(&statement).unwrap().into_arrow().unwrap();
            let streamed = db.stream(&statement).unwrap().into_arrow().unwrap();
            assert_eq!(held.schema(), streamed.schema());
            let types = held.schema().fields().iter();
            let types: Vec<String> = types.map(|field| field.data_type().to_string()).collect();
            assert_eq!(types, ["Int64", "Float64", "Utf8", "Utf8", "Null"]);
            let held: Vec<_> = held.map(Result::unwrap).collect();
            let rows = held.iter().map(super::RecordBatch::num_rows);
            assert_eq!(rows.collect::<Vec<_>>(), [8192, 8192, 3616]);
            let streamed = streamed.map(Result::unwrap);
            // Properties of nodes are those that each run saw.
            for (one, other) in held.iter().zip(streamed) {
                assert_eq!(one.column(0), other.column(0));
                assert_eq!(one.column(2), other.column(2));
            }
        }
        let nothing = db.query("MATCH (n:M) RETURN n.x AS x", ()).unwrap();
        let mut bytes = Vec::new();
        nothing
            .into_arrow()
            .unwrap()
            .write_stream(&mut bytes)
            .unwrap();
        assert!(bytes.len() > 8);
    }

    /// A scan in batches gives what a query gives.
    #[test]
    fn nodes_are_record_batches() {
        let db = database();
        db.query("MATCH (n:N) WHERE n.x % 5 = 0 REMOVE n:N", ())
            .unwrap();
        let view = db.property_graph().unwrap().view();
        let nodes = NodeBatches::new(&view, "N", &["x", "z", "none"]).unwrap();
        let text = "MATCH (n:N) RETURN id(n) AS id, n.x AS x, n.z AS z, n.none AS none";
        let queried = db.query(text, ()).unwrap().into_arrow().unwrap();
        assert_eq!(nodes.schema(), queried.schema());
        let scanned: Vec<_> = (0..nodes.len())
            .map(|at| nodes.batch(at).unwrap())
            .collect();
        let queried: Vec<_> = queried.map(Result::unwrap).collect();
        let rows = |batches: &[super::RecordBatch]| -> usize {
            batches.iter().map(super::RecordBatch::num_rows).sum()
        };
        assert_eq!((rows(&scanned), rows(&queried)), (16_000, 16_000));
        // Batches of different lengths, row by row.
        let singles = |batches: &[super::RecordBatch]| -> Vec<super::RecordBatch> {
            let of = |batch: &super::RecordBatch| -> Vec<super::RecordBatch> {
                (0..batch.num_rows())
                    .map(|row| batch.slice(row, 1))
                    .collect()
            };
            batches.iter().flat_map(of).collect()
        };
        assert!(singles(&scanned) == singles(&queried));
        let unknown = NodeBatches::new(&view, "Nothing", &["x"]).unwrap();
        assert!(unknown.is_empty());
    }
}
