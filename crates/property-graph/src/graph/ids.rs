//! Ids of nodes and relationships.

use std::fmt;

/// A node, for as long as it exists: the vertex of this number in the topology. Reused
/// only when no view or snapshot shows the first node any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A relationship, for as long as it exists. It lies beside the neighbor in both neighbor
/// lists. Reused only when no view or snapshot shows the first one any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationshipId(pub u32);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

impl fmt::Display for RelationshipId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "relationship {}", self.0)
    }
}

/// Entities with properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// A node.
    Node(NodeId),
    /// A relationship.
    Relationship(RelationshipId),
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entity::Node(id) => id.fmt(f),
            Entity::Relationship(id) => id.fmt(f),
        }
    }
}

impl From<NodeId> for Entity {
    fn from(id: NodeId) -> Self {
        Entity::Node(id)
    }
}

impl From<RelationshipId> for Entity {
    fn from(id: RelationshipId) -> Self {
        Entity::Relationship(id)
    }
}
