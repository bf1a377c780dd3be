//! Read set of a serializable transaction.
//!
//! It has single records by id, and predicates: the subject of a scan, an expansion or an
//! index lookup, whether or not anything was found. So records that came later and would
//! have been found (phantoms) are told, too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use evergraph_storage::failpoint;

use super::lock::Resource;
use super::overlay::List;
use super::sync::{Mutex, RandomState};
use super::writes::{NewName, WriteSet};
use crate::dictionary::{LabelCode, Names};
use crate::record::EntityKind;

/// Encoded keys of an index, from one to the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyRange {
    pub(crate) index: u32,
    pub(crate) from: Bound<Box<[u8]>>,
    pub(crate) to: Bound<Box<[u8]>>,
}

impl KeyRange {
    fn contains(&self, key: &[u8]) -> bool {
        let is_after = match &self.from {
            Bound::Included(from) => **from <= *key,
            Bound::Excluded(from) => **from < *key,
            Bound::Unbounded => true,
        };
        let is_before = match &self.to {
            Bound::Included(to) => *key <= **to,
            Bound::Excluded(to) => *key < **to,
            Bound::Unbounded => true,
        };
        is_after && is_before
    }
}

/// The subject of a read. Properties are another matter: each record that is looked at
/// counts as read by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Predicate {
    Nodes,
    Label(LabelCode),
    Relationships,
    List(List),
    /// All lists of a node in one direction (`true` for incoming).
    Neighbors(u32, bool),
    Keys(KeyRange),
    /// A name that no commit had used. The first commit that uses it changes that.
    Unknown(Names, Box<str>),
}

/// Ids of a block of [`ReadSet::blocks`].
const BLOCK: u32 = 2048;
/// So many records of a block are noted together.
const WORTH_A_BLOCK: usize = 8;

type Block = Box<[u64; BLOCK as usize / 64]>;

/// The reads of a serializable transaction, shared with its statements.
#[derive(Clone, Debug)]
pub(crate) struct Reads(Arc<Mutex<ReadSet>>);

impl Reads {
    pub(super) fn new(limit: usize) -> Self {
        Reads(Arc::new(Mutex::new(ReadSet::new(limit))))
    }

    /// Something was asked for.
    pub(crate) fn add(&self, predicate: Predicate) {
        self.0.lock().add(predicate);
    }

    /// A record was looked at, or looked for.
    pub(crate) fn add_record(&self, kind: EntityKind, id: u32) {
        self.0.lock().add_record(kind, id);
    }

    /// Records were looked at, or looked for, in any order.
    pub(crate) fn add_rows(&self, kind: EntityKind, ids: &[u32]) {
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut reads = self.0.lock();
        for block in sorted.chunk_by(|a, b| a / BLOCK == b / BLOCK) {
            reads.add_block(kind, block);
        }
    }

    /// What was read up to the commit.
    pub(super) fn take(&self) -> ReadSet {
        std::mem::take(&mut self.0.lock())
    }
}

/// Everything that one transaction has read. Grows to a limit, and then says of
/// all records that they were read.
#[derive(Debug, Default)]
pub(super) struct ReadSet {
    nodes: HashSet<u32, RandomState>,
    relationships: HashSet<u32, RandomState>,
    /// Records that were read together, a bit each, by the number of their block.
    blocks: HashMap<(EntityKind, u32), Block, RandomState>,
    all_nodes: bool,
    all_relationships: bool,
    labels: BTreeSet<LabelCode>,
    lists: HashSet<List, RandomState>,
    neighbors: HashSet<(u32, bool), RandomState>,
    ranges: BTreeMap<u32, HashSet<KeyRange, RandomState>>,
    unknown: HashSet<(Names, Box<str>), RandomState>,
    everything: bool,
    /// Entries that may still be added.
    room: usize,
}

impl ReadSet {
    /// An empty set for up to `limit` entries.
    pub(super) fn new(limit: usize) -> Self {
        ReadSet {
            room: limit,
            ..ReadSet::default()
        }
    }

    /// A record was looked at, or looked for.
    pub(super) fn add_record(&mut self, kind: EntityKind, id: u32) {
        let records = match kind {
            EntityKind::Node => &mut self.nodes,
            EntityKind::Relationship => &mut self.relationships,
        };
        if !self.everything && records.insert(id) {
            self.take_room();
        }
    }

