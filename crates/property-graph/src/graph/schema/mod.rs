//! Indexes over, and constraints on, the nodes of a label and the relationships of a
//! type.
//!
//! They are few, come and go with commits of their own, and hold now: a view of an older
//! commit is read under those of today. A constraint that has to find values
//! ([`Rule::Unique`], [`Rule::Key`]) keeps an index of its own.
//!
//! An index that is found damaged, by a reader or by a checkpoint, is given up and
//! built again from the records: see [`Schema::give_up`].

mod definition;
mod entries;
pub(in crate::graph) mod violation;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, Region, SectionKey, StorageError, Uuid};
use evergraph_topology::extension::{EXTENSION_BLOBS, EXTENSION_OWNERS, Place};
use parking_lot::{Mutex, RwLock};

use crate::index::{Change, Geometry, Index, Kind};
pub use definition::{Definition, DefinitionState, Rule, Subject, ValueType};
pub(super) use definition::{Stored, SubjectCode};
pub(super) use entries::{Entry, Governed, key_of};
pub use violation::{Broken, Violation};

/// Kind of the table that holds the definitions.
pub(super) const DEFINITIONS: u32 = EXTENSION_BLOBS + 4;
/// Owners of the section directory that are indexes begin here.
pub(super) const INDEX_OWNERS: u32 = EXTENSION_OWNERS + 16;

/// All indexes and constraints of a graph.
#[derive(Default)]
pub(super) struct Schema {
    /// Dropped definitions whose space is not free yet. Locked before `entries`, if both
    /// are.
    dropped: Mutex<Vec<Arc<Entry>>>,
    /// Replaced as a whole, so that readers take no lock for long.
    entries: RwLock<Arc<Vec<Arc<Entry>>>>,
    /// Failed definitions, with number and reason, until one of that name is made or
    /// dropped.
    failed: Mutex<Vec<(u32, Stored, String)>>,
    /// Higher than the number of any that there was since the opening, or that the log
    /// tells of.
    next_number: AtomicU32,
    /// Commits that changed it since it was stored, the oldest first.
    unstored: Mutex<Vec<u64>>,
    /// Commits that are stored when the superblock is durable.
    pending: Mutex<Option<u64>>,
    /// Region in which indexes are built.
    place: Mutex<Option<(Region, Uuid)>>,
    /// Whether an index was given up since the last attempt to build those again.
    has_given_up: AtomicBool,
    /// Held while indexes are built again.
    repairing: Mutex<()>,
    /// Grows with each change of the definitions.
    version: AtomicU64,
}

impl Schema {
    /// Current indexes and constraints, ascending by number.
    pub(super) fn entries(&self) -> Arc<Vec<Arc<Entry>>> {
        Arc::clone(&self.entries.read())
    }

    /// A number that grows with each change of the definitions, after the change.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The index or constraint of this name.
    pub(super) fn named(&self, name: &str) -> Option<Arc<Entry>> {
        let entries = self.entries();
        entries
            .iter()
            .find(|entry| entry.stored.name == name)
            .cloned()
    }

    /// A number that nothing has, nor had as far as the log goes back: no commit says
    /// that a definition failed, so a replay would take another of its number for it.
    pub(super) fn free_number(&self) -> u32 {
        failpoint!("definitions.number-given-again" => {
            let entries = self.entries();
            return entries.last().map_or(0, |last| last.number + 1);
        });
        self.next_number.load(Ordering::Acquire)
    }

    fn take_number(&self, number: u32) -> Result<(), StorageError> {
        if number >= u32::MAX - INDEX_OWNERS {
            let what = "the number of an index or a constraint is out of range";
            return Err(StorageError::damaged("extents", 0, what));
        }
        self.next_number.fetch_max(number + 1, Ordering::AcqRel);
        Ok(())
    }

    /// Takes out a definition that could not be made: from now on nothing is held to it,
    /// and its name is free. Needs no commit, so that nothing is in the way: the next
    /// table of definitions lacks it, and a definition that an opening finds populating
    /// in an older one, or in the log, has failed as well. `visible` is the newest
    /// visible commit.
    pub(super) fn fail(&self, entry: &Arc<Entry>, reason: &str, visible: u64) {
        let mut dropped = self.dropped.lock();
        let mut entries = self.entries.write();
        let Some(at) = entries.iter().position(|other| Arc::ptr_eq(other, entry)) else {
            return;
        };
        Arc::make_mut(&mut entries).remove(at);
        if let Some(index) = &entry.index {
            index.dropped();
        }
        dropped.push(Arc::clone(entry));
        let mut unstored = self.unstored.lock();
        let newest = unstored.last().copied().unwrap_or(0);
        unstored.push(newest.max(visible));
        self.version.fetch_add(1, Ordering::AcqRel);
        let mut failed = self.failed.lock();
        failed.push((entry.number, entry.stored.clone(), reason.to_string()));
    }

    /// Failed definitions, the oldest first, with number and reason.
    pub(super) fn failed(&self) -> Vec<(u32, Stored, String)> {
        self.failed.lock().clone()
    }

