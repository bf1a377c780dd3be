//! Values of rows, apart from the graph that they were read from.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};

/// One value of a row.
///
/// A list or map without a node, relationship or path in it is a [`Cell::Value`].
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A value that a property can have, or null.
    Value(Value),
    /// A node as the query saw it.
    Node(Node),
    /// A relationship as the query saw it.
    Relationship(Relationship),
    /// A path.
    Path(Path),
    /// A list with nodes, relationships or paths in it.
    List(Vec<Cell>),
    /// A map with nodes, relationships or paths in it.
    Map(BTreeMap<Arc<str>, Cell>),
}

/// Values by key.
pub(crate) type Properties = BTreeMap<Arc<str>, Value>;

/// A node with its labels and properties; both are empty if the query deleted it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
    /// Its properties.
    pub properties: BTreeMap<Arc<str>, Value>,
}

/// A relationship with its properties, which are empty if the query deleted it.
#[derive(Clone, Debug, PartialEq)]
pub struct Relationship {
    /// Its id.
    pub id: RelationshipId,
    /// Its type.
    pub kind: Arc<str>,
    /// The node where it begins.
    pub source: NodeId,
    /// The node where it ends.
    pub target: NodeId,
    /// Its properties.
    pub properties: BTreeMap<Arc<str>, Value>,
}

/// A path: there is one node more than relationships.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Nodes from the first to the last.
    pub nodes: Vec<Node>,
    /// Relationships between them, each in either direction.
    pub relationships: Vec<Relationship>,
}

impl Cell {
    /// Null.
    pub const NULL: Cell = Cell::Value(Value::Null);

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Cell::Value(Value::Null))
    }

    /// Name of the type, as Cypher writes it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Cell::Value(value) => value.type_name(),
            Cell::Node(_) => "NODE",
            Cell::Relationship(_) => "RELATIONSHIP",
            Cell::Path(_) => "PATH",
            Cell::List(_) => "LIST",
            Cell::Map(_) => "MAP",
        }
    }
}

/// As Cypher writes it: `(:Person {name: 'Ann'})`, `[:KNOWS {since: 2015}]`, literals.
impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Value(value) => write!(f, "{value}"),
            Cell::Node(node) => write!(f, "{node}"),
            Cell::Relationship(relationship) => write!(f, "{relationship}"),
            Cell::Path(path) => write!(f, "{path}"),
            Cell::List(cells) => {
                f.write_str("[")?;
                for (at, cell) in cells.iter().enumerate() {
                    write!(f, "{}{cell}", comma(at))?;
                }
                f.write_str("]")
            }
            Cell::Map(entries) => {
                f.write_str("{")?;
                for (at, (key, cell)) in entries.iter().enumerate() {
                    write!(f, "{}{}: {cell}", comma(at), Name(key))?;
                }
                f.write_str("}")
            }
        }
    }
}

fn comma(at: usize) -> &'static str {
    if at > 0 { ", " } else { "" }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for label in &self.labels {
            write!(f, ":{}", Name(label))?;
        }
        write_properties(&self.properties, !self.labels.is_empty(), f)?;
        f.write_str(")")
    }
}

impl Display for Relationship {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[:{}", Name(&self.kind))?;
        write_properties(&self.properties, true, f)?;
        f.write_str("]")
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(before) = at.checked_sub(1) {
                let relationship = &self.relationships[before];
                let is_forward = relationship.source == self.nodes[before].id;
                let (left, right) = if is_forward { ("-", "->") } else { ("<-", "-") };
                write!(f, "{left}{relationship}{right}")?;
            }
            write!(f, "{node}")?;
        }
        Ok(())
    }
}

fn write_properties(properties: &Properties, has_name: bool, f: &mut Formatter<'_>) -> fmt::Result {
    if properties.is_empty() {
        return Ok(());
    }
    f.write_str(if has_name { " {" } else { "{" })?;
    for (at, (key, value)) in properties.iter().enumerate() {
        write!(f, "{}{}: {value}", comma(at), Name(key))?;
    }
    f.write_str("}")
}

/// A name, in backticks where it is no plain one.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let begins = |c: char| c.is_alphabetic() || c == '_';
        let is_plain =
            self.0.starts_with(begins) && self.0.chars().all(|c| begins(c) || c.is_numeric());
        match is_plain {
            true => f.write_str(self.0),
            false => write!(f, "`{}`", self.0.replace('`', "``")),
        }
    }
}
