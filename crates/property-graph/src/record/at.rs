//! A chunk as of a commit.
//!
//! A reader that goes through many records asks once a chunk which of them exist and which
//! of them its base does not show. All others are read in place, in the base.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use evergraph_storage::{StorageError, Uuid};

use super::column_at::ColumnsAt;
use super::content::{Fixed, Record, RelationshipRecord};
use super::found::{Found, FoundAt};
use super::stored::{ChunkReader, StoredChunk};
use super::table::Table;
use crate::column::KeptColumn;
use crate::dictionary::{Dictionary, KeyCode, TypeCode};
use crate::value::Value;

/// An immutable picture of one chunk as of one commit. Stays readable whatever is committed
/// or merged meanwhile.
pub(crate) struct ChunkAt<R> {
    base: Option<Arc<StoredChunk>>,
    /// One bit a place: whether there is a record.
    exists: Box<[u64]>,
    /// One bit a place: the base does not show it as of the commit. Empty if there is none.
    changed: Box<[u64]>,
    /// The changed places with a record, ascending.
    rows: Box<[Row<R>]>,
    /// After this commit nothing was changed when the picture was made.
    since: u64,
    dictionary: Arc<Dictionary>,
    uuid: Uuid,
    pub(super) columns: ColumnsAt,
    /// Values that were read without a column.
    single_reads: AtomicU32,
}

/// A record that the base does not show.
pub(super) struct Row<R> {
    pub(super) at: u32,
    born: u64,
    pub(super) place: FoundAt<R>,
}

/// The state of a changed place, on the way into a picture.
type Changed<R> = (u32, u64, Option<FoundAt<R>>);

impl<R: Record> ChunkAt<R> {
    /// Bits of the records that exist, the lowest place first. Zero behind the last.
    pub(crate) fn exists(&self) -> &[u64] {
        &self.exists
    }

    /// Whether there is a record.
    #[inline]
    pub(crate) fn has(&self, at: u32) -> bool {
        bit(&self.exists, at)
    }

    /// Whether the base is not to be asked.
    #[inline]
    fn is_changed(&self, at: u32) -> bool {
        !self.changed.is_empty() && bit(&self.changed, at)
    }

    /// The records that the base does not show, ascending.
    pub(super) fn rows(&self) -> &[Row<R>] {
        &self.rows
    }

