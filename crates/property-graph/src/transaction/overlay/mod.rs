//! Uncommitted changes of a transaction.
//!
//! Of a committed record a change has the labels, the properties that were written, and
//! those that indexes and constraints are about, as they were and as they are; the others
//! stand in the committed record, so that a change of a wide one takes little. A savepoint
//! is a position in the undo list, which is empty as long as there is none. A statement
//! reads a copy of the changes, which costs nothing: both share what the transaction does
//! not change afterwards.

mod lists;
mod map;
mod orders;

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::layout::WALKED_AT_MOST;

pub(crate) use lists::List;
use lists::Lists;
use map::SharedMap;
pub(crate) use orders::KeyOf;
use orders::Orders;

use super::committed::CommittedState;
use super::error::TransactionError;
use crate::dictionary::KeyCode;
use crate::record::{NodeRecord, Record, RelationshipRecord};
use crate::value::Value;

/// Bytes of a change, beside its records: its place in the map and in the lists.
const CHANGE_BYTES: usize = 96;

/// Bytes of a shared allocation beside its content.
const SHARED_BYTES: usize = 16;

/// A record that a transaction touched.
#[derive(Debug, PartialEq)]
pub(crate) struct Change<R> {
    /// With properties of the keys of definitions alone.
    before: Option<Arc<R>>,
    /// Whole if the transaction made it; else with the properties that were written and
    /// those of the keys of definitions.
    after: Option<Arc<R>>,
    /// Of a record that the transaction made and deleted again, its last version.
    gone: Option<Arc<R>>,
    /// Keys of a committed record that were written; ascending.
    written: Arc<[KeyCode]>,
    /// DRAM of the properties and labels of the new record, with those that are not here.
    whole_bytes: usize,
    /// DRAM that it occupies, about, without what it shares with a change before it.
    bytes: usize,
    /// The part of that for `before`.
    before_bytes: usize,
    /// Number of the innermost savepoint at it: the undo list has what was there.
    savepoint: Option<u64>,
}

impl<R> Clone for Change<R> {
    fn clone(&self) -> Self {
        Change {
            before: self.before.clone(),
            after: self.after.clone(),
            gone: self.gone.clone(),
            written: Arc::clone(&self.written),
            whole_bytes: self.whole_bytes,
            bytes: self.bytes,
            before_bytes: self.before_bytes,
            savepoint: self.savepoint,
        }
    }
}

impl<R> Change<R> {
    /// As of the snapshot, of its properties those that definitions are about; `None` if
    /// the transaction made it.
    pub(crate) fn before(&self) -> Option<&Arc<R>> {
        self.before.as_ref()
    }

    /// New version; `None` if the transaction deleted the record. Of a committed record it
    /// has the properties that were written and those that definitions are about: others
    /// need [`Change::record`] or [`Change::value`].
    pub(crate) fn after(&self) -> Option<&Arc<R>> {
        self.after.as_ref()
    }

    /// Keys of a committed record that were written.
    pub(crate) fn written(&self) -> &[KeyCode] {
        &self.written
    }

    /// DRAM of the new record beside itself, were it here whole.
    pub(crate) fn whole_bytes(&self) -> usize {
        self.whole_bytes
    }

    /// DRAM that it occupies, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last version, also of a record that was deleted.
    pub(crate) fn last(&self) -> Option<&Arc<R>> {
        let deleted = self.before.as_ref().or(self.gone.as_ref());
        self.after.as_ref().or(deleted)
    }

    /// Whether the transaction made it, and it is still there.
    pub(crate) fn is_created(&self) -> bool {
        self.before.is_none() && self.after.is_some()
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.before.is_some() && self.after.is_none()
    }

    /// Whether a commit would have an effect: a record that was made and deleted again
    /// has none.
    pub(crate) fn has_effect(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }
}

impl<R: Record> Change<R> {
    /// The value of a key in the new version, null if it has none; `None` if the committed
    /// record has it.
    pub(crate) fn value(&self, key: KeyCode) -> Option<Value> {
        let Some(after) = &self.after else {
            return Some(Value::Null);
        };
        let is_here = self.before.is_none() || self.written.binary_search(&key).is_ok();
        is_here.then(|| after.properties().get(key).cloned().unwrap_or_default())
    }

