//! Rows of a query to a file.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use evergraph_io::formats::{Compressed, Compression};
use evergraph_property_graph::Value;
use evergraph_syntax::tree::CopyTo;

use super::super::cell::Cell;
use super::super::error::Error;
use super::super::json::to_json;
use super::super::rows::{Rows, Summary};
use super::super::statement::Statement;
use super::columnar;
use super::options::{Format, Options, file};
use crate::{Database, WholeFile};

/// Runs the query of a `COPY ... TO` and writes its rows. The file is there once it is
/// whole.
pub(in super::super) fn copy_to(
    db: &Database,
    copy: &CopyTo,
    statement: &Statement,
) -> Result<Rows, Error> {
    let path = file(&copy.file, statement)?;
    let mut options = Options::of(&copy.options, statement)?;
    let format = options.format(&path)?;
    let header = options.flag("header", true)?;
    let delimiter = delimiter(&mut options, format)?;
    options.finish()?;
    let query = Statement {
        text: alone(statement.text(), copy.at.range()),
        ..statement.clone()
    };
    if db.is_write(&query)? {
        let what = "COPY TO takes a query that only reads";
        let hint = "run the query that writes by itself, before it";
        return Err(Error::refused("ReadOnly", what, hint));
    }
    let mut rows = db.stream(&query)?;
    if rows.columns().is_empty() {
        let what = "the query returns no columns";
        return Err(Error::of_file(what, "end it with RETURN"));
    }
    let compression = Compression::of_name(&path);
    if format == Format::Parquet && compression != Compression::None {
        let what = format!("{}: Parquet is compressed within", path.display());
        return Err(Error::of_file(what, "name it .parquet"));
    }
    let failed = |error| crate::Error::io(path.display().to_string(), error);
    let whole = WholeFile::create(&path)?;
    let out = BufWriter::new(whole.writer()?);
    let mut out = Compressed::new(out, compression).map_err(failed)?;
    let written = match format {
        Format::Csv | Format::Tsv => write_separated(&mut rows, header, delimiter, &mut out),
        Format::JsonLines | Format::Json => write_json(&mut rows, format, &mut out),
        Format::Parquet => columnar::write(&mut rows, &mut out),
    };
    let rows_written = written.map_err(|error| error.of(&path))?;
    out.finish().map_err(failed)?;
    whole.finish()?;
    Ok(Rows::ready(
        std::sync::Arc::from([]),
        Vec::new(),
        Summary {
            rows_written,
            csn: rows.summary().csn,
            ..Summary::default()
        },
    ))
}

/// A part of a text at its place, so that errors name that: blanks stand before it.
fn alone(text: &str, at: std::ops::Range<usize>) -> String {
    let blank = |letter: char| if letter == '\n' { '\n' } else { ' ' };
    let mut alone: String = text[..at.start].chars().map(blank).collect();
    alone.push_str(&text[at]);
    alone
}

/// One character of ASCII between fields.
pub(super) fn delimiter(options: &mut Options<'_>, format: Format) -> Result<u8, Error> {
    let usual = if format == Format::Tsv { b'\t' } else { b',' };
    let Some(text) = options.text("delimiter")? else {
        return Ok(usual);
    };
    let is_table = matches!(format, Format::Csv | Format::Tsv);
    match (text.as_bytes(), &*text) {
        (&[byte], _) if is_table && byte != b'"' && byte != b'\n' && byte != b'\r' => Ok(byte),
        (_, "\\t") if is_table => Ok(b'\t'),
        (_, _) if !is_table => Err(Error::of_file(
            "a delimiter is of CSV files",
            "leave it out",
        )),
        _ => Err(Error::of_file(
            format!("a delimiter cannot be {text:?}"),
            "give one character of ASCII, such as ',' or '\\t'",
        )),
    }
}

/// Why rows were not written.
pub(super) enum WriteError {
    Query(Error),
    Io(io::Error),
}

impl WriteError {
    fn of(self, path: &Path) -> Error {
        match self {
            WriteError::Query(error) => error,
            WriteError::Io(error) => crate::Error::io(path.display().to_string(), error).into(),
        }
    }
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        WriteError::Query(error)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

fn write_separated(
    rows: &mut Rows,
    header: bool,
    delimiter: u8,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    if header {
        let names = rows.columns().iter();
        let names = names.map(|name| Cell::Value(name.as_str().into()));
        csv_row(&names.collect::<Vec<Cell>>(), delimiter, out)?;
    }
    let mut count = 0;
    for row in rows {
        csv_row(row?.cells(), delimiter, out)?;
        count += 1;
    }
    Ok(count)
}

/// Writes a row of CSV (RFC 4180): null is an empty field, an empty text is `""`, dates and
/// times are texts, floats that are no numbers `Infinity`, `-Infinity` and `NaN`; lists,
/// maps and nodes are as Cypher writes them.
///
/// # Errors
/// Errors of `out`.
pub fn csv_row(cells: &[Cell], delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let special = ['"', char::from(delimiter), '\n', '\r'];
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.write_all(&[delimiter])?;
        }
        let field = match field(cell) {
            Some(field) => field,
            // Readers pass over an empty line: a row of one null would be lost.
            None if cells.len() == 1 => String::new(),
            None => continue,
        };
        match field.is_empty() || field.contains(special) {
            true => write!(out, "\"{}\"", field.replace('"', "\"\""))?,
            false => out.write_all(field.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}

fn field(cell: &Cell) -> Option<String> {
    Some(match cell {
        Cell::Value(Value::Null) => return None,
        Cell::Value(Value::Text(text)) => text.to_string(),
        Cell::Value(Value::Float(number)) if number.is_nan() => "NaN".into(),
        Cell::Value(Value::Float(number)) if number.is_infinite() => match *number > 0.0 {
            true => "Infinity".into(),
            false => "-Infinity".into(),
        },
        // `1e300` alone would be read as a text: codes of products look so.
        Cell::Value(value @ Value::Float(_)) => match value.to_string() {
            text if text.contains('.') => text,
            text => text.replacen('e', ".0e", 1),
        },
        Cell::Value(value) => match to_json(cell) {
            serde_json::Value::String(text) => text,
            _ => value.to_string(),
        },
        other => other.to_string(),
    })
}

/// An object a row: in lines, or in a list.
fn write_json(rows: &mut Rows, format: Format, out: &mut dyn Write) -> Result<u64, WriteError> {
    let is_list = format == Format::Json;
    let names = rows.columns().iter();
    let names: Vec<String> = names
        .map(|name| serde_json::Value::from(name.as_str()).to_string())
        .collect();
    if is_list {
        out.write_all(b"[")?;
    }
    let mut count = 0;
    for row in rows {
        let row = row?;
        if is_list {
            out.write_all(if count == 0 { b"\n" } else { b",\n" })?;
        }
        out.write_all(b"{")?;
        for (at, (name, cell)) in names.iter().zip(row.cells()).enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(out, "{comma}{name}:{}", to_json(cell))?;
        }
        out.write_all(if is_list { b"}" } else { b"}\n" })?;
        count += 1;
    }
    if is_list {
        out.write_all(b"\n]\n")?;
    }
    Ok(count)
}
