//! Uncommitted changes of a transaction.
//!
//! Records are replaced whole. Each changed record remembers its committed version, so
//! that indexes learn which entries go. A savepoint is a position in the undo list, which
//! is empty as long as there is none.

mod lists;
mod orders;

use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use evergraph_storage::layout::WALKED_AT_MOST;

pub use lists::List;
use lists::Lists;
pub use orders::KeyOf;
use orders::Orders;

use super::error::TransactionError;
use crate::records::{NodeRecord, Record, RelationshipRecord};

/// Bytes of a change, beside the new record: its place in the map and in the lists, and
/// the pointer to the old record.
const CHANGE_BYTES: usize = 96;

/// A record that a transaction touched.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<R> {
    before: Option<Arc<R>>,
    after: Option<Arc<R>>,
}

impl<R> Change<R> {
    /// As of the snapshot; `None` if the transaction made it.
    pub fn before(&self) -> Option<&Arc<R>> {
        self.before.as_ref()
    }

    /// New version; `None` if the transaction deleted the record.
    pub fn after(&self) -> Option<&Arc<R>> {
        self.after.as_ref()
    }

    /// Whether the transaction made it, and it is still there.
    pub fn is_created(&self) -> bool {
        self.before.is_none() && self.after.is_some()
    }

    /// Whether a committed record was deleted.
    pub fn is_deleted(&self) -> bool {
        self.before.is_some() && self.after.is_none()
    }

    /// Whether a commit would have an effect: a record that was made and deleted again
    /// has none.
    pub fn has_effect(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }
}

/// A point that [`Overlay::rollback_to`] can go back to. They nest: going back to one, or
/// releasing it, ends those taken after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint {
    number: u64,
}

/// How to undo one change.
#[derive(Debug)]
enum Undo {
    Node(u32, Option<Change<NodeRecord>>),
    Relationship(u32, Option<Change<RelationshipRecord>>),
}

impl Undo {
    fn bytes(&self) -> usize {
        match self {
            Undo::Node(_, old) => CHANGE_BYTES + bytes_of(old.as_ref()),
            Undo::Relationship(_, old) => CHANGE_BYTES + bytes_of(old.as_ref()),
        }
    }
}

/// DRAM of the new record.
fn bytes_of<R: Record>(change: Option<&Change<R>>) -> usize {
    change.map_or(0, |change| match &change.after {
        Some(after) => Overlay::bytes_of(&**after),
        None => CHANGE_BYTES,
    })
}

/// Changes of one transaction, all of them invisible to others.
#[derive(Debug, Default)]
pub struct Overlay {
    nodes: BTreeMap<u32, Change<NodeRecord>>,
    relationships: BTreeMap<u32, Change<RelationshipRecord>>,
    lists: Lists,
    node_orders: Orders<NodeRecord>,
    relationship_orders: Orders<RelationshipRecord>,
    undo: Vec<Undo>,
    /// Number of each savepoint and the length of `undo` at it.
    savepoints: Vec<(u64, usize)>,
    /// Bytes of DRAM of all changes and of the undo list; without orders.
    bytes: usize,
    next_savepoint: u64,
}

impl Overlay {
    /// Change of a node; `None` if it is as it was committed.
    pub fn node(&self, id: u32) -> Option<&Change<NodeRecord>> {
        self.nodes.get(&id)
    }

    /// Change of a relationship; `None` if it is as it was committed.
    pub fn relationship(&self, id: u32) -> Option<&Change<RelationshipRecord>> {
        self.relationships.get(&id)
    }

    /// DRAM that it occupies, about. O(1).
    pub fn bytes(&self) -> usize {
        self.bytes + self.node_orders.bytes() + self.relationship_orders.bytes()
    }

    /// DRAM that a changed record will occupy.
    pub fn bytes_of<R: Record>(record: &R) -> usize {
        CHANGE_BYTES + size_of::<R>() + record.heap_bytes()
    }

    /// Changed nodes, ascending by id; some without effect.
    pub fn nodes(
        &self,
    ) -> impl ExactSizeIterator<Item = (u32, &Change<NodeRecord>)> + DoubleEndedIterator {
        self.nodes.iter().map(|(&id, change)| (id, change))
    }

    /// Changed relationships, ascending by id; some without effect.
    pub fn relationships(
        &self,
    ) -> impl ExactSizeIterator<Item = (u32, &Change<RelationshipRecord>)> + DoubleEndedIterator
    {
        self.relationships.iter().map(|(&id, change)| (id, change))
    }

    /// Changed nodes that an index has under the keys from one on up to another,
    /// exclusively, by key and id. The index is that of this number, and sees records
    /// as `by` does. O(log) for each; the first call for an index goes through all changes.
    pub fn nodes_by(
        &self,
        number: u32,
        by: &Arc<dyn KeyOf<NodeRecord>>,
        from: &[u8],
        to: Option<&[u8]>,
    ) -> Vec<u32> {
        self.node_orders.range(number, by, &self.nodes, from, to)
    }

