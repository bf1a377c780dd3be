//! Reading JSON lines.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use evergraph_property_graph::Value;
use serde_json::{Map, Value as Json};

use crate::interchange::error::Problem;
use crate::interchange::{
    Contents, ExternalId, Id, InterchangeError, NodeRow, RelationshipRow, Row, RowReader,
};

use super::strict;
use super::value::from_json;

/// Most bytes of a line.
const MOST_BYTES: usize = 64 << 20;

/// Reads nodes and relationships, in any order.
pub struct JsonLinesReader<R> {
    file: Arc<str>,
    input: R,
    line: u64,
    raw: Vec<u8>,
    /// Of relationships that have none.
    kind: Option<Arc<str>>,
    done: bool,
}

impl<R: BufRead> JsonLinesReader<R> {
    /// `file` is what messages call the input.
    pub fn new(file: &str, input: R) -> Self {
        JsonLinesReader {
            file: file.into(),
            input,
            line: 0,
            raw: Vec::new(),
            kind: None,
            done: false,
        }
    }

    /// Relationships that have no type have this one.
    pub fn with_type(mut self, kind: Option<Arc<str>>) -> Self {
        self.kind = kind;
        self
    }

    /// The next line that is not empty; `false` at the end.
    fn advance(&mut self) -> io::Result<bool> {
        loop {
            self.raw.clear();
            let most = MOST_BYTES as u64 + 1;
            let read = (&mut self.input)
                .take(most)
                .read_until(b'\n', &mut self.raw)?;
            if read == 0 {
                return Ok(false);
            }
            self.line += 1;
            if self.line == 1 && self.raw.starts_with(b"\xef\xbb\xbf") {
                self.raw.drain(..3);
            }
            if !self.raw.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }
}

fn row(line: &[u8], kind: Option<&Arc<str>>) -> Result<Row, Problem> {
    let json = strict::parse(line).map_err(|error| {
        // Its own place is within the line.
        Problem::new(format!(
            "no JSON at column {}: {}",
            error.column(),
            reason(&error)
        ))
    })?;
    let Json::Object(object) = json else {
        return Err(Problem::new("the line is no JSON object"));
    };
    if object.contains_key("from") && object.contains_key("to") {
        return relationship(in_full(object)?, kind).map(Row::Relationship);
    }
    match object.get("type").and_then(Json::as_str) {
        Some("node") => return node(object).map(Row::Node),
        Some("relationship") => return relationship(object, kind).map(Row::Relationship),
        _ => {}
    }
    if object.contains_key("label") && !object.contains_key("type") {
        return node(in_full(object)?).map(Row::Node);
    }
    Err(Problem::at("type", "neither \"node\" nor \"relationship\""))
}

/// The short form that people write by hand, in the names of the long one:
/// `{"id", "label", "props"}`, and `{"from", "type", "to", "props"}`.
fn in_full(object: Map<String, Json>) -> Result<Map<String, Json>, Problem> {
    let is_relationship = object.contains_key("from");
    let mut full = Map::new();
    for (name, value) in object {
        let end = |value| Json::Object(Map::from_iter([("id".to_string(), value)]));
        let (long, value) = match name.as_str() {
            "from" => ("start", end(value)),
            "to" => ("end", end(value)),
            "type" if is_relationship => ("label", value),
            "label" if !is_relationship => ("labels", Json::Array(vec![value])),
            "props" => ("properties", value),
            "id" | "space" | "labels" | "properties" => (name.as_str(), value),
            _ => return Err(unknown(&name)),
        };
        if full.insert(long.to_string(), value).is_some() {
            return Err(Problem::at(&name, "it is there in the long form, too"));
        }
    }
    Ok(full)
}

fn unknown(name: &str) -> Problem {
    Problem::at(
        name,
        "rows have no such member; properties are in \"properties\" or \"props\"",
    )
}

/// Refuses members of a row that no one has read: nothing in a file is dropped silently.
fn finish(object: &Map<String, Json>, passed: &[&str]) -> Result<(), Problem> {
    let mut left = object
        .keys()
        .filter(|name| !passed.contains(&name.as_str()));
    left.next().map_or(Ok(()), |name| Err(unknown(name)))
}

/// Without the place, which serde_json appends.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_string()
}

