//! A table of records: reading, applying commits, ids.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use evergraph_storage::{Needed, SectionKey, StorageError, Uuid};
use evergraph_topology::extension::EXTENSION_OWNERS;
use parking_lot::Mutex;

use super::builder::LARGE_BYTES;
use super::chunk::{Chunk, ChunkState, Lookup};
use super::chunks::Chunks;
use super::content::Record;
use super::core::{Identity, OF_VALUES, Part, REST};
use super::found::{Found, FoundAt};
use super::history::History;
use super::ids::{Ids, ReserveError, Unused};
use super::new_columns::EncodedColumns;
use super::past::PastPictures;
use super::round::Round;
use super::stored::StoredChunk;
use crate::dictionary::Dictionary;

/// Owners in the section directory from here on are columns, with a section for each chunk,
/// and large values, with one for each record: behind them twice the key's code, that of
/// values with [`OF_VALUES`], and the number of the table.
const COLUMN_OWNERS: u32 = 3 << 30;

/// How a table is cut up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) records_per_chunk: u32,
    pub(crate) most_records: u32,
    /// Columns of at most so many bytes lie in the core of their chunk, as an extent of
    /// their own would be mostly padding.
    pub(crate) inside_bytes: usize,
    /// Values of more bytes lie in extents of their own.
    pub(crate) large_bytes: usize,
}

impl Default for Geometry {
    /// Chunks of 2,048 records, 2³⁰ ids.
    fn default() -> Self {
        Geometry {
            records_per_chunk: 2048,
            most_records: 1 << 30,
            inside_bytes: 512,
            large_bytes: LARGE_BYTES,
        }
    }
}

/// Facts about a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Records as of the newest commit.
    pub records: u64,
    /// Chunks that exist.
    pub chunks: usize,
    /// Bytes that their extents occupy.
    pub chunk_bytes: u64,
    /// Bytes of the history table.
    pub history_bytes: u64,
    /// Bytes of DRAM of unmerged versions.
    pub unmerged_bytes: usize,
    /// Merged versions that are in DRAM because live views show them.
    pub versions_for_views: usize,
    /// Bytes of DRAM of what reading as of commits before the last checkpoint has made, and
    /// is kept for later reads or in use.
    pub past_bytes: usize,
}

pub(crate) struct Table<R> {
    pub(super) geometry: Geometry,
    pub(super) number: u32,
    pub(super) dictionary: Arc<Dictionary>,
    /// Known as soon as something is stored.
    pub(super) uuid: OnceLock<Uuid>,
    pub(super) chunks: Chunks<R>,
    pub(super) ids: Ids,
    pub(super) history: History,
    pub(super) past: PastPictures<R>,
    pub(super) work: Mutex<Work>,
    /// Output of a checkpoint, before a superblock names it.
    pub(super) round: Mutex<Option<Round<R>>>,
    pub(super) used: AtomicU64,
    unmerged_bytes: AtomicUsize,
    /// Columns of chunks whose commit is under way, by number.
    pub(super) handed_over: Mutex<BTreeMap<u32, EncodedColumns>>,
}

/// Chunks that have something to do.
#[derive(Default)]
pub(super) struct Work {
    pub(super) unmerged: BTreeMap<u32, u64>,
    /// Those with versions in DRAM.
    pub(super) chained: BTreeSet<u32>,
}

