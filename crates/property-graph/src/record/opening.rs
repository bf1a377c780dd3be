//! Reading the chunks that a superblock names, at opening, and verifying all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_storage::StorageError;
use evergraph_topology::extension::Place;

use super::content::Record;
use super::found::FoundAt;
use super::stored::{Segment, StoredChunk};
use super::table::Table;

type Parts = BTreeMap<u32, Vec<Arc<Segment>>>;

impl<R: Record> Table<R> {
    /// Claims the extents that the directory names, reading nothing of them.
    pub(crate) fn restore(&self, place: &Place<'_>) -> Result<(), StorageError> {
        let _ = self.uuid.set(*place.uuid);
        let mut parts = self.restore_parts(place)?;
        let owner = self.key(0).owner;
        let own = place
            .directory
            .entries()
            .filter(|(key, _)| key.owner == owner);
        for (key, entry) in own {
            let extent = place.region.adopt(entry.offset, entry.len)?;
            let segments = parts.remove(&key.section).unwrap_or_default();
            let identity = self.identity(key.section);
            let stored = StoredChunk::named(identity, entry, extent, segments, &self.dictionary)?;
            let used = stored.used();
            if !self.chunks.restore(key.section, stored) {
                let file = place.region.file_name();
                let what = format!("chunk {} of table {} cannot be", key.section, self.number);
                return Err(StorageError::damaged(&file, entry.offset, what));
            }
            self.used.fetch_add(used.into(), Ordering::Relaxed);
        }
        if let Some((chunk, segment)) = parts.iter().find_map(|of| Some((of.0, of.1.first()?))) {
            let of = self.identity(*chunk).name_of(segment.part);
            let what = format!("records, table {}, {of}: it has no chunk", self.number);
            let file = place.region.file_name();
            return Err(StorageError::damaged(&file, segment.entry.offset, what));
        }
        self.history.restore(place);
        let limit = u64::from(self.chunks.count()) * u64::from(self.geometry.records_per_chunk);
        self.ids
            .restore_until(u32::try_from(limit).unwrap_or(u32::MAX));
        Ok(())
    }

    /// The parts outside cores, ascending, by chunk.
    fn restore_parts(&self, place: &Place<'_>) -> Result<Parts, StorageError> {
        let mut parts = Parts::new();
        for (name, entry) in place.directory.entries() {
            if let Some((chunk, part)) = self.part_of(name) {
                let extent = place.region.adopt(entry.offset, entry.len)?;
                let segment = Arc::new(Segment::named(part, entry, extent));
                parts.entry(chunk).or_default().push(segment);
            }
        }
        // The directory has large values behind the columns.
        for segments in parts.values_mut() {
            segments.sort_by_key(|segment| segment.part);
        }
        Ok(parts)
    }

    /// Verifies everything that is stored as of commit `csn`: checksums, counts,
    /// that each record can be read, and that its codes are known.
    pub(crate) fn check(&self, csn: u64, problems: &mut Vec<String>) {
        for (number, chunk) in self.chunks.all() {
            let base = chunk.state.read().base.clone();
            // A bulk load since the last checkpoint is not stored yet.
            let stored = base.filter(|base| base.extent().is_some());
            if let Some(base) = stored
                && let Err(error) = self.check_chunk(number, &base, csn)
            {
                problems.push(error.to_string());
            }
        }
        self.history.check(self.uuid(), problems, |chunk, at| {
            let record = self.found(FoundAt::Chunk(Arc::clone(chunk), at)).record()?;
            let named = record.check_names(&self.dictionary);
            named.map_err(|what| chunk.damaged(&format!("version {at}: {what}")))
        });
    }

    fn check_chunk(
        &self,
        number: u32,
        base: &Arc<StoredChunk>,
        csn: u64,
    ) -> Result<(), StorageError> {
        base.verify(self.uuid())?;
        if base.csn() > csn {
            return Err(base.damaged("it is newer than the newest commit"));
        }
        let reader = base.read(self.uuid())?;
        for at in 0..self.geometry.records_per_chunk {
            let slot = reader.slot(at);
            let damaged = |what: &str| {
                let id = self.id(number, at);
                base.damaged(&format!("record {id}: {what}"))
            };
            if slot.begin > base.csn() || slot.born > slot.begin {
                return Err(damaged("its commits cannot be"));
            }
            if slot.is_used {
                let record = self.found(FoundAt::Chunk(Arc::clone(base), at)).record()?;
                record.check_names(&self.dictionary).map_err(damaged)?;
            }
        }
        Ok(())
    }
}