    /// As [`Overlay::nodes_by`], for relationships.
    pub fn relationships_by(
        &self,
        number: u32,
        by: &Arc<dyn KeyOf<RelationshipRecord>>,
        from: &[u8],
        to: Option<&[u8]>,
    ) -> Vec<u32> {
        let orders = &self.relationship_orders;
        orders.range(number, by, &self.relationships, from, to)
    }

    /// Neighbor and id of each relationship made here, of one list, ascending by
    /// id.
    pub fn created(&self, list: List) -> impl Iterator<Item = (u32, u32)> {
        self.lists.created(list)
    }

    /// Lists of a node in which something was made or deleted here.
    pub fn lists_of(&self, node: u32) -> impl Iterator<Item = List> {
        self.lists.of(node)
    }

    /// By how much the transaction changed the length of a list.
    pub fn degree_change(&self, list: List) -> i64 {
        self.lists.degree_change(list)
    }

    /// Whether a committed relationship was deleted here.
    pub fn deletes_relationship(&self, id: u32) -> bool {
        self.relationship(id).is_some_and(Change::is_deleted)
    }

    /// Whether the node was made here.
    pub fn creates_node(&self, id: u32) -> bool {
        self.node(id).is_some_and(Change::is_created)
    }

    /// Whether the relationship was made here.
    pub fn creates_relationship(&self, id: u32) -> bool {
        self.relationship(id).is_some_and(Change::is_created)
    }

    /// Committed nodes as the transaction sees them, with those that it made:
    /// both ascending by id, and so is the result. Only changes within `ids` are
    /// merged in.
    pub fn merge_nodes<'a, I>(
        &'a self,
        ids: impl RangeBounds<u32>,
        committed: I,
    ) -> impl Iterator<Item = (u32, Arc<NodeRecord>)>
    where
        I: Iterator<Item = (u32, Arc<NodeRecord>)> + 'a,
    {
        merge(&self.nodes, ids, committed)
    }

    /// As [`Overlay::merge_nodes`], for relationships.
    pub fn merge_relationships<'a, I>(
        &'a self,
        ids: impl RangeBounds<u32>,
        committed: I,
    ) -> impl Iterator<Item = (u32, Arc<RelationshipRecord>)>
    where
        I: Iterator<Item = (u32, Arc<RelationshipRecord>)> + 'a,
    {
        merge(&self.relationships, ids, committed)
    }

    /// Whether a commit would have no effect.
    pub fn is_empty(&self) -> bool {
        !self.nodes.values().any(Change::has_effect)
            && !self.relationships.values().any(Change::has_effect)
    }

    /// Sets the new version of a node, `None` for deleted. `committed` is its version as
    /// of the snapshot, and counts at its first change only.
    pub fn put_node(
        &mut self,
        id: u32,
        committed: Option<Arc<NodeRecord>>,
        after: Option<Arc<NodeRecord>>,
    ) {
        let old = self.nodes.get(&id).cloned();
        let before = old.as_ref().map_or(committed, |old| old.before.clone());
        self.set_node(id, Some(Change { before, after }));
        self.remember(Undo::Node(id, old));
    }

    /// As [`Overlay::put_node`], for a relationship.
    pub fn put_relationship(
        &mut self,
        id: u32,
        committed: Option<Arc<RelationshipRecord>>,
        after: Option<Arc<RelationshipRecord>>,
    ) {
        let old = self.relationships.get(&id).cloned();
        let before = old.as_ref().map_or(committed, |old| old.before.clone());
        self.set_relationship(id, Some(Change { before, after }));
        self.remember(Undo::Relationship(id, old));
    }

    fn set_node(&mut self, id: u32, change: Option<Change<NodeRecord>>) {
        let after = change.as_ref().and_then(|change| change.after.as_deref());
        let old = self.nodes.get(&id);
        let before = old.and_then(|change| change.after.as_deref());
        self.node_orders.follow(id, before, after);
        self.bytes += bytes_of(change.as_ref());
        let old = match change {
            Some(change) => self.nodes.insert(id, change),
            None => self.nodes.remove(&id),
        };
        self.bytes -= bytes_of(old.as_ref());
    }

    fn set_relationship(&mut self, id: u32, change: Option<Change<RelationshipRecord>>) {
        let old = self.relationships.get(&id);
        self.lists.replace(id, old, change.as_ref());
        let after = change.as_ref().and_then(|change| change.after.as_deref());
        let before = old.and_then(|change| change.after.as_deref());
        self.relationship_orders.follow(id, before, after);
        self.bytes += bytes_of(change.as_ref());
        let old = match change {
            Some(change) => self.relationships.insert(id, change),
            None => self.relationships.remove(&id),
        };
        self.bytes -= bytes_of(old.as_ref());
    }

    fn remember(&mut self, undo: Undo) {
        if !self.savepoints.is_empty() {
            self.bytes += undo.bytes();
            self.undo.push(undo);
        }
        self.invariants();
    }

    /// Entries that lookups by indexes have looked at.
    #[cfg(test)]
    pub(crate) fn visited(&self) -> usize {
        self.node_orders.visited() + self.relationship_orders.visited()
    }

    /// Panics in debug builds if changes, their undo list and their bytes contradict each
    /// other, as far as it is cheap to see.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            !self.savepoints.is_empty() || self.undo.is_empty(),
            "nothing is remembered where nothing can be undone"
        );
        assert!(
            self.savepoints.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1)
                && self
                    .savepoints
                    .last()
                    .is_none_or(|last| last.1 <= self.undo.len()),
            "savepoints nest: {:?} in {} changes",
            self.savepoints,
            self.undo.len()
        );
        let changes = self.nodes.len() + self.relationships.len() + self.undo.len();
        if changes <= WALKED_AT_MOST {
            let nodes = self.nodes.values().map(|change| bytes_of(Some(change)));
            let relationships = self.relationships.values();
            let relationships = relationships.map(|change| bytes_of(Some(change)));
            let undo = self.undo.iter().map(Undo::bytes);
            assert_eq!(
                self.bytes,
                nodes.chain(relationships).chain(undo).sum(),
                "DRAM of what was changed"
            );
            self.node_orders.invariants(&self.nodes);
            self.relationship_orders.invariants(&self.relationships);
        }
    }

    /// A place to come back to. O(1).
    pub fn savepoint(&mut self) -> Savepoint {
        let number = self.next_savepoint;
        self.next_savepoint += 1;
        self.savepoints.push((number, self.undo.len()));
        Savepoint { number }
    }

    /// Undoes the changes since a savepoint, which stays.
    ///
    /// # Errors
    /// [`TransactionError::NoSavepoint`].
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> Result<(), TransactionError> {
        let at = self.find(savepoint)?;
        self.savepoints.truncate(at + 1);
        let keep = self.savepoints[at].1;
        while self.undo.len() > keep {
            let undo = self.undo.pop();
            self.bytes -= undo.as_ref().map_or(0, Undo::bytes);
            match undo {
                Some(Undo::Node(id, old)) => self.set_node(id, old),
                Some(Undo::Relationship(id, old)) => self.set_relationship(id, old),
                None => break,
            }
        }
        self.invariants();
        Ok(())
    }

    /// Gives up a savepoint and those after it; the changes stay.
    ///
    /// # Errors
    /// [`TransactionError::NoSavepoint`].
    pub fn release(&mut self, savepoint: Savepoint) -> Result<(), TransactionError> {
        let at = self.find(savepoint)?;
        self.savepoints.truncate(at);
        if self.savepoints.is_empty() {
            self.bytes -= self.undo.iter().map(Undo::bytes).sum::<usize>();
            self.undo.clear();
        }
        self.invariants();
        Ok(())
    }

    fn find(&self, savepoint: Savepoint) -> Result<usize, TransactionError> {
        let found = self
            .savepoints
            .binary_search_by_key(&savepoint.number, |entry| entry.0);
        found.map_err(|_| TransactionError::NoSavepoint)
    }
}