impl<R: Record> Table<R> {
    /// An empty table; `number` tells it from other parts of the store extension.
    ///
    /// # Panics
    /// If a chunk has no record.
    pub(crate) fn new(geometry: Geometry, number: u32, dictionary: Arc<Dictionary>) -> Self {
        let per_chunk = geometry.records_per_chunk;
        assert!(per_chunk > 0, "a chunk has at least one record");
        let history = History::new(number, per_chunk, Arc::clone(&dictionary));
        Table {
            geometry,
            number,
            dictionary,
            uuid: OnceLock::new(),
            chunks: Chunks::new(geometry.most_records.div_ceil(per_chunk)),
            ids: Ids::new(geometry.most_records, per_chunk),
            history,
            past: PastPictures::default(),
            work: Mutex::default(),
            round: Mutex::default(),
            used: AtomicU64::new(0),
            unmerged_bytes: AtomicUsize::new(0),
            handed_over: Mutex::default(),
        }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Without anything stored, no checksum is asked for.
    pub(super) fn uuid(&self) -> &Uuid {
        self.uuid.get().unwrap_or(&[0; 16])
    }

    /// Chunk, and place in it.
    #[inline]
    pub(crate) fn place_of(&self, id: u32) -> (u32, u32) {
        let per_chunk = self.geometry.records_per_chunk;
        (id / per_chunk, id % per_chunk)
    }

    pub(super) fn identity(&self, chunk: u32) -> Identity {
        Identity {
            magic: R::MAGIC,
            table: self.number,
            chunk,
            records: self.geometry.records_per_chunk,
        }
    }

    pub(super) fn key(&self, chunk: u32) -> SectionKey {
        SectionKey {
            owner: EXTENSION_OWNERS + self.number,
            section: chunk,
        }
    }

    /// Name of a part of a chunk in the section directory.
    pub(super) fn name_of(&self, part: Part, chunk: u32) -> SectionKey {
        let (key, section) = match part.at {
            Some(at) => (OF_VALUES + part.key, self.id(chunk, at)),
            None => (part.key, chunk),
        };
        SectionKey {
            owner: COLUMN_OWNERS + 2 * key + self.number,
            section,
        }
    }

    /// The chunk and the part that a name in the directory is of, if it is of this table.
    pub(super) fn part_of(&self, name: SectionKey) -> Option<(u32, Part)> {
        let number = name
            .owner
            .checked_sub(COLUMN_OWNERS)?
            .checked_sub(self.number)?;
        let key = number / 2;
        if number % 2 != 0 || key > REST {
            return None;
        }
        Some(match key.checked_sub(OF_VALUES).filter(|_| key < REST) {
            Some(key) => {
                let (chunk, at) = self.place_of(name.section);
                (chunk, Part::value(key, at))
            }
            None => (name.section, Part::column(key)),
        })
    }

    /// Whether the section directory names a part of it so.
    pub(crate) fn has_name(&self, name: SectionKey) -> bool {
        name.owner == self.key(0).owner || self.part_of(name).is_some()
    }

    /// A record as of a commit that a view or a named snapshot shows; `None` if there
    /// is none.
    pub(crate) fn get(&self, id: u32, csn: u64) -> Result<Option<Arc<R>>, StorageError> {
        let found = self.find(id, csn)?;
        found.map(|found| found.record()).transpose()
    }

    /// As [`Table::get`], reading the parts of the record on demand.
    pub(crate) fn find(&self, id: u32, csn: u64) -> Result<Option<Found<'_, R>>, StorageError> {
        let (number, at) = self.place_of(id);
        let Some(chunk) = self.chunks.get(number) else {
            return Ok(None);
        };
        let place = match chunk.look_up(at, csn) {
            Lookup::Nothing => None,
            Lookup::Version(version) => version.map(FoundAt::Version),
            Lookup::Base(base) => self.find_stored(id, csn, base)?,
        };
        Ok(place.map(|place| self.found(place)))
    }