    pub(super) fn base_reader(&self) -> Result<Option<ChunkReader<'_>>, StorageError> {
        let base = self.base.as_ref().map(|base| base.read(&self.uuid));
        base.transpose()
    }

    fn row(&self, at: u32) -> Option<&Row<R>> {
        let found = self.rows.binary_search_by_key(&at, |row| row.at).ok()?;
        Some(&self.rows[found])
    }

    /// One property of a record, null if it does not have it, or is not there.
    #[inline]
    pub(crate) fn property(&self, at: u32, key: KeyCode) -> Result<Value, StorageError> {
        match self.column(key, 1)? {
            Some(column) => Ok(column.get(at as usize)),
            None => self.single_property(at, key),
        }
    }

    /// As [`ChunkAt::property`], of the record alone.
    pub(crate) fn single_property(&self, at: u32, key: KeyCode) -> Result<Value, StorageError> {
        let value = match self.found(at) {
            Some(found) => found.property(key)?,
            None => None,
        };
        Ok(value.unwrap_or_default())
    }

    /// Whether reads of a key, and those before that had no column, cost more than to
    /// gather the values that the base has in no column.
    pub(super) fn is_worth(&self, key: KeyCode, reads: usize) -> Result<bool, StorageError> {
        let in_rest = match self.base_reader()? {
            Some(base) => base.rest_of(key)?,
            None => 0,
        };
        let values = self.rows.len() + in_rest;
        if values == 0 {
            return Ok(true);
        }
        let before = self.single_reads.fetch_add(reads as u32, Ordering::Relaxed);
        let is_worth = before as usize + reads >= values;
        if is_worth {
            // Other keys begin anew.
            self.single_reads.store(0, Ordering::Relaxed);
        }
        Ok(is_worth)
    }

    /// The column of a key in the base, if it has one: of the records that
    /// [`ChunkAt::clean`] tells.
    pub(super) fn kept_column(&self, key: KeyCode) -> Result<Option<&KeptColumn>, StorageError> {
        match self.base_reader()? {
            Some(base) => base.kept_column(key),
            None => Ok(None),
        }
    }

    /// Values of records that the base does not show.
    pub(super) fn changed_values(&self, key: KeyCode) -> Result<Vec<(usize, Value)>, StorageError> {
        let mut values = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let value = match &row.place {
                FoundAt::Version(record) => record.properties().get(key).cloned(),
                _ => self.found_at(row.place.clone()).property(key)?,
            };
            values.extend(value.map(|value| (row.at as usize, value)));
        }
        Ok(values)
    }

    /// Values of records that the base shows, of a key without a column in it.
    pub(super) fn values_in_rest(&self, key: KeyCode) -> Result<Vec<(usize, Value)>, StorageError> {
        let mut values = Vec::new();
        if let Some(base) = self.base_reader()? {
            base.for_each_of_rest(key, |at, value| {
                if self.is_clean(at) {
                    values.push((at as usize, value));
                }
            })?;
        }
        Ok(values)
    }

    /// Whether the base shows a record.
    #[inline]
    pub(super) fn is_clean(&self, at: u32) -> bool {
        self.has(at) && !self.is_changed(at)
    }

    /// Bits of the records that exist and that the base shows, of one word.
    pub(crate) fn clean(&self, word: usize) -> u64 {
        self.exists[word] & !self.changed.get(word).copied().unwrap_or(0)
    }

    /// A record, whose parts are read on demand.
    pub(crate) fn found(&self, at: u32) -> Option<Found<'_, R>> {
        if !self.has(at) {
            return None;
        }
        let place = match self.is_changed(at) {
            true => self.row(at)?.place.clone(),
            false => FoundAt::Chunk(Arc::clone(self.base.as_ref()?), at),
        };
        Some(self.found_at(place))
    }

    pub(super) fn found_at(&self, place: FoundAt<R>) -> Found<'_, R> {
        Found {
            place,
            dictionary: &self.dictionary,
            uuid: &self.uuid,
        }
    }

    /// A record's own part, if the base shows the record.
    #[inline]
    pub(crate) fn fixed_in_base(&self, at: u32) -> Result<Option<Fixed>, StorageError> {
        match &self.base {
            Some(base) if self.has(at) && !self.is_changed(at) => {
                Ok(Some(base.read(&self.uuid)?.fixed(at)))
            }
            _ => Ok(None),
        }
    }

    /// The commit that created a record; `None` if it is not there.
    pub(crate) fn born(&self, at: u32) -> Result<Option<u64>, StorageError> {
        if !self.has(at) {
            return Ok(None);
        }
        if self.is_changed(at) {
            return Ok(self.row(at).map(|row| row.born));
        }
        match &self.base {
            Some(base) => Ok(Some(base.read(&self.uuid)?.slot(at).born)),
            None => Ok(None),
        }
    }

    /// After this commit nothing was changed when the picture was made.
    pub(super) fn since(&self) -> u64 {
        self.since
    }
}

impl ChunkAt<RelationshipRecord> {
    /// Type, source and target of a relationship; `None` if it is not there.
    pub(crate) fn ends(&self, at: u32) -> Result<Option<(TypeCode, u32, u32)>, StorageError> {
        match self.fixed_in_base(at)? {
            Some(fixed) => Ok(Some((fixed.kind, fixed.first, fixed.second))),
            None => self.found(at).map(|found| found.ends()).transpose(),
        }
    }
}

