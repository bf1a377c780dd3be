//! Writing CSV with Neo4j's header, and what is common to all columns.

use std::io::Write;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::types::text_of;
use crate::interchange::{
    Columns, ExternalId, Id, Ids, InterchangeError, NodeRow, PropertyType, RelationshipRow, Row,
};

const NEO4J: &str = "CSV with Neo4j's header";

/// Nodes or relationships, with the id spaces of their ids.
pub(super) enum Contents {
    Nodes(Arc<str>),
    Relationships(Arc<str>, Arc<str>),
}

impl Contents {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Contents::Nodes(_) => "nodes",
            Contents::Relationships(..) => "relationships",
        }
    }
}

/// Writes nodes or relationships of one list of columns, so that
/// [`super::Neo4jReader`] and Neo4j's import read the same rows again.
pub struct Neo4jWriter<W> {
    output: W,
    contents: Contents,
    columns: Vec<(Arc<str>, PropertyType)>,
    ids: Ids,
}

impl<W: Write> Neo4jWriter<W> {
    /// A file of nodes of one id space, with its header.
    ///
    /// # Errors
    /// If a name has no place in a header; errors of the writer.
    pub fn nodes(
        output: W,
        space: &str,
        ids: Ids,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        Self::new(output, Contents::Nodes(space.into()), ids, columns)
    }

    /// A file of relationships from one id space to another, with its header.
    ///
    /// # Errors
    /// As of [`Neo4jWriter::nodes`].
    pub fn relationships(
        output: W,
        source: &str,
        target: &str,
        ids: Ids,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        let contents = Contents::Relationships(source.into(), target.into());
        Self::new(output, contents, ids, columns)
    }

