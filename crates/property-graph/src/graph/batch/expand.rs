//! Relationships of many nodes.

use std::ops::ControlFlow;

use evergraph_topology::ManyLists;

use super::account::Account;
use super::columns::rows_of;
use super::listed::Listed;
use super::source::Source;
use super::{Expanded, Neighbors};
use crate::dictionary::TypeCode;
use crate::graph::error::GraphError;
use crate::graph::ids::NodeId;
use crate::graph::read::adjacency::Adjacent;
use crate::graph::read::direction::Direction;
use crate::graph::read::expander::Expander;
use crate::graph::read::neighbors::expand_changed;
use crate::graph::read::types::TypeSet;
use crate::record::NodeRecord;
use crate::transaction::{List, Predicate};

impl Source<'_> {
    pub(super) fn types(&self, types: Option<&[TypeCode]>) -> TypeSet {
        match types {
            None => self.view.all_types().clone(),
            Some(types) => TypeSet::of(types.to_vec()),
        }
    }

    /// The types to look for at a node if the transaction has changed its relationships.
    pub(super) fn changed_types(
        &self,
        node: u32,
        types: Option<&[TypeCode]>,
    ) -> Option<Vec<TypeCode>> {
        let overlay = self.overlay?;
        let mut changed = overlay.lists_of(node).map(|list| list.kind).peekable();
        if changed.peek().is_none() && !overlay.creates::<NodeRecord>(node) {
            return None;
        }
        Some(match types {
            None => {
                let known = self.view.all_types().codes().iter().copied();
                known.chain(changed).collect()
            }
            Some(types) => types.to_vec(),
        })
    }

    /// The relationships of each node, in the order of
    /// [`View::neighbors`](crate::graph::View::neighbors).
    pub(super) fn expand(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Expanded, GraphError> {
        self.has_read_lists(nodes, types, direction);
        let mut charge = account.growing()?;
        let mut lists = ManyLists::default();
        let mut reader = Listed::new(*self, types, direction);
        reader.read::<true>(nodes, &mut lists, (&mut charge, 12))?;
        let found = Expanded {
            rows: rows_of(&lists.ends),
            neighbors: lists.neighbors,
            relationships: lists.ids,
        };
        charge.done(found.bytes() as u64)?;
        Ok(found)
    }

    /// The nodes at the other ends of the relationships of each node.
    pub(super) fn expand_neighbors(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Neighbors, GraphError> {
        self.has_read_lists(nodes, types, direction);
        let mut charge = account.growing()?;
        let mut lists = ManyLists::default();
        let mut reader = Listed::new(*self, types, direction);
        reader.read::<false>(nodes, &mut lists, (&mut charge, 4))?;
        let found = Neighbors::new(lists.ends, lists.neighbors);
        charge.done(found.bytes() as u64)?;
        Ok(found)
    }

    /// The relationships between the nodes of each pair.
    pub(super) fn expand_into(
        &self,
        (sources, targets): (&[u32], &[u32]),
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Expanded, GraphError> {
        assert_eq!(sources.len(), targets.len(), "each source has a target");
        // What lies between the nodes of a pair is in the lists of the first.
        self.has_read_lists(sources, types, direction);
        let mut charge = account.growing()?;
        let mut found = Expanded::default();
        let of_sources = self.lengths(sources, types, direction)?;
        let of_targets = self.lengths(targets, types, direction.reversed())?;
        let kinds = self.types(types);
        let mut forward = Expander::new(self.view, direction, kinds.clone());
        let mut backward = Expander::new(self.view, direction.reversed(), kinds);
        for (row, (&source, &target)) in sources.iter().zip(targets).enumerate() {
            let is_forward = of_sources[row] <= of_targets[row];
            let (from, to, lists, direction) = match is_forward {
                true => (source, target, &mut forward, direction),
                false => (target, source, &mut backward, direction.reversed()),
            };
            // From the other end a pair's lists in both directions come in the other order.
            let start = found.rows.len();
            let mut entering = Vec::new();
            let mut push = |adjacent: Adjacent| {
                if adjacent.neighbor.0 == to {
                    let adjacent = Adjacent {
                        neighbor: NodeId(target),
                        ..adjacent
                    };
                    entering.push((adjacent.kind, adjacent.incoming == is_forward));
                    found.push(row as u32, &adjacent);
                }
                ControlFlow::<()>::Continue(())
            };
            let node = NodeId(from);
            let _ = match (self.changed_types(from, types), self.overlay) {
                (Some(kinds), Some(overlay)) => {
                    expand_changed(self.view, overlay, node, direction, kinds, &mut push)?
                }
                _ => lists.for_each(node, push)?,
            };
            if !is_forward && direction == Direction::Both {
                found.sort_from(start, &entering);
            }
            charge.to(found.bytes() as u64)?;
        }
        charge.done(found.bytes() as u64)?;
        Ok(found)
    }

    /// How many relationships [`Source::expand`] gives for each node. Reads lengths, and of
    /// both directions together also the lists that may hold loops.
    pub(super) fn degrees(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
        account: &Account,
    ) -> Result<Vec<u64>, GraphError> {
        self.has_read_lists(nodes, types, direction);
        let charge = account.growing()?;
        let degrees = self.lengths(nodes, types, direction)?;
        charge.done(8 * degrees.len() as u64)?;
        Ok(degrees)
    }

    fn lengths(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
    ) -> Result<Vec<u64>, GraphError> {
        Listed::new(*self, types, direction).degrees(nodes)
    }

    /// Notes the lists that a serializable transaction reads.
    pub(super) fn has_read_lists(
        &self,
        nodes: &[u32],
        types: Option<&[TypeCode]>,
        direction: Direction,
    ) {
        if self.reads.is_none() {
            return;
        }
        for &node in nodes {
            for &incoming in direction.lists() {
                let Some(types) = types else {
                    self.has_read(|| Predicate::Neighbors(node, incoming));
                    continue;
                };
                for &kind in types {
                    let list = List {
                        node,
                        kind,
                        incoming,
                    };
                    self.has_read(|| Predicate::List(list));
                }
            }
        }
    }
}

impl Expanded {
    fn push(&mut self, row: u32, adjacent: &Adjacent) {
        self.rows.push(row);
        self.neighbors.push(adjacent.neighbor.0);
        self.relationships.push(adjacent.relationship.0);
    }

    /// Sorts the rows from one on by type and direction, whose order within stays.
    fn sort_from(&mut self, start: usize, lists: &[(TypeCode, bool)]) {
        let mut order: Vec<usize> = (0..lists.len()).collect();
        order.sort_by_key(|&at| lists[at]);
        let ids = &mut self.relationships[start..];
        let sorted: Vec<u32> = order.into_iter().map(|at| ids[at]).collect();
        ids.copy_from_slice(&sorted);
    }
}
