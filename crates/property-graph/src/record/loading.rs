//! Whole chunks of new records, loaded in one piece.
//!
//! A bulk load makes no versions: its records have fresh ids, so no older version
//! of them exists that a view could ask for, and all of a chunk come with one commit.
//! The chunk lies in DRAM, all its columns in its core, until a checkpoint writes it; its
//! records travel in the log like any others. The load that commits them hands their
//! columns over, so that only a replay makes them of what is in the log.

use evergraph_storage::StorageError;

use super::builder::Builder;
use super::content::{Fixed, Record};
use super::core::Slot;
use super::ids::ReserveError;
use super::new_columns::{EncodedColumns, NewColumns};
use super::stored::StoredChunk;
use super::table::Table;

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
        rows: impl ExactSizeIterator<Item = (Fixed, &'a [u8])> + Clone,
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
        let handed_over = self.handed_over.lock().remove(&number);
        if csn <= self.merged_csn(number) {
            return Ok(());
        }
        let logged = || {
            let columns = NewColumns::decode(rows.clone().map(|row| row.1));
            columns.map_err(|error| wrong(&format!("with {error}")))
        };
        let columns = match handed_over {
            Some(columns) => {
                debug_assert_eq!(logged().as_ref().ok(), Some(&columns), "chunk {number}");
                columns
            }
            None => logged()?,
        };
        let slot = Slot {
            is_used: true,
            begin: csn,
            born: csn,
        };
        let fixed = rows.map(|row| row.0);
        let image = Builder::loaded(self.identity(number), slot, fixed, columns);
        let loaded = StoredChunk::loaded(&image, csn);
        match self.change(number, chunk, |state| state.load(loaded)) {
            true => {
                self.ids.created_until(until);
                Ok(())
            }
            false => Err(wrong("which had records")),
        }
    }

    /// Takes the columns of a chunk whose ids the caller has reserved, until the commit of
    /// its records is applied. They are those of the records in the log.
    pub(crate) fn hand_over(&self, number: u32, columns: EncodedColumns) {
        self.handed_over.lock().insert(number, columns);
    }

    /// Drops the columns of chunks whose commit did not come about; before their ids are
    /// given back.
    pub(crate) fn take_back(&self, numbers: &[u32]) {
        let mut handed_over = self.handed_over.lock();
        for number in numbers {
            handed_over.remove(number);
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

    /// Fresh ids that are left up to the end of a chunk, and records of a chunk.
    pub(crate) fn room(&self) -> (usize, usize) {
        let chunk = self.geometry.records_per_chunk as usize;
        let in_last = self.ids.fresh() as usize % chunk;
        ((chunk - in_last) % chunk, chunk)
    }

    /// As if all ids below this one had been given; not before the first was.
    #[cfg(test)]
    pub(crate) fn skip_until(&self, id: u32) {
        self.ids.restore_until(id);
    }

    /// Gives back ids that were reserved and that no commit uses.
    pub(crate) fn release(&self, unused: std::ops::Range<u32>) {
        self.ids.release(unused);
    }
}
