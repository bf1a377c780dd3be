//! Results as tables, CSV and JSON, printed as their rows come.

use std::io::{self, Write};
use std::ops::ControlFlow;

use evergraph::property::value::Value;
use evergraph::query::json::{to_json, to_typed_json};
use evergraph::query::{Cell, Error, Notification, Row, Rows, Summary, csv_row};
use serde_json::{Map, Value as Json, json};
use unicode_width::UnicodeWidthStr;

use crate::report::{Failure, count, counted, filled, safe};

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
    /// One JSON object a row
    Jsonl,
    /// An Arrow IPC stream a statement, where the program was built with `columnar`
    Arrow,
}

impl Format {
    /// Whether each statement gives one line of JSON, failures too.
    pub fn is_json(self) -> bool {
        matches!(self, Format::Json | Format::TypedJson)
    }
}

/// Rows that are held before the first is printed: they decide how wide the columns of a
/// table are, and a failure among them is told alone.
const HELD: usize = 1000;

/// Prints one result, row by row.
pub struct Printer<W> {
    format: Format,
    out: W,
    /// Warnings, for programs.
    notifications: Vec<Notification>,
    /// Rows are counted and not shown, as of `PROFILE` for people.
    is_silent: bool,
    held: Vec<Row>,
    /// Of a table whose head has been printed.
    widths: Option<Widths>,
    /// The head has been printed.
    has_begun: bool,
    rows: u64,
    failed: Option<io::Error>,
}

impl<W: Write> Printer<W> {
    /// Of a statement that asks for a profile, people see only that.
    pub fn new(format: Format, is_profiled: bool, out: W) -> Self {
        Printer {
            format,
            out,
            notifications: Vec::new(),
            is_silent: is_profiled && matches!(format, Format::Table | Format::Csv),
            held: Vec::new(),
            widths: None,
            has_begun: false,
            rows: 0,
            failed: None,
        }
    }

    /// With warnings for programs.
    pub fn with_notifications(self, notifications: Vec<Notification>) -> Self {
        Printer {
            notifications,
            ..self
        }
    }

    /// Takes a row; without a reader of the output no more are wanted.
    pub fn row(&mut self, row: Row) -> ControlFlow<()> {
        if self.is_silent {
            self.rows += 1;
            return ControlFlow::Continue(());
        }
        match self.take(row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn take(&mut self, row: Row) -> io::Result<()> {
        if self.has_begun {
            return self.print(&row);
        }
        self.held.push(row);
        match self.held.len() < HELD {
            true => Ok(()),
            false => {
                let columns = self.held[0].columns().to_vec();
                self.begin(&columns)
            }
        }
    }

    /// Prints the head and the rows that are held.
    fn begin(&mut self, columns: &[String]) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        match self.format {
            Format::Table => {
                let widths = Widths::of(columns, &held);
                widths.print_head(columns, &mut self.out)?;
                self.widths = Some(widths);
            }
            Format::Csv => {
                let titles = columns.iter().map(|name| Cell::Value(name.as_str().into()));
                csv_row(&titles.collect::<Vec<Cell>>(), b',', &mut self.out)?;
            }
            Format::Json | Format::TypedJson => {
                write!(self.out, "{{\"columns\":{},\"rows\":[", json!(columns))?;
            }
            Format::Jsonl | Format::Arrow => {}
        }
        self.has_begun = true;
        held.iter().try_for_each(|row| self.print(row))
    }

    fn print(&mut self, row: &Row) -> io::Result<()> {
        self.rows += 1;
        let (cells, out) = (row.cells(), &mut self.out);
        match self.format {
            Format::Table => match &self.widths {
                Some(widths) => widths.print(cells.iter().map(cell), out),
                None => Ok(()),
            },
            Format::Csv => csv_row(cells, b',', out),
            Format::Json | Format::TypedJson => {
                let of = match self.format {
                    Format::Json => to_json,
                    _ => to_typed_json,
                };
                let comma = if self.rows > 1 { "," } else { "" };
                write!(out, "{comma}{}", cells.iter().map(of).collect::<Json>())
            }
            Format::Arrow => Ok(()),
            Format::Jsonl => {
                // In the order of the columns.
                write!(out, "{{")?;
                for (at, (name, cell)) in row.columns().iter().zip(cells).enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(out, "{comma}{}:{}", json!(name), to_json(cell))?;
                }
                writeln!(out, "}}")
            }
        }
    }