    /// The new version, whole; `None` if the record was deleted. `committed` gives the
    /// version that is committed.
    pub(crate) fn record<E>(
        &self,
        committed: impl FnOnce() -> Result<Option<Arc<R>>, E>,
    ) -> Result<Option<Arc<R>>, E> {
        match (&self.before, &self.after) {
            (Some(_), Some(_)) => Ok(self.over(committed()?.as_ref())),
            _ => Ok(self.after.clone()),
        }
    }

    /// As [`Change::record`], with the version that is committed.
    pub(crate) fn over(&self, committed: Option<&Arc<R>>) -> Option<Arc<R>> {
        let after = self.after.as_ref()?;
        let Some(committed) = committed.filter(|_| self.before.is_some()) else {
            return Some(Arc::clone(after));
        };
        let mut properties = committed.properties().clone();
        for &key in &*self.written {
            let value = after.properties().get(key);
            properties.set(key, value.cloned().unwrap_or_default());
        }
        Some(Arc::new(after.with_properties(properties)))
    }

    /// That of a record that the transaction makes.
    pub(crate) fn made(record: R) -> Self {
        Change {
            before: None,
            gone: None,
            written: Arc::default(),
            whole_bytes: record.heap_bytes(),
            bytes: CHANGE_BYTES + shared_bytes(&record),
            before_bytes: 0,
            savepoint: None,
            after: Some(Arc::new(record)),
        }
    }
}

/// DRAM of a record that is shared.
fn shared_bytes<R: Record>(record: &R) -> usize {
    SHARED_BYTES + size_of::<R>() + record.heap_bytes()
}

/// A record with the properties of some keys alone.
fn part_of<R: Record>(record: &R, is_kept: impl Fn(KeyCode) -> bool) -> R {
    let properties = record.properties().iter();
    let kept = properties.filter(|(key, _)| is_kept(*key));
    let kept = kept.map(|(key, value)| (key, value.clone()));
    record.with_properties(kept.collect())
}

/// A point that `Overlay::rollback_to` can go back to. They nest: going back to one, or
/// releasing it, ends those taken after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint {
    number: u64,
}

/// How to undo one change.
#[derive(Debug)]
pub(crate) enum Undo {
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

fn bytes_of<R>(change: Option<&Change<R>>) -> usize {
    change.map_or(0, Change::bytes)
}

/// Changed records of one kind.
#[derive(Debug)]
pub(crate) struct Changes<R> {
    by_id: SharedMap<u32, Change<R>>,
    orders: Orders<R>,
    /// The last part of a committed record without properties: that of the next change is
    /// often the same.
    last_before: Option<Arc<R>>,
    last_written: Arc<[KeyCode]>,
}

impl<R> Clone for Changes<R> {
    fn clone(&self) -> Self {
        Changes {
            by_id: self.by_id.clone(),
            orders: self.orders.copy(&self.by_id),
            last_before: self.last_before.clone(),
            last_written: Arc::clone(&self.last_written),
        }
    }
}

impl<R> Default for Changes<R> {
    fn default() -> Self {
        Changes {
            by_id: SharedMap::default(),
            orders: Orders::default(),
            last_before: None,
            last_written: Arc::default(),
        }
    }
}

impl<R: Record> Changes<R> {
    fn bytes(&self) -> usize {
        let changes = self.by_id.iter();
        changes.map(|(_, change)| bytes_of(Some(change))).sum()
    }

    /// The part of a committed record that a change keeps, and the DRAM that it takes.
    fn before(&mut self, now: &R, indexed: &[KeyCode]) -> (Arc<R>, usize) {
        let part = part_of(now, |key| indexed.contains(&key));
        if let Some(last) = self.last_before.as_ref().filter(|last| ***last == part) {
            return (Arc::clone(last), 0);
        }
        let bytes = shared_bytes(&part);
        let part = Arc::new(part);
        self.last_before = part.properties().is_empty().then(|| Arc::clone(&part));
        (part, bytes)
    }

    /// These keys, and the DRAM that they take.
    fn written(&mut self, keys: &[KeyCode]) -> (Arc<[KeyCode]>, usize) {
        if *self.last_written == *keys {
            return (Arc::clone(&self.last_written), 0);
        }
        self.last_written = Arc::from(keys);
        let bytes = SHARED_BYTES + size_of_val(keys);
        (Arc::clone(&self.last_written), bytes)
    }
}

/// A kind of records that transactions change.
pub(crate) trait Kind: Record {
    fn changes(changed: &Changed) -> &Changes<Self>;
    fn changes_mut(changed: &mut Changed) -> &mut Changes<Self>;
    fn undo(id: u32, old: Option<Change<Self>>) -> Undo;
    /// Makes the neighbor lists follow a change, before it replaces the old one.
    fn relink(changed: &mut Changed, id: u32, change: Option<&Change<Self>>);
    /// One as of a view of the committed state.
    fn committed<S: CommittedState>(
        state: &S,
        view: &S::View,
        id: u32,
    ) -> Result<Option<Arc<Self>>, S::Error>;
}

impl Kind for NodeRecord {
    fn changes(changed: &Changed) -> &Changes<Self> {
        &changed.nodes
    }

