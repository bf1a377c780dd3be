//! CSV with the header of Neo4j's import: `id:ID(Person),name:string,:LABEL`.

use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::error::Problem;
use crate::types::shown;
use crate::{
    ExternalId, Id, InterchangeError, NodeRow, PropertyType, RelationshipRow, Row, RowReader,
};

use super::header::{Column, Header, IdColumn, Kind};
use super::records::{Dialect, Field, Outcome, Records};

/// What ids are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Any texts: `007` and `7` differ.
    Texts,
    /// 64-bit integers.
    Integers,
}

/// What the header does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neo4jOptions {
    /// Between fields.
    pub delimiter: u8,
    /// Between the elements of a list, and between labels.
    pub array_delimiter: char,
    /// Ids of columns without the option `id-type`.
    pub ids: Ids,
    /// Of all nodes of the file, besides those in the column `:LABEL`.
    pub labels: Vec<Arc<str>>,
    /// Of relationships whose `:TYPE` is empty or not there.
    pub kind: Option<Arc<str>>,
    /// The header, if it is in a file of its own: then all lines are rows.
    pub header: Option<String>,
}

impl Default for Neo4jOptions {
    fn default() -> Self {
        Neo4jOptions {
            delimiter: b',',
            array_delimiter: ';',
            ids: Ids::Texts,
            labels: Vec::new(),
            kind: None,
            header: None,
        }
    }
}

/// Reads nodes or relationships, as the header says.
///
/// A field without anything in it is no value; `""` is the empty text, or the empty
/// list.
pub struct Neo4jReader<R> {
    file: Arc<str>,
    records: Records<R>,
    options: Neo4jOptions,
    header: Header,
    done: bool,
}

impl<R: BufRead> Neo4jReader<R> {
    /// Reads the header. `file` is what messages call the input.
    ///
    /// # Errors
    /// [`InterchangeError::Unreadable`] if there is no header, or it is not clear what
    /// each column holds; [`InterchangeError::Input`].
    pub fn new(file: &str, input: R, options: Neo4jOptions) -> Result<Self, InterchangeError> {
        let dialect = Dialect {
            delimiter: options.delimiter,
            quotes: true,
        };
        let file: Arc<str> = file.into();
        let mut records = Records::new(input, dialect);
        let header = match &options.header {
            Some(text) => {
                let mut apart = Records::new(text.as_bytes(), dialect);
                read_header(&file, &mut apart, options.ids)?
            }
            None => read_header(&file, &mut records, options.ids)?,
        };
        Ok(Neo4jReader {
            file,
            records,
            options,
            header,
            done: false,
        })
    }

    fn row(&self) -> Result<Row, Problem> {
        let (found, expected) = (self.records.field_count(), self.header.columns.len());
        if found != expected {
            let problem = format!("{found} columns, the header has {expected}");
            return Err(Problem::new(problem));
        }
        match self.header.kind {
            Kind::Nodes => self.node().map(Row::Node),
            Kind::Relationships => self.relationship().map(Row::Relationship),
        }
    }

    fn columns(&self) -> impl Iterator<Item = (&Column, Field<'_>)> {
        let columns = self.header.columns.iter().enumerate();
        columns.filter_map(|(at, column)| Some((column, self.records.field(at)?)))
    }

    fn node(&self) -> Result<NodeRow, Problem> {
        let mut node = NodeRow {
            id: None,
            labels: self.options.labels.clone(),
            properties: Vec::new(),
        };
        for (column, field) in self.columns() {
            match column {
                Column::Id(column) => {
                    // Neo4j lets nodes be without an id, if nothing refers to them.
                    if !field.text.is_empty() {
                        node.id = Some(id(column, field, &mut node.properties)?);
                    }
                }
                Column::Labels => {
                    let labels = field
                        .text
                        .split(self.options.array_delimiter)
                        .map(str::trim);
                    for label in labels.filter(|label| !label.is_empty()) {
                        if node.labels.iter().all(|known| **known != *label) {
                            node.labels.push(label.into());
                        }
                    }
                }
                other => self.property(other, field, &mut node.properties)?,
            }
        }
        Ok(node)
    }

