//! Writing JSON lines. There is no row that cannot be written.

use std::io::Write;
use std::sync::Arc;

use evergraph_property_graph::Value;
use serde_json::{Map, Value as Json, json};

use crate::interchange::{ExternalId, Id, InterchangeError, Row};

use super::value::to_json;

/// Writes rows, a line each.
pub struct JsonLinesWriter<W> {
    output: W,
    relationships: u64,
}

impl<W: Write> JsonLinesWriter<W> {
    /// Nothing has to be known before the first row.
    pub fn new(output: W) -> Self {
        JsonLinesWriter {
            output,
            relationships: 0,
        }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&mut self, row: &Row) -> Result<(), InterchangeError> {
        let json = match row {
            Row::Node(node) => {
                let labels: Vec<&str> = node.labels.iter().map(|label| &**label).collect();
                let mut object = Map::from_iter([("type".to_string(), Json::from("node"))]);
                if let Some(id) = &node.id {
                    object.append(&mut end(id));
                }
                object.insert("labels".to_string(), Json::from(labels));
                object.insert("properties".to_string(), properties(&node.properties));
                Json::Object(object)
            }
            Row::Relationship(row) => {
                self.relationships += 1;
                json!({
                    "type": "relationship",
                    "id": (self.relationships - 1).to_string(),
                    "label": &*row.kind,
                    "properties": properties(&row.properties),
                    "start": end(&row.source),
                    "end": end(&row.target),
                })
            }
        };
        writeln!(self.output, "{json}")?;
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

fn end(id: &ExternalId) -> Map<String, Json> {
    let json = match &id.id {
        Id::Integer(number) => Json::from(*number),
        Id::Text(text) => Json::from(&**text),
    };
    let mut object = Map::from_iter([("id".to_string(), json)]);
    if !id.space.is_empty() {
        object.insert("space".to_string(), Json::from(&*id.space));
    }
    object
}

fn properties(properties: &[(Arc<str>, Value)]) -> Json {
    let properties = properties
        .iter()
        .map(|(name, value)| (name.to_string(), to_json(value)));
    Json::Object(properties.collect())
}
