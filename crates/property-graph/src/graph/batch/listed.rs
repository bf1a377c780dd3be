//! The lists of many nodes, put together: committed ones run by run, those that a
//! transaction has changed one by one.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_topology::{AdjacencySet, ListReader, ManyLists};

use super::account::Growing;
use super::source::Source;
use crate::dictionary::TypeCode;
use crate::graph::error::GraphError;
use crate::graph::ids::NodeId;
use crate::graph::read::adjacency::{Adjacent, skips_loops};
use crate::graph::read::direction::Direction;
use crate::graph::read::loops::Loops;
use crate::graph::read::neighbors::expand_changed;
use crate::graph::read::types::{ListOf, TypeSet, adjacency_of};
use crate::record::NodeRecord;
use crate::transaction::List;

/// Nodes whose lists are measured, charged and read together.
const NODES: usize = 1024;

/// So many nodes of a section are worth to look for all its loops.
const MANY_OF_SECTION: usize = 64;

/// Reads lists of many nodes, of some types and in one direction or both.
pub(super) struct Listed<'s> {
    source: Source<'s>,
    types: TypeSet,
    /// Types as they were asked for, to which a transaction may add new ones.
    asked: Option<&'s [TypeCode]>,
    direction: Direction,
    /// Lists of all nodes, if each may have the same.
    common: Option<Arc<[ListOf]>>,
    /// By adjacency, ascending, made as they are used: mostly one.
    readers: Vec<(usize, ListReader<'s>)>,
}

impl<'s> Listed<'s> {
    pub(super) fn new(
        source: Source<'s>,
        asked: Option<&'s [TypeCode]>,
        direction: Direction,
    ) -> Self {
        let types = source.types(asked);
        let few = source.view.has_few_lists(direction, &types);
        Listed {
            common: few.then(|| types.lists(direction, AdjacencySet::ALL).collect()),
            types,
            source,
            asked,
            direction,
            readers: Vec::new(),
        }
    }

    /// The commits that changed the lists of the section of a node last, list by list.
    pub(super) fn changed_at(&mut self, node: u32) -> Result<Vec<u64>, GraphError> {
        let types = self.types.clone();
        let lists = types.lists(self.direction, AdjacencySet::ALL);
        lists
            .map(|(_, _, adjacency)| Ok(self.reader(adjacency).changed_at(node)?))
            .collect()
    }

