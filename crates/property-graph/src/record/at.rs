//! A chunk as of a commit.
//!
//! A reader that goes through many records asks once a chunk which of them exist and which
//! of them its base does not show. All others are read in place, in the base.

mod pictures;
mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use evergraph_storage::{StorageError, Uuid};
use parking_lot::Mutex;

use self::rows::{Row, Rows, Subjects as VersionsBySubject};
use super::bits::{bit, set, zeros};
use super::by_key::ByKey;
use super::column_at::{ColumnAt, LargeAt, cannot_be};
use super::content::{EndColumns, Fixed, Record, RelationshipRecord};
use super::found::{Found, FoundAt};
use super::layer::Layer;
use super::past::Charge;
use super::stored::{ChunkReader, StoredChunk};
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
    /// The changed places with a record.
    rows: Rows<R>,
    /// After this commit nothing was changed when the picture was made.
    since: u64,
    dictionary: Arc<Dictionary>,
    pub(super) uuid: Uuid,
    /// The columns that were asked for.
    pub(super) columns: ByKey<ColumnAt>,
    /// Values that were read without a column.
    single_reads: AtomicU32,
    past: Option<Past>,
    /// What it was made of: columns that were read there need not be made anew.
    before: Mutex<Option<Before<R>>>,
}

/// A picture, and bits of the places that were changed since.
type Before<R> = (Arc<ChunkAt<R>>, Arc<[u64]>);

/// What a picture of a commit before its base has beside others.
struct Past {
    charge: Charge,
    /// Bits of records that were replaced since, and of which there is no version in DRAM.
    replaced: Box<[u64]>,
    /// Those that there were, in chunks of versions.
    layers: Vec<Layer>,
    /// Theirs.
    subjects: Subjects,
}

/// By the code of a type or a set of labels: bits of the records that are of it.
pub(super) type Subjects = BTreeMap<i64, Box<[u64]>>;

