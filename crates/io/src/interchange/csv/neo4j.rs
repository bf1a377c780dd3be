//! CSV with the header of Neo4j's import: `id:ID(Person),name:string,:LABEL`.

use std::io::{self, BufRead};
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::cells::{Cells, Given, row};
use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{
    Contents, Id, Ids, InterchangeError, PropertyType, Row, RowBatch, RowReader, Standing,
};

use super::header::{Assumed, Column, Header, PlainColumn};
use super::records::{Dialect, Field, Outcome, Records};

/// Options for what the header does not say.
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
    /// Kind of the rows whose header does not say it: then the first column is the id of
    /// nodes, and the first two are the ends of relationships.
    pub assumed: Option<Contents>,
    /// Types of the columns of such a header, by their number; else they are texts, but
    /// where the header says another type.
    pub types: Option<Arc<[PropertyType]>>,
    /// Id spaces of the ids of such a header; without, all are of one.
    pub spaces: Vec<Arc<str>>,
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
            assumed: None,
            spaces: Vec::new(),
            types: None,
        }
    }
}

/// Reads nodes or relationships, as the header says.
///
/// A field without anything in it is no value; `""` is the empty text, or the empty
/// list.
pub struct Neo4jReader<R> {
    file: Arc<str>,
    pub(super) records: Records<R>,
    pub(super) options: Neo4jOptions,
    pub(super) header: Header,
    pub(super) standing: Standing,
    /// The record at hand, which no row was made of yet.
    pub(super) at_hand: Option<io::Result<Option<Outcome>>>,
    pub(super) done: bool,
}

impl<R: BufRead> Neo4jReader<R> {
    /// Reads the header. `file` is what messages call the input.
    ///
    /// # Errors
    /// [`InterchangeError::Unreadable`] if there is no header, or it is not clear what
    /// each column holds; [`InterchangeError::Input`].
    pub fn new(file: &str, input: R, options: Neo4jOptions) -> Result<Self, InterchangeError> {
        let dialect = Dialect::new(options.delimiter, true);
        let file: Arc<str> = file.into();
        let mut records = Records::new(input, dialect);
        let header = match &options.header {
            Some(text) => {
                let mut apart = Records::new(text.as_bytes(), dialect);
                read_header(&file, &mut apart, &options)?
            }
            None => read_header(&file, &mut records, &options)?,
        };
        let follows = |is: fn(&Column) -> Option<bool>| header.columns.iter().find_map(is);
        let source = follows(|column| match column {
            Column::Start(id) => Some(!id.is_declared),
            _ => None,
        });
        let target = follows(|column| match column {
            Column::End(id) => Some(!id.is_declared),
            _ => None,
        });
        let standing = Standing {
            follows: [source, target].map(Option::unwrap_or_default),
            ..Standing::default()
        };
        Ok(Neo4jReader {
            file,
            records,
            options,
            header,
            standing,
            at_hand: None,
            done: false,
        })
    }

    /// Whether the header declares nothing, so that types can be told from the values
    /// ([`Inference`](crate::interchange::Inference)).
    pub fn is_plain(&self) -> bool {
        self.header.plain.is_some()
    }

    /// Names of the columns of a plain header, and the types that it declares.
    pub fn plain_columns(&self) -> impl Iterator<Item = (&Arc<str>, Option<PropertyType>)> {
        let columns = self.header.plain.iter().flatten();
        columns.map(|column| (&column.name, column.declared))
    }

    /// The rows as they are, and the columns of a plain header.
    pub(crate) fn into_columns(self) -> (Records<R>, Vec<PlainColumn>) {
        (self.records, self.header.plain.unwrap_or_default())
    }

    fn row(&self) -> Result<Row, Problem> {
        let (found, expected) = (self.records.field_count(), self.header.columns.len());
        if found != expected {
            let problem = format!("{found} columns, the header has {expected}");
            return Err(Problem::new(problem));
        }
        let given = Given {
            labels: &self.options.labels,
            kind: self.options.kind.as_ref(),
        };
        row(&self.header, given, self)
    }

    /// A field of the record, which has as many as the header.
    pub(super) fn field(&self, at: usize) -> Field<'_> {
        let nothing = Field {
            text: "",
            quoted: false,
        };
        self.records.field(at).unwrap_or(nothing)
    }

    /// The next record, or that at hand.
    pub(super) fn advance(&mut self) -> io::Result<Option<Outcome>> {
        match self.at_hand.take() {
            Some(read) => read,
            None => self.records.advance(),
        }
    }

    fn fail(&mut self, problem: Problem) -> InterchangeError {
        self.done = true;
        InterchangeError::Unreadable(problem.row(&self.file, self.records.line()))
    }
}

fn read_header<R: BufRead>(
    file: &Arc<str>,
    records: &mut Records<R>,
    options: &Neo4jOptions,
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
            let assumed = Assumed {
                ids: options.ids,
                contents: options.assumed,
                types: options.types.as_deref(),
                spaces: &options.spaces,
            };
            Header::read(&fields, assumed)
        }
        Some(Outcome::Bad(problem) | Outcome::Broken(problem)) => Err(problem),
        None => Err(Problem::new("the file has no header")),
    };
    header.map_err(|problem| InterchangeError::Unreadable(problem.row(file, records.line())))
}

impl<R: BufRead> Cells for Neo4jReader<R> {
    fn id(&self, at: usize, ids: Ids) -> Result<Option<Id>, String> {
        let text = self.field(at).text;
        match ids {
            _ if text.is_empty() => Ok(None),
            Ids::Texts => Ok(Some(Id::Text(text.into()))),
            Ids::Integers => integer_id(text).map(Some),
        }
    }

    fn labels(&self, at: usize, each: impl FnMut(&str)) -> Result<(), String> {
        let labels = self.field(at).text.split(self.options.array_delimiter);
        labels.map(str::trim).for_each(each);
        Ok(())
    }

    fn kind(&self, at: usize) -> Result<Option<Arc<str>>, String> {
        let kind = self.field(at).text.trim();
        Ok((!kind.is_empty()).then(|| kind.into()))
    }

    fn value(&self, at: usize, kind: PropertyType) -> Result<Option<Value>, String> {
        value(kind, self.field(at), self.options.array_delimiter)
    }
}

/// An id of an integer's digits.
pub(crate) fn integer_id(text: &str) -> Result<Id, String> {
    let number = text.parse().or_else(|_| text.trim().parse());
    number
        .map(Id::Integer)
        .map_err(|_| format!("{} is no 64-bit integer", shown(text)))
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
        let read = match self.advance() {
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

    fn contents(&self) -> Contents {
        self.header.contents
    }

    fn standing(&self) -> Standing {
        self.standing.clone()
    }

    fn batch(&mut self, rows: usize, bytes: usize) -> Option<RowBatch> {
        self.next_batch(rows, bytes)
    }
}
