//! Whole chunks of new records, loaded in one piece.
//!
//! A bulk load makes no versions: its records have fresh ids, so no older version
//! of them exists that a view could ask for, and all of a chunk come with one commit.
//! The chunk lies in DRAM, all its columns in its core, until a checkpoint writes it; its records travel in the log like any others.

use evergraph_storage::StorageError;

use super::builder::Builder;
use super::content::{Fixed, Record};
use super::core::Slot;
use super::ids::ReserveError;
use super::stored::StoredChunk;
use super::table::Table;
use crate::value::Properties;

impl<R: Record> Table<R> {
    /// Applies the bulk load of commit `csn`: all records of a chunk that had none, with
    /// their properties encoded without codes for texts. In the order of commits. Chunks
    /// that are merged already are skipped (replay).
    ///
    /// # Errors
    /// A chunk that cannot be, that had records, or other than a chunk's number.
    pub(crate) fn load<'a>(
        &self,
        csn: u64,
        number: u32,
        rows: impl ExactSizeIterator<Item = (Fixed, &'a [u8])>,
    ) -> Result<(), StorageError> {
        let wrong = |what: &str| {
            let what = format!("commit {csn} loads chunk {number} of records, {what}");
            StorageError::damaged("log", 0, what)
        };
        let per_chunk = self.geometry.records_per_chunk;
        if rows.len() != per_chunk as usize {
            return Err(wrong("and not all of it"));
        }
        let until = number
            .checked_add(1)
            .and_then(|n| n.checked_mul(per_chunk))
            .filter(|&until| until <= self.geometry.most_records)
            .ok_or_else(|| wrong("which cannot be"))?;
        let chunk = self.chunks.get_or_make(number);
        let chunk = chunk.ok_or_else(|| wrong("which cannot be"))?;
        if csn <= self.merged_csn(number) {
            return Ok(());
        }
        let slot = Slot {
            is_used: true,
            begin: csn,
            born: csn,
        };
        let mut builder = Builder::new(self.identity(number));
        for (at, (fixed, properties)) in rows.enumerate() {
            let properties = Properties::decode(properties);
            let properties = properties.map_err(|error| wrong(&format!("with {error}")))?;
            builder.add(at as u32, slot, fixed, properties);
        }
        let loaded = StoredChunk::loaded(&builder.finish()?, csn);
        match self.change(number, chunk, |state| state.load(loaded)) {
            true => {
                self.ids.created_until(until);
                Ok(())
            }
            false => Err(wrong("which had records")),
        }
    }

    /// Fresh ids up to the end of the last chunk in use, and then of whole chunks:
    /// at least `count` in all, unless there are fewer.
    ///
    /// # Errors
    /// If none is left, or the last chunk cannot be read.
    pub(crate) fn reserve_chunks(&self, count: u32) -> Result<std::ops::Range<u32>, ReserveError> {
        let unused = |chunk| self.unused_ids(chunk);
        self.ids.reserve_chunks(count, unused)
    }

    /// Gives back the last of the ids that [`Table::reserve_chunks`] gave, from `first` to
    /// `until`, which no commit uses.
    pub(crate) fn release_range(&self, unused: std::ops::Range<u32>) {
        self.ids.release_range(unused);
    }
}
