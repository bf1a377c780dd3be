//! Writing Parquet and Arrow.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float64Array, Int64Array, ListArray,
    RecordBatch, StringArray, Time64NanosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use evergraph_property_graph::Value;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::interchange::csv::fields_of;
use crate::interchange::types::text_of;
use crate::interchange::{
    Columns, ExternalId, Id, Ids, InterchangeError, PropertyType, Row, Scalar,
};

/// Rows of a batch.
const BATCH: usize = 8192;

const FORMAT: &str = "Parquet or Arrow";

/// Format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Parquet, compressed with Snappy.
    Parquet,
    /// An Arrow file (IPC with a footer).
    ArrowFile,
}

enum Sink<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<FileWriter<W>>),
}

enum Contents {
    Nodes(Arc<str>),
    Relationships(Arc<str>, Arc<str>),
}

/// Writes nodes or relationships of one list of columns, so that
/// [`super::ColumnarReader`] reads the same rows again.
pub struct ColumnarWriter<W: Write + Send> {
    sink: Sink<W>,
    schema: SchemaRef,
    contents: Contents,
    ids: Ids,
    columns: Vec<(Arc<str>, PropertyType)>,
    /// By column: ids, then properties, then labels or the type.
    waiting: Vec<Vec<Option<Value>>>,
}

impl<W: Write + Send> ColumnarWriter<W> {
    /// A file of nodes of one id space.
    ///
    /// # Errors
    /// If a name cannot be told from a declaration; errors of the writer.
    pub fn nodes(
        output: W,
        format: Format,
        space: &str,
        ids: Ids,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        Self::new(output, format, Contents::Nodes(space.into()), ids, columns)
    }

    /// A file of relationships from one id space to another.
    ///
    /// # Errors
    /// As of [`ColumnarWriter::nodes`].
    pub fn relationships(
        output: W,
        format: Format,
        source: &str,
        target: &str,
        ids: Ids,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        let contents = Contents::Relationships(source.into(), target.into());
        Self::new(output, format, contents, ids, columns)
    }

