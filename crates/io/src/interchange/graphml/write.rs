//! Writing GraphML.

use std::io::Write;
use std::sync::Arc;

use evergraph_property_graph::Value;
use serde_json::Value as Json;

use crate::interchange::types::text_of;
use crate::interchange::{Columns, ExternalId, Id, InterchangeError, PropertyType, Row, Scalar};

use super::TYPE_ATTRIBUTE;

const FORMAT: &str = "GraphML";

/// The columns of one kind of elements; their keys are `{prefix}{number}`.
struct Keys {
    prefix: char,
    columns: Vec<(Arc<str>, PropertyType)>,
}

/// Writes nodes and relationships, so that [`super::GraphMlReader`] reads the same
/// rows again (ids as texts, unless it is told that they are integers).
pub struct GraphMlWriter<W> {
    output: W,
    nodes: Keys,
    relationships: Keys,
}

impl<W: Write> GraphMlWriter<W> {
    /// Writes the keys of all properties, a key for each type ([`Columns::mixed`]).
    ///
    /// # Errors
    /// If a name has characters that XML has not; errors of the writer.
    pub fn new(
        mut output: W,
        nodes: &Columns,
        relationships: &Columns,
    ) -> Result<Self, InterchangeError> {
        let keys = |prefix, columns: &Columns| Keys {
            prefix,
            columns: columns.to_vec(),
        };
        let (nodes, relationships) = (keys('n', nodes), keys('r', relationships));
        writeln!(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(
            output,
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
             xmlns:eg=\"urn:evergraph:graphml\">"
        )?;
        for (keys, domain) in [(&nodes, "node"), (&relationships, "edge")] {
            for (i, (name, kind)) in keys.columns.iter().enumerate() {
                let (prefix, name) = (keys.prefix, escaped(name, name)?);
                let types = types(*kind);
                writeln!(
                    output,
                    "<key id=\"{prefix}{i}\" for=\"{domain}\" attr.name=\"{name}\"{types}/>"
                )?;
            }
        }
        writeln!(output, "<graph id=\"G\" edgedefault=\"directed\">")?;
        Ok(GraphMlWriter {
            output,
            nodes,
            relationships,
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`InterchangeError::Unwritable`] if it has what GraphML has not; then nothing
    /// was written of it. What the writer says.
    pub fn write(&mut self, row: &Row) -> Result<(), InterchangeError> {
        let element = match row {
            Row::Node(node) => {
                let Some(id) = &node.id else {
                    let problem = "every node has an id";
                    return Err(InterchangeError::unwritable(FORMAT, "the node", problem));
                };
                let labels = labels(&node.labels)?;
                let data = self.nodes.data(&node.properties)?;
                format!("<node id=\"{}\"{labels}>{data}</node>", attribute(id)?)
            }
            Row::Relationship(row) => {
                let (source, target) = (attribute(&row.source)?, attribute(&row.target)?);
                let data = self.relationships.data(&row.properties)?;
                if row.kind.is_empty() || row.kind.trim() != &*row.kind {
                    let problem = "a type is not empty and has no space around it";
                    let what = format!("type {:?}", row.kind);
                    return Err(InterchangeError::unwritable(FORMAT, what, problem));
                }
                let kind = escaped("a type", &row.kind)?;
                format!(
                    "<edge source=\"{source}\" target=\"{target}\" label=\"{kind}\">{data}</edge>"
                )
            }
        };
        writeln!(self.output, "{element}")?;
        Ok(())
    }

    /// Writes the end, flushes, and gives the writer back. Without it the file is not
    /// whole.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> Result<W, InterchangeError> {
        writeln!(self.output, "</graph>\n</graphml>")?;
        self.output.flush()?;
        Ok(self.output)
    }
}

impl Keys {
    fn data(&self, properties: &[(Arc<str>, Value)]) -> Result<String, InterchangeError> {
        let mut data = String::new();
        for (name, value) in properties.iter().filter(|property| !property.1.is_null()) {
            let mut columns = self.columns.iter().enumerate();
            let found = columns.find_map(|(at, (known, kind))| match known == name {
                true => Some((at, text(value, *kind)?)),
                false => None,
            });
            let Some((at, text)) = found else {
                let problem = "no property of this name and type was announced";
                return Err(InterchangeError::unwritable(FORMAT, &**name, problem));
            };
            let (prefix, text) = (self.prefix, escaped(name, &text)?);
            data.push_str(&format!("<data key=\"{prefix}{at}\">{text}</data>"));
        }
        Ok(data)
    }
}

/// The text of a value, if it is of this type.
fn text(value: &Value, kind: PropertyType) -> Option<Arc<str>> {
    match value {
        Value::List(elements) if kind.list => {
            let elements: Option<Vec<Json>> = elements
                .iter()
                .map(|element| list_element(element, kind.scalar))
                .collect();
            Some(Json::Array(elements?).to_string().into())
        }
        value if !kind.list && Scalar::of(value) == Some(kind.scalar) => text_of(value),
        _ => None,
    }
}

fn list_element(value: &Value, scalar: Scalar) -> Option<Json> {
    if Scalar::of(value) != Some(scalar) {
        return None;
    }
    Some(match value {
        Value::Boolean(value) => Json::from(*value),
        Value::Integer(number) => Json::from(*number),
        value => Json::from(&*text_of(value)?),
    })
}

/// The attributes of a key that say its type.
fn types(kind: PropertyType) -> String {
    let standard = match kind.scalar {
        Scalar::Boolean | Scalar::Integer | Scalar::Float | Scalar::Text => kind.scalar.name(),
        _ => "string",
    };
    let beyond = match standard == kind.scalar.name() {
        true => String::new(),
        false => format!(" {TYPE_ATTRIBUTE}=\"{}\"", kind.scalar.name()),
    };
    match kind.list {
        true => format!(" attr.type=\"string\" attr.list=\"{standard}\"{beyond}"),
        false => format!(" attr.type=\"{standard}\"{beyond}"),
    }
}

fn attribute(id: &ExternalId) -> Result<String, InterchangeError> {
    let what = format!("id {id}");
    let problem = match &id.id {
        _ if !id.space.is_empty() => "there are no id spaces",
        Id::Text(text) if text.is_empty() => "an empty id",
        Id::Text(text) => return escaped(&what, text),
        Id::Integer(number) => return Ok(number.to_string()),
    };
    Err(InterchangeError::unwritable(FORMAT, what, problem))
}

fn labels(labels: &[Arc<str>]) -> Result<String, InterchangeError> {
    if labels.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::new();
    for label in labels {
        if label.is_empty() || label.trim() != &**label || label.contains(':') {
            let problem = "a label is not empty, has no space around it and no colon";
            return Err(InterchangeError::unwritable(
                FORMAT,
                format!("label {label:?}"),
                problem,
            ));
        }
        text.push(':');
        text.push_str(&escaped("a label", label)?);
    }
    Ok(format!(" labels=\"{text}\""))
}

/// A text within a tag or between tags. What a parser would normalize is written as
/// a reference to the character; some characters XML does not have at all.
fn escaped(what: &str, text: &str) -> Result<String, InterchangeError> {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(character))),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => {
                let problem = format!("XML has no character U+{:04X}", u32::from(character));
                return Err(InterchangeError::unwritable(FORMAT, what, problem));
            }
            other => escaped.push(other),
        }
    }
    Ok(escaped)
}
