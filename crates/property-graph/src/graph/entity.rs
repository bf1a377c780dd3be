//! A node and a relationship as a reader holds them.

use std::sync::Arc;

use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::names::KnownNames;
use crate::dictionary::{KeyCode, Names, TypeCode};
use crate::expression::{Expression, TypeError};
use crate::record::{NodeRecord, RelationshipRecord};
use crate::value::{Properties, Value, ValueError};

/// A node as of one commit. Stays what it is, whatever happens to the graph.
#[derive(Clone)]
pub struct Node {
    id: NodeId,
    record: Arc<NodeRecord>,
    names: KnownNames,
}

/// A relationship as of one commit. Stays what it is, whatever happens to the graph.
#[derive(Clone)]
pub struct Relationship {
    id: RelationshipId,
    record: Arc<RelationshipRecord>,
    names: KnownNames,
}

impl Node {
    pub(super) fn new(id: NodeId, record: Arc<NodeRecord>, names: impl Into<KnownNames>) -> Self {
        Node {
            id,
            record,
            names: names.into(),
        }
    }

    /// Id of the node.
    pub fn id(&self) -> NodeId {
        self.id
    }

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

    /// A property; `None` if the node does not have it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        value_of(&self.record.properties, &self.names, key)
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
        named(&self.record.properties, &self.names)
    }

    /// Labels and properties by code.
    pub fn record(&self) -> &Arc<NodeRecord> {
        &self.record
    }
}

impl Relationship {
    pub(super) fn new(
        id: RelationshipId,
        record: Arc<RelationshipRecord>,
        names: impl Into<KnownNames>,
    ) -> Self {
        Relationship {
            id,
            record,
            names: names.into(),
        }
    }

    /// Id of the relationship.
    pub fn id(&self) -> RelationshipId {
        self.id
    }

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

    /// A property; `None` if the relationship does not have it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        value_of(&self.record.properties, &self.names, key)
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
        named(&self.record.properties, &self.names)
    }

    /// Type, ends and properties by code.
    pub fn record(&self) -> &Arc<RelationshipRecord> {
        &self.record
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

fn value_of<'a>(properties: &'a Properties, names: &KnownNames, key: &str) -> Option<&'a Value> {
    properties.get(names.code(Names::Keys, key)?)
}

fn named<'a>(
    properties: &'a Properties,
    names: &'a KnownNames,
) -> impl Iterator<Item = (Arc<str>, &'a Value)> {
    let name = |code: KeyCode| names.name(Names::Keys, code).unwrap_or_default();
    properties
        .iter()
        .map(move |(code, value)| (name(code), value))
}
