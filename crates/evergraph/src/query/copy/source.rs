//! Rows of files: values by column.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use evergraph_io::interchange::tables::{Mapping, TableReader};
use evergraph_io::interchange::{BadRow, InterchangeError, PropertyType, Row, RowReader, Scalar};
use evergraph_property_graph::Value;

use super::super::cell::Cell;
use super::super::error::Error;
use super::super::json::{from_json, to_json};
use crate::formats::open_bytes;

/// How the lines of a table are read.
#[derive(Default)]
pub(super) struct Table {
    pub(super) delimiter: u8,
    pub(super) header: bool,
    pub(super) skip: u64,
    pub(super) quotes: bool,
    pub(super) null: Vec<String>,
    pub(super) columns: Option<Vec<String>>,
    pub(super) types: Vec<(String, String)>,
    /// Types are told from the first rows alone: of those behind them that do not fit, each
    /// is a bad row.
    pub(super) samples: bool,
}

/// Rows that types are told from where bad ones are left out, as in DuckDB.
const SAMPLE: u64 = 20_480;
/// Bytes of which there is one more line of a sample at most.
const SAMPLE_BYTES: usize = 64 << 20;

/// A column of a table.
pub(super) struct Column {
    pub(super) name: String,
    /// Name of its type.
    pub(super) kind: String,
    /// Whether the type was told from the values.
    pub(super) is_guessed: bool,
}

/// One row: the line on which it begins, and its values without nulls.
pub(super) struct SourceRow {
    pub(super) line: u64,
    pub(super) values: Vec<(Arc<str>, Value)>,
}

impl SourceRow {
    /// Its values as a JSON object.
    pub(super) fn to_json(&self) -> String {
        let members = self
            .values
            .iter()
            .map(|(name, value)| (name.to_string(), to_json(&Cell::Value(value.clone()))));
        serde_json::Value::Object(members.collect()).to_string()
    }
}

/// Why there is no row.
pub(super) enum SourceError {
    /// Those behind it can be read.
    Bad(BadRow),
    Broken(Error),
}

type Rows = Box<dyn Iterator<Item = Result<SourceRow, SourceError>>>;

/// The rows of a file.
pub(super) struct Source {
    /// The columns, in the order of the file; empty where rows name theirs.
    pub(super) columns: Vec<Column>,
    pub(super) rows: Rows,
}

/// Types of columns by the names that they have in Cypher.
const TYPES: [(&str, Scalar); 15] = [
    ("BOOLEAN", Scalar::Boolean),
    ("INTEGER", Scalar::Integer),
    ("FLOAT", Scalar::Float),
    ("STRING", Scalar::Text),
    ("BYTES", Scalar::Bytes),
    ("DATE", Scalar::Date),
    ("ZONED TIME", Scalar::Time),
    ("LOCAL TIME", Scalar::LocalTime),
    ("ZONED DATETIME", Scalar::DateTime),
    ("LOCAL DATETIME", Scalar::LocalDateTime),
    ("DURATION", Scalar::Duration),
    ("POINT", Scalar::Point),
    ("BOOL", Scalar::Boolean),
    ("INT", Scalar::Integer),
    ("TEXT", Scalar::Text),
];

/// The type of a name: `INTEGER`, `LIST<INTEGER>`.
fn type_of(name: &str) -> Result<PropertyType, Error> {
    let whole = name.trim().to_uppercase();
    let element = whole
        .strip_prefix("LIST<")
        .and_then(|rest| rest.strip_suffix('>'));
    let wanted = element.unwrap_or(&whole).trim();
    let found = TYPES.iter().find(|(known, _)| *known == wanted);
    match found {
        Some((_, scalar)) => Ok(PropertyType {
            scalar: *scalar,
            list: element.is_some(),
        }),
        None => {
            let names: Vec<&str> = TYPES.iter().map(|(known, _)| *known).collect();
            Err(Error::of_file(
                format!("there is no type {name}"),
                &format!("there are {}, and LIST<...> of them", names.join(", ")),
            ))
        }
    }
}

fn type_name(of: PropertyType) -> String {
    let found = TYPES.iter().find(|(_, scalar)| *scalar == of.scalar);
    let name = found.map_or("STRING", |(name, _)| name);
    match of.list {
        true => format!("LIST<{name}>"),
        false => name.to_string(),
    }
}