#[inline]
fn bit(words: &[u64], at: u32) -> bool {
    words
        .get(at as usize / 64)
        .is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn set(words: &mut [u64], at: u32, to: bool) {
    let (word, mask) = (&mut words[at as usize / 64], 1 << (at % 64));
    match to {
        true => *word |= mask,
        false => *word &= !mask,
    }
}

impl<R: Record> Table<R> {
    /// A chunk as of a commit that a view or a named snapshot shows; `None` if it does not
    /// exist. O(records a chunk / 64 + changed records); of the newest commit it is made
    /// once, until something changes. Of a commit before the base's, each record is
    /// looked at.
    pub(crate) fn chunk_at(
        &self,
        number: u32,
        csn: u64,
    ) -> Result<Option<Arc<ChunkAt<R>>>, StorageError> {
        let Some(chunk) = self.chunks.get(number) else {
            return Ok(None);
        };
        let (base, since, mut changed) = {
            let state = chunk.state.read();
            if let Some(newest) = state.newest_picture(csn) {
                return Ok(Some(newest));
            }
            let versions = state.chains.iter().filter_map(|(&at, chain)| {
                let version = chain.at(csn)?;
                let place = version.record.clone().map(FoundAt::Version);
                Some((at, version.born, place))
            });
            let versions: Vec<Changed<R>> = versions.collect();
            (state.base.clone(), state.changed(), versions)
        };
        if let Some(base) = base.as_ref().filter(|base| csn < base.csn()) {
            let past = self.replaced_since(number, base, csn, &changed)?;
            changed.extend(past);
            changed.sort_unstable_by_key(|change| change.0);
        }
        let picture = Arc::new(self.picture(base, since, changed)?);
        if since <= csn {
            chunk.state.read().keep_picture(&picture, &picture.base);
        }
        Ok(Some(picture))
    }

    /// The chunk as of a commit if that costs no more than a look: it was made before, or
    /// little was changed since the base.
    pub(crate) fn cheap_chunk_at(
        &self,
        number: u32,
        csn: u64,
    ) -> Result<Option<Arc<ChunkAt<R>>>, StorageError> {
        /// Changed records that are worth a picture for a single read.
        const FEW: usize = 32;
        let Some(chunk) = self.chunks.get(number) else {
            return Ok(None);
        };
        let is_cheap = {
            let state = chunk.state.read();
            let base = state.base.as_ref().map_or(0, |base| base.csn());
            state.newest_picture(csn).is_some() || (base <= csn && state.chains.len() <= FEW)
        };
        match is_cheap {
            true => self.chunk_at(number, csn),
            false => Ok(None),
        }
    }

    /// Records that a base newer than the commit has replaced, and no version shows.
    fn replaced_since(
        &self,
        number: u32,
        base: &Arc<StoredChunk>,
        csn: u64,
        versions: &[Changed<R>],
    ) -> Result<Vec<Changed<R>>, StorageError> {
        let reader = base.read(self.uuid())?;
        let mut past = Vec::new();
        for at in 0..self.geometry.records_per_chunk {
            let slot = reader.slot(at);
            let is_version = || versions.binary_search_by_key(&at, |version| version.0);
            if slot.begin <= csn || is_version().is_ok() {
                continue;
            }
            let id = number * self.geometry.records_per_chunk + at;
            let place = self.find_stored(id, csn, Arc::clone(base))?;
            // No id is reused while a view shows its record, so that the birth in the
            // chunk is that of this record.
            past.push((at, slot.born, place));
        }
        Ok(past)
    }

    fn picture(
        &self,
        base: Option<Arc<StoredChunk>>,
        since: u64,
        changes: Vec<Changed<R>>,
    ) -> Result<ChunkAt<R>, StorageError> {
        let words = self.geometry.records_per_chunk.div_ceil(64);
        let mut exists: Box<[u64]> = match &base {
            Some(base) => {
                let reader = base.read(self.uuid())?;
                (0..words).map(|word| reader.used_word(word)).collect()
            }
            None => (0..words).map(|_| 0).collect(),
        };
        let mut changed: Box<[u64]> = match changes.is_empty() {
            true => Box::default(),
            false => (0..words).map(|_| 0).collect(),
        };
        let mut rows = Vec::with_capacity(changes.len());
        for (at, born, place) in changes {
            set(&mut changed, at, true);
            set(&mut exists, at, place.is_some());
            rows.extend(place.map(|place| Row { at, born, place }));
        }
        debug_assert!(
            rows.is_sorted_by_key(|row| row.at),
            "rows are found by place"
        );
        Ok(ChunkAt {
            base,
            exists,
            changed,
            rows: rows.into(),
            since,
            dictionary: Arc::clone(&self.dictionary),
            uuid: *self.uuid(),
            columns: ColumnsAt::default(),
            single_reads: AtomicU32::new(0),
        })
    }
}
