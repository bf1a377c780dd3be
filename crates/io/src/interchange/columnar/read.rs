//! Reading Parquet and Arrow, batch by batch.

use std::io::{Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use evergraph_property_graph::Value;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use crate::interchange::cells::{Cells, Given, row};
use crate::interchange::csv::header::Header;
use crate::interchange::csv::integer_id;
use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{
    BadRow, Contents, Id, Ids, InterchangeError, PropertyType, Row, RowReader, Scalar,
};

use super::values::{is_supported, value};

/// Options for what the file does not say itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnarOptions {
    /// Roles of columns, by their names: `("src", ":START_ID")`. Other columns have the
    /// role that their name says.
    pub roles: Vec<(String, String)>,
    /// Of all nodes of the file, besides those in the column `:LABEL`.
    pub labels: Vec<Arc<str>>,
    /// Of relationships without a `:TYPE`.
    pub kind: Option<Arc<str>>,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// Reads nodes or relationships, as the columns say. Ids are integers where their
/// column is one of integers.
pub struct ColumnarReader {
    file: Arc<str>,
    batches: Batches,
    header: Header,
    options: ColumnarOptions,
    batch: Vec<ArrayRef>,
    /// The next row of the batch, and the rows that it has.
    next: usize,
    length: usize,
    row: u64,
    done: bool,
}

impl ColumnarReader {
    /// A Parquet file. `file` is what messages call the input.
    ///
    /// # Errors
    /// [`InterchangeError::Unreadable`] if it is none, or it is not clear what each
    /// column holds.
    pub fn parquet(
        file: &str,
        input: impl ChunkReader + 'static,
        options: ColumnarOptions,
    ) -> Result<Self, InterchangeError> {
        let (schema, batches) = opened(file, input)?;
        Self::new(file, &schema, batches, options)
    }

    /// An Arrow file (IPC with a footer, also called Feather).
    ///
    /// # Errors
    /// As of [`ColumnarReader::parquet`].
    pub fn arrow_file(
        file: &str,
        input: impl Read + Seek + 'static,
        options: ColumnarOptions,
    ) -> Result<Self, InterchangeError> {
        let reader = contained(|| FileReader::try_new(input, None));
        let reader = reader.map_err(|problem| whole(file, problem))?;
        let reader = reader.map_err(|error| whole(file, error.to_string()))?;
        let schema = reader.schema();
        Self::new(file, &schema, Box::new(reader), options)
    }

    /// An Arrow stream (IPC without a footer).
    ///
    /// # Errors
    /// As of [`ColumnarReader::parquet`].
    pub fn arrow_stream(
        file: &str,
        input: impl Read + 'static,
        options: ColumnarOptions,
    ) -> Result<Self, InterchangeError> {
        let reader = contained(|| StreamReader::try_new(input, None));
        let reader = reader.map_err(|problem| whole(file, problem))?;
        let reader = reader.map_err(|error| whole(file, error.to_string()))?;
        let schema = reader.schema();
        Self::new(file, &schema, Box::new(reader), options)
    }

    fn new(
        file: &str,
        schema: &Schema,
        batches: Batches,
        options: ColumnarOptions,
    ) -> Result<Self, InterchangeError> {
        let mut fields: Vec<&str> = Vec::new();
        for field in schema.fields() {
            let role = options.roles.iter().find(|role| role.0 == *field.name());
            fields.push(role.map_or(field.name(), |role| &role.1));
            check_type(file, field)?;
        }
        if let Some(role) = options
            .roles
            .iter()
            .find(|role| schema.index_of(&role.0).is_err())
        {
            return Err(whole(
                file,
                format!("there is no column {}", shown(&role.0)),
            ));
        }
        let header = Header::of_columns(&fields)
            .map_err(|problem| InterchangeError::Unreadable(problem.row(&file.into(), 0)))?;
        if !header.is_declared() {
            let problem = "no column is called :ID, :LABEL, :START_ID or :END_ID";
            return Err(whole(file, problem.to_string()));
        }
        Ok(ColumnarReader {
            file: file.into(),
            batches,
            header,
            options,
            batch: Vec::new(),
            next: 0,
            length: 0,
            row: 0,
            done: false,
        })
    }

    /// Goes to the next row; `false` at the end.
    fn advance(&mut self) -> Result<bool, String> {
        while self.next >= self.length {
            let Some(batch) = contained(|| self.batches.next())? else {
                return Ok(false);
            };
            let batch = batch.map_err(|error| error.to_string())?;
            // Cells of dictionaries are their texts.
            let plain = batch.columns().iter().map(|column| {
                let Some(dictionary) = column.as_any_dictionary_opt() else {
                    return Ok(column.clone());
                };
                take(dictionary.values(), dictionary.keys(), None)
            });
            self.batch = plain
                .collect::<Result<_, ArrowError>>()
                .map_err(|error| error.to_string())?;
            (self.next, self.length) = (0, batch.num_rows());
        }
        self.next += 1;
        self.row += 1;
        Ok(true)
    }

    fn read(&self) -> Result<Row, Problem> {
        let given = Given {
            labels: &self.options.labels,
            kind: self.options.kind.as_ref(),
        };
        row(&self.header, given, self)
    }

    fn cell(&self, at: usize) -> Result<Value, String> {
        match self.batch.get(at) {
            Some(array) => value(array, self.next - 1),
            None => Ok(Value::Null),
        }
    }

    fn unreadable(&mut self, error: &str) -> InterchangeError {
        self.done = true;
        let problem = Problem::new(format!("from the next row on: {error}"));
        InterchangeError::Unreadable(problem.row(&self.file, self.row))
    }
}

/// Columns and batches of a Parquet file.
fn opened(
    file: &str,
    input: impl ChunkReader + 'static,
) -> Result<(SchemaRef, Batches), InterchangeError> {
    let opened = contained(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(input)?;
        let schema = builder.schema().clone();
        builder.build().map(|batches| (schema, batches))
    });
    let opened = opened.map_err(|problem| whole(file, problem))?;
    let (schema, batches) = opened.map_err(|error| whole(file, error.to_string()))?;
    Ok((schema, Box::new(batches)))
}