    /// Forgets those of a name that could not be made. Says whether there was one.
    pub(super) fn forget_failed(&self, name: &str) -> bool {
        let mut failed = self.failed.lock();
        let before = failed.len();
        failed.retain(|(_, stored, _)| stored.name != name);
        failed.len() < before
    }

    /// Region in which indexes are built; known when the store is open.
    pub(super) fn place(&self) -> Option<(Region, Uuid)> {
        self.place.lock().clone()
    }

    /// Applies a definition, or its end; the same again changes nothing.
    pub(super) fn apply(
        &self,
        csn: u64,
        number: u32,
        definition: Option<&[u8]>,
    ) -> Result<(), StorageError> {
        let mut dropped = self.dropped.lock();
        let mut entries = self.entries.write();
        let at = entries.binary_search_by_key(&number, |entry| entry.number);
        match (definition, at) {
            (Some(definition), Err(at)) => {
                let (stored, is_confirmed) = Stored::decode(definition)?;
                self.take_number(number)?;
                self.forget_failed(&stored.name);
                let entry = Arc::new(Entry::new(number, stored, is_confirmed));
                Arc::make_mut(&mut entries).insert(at, entry);
            }
            (None, Ok(at)) => {
                let gone = Arc::make_mut(&mut entries).remove(at);
                if let Some(index) = &gone.index {
                    index.dropped();
                }
                dropped.push(gone);
            }
            _ => return Ok(()),
        }
        self.version.fetch_add(1, Ordering::AcqRel);
        self.unstored.lock().push(csn);
        Ok(())
    }

    /// Applies that all there is was held to a definition, if it is still there.
    pub(super) fn confirm(&self, csn: u64, number: u32) {
        let entries = self.entries();
        if let Some(entry) = entries.iter().find(|entry| entry.number == number) {
            entry.confirm();
            self.version.fetch_add(1, Ordering::AcqRel);
            if !failpoint!("definitions.confirmation-not-kept") {
                self.unstored.lock().push(csn);
            }
        }
    }

    /// Gives up an index whose content is damaged: no reader uses it any more, the next
    /// superblock does not name it, and the next commit builds it again.
    pub(super) fn give_up(&self, index: &Index) {
        index.damaged();
        self.has_given_up.store(true, Ordering::Release);
    }

