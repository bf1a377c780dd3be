//! CSV as the generator of LDBC's Social Network Benchmark writes it (Interactive
//! v1): `|` between columns, no quotes, lists with `;`. What a file holds stands in
//! its name: `person_0_0.csv`, `person_knows_person_0_0.csv`.

use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{
    Contents, ExternalId, InterchangeError, NodeRow, PropertyType, RelationshipRow, Row, RowReader,
    Scalar,
};

use super::neo4j::{integer_id, value};
use super::records::{Dialect, Outcome, Records};

/// How relationship types are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// `HAS_CREATOR`, as in the benchmark's Cypher queries.
    #[default]
    Cypher,
    /// `hasCreator`, as in the file names.
    File,
}

/// Content of a file, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LdbcName {
    /// Nodes of a kind.
    Nodes(String),
    /// Relationships of a type between kinds.
    Relationships {
        /// The kind of the sources.
        source: String,
        /// As in the file name.
        kind: String,
        /// The kind of the targets.
        target: String,
    },
}

impl LdbcName {
    /// Of `dynamic/person_knows_person_0_0.csv.zst`, say; `None` if it is no such name.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        let name = name.split('.').next()?;
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let mut parts: Vec<&str> = name.split('_').collect();
        while parts.last().is_some_and(is_number) {
            parts.pop();
        }
        if parts.iter().any(|part| part.is_empty()) {
            return None;
        }
        match parts[..] {
            [kind] => Some(LdbcName::Nodes(label(kind))),
            [source, kind, target] => Some(LdbcName::Relationships {
                source: label(source),
                kind: kind.to_string(),
                target: label(target),
            }),
            _ => None,
        }
    }
}

/// `Person` of `person`, `TagClass` of `tagclass`.
fn label(kind: &str) -> String {
    if kind.eq_ignore_ascii_case("tagclass") {
        return "TagClass".to_string();
    }
    capitalised(kind)
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

/// `HAS_CREATOR` of `hasCreator`.
fn upper(kind: &str) -> String {
    let mut name = String::new();
    for character in kind.chars() {
        if character.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(character.to_uppercase());
    }
    name
}

/// The types of the benchmark's columns; all others are texts. Dates are
/// milliseconds since 1970 or texts of ISO 8601.
fn column_type(kind: &str, column: &str) -> ColumnType {
    match (kind, column) {
        (_, "id" | "length" | "classYear" | "workFrom") => ColumnType::Of(Scalar::Integer.into()),
        (_, "creationDate" | "joinDate") => ColumnType::Moment(Scalar::DateTime),
        (_, "birthday") => ColumnType::Moment(Scalar::Date),
        ("Person", "language" | "email") => ColumnType::Of(PropertyType {
            scalar: Scalar::Text,
            list: true,
        }),
        ("Organisation" | "Place", "type") => ColumnType::Label,
        _ => ColumnType::Of(Scalar::Text.into()),
    }
}

#[derive(Clone, Copy)]
enum ColumnType {
    Of(PropertyType),
    /// An integer if it is written as one, otherwise a date of this type.
    Moment(Scalar),
    /// A further label, written in small letters.
    Label,
}

enum Of {
    Nodes {
        labels: Vec<Arc<str>>,
        space: Arc<str>,
    },
    Relationships {
        kind: Arc<str>,
        source: Arc<str>,
        target: Arc<str>,
    },
}

/// Reads one file of the benchmark.
///
/// Labels are those of the benchmark's Cypher queries: posts and comments are
/// `Message`s, too, places and organisations have their `type` as a second label.
/// Nodes keep their `id` as a property. Each kind is an id space.
pub struct LdbcReader<R> {
    file: Arc<str>,
    records: Records<R>,
    of: Of,
    /// Of the columns behind the ids of relationships, all columns of nodes.
    columns: Vec<(Arc<str>, ColumnType)>,
    done: bool,
}

impl<R: BufRead> LdbcReader<R> {
    /// Reads the header and holds it against the name of the file.
    ///
    /// # Errors
    /// [`InterchangeError::Unreadable`] if name and header do not fit together;
    /// [`InterchangeError::Input`].
    pub fn new(
        file: &str,
        input: R,
        name: &LdbcName,
        naming: Naming,
    ) -> Result<Self, InterchangeError> {
        let dialect = Dialect::new(b'|', false);
        let file: Arc<str> = file.into();
        let mut records = Records::new(input, dialect);
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
                columns(name, &fields.map(|field| field.text).collect::<Vec<_>>())
            }
            Some(Outcome::Bad(problem) | Outcome::Broken(problem)) => Err(problem),
            None => Err(Problem::new("the file has no header")),
        };
        let columns =
            header.map_err(|problem| InterchangeError::Unreadable(problem.row(&file, 1)))?;
        Ok(LdbcReader {
            file,
            records,
            of: of(name, naming),
            columns,
            done: false,
        })
    }

    fn row(&self) -> Result<Row, Problem> {
        let ids = match self.of {
            Of::Nodes { .. } => 0,
            Of::Relationships { .. } => 2,
        };
        let (found, expected) = (self.records.field_count(), ids + self.columns.len());
        if found != expected {
            let problem = format!("{found} columns, the header has {expected}");
            return Err(Problem::new(problem));
        }
        let (mut labels, mut properties) = (Vec::new(), Vec::new());
        for (at, (name, kind)) in self.columns.iter().enumerate() {
            let Some(field) = self.records.field(ids + at) else {
                continue;
            };
            let at = |problem| Problem::at(name, problem);
            let found = match kind {
                ColumnType::Of(kind) => value(*kind, field, ';').map_err(at)?,
                ColumnType::Moment(kind) => moment(*kind, field.text).map_err(at)?,
                ColumnType::Label => {
                    labels.extend(
                        (!field.text.is_empty()).then(|| Arc::from(capitalised(field.text))),
                    );
                    None
                }
            };
            properties.extend(found.map(|value| (name.clone(), value)));
        }
        match &self.of {
            Of::Nodes {
                labels: known,
                space,
            } => Ok(Row::Node(NodeRow {
                id: Some(self.id(0, space)?),
                labels: known.iter().cloned().chain(labels).collect(),
                properties,
            })),
            Of::Relationships {
                kind,
                source,
                target,
            } => Ok(Row::Relationship(RelationshipRow {
                source: self.id(0, source)?,
                target: self.id(1, target)?,
                kind: kind.clone(),
                properties,
            })),
        }
    }

    fn id(&self, at: usize, space: &Arc<str>) -> Result<ExternalId, Problem> {
        let text = self.records.field(at).map_or("", |field| field.text);
        let id = integer_id(text).map_err(|problem| {
            let column = match self.of {
                Of::Nodes { .. } => "id".to_string(),
                Of::Relationships { .. } => format!("{space}.id"),
            };
            Problem::at(&column, problem)
        })?;
        let space = space.clone();
        Ok(ExternalId { space, id })
    }
}

