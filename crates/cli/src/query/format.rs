//! Results as tables, CSV and JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

use evergraph::property::value::Value;
use evergraph::query::json::{to_json, to_typed_json};
use evergraph::query::{Cell, Error, Rows, Summary};
use serde_json::{Map, Value as Json, json};

use crate::report::{Failure, count, seconds};

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Columns side by side, for people
    Table,
    /// Comma-separated values with a line of titles
    Csv,
    /// One JSON object a statement
    Json,
    /// The same, each value with its type as in Neo4j's Query API v2
    TypedJson,
}

impl Format {
    /// Whether each statement gives one line of JSON, failures too.
    pub fn is_json(self) -> bool {
        matches!(self, Format::Json | Format::TypedJson)
    }
}

/// Why a result was not printed.
pub enum PrintError {
    /// A row could not be read.
    Query(Error),
    /// Standard output.
    Io(io::Error),
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        PrintError::Io(error)
    }
}

impl From<Error> for PrintError {
    fn from(error: Error) -> Self {
        PrintError::Query(error)
    }
}

/// Prints a result, which took so long until now.
pub fn print(
    rows: Rows,
    format: Format,
    taken: f64,
    out: &mut dyn Write,
) -> Result<(), PrintError> {
    match format {
        Format::Table => table(rows, out)?,
        Format::Csv => csv(rows, out)?,
        Format::Json => json_line(rows, to_json, taken, out)?,
        Format::TypedJson => json_line(rows, to_typed_json, taken, out)?,
    }
    Ok(out.flush()?)
}

fn json_line(
    rows: Rows,
    of: impl Fn(&Cell) -> Json,
    taken: f64,
    out: &mut dyn Write,
) -> Result<(), PrintError> {
    let columns = rows.columns().to_vec();
    let mut stats: Map<String, Json> = Map::new();
    let summary = rows.summary().clone();
    for (name, number) in summary.effects() {
        stats.insert(name.to_string(), json!(number));
    }
    stats.insert("seconds".to_string(), json!(taken));
    if let Some(csn) = summary.csn {
        stats.insert("csn".to_string(), json!(csn));
    }
    let mut values = Vec::new();
    for row in rows {
        values.push(Json::Array(row?.cells().iter().map(&of).collect()));
    }
    let mut line = json!({ "columns": columns, "rows": values, "stats": stats });
    if let Some(plan) = summary.plan {
        line["plan"] = json!(plan);
    }
    Ok(writeln!(out, "{line}")?)
}

/// A failed statement on a line, for programs.
pub fn error_line(error: &Error) -> String {
    let place = error.place();
    let line = json!({ "error": {
        "code": error.class(),
        "detail": error.detail(),
        "message": error.message(),
        "hint": error.hint(),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "phase": if error.is_of_compile_time() { "compile time" } else { "runtime" },
        "retryable": error.is_retryable(),
    }});
    format!("{line}\n")
}

/// A failed statement, for people: with the line and carets below the place.
pub fn failure(error: &Error) -> Failure {
    Failure::new(error.to_string(), error.hint())
}

/// Rows that decide how wide the columns of a table are.
const MEASURED: usize = 1000;

fn table(mut rows: Rows, out: &mut dyn Write) -> Result<(), PrintError> {
    let summary = rows.summary().clone();
    let columns = rows.columns().to_vec();
    let mut number = 0;
    if !columns.is_empty() && summary.plan.is_none() {
        let mut seen = Vec::new();
        for row in rows.by_ref().take(MEASURED) {
            seen.push(row?.into_cells());
        }
        let widths = Widths::of(&columns, &seen);
        widths.print(columns.iter().map(|name| (shown(name), false)), out)?;
        let dashes = widths.0.iter().map(|&width| ("-".repeat(width), false));
        widths.print(dashes, out)?;
        for cells in seen {
            number += 1;
            widths.print(cells.iter().map(cell), out)?;
        }
        for row in rows {
            number += 1;
            widths.print(row?.cells().iter().map(cell), out)?;
        }
    }
    if let Some(plan) = &summary.plan {
        writeln!(out, "{}", plan.trim_end())?;
    }
    Ok(writeln!(
        out,
        "{}",
        ending(&summary, columns.is_empty(), number)
    )?)
}

