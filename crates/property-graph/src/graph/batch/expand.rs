//! Relationships of many nodes.

use std::ops::ControlFlow;

use evergraph_topology::ListReader;

use super::Expanded;
use super::account::{Account, Growing};
use super::source::Source;
use crate::dictionary::TypeCode;
use crate::graph::error::GraphError;
use crate::graph::ids::NodeId;
use crate::graph::read::adjacency::{Adjacent, skips_loops};
use crate::graph::read::direction::Direction;
use crate::graph::read::expander::Expander;
use crate::graph::read::neighbors::expand_changed;
use crate::graph::read::types::{TypeSet, adjacency_of};
use crate::record::NodeRecord;
use crate::transaction::{List, Predicate};

impl Source<'_> {
    fn types(&self, types: Option<&[TypeCode]>) -> TypeSet {
        match types {
            None => self.view.all_types().clone(),
            Some(types) => TypeSet::of(types.to_vec()),
        }
    }

    /// The types to look for at a node if the transaction has changed its relationships.
    fn changed_types(&self, node: u32, types: Option<&[TypeCode]>) -> Option<Vec<TypeCode>> {
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
        let mut found = Expanded::default();
        let mut lists = Expander::new(self.view, direction, self.types(types));
        for (row, &node) in nodes.iter().enumerate() {
            let row = row as u32;
            match self.changed_types(node, types) {
                None => found.read(&mut lists, row, node, direction, &mut charge)?,
                Some(kinds) => {
                    let (view, node) = (self.view, NodeId(node));
                    let overlay = self.overlay.expect("it has changed relationships");
                    let mut push = |adjacent: Adjacent| {
                        found.push(row, &adjacent);
                        ControlFlow::<()>::Continue(())
                    };
                    let _ = expand_changed(view, overlay, node, direction, kinds, &mut push)?;
                }
            }
            charge.to(found.bytes() as u64)?;
        }
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
        let set = self.types(types);
        let mut lengths = Lengths::default();
        let mut degrees = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let changed = self.changed_types(node, types).map(TypeSet::of);
            let set = changed.as_ref().unwrap_or(&set);
            let may_have = self.view.adjacencies_of(NodeId(node), direction, set);
            let mut degree = 0;
            let lists = match &changed {
                None => set.lists(direction, may_have),
                Some(_) => set.lists(direction, evergraph_topology::AdjacencySet::ALL),
            };
            for (kind, incoming, _) in lists {
                degree += self.length(&mut lengths, node, kind, incoming)?;
                if skips_loops(direction, incoming) {
                    degree -= self.loops(&mut lengths, node, kind)?;
                }
            }
            degrees.push(degree as u64);
        }
        Ok(degrees)
    }

    /// Notes the lists that a serializable transaction reads.
    fn has_read_lists(&self, nodes: &[u32], types: Option<&[TypeCode]>, direction: Direction) {
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

    /// Length of a list.
    fn length<'s>(
        &'s self,
        lengths: &mut Lengths<'s>,
        node: u32,
        kind: TypeCode,
        incoming: bool,
    ) -> Result<i64, GraphError> {
        let own = self.overlay.map_or(0, |overlay| {
            overlay.degree_change(List {
                node,
                kind,
                incoming,
            })
        });
        let is_new = self
            .overlay
            .is_some_and(|own| own.creates::<NodeRecord>(node));
        let committed = match is_new {
            true => 0,
            false => lengths.of(self, kind, incoming).degree(node)?,
        };
        Ok(committed as i64 + own)
    }

    /// Loops of a type at a node.
    fn loops<'s>(
        &'s self,
        lengths: &mut Lengths<'s>,
        node: u32,
        kind: TypeCode,
    ) -> Result<i64, GraphError> {
        let deletes = |id: u32| self.overlay.is_some_and(|own| own.deletes_relationship(id));
        let is_new = self
            .overlay
            .is_some_and(|own| own.creates::<NodeRecord>(node));
        let mut loops = 0;
        if !is_new {
            let list = lengths.of(self, kind, true);
            let _ = list.for_each_segment(node, |neighbors, ids| {
                let here = neighbors.iter().zip(ids);
                loops += here.filter(|&(&n, &id)| n == node && !deletes(id)).count();
                ControlFlow::<()>::Continue(())
            })?;
        }
        let list = List {
            node,
            kind,
            incoming: true,
        };
        let own = self.overlay.into_iter().flat_map(|own| own.created(list));
        Ok((loops + own.filter(|entry| entry.0 == node).count()) as i64)
    }
}

/// Readers of lists, made as they are used.
#[derive(Default)]
struct Lengths<'a>(Vec<Option<ListReader<'a>>>);

impl<'a> Lengths<'a> {
    fn of(
        &mut self,
        source: &'a Source<'_>,
        kind: TypeCode,
        incoming: bool,
    ) -> &mut ListReader<'a> {
        let adjacency = adjacency_of(kind, incoming);
        if self.0.len() <= adjacency {
            self.0.resize_with(adjacency + 1, || None);
        }
        self.0[adjacency].get_or_insert_with(|| source.view.list_reader(adjacency))
    }
}

impl Expanded {
    fn push(&mut self, row: u32, adjacent: &Adjacent) {
        self.rows.push(row);
        self.neighbors.push(adjacent.neighbor.0);
        self.relationships.push(adjacent.relationship.0);
    }

    /// Appends the committed relationships of a node, slice by slice.
    fn read(
        &mut self,
        lists: &mut Expander<'_>,
        row: u32,
        node: u32,
        direction: Direction,
        charge: &mut Growing<'_>,
    ) -> Result<(), GraphError> {
        let flow = lists.for_each_list(NodeId(node), |_, incoming, neighbors, ids| {
            match skips_loops(direction, incoming) {
                false => {
                    self.neighbors.extend_from_slice(neighbors);
                    self.relationships.extend_from_slice(ids);
                }
                true => {
                    let entries = neighbors.iter().zip(ids);
                    for (&neighbor, &id) in entries.filter(|entry| *entry.0 != node) {
                        self.neighbors.push(neighbor);
                        self.relationships.push(id);
                    }
                }
            }
            self.rows.resize(self.neighbors.len(), row);
            match charge.to(self.bytes() as u64) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        })?;
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
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