    fn changes_mut(changed: &mut Changed) -> &mut Changes<Self> {
        &mut changed.nodes
    }

    fn undo(id: u32, old: Option<Change<Self>>) -> Undo {
        Undo::Node(id, old)
    }

    fn relink(_: &mut Changed, _: u32, _: Option<&Change<Self>>) {}

    fn committed<S: CommittedState>(
        state: &S,
        view: &S::View,
        id: u32,
    ) -> Result<Option<Arc<Self>>, S::Error> {
        state.node(view, id)
    }
}

impl Kind for RelationshipRecord {
    fn changes(changed: &Changed) -> &Changes<Self> {
        &changed.relationships
    }

    fn changes_mut(changed: &mut Changed) -> &mut Changes<Self> {
        &mut changed.relationships
    }

    fn undo(id: u32, old: Option<Change<Self>>) -> Undo {
        Undo::Relationship(id, old)
    }

    fn relink(changed: &mut Changed, id: u32, change: Option<&Change<Self>>) {
        let old = changed.relationships.by_id.get(&id);
        changed.lists.replace(id, old, change);
    }

    fn committed<S: CommittedState>(
        state: &S,
        view: &S::View,
        id: u32,
    ) -> Result<Option<Arc<Self>>, S::Error> {
        state.relationship(view, id)
    }
}

/// What a transaction has changed. A copy costs nothing, and stays what it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    nodes: Changes<NodeRecord>,
    relationships: Changes<RelationshipRecord>,
    lists: Lists,
}

/// Changes of one transaction, all of them invisible to others.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    changed: Changed,
    undo: Vec<Undo>,
    /// Number of each savepoint, the length of `undo` at it, and whether nothing was changed
    /// before it.
    savepoints: Vec<(u64, usize, bool)>,
    /// Bytes of DRAM of all changes and of the undo list; without orders.
    bytes: usize,
    next_savepoint: u64,
}

impl std::ops::Deref for Overlay {
    type Target = Changed;

    fn deref(&self) -> &Changed {
        &self.changed
    }
}

impl Changed {
    /// Whether nothing was written, not even without effect.
    fn is_untouched(&self) -> bool {
        self.nodes.by_id.is_empty() && self.relationships.by_id.is_empty()
    }

    /// Change of a record; `None` if it is as it was committed.
    pub(crate) fn change<R: Kind>(&self, id: u32) -> Option<&Change<R>> {
        R::changes(self).by_id.get(&id)
    }

    /// Changed records, ascending by id; some without effect.
    pub(crate) fn changes<R: Kind>(&self) -> impl Iterator<Item = (u32, &Change<R>)> {
        let changes = R::changes(self).by_id.iter();
        changes.map(|(&id, change)| (id, change))
    }

    /// The highest id of a changed record.
    pub(crate) fn last_changed<R: Kind>(&self) -> Option<u32> {
        R::changes(self).by_id.last_key().copied()
    }

    /// As [`Changed::changes`], of some ids.
    pub(crate) fn changes_in<R: Kind>(
        &self,
        ids: impl RangeBounds<u32>,
    ) -> impl Iterator<Item = (u32, &Change<R>)> {
        let changes = R::changes(self).by_id.range(ids);
        changes.map(|(&id, change)| (id, change))
    }

    /// Changed records that an index has under the keys from one on up to another,
    /// exclusively, by key and id. The index is that of this number, and sees records
    /// as `by` does. O(log) for each; the first call for an index goes through all changes.
    pub(crate) fn changes_by<R: Kind>(
        &self,
        number: u32,
        by: &Arc<dyn KeyOf<R>>,
        from: &[u8],
        to: Option<&[u8]>,
    ) -> Vec<u32> {
        let changes = R::changes(self);
        changes.orders.range(number, by, &changes.by_id, from, to)
    }

    /// Entries that lookups by indexes have looked at.
    #[cfg(test)]
    pub(crate) fn visited(&self) -> usize {
        self.nodes.orders.visited() + self.relationships.orders.visited()
    }