    fn new(
        output: W,
        format: Format,
        contents: Contents,
        ids: Ids,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        let columns = columns.to_vec();
        let schema = Arc::new(schema(&contents, ids, &columns)?);
        let sink = match format {
            Format::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .build();
                let writer = ArrowWriter::try_new(output, schema.clone(), Some(properties));
                Sink::Parquet(Box::new(writer.map_err(failed)?))
            }
            Format::ArrowFile => {
                let writer = FileWriter::try_new(output, &schema);
                Sink::Arrow(Box::new(writer.map_err(failed)?))
            }
        };
        Ok(ColumnarWriter {
            sink,
            contents,
            ids,
            columns,
            waiting: vec![Vec::new(); schema.fields().len()],
            schema,
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`InterchangeError::Unwritable`] if it does not belong into the file; then
    /// nothing was written of it. What the writer says.
    pub fn write(&mut self, row: &Row) -> Result<(), InterchangeError> {
        let (mut cells, properties, last) = match (&self.contents, row) {
            (Contents::Nodes(space), Row::Node(node)) => {
                let id = node.id.as_ref().map(|id| self.id(id, space)).transpose()?;
                let labels = node.labels.iter().map(|label| Value::Text(label.clone()));
                (vec![id], &node.properties, Value::List(labels.collect()))
            }
            (Contents::Relationships(source, target), Row::Relationship(row)) => {
                let ends = vec![
                    Some(self.id(&row.source, source)?),
                    Some(self.id(&row.target, target)?),
                ];
                (ends, &row.properties, Value::Text(row.kind.clone()))
            }
            _ => {
                let problem = "a file holds nodes or relationships";
                return Err(InterchangeError::unwritable(FORMAT, "the row", problem));
            }
        };
        let values = fields_of(FORMAT, &self.columns, properties)?;
        for ((name, _), value) in self.columns.iter().zip(&values) {
            if value.is_some_and(is_far_date) {
                let problem = "a day is more than 2^31 days from 1970-01-01";
                return Err(InterchangeError::unwritable(FORMAT, &**name, problem));
            }
        }
        cells.extend(values.into_iter().map(|value| value.cloned()));
        cells.push(Some(last));
        for (column, cell) in self.waiting.iter_mut().zip(cells) {
            column.push(cell);
        }
        match self.waiting[0].len() >= BATCH {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes what is left and the footer, and gives the writer back. Without it the
    /// file is not whole.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> Result<W, InterchangeError> {
        self.flush()?;
        let mut output = match self.sink {
            Sink::Parquet(writer) => writer.into_inner().map_err(failed)?,
            Sink::Arrow(writer) => writer.into_inner().map_err(failed)?,
        };
        output.flush()?;
        Ok(output)
    }

    fn flush(&mut self) -> Result<(), InterchangeError> {
        if self.waiting[0].is_empty() {
            return Ok(());
        }
        let kinds = self.schema.fields().iter().map(|field| field.data_type());
        let arrays = kinds
            .zip(&self.waiting)
            .map(|(kind, cells)| array(kind, cells));
        let batch = RecordBatch::try_new(self.schema.clone(), arrays.collect()).map_err(failed)?;
        match &mut self.sink {
            Sink::Parquet(writer) => writer.write(&batch).map_err(failed)?,
            Sink::Arrow(writer) => writer.write(&batch).map_err(failed)?,
        }
        self.waiting.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn id(&self, id: &ExternalId, space: &Arc<str>) -> Result<Value, InterchangeError> {
        let problem = match (&id.id, self.ids) {
            _ if id.space != *space => "another id space than the file's",
            (Id::Integer(number), Ids::Integers) => return Ok(Value::Integer(*number)),
            (Id::Text(text), Ids::Texts) if !text.is_empty() => {
                return Ok(Value::Text(text.clone()));
            }
            (Id::Text(_), Ids::Texts) => "an empty id",
            _ => "ids of a file are either integers or texts",
        };
        Err(InterchangeError::unwritable(
            FORMAT,
            format!("id {id}"),
            problem,
        ))
    }
}

/// A Parquet file of columns under titles, compressed with Snappy: of integers, floats or
/// booleans where all that is known is such, of texts otherwise.
///
/// # Errors
/// Columns of different lengths, and errors of the format.
pub fn table(
    titles: &[String],
    columns: &[Vec<Option<Value>>],
) -> Result<Vec<u8>, InterchangeError> {
    let kinds = columns.iter().map(|column| kind_of(column));
    let fields = titles.iter().zip(kinds);
    let fields: Vec<Field> = fields
        .map(|(title, kind)| Field::new(title, kind, true))
        .collect();
    let arrays = fields.iter().zip(columns).map(|(field, column)| {
        let cells = column.iter().map(|cell| fitting(field.data_type(), cell));
        array(field.data_type(), &cells.collect::<Vec<_>>())
    });
    let arrays = arrays.collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(failed)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties));
    let mut writer = writer.map_err(failed)?;
    writer.write(&batch).map_err(failed)?;
    writer.into_inner().map_err(failed)
}

/// The type that holds all cells.
fn kind_of(column: &[Option<Value>]) -> DataType {
    let known = || column.iter().flatten();
    let is_integer = |value: &Value| matches!(value, Value::Integer(_));
    let is_number = |value: &Value| matches!(value, Value::Integer(_) | Value::Float(_));
    let is_boolean = |value: &Value| matches!(value, Value::Boolean(_));
    if known().all(is_integer) {
        DataType::Int64
    } else if known().all(is_number) {
        DataType::Float64
    } else if known().all(is_boolean) {
        DataType::Boolean
    } else {
        DataType::Utf8
    }
}

/// A cell as the type of its column has it.
fn fitting(kind: &DataType, cell: &Option<Value>) -> Option<Value> {
    match (kind, cell.as_ref()?) {
        (DataType::Float64, Value::Integer(number)) => Some(Value::Float(*number as f64)),
        (DataType::Utf8, Value::Text(text)) => Some(Value::Text(text.clone())),
        (DataType::Utf8, other) => Some(Value::Text(other.to_string().into())),
        (_, value) => Some(value.clone()),
    }
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> InterchangeError {
    InterchangeError::Output(std::io::Error::other(error))
}

fn schema(
    contents: &Contents,
    ids: Ids,
    columns: &[(Arc<str>, PropertyType)],
) -> Result<Schema, InterchangeError> {
    let id_type = match ids {
        Ids::Integers => DataType::Int64,
        Ids::Texts => DataType::Utf8,
    };
    let id = |keyword: &str, space: &Arc<str>| {
        let name = match &**space {
            "" => format!(":{keyword}"),
            space => format!(":{keyword}({space})"),
        };
        Field::new(name, id_type.clone(), true)
    };
    let texts = || DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
    let (mut fields, last) = match contents {
        Contents::Nodes(space) => (vec![id("ID", space)], Field::new(":LABEL", texts(), true)),
        Contents::Relationships(source, target) => (
            vec![id("START_ID", source), id("END_ID", target)],
            Field::new(":TYPE", DataType::Utf8, true),
        ),
    };
    for (name, kind) in columns {
        if name.is_empty() || name.trim() != &**name || name.contains(['{', '}']) {
            let problem = "a name is not empty, has no space around it and no braces";
            return Err(InterchangeError::unwritable(FORMAT, &**name, problem));
        }
        let scalar = scalar_type(kind.scalar);
        let data_type = match kind.list {
            true => DataType::List(Arc::new(Field::new_list_field(scalar.clone(), true))),
            false => scalar.clone(),
        };
        // The type of the column says the type of the values, except for these.
        let is_said = kind.scalar == Scalar::Text || scalar != DataType::Utf8;
        let field = match is_said && !name.contains(':') {
            true => name.to_string(),
            false => format!("{name}:{kind}"),
        };
        fields.push(Field::new(field, data_type, true));
    }
    fields.push(last);
    Ok(Schema::new(fields))
}

fn scalar_type(scalar: Scalar) -> DataType {
    match scalar {
        Scalar::Boolean => DataType::Boolean,
        Scalar::Integer => DataType::Int64,
        Scalar::Float => DataType::Float64,
        Scalar::Bytes => DataType::Binary,
        Scalar::Date => DataType::Date32,
        Scalar::LocalTime => DataType::Time64(TimeUnit::Nanosecond),
        _ => DataType::Utf8,
    }
}

/// Whether a date, or one of a list, has more days than the formats have bits for.
fn is_far_date(value: &Value) -> bool {
    match value {
        Value::Date(date) => i32::try_from(date.days()).is_err(),
        Value::List(values) => values.iter().any(is_far_date),
        _ => false,
    }
}

/// The cells of a column, which are of its type or not there.
fn array(kind: &DataType, cells: &[Option<Value>]) -> ArrayRef {
    match kind {
        DataType::List(element) => {
            let lists = cells
                .iter()
                .map(|cell| cell.as_ref().and_then(Value::as_list));
            let lengths = lists.clone().map(|list| list.map_or(0, <[Value]>::len));
            let elements: Vec<Option<&Value>> = lists
                .clone()
                .flat_map(|list| list.unwrap_or_default())
                .map(Some)
                .collect();
            let present: NullBuffer = lists
                .map(|list| list.is_some())
                .collect::<Vec<bool>>()
                .into();
            Arc::new(ListArray::new(
                element.clone(),
                OffsetBuffer::from_lengths(lengths),
                scalars(element.data_type(), &elements),
                Some(present),
            ))
        }
        kind => scalars(kind, &cells.iter().map(Option::as_ref).collect::<Vec<_>>()),
    }
}

fn scalars(kind: &DataType, cells: &[Option<&Value>]) -> ArrayRef {
    let cells = cells.iter().copied();
    match kind {
        DataType::Boolean => {
            let values = cells.map(|cell| cell.and_then(Value::as_boolean));
            Arc::new(values.collect::<BooleanArray>())
        }
        DataType::Int64 => {
            let values = cells.map(|cell| cell.and_then(Value::as_integer));
            Arc::new(values.collect::<Int64Array>())
        }
        DataType::Float64 => {
            let values = cells.map(|cell| match cell {
                Some(Value::Float(number)) => Some(*number),
                _ => None,
            });
            Arc::new(values.collect::<Float64Array>())
        }
        DataType::Binary => {
            let values = cells.map(|cell| cell.and_then(Value::as_bytes));
            Arc::new(values.collect::<BinaryArray>())
        }
        DataType::Date32 => {
            let values = cells.map(|cell| match cell {
                Some(Value::Date(date)) => i32::try_from(date.days()).ok(),
                _ => None,
            });
            Arc::new(values.collect::<Date32Array>())
        }
        DataType::Time64(_) => {
            let values = cells.map(|cell| match cell {
                // Less than a day, so it fits.
                Some(Value::LocalTime(time)) => Some(time.nanoseconds() as i64),
                _ => None,
            });
            Arc::new(values.collect::<Time64NanosecondArray>())
        }
        _ => Arc::new(
            cells
                .map(|cell| cell.and_then(text_of))
                .collect::<StringArray>(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_table_have_the_type_of_their_cells() {
        let column = |values: &[Value]| values.iter().cloned().map(Some).collect::<Vec<_>>();
        for (values, kind) in [
            (vec![Value::Integer(1)], DataType::Int64),
            (
                vec![Value::Integer(1), Value::Float(0.5)],
                DataType::Float64,
            ),
            (vec![Value::Boolean(true)], DataType::Boolean),
            (
                vec![Value::Integer(1), Value::Text("a".into())],
                DataType::Utf8,
            ),
        ] {
            assert_eq!(kind_of(&column(&values)), kind);
            let file = table(&["x".to_string()], &[column(&values)]).unwrap();
            assert_eq!(&file[..4], b"PAR1");
        }
    }
}