    /// Prints what comes behind the rows: `rows` is the result without them, which took so
    /// long.
    ///
    /// # Errors
    /// Of the output, also of a row before.
    pub fn finish(mut self, rows: &Rows, taken: f64) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let (columns, summary) = (rows.columns(), rows.summary());
        let is_explained = is_explained(summary);
        let has_rows = !columns.is_empty() && !self.is_silent && !is_explained;
        if !self.has_begun && (has_rows || self.format.is_json()) {
            self.begin(columns)?;
        }
        let out = &mut self.out;
        match self.format {
            Format::Table => {
                if let Some(plan) = &summary.plan {
                    writeln!(out, "{}", safe(plan.trim_end()))?;
                }
                let rows = (!columns.is_empty() && !is_explained).then_some(self.rows);
                writeln!(out, "{}", ending(summary, rows))?;
            }
            Format::Csv => {
                if let Some(plan) = &summary.plan {
                    writeln!(out, "{}", safe(plan.trim_end()))?;
                }
            }
            Format::Json | Format::TypedJson => {
                write!(out, "]")?;
                if let Some(plan) = &summary.plan {
                    write!(out, ",\"plan\":{}", json!(plan))?;
                }
                if !self.notifications.is_empty() {
                    let all = self.notifications.iter().map(told);
                    write!(out, ",\"notifications\":{}", all.collect::<Json>())?;
                }
                writeln!(out, ",\"stats\":{}}}", stats(summary, taken))?;
            }
            Format::Jsonl | Format::Arrow => {}
        }
        out.flush()
    }

    /// Prints what comes behind the rows of a statement that failed.
    ///
    /// # Errors
    /// Of the output, also of a row before.
    pub fn fail(mut self, error: &Error) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.format.is_json() {
            let error = error_of(error);
            match self.has_begun {
                true => writeln!(self.out, "],\"error\":{error}}}")?,
                false => writeln!(self.out, "{}", json!({ "error": error }))?,
            }
        }
        self.out.flush()
    }
}

fn told(notification: &Notification) -> Json {
    let place = &notification.place;
    json!({
        "message": notification.message,
        "line": place.line,
        "column": place.column,
    })
}

fn stats(summary: &Summary, taken: f64) -> Json {
    let mut stats: Map<String, Json> = Map::new();
    for (name, number) in summary.effects() {
        stats.insert(name.to_string(), json!(number));
    }
    stats.insert("seconds".to_string(), json!(taken));
    if let Some(csn) = summary.csn {
        stats.insert("csn".to_string(), json!(csn));
    }
    Json::Object(stats)
}

/// A failed statement on a line, for programs.
pub fn error_line(error: &Error) -> String {
    format!("{}\n", json!({ "error": error_of(error) }))
}

fn error_of(error: &Error) -> Json {
    let place = error.place();
    json!({
        "code": error.class(),
        "detail": error.detail(),
        "message": error.message(),
        "hint": error.hint(),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "phase": if error.is_of_compile_time() { "compile time" } else { "runtime" },
        "retryable": error.is_retryable(),
    })
}

/// A failed statement, for people: with the line and carets below the place.
pub fn failure(error: &Error) -> Failure {
    Failure::new(error.to_string(), error.hint())
}

/// Whether the statement has a plan and was not run.
fn is_explained(summary: &Summary) -> bool {
    summary.plan.is_some() && summary.profile.is_none()
}

/// The line below a table of so many rows, if it has columns.
fn ending(summary: &Summary, rows: Option<u64>) -> String {
    let mut parts = Vec::new();
    parts.extend(rows.map(|rows| counted(rows, "row", "rows")));
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
        true if is_explained(summary) => {
            "the plan, read from the bottom up, with estimated rows in brackets; nothing was run"
                .to_string()
        }
        true => "done".to_string(),
        false => parts.join(", "),
    }
}

/// A value in a table, and whether it is a figure.
fn cell(cell: &Cell) -> (String, bool) {
    match cell {
        Cell::Value(Value::Text(text)) => (shown(text), false),
        Cell::Value(Value::Float(number)) if !number.is_finite() => {
            // As in CSV, and as `toString` says it.
            let text = if number.is_nan() { "NaN" } else { "Infinity" };
            let sign = if *number < 0.0 { "-" } else { "" };
            (format!("{sign}{text}"), true)
        }
        Cell::Value(value @ (Value::Integer(_) | Value::Float(_))) => (value.to_string(), true),
        other => (shown(&other.to_string()), false),
    }
}

/// A text on one line.
fn shown(text: &str) -> String {
    let line = text.replace('\n', "\\n").replace('\r', "\\r");
    safe(&line.replace('\t', "\\t")).into_owned()
}

/// Widths of the columns of a table, on a terminal.
struct Widths(Vec<usize>);

impl Widths {
    fn of(columns: &[String], rows: &[Row]) -> Self {
        let length = |text: String| text.width();
        let mut widths: Vec<usize> = columns.iter().map(|name| length(shown(name))).collect();
        for row in rows {
            for (width, value) in widths.iter_mut().zip(row.cells()) {
                *width = length(cell(value).0).max(*width);
            }
        }
        Widths(widths)
    }

    fn print_head(&self, columns: &[String], out: &mut impl Write) -> io::Result<()> {
        self.print(columns.iter().map(|name| (shown(name), false)), out)?;
        let dashes = self.0.iter().map(|&width| ("-".repeat(width), false));
        self.print(dashes, out)
    }

    fn print(
        &self,
        cells: impl Iterator<Item = (String, bool)>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut line = String::new();
        for (at, ((text, is_figure), &width)) in cells.zip(&self.0).enumerate() {
            line += if at > 0 { "  " } else { "" };
            line += &filled(&text, width, is_figure);
        }
        writeln!(out, "{}", line.trim_end())
    }
}
