//! All records of a chunk as of a commit: the unit of a scan (Poseidon, section 6.1: a
//! morsel is a range of chunks).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::StorageError;

use super::bits::slots_of;
use super::content::Record;
use super::found::{Found, FoundAt};
use super::stored::StoredChunk;
use super::table::Table;

impl<R: Record> Table<R> {
    /// Calls `visit` with the id of each record that there is as of a commit, and with
    /// the record, ascending, until it breaks. Holds no lock meanwhile. Returns whether
    /// it went to the end.
    ///
    /// The commit is one that a view or a named snapshot shows. Cost: the chunk's bitmap,
    /// the commit of each record if the view's is older than the chunk, and the reads of
    /// `visit`.
    pub(crate) fn for_each_in_chunk(
        &self,
        chunk: u32,
        csn: u64,
        mut visit: impl FnMut(u32, &Found<'_, R>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, StorageError> {
        let Some(found) = self.chunks.get(chunk) else {
            return Ok(ControlFlow::Continue(()));
        };
        let (base, mut versions) = {
            let state = found.state.read();
            let versions = state.chains.iter().filter_map(|(at, chain)| {
                let version = chain.at(csn)?;
                Some((*at, version.record.clone()))
            });
            let versions: BTreeMap<u32, Option<Arc<R>>> = versions.collect();
            (state.base.clone(), versions)
        };
        let first = chunk * self.geometry.records_per_chunk;
        let mut visit_at = |at: u32, place: FoundAt<R>| visit(first + at, &self.found(place));
        if let Some(base) = &base {
            for at in self.candidates(base, csn)? {
                // Versions before this one that the base does not show.
                while let Some(entry) = versions.first_entry().filter(|entry| *entry.key() < at) {
                    let (at, record) = entry.remove_entry();
                    if let Some(record) = record
                        && visit_at(at, FoundAt::Version(record)).is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                let place = match versions.remove(&at) {
                    Some(record) => record.map(FoundAt::Version),
                    None => self.find_stored(first + at, csn, Arc::clone(base))?,
                };
                if let Some(place) = place
                    && visit_at(at, place).is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        for (at, record) in versions {
            if let Some(record) = record
                && visit_at(at, FoundAt::Version(record)).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// As [`Table::for_each_in_chunk`], to the end or the first error.
    ///
    /// # Errors
    /// Errors of `visit`, and damage.
    pub(crate) fn try_for_each_in_chunk<E: From<StorageError>>(
        &self,
        chunk: u32,
        csn: u64,
        mut visit: impl FnMut(u32, &Found<'_, R>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        let _ = self.for_each_in_chunk(chunk, csn, |id, found| {
            outcome = visit(id, found);
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        outcome
    }

    /// The places of a stored chunk where a record may be as of a commit: those that
    /// are used, and, of a commit before the chunk's, those that were changed since.
    fn candidates(&self, base: &StoredChunk, csn: u64) -> Result<Vec<u32>, StorageError> {
        let reader = base.read(self.uuid())?;
        let records = self.geometry.records_per_chunk;
        if csn < base.csn() {
            return Ok((0..records)
                .filter(|&at| reader.slot(at).begin > 0)
                .collect());
        }
        let words = (0..records.div_ceil(64)).map(|word| reader.used_word(word));
        let used: Vec<u64> = words.collect();
        Ok(slots_of(&used).map(|slot| slot as u32).collect())
    }
}
