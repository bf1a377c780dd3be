//! The neighbors of a node, as a view and as a transaction show them.

use std::borrow::Cow;
use std::ops::ControlFlow;

use evergraph_topology::{AdjacencySet, ListReader};

use super::adjacency::{Adjacent, for_each_listed, skips_loops};
use super::direction::Direction;
use super::expander::Expander;
use super::types::{ListOf, TypeSet, adjacency_of};
use crate::dictionary::{Names, TypeCode};
use crate::graph::error::GraphError;
use crate::graph::ids::{NodeId, RelationshipId};
use crate::graph::transaction::Transaction;
use crate::graph::view::View;
use crate::record::NodeRecord;
use crate::transaction::{Changed, List, Predicate};

/// So many lists are read without asking first which there are.
const FEW_LISTS: usize = 4;

impl View {
    /// The relationships of a node in one direction or both, of some types or,
    /// if none is named, of all. In insertion order for each type and direction;
    /// a loop comes once. A node that does not exist has none, and so has a type.
    ///
    /// # Errors
    /// Damage, found at the first read of a section.
    pub fn neighbors(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
    ) -> Result<Vec<Adjacent>, GraphError> {
        let mut found = Vec::new();
        let _ = self.expand_lists(
            node,
            direction,
            &self.types(types),
            |list, neighbors, ids| {
                found.reserve(neighbors.len());
                for_each_listed(node, direction, list, neighbors, ids, |adjacent| {
                    found.push(adjacent);
                    ControlFlow::<()>::Continue(())
                })
            },
        )?;
        Ok(found)
    }

    /// Calls `visit` with the neighbors that [`View::neighbors`] gathers, in the same
    /// order, until it breaks. Of many types, only the lists that the node has are read:
    /// the first query for many types in a section of nodes finds out which lists all of
    /// them have.
    ///
    /// Nothing is allocated unless a list has deletions. Names of types are looked up
    /// once for each of the first few lists of them that the view is asked for.
    ///
    /// # Errors
    /// As [`View::neighbors`].
    #[inline]
    pub fn for_each_neighbor<B>(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
        visit: impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        self.expand(node, direction, &self.types(types), visit)
    }

    /// As [`View::for_each_neighbor`], of types that were looked up before.
    #[inline]
    pub(in crate::graph) fn expand<B>(
        &self,
        node: NodeId,
        direction: Direction,
        types: &TypeSet,
        mut visit: impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        self.expand_lists(node, direction, types, |list, neighbors, ids| {
            for_each_listed(node, direction, list, neighbors, ids, &mut visit)
        })
    }