    fn relationship(&self) -> Result<RelationshipRow, Problem> {
        let (mut source, mut target) = (None, None);
        let mut kind = self.options.kind.clone();
        let mut properties = Vec::new();
        for (column, field) in self.columns() {
            match column {
                Column::Start(column) => {
                    source = Some(end(column, field, ":START_ID", &mut properties)?)
                }
                Column::End(column) => {
                    target = Some(end(column, field, ":END_ID", &mut properties)?)
                }
                Column::Type if !field.text.trim().is_empty() => {
                    kind = Some(field.text.trim().into())
                }
                other => self.property(other, field, &mut properties)?,
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

    fn property(
        &self,
        column: &Column,
        field: Field<'_>,
        properties: &mut Vec<(Arc<str>, Value)>,
    ) -> Result<(), Problem> {
        let Column::Property(name, kind) = column else {
            return Ok(());
        };
        let value = value(*kind, field, self.options.array_delimiter);
        if let Some(value) = value.map_err(|problem| Problem::at(name, problem))? {
            properties.push((name.clone(), value));
        }
        Ok(())
    }

    fn fail(&mut self, problem: Problem) -> InterchangeError {
        self.done = true;
        InterchangeError::Unreadable(problem.row(&self.file, self.records.line()))
    }
}

fn read_header<R: BufRead>(
    file: &Arc<str>,
    records: &mut Records<R>,
    ids: Ids,
) -> Result<Header, InterchangeError> {
    let read = records
        .advance()
        .map_err(|source| InterchangeError::Input {
            file: file.clone(),
            line: records.line(),
            source,
        })?;
    let header = match read {
        Some(Outcome::Record) => {
            let fields = (0..records.field_count()).filter_map(|at| records.field(at));
            let fields: Vec<&str> = fields.map(|field| field.text).collect();
            Header::read(&fields, ids)
        }
        Some(Outcome::Bad(problem) | Outcome::Broken(problem)) => Err(problem),
        None => Err(Problem::new("the file has no header")),
    };
    header.map_err(|problem| InterchangeError::Unreadable(problem.row(file, records.line())))
}

/// An end of a relationship, which has to be there.
fn end(
    column: &IdColumn,
    field: Field<'_>,
    what: &str,
    properties: &mut Vec<(Arc<str>, Value)>,
) -> Result<ExternalId, Problem> {
    if field.text.is_empty() {
        return Err(Problem::at(what, "nothing is there"));
    }
    id(column, field, properties)
}

/// An id that is not empty; stored as a property, too, if its column has a name.
fn id(
    column: &IdColumn,
    field: Field<'_>,
    properties: &mut Vec<(Arc<str>, Value)>,
) -> Result<ExternalId, Problem> {
    let id = match column.ids {
        Ids::Texts => Id::Text(field.text.into()),
        Ids::Integers => {
            let number = field.text.trim().parse().map_err(|_| {
                let name = column.name.as_deref().unwrap_or("the id");
                Problem::at(name, format!("{} is no 64-bit integer", shown(field.text)))
            })?;
            Id::Integer(number)
        }
    };
    if let Some(name) = &column.name {
        let value = match &id {
            Id::Integer(number) => Value::Integer(*number),
            Id::Text(text) => Value::Text(text.clone()),
        };
        properties.push((name.clone(), value));
    }
    Ok(ExternalId {
        space: column.space.clone(),
        id,
    })
}

/// The value of a field; `None` if it has none.
pub(crate) fn value(
    kind: PropertyType,
    field: Field<'_>,
    array_delimiter: char,
) -> Result<Option<Value>, String> {
    if !field.text.is_empty() && kind.list {
        let elements = field.text.split(array_delimiter);
        let elements: Result<Vec<Value>, String> =
            elements.map(|element| kind.scalar.read(element)).collect();
        return Ok(Some(Value::List(elements?.into())));
    }
    match (field.text.is_empty(), field.quoted) {
        (true, false) => Ok(None),
        (true, true) if kind.list => Ok(Some(Value::List([].into()))),
        _ => kind.scalar.read(field.text).map(Some),
    }
}

impl<R: BufRead> Iterator for Neo4jReader<R> {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let read = match self.records.advance() {
            Ok(read) => read?,
            Err(source) => {
                self.done = true;
                let (file, line) = (self.file.clone(), self.records.line());
                return Some(Err(InterchangeError::Input { file, line, source }));
            }
        };
        let row = match read {
            Outcome::Record => self.row(),
            Outcome::Bad(problem) => Err(problem),
            Outcome::Broken(problem) => return Some(Err(self.fail(problem))),
        };
        let line = self.records.line();
        Some(row.map_err(|problem| InterchangeError::BadRow(problem.row(&self.file, line))))
    }
}

impl<R: BufRead> RowReader for Neo4jReader<R> {
    fn file(&self) -> &Arc<str> {
        &self.file
    }

    fn line(&self) -> u64 {
        self.records.line()
    }
}
