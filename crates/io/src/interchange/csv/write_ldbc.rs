//! Writing CSV with LDBC's header.

use std::io::Write;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::types::text_of;
use crate::interchange::{Columns, ExternalId, Id, InterchangeError, NodeRow, PropertyType, Row};

use super::write::{Contents, fields_of, list};

const LDBC: &str = "CSV with LDBC's header";

/// Writes nodes or relationships as the benchmark's files: what the file name says,
/// labels and types, is not written; nor are the types of the columns.
pub struct LdbcWriter<W> {
    output: W,
    contents: Contents,
    columns: Vec<(Arc<str>, PropertyType)>,
}

impl<W: Write> LdbcWriter<W> {
    /// A file of nodes of a kind (`Person`), with its header. The column `id` is the
    /// node's id.
    ///
    /// # Errors
    /// If a name has no place in a header; errors of the writer.
    pub fn nodes(output: W, kind: &str, columns: &Columns) -> Result<Self, InterchangeError> {
        Self::new(output, Contents::Nodes(kind.into()), columns)
    }

    /// A file of relationships between two kinds, with its header.
    ///
    /// # Errors
    /// As of [`LdbcWriter::nodes`].
    pub fn relationships(
        output: W,
        source: &str,
        target: &str,
        columns: &Columns,
    ) -> Result<Self, InterchangeError> {
        Self::new(
            output,
            Contents::Relationships(source.into(), target.into()),
            columns,
        )
    }

    fn new(mut output: W, contents: Contents, columns: &Columns) -> Result<Self, InterchangeError> {
        let is_nodes = matches!(contents, Contents::Nodes(_));
        let mut columns = columns.to_vec();
        columns.retain(|column| !(is_nodes && &*column.0 == "id"));
        let mut header = match &contents {
            Contents::Nodes(_) => vec!["id".to_string()],
            Contents::Relationships(source, target) => {
                vec![format!("{source}.id"), format!("{target}.id")]
            }
        };
        header.extend(columns.iter().map(|column| column.0.to_string()));
        for name in &header {
            plain("a column", name)?;
        }
        writeln!(output, "{}", header.join("|"))?;
        Ok(LdbcWriter {
            output,
            contents,
            columns,
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`InterchangeError::Unwritable`] if it does not belong into the file; then
    /// nothing was written of it. What the writer says.
    pub fn write(&mut self, row: &Row) -> Result<(), InterchangeError> {
        let (mut fields, properties) = match (&self.contents, row) {
            (Contents::Nodes(kind), Row::Node(node)) => node_fields(node, kind)?,
            (Contents::Relationships(source, target), Row::Relationship(row)) => {
                let ends = vec![ldbc_id(&row.source, source)?, ldbc_id(&row.target, target)?];
                (ends, row.properties.clone())
            }
            (contents, _) => {
                let problem = format!("the file holds {}", contents.name());
                return Err(InterchangeError::unwritable(LDBC, "the row", problem));
            }
        };
        let values = fields_of(LDBC, &self.columns, &properties)?;
        for ((name, _), value) in self.columns.iter().zip(values) {
            let text = match value {
                None => {
                    fields.push(String::new());
                    continue;
                }
                Some(Value::List(elements)) => list(LDBC, name, elements)?,
                Some(value) => text_of(value).unwrap_or_default().to_string(),
            };
            plain(name, &text)?;
            fields.push(text);
        }
        writeln!(self.output, "{}", fields.join("|"))?;
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
}

type Fields = (Vec<String>, Vec<(Arc<str>, Value)>);

/// The id, and the properties without the one that says the same.
fn node_fields(node: &NodeRow, kind: &Arc<str>) -> Result<Fields, InterchangeError> {
    let Some(id) = &node.id else {
        let problem = "every node has an id";
        return Err(InterchangeError::unwritable(LDBC, "the node", problem));
    };
    let text = ldbc_id(id, kind)?;
    let is_id = |property: &&(Arc<str>, Value)| &*property.0 == "id";
    let said = node
        .properties
        .iter()
        .find(is_id)
        .and_then(|id| id.1.as_integer());
    if said.is_some_and(|said| said.to_string() != text) {
        let problem = "a property of this name that is not the node's id";
        return Err(InterchangeError::unwritable(LDBC, "id", problem));
    }
    let others = node.properties.iter().filter(|property| !is_id(property));
    Ok((vec![text], others.cloned().collect()))
}

fn ldbc_id(id: &ExternalId, space: &Arc<str>) -> Result<String, InterchangeError> {
    match &id.id {
        Id::Integer(number) if id.space == *space => Ok(number.to_string()),
        _ => {
            let problem = format!("ids are integers of the kind {space}");
            Err(InterchangeError::unwritable(
                LDBC,
                format!("id {id}"),
                problem,
            ))
        }
    }
}

/// Nothing can be quoted.
fn plain(name: &str, text: &str) -> Result<(), InterchangeError> {
    if text.is_empty() || text.contains(['|', '\n', '\r']) {
        let problem = "an empty text, a bar or a line end";
        return Err(InterchangeError::unwritable(LDBC, name, problem));
    }
    Ok(())
}