fn moment(kind: Scalar, text: &str) -> Result<Option<Value>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    match Scalar::Integer.read(text) {
        Ok(milliseconds) => Ok(Some(milliseconds)),
        Err(_) => kind.read(text).map(Some),
    }
}

fn of(name: &LdbcName, naming: Naming) -> Of {
    match name {
        LdbcName::Nodes(kind) => {
            let is_message = kind == "Post" || kind == "Comment";
            let labels = [kind.as_str()]
                .into_iter()
                .chain(is_message.then_some("Message"));
            Of::Nodes {
                labels: labels.map(Arc::from).collect(),
                space: kind.as_str().into(),
            }
        }
        LdbcName::Relationships {
            source,
            kind,
            target,
        } => Of::Relationships {
            kind: match naming {
                Naming::Cypher => upper(kind).into(),
                Naming::File => kind.as_str().into(),
            },
            source: source.as_str().into(),
            target: target.as_str().into(),
        },
    }
}

/// The columns that are properties, if the header is one of the file's name.
fn columns(name: &LdbcName, fields: &[&str]) -> Result<Vec<(Arc<str>, ColumnType)>, Problem> {
    let (kind, properties) = match name {
        LdbcName::Nodes(kind) => match fields.first() {
            Some(&"id") => (kind.as_str(), fields),
            _ => return Err(not_of(fields, "id|...")),
        },
        LdbcName::Relationships { source, target, .. } => {
            let ends = [format!("{source}.id"), format!("{target}.id")];
            let are_ends = fields.len() >= 2
                && fields
                    .iter()
                    .zip(&ends)
                    .all(|(field, end)| field.eq_ignore_ascii_case(end));
            match are_ends {
                true => ("", &fields[2..]),
                false => return Err(not_of(fields, &ends.join("|"))),
            }
        }
    };
    let mut found: Vec<(Arc<str>, ColumnType)> = Vec::new();
    for &field in properties {
        if field.is_empty() || found.iter().any(|column| *column.0 == *field) {
            let problem = format!("the column {} is empty or comes twice", shown(field));
            return Err(Problem::new(problem));
        }
        found.push((field.into(), column_type(kind, field)));
    }
    Ok(found)
}

fn not_of(fields: &[&str], expected: &str) -> Problem {
    let found = shown(&fields.join("|"));
    let hint = "the name of the file says what it holds";
    Problem::new(format!(
        "the header is {found}, expected {expected}; {hint}"
    ))
}

impl<R: BufRead> Iterator for LdbcReader<R> {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let read = self.records.advance();
        let line = self.records.line();
        let row = match read {
            Err(source) => {
                self.done = true;
                let file = self.file.clone();
                return Some(Err(InterchangeError::Input { file, line, source }));
            }
            Ok(None) => return None,
            Ok(Some(Outcome::Record)) => self.row(),
            Ok(Some(Outcome::Bad(problem))) => Err(problem),
            Ok(Some(Outcome::Broken(problem))) => {
                self.done = true;
                let bad = problem.row(&self.file, line);
                return Some(Err(InterchangeError::Unreadable(bad)));
            }
        };
        Some(row.map_err(|problem| InterchangeError::BadRow(problem.row(&self.file, line))))
    }
}

impl<R: BufRead> RowReader for LdbcReader<R> {
    fn file(&self) -> &Arc<str> {
        &self.file
    }

    fn line(&self) -> u64 {
        self.records.line()
    }

    fn contents(&self) -> Contents {
        match self.of {
            Of::Nodes { .. } => Contents::Nodes,
            Of::Relationships { .. } => Contents::Relationships,
        }
    }
}
