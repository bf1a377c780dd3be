//! Reading GraphML, element by element.

use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;
use quick_xml::events::Event;

use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{
    Contents, ExternalId, Ids, InterchangeError, NodeRow, RelationshipRow, Row, RowReader,
};

use super::element::{Attributes, Element, Inside, Stop, parts, predefined};
use super::keys::{Key, Keys};
use super::lines::Lines;

/// Options for what the file does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphMlOptions {
    /// Syntax of ids; texts, unless something else is known.
    pub ids: Ids,
    /// Of all nodes, besides those that the file names.
    pub labels: Vec<Arc<str>>,
    /// Of edges that have none.
    pub kind: Option<Arc<str>>,
}

impl Default for GraphMlOptions {
    fn default() -> Self {
        GraphMlOptions {
            ids: Ids::Texts,
            labels: Vec::new(),
            kind: None,
        }
    }
}

/// Reads nodes and edges in the order of the file.
pub struct GraphMlReader<R> {
    file: Arc<str>,
    xml: quick_xml::Reader<Lines<R>>,
    buffer: Vec<u8>,
    options: GraphMlOptions,
    keys: Keys,
    /// Names of the open elements.
    open: Vec<String>,
    seen_root: bool,
    is_undirected: bool,
    line: u64,
    done: bool,
}

impl<R: BufRead> GraphMlReader<R> {
    /// `file` is what messages call the input.
    pub fn new(file: &str, input: R, options: GraphMlOptions) -> Self {
        GraphMlReader {
            file: file.into(),
            xml: quick_xml::Reader::from_reader(Lines::new(input)),
            buffer: Vec::new(),
            options,
            keys: Keys::new(),
            open: Vec::new(),
            seen_root: false,
            is_undirected: false,
            line: 0,
            done: false,
        }
    }

    /// Whether the graph said, before the last row, that its edges are undirected.
    pub fn is_undirected(&self) -> bool {
        self.is_undirected
    }

    /// The next node or edge; keys on the way are remembered.
    fn advance(&mut self) -> Result<Option<Element>, Stop> {
        loop {
            self.buffer.clear();
            let line = self.xml.get_ref().line();
            let (start, is_empty) = match self.xml.read_event_into(&mut self.buffer)? {
                Event::Start(start) => (start, false),
                Event::Empty(start) => (start, true),
                Event::End(_) => {
                    self.open.pop();
                    continue;
                }
                Event::Eof => return self.end(),
                _ => continue,
            };
            let (name, attributes) = parts(&start)?;
            self.line = line;
            match (self.open.last().map(String::as_str), name.as_str()) {
                (None, "graphml") => self.seen_root = true,
                (None, _) => {
                    let problem = format!("the file is no GraphML, it begins with <{name}>");
                    return Err(Stop::Unreadable(Problem::new(problem)));
                }
                (Some("graphml"), "graph") => {
                    let default = attributes.get("edgedefault");
                    self.is_undirected = default.is_some_and(|default| default == "undirected");
                }
                (Some("graphml"), "key") => {
                    self.key(attributes, is_empty)?;
                    continue;
                }
                (Some("graph"), "node" | "edge" | "hyperedge") => {
                    return self.element(name, attributes, is_empty).map(Some);
                }
                _ => {}
            }
            if !is_empty {
                self.open.push(name);
            }
        }
    }

    fn end(&self) -> Result<Option<Element>, Stop> {
        match (self.open.last(), self.seen_root) {
            (Some(name), _) => {
                let problem = format!("the file ends inside of <{name}>");
                Err(Stop::Unreadable(Problem::new(problem)))
            }
            (None, false) => Err(Stop::Unreadable(Problem::new("the file is no GraphML"))),
            (None, true) => Ok(None),
        }
    }

    fn key(&mut self, mut attributes: Attributes, is_empty: bool) -> Result<(), Stop> {
        let id = attributes.remove("id").unwrap_or_default();
        let mut key = Key::new(&attributes, &id).map_err(Stop::Unreadable)?;
        if !is_empty {
            let inside = self.inside("key", "default")?;
            if let Some((_, text)) = inside.data.first() {
                key.default = Some(key.read(text).map_err(Stop::Unreadable)?);
            }
        }
        match self.keys.insert(id.clone(), key) {
            None => Ok(()),
            Some(_) => {
                let problem = format!("two keys have the id {}", shown(&id));
                Err(Stop::Unreadable(Problem::new(problem)))
            }
        }
    }

    fn element(
        &mut self,
        name: String,
        attributes: Attributes,
        is_empty: bool,
    ) -> Result<Element, Stop> {
        let inside = match is_empty {
            true => Inside::default(),
            false => self.inside(&name, "data")?,
        };
        Ok(Element {
            name,
            attributes,
            data: inside.data,
            strange: inside.strange,
        })
    }

    /// Everything up to the end of the element at hand: the texts of its children
    /// called `wanted`, with their keys.
    fn inside(&mut self, name: &str, wanted: &str) -> Result<Inside, Stop> {
        let mut inside = Inside::default();
        // Names of the open elements within this one.
        let mut open: Vec<String> = Vec::new();
        loop {
            self.buffer.clear();
            match self.xml.read_event_into(&mut self.buffer)? {
                Event::Start(start) => {
                    let (child, attributes) = parts(&start)?;
                    inside.begin(&open, &child, wanted, attributes);
                    open.push(child);
                }
                Event::Empty(start) => {
                    let (child, attributes) = parts(&start)?;
                    inside.begin(&open, &child, wanted, attributes);
                }
                Event::End(_) => match open.pop() {
                    Some(_) => {}
                    None => return Ok(inside),
                },
                Event::Text(text) => inside.text(&open, wanted, &text.xml10_content()),
                Event::CData(text) => inside.text(&open, wanted, &text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let character = match reference.resolve_char_ref()? {
                        Some(character) => character,
                        None => predefined(&reference.xml10_content()).map_err(Stop::Unreadable)?,
                    };
                    inside.text(&open, wanted, character.encode_utf8(&mut [0; 4]));
                }
                Event::Eof => {
                    let problem = format!("the file ends inside of <{name}>");
                    return Err(Stop::Unreadable(Problem::new(problem)));
                }
                _ => {}
            }
        }
    }

