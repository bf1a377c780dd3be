//! Neighbors of a node, with their relationships.

use std::ops::ControlFlow;

use super::direction::Direction;
use super::types::ListOf;
use crate::dictionary::TypeCode;
use crate::graph::ids::{NodeId, RelationshipId};

/// A relationship of a node, as the node's neighbor list has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Adjacent {
    /// Id of the relationship.
    pub relationship: RelationshipId,
    /// Its other end.
    pub neighbor: NodeId,
    /// Its type.
    pub kind: TypeCode,
    /// It enters the node.
    pub incoming: bool,
}

/// Calls `visit` with the entries of a list, which is read for the neighbors of a node in
/// one direction: a loop, which is in two lists, comes with that of outgoing relationships
/// alone.
#[inline(always)]
pub(in crate::graph) fn for_each_listed<B>(
    node: NodeId,
    direction: Direction,
    (kind, incoming, _): ListOf,
    neighbors: &[u32],
    ids: &[u32],
    mut visit: impl FnMut(Adjacent) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let adjacent = |(&neighbor, &relationship)| Adjacent {
        relationship: RelationshipId(relationship),
        neighbor: NodeId(neighbor),
        kind,
        incoming,
    };
    let mut entries = neighbors.iter().zip(ids).map(adjacent);
    // Apart, so that the compiler sees a loop without a condition.
    match skips_loops(direction, incoming) {
        false => entries.try_for_each(visit),
        true => entries
            .filter(|entry| entry.neighbor != node)
            .try_for_each(&mut visit),
    }
}

/// Whether loops in such a list have come with another one.
#[inline(always)]
pub(in crate::graph) fn skips_loops(direction: Direction, incoming: bool) -> bool {
    incoming && direction == Direction::Both
}