    /// The same slice by slice: which list, the nodes at the other ends, and ids. A
    /// loop comes in both directions.
    #[inline]
    fn expand_lists<B>(
        &self,
        node: NodeId,
        direction: Direction,
        types: &TypeSet,
        mut visit: impl FnMut(ListOf, &[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let may_have = self.adjacencies_of(node, direction, types);
        for list in types.lists(direction, may_have) {
            let each = |neighbors: &[u32], ids: &[u32]| visit(list, neighbors, ids);
            let flow = self.read_list(node, list, each)?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// One list of a node, slice by slice.
    #[inline]
    pub(in crate::graph) fn read_list<B>(
        &self,
        node: NodeId,
        (_, _, adjacency): ListOf,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let (store, pins) = (&self.core.store, &self.read.pins);
        Ok(store.read_list(self.token(), pins, adjacency, node.0, visit)?)
    }

    /// Reads the relationships of many nodes, of some types or, if none is named, of
    /// all, faster than [`View::for_each_neighbor`]: what it has read it keeps until it
    /// is dropped, up to a thousand sections of nodes for each list, also while merges
    /// replace them.
    pub fn expander(&self, direction: Direction, types: &[&str]) -> Expander<'_> {
        Expander::new(self, direction, self.types(types).into_owned())
    }

    /// Lists that a node may have, if the question is worth its cost.
    #[inline(always)]
    pub(in crate::graph) fn adjacencies_of(
        &self,
        node: NodeId,
        direction: Direction,
        types: &TypeSet,
    ) -> AdjacencySet {
        match self.has_few_lists(direction, types) {
            true => AdjacencySet::ALL,
            false => self.core.store.adjacencies_of(node.0),
        }
    }

    /// Whether there are so few lists that it is not asked first which a node has.
    #[inline(always)]
    pub(in crate::graph) fn has_few_lists(&self, direction: Direction, types: &TypeSet) -> bool {
        types.codes().len() * direction.lists().len() < FEW_LISTS
    }

    /// Reader of the lists of one adjacency.
    pub(in crate::graph) fn list_reader(&self, adjacency: usize) -> ListReader<'_> {
        let store = &self.core.store;
        store.reader_with(self.token(), &self.read.pins, adjacency)
    }

    /// How many relationships [`View::neighbors`] would give.
    ///
    /// # Errors
    /// As [`View::neighbors`].
    pub fn degree(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
    ) -> Result<usize, GraphError> {
        let mut degree = 0;
        let _ = self.expand_lists(node, direction, &self.types(types), |list, neighbors, _| {
            degree += match skips_loops(direction, list.1) {
                false => neighbors.len(),
                true => neighbors.iter().filter(|&&n| n != node.0).count(),
            };
            ControlFlow::<()>::Continue(())
        })?;
        Ok(degree)
    }

    /// Whether a node has any relationship.
    pub fn has_relationships(&self, node: NodeId) -> Result<bool, GraphError> {
        let found = self.for_each_neighbor(node, Direction::Both, &[], ControlFlow::Break)?;
        Ok(found.is_break())
    }

    /// The relationships that leave a node, or enter it, until `each` breaks.
    pub(in crate::graph) fn for_each_attached(
        &self,
        node: NodeId,
        incoming: bool,
        each: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(), GraphError> {
        let direction = match incoming {
            false => Direction::Outgoing,
            true => Direction::Incoming,
        };
        let _ = self.expand_lists(node, direction, self.all_types(), |_, _, ids| {
            ids.iter().try_for_each(|&id| each(id))
        })?;
        Ok(())
    }

    /// The types of these names, or all that there are if none is named. What is no
    /// name of a type is left out.
    #[inline]
    pub(in crate::graph) fn types(&self, names: &[&str]) -> Cow<'_, TypeSet> {
        if names.is_empty() {
            return Cow::Borrowed(self.all_types());
        }
        match self.read.types.recall(names) {
            Some(types) => Cow::Borrowed(types),
            None => Cow::Owned(self.look_up_types(names)),
        }
    }

    #[cold]
    fn look_up_types(&self, names: &[&str]) -> TypeSet {
        let code = |&name: &&str| self.dictionary().code(Names::Types, name);
        let codes: Vec<TypeCode> = names
            .iter()
            .filter_map(code)
            .filter_map(|code| TypeCode::try_from(code).ok())
            .collect();
        // A name without a code may get one later, so that answer is not remembered.
        let all_are_known = codes.len() == names.len();
        let types = TypeSet::of(codes);
        if all_are_known {
            self.read.types.remember(names, types.clone());
        }
        types
    }

    /// All types that the view may show; those that come later it does not.
    pub(in crate::graph) fn all_types(&self) -> &TypeSet {
        let read = || TypeSet::of(self.core.store.relationship_types());
        self.read.all_types.get_or_init(read)
    }
}

impl Transaction {
    /// As [`View::neighbors`]; the transaction's own relationships come last in each
    /// list.
    ///
    /// # Errors
    /// As [`View::neighbors`].
    pub fn neighbors(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
    ) -> Result<Vec<Adjacent>, GraphError> {
        let mut found = Vec::new();
        let _ = self.for_each_neighbor(node, direction, types, |adjacent| {
            found.push(adjacent);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(found)
    }

    /// Calls `visit` with the neighbors that [`Transaction::neighbors`] gathers, in the
    /// same order, until it breaks.
    ///
    /// # Errors
    /// As [`View::neighbors`].
    pub fn for_each_neighbor<B>(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
        mut visit: impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        if self.is_serializable() {
            self.has_read_lists(node, direction, types);
        }
        let overlay = self.inner.overlay();
        let view = self.snapshot();
        let known = view.types(types);
        let mut changed = overlay.lists_of(node.0).map(|list| list.kind).peekable();
        if changed.peek().is_none() && !overlay.creates::<NodeRecord>(node.0) {
            return view.expand(node, direction, &known, visit);
        }
        let mut kinds = known.codes().to_vec();
        match types.is_empty() {
            true => kinds.extend(changed),
            false => kinds.extend(self.new_types(types)),
        }
        self.expand_changed(node, direction, kinds, &mut visit)
    }

    /// How many relationships [`Transaction::neighbors`] would give.
    ///
    /// # Errors
    /// As [`View::neighbors`].
    pub fn degree(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
    ) -> Result<usize, GraphError> {
        let mut degree = 0;
        let _ = self.for_each_neighbor(node, direction, types, |_| {
            degree += 1;
            ControlFlow::<()>::Continue(())
        })?;
        Ok(degree)
    }

    /// The relationships of some types, of a node that the transaction made or
    /// has changed the relationships of.
    pub(in crate::graph) fn expand_changed<B>(
        &self,
        node: NodeId,
        direction: Direction,
        kinds: Vec<TypeCode>,
        visit: &mut impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let (view, overlay) = (self.snapshot(), self.inner.overlay());
        expand_changed(view, overlay, node, direction, kinds, visit)
    }

    /// Types that it is the first to use, of some names.
    fn new_types(&self, types: &[&str]) -> impl Iterator<Item = TypeCode> {
        let codes = types
            .iter()
            .filter_map(|name| self.names.code(Names::Types, name));
        codes.filter_map(|code| TypeCode::try_from(code).ok())
    }

    /// Records the reads of a serializable transaction.
    fn has_read_lists(&self, node: NodeId, direction: Direction, types: &[&str]) {
        let kinds: Vec<TypeCode> = types
            .iter()
            .filter_map(|name| self.code(Names::Types, name))
            .filter_map(|code| TypeCode::try_from(code).ok())
            .collect();
        for &incoming in direction.lists() {
            if types.is_empty() {
                self.inner.has_read(Predicate::Neighbors(node.0, incoming));
            }
            for &kind in &kinds {
                self.inner.has_read(Predicate::List(List {
                    node: node.0,
                    kind,
                    incoming,
                }));
            }
        }
    }
}

/// The relationships of some types as a transaction with these changes shows them, of a
/// node that it made or has changed the relationships of.
pub(in crate::graph) fn expand_changed<B>(
    view: &View,
    overlay: &Changed,
    node: NodeId,
    direction: Direction,
    kinds: Vec<TypeCode>,
    visit: &mut impl FnMut(Adjacent) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, GraphError> {
    let types = TypeSet::of(kinds);
    let committed = match overlay.creates::<NodeRecord>(node.0) {
        true => AdjacencySet::NONE,
        false => view.adjacencies_of(node, direction, &types),
    };
    let changed = overlay.lists_of(node.0);
    let changed = changed.map(|list| adjacency_of(list.kind, list.incoming));
    for list in types.lists(direction, committed.or(changed.collect())) {
        let (kind, incoming, adjacency) = list;
        if committed.may_contain(adjacency) {
            let is_deleted = |id: RelationshipId| overlay.deletes_relationship(id.0);
            let mut visit_if_there = |adjacent: Adjacent| {
                if is_deleted(adjacent.relationship) {
                    return ControlFlow::Continue(());
                }
                visit(adjacent)
            };
            let flow = view.read_list(node, list, |neighbors, ids| {
                for_each_listed(node, direction, list, neighbors, ids, &mut visit_if_there)
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        let created = overlay.created(List {
            node: node.0,
            kind,
            incoming,
        });
        for (neighbor, id) in created {
            let (neighbors, ids) = (&[neighbor], &[id]);
            let flow = for_each_listed(node, direction, list, neighbors, ids, &mut *visit);
            if flow.is_break() {
                return Ok(flow);
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}