    fn row(&self, element: Element) -> Result<Row, Problem> {
        if let Some(strange) = element.strange {
            let problem = format!("<{strange}> in <{}> is not supported", element.name);
            return Err(Problem::new(problem));
        }
        match element.name.as_str() {
            "node" => self.node(element).map(Row::Node),
            "edge" => self.edge(element).map(Row::Relationship),
            other => Err(Problem::new(format!("<{other}> is not supported"))),
        }
    }

    fn node(&self, element: Element) -> Result<NodeRow, Problem> {
        let id = self.id("id", &element.attributes)?;
        let mut labels = self.options.labels.clone();
        let in_data = element
            .data
            .iter()
            .filter(|data| is_labels(&data.0))
            .map(|data| &data.1);
        for text in element.attributes.get("labels").into_iter().chain(in_data) {
            for label in text
                .split(':')
                .map(str::trim)
                .filter(|label| !label.is_empty())
            {
                if labels.iter().all(|known| **known != *label) {
                    labels.push(label.into());
                }
            }
        }
        let data = element.data.iter().filter(|data| !is_labels(&data.0));
        Ok(NodeRow {
            id: Some(id),
            labels,
            properties: self.properties(data, |key| key.of_nodes, is_labels)?,
        })
    }

    fn edge(&self, element: Element) -> Result<RelationshipRow, Problem> {
        let in_data = element
            .data
            .iter()
            .find(|data| is_kind(&data.0))
            .map(|data| &data.1);
        let kind = element
            .attributes
            .get("label")
            .or(in_data)
            .map(|kind| kind.trim());
        let kind = match kind.filter(|kind| !kind.is_empty()) {
            Some(kind) => Arc::from(kind),
            None => self.options.kind.clone().ok_or_else(|| {
                Problem::at(
                    "label",
                    "the edge has no type, and none is given for such edges (--type T)",
                )
            })?,
        };
        let data = element.data.iter().filter(|data| !is_kind(&data.0));
        Ok(RelationshipRow {
            source: self.id("source", &element.attributes)?,
            target: self.id("target", &element.attributes)?,
            kind,
            properties: self.properties(data, |key| key.of_edges, is_kind)?,
        })
    }

    fn id(&self, name: &str, attributes: &Attributes) -> Result<ExternalId, Problem> {
        let text = attributes.get(name).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| Problem::at(name, "nothing is there"))?;
        match self.options.ids {
            Ids::Texts => Ok(ExternalId::text(text)),
            Ids::Integers => text
                .trim()
                .parse()
                .map(ExternalId::integer)
                .map_err(|_| Problem::at(name, format!("{} is no 64-bit integer", shown(text)))),
        }
    }

    /// The data of an element and the defaults of the keys that it lacks.
    fn properties<'a>(
        &self,
        data: impl Iterator<Item = &'a (String, String)>,
        is_for: fn(&Key) -> bool,
        is_taken: fn(&str) -> bool,
    ) -> Result<Vec<(Arc<str>, Value)>, Problem> {
        let mut properties: Vec<(Arc<str>, Value)> = Vec::new();
        for (id, text) in data {
            let key = self.keys.get(id).filter(|key| is_for(key));
            let key = key.ok_or_else(|| {
                Problem::new(format!("no key for such elements has the id {}", shown(id)))
            })?;
            if properties.iter().any(|known| known.0 == key.name) {
                return Err(Problem::at(&key.name, "it is there twice"));
            }
            properties.push((key.name.clone(), key.read(text)?));
        }
        for (id, key) in self
            .keys
            .iter()
            .filter(|(id, key)| is_for(key) && !is_taken(id))
        {
            let absent = properties.iter().all(|known| known.0 != key.name);
            if let (true, Some(default), false) = (absent, &key.default, id.is_empty()) {
                properties.push((key.name.clone(), default.clone()));
            }
        }
        Ok(properties)
    }

    fn fail(&mut self, stop: Stop) -> InterchangeError {
        self.done = true;
        let line = self.xml.get_ref().line();
        match stop {
            Stop::Unreadable(problem) => {
                InterchangeError::Unreadable(problem.row(&self.file, line))
            }
            Stop::Input(source) => InterchangeError::Input {
                file: self.file.clone(),
                line,
                source,
            },
        }
    }
}

fn is_labels(key: &str) -> bool {
    matches!(key, "labels" | "labelV")
}

fn is_kind(key: &str) -> bool {
    matches!(key, "label" | "labelE")
}

impl<R: BufRead> Iterator for GraphMlReader<R> {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let element = match self.advance() {
            Ok(Some(element)) => element,
            Ok(None) => {
                self.done = true;
                return None;
            }
            Err(stop) => return Some(Err(self.fail(stop))),
        };
        let row = self.row(element);
        Some(row.map_err(|problem| InterchangeError::BadRow(problem.row(&self.file, self.line))))
    }
}

impl<R: BufRead> RowReader for GraphMlReader<R> {
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