    /// Whether an index was given up, with no attempt since to build it again.
    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Acquire)
    }

    /// Calls `build` with the entries whose index was given up, unless another thread is
    /// at it. Those that it does not build stay given up until the next attempt.
    pub(super) fn repair(&self, build: impl FnOnce(&[Arc<Entry>])) {
        let Some(_repairing) = self.repairing.try_lock() else {
            return;
        };
        self.has_given_up.store(false, Ordering::Release);
        let is_damaged = |entry: &&Arc<Entry>| entry.index.as_ref().is_some_and(Index::is_damaged);
        let damaged: Vec<_> = self.entries().iter().filter(is_damaged).cloned().collect();
        build(&damaged);
    }

    /// Whether there is an index of records of this kind.
    fn has_index_about<R: Governed>(&self) -> bool {
        let entries = self.entries.read();
        let mut entries = entries.iter();
        entries.any(|entry| entry.index.is_some() && entry.is_about_any::<R>())
    }

    /// Applies a change of a record to the indexes.
    pub(super) fn apply_record<R: Governed>(
        &self,
        csn: u64,
        id: u32,
        before: impl FnOnce() -> Result<Option<Arc<R>>, StorageError>,
        after: Option<&R>,
    ) -> Result<(), StorageError> {
        if !self.has_index_about::<R>() {
            return Ok(());
        }
        let entries = self.entries();
        let before = before()?;
        for entry in entries.iter() {
            let Some(index) = &entry.index else {
                continue;
            };
            let old = before.as_ref().and_then(|record| entry.key_of(&**record));
            let new = after.and_then(|record| entry.key_of(record));
            if old == new {
                continue;
            }
            let gone = old.as_deref().map(|key| (key, false));
            let come = new.as_deref().map(|key| (key, true));
            if let Some(key) = &new {
                entry.note_written(csn, key);
            }
            let changes = gone.into_iter().chain(come);
            index.apply(
                csn,
                changes.map(|(key, present)| Change { key, id, present }),
            );
        }
        Ok(())
    }

    /// Current entries, and dropped ones that still have space, consistent with each
    /// other.
    fn all(&self) -> (Arc<Vec<Arc<Entry>>>, Vec<Arc<Entry>>) {
        let dropped = self.dropped.lock();
        (self.entries(), dropped.clone())
    }

    fn indexes(&self) -> Vec<Arc<Entry>> {
        let (entries, dropped) = self.all();
        let all = entries.iter().chain(&dropped);
        all.filter(|entry| entry.index.is_some()).cloned().collect()
    }

    /// See [`StoreExtension::unmerged_since`](evergraph_topology::StoreExtension).
    pub(super) fn unmerged_since(&self) -> Option<u64> {
        let indexes = self.indexes();
        let of_indexes = indexes
            .iter()
            .filter_map(|entry| entry.index.as_ref()?.unmerged_since());
        let unstored = self.unstored.lock().first().copied();
        of_indexes.chain(unstored).min()
    }

    /// DRAM that a checkpoint frees.
    pub(super) fn unmerged_bytes(&self) -> usize {
        let indexes = self.indexes();
        let bytes = indexes
            .iter()
            .filter_map(|entry| Some(entry.index.as_ref()?.unmerged_bytes()));
        bytes.sum()
    }

    /// Durability steps 1 and 2.
    pub(super) fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let mut written = Vec::new();
        // Consistent with each other: no superblock may name the index of a definition that
        // it lacks.
        let (entries, dropped) = self.all();
        for entry in entries.iter().chain(&dropped) {
            if let Some(index) = &entry.index {
                let Place {
                    region,
                    uuid,
                    directory,
                } = place;
                written.extend(index.write(csn, needed, region, uuid, directory)?);
                if index.is_damaged() {
                    self.has_given_up.store(true, Ordering::Release);
                }
            }
        }
        // Changes after `csn` are in the log, and may be in the table, too.
        let Some(newest) = self.unstored.lock().last().copied() else {
            return Ok(written);
        };
        debug_assert!(
            entries.is_sorted_by(|a, b| a.number < b.number),
            "definitions are stored by number, each once"
        );
        let mut bytes = Vec::new();
        for entry in entries.iter() {
            let is_confirmed =
                entry.is_confirmed() || failpoint!("definitions.stored-as-confirmed");
            let definition = entry.stored.encode(is_confirmed);
            bytes.extend_from_slice(&entry.number.to_le_bytes());
            bytes.extend_from_slice(&(definition.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&definition);
        }
        written.push(
            place
                .directory
                .set_blob(place.region, place.uuid, DEFINITIONS, 0, &bytes)?,
        );
        *self.pending.lock() = Some(newest.min(csn));
        Ok(written)
    }

    /// Before Durability step 4.
    pub(super) fn publishing(&self) {
        self.each_index(Index::publishing);
    }

    /// Durability step 6.
    pub(super) fn published(&self, needed: &dyn Fn() -> Needed) {
        self.each_index(|index| index.published(needed));
        if let Some(stored) = self.pending.lock().take() {
            self.unstored.lock().retain(|&csn| csn > stored);
        }
        self.dropped
            .lock()
            .retain(|entry| entry.index.as_ref().is_some_and(Index::is_stored));
    }

    /// No superblock names the output.
    pub(super) fn abandoned(&self) {
        self.each_index(Index::abandoned);
        *self.pending.lock() = None;
    }

    fn each_index(&self, mut act: impl FnMut(&Index)) {
        for entry in self.indexes() {
            entry.index.iter().for_each(&mut act);
        }
    }

    /// Recovery step R3. An index that is damaged has no content, and is built
    /// again.
    pub(super) fn restore(&self, place: &mut Place<'_>) -> Result<(), StorageError> {
        *self.place.lock() = Some((place.region.clone(), *place.uuid));
        let Some(blob) = place.directory.blob(DEFINITIONS, 0) else {
            return Ok(());
        };
        let mut rest = blob.read(place.uuid)?;
        let mut entries = BTreeMap::new();
        while !rest.is_empty() {
            let (number, definition) = split_definition(&mut rest).ok_or_else(|| {
                let (file, offset) = (blob.extent.file_name(), blob.extent.offset());
                StorageError::damaged(&file, offset, "a definition is shorter than it says")
            })?;
            let (stored, is_confirmed) = Stored::decode(definition)?;
            self.take_number(number)?;
            let entry = Entry::new(number, stored, is_confirmed);
            if let Some(index) = &entry.index
                && index
                    .restore(place.region, place.uuid, place.directory)
                    .is_err()
            {
                index.damaged();
            }
            entries.insert(number, Arc::new(entry));
        }
        *self.entries.write() = Arc::new(entries.into_values().collect());
        Ok(())
    }

    /// Whether the section directory names an index so.
    pub(super) fn has_name(&self, name: SectionKey) -> bool {
        let has_index =
            |entry: &Arc<Entry>| entry.index.is_some() && INDEX_OWNERS + entry.number == name.owner;
        name.section == 0 && self.all().0.iter().any(has_index)
    }

    pub(super) fn check(&self, problems: &mut Vec<String>) {
        self.each_index(|index| index.check(problems));
    }
}

fn split_definition<'a>(rest: &mut &'a [u8]) -> Option<(u32, &'a [u8])> {
    let (head, tail) = rest.split_at_checked(8)?;
    let number = u32::from_le_bytes(head[..4].try_into().ok()?);
    let len = u32::from_le_bytes(head[4..].try_into().ok()?) as usize;
    let (definition, tail) = tail.split_at_checked(len)?;
    *rest = tail;
    Some((number, definition))
}

fn new_index(number: u32) -> Index {
    Index::new(INDEX_OWNERS + number, Kind::Hybrid, Geometry::default())
}
