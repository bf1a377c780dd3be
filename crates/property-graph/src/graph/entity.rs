//! A node and a relationship as a reader holds them.

use std::fmt::Display;
use std::sync::Arc;

use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::names::KnownNames;
use crate::dictionary::{KeyCode, Names, TypeCode};
use crate::expression::{Expression, TypeError};
use crate::record::{NodeRecord, Record, RelationshipRecord};
use crate::value::{Value, ValueError};

/// A node or a relationship as of one commit. Stays what it is, whatever happens to the
/// graph.
#[derive(Clone)]
pub struct Entity<I, R> {
    id: I,
    record: Arc<R>,
    names: KnownNames,
}

/// A node: labels and properties.
pub type Node = Entity<NodeId, NodeRecord>;

/// A relationship: a type, two ends and properties.
pub type Relationship = Entity<RelationshipId, RelationshipRecord>;

#[allow(private_bounds, reason = "nodes and relationships, and no other")]
impl<I: Copy + Display, R: Record> Entity<I, R> {
    pub(super) fn new(id: I, record: Arc<R>, names: impl Into<KnownNames>) -> Self {
        Entity {
            id,
            record,
            names: names.into(),
        }
    }

    /// Its id.
    pub fn id(&self) -> I {
        self.id
    }

    /// A property; `None` if it is not there.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let code = self.names.code(Names::Keys, key)?;
        self.record.properties().get(code)
    }

    /// Whether a condition on its properties is true.
    ///
    /// # Errors
    /// [`GraphError::Condition`], if a property has a type that an operator does not take.
    pub fn satisfies(&self, condition: &Expression) -> Result<bool, GraphError> {
        let value = |key: usize| self.get(&condition.keys()[key].name);
        let held = condition.holds(|key| Ok(value(key).cloned().unwrap_or_default()));
        held.map_err(|error: TypeError| GraphError::Condition {
            of: self.id.to_string(),
            error,
        })
    }

    /// A property as a type of Rust: `get_as::<i64>("age")`. `None` if it is not
    /// there.
    ///
    /// # Errors
    /// A value of another type.
    pub fn get_as<T>(&self, key: &str) -> Result<Option<T>, ValueError>
    where
        T: TryFrom<Value, Error = ValueError>,
    {
        self.get(key).cloned().map(T::try_from).transpose()
    }

    /// All properties, by key code.
    pub fn properties(&self) -> impl Iterator<Item = (Arc<str>, &Value)> {
        let name = |code: KeyCode| self.names.name(Names::Keys, code).unwrap_or_default();
        let properties = self.record.properties().iter();
        properties.map(move |(code, value)| (name(code), value))
    }

    /// The record, with names as codes.
    pub fn record(&self) -> &Arc<R> {
        &self.record
    }
}

impl Node {
    /// Its labels, in the order in which the graph first saw them.
    pub fn labels(&self) -> Vec<Arc<str>> {
        let labels = self.record.labels.iter();
        labels
            .filter_map(|&code| self.names.name(Names::Labels, code))
            .collect()
    }

    /// Whether it has a label.
    pub fn has_label(&self, label: &str) -> bool {
        let code = self.names.code(Names::Labels, label);
        code.is_some_and(|code| self.record.labels.binary_search(&code).is_ok())
    }
}

impl Relationship {
    /// Its type.
    pub fn kind(&self) -> Arc<str> {
        let name = self.names.name(Names::Types, self.record.kind.into());
        name.unwrap_or_default()
    }

    /// Code of its type.
    pub fn kind_code(&self) -> TypeCode {
        self.record.kind
    }

    /// The node it leaves.
    pub fn source(&self) -> NodeId {
        NodeId(self.record.source)
    }

    /// The node it enters.
    pub fn target(&self) -> NodeId {
        NodeId(self.record.target)
    }

    /// The end that is not `node`; of a loop, `node` itself.
    pub fn other_end(&self, node: NodeId) -> NodeId {
        match self.source() == node {
            true => self.target(),
            false => self.source(),
        }
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let properties: Vec<_> = self.properties().collect();
        f.debug_struct("Node")
            .field("id", &self.id.0)
            .field("labels", &self.labels())
            .field("properties", &properties)
            .finish()
    }
}

impl std::fmt::Debug for Relationship {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let properties: Vec<_> = self.properties().collect();
        f.debug_struct("Relationship")
            .field("id", &self.id.0)
            .field("kind", &self.kind())
            .field("source", &self.record.source)
            .field("target", &self.record.target)
            .field("properties", &properties)
            .finish()
    }
}