    fn reader(&mut self, adjacency: usize) -> &mut ListReader<'s> {
        let readers = &mut self.readers;
        let at = readers.binary_search_by_key(&adjacency, |(of, _)| *of);
        let at = at.unwrap_or_else(|at| {
            readers.reserve_exact(usize::from(readers.is_empty()));
            readers.insert(at, (adjacency, self.source.view.list_reader(adjacency)));
            at
        });
        &mut readers[at].1
    }

    /// Appends the lists of nodes; with `IDS` also ids of relationships. A relationship
    /// comes to so many bytes of what the caller makes of it.
    pub(super) fn read<const IDS: bool>(
        &mut self,
        nodes: &[u32],
        lists: &mut ManyLists,
        (charge, bytes): (&mut Growing<'_>, u64),
    ) -> Result<(), GraphError> {
        lists.ends.reserve(nodes.len());
        let mut degrees = Vec::new();
        for nodes in nodes.chunks(NODES) {
            let mut left = nodes;
            while let Some(&first) = left.first() {
                if let Some(kinds) = self.source.changed_types(first, self.asked) {
                    self.read_changed::<IDS>(first, kinds, lists)?;
                    left = &left[1..];
                    continue;
                }
                let (same, others) = left.split_at(self.unchanged(left));
                left = others;
                // A loop that is left out is counted here.
                degrees.clear();
                degrees.resize(same.len(), 0);
                self.add_lengths(same, &mut degrees)?;
                let more: u64 = degrees.iter().sum();
                charge.to((lists.neighbors.len() as u64)
                    .saturating_add(more)
                    .saturating_mul(bytes))?;
                lists.neighbors.reserve(more as usize);
                if IDS {
                    lists.ids.reserve(more as usize);
                }
                self.read_committed::<IDS>(same, lists)?;
            }
            charge.to(lists.neighbors.len() as u64 * bytes)?;
        }
        Ok(())
    }

    /// How many nodes there are up to the next one that the transaction has changed.
    fn unchanged(&self, nodes: &[u32]) -> usize {
        let source = self.source;
        if source.overlay.is_none_or(|overlay| overlay.has_no_lists()) {
            return nodes.len();
        }
        let changed = |&node: &u32| source.changed_types(node, self.asked).is_some();
        nodes.iter().position(changed).unwrap_or(nodes.len())
    }

    /// Adds the lengths of the lists of nodes that are as committed, loops in each.
    fn add_lengths(&mut self, nodes: &[u32], degrees: &mut [u64]) -> Result<(), GraphError> {
        if let Some(lists) = self.common.clone() {
            for &(_, _, adjacency) in &*lists {
                self.reader(adjacency).add_degrees(nodes, degrees)?;
            }
            return Ok(());
        }
        let types = self.types.clone();
        for (&node, degree) in nodes.iter().zip(degrees) {
            let view = self.source.view;
            let may_have = view.adjacencies_of(NodeId(node), self.direction, &types);
            for (_, _, adjacency) in types.lists(self.direction, may_have) {
                *degree += self.reader(adjacency).degree(node)? as u64;
            }
        }
        Ok(())
    }

    /// Appends the lists of nodes that are as committed.
    fn read_committed<const IDS: bool>(
        &mut self,
        nodes: &[u32],
        lists: &mut ManyLists,
    ) -> Result<(), GraphError> {
        let types = self.types.clone();
        if let Some(&[(_, incoming, adjacency)]) = self.common.as_deref()
            && !skips_loops(self.direction, incoming)
        {
            return Ok(self.reader(adjacency).append::<IDS>(nodes, lists)?);
        }
        for &node in nodes {
            let view = self.source.view;
            let may_have = view.adjacencies_of(NodeId(node), self.direction, &types);
            for (_, incoming, adjacency) in types.lists(self.direction, may_have) {
                let start = lists.neighbors.len();
                let reader = self.reader(adjacency);
                let _ = reader.for_each_segment(node, |neighbors, ids| {
                    lists.neighbors.extend_from_slice(neighbors);
                    if IDS {
                        lists.ids.extend_from_slice(ids);
                    }
                    ControlFlow::<()>::Continue(())
                })?;
                if skips_loops(self.direction, incoming) {
                    remove_loops::<IDS>(lists, start, node);
                }
            }
            lists.ends.push(lists.neighbors.len());
        }
        Ok(())
    }

    /// Appends the lists of a node that the transaction has changed.
    fn read_changed<const IDS: bool>(
        &self,
        node: u32,
        kinds: Vec<TypeCode>,
        lists: &mut ManyLists,
    ) -> Result<(), GraphError> {
        let overlay = self.source.overlay.expect("it has changed relationships");
        let mut push = |adjacent: Adjacent| {
            lists.neighbors.push(adjacent.neighbor.0);
            if IDS {
                lists.ids.push(adjacent.relationship.0);
            }
            ControlFlow::<()>::Continue(())
        };
        let view = self.source.view;
        let _ = expand_changed(
            view,
            overlay,
            NodeId(node),
            self.direction,
            kinds,
            &mut push,
        )?;
        lists.ends.push(lists.neighbors.len());
        Ok(())
    }

    /// How many relationships each node has. Reads lengths; where loops would count twice,
    /// also the shorter list of those that have both.
    pub(super) fn degrees(&mut self, nodes: &[u32]) -> Result<Vec<u64>, GraphError> {
        let mut degrees = vec![0; nodes.len()];
        let mut done = 0;
        while done < nodes.len() {
            let left = &nodes[done..];
            if let Some(kinds) = self.source.changed_types(left[0], self.asked) {
                degrees[done] = self.changed_degree(left[0], kinds)?;
                done += 1;
                continue;
            }
            let same = self.unchanged(left);
            let (nodes, degrees) = (&left[..same], &mut degrees[done..done + same]);
            self.add_lengths(nodes, degrees)?;
            if self.direction == Direction::Both {
                self.take_loops(nodes, degrees)?;
            }
            done += same;
        }
        Ok(degrees)
    }

    /// Takes off the loops that two lists count.
    fn take_loops(&mut self, nodes: &[u32], degrees: &mut [u64]) -> Result<(), GraphError> {
        let shift = self.source.view.core().store.section_shift();
        let types = self.types.clone();
        for &kind in types.codes() {
            let mut done = 0;
            while done < nodes.len() {
                let number = nodes[done] >> shift;
                let same = nodes[done..]
                    .iter()
                    .position(|&node| node >> shift != number);
                let until = same.map_or(nodes.len(), |same| done + same);
                let (run, degrees) = (&nodes[done..until], &mut degrees[done..until]);
                match run.len() >= MANY_OF_SECTION {
                    true => {
                        let loops = self.loops_of(kind, number)?;
                        take_from(&loops, run, shift, degrees);
                    }
                    false => self.take_loops_of_lists(kind, run, degrees)?,
                }
                done = until;
            }
        }
        Ok(())
    }

    /// The same, by the shorter of both lists of each node.
    fn take_loops_of_lists(
        &mut self,
        kind: TypeCode,
        nodes: &[u32],
        degrees: &mut [u64],
    ) -> Result<(), GraphError> {
        let [out, incoming] = [false, true].map(|incoming| adjacency_of(kind, incoming));
        let mut lengths = [vec![0; nodes.len()], vec![0; nodes.len()]];
        self.reader(out).add_degrees(nodes, &mut lengths[0])?;
        self.reader(incoming).add_degrees(nodes, &mut lengths[1])?;
        let [of_out, of_incoming] = lengths;
        let is_out = |at: usize| of_out[at] <= of_incoming[at];
        self.reader(out).take_loops(nodes, is_out, degrees)?;
        self.reader(incoming)
            .take_loops(nodes, |at| !is_out(at), degrees)?;
        Ok(())
    }

    /// Loops of a type in a section, looked for once after each change of its lists.
    fn loops_of(&mut self, kind: TypeCode, section: u32) -> Result<Loops, GraphError> {
        let known = &self.source.view.core().loops;
        let shift = self.source.view.core().store.section_shift();
        let (first, out) = (section << shift, adjacency_of(kind, false));
        let reader = self.reader(out);
        let changed_at = reader.changed_at(first)?;
        if let Some(loops) = known.get((out, section), changed_at) {
            return Ok(loops);
        }
        let nodes: Vec<u32> = (first..first + (1 << shift)).collect();
        let mut negative = vec![0; nodes.len()];
        reader.take_loops(&nodes, |_| true, &mut negative)?;
        let counts = negative
            .iter()
            .map(|count: &u64| count.wrapping_neg() as u32);
        let loops = (0..).zip(counts).filter(|&(_, count)| count > 0);
        let loops: Loops = loops.collect();
        known.keep((out, section), changed_at, &loops);
        Ok(loops)
    }

    /// Relationships of a node that the transaction has changed.
    fn changed_degree(&mut self, node: u32, kinds: Vec<TypeCode>) -> Result<u64, GraphError> {
        let overlay = self.source.overlay.expect("it has changed relationships");
        let is_new = overlay.creates::<NodeRecord>(node);
        let mut degree = 0;
        for (kind, incoming, adjacency) in
            TypeSet::of(kinds).lists(self.direction, AdjacencySet::ALL)
        {
            let list = List {
                node,
                kind,
                incoming,
            };
            degree += overlay.degree_change(list);
            if !is_new {
                degree += self.reader(adjacency).degree(node)? as i64;
            }
            if !skips_loops(self.direction, incoming) {
                continue;
            }
            let own = overlay.created(list);
            degree -= own.filter(|entry| entry.0 == node).count() as i64;
            if !is_new {
                let is_loop = |(&other, &id): (&u32, &u32)| {
                    other == node && !overlay.deletes_relationship(id)
                };
                let _ = self
                    .reader(adjacency)
                    .for_each_segment(node, |neighbors, ids| {
                        let entries = neighbors.iter().zip(ids);
                        degree -= entries.filter(|&entry| is_loop(entry)).count() as i64;
                        ControlFlow::<()>::Continue(())
                    })?;
            }
        }
        Ok(degree as u64)
    }
}

/// Takes the loops of a section off the degrees of some of its nodes.
fn take_from(loops: &[(u32, u32)], nodes: &[u32], shift: u32, degrees: &mut [u64]) {
    if loops.is_empty() {
        return;
    }
    let mask = (1 << shift) - 1;
    for (&node, degree) in nodes.iter().zip(degrees) {
        if let Ok(at) = loops.binary_search_by_key(&(node & mask), |&(place, _)| place) {
            *degree -= u64::from(loops[at].1);
        }
    }
}

/// Takes the loops out of a node's list, which begins at `start`.
fn remove_loops<const IDS: bool>(lists: &mut ManyLists, start: usize, node: u32) {
    if !lists.neighbors[start..].contains(&node) {
        return;
    }
    let mut kept = start;
    for at in start..lists.neighbors.len() {
        if lists.neighbors[at] != node {
            lists.neighbors[kept] = lists.neighbors[at];
            if IDS {
                lists.ids[kept] = lists.ids[at];
            }
            kept += 1;
        }
    }
    lists.neighbors.truncate(kept);
    if IDS {
        lists.ids.truncate(kept);
    }
}