/// The state of a changed place, on the way into a picture.
pub(super) type Changed<R> = (u32, u64, Option<Arc<R>>);

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

    /// The versions that it shows, by their types or sets of labels.
    pub(super) fn versions_by_subject(&self) -> &VersionsBySubject<R> {
        self.rows.subjects(self.exists.len())
    }

    /// A picture of a later commit, between which these places were changed.
    pub(super) fn after(before: &Arc<Self>, since: u64, changes: Vec<Changed<R>>) -> Self {
        // No more than two pictures are in DRAM.
        before.before.lock().take();
        let mut exists = before.exists.clone();
        let mut places = zeros(exists.len());
        let mut rows = Vec::with_capacity(changes.len());
        for (at, born, record) in changes {
            set(&mut places, at, true);
            set(&mut exists, at, record.is_some());
            rows.extend(record.map(|record| Row { at, born, record }));
        }
        let rows = before.rows.after(rows, &places);
        let words = places.iter().enumerate();
        let word = |at: usize| before.changed.get(at).copied().unwrap_or(0);
        ChunkAt {
            base: before.base.clone(),
            exists,
            changed: words.map(|(at, places)| places | word(at)).collect(),
            rows,
            since,
            dictionary: Arc::clone(&before.dictionary),
            uuid: before.uuid,
            columns: ByKey::default(),
            single_reads: AtomicU32::new(0),
            past: None,
            before: Mutex::new(Some((Arc::clone(before), places.into()))),
        }
    }

    /// The column of a key, if the picture that this one was made of has it.
    pub(super) fn column_after(&self, key: KeyCode) -> Result<Option<ColumnAt>, StorageError> {
        let before = self.before.lock().clone();
        let Some((before, places)) = before else {
            return Ok(None);
        };
        let Some(column) = before.columns.get(key) else {
            return Ok(None);
        };
        let values = values_of(key, self.rows.changed_last(&places));
        column.after(&places, values).map(Some).map_err(cannot_be)
    }

    /// By the code of a type or a set of labels: bits of the changed records of it that are
    /// in the history.
    pub(super) fn past_subjects(&self) -> impl Iterator<Item = (i64, &[u64])> {
        let subjects = self.past.iter().flat_map(|past| &past.subjects);
        subjects.map(|(code, bits)| (*code, &**bits))
    }

    /// Accounts for DRAM of a column that was made for it.
    pub(super) fn charge(&self, bytes: usize) {
        if let Some(past) = &self.past {
            past.charge.add(bytes);
        }
    }

    /// Chunks of versions that have changed records.
    pub(super) fn layers(&self) -> &[Layer] {
        self.past.as_ref().map_or(&[], |past| &past.layers)
    }

    /// Records in layers.
    pub(super) fn layered(&self) -> usize {
        self.layers().iter().map(Layer::len).sum()
    }

    /// Places of a column.
    pub(super) fn slots(&self) -> Result<usize, StorageError> {
        let base = self.base_reader()?;
        Ok(base.map_or(64 * self.exists.len(), |base| base.slots()))
    }

    pub(super) fn base_reader(&self) -> Result<Option<ChunkReader<'_>>, StorageError> {
        let base = self.base.as_ref().map(|base| base.read(&self.uuid));
        base.transpose()
    }

    /// One property of a record, null if it does not have it, or is not there.
    #[inline]
    pub(crate) fn property(&self, at: u32, key: KeyCode) -> Result<Value, StorageError> {
        match self.column(key, 1)? {
            Some(column) => column.get(at as usize),
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
        // One by one, versions in chunks of the past cost several times as much.
        let values = self.rows.len() + self.layered() / 8 + in_rest;
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

    /// The large values of a key that the base has of some records, `clean` ones; `None` if
    /// there are none.
    pub(super) fn large_values(
        &self,
        key: KeyCode,
        clean: &[u64],
    ) -> Result<Option<LargeAt>, StorageError> {
        let Some((base, reader)) = self.base.as_ref().zip(self.base_reader()?) else {
            return Ok(None);
        };
        let of_key = reader.large_of(key).filter(|at| bit(clean, *at));
        Ok(LargeAt::new(base, self.uuid, key, clean.len(), of_key))
    }

    /// Values of records of which there are versions in DRAM.
    pub(super) fn changed_values(&self, key: KeyCode) -> Vec<(usize, Value)> {
        values_of(key, self.rows.iter())
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
            true => self.found_changed(at)?,
            false => FoundAt::Chunk(Arc::clone(self.base.as_ref()?), at),
        };
        Some(Found {
            place,
            dictionary: &self.dictionary,
            uuid: &self.uuid,
        })
    }

    fn found_changed(&self, at: u32) -> Option<FoundAt<R>> {
        let in_layer = |layer: &Layer| {
            let version = layer.version(at)?;
            Some(FoundAt::Chunk(Arc::clone(&layer.chunk), version))
        };
        match self.rows.get(at) {
            Some(row) => Some(FoundAt::Version(Arc::clone(&row.record))),
            None => self.layers().iter().find_map(in_layer),
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
        if self.is_changed(at)
            && let Some(row) = self.rows.get(at)
        {
            return Ok(Some(row.born));
        }
        // No id is reused while a view shows its record, so that the birth in the base is
        // that of a record in a layer, too.
        match &self.base {
            Some(base) => Ok(Some(base.read(&self.uuid)?.slot(at).born)),
            None => Ok(None),
        }
    }

    /// After this commit nothing was changed when the picture was made.
    pub(super) fn since(&self) -> u64 {
        self.since
    }

    /// Whether it was made over this base.
    pub(super) fn is_of(&self, base: Option<&Arc<StoredChunk>>) -> bool {
        self.base.as_ref().map(Arc::as_ptr) == base.map(Arc::as_ptr)
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

    /// As [`ChunkAt::ends`], of many relationships, each in order, if the base shows all of
    /// them; whether it does.
    pub(crate) fn clean_ends(
        &self,
        slots: impl Iterator<Item = u32> + Clone,
        to: EndColumns<'_>,
    ) -> Result<bool, StorageError> {
        match self.base_reader()? {
            Some(base) if slots.clone().all(|at| self.is_clean(at)) => {
                base.ends(slots.map(|at| at as usize), to);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// The values of a key that versions have.
fn values_of<'r, R: Record + 'r>(
    key: KeyCode,
    rows: impl Iterator<Item = &'r Row<R>>,
) -> Vec<(usize, Value)> {
    let value = |row: &Row<R>| {
        let value = row.record.properties().get(key)?;
        Some((row.at as usize, value.clone()))
    };
    rows.filter_map(value).collect()
}
