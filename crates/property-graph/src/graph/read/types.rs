//! Types of relationships, and the lists that hold them.

use std::sync::Arc;

use evergraph_topology::{AdjacencySet, in_adjacency, out_adjacency};

use super::direction::Direction;
use crate::dictionary::TypeCode;

/// Types below this have bits of their own in an [`AdjacencySet`].
const TYPES_WITH_BITS: TypeCode = 32;

/// Number of the adjacency that holds the lists of a type.
pub(in crate::graph) fn adjacency_of(kind: TypeCode, incoming: bool) -> usize {
    match incoming {
        false => out_adjacency(kind),
        true => in_adjacency(kind),
    }
}

/// Some types, ready to be read at many nodes. Cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::graph) struct TypeSet {
    codes: Arc<[TypeCode]>,
    /// Adjacencies of the types that have bits of their own.
    adjacencies: AdjacencySet,
    /// Start of the others in `codes`.
    others: usize,
}

/// A neighbor list of a node: its type, whether its relationships enter the node, and its
/// adjacency.
pub(in crate::graph) type ListOf = (TypeCode, bool, usize);

impl TypeSet {
    /// The types of these codes, in any order.
    pub(crate) fn of(mut codes: Vec<TypeCode>) -> Self {
        codes.sort_unstable();
        codes.dedup();
        let others = codes.partition_point(|&kind| kind < TYPES_WITH_BITS);
        let with_bits = codes[..others].iter();
        TypeSet {
            adjacencies: with_bits
                .flat_map(|&kind| [out_adjacency(kind), in_adjacency(kind)])
                .collect(),
            others,
            codes: codes.into(),
        }
    }

    /// Their codes, ascending.
    #[inline(always)]
    pub(crate) fn codes(&self) -> &[TypeCode] {
        &self.codes
    }

    /// The lists to read of a node that `may_have` those of these adjacencies: by type,
    /// outgoing before incoming.
    #[inline(always)]
    pub(crate) fn lists(&self, direction: Direction, may_have: AdjacencySet) -> Lists<'_> {
        let directions = match direction {
            Direction::Outgoing => AdjacencySet::OUT,
            Direction::Incoming => AdjacencySet::IN,
            Direction::Both => AdjacencySet::ALL,
        };
        Lists {
            adjacencies: self.adjacencies.and(may_have).and(directions),
            others: &self.codes[self.others..],
            direction,
            may_have,
            seen: 0,
        }
    }
}

pub(in crate::graph) struct Lists<'a> {
    adjacencies: AdjacencySet,
    others: &'a [TypeCode],
    direction: Direction,
    may_have: AdjacencySet,
    /// Lists of `others` that have been looked at.
    seen: usize,
}

impl Iterator for Lists<'_> {
    type Item = ListOf;

    #[inline(always)]
    fn next(&mut self) -> Option<ListOf> {
        if let Some(adjacency) = self.adjacencies.pop_first() {
            return Some(((adjacency / 2) as TypeCode, adjacency % 2 == 1, adjacency));
        }
        match self.others {
            [] => None,
            _ => self.next_of_others(),
        }
    }
}

impl Lists<'_> {
    #[cold]
    fn next_of_others(&mut self) -> Option<ListOf> {
        let directions = self.direction.lists();
        loop {
            let &kind = self.others.get(self.seen / directions.len())?;
            let incoming = directions[self.seen % directions.len()];
            self.seen += 1;
            let adjacency = adjacency_of(kind, incoming);
            if self.may_have.may_contain(adjacency) {
                return Some((kind, incoming, adjacency));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each list comes once and in order, whether its type has a bit or not.
    #[test]
    fn lists_come_by_type_and_direction() {
        let codes = vec![0, 5, 31, 32, 37, 700];
        let types = TypeSet::of(codes.clone());
        for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
            let expected: Vec<ListOf> = codes
                .iter()
                .flat_map(|&kind| {
                    direction
                        .lists()
                        .iter()
                        .map(move |&incoming| (kind, incoming))
                })
                .map(|(kind, incoming)| (kind, incoming, adjacency_of(kind, incoming)))
                .collect();
            let all: Vec<ListOf> = types.lists(direction, AdjacencySet::ALL).collect();
            assert_eq!(all, expected);
            // The bit of type 5 stands for type 37, too.
            let may_have = [out_adjacency(5), in_adjacency(31)].into_iter().collect();
            let some: Vec<ListOf> = types.lists(direction, may_have).collect();
            let wanted = |list: &&ListOf| may_have.may_contain(list.2);
            assert_eq!(
                some,
                expected.iter().filter(wanted).copied().collect::<Vec<_>>()
            );
            assert!(types.lists(direction, AdjacencySet::NONE).next().is_none());
        }
    }
}