/// A text as TOML has it in quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Table {
    /// A mapping of the file, whose rows are all nodes without a key.
    fn mapping(&self, file: &str) -> Result<String, Error> {
        let list = |texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            format!("[{}]", texts.join(", "))
        };
        let delimiter = char::from(self.delimiter).to_string();
        let mut lines = vec![
            "infer = true".to_string(),
            format!("delimiter = {}", quoted(&delimiter)),
            format!("quotes = {}", self.quotes),
            format!("null = {}", list(&self.null)),
        ];
        // Names that are given stand in the place of the header.
        let passed = self.skip + u64::from(self.header && self.columns.is_some());
        lines.push(format!("skip = {passed}"));
        lines.push(format!(
            "[[table]]\nfile = {}\nlabel = \"row\"",
            quoted(file)
        ));
        if let Some(columns) = &self.columns {
            lines.push(format!("columns = {}", list(columns)));
        }
        let mut types = Vec::new();
        for (column, name) in &self.types {
            let of = type_of(name)?;
            let list = if of.list { "[]" } else { "" };
            let name = quoted(&format!("{}{list}", of.scalar.name()));
            types.push(format!("{} = {name}", quoted(column)));
        }
        lines.push(format!("types = {{ {} }}", types.join(", ")));
        Ok(lines.join("\n"))
    }
}

impl Source {
    /// Rows under the columns of a table. Reads it once, to tell the types of its columns
    /// from their values; `ask` is asked now and then whether to go on.
    ///
    /// # Errors
    /// A file that cannot be read; columns that it does not have.
    pub(super) fn table(
        path: &Path,
        table: &Table,
        ask: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let file = path.display().to_string();
        let mapping = Mapping::parse(&file, &table.mapping(&file)?).map_err(of_mapping)?;
        let ask = || ask().map_err(Problem::Other);
        let input = |_: &str| match table.samples {
            true => sample(path, table.skip.saturating_add(SAMPLE)),
            false => open(path).map(|input| Box::new(input) as Box<dyn BufRead>),
        };
        let resolved = mapping.resolve(|file| input(file).map_err(Problem::Other), &ask);
        let resolved = resolved.map_err(|problem| match problem {
            Problem::Other(error) => error,
            Problem::File(error) => of_mapping(error),
        })?;
        let Some(resolved) = resolved.into_iter().next() else {
            return Err(Error::of_file(
                format!("{file}: it has no columns"),
                "check it",
            ));
        };
        let columns = resolved.properties().map(|(name, kind)| Column {
            name: name.to_string(),
            kind: type_name(kind),
            is_guessed: !table.types.iter().any(|(typed, _)| typed == name),
        });
        let columns = columns.collect();
        let mut reader = TableReader::new(&file, open(path)?, &resolved).map_err(of_mapping)?;
        let rows = std::iter::from_fn(move || {
            Some(match reader.next()? {
                Ok(Row::Node(row)) => Ok(SourceRow {
                    line: reader.line(),
                    values: row.properties,
                }),
                Ok(Row::Relationship(_)) => return None,
                Err(InterchangeError::BadRow(bad)) => Err(SourceError::Bad(bad)),
                Err(error) => Err(SourceError::Broken(of_mapping(error))),
            })
        });
        Ok(Source {
            columns,
            rows: Box::new(rows),
        })
    }