/// Committed records with changes in their place, ascending by id.
fn merge<'a, R: 'a, I>(
    changes: &'a BTreeMap<u32, Change<R>>,
    ids: impl RangeBounds<u32>,
    committed: I,
) -> impl Iterator<Item = (u32, Arc<R>)>
where
    I: Iterator<Item = (u32, Arc<R>)> + 'a,
{
    let bounds: (Bound<u32>, Bound<u32>) = (ids.start_bound().cloned(), ids.end_bound().cloned());
    let mut changed = changes.range(bounds).peekable();
    let mut committed = committed.peekable();
    std::iter::from_fn(move || {
        loop {
            let next = committed.peek().map(|record| record.0);
            let Some(&(&id, change)) = changed.peek() else {
                return committed.next();
            };
            if next.is_some_and(|next| next < id) {
                return committed.next();
            }
            if next == Some(id) {
                committed.next();
            }
            changed.next();
            if let Some(after) = &change.after {
                return Some((id, Arc::clone(after)));
            }
        }
    })
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::sync::Arc;

    use super::{NodeRecord, Overlay};

    fn overlay() -> Overlay {
        let mut overlay = Overlay::default();
        overlay.savepoint();
        overlay.put_node(1, None, Some(Arc::new(NodeRecord::default())));
        overlay
    }

    #[test]
    #[should_panic(expected = "DRAM of what was changed")]
    fn bytes_are_those_of_the_changes() {
        let mut overlay = overlay();
        overlay.nodes.clear();
        overlay.invariants();
    }

    #[test]
    #[should_panic(expected = "savepoints nest")]
    fn savepoints_lie_in_what_is_remembered() {
        let mut overlay = overlay();
        overlay.savepoints[0].1 = 2;
        overlay.invariants();
    }

    #[test]
    #[should_panic(expected = "where nothing can be undone")]
    fn without_savepoints_nothing_is_remembered() {
        let mut overlay = overlay();
        overlay.savepoints.clear();
        overlay.invariants();
    }
}