    fn new(
        mut output: W,
        contents: Contents,
        ids: Ids,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        let columns = columns.to_vec();
        let mut header = match &contents {
            Contents::Nodes(space) => vec![id_header("ID", space, ids)?],
            Contents::Relationships(source, target) => {
                vec![
                    id_header("START_ID", source, ids)?,
                    id_header("END_ID", target, ids)?,
                ]
            }
        };
        for (name, kind) in &columns {
            if name.is_empty() || name.trim() != &**name || name.contains(['{', '}']) {
                let problem = "a name is not empty, has no space around it and no braces";
                return Err(InterchangeError::unwritable(NEO4J, &**name, problem));
            }
            header.push(quoted(&format!("{name}:{kind}")));
        }
        header.push(match contents {
            Contents::Nodes(_) => ":LABEL".to_string(),
            Contents::Relationships(..) => ":TYPE".to_string(),
        });
        writeln!(output, "{}", header.join(","))?;
        Ok(Neo4jWriter {
            output,
            contents,
            columns,
            ids,
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`InterchangeError::Unwritable`] if it does not belong into the file; then
    /// nothing was written of it. What the writer says.
    pub fn write(&mut self, row: &Row) -> Result<(), InterchangeError> {
        let (mut fields, properties, last) = match (&self.contents, row) {
            (Contents::Nodes(space), Row::Node(node)) => {
                let id = match &node.id {
                    Some(id) => self.id(id, space)?,
                    None => String::new(),
                };
                (vec![id], &node.properties, quoted(&labels(node)?))
            }
            (Contents::Relationships(source, target), Row::Relationship(row)) => {
                let ends = vec![self.id(&row.source, source)?, self.id(&row.target, target)?];
                (ends, &row.properties, quoted(kind(row)?))
            }
            (contents, _) => {
                let problem = format!("the file holds {}", contents.name());
                return Err(InterchangeError::unwritable(NEO4J, "the row", problem));
            }
        };
        let values = fields_of(NEO4J, &self.columns, properties)?;
        for ((name, _), value) in self.columns.iter().zip(values) {
            fields.push(match value {
                None => String::new(),
                Some(Value::List(elements)) => quoted(&list(NEO4J, name, elements)?),
                Some(value) => quoted(&text_of(value).unwrap_or_default()),
            });
        }
        fields.push(last);
        writeln!(self.output, "{}", fields.join(","))?;
        Ok(())
    }

    /// Flushes, and gives the writer back.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> Result<W, InterchangeError> {
        self.output.flush()?;
        Ok(self.output)
    }

    fn id(&self, id: &ExternalId, space: &Arc<str>) -> Result<String, InterchangeError> {
        let problem = match (&id.id, self.ids) {
            _ if id.space != *space => "another id space than the file's",
            (Id::Integer(number), Ids::Integers) => return Ok(number.to_string()),
            (Id::Text(text), Ids::Texts) if !text.is_empty() => return Ok(quoted(text)),
            (Id::Text(_), Ids::Texts) => "an empty id",
            _ => "ids of a file are either integers or texts",
        };
        Err(InterchangeError::unwritable(
            NEO4J,
            format!("id {id}"),
            problem,
        ))
    }
}

/// `:ID(Person){id-type:long}`
fn id_header(keyword: &str, space: &str, ids: Ids) -> Result<String, InterchangeError> {
    if space.trim() != space || space.contains(['(', ')', ':', '{', '}']) {
        let problem = "an id space has no space around it, no colon, parentheses and braces";
        return Err(InterchangeError::unwritable(
            NEO4J,
            format!("id space {space:?}"),
            problem,
        ));
    }
    let space = match space {
        "" => String::new(),
        space => format!("({space})"),
    };
    let option = match ids {
        Ids::Integers => "{id-type:long}",
        Ids::Texts => "",
    };
    Ok(quoted(&format!(":{keyword}{space}{option}")))
}

/// A field that reads as this text: quoted where it has to be, and if it is empty.
fn quoted(text: &str) -> String {
    if !text.is_empty() && !text.contains(['"', ',', '\n', '\r']) {
        return text.to_string();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn labels(node: &NodeRow) -> Result<String, InterchangeError> {
    for label in &node.labels {
        if label.is_empty() || label.trim() != &**label || label.contains(';') {
            let problem = "a label is not empty, has no space around it and no semicolon";
            return Err(InterchangeError::unwritable(
                NEO4J,
                format!("label {label:?}"),
                problem,
            ));
        }
    }
    Ok(node.labels.join(";"))
}

fn kind(row: &RelationshipRow) -> Result<&str, InterchangeError> {
    if row.kind.is_empty() || row.kind.trim() != &*row.kind {
        let problem = "a type is not empty and has no space around it";
        return Err(InterchangeError::unwritable(
            NEO4J,
            format!("type {:?}", row.kind),
            problem,
        ));
    }
    Ok(&row.kind)
}

/// The value of each column; an error for values that no column takes.
pub(crate) fn fields_of<'a>(
    format: &'static str,
    columns: &[(Arc<str>, PropertyType)],
    properties: &'a [(Arc<str>, Value)],
) -> Result<Vec<Option<&'a Value>>, InterchangeError> {
    let mut values = vec![None; columns.len()];
    for (name, value) in properties.iter().filter(|property| !property.1.is_null()) {
        let at = columns.iter().position(|column| column.0 == *name);
        let fits = at.is_some_and(|at| is_of(value, columns[at].1));
        match at {
            Some(at) if fits && values[at].is_none() => values[at] = Some(value),
            _ => {
                let problem = "no column of this name and type was announced";
                return Err(InterchangeError::unwritable(format, &**name, problem));
            }
        }
    }
    Ok(values)
}

fn is_of(value: &Value, kind: PropertyType) -> bool {
    let is_scalar = |value: &Value| crate::interchange::Scalar::of(value) == Some(kind.scalar);
    match value {
        Value::List(elements) => kind.list && elements.iter().all(is_scalar),
        value => !kind.list && is_scalar(value),
    }
}

/// Elements with semicolons between.
pub(super) fn list(
    format: &'static str,
    name: &str,
    elements: &[Value],
) -> Result<String, InterchangeError> {
    let texts: Vec<Arc<str>> = elements.iter().filter_map(text_of).collect();
    let alone = texts.len() == 1 && texts[0].is_empty();
    if alone || texts.iter().any(|text| text.contains(';')) {
        let problem = "a list with a semicolon in an element, or with an empty text alone";
        return Err(InterchangeError::unwritable(format, name, problem));
    }
    Ok(texts.join(";"))
}
