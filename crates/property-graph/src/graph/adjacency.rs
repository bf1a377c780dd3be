//! What lies beside a node.

use super::ids::{NodeId, RelationshipId};
use crate::dictionary::TypeCode;

/// Which relationships of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Towards {
    /// Those that leave it.
    Outgoing,
    /// Those that enter it.
    Incoming,
    /// All; a loop counts once.
    Both,
}

impl Towards {
    /// The lists to read: whether it is that of incoming relationships.
    pub(super) fn lists(self) -> &'static [bool] {
        match self {
            Towards::Outgoing => &[false],
            Towards::Incoming => &[true],
            Towards::Both => &[false, true],
        }
    }
}

/// A relationship of a node, as the node's neighbor list has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Adjacent {
    /// Which relationship.
    pub relationship: RelationshipId,
    /// Its other end.
    pub neighbor: NodeId,
    /// Its type.
    pub kind: TypeCode,
    /// It enters the node.
    pub incoming: bool,
}
