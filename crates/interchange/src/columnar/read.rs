//! Reading Parquet and Arrow, batch by batch.

use std::io::{Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::take::take;
use evergraph_property_graph::Value;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use crate::csv::Ids;
use crate::csv::header::{Column, Header, IdColumn, Kind};
use crate::error::Problem;
use crate::types::shown;
use crate::{
    BadRow, ExternalId, Id, InterchangeError, NodeRow, PropertyType, RelationshipRow, Row,
    RowReader, Scalar,
};

use super::values::{is_supported, value};

/// What the file does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnarOptions {
    /// What columns hold, by their names: `("src", ":START_ID")`. Columns that are not
    /// named hold what their names say.
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
        let opened = contained(|| {
            let builder = ParquetRecordBatchReaderBuilder::try_new(input)?;
            let schema = builder.schema().clone();
            builder.build().map(|batches| (schema, batches))
        });
        let opened = opened.map_err(|problem| whole(file, problem))?;
        let (schema, batches) = opened.map_err(|error| whole(file, error.to_string()))?;
        Self::new(file, &schema, Box::new(batches), options)
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
            if !is_supported(logical(field.data_type())) {
                let problem = format!("columns of type {} are not supported", field.data_type());
                return Err(whole(file, format!("{}: {problem}", field.name())));
            }
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

    fn columns(&self) -> impl Iterator<Item = (&Column, &ArrayRef)> {
        self.header.columns.iter().zip(&self.batch)
    }

    fn read(&self) -> Result<Row, Problem> {
        match self.header.kind {
            Kind::Nodes => self.node().map(Row::Node),
            Kind::Relationships => self.relationship().map(Row::Relationship),
        }
    }

    fn node(&self) -> Result<NodeRow, Problem> {
        let mut node = NodeRow {
            id: None,
            labels: self.options.labels.clone(),
            properties: Vec::new(),
        };
        for (column, array) in self.columns() {
            match column {
                Column::Id(column) => {
                    node.id = self.id(":ID", column, array, &mut node.properties)?
                }
                Column::Labels => {
                    for label in texts(&self.cell(":LABEL", array)?)? {
                        if !label.is_empty() && !node.labels.contains(&label) {
                            node.labels.push(label);
                        }
                    }
                }
                other => self.property(other, array, &mut node.properties)?,
            }
        }
        Ok(node)
    }

    fn relationship(&self) -> Result<RelationshipRow, Problem> {
        let (mut source, mut target) = (None, None);
        let mut kind = self.options.kind.clone();
        let mut properties = Vec::new();
        for (column, array) in self.columns() {
            match column {
                Column::Start(column) => {
                    source = self.id(":START_ID", column, array, &mut properties)?
                }
                Column::End(column) => {
                    target = self.id(":END_ID", column, array, &mut properties)?
                }
                Column::Type => match self.cell(":TYPE", array)? {
                    Value::Text(text) if !text.is_empty() => kind = Some(text),
                    Value::Null | Value::Text(_) => {}
                    _ => return Err(Problem::at(":TYPE", "a type is a text")),
                },
                other => self.property(other, array, &mut properties)?,
            }
        }
        let missing = |what: &str| Problem::at(what, "nothing is there");
        Ok(RelationshipRow {
            source: source.ok_or_else(|| missing(":START_ID"))?,
            target: target.ok_or_else(|| missing(":END_ID"))?,
            kind: kind.ok_or_else(|| missing(":TYPE"))?,
            properties,
        })
    }

    fn cell(&self, name: &str, array: &ArrayRef) -> Result<Value, Problem> {
        value(array, self.next - 1).map_err(|problem| Problem::at(name, problem))
    }

    fn id(
        &self,
        what: &str,
        column: &IdColumn,
        array: &ArrayRef,
        properties: &mut Vec<(Arc<str>, Value)>,
    ) -> Result<Option<ExternalId>, Problem> {
        let value = self.cell(what, array)?;
        let id = match &value {
            Value::Null => return Ok(None),
            Value::Integer(number) => Id::Integer(*number),
            Value::Text(text) if text.is_empty() => return Ok(None),
            Value::Text(text) => match column.ids {
                Ids::Texts => Id::Text(text.clone()),
                Ids::Integers => Id::Integer(text.trim().parse().map_err(|_| {
                    Problem::at(what, format!("{} is no 64-bit integer", shown(text)))
                })?),
            },
            _ => return Err(Problem::at(what, "an id is an integer or a text")),
        };
        if let Some(name) = &column.name {
            properties.push((name.clone(), value));
        }
        let space = column.space.clone();
        Ok(Some(ExternalId { space, id }))
    }

    fn property(
        &self,
        column: &Column,
        array: &ArrayRef,
        properties: &mut Vec<(Arc<str>, Value)>,
    ) -> Result<(), Problem> {
        let Column::Property(name, kind) = column else {
            return Ok(());
        };
        let found = self.cell(name, array)?;
        let found = declared(found, *kind).map_err(|problem| Problem::at(name, problem))?;
        if !found.is_null() {
            properties.push((name.clone(), found));
        }
        Ok(())
    }

    fn unreadable(&mut self, error: &str) -> InterchangeError {
        self.done = true;
        let problem = Problem::new(format!("from the next row on: {error}"));
        InterchangeError::Unreadable(problem.row(&self.file, self.row))
    }
}

/// What the library does with the file. It panics on some damaged files; that is an
/// error of the file, and nothing of the library is used behind it.
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

/// Labels: a list, or one text with semicolons.
fn texts(value: &Value) -> Result<Vec<Arc<str>>, Problem> {
    let problem = || Problem::at(":LABEL", "labels are texts or lists of texts");
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Text(text) => Ok(text.split(';').map(|label| label.trim().into()).collect()),
        Value::List(labels) => {
            let label = |label: &Value| label.as_text().map(Arc::from).ok_or_else(problem);
            labels.iter().map(label).collect()
        }
        _ => Err(problem()),
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
}
