//! Writing chunks with the store's checkpoints, and reading them at opening.

use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError};
use evergraph_topology::extension::Place;
use rayon::prelude::*;

use super::chunk::ChunkState;
use super::content::Record;
use super::format::{ChunkImage, ChunkReader, Slot, StoredChunk};
use super::found::FoundAt;
use super::round::{Round, Written};
use super::segment::NewPast;
use super::table::Table;
use super::versions::Version;
use crate::dictionary::Dictionary;
use crate::value::Properties;

/// Fewer chunks are encoded by one thread.
const PARALLEL_AT_LEAST: usize = 32;
/// So many chunks are in DRAM twice.
const ENCODED_AT_ONCE: usize = 128;

/// Changes of a chunk that is merged.
struct Frozen<R> {
    base: Option<Arc<StoredChunk>>,
    /// Ascending by place.
    changes: Vec<Change<R>>,
}

struct Change<R> {
    at: u32,
    /// Version that the chunk will hold.
    merged: Version<R>,
    /// Versions that were never in a chunk and are past now.
    past: Vec<Version<R>>,
    /// End of the validity of the chunk's present version.
    base_end: u64,
}

/// The new content of a chunk, and the old one.
struct Encoded<'a, R> {
    number: u32,
    image: ChunkImage,
    needed: &'a Needed,
    /// Versions that go to the history table.
    past: Vec<NewPast>,
    shown: Vec<(u32, Version<R>)>,
}