    pub(super) fn found(&self, place: FoundAt<R>) -> Found<'_, R> {
        Found {
            place,
            dictionary: &self.dictionary,
            uuid: self.uuid(),
        }
    }

    /// A record that no version in DRAM shows.
    pub(super) fn find_stored(
        &self,
        id: u32,
        csn: u64,
        base: Arc<StoredChunk>,
    ) -> Result<Option<FoundAt<R>>, StorageError> {
        let at = self.place_of(id).1;
        let slot = base.read(self.uuid())?.slot(at);
        if slot.begin <= csn {
            return Ok(slot.is_used.then(|| FoundAt::Chunk(base, at)));
        }
        let past = self.history.find(id, csn, self.uuid())?;
        Ok(past.map(|(chunk, at)| FoundAt::Chunk(chunk, at)))
    }

    /// The newest commit of a record, and whether there is a record since then.
    pub(crate) fn newest(&self, id: u32) -> Result<(u64, bool), StorageError> {
        let (number, at) = self.place_of(id);
        let Some(chunk) = self.chunks.get(number) else {
            return Ok((0, false));
        };
        let slot = chunk.state.read().newest(at, self.uuid())?;
        Ok((slot.begin, slot.is_used))
    }

    /// Applies one change of commit `csn`: the new record, or its deletion. In the order
    /// of commits, and before any view shows the commit. Changes that are merged already
    /// are skipped (replay).
    ///
    /// # Errors
    /// An id that cannot be; damage of the chunk.
    pub(crate) fn apply(
        &self,
        csn: u64,
        id: u32,
        record: Option<R>,
        needed: &Needed,
    ) -> Result<(), StorageError> {
        let (number, at) = self.place_of(id);
        let chunk = match id < self.geometry.most_records {
            true => self.chunks.get_or_make(number),
            false => None,
        };
        let Some(chunk) = chunk else {
            let what = format!("commit {csn} names record {id}, which cannot be");
            return Err(StorageError::damaged("log", 0, what));
        };
        let record = record.map(Arc::new);
        let applied = self.change(number, chunk, |state| {
            if csn <= state.merged() {
                return Ok(None);
            }
            state.apply(at, csn, record, needed, self.uuid()).map(Some)
        })?;
        if let Some(applied) = applied {
            if applied.created {
                self.ids.created(id);
            }
            if let Some(span) = applied.deleted {
                self.ids.deleted(id, span);
            }
        }
        Ok(())
    }

    /// Changes a chunk, and accounts for its unmerged versions.
    pub(super) fn change<T>(
        &self,
        number: u32,
        chunk: &Chunk<R>,
        change: impl FnOnce(&mut ChunkState<R>) -> T,
    ) -> T {
        let mut state = chunk.state.write();
        let base = state.base.as_ref().map(Arc::as_ptr);
        state.forget_newest_picture();
        let facts = |state: &ChunkState<R>| {
            let has_versions = !state.chains.is_empty();
            (state.unmerged_since, has_versions)
        };
        let (before, bytes, used) = (facts(&state), state.unmerged_bytes, state.used);
        let result = change(&mut state);
        if state.base.as_ref().map(Arc::as_ptr) != base {
            state.forget_pictures();
        }
        let after = facts(&state);
        if before != after {
            let mut work = self.work.lock();
            match after.0 {
                Some(since) => work.unmerged.insert(number, since),
                None => work.unmerged.remove(&number),
            };
            match after.1 {
                true => work.chained.insert(number),
                false => work.chained.remove(&number),
            };
        }
        self.unmerged_bytes
            .fetch_add(state.unmerged_bytes, Ordering::Relaxed);
        self.unmerged_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.used.fetch_add(state.used.into(), Ordering::Relaxed);
        self.used.fetch_sub(used.into(), Ordering::Relaxed);
        debug_assert!(
            state.used <= self.geometry.records_per_chunk,
            "{} records in chunk {number} of {}",
            state.used,
            self.geometry.records_per_chunk
        );
        result
    }

    /// Number of chunks, those between that do not exist included: a scan divides them
    /// among threads.
    pub(crate) fn chunk_count(&self) -> u32 {
        self.chunks.count()
    }

    /// The chunks with changes after a commit, ascending, and of each a commit after
    /// which it was not changed. O(chunks).
    pub(crate) fn changed_chunks(&self, csn: u64) -> Vec<(u32, u64)> {
        let chunks = self.chunks.all();
        let changed = chunks.map(|(number, chunk)| (number, chunk.state.read().changed()));
        changed.filter(|&(_, changed)| changed > csn).collect()
    }

    /// The commit up to which a chunk is merged; 0 if it never was.
    pub(crate) fn merged_csn(&self, chunk: u32) -> u64 {
        let chunk = self.chunks.get(chunk);
        chunk.map_or(0, |chunk| chunk.state.read().merged())
    }

    pub(crate) fn len(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Reserves an id for a new record. The id of a deleted record is given again when no
    /// view and no named snapshot shows that record; `needed` is asked for it.
    pub(crate) fn reserve(&self, needed: impl FnOnce() -> Needed) -> Result<u32, ReserveError> {
        self.ids.reserve(needed, |chunk| self.unused_ids(chunk))
    }

    /// The ids of a chunk that no record has, with the commits between which one
    /// had it.
    pub(super) fn unused_ids(&self, number: u32) -> Result<Unused, StorageError> {
        let per_chunk = self.geometry.records_per_chunk;
        let first = number * per_chunk;
        let ids = 0..per_chunk.min(self.geometry.most_records - first);
        let Some(chunk) = self.chunks.get(number) else {
            return Ok(ids.map(|at| (first + at, (0, 0))).collect());
        };
        let state = chunk.state.read();
        if state.used == per_chunk {
            return Ok(Vec::new());
        }
        let mut unused = Vec::new();
        for at in ids {
            let slot = state.newest(at, self.uuid())?;
            if !slot.is_used {
                unused.push((first + at, (slot.born, slot.begin)));
            }
        }
        Ok(unused)
    }

    /// Bytes of DRAM that a checkpoint would free.
    pub(crate) fn unmerged_bytes(&self) -> usize {
        self.unmerged_bytes.load(Ordering::Relaxed)
    }

    /// Pictures of the past take at most so many bytes of DRAM from now on.
    pub(crate) fn set_past_bytes(&self, most: usize) {
        self.past.set_budget(most);
    }

    /// The oldest commit with a change that no chunk has.
    pub(crate) fn unmerged_since(&self) -> Option<u64> {
        self.work.lock().unmerged.values().copied().min()
    }

    /// Facts, gathered without blocking writers. O(chunks).
    pub(crate) fn stats(&self) -> TableStats {
        let mut stats = TableStats {
            records: self.len(),
            history_bytes: self.history.bytes(),
            unmerged_bytes: self.unmerged_bytes(),
            past_bytes: self.past.bytes(),
            ..TableStats::default()
        };
        for (_, chunk) in self.chunks.all() {
            let state = chunk.state.read();
            stats.chunks += 1;
            let extents = state.base.iter().flat_map(|base| base.extents());
            stats.chunk_bytes += extents.map(|extent| extent.reserved_bytes()).sum::<u64>();
            stats.versions_for_views += state.versions_for_views();
        }
        stats
    }
}