    /// Neighbor and id of each relationship made here, of one list, ascending by
    /// id.
    pub(crate) fn created(&self, list: List) -> impl Iterator<Item = (u32, u32)> {
        self.lists.created(list)
    }

    /// Lists of a node in which something was made or deleted here.
    pub(crate) fn lists_of(&self, node: u32) -> impl Iterator<Item = List> {
        self.lists.of(node)
    }

    /// Whether no list was changed here, and no node made.
    pub(crate) fn has_no_lists(&self) -> bool {
        self.lists.is_empty() && NodeRecord::changes(self).by_id.is_empty()
    }

    /// By how much the transaction changed the length of a list.
    pub(crate) fn degree_change(&self, list: List) -> i64 {
        self.lists.degree_change(list)
    }

    /// Whether a committed relationship was deleted here.
    pub(crate) fn deletes_relationship(&self, id: u32) -> bool {
        self.change::<RelationshipRecord>(id)
            .is_some_and(Change::is_deleted)
    }

    pub(crate) fn creates<R: Kind>(&self, id: u32) -> bool {
        self.change::<R>(id).is_some_and(Change::is_created)
    }

    /// Committed records as the transaction sees them, with those that it made:
    /// both ascending by id, and so is the result. Only changes within `ids` are
    /// merged in; all committed records of these have to be there.
    pub(crate) fn merge<'a, R: Kind>(
        &'a self,
        ids: impl RangeBounds<u32>,
        committed: impl Iterator<Item = (u32, Arc<R>)> + 'a,
    ) -> impl Iterator<Item = (u32, Arc<R>)> {
        merge(&R::changes(self).by_id, ids, committed)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self
            .nodes
            .by_id
            .iter()
            .any(|(_, change)| change.has_effect())
            && !self
                .relationships
                .by_id
                .iter()
                .any(|(_, change)| change.has_effect())
    }
}