impl<R: Record> Table<R> {
    /// Durability steps 1 and 2: writes the chunks with changes up to commit `csn`
    /// out of place, and names them in the directory; also, in the history table,
    /// the versions that this replaces and that kept commits show.
    ///
    /// Cost: each chunk with changes is written once, whatever their number.
    pub(crate) fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let _ = self.uuid.set(*place.uuid);
        *self.round.lock() = None;
        let (mut flushed, mut chunks, mut past) = (Vec::new(), Vec::new(), Vec::new());
        for numbers in self.unmerged_chunks(csn).chunks(ENCODED_AT_ONCE) {
            for encoded in self.encode_all(numbers, csn, needed) {
                let Some(mut encoded) = encoded? else {
                    continue;
                };
                let (number, image) = (encoded.number, &mut encoded.image);
                let draft = place.region.allocate(image.len())?;
                let (entry, bytes) = image.finish(place.uuid, draft.offset(), csn);
                let (extent, token) = draft.finish(bytes)?.split();
                flushed.push(token);
                place.directory.set(self.key(number), entry);
                let identity = self.identity(number);
                chunks.push(Written {
                    number,
                    stored: Arc::new(StoredChunk::written(identity, entry, extent)),
                    shown: encoded.shown,
                });
                past.append(&mut encoded.past);
            }
        }
        let history = self.history.write(past, needed, place, &mut flushed)?;
        *self.round.lock() = Some(Round { chunks, history });
        Ok(flushed)
    }

    fn unmerged_chunks(&self, csn: u64) -> Vec<u32> {
        let work = self.work.lock();
        let unmerged = work.unmerged.iter().filter(|&(_, &since)| since <= csn);
        unmerged.map(|(&number, _)| number).collect()
    }

    /// The new content of some chunks, in their order; by several threads if there
    /// are many.
    fn encode_all<'n>(
        &self,
        numbers: &[u32],
        csn: u64,
        needed: &'n Needed,
    ) -> Vec<Result<Option<Encoded<'n, R>>, StorageError>> {
        let encode = |&number: &u32| {
            let frozen = self.freeze(number, csn);
            let encoded = frozen.map(|frozen| self.encode(number, &frozen, needed));
            encoded.transpose()
        };
        match numbers.len() < PARALLEL_AT_LEAST {
            true => numbers.iter().map(encode).collect(),
            false => numbers.par_iter().map(encode).collect(),
        }
    }

    fn freeze(&self, number: u32, csn: u64) -> Option<Frozen<R>> {
        let state = self.chunks.get(number)?.state.read();
        state.unmerged_since.filter(|&since| since <= csn)?;
        Some(state.freeze(csn))
    }

    fn encode<'n>(
        &self,
        number: u32,
        frozen: &Frozen<R>,
        needed: &'n Needed,
    ) -> Result<Encoded<'n, R>, StorageError> {
        let mut encoded = Encoded {
            number,
            image: ChunkImage::begin(self.identity(number)),
            needed,
            past: Vec::new(),
            shown: Vec::new(),
        };
        let base = frozen.base.as_ref();
        let reader = base.map(|base| base.read(self.uuid())).transpose()?;
        let mut changes = frozen.changes.iter().peekable();
        let mut properties = Vec::new();
        for at in 0..self.geometry.records_per_chunk {
            properties.clear();
            let Some(change) = changes.next_if(|change| change.at == at) else {
                let Some(reader) = reader.filter(|reader| reader.slot(at).begin > 0) else {
                    continue;
                };
                let image = &mut encoded.image;
                let mut stored = reader.properties(at)?;
                if base.is_some_and(|base| base.extent().is_none()) {
                    // Properties loaded in bulk have no codes for texts yet.
                    Properties::recode(stored, &*self.dictionary, &mut properties)
                        .map_err(|what| self.cannot_store(number, what))?;
                    stored = &properties;
                }
                let same = image.set(at, reader.slot(at), reader.fixed(at), stored);
                same.map_err(|what| self.cannot_store(number, what))?;
                continue;
            };
            if let (Some(base), Some(reader)) = (base, reader) {
                self.replace(&mut encoded, change, base, reader)?;
            }
            self.replace_versions(&mut encoded, change)?;
            let Version {
                begin,
                born,
                record,
                ..
            } = &change.merged;
            let slot = Slot {
                is_used: record.is_some(),
                begin: *begin,
                born: match record {
                    None if failpoint!("ids.birth-forgotten") => *begin,
                    _ => *born,
                },
            };
            let fixed = match record {
                Some(record) => store(&**record, &self.dictionary, &mut properties),
                None => Ok(Default::default()),
            };
            fixed
                .and_then(|fixed| encoded.image.set(at, slot, fixed, &properties))
                .map_err(|what| self.cannot_store(number, what))?;
        }
        Ok(encoded)
    }

    pub(super) fn cannot_store(&self, chunk: u32, what: &str) -> StorageError {
        let what = format!("records, table {}, chunk {chunk}: {what}", self.number);
        StorageError::damaged("memory", 0, what)
    }

    pub(super) fn id(&self, chunk: u32, at: u32) -> u32 {
        chunk * self.geometry.records_per_chunk + at
    }

    /// Replaces a record of the chunk; the history keeps the old version if it is needed.
    fn replace(
        &self,
        encoded: &mut Encoded<'_, R>,
        change: &Change<R>,
        base: &Arc<StoredChunk>,
        reader: ChunkReader<'_>,
    ) -> Result<(), StorageError> {
        let slot = reader.slot(change.at);
        if !slot.is_used {
            return Ok(());
        }
        if encoded.needed.is_kept(slot.begin, change.base_end) {
            encoded.past.push(NewPast {
                id: self.id(encoded.number, change.at),
                begin: slot.begin,
                end: change.base_end,
                fixed: reader.fixed(change.at),
                properties: reader.properties(change.at)?.to_vec(),
            });
        }
        if encoded.needed.is_watched(slot.begin, change.base_end) {
            let found = self.found(FoundAt::Chunk(Arc::clone(base), change.at));
            let version = Version {
                begin: slot.begin,
                end: change.base_end,
                born: slot.born,
                record: Some(found.record()?),
            };
            encoded.shown.push((change.at, version));
        }
        Ok(())
    }

    /// Versions that come between the chunk's old and its new one: those for views
    /// stay where they are.
    fn replace_versions(
        &self,
        encoded: &mut Encoded<'_, R>,
        change: &Change<R>,
    ) -> Result<(), StorageError> {
        for version in &change.past {
            let Some(record) = &version.record else {
                continue;
            };
            if !encoded.needed.is_kept(version.begin, version.end) {
                continue;
            }
            let mut properties = Vec::new();
            let fixed = store(&**record, &self.dictionary, &mut properties)
                .map_err(|what| self.cannot_store(encoded.number, what))?;
            encoded.past.push(NewPast {
                id: self.id(encoded.number, change.at),
                begin: version.begin,
                end: version.end,
                fixed,
                properties,
            });
        }
        Ok(())
    }

    /// A superblock may name the written chunks from now on.
    pub(crate) fn publishing(&self) {
        if let Some(round) = &*self.round.lock() {
            let chunks = round.chunks.iter();
            let extents = chunks.filter_map(|written| written.stored.extent());
            extents.for_each(|extent| extent.published());
        }
    }

    /// Durability step 6: readers go to the new chunks, the old ones are given back.
    /// `needed` is asked under the lock of each chunk.
    pub(crate) fn published(&self, needed: &dyn Fn() -> Needed) {
        let Some(round) = self.round.lock().take() else {
            return;
        };
        // The history comes first: a reader that sees a new chunk looks for older versions
        // here.
        if let Some(history) = round.history {
            self.history.publish(history);
        }
        for written in round.chunks {
            let Some(chunk) = self.chunks.get(written.number) else {
                continue;
            };
            if let Some(extent) = written.stored.extent() {
                extent.published();
            }
            let old = self.change(written.number, chunk, |state| {
                for (at, version) in written.shown {
                    state.chains.entry(at).or_default().insert(version);
                }
                let old = state.base.replace(written.stored);
                state.prune(&needed());
                old
            });
            if let Some(extent) = old.as_ref().and_then(|old| old.extent()) {
                extent.retire();
            }
        }
        let chained: Vec<u32> = self.work.lock().chained.iter().copied().collect();
        for number in chained {
            if let Some(chunk) = self.chunks.get(number) {
                self.change(number, chunk, |state| state.prune(&needed()));
            }
        }
    }

    /// No superblock names the written chunks.
    pub(crate) fn abandoned(&self) {
        *self.round.lock() = None;
    }
}

fn store<R: Record>(
    record: &R,
    dictionary: &Dictionary,
    properties: &mut Vec<u8>,
) -> Result<super::content::Fixed, &'static str> {
    let stored = record.properties().encode_with(dictionary, properties);
    stored.map_err(|_| "lists and maps of a property lie too deep in each other")?;
    let fixed = record.to_fixed(dictionary);
    fixed.ok_or("the dictionary has no room for one more set of labels")
}

impl<R: Record> ChunkState<R> {
    /// Changes that a merge up to commit `csn` has to write.
    fn freeze(&self, csn: u64) -> Frozen<R> {
        let merged = self.merged();
        let change = |(&at, chain): (&u32, &super::versions::Chain<R>)| {
            let (last, past) = chain.to_merge(merged, csn)?;
            Some(Change {
                at,
                merged: last.clone(),
                past: past.to_vec(),
                base_end: chain.first_after(merged)?,
            })
        };
        Frozen {
            base: self.base.clone(),
            changes: self.chains.iter().filter_map(change).collect(),
        }
    }
}