fn node(mut object: Map<String, Json>) -> Result<NodeRow, Problem> {
    let id = match object.contains_key("id") {
        true => Some(id("id", &mut object)?),
        false => None,
    };
    let mut labels: Vec<Arc<str>> = Vec::new();
    let found = match object.remove("labels") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(labels)) => labels,
        Some(_) => return Err(Problem::at("labels", "no list")),
    };
    for label in found {
        match label.as_str() {
            Some(label) if !label.is_empty() => {
                if labels.iter().all(|known| **known != *label) {
                    labels.push(label.into());
                }
            }
            _ => return Err(Problem::at("labels", "a label is a text that is not empty")),
        }
    }
    let properties = properties(object.remove("properties"))?;
    finish(&object, &["type"])?;
    Ok(NodeRow {
        id,
        labels,
        properties,
    })
}

fn relationship(
    mut object: Map<String, Json>,
    kind: Option<&Arc<str>>,
) -> Result<RelationshipRow, Problem> {
    let kind = match (object.remove("label"), kind) {
        (Some(Json::String(kind)), _) if !kind.is_empty() => Arc::from(kind),
        (None | Some(Json::Null), Some(kind)) => kind.clone(),
        _ => {
            return Err(Problem::at(
                "label",
                "no text that names the relationship's type",
            ));
        }
    };
    let mut end = |name| match object.remove(name) {
        Some(Json::Object(mut end)) => id(name, &mut end),
        _ => Err(Problem::at(name, "no object with an id")),
    };
    let (source, target) = (end("start")?, end("end")?);
    let properties = properties(object.remove("properties"))?;
    // Its own id names nothing, and what its ends are is said where they are.
    finish(&object, &["type", "id"])?;
    Ok(RelationshipRow {
        source,
        target,
        kind,
        properties,
    })
}

fn id(column: &str, object: &mut Map<String, Json>) -> Result<ExternalId, Problem> {
    let id = match object.remove("id") {
        Some(Json::String(text)) if !text.is_empty() => Id::Text(text.into()),
        Some(Json::Number(number)) if number.is_i64() => {
            Id::Integer(number.as_i64().unwrap_or_default())
        }
        _ => {
            let problem = "an id is a text that is not empty or a 64-bit integer";
            return Err(Problem::at(column, problem));
        }
    };
    let space = match object.remove("space") {
        None => Arc::from(""),
        Some(Json::String(space)) => space.into(),
        Some(_) => return Err(Problem::at(column, "the id space is no text")),
    };
    Ok(ExternalId { space, id })
}

fn properties(json: Option<Json>) -> Result<Vec<(Arc<str>, Value)>, Problem> {
    let object = match json {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(Json::Object(object)) => object,
        Some(_) => return Err(Problem::at("properties", "no object")),
    };
    let mut properties = Vec::with_capacity(object.len());
    for (name, json) in object {
        if name.is_empty() {
            return Err(Problem::new("a property without a name"));
        }
        let value = from_json(json).map_err(|problem| Problem::at(&name, problem))?;
        if !value.is_null() {
            properties.push((name.into(), value));
        }
    }
    Ok(properties)
}

impl<R: BufRead> Iterator for JsonLinesReader<R> {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.advance() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(source) => {
                self.done = true;
                let (file, line) = (self.file.clone(), self.line);
                return Some(Err(InterchangeError::Input { file, line, source }));
            }
        }
        if self.raw.len() > MOST_BYTES {
            self.done = true;
            let problem = Problem::new(format!("more than {} MiB in one line", MOST_BYTES >> 20));
            let bad = problem.row(&self.file, self.line);
            return Some(Err(InterchangeError::Unreadable(bad)));
        }
        let bad = |problem: Problem| InterchangeError::BadRow(problem.row(&self.file, self.line));
        Some(row(self.raw.trim_ascii_end(), self.kind.as_ref()).map_err(bad))
    }
}

impl<R: BufRead> RowReader for JsonLinesReader<R> {
    fn file(&self) -> &Arc<str> {
        &self.file
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn contents(&self) -> Contents {
        Contents::Both
    }
}