/// The line below a table.
fn ending(summary: &Summary, has_no_columns: bool, rows: u64) -> String {
    let mut parts = Vec::new();
    if !has_no_columns && summary.plan.is_none() {
        parts.push(match rows {
            1 => "1 row".to_string(),
            rows => format!("{} rows", count(rows)),
        });
    }
    for (name, number) in summary.effects() {
        let (what, effect) = name.rsplit_once('_').unwrap_or((name, ""));
        let what = match (number, what) {
            (1, "properties") => "property",
            (1, "indexes") => "index",
            (1, what) => what.strip_suffix('s').unwrap_or(what),
            (_, what) => what,
        };
        parts.push(format!("{} {what} {effect}", count(number)));
    }
    match parts.is_empty() {
        true if summary.plan.is_some() => "the plan; nothing was run".to_string(),
        true => "done".to_string(),
        false => parts.join(", "),
    }
}

/// How long something took, for `:timing`.
pub fn timing(taken: f64) -> String {
    format!("{}\n", seconds(taken))
}

/// A value in a table, and whether it is a figure.
fn cell(cell: &Cell) -> (String, bool) {
    match cell {
        Cell::Value(Value::Text(text)) => (shown(text), false),
        Cell::Value(value @ (Value::Integer(_) | Value::Float(_))) => (value.to_string(), true),
        other => (shown(&other.to_string()), false),
    }
}

/// A text on one line.
fn shown(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_string();
    }
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            // A terminal would obey it.
            control if control.is_control() => {
                let _ = write!(safe, "\\u{:04X}", u32::from(control));
            }
            other => safe.push(other),
        }
    }
    safe
}

/// Widths of the columns of a table, in characters.
struct Widths(Vec<usize>);

impl Widths {
    fn of(columns: &[String], rows: &[Vec<Cell>]) -> Self {
        let length = |text: String| text.chars().count();
        let mut widths: Vec<usize> = columns.iter().map(|name| length(shown(name))).collect();
        for row in rows {
            for (width, value) in widths.iter_mut().zip(row) {
                *width = length(cell(value).0).max(*width);
            }
        }
        Widths(widths)
    }

    fn print(
        &self,
        cells: impl Iterator<Item = (String, bool)>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut line = String::new();
        for (at, ((text, is_figure), &width)) in cells.zip(&self.0).enumerate() {
            let gap = if at > 0 { "  " } else { "" };
            let _ = match is_figure {
                true => write!(line, "{gap}{text:>width$}"),
                false => write!(line, "{gap}{text:<width$}"),
            };
        }
        writeln!(out, "{}", line.trim_end())
    }
}

fn csv(rows: Rows, out: &mut dyn Write) -> Result<(), PrintError> {
    if let Some(plan) = &rows.summary().plan {
        return Ok(writeln!(out, "{}", plan.trim_end())?);
    }
    let columns = rows.columns().to_vec();
    if columns.is_empty() {
        return Ok(());
    }
    csv_line(columns.iter().map(|name| Some(name.clone())), out)?;
    for row in rows {
        let row = row?;
        let cells = row.cells().iter().map(|cell| match cell {
            Cell::Value(Value::Null) => None,
            Cell::Value(Value::Text(text)) => Some(text.to_string()),
            Cell::Value(value) => Some(match to_json(cell) {
                Json::String(text) => text,
                _ => value.to_string(),
            }),
            other => Some(other.to_string()),
        });
        csv_line(cells, out)?;
    }
    Ok(())
}

/// Null is an empty field, an empty text is `""`.
fn csv_line(fields: impl Iterator<Item = Option<String>>, out: &mut dyn Write) -> io::Result<()> {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        let Some(field) = field else { continue };
        match field.is_empty() || field.contains(['"', ',', '\n', '\r']) {
            true => write!(out, "\"{}\"", field.replace('"', "\"\""))?,
            false => out.write_all(field.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}