    /// JSON objects, one a line.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub(super) fn json_lines(path: &Path) -> Result<Self, Error> {
        let file: Arc<str> = path.display().to_string().into();
        let lines = open(path)?.lines();
        let rows = (1..).zip(lines).filter_map(move |(line, text)| {
            let text = match text {
                Ok(text) if text.trim().is_empty() => return None,
                Ok(text) => text,
                Err(error) => {
                    let error = crate::Error::io(format!("{file}:{line}"), error);
                    return Some(Err(SourceError::Broken(error.into())));
                }
            };
            let json = match line {
                1 => text.trim_start_matches('\u{feff}'),
                _ => &text,
            };
            let json = serde_json::from_str(json).map_err(|error| no_json(&error));
            Some(json.and_then(|json| object(&json)).map_or_else(
                |problem| Err(SourceError::Bad(bad(&file, line, problem))),
                |values| Ok(SourceRow { line, values }),
            ))
        });
        Ok(Source {
            columns: Vec::new(),
            rows: Box::new(rows),
        })
    }

    /// A list of JSON objects, which is held in memory; rows are counted instead of lines.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
    pub(super) fn json(path: &Path) -> Result<Self, Error> {
        let file: Arc<str> = path.display().to_string().into();
        let list: Vec<serde_json::Value> =
            serde_json::from_reader(open(path)?).map_err(|error| {
                Error::of_file(
                    format!("{file}: {error}"),
                    "a .json file is a list of objects; .jsonl has one a line",
                )
            })?;
        let rows = (1..)
            .zip(list)
            .map(move |(line, json)| match object(&json) {
                Ok(values) => Ok(SourceRow { line, values }),
                Err(problem) => Err(SourceError::Bad(bad(&file, line, problem))),
            });
        Ok(Source {
            columns: Vec::new(),
            rows: Box::new(rows),
        })
    }

    /// Rows of columns with names.
    #[cfg(feature = "columnar")]
    pub(super) fn of_columns(
        names: Vec<String>,
        rows: impl Iterator<Item = Result<Vec<Value>, InterchangeError>> + 'static,
    ) -> Self {
        let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
        let rows = (1..).zip(rows).map(move |(line, row)| match row {
            Ok(values) => {
                let values = names.iter().cloned().zip(values);
                let values = values.filter(|(_, value)| !matches!(value, Value::Null));
                Ok(SourceRow {
                    line,
                    values: values.collect(),
                })
            }
            Err(InterchangeError::BadRow(bad)) => Err(SourceError::Bad(bad)),
            Err(error) => Err(SourceError::Broken(of_mapping(error))),
        });
        Source {
            columns: Vec::new(),
            rows: Box::new(rows),
        }
    }
}

/// An error of the reader, or another.
enum Problem {
    File(InterchangeError),
    Other(Error),
}

impl From<InterchangeError> for Problem {
    fn from(error: InterchangeError) -> Self {
        Problem::File(error)
    }
}

/// An error of a file in words for a statement: it has no mapping, and no flags.
fn of_mapping(error: InterchangeError) -> Error {
    let message = match &error {
        InterchangeError::Mapping(bad) => format!("{}: {}", bad.file, bad.problem),
        InterchangeError::Input { file, source, .. } => format!("{file}: {source}"),
        other => other.to_string(),
    };
    let message = message.split("; the mapping").next().unwrap_or_default();
    Error::of_file(message, "check the file, and the options in parentheses")
}

pub(super) fn bad(file: &Arc<str>, line: u64, problem: impl Into<String>) -> BadRow {
    BadRow {
        file: Arc::clone(file),
        line,
        column: None,
        problem: problem.into(),
    }
}

/// The bytes of a file, decompressed.
fn open(path: &Path) -> Result<BufReader<Box<dyn Read + Send>>, Error> {
    let bytes = open_bytes(path)
        .map_err(|error| Error::of_file(crate::Error::from(error).summary(), "check the path"))?;
    Ok(BufReader::with_capacity(1 << 18, bytes))
}

/// The first lines of a file, decompressed.
fn sample(path: &Path, lines: u64) -> Result<Box<dyn BufRead>, Error> {
    let mut input = open(path)?;
    let mut bytes = Vec::new();
    // One more, of the titles.
    for _ in 0..=lines {
        let count = input.read_until(b'\n', &mut bytes);
        let count = count.map_err(|error| crate::Error::io(path.display().to_string(), error))?;
        if count == 0 || bytes.len() > SAMPLE_BYTES {
            break;
        }
    }
    Ok(Box::new(Cursor::new(bytes)))
}

/// Its own place is within the line.
fn no_json(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let reason = said.split(" at line ").next().unwrap_or_default();
    format!("no JSON at column {}: {reason}", error.column())
}

fn object(json: &serde_json::Value) -> Result<Vec<(Arc<str>, Value)>, String> {
    let serde_json::Value::Object(members) = json else {
        return Err("it is no JSON object".to_string());
    };
    let mut values = Vec::with_capacity(members.len());
    for (name, json) in members {
        match from_json(json).map_err(|problem| format!("{name}: {problem}"))? {
            Value::Null => {}
            value => values.push((Arc::from(name.as_str()), value)),
        }
    }
    Ok(values)
}