impl Overlay {
    /// DRAM that it occupies, about. O(1).
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.nodes.orders.bytes() + self.relationships.orders.bytes()
    }

    /// The change of a record to a new version, `None` for deleted. `now` is its version as
    /// the transaction sees it, and `indexed` are the keys of definitions.
    pub(crate) fn change_to<R: Kind>(
        &mut self,
        id: u32,
        now: &R,
        after: Option<R>,
        indexed: &[KeyCode],
    ) -> Change<R> {
        let changes = R::changes_mut(&mut self.changed);
        let old = changes.by_id.get(&id).cloned();
        let (before, before_bytes) = match &old {
            Some(old) => (old.before.clone(), old.before_bytes),
            None => {
                let (before, bytes) = changes.before(now, indexed);
                (Some(before), bytes)
            }
        };
        let mut bytes = CHANGE_BYTES + before_bytes;
        let whole_bytes = after.as_ref().map_or(0, R::heap_bytes);
        let mut written: Arc<[KeyCode]> = Arc::default();
        let after = match after {
            Some(after) if before.is_some() => {
                let mut keys = now.properties().differences(after.properties());
                keys.extend(old.iter().flat_map(Change::written));
                keys.sort_unstable();
                keys.dedup();
                let (keys, taken) = changes.written(&keys);
                (written, bytes) = (keys, bytes + taken);
                let is_written = |key| written.binary_search(&key).is_ok();
                let is_indexed =
                    |key| indexed.contains(&key) && !failpoint!("overlay.indexed-keys-lost");
                Some(part_of(&after, |key| is_written(key) || is_indexed(key)))
            }
            after => after,
        };
        let is_gone = before.is_none() && after.is_none();
        let gone = old.filter(|_| is_gone);
        let gone = gone.and_then(|old| old.last().cloned());
        bytes += after.as_ref().map_or(0, shared_bytes);
        bytes += gone.as_deref().map_or(0, shared_bytes);
        Change {
            before,
            after: after.map(Arc::new),
            gone,
            written,
            whole_bytes,
            bytes,
            before_bytes,
            savepoint: None,
        }
    }

    /// Makes a change the record's. Of several since a savepoint the first alone is
    /// remembered: a record may be changed as often as it has properties.
    pub(crate) fn put<R: Kind>(&mut self, id: u32, mut change: Change<R>) {
        let old = self.change::<R>(id).cloned();
        change.savepoint = self.savepoints.last().map(|&(number, ..)| number);
        let is_remembered = old
            .as_ref()
            .is_some_and(|old| old.savepoint == change.savepoint);
        self.set(id, Some(change));
        if !is_remembered {
            self.remember(R::undo(id, old));
        }
        self.invariants();
    }

    fn set<R: Kind>(&mut self, id: u32, change: Option<Change<R>>) {
        R::relink(&mut self.changed, id, change.as_ref());
        let changes = R::changes_mut(&mut self.changed);
        let after = change.as_ref().and_then(|change| change.after.as_deref());
        let old = changes.by_id.get(&id);
        let before = old.and_then(|change| change.after.as_deref());
        changes.orders.follow(id, before, after);
        let bytes = bytes_of(change.as_ref());
        let old = match change {
            Some(change) => changes.by_id.insert(id, change),
            None => changes.by_id.remove(&id),
        };
        self.bytes += bytes;
        self.bytes -= bytes_of(old.as_ref());
    }

    fn remember(&mut self, undo: Undo) {
        if !self.savepoints.is_empty() {
            self.bytes += undo.bytes();
            self.undo.push(undo);
        }
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
        let (nodes, relationships) = (&self.nodes, &self.relationships);
        let changes = nodes.by_id.len() + relationships.by_id.len() + self.undo.len();
        if changes <= WALKED_AT_MOST {
            let undo = self.undo.iter().map(Undo::bytes).sum::<usize>();
            assert_eq!(
                self.bytes,
                nodes.bytes() + relationships.bytes() + undo,
                "DRAM of what was changed"
            );
            nodes.orders.invariants(&nodes.by_id);
            relationships.orders.invariants(&relationships.by_id);
        }
    }

    /// A place to come back to. O(1).
    pub(crate) fn savepoint(&mut self) -> Savepoint {
        let number = self.next_savepoint;
        self.next_savepoint += 1;
        let is_first = self.changed.is_untouched();
        self.savepoints.push((number, self.undo.len(), is_first));
        Savepoint { number }
    }

    /// Undoes the changes since a savepoint, which stays. O(changes), behind the caller's back
    /// if they are all that there are.
    ///
    /// # Errors
    /// [`TransactionError::NoSavepoint`].
    pub(crate) fn rollback_to(&mut self, savepoint: Savepoint) -> Result<(), TransactionError> {
        let at = self.find(savepoint)?;
        self.savepoints.truncate(at + 1);
        let (_, keep, is_first) = self.savepoints[at];
        if is_first {
            *self = Overlay {
                changed: Changed::default(),
                undo: Vec::new(),
                savepoints: std::mem::take(&mut self.savepoints),
                bytes: 0,
                next_savepoint: self.next_savepoint,
            };
            return Ok(());
        }
        while self.undo.len() > keep {
            let undo = self.undo.pop();
            self.bytes -= undo.as_ref().map_or(0, Undo::bytes);
            match undo {
                Some(Undo::Node(id, old)) => self.set(id, old),
                Some(Undo::Relationship(id, old)) => self.set(id, old),
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
    pub(crate) fn release(&mut self, savepoint: Savepoint) -> Result<(), TransactionError> {
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

/// Changes of more bytes are freed by a thread of their own: who gives them up need not wait.
const FREED_AT_ONCE: usize = 8 << 20;

impl Drop for Overlay {
    fn drop(&mut self) {
        if self.bytes > FREED_AT_ONCE {
            let given_up = (
                std::mem::take(&mut self.changed),
                std::mem::take(&mut self.undo),
            );
            // Without a thread they are freed here.
            let _ = std::thread::Builder::new().spawn(move || drop(given_up));
        }
    }
}

/// Committed records with changes in their place, ascending by id.
fn merge<'a, R: Record>(
    changes: &'a SharedMap<u32, Change<R>>,
    ids: impl RangeBounds<u32>,
    committed: impl Iterator<Item = (u32, Arc<R>)> + 'a,
) -> impl Iterator<Item = (u32, Arc<R>)> {
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
            let own = match next == Some(id) {
                true => committed.next(),
                false => None,
            };
            changed.next();
            if let Some(after) = change.over(own.as_ref().map(|(_, record)| record)) {
                return Some((id, after));
            }
        }
    })
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Change, NodeRecord, Overlay};

    fn overlay() -> Overlay {
        let mut overlay = Overlay::default();
        overlay.savepoint();
        overlay.put(1, Change::made(NodeRecord::default()));
        overlay
    }

    #[test]
    #[should_panic(expected = "DRAM of what was changed")]
    fn bytes_are_those_of_the_changes() {
        let mut overlay = overlay();
        overlay.changed.nodes.by_id = Default::default();
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
