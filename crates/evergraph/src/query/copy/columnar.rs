//! Parquet, where the program was built with it.

use std::io::Write;
use std::path::Path;

use super::super::error::Error;
use super::super::rows::Rows;
use super::source::Source;
use super::to::WriteError;

/// Writes rows as a Parquet file. They wait in memory.
#[cfg(feature = "columnar")]
pub(super) fn write(rows: &mut Rows, out: &mut dyn Write) -> Result<u64, WriteError> {
    use evergraph_io::interchange::columnar::table;
    use evergraph_property_graph::Value;
    use evergraph_syntax::with_article;

    use super::super::cell::Cell;

    let names = rows.columns().to_vec();
    let mut columns: Vec<Vec<Option<Value>>> = vec![Vec::new(); names.len()];
    for row in rows {
        let cells = row?.into_cells().into_iter();
        for ((column, name), cell) in columns.iter_mut().zip(&names).zip(cells) {
            match cell {
                Cell::Value(Value::Null) => column.push(None),
                Cell::Value(value) => column.push(Some(value)),
                other => {
                    let what = format!(
                        "column {name} has {}, and Parquet holds values",
                        with_article(other.type_name())
                    );
                    let hint = "return the properties, or write .jsonl";
                    return Err(Error::of_file(what, hint).into());
                }
            }
        }
    }
    let count = columns.first().map_or(0, Vec::len) as u64;
    let bytes = table(&names, &columns).map_err(crate::Error::from);
    out.write_all(&bytes.map_err(Error::from)?)?;
    Ok(count)
}

/// Reads the rows of a Parquet file.
#[cfg(feature = "columnar")]
pub(super) fn read(path: &Path) -> Result<Source, Error> {
    use evergraph_io::interchange::columnar::TableColumns;

    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| crate::Error::io(&*name, error))?;
    let table = TableColumns::parquet(&name, file).map_err(crate::Error::from)?;
    Ok(Source::of_columns(table.names().to_vec(), table))
}

#[cfg(not(feature = "columnar"))]
pub(super) fn write(_: &mut Rows, _: &mut dyn Write) -> Result<u64, WriteError> {
    Err(not_there().into())
}

#[cfg(not(feature = "columnar"))]
pub(super) fn read(_: &Path) -> Result<Source, Error> {
    Err(not_there())
}

#[cfg(not(feature = "columnar"))]
fn not_there() -> Error {
    Error::of_file(
        "this program was built without Parquet",
        &format!(
            "use .csv or .jsonl, or {}",
            super::super::feature_hint("columnar")
        ),
    )
}