    /// Records of one block were looked at: one entry, if they are not few.
    fn add_block(&mut self, kind: EntityKind, ids: &[u32]) {
        let Some(first) = ids.first().filter(|_| !self.everything) else {
            return;
        };
        let number = first / BLOCK;
        let is_known = self.blocks.contains_key(&(kind, number));
        if !is_known && ids.len() < WORTH_A_BLOCK {
            return ids.iter().for_each(|&id| self.add_record(kind, id));
        }
        let new = || Box::new([0; BLOCK as usize / 64]);
        let block = self.blocks.entry((kind, number)).or_insert_with(new);
        for id in ids {
            let at = id % BLOCK;
            block[at as usize / 64] |= 1 << (at % 64);
        }
        if !is_known {
            self.take_room();
        }
    }

    /// Whether a record was looked at.
    fn has_record(&self, kind: EntityKind, id: u32) -> bool {
        let records = match kind {
            EntityKind::Node => &self.nodes,
            EntityKind::Relationship => &self.relationships,
        };
        let in_block = || {
            let block = self.blocks.get(&(kind, id / BLOCK));
            let at = id % BLOCK;
            block.is_some_and(|block| block[at as usize / 64] >> (at % 64) & 1 == 1)
        };
        records.contains(&id) || in_block()
    }

    /// Something was asked for.
    pub(super) fn add(&mut self, predicate: Predicate) {
        if self.everything {
            return;
        }
        let is_new = match predicate {
            Predicate::Nodes => !std::mem::replace(&mut self.all_nodes, true),
            Predicate::Relationships => !std::mem::replace(&mut self.all_relationships, true),
            Predicate::Label(label) => self.labels.insert(label),
            Predicate::List(list) => self.lists.insert(list),
            Predicate::Neighbors(node, incoming) => self.neighbors.insert((node, incoming)),
            Predicate::Keys(range) => {
                let ranges = self.ranges.entry(range.index).or_default();
                ranges.insert(range)
            }
            Predicate::Unknown(names, name) => self.unknown.insert((names, name)),
        };
        if is_new {
            self.take_room();
        }
    }

    fn take_room(&mut self) {
        match self.room.checked_sub(1) {
            Some(room) => self.room = room,
            None => {
                *self = ReadSet {
                    everything: true,
                    ..ReadSet::default()
                };
            }
        }
    }

    /// Describes the first of these reads that a commit has changed; `None` if it changed
    /// none.
    pub(super) fn changed_by(&self, writes: &WriteSet) -> Option<String> {
        if self.everything && !writes.is_empty() {
            return Some("more than it can remember".to_string());
        }
        if writes.anything {
            return Some("what a bulk load may have changed".to_string());
        }
        let record = self.record_changed_by(writes);
        failpoint!("transaction.phantoms-unseen" => {
            return record;
        });
        record.or_else(|| self.predicate_changed_by(writes))
    }

    /// The first of these records that a commit has changed.
    fn record_changed_by(&self, writes: &WriteSet) -> Option<String> {
        let is_read = |kind| move |id: &&u32| self.has_record(kind, **id);
        let node = writes.nodes.iter().find(is_read(EntityKind::Node));
        let relationship = || {
            let mut written = writes.relationships.iter();
            written.find(is_read(EntityKind::Relationship))
        };
        let node = node.map(|id| format!("node {id}"));
        node.or_else(|| relationship().map(|id| format!("relationship {id}")))
    }

    fn predicate_changed_by(&self, writes: &WriteSet) -> Option<String> {
        // Entries of an index that is dropped are not told any more.
        if !self.ranges.is_empty() && writes.exclusive.contains(&Resource::Schema) {
            return Some("which indexes there are".to_string());
        }
        if self.all_nodes && writes.changes_nodes {
            return Some("the set of all nodes".to_string());
        }
        if self.all_relationships && !writes.kinds.is_empty() {
            return Some("the set of all relationships".to_string());
        }
        if let Some(label) = writes
            .labels
            .iter()
            .find(|label| self.labels.contains(label))
        {
            return Some(format!("the set of nodes with label {label}"));
        }
        let is_unknown = |name: &&NewName| self.unknown.contains(*name);
        if let Some((names, name)) = writes.names.iter().find(is_unknown) {
            let what = match names {
                Names::Labels => "label",
                Names::Types => "type",
                Names::Keys => "property",
            };
            return Some(format!("what has the {what} \"{name}\""));
        }
        let is_read = |list: &&List| {
            self.lists.contains(list) || self.neighbors.contains(&(list.node, list.incoming))
        };
        if let Some(list) = writes.lists.iter().find(is_read) {
            return Some(format!("a neighbor list of node {}", list.node));
        }
        let is_key_read = |(index, key): &&(u32, Box<[u8]>)| {
            let ranges = self.ranges.get(index);
            ranges.is_some_and(|ranges| ranges.iter().any(|range| range.contains(key)))
        };
        let key = writes.keys.iter().find(is_key_read);
        key.map(|(index, _)| format!("a range of index {index}"))
    }
}