fn check_type(file: &str, field: &Field) -> Result<(), InterchangeError> {
    if is_supported(logical(field.data_type())) {
        return Ok(());
    }
    let problem = format!("columns of type {} are not supported", field.data_type());
    Err(whole(file, format!("{}: {problem}", field.name())))
}

/// The rows of a Parquet file whose columns mean nothing but themselves, a value a column.
pub struct TableColumns {
    names: Vec<String>,
    reader: ColumnarReader,
}

impl TableColumns {
    /// Reads the columns. `file` is what messages call the input.
    ///
    /// # Errors
    /// [`InterchangeError::Unreadable`] if it is no Parquet file, or has columns of types
    /// that no value has.
    pub fn parquet(
        file: &str,
        input: impl ChunkReader + 'static,
    ) -> Result<Self, InterchangeError> {
        let (schema, batches) = opened(file, input)?;
        let mut names = Vec::new();
        for field in schema.fields() {
            check_type(file, field)?;
            names.push(field.name().clone());
        }
        let reader = ColumnarReader {
            file: file.into(),
            batches,
            header: Header {
                contents: Contents::Nodes,
                columns: Vec::new(),
                plain: None,
            },
            options: ColumnarOptions::default(),
            batch: Vec::new(),
            next: 0,
            length: 0,
            row: 0,
            done: false,
        };
        Ok(TableColumns { names, reader })
    }

    /// Names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl Iterator for TableColumns {
    type Item = Result<Vec<Value>, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.done {
            return None;
        }
        match self.reader.advance() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(self.reader.unreadable(&error))),
        }
        let cells = (0..self.names.len()).map(|at| {
            self.reader.cell(at).map_err(|text| {
                let problem = Problem::at(&self.names[at], text);
                InterchangeError::BadRow(problem.row(&self.reader.file, self.reader.row))
            })
        });
        Some(cells.collect())
    }
}

impl Cells for ColumnarReader {
    fn id(&self, at: usize, ids: Ids) -> Result<Option<Id>, String> {
        match self.cell(at)? {
            Value::Null => Ok(None),
            Value::Integer(number) => Ok(Some(Id::Integer(number))),
            Value::Text(text) if text.is_empty() => Ok(None),
            Value::Text(text) => match ids {
                Ids::Texts => Ok(Some(Id::Text(text))),
                Ids::Integers => integer_id(&text).map(Some),
            },
            _ => Err("an id is an integer or a text".to_string()),
        }
    }

    /// A list, or one text with semicolons.
    fn labels(&self, at: usize, mut each: impl FnMut(&str)) -> Result<(), String> {
        let problem = || "labels are texts or lists of texts".to_string();
        match self.cell(at)? {
            Value::Null => {}
            Value::Text(text) => text.split(';').map(str::trim).for_each(each),
            Value::List(labels) => {
                for label in labels.iter() {
                    each(label.as_text().ok_or_else(problem)?);
                }
            }
            _ => return Err(problem()),
        }
        Ok(())
    }

    fn kind(&self, at: usize) -> Result<Option<Arc<str>>, String> {
        match self.cell(at)? {
            Value::Text(text) => Ok((!text.is_empty()).then_some(text)),
            Value::Null => Ok(None),
            _ => Err("a type is a text".to_string()),
        }
    }

    fn value(&self, at: usize, kind: PropertyType) -> Result<Option<Value>, String> {
        let found = declared(self.cell(at)?, kind)?;
        Ok((!found.is_null()).then_some(found))
    }
}

/// Runs a call of the library. It panics on some damaged files; that becomes an error of
/// the file, and the library's reader is not used afterwards, as its state is unknown.
fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        format!(
            "the file is damaged: {}",
            said.unwrap_or("it cannot be read")
        )
    })
}

/// The type of the cells of a column.
fn logical(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Texts are what the name of the column declares; everything else is what it is.
fn declared(value: Value, kind: PropertyType) -> Result<Value, String> {
    if kind.scalar == Scalar::Text {
        return Ok(value);
    }
    match value {
        Value::Text(text) => kind.scalar.read(&text),
        Value::List(elements) => {
            let element = |element: &Value| declared(element.clone(), kind);
            let elements: Result<Vec<Value>, String> = elements.iter().map(element).collect();
            Ok(Value::List(elements?.into()))
        }
        other => match Scalar::of(&other) {
            Some(scalar) if scalar != kind.scalar => {
                let (found, declared) = (scalar.name(), kind.scalar.name());
                Err(format!(
                    "it is a {found}, the column is declared as {declared}"
                ))
            }
            _ => Ok(other),
        },
    }
}

/// A problem of the file as a whole.
fn whole(file: &str, problem: String) -> InterchangeError {
    InterchangeError::Unreadable(BadRow {
        file: file.into(),
        line: 0,
        column: None,
        problem,
    })
}

impl Iterator for ColumnarReader {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.advance() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(self.unreadable(&error))),
        }
        let bad = |problem: Problem| InterchangeError::BadRow(problem.row(&self.file, self.row));
        Some(self.read().map_err(bad))
    }
}

impl RowReader for ColumnarReader {
    fn file(&self) -> &Arc<str> {
        &self.file
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn contents(&self) -> Contents {
        self.header.contents
    }
}
