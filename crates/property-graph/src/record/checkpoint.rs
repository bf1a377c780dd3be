//! Writing chunks with the store's checkpoints, and reading them at opening.

use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Extent, Medium, Needed, StorageError, checksum};
use evergraph_topology::extension::Place;
use rayon::prelude::*;

use super::builder::{Builder, Content, Image};
use super::chunk::ChunkState;
use super::content::{Fixed, Record};
use super::core::{Part, Slot};
use super::found::FoundAt;
use super::round::{Round, Written};
use super::segment::NewPast;
use super::stored::{COLUMNS, ChunkReader, Segment, StoredChunk};
use super::table::Table;
use super::versions::Version;
use crate::value::Properties;

/// Fewer chunks are encoded by one thread.
const PARALLEL_AT_LEAST: usize = 4;
/// So many chunks are in DRAM twice, and columns of one key in so many lie side by side.
const ENCODED_AT_ONCE: usize = 32;

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
    base: Option<Arc<StoredChunk>>,
    image: Image,
    past: Past<'a, R>,
}

/// Versions that the new content of a chunk has not.
struct Past<'a, R> {
    number: u32,
    needed: &'a Needed,
    /// They go to the history table.
    past: Vec<NewPast>,
    shown: Vec<(u32, Version<R>)>,
}

impl<R: Record> Table<R> {
    /// Durability steps 1 and 2: writes the chunks with changes up to commit `csn`
    /// out of place, and names them in the directory; also, in the history table,
    /// the versions that this replaces and that kept commits show.
    ///
    /// Cost: the core of each chunk with changes is written once, and those of its columns
    /// and large values that changed and are not small, whatever the number of changes.
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
            let encoded = self.encode_all(numbers, csn, needed).into_iter();
            let encoded: Result<Vec<_>, _> = encoded.filter_map(Result::transpose).collect();
            let mut encoded = encoded?;
            self.write_parts(&mut encoded, csn, place, &mut flushed)?;
            for Encoded {
                image,
                past: mut old,
                ..
            } in encoded
            {
                let (number, core) = (old.number, image.core(csn));
                let (entry, extent) = write(&core, csn, image.used(), place, &mut flushed)?;
                place.directory.set(self.key(number), entry);
                chunks.push(Written {
                    number,
                    stored: Arc::new(StoredChunk::written(&image, entry, extent)),
                    shown: old.shown,
                });
                past.append(&mut old.past);
            }
        }
        let history = self.history.write(past, needed, place, &mut flushed)?;
        *self.round.lock() = Some(Round { chunks, history });
        Ok(flushed)
    }

    /// Writes new columns that are too large for a core, those of one key side by side, and
    /// new large values, and takes those that are not any more out of the directory.
    fn write_parts(
        &self,
        chunks: &mut [Encoded<'_, R>],
        csn: u64,
        place: &mut Place<'_>,
        flushed: &mut Vec<Flushed<()>>,
    ) -> Result<(), StorageError> {
        for chunk in chunks.iter() {
            let kept = chunk.image.segments();
            let old = chunk.base.iter().flat_map(|base| base.segments());
            for gone in old.filter(|old| !old.is_among(&kept)) {
                place
                    .directory
                    .remove(self.name_of(gone.part, chunk.past.number));
                failpoint!("columns.freed-first" => {
                    place.region.scribble(&gone.extent)?;
                });
            }
            failpoint!("values.kept-freed" => {
                for kept in kept.iter().filter(|kept| kept.part.at.is_some()) {
                    place.region.scribble(&kept.extent)?;
                }
            });
        }
        let mut new: Vec<_> = chunks
            .iter_mut()
            .flat_map(|chunk| {
                let parts = chunk.image.parts.iter_mut();
                parts.map(|(part, content)| (*part, chunk.past.number, content))
            })
            .collect();
        new.sort_by_key(|(part, chunk, _)| (*part, *chunk));
        for (part, chunk, content) in new {
            let Content::New(bytes) = content else {
                continue;
            };
            if part.at.is_none() && bytes.len() <= self.geometry.inside_bytes {
                continue;
            }
            let (entry, extent) = write(bytes, csn, 0, place, flushed)?;
            if part.at.is_some() && failpoint!("values.not-flushed") {
                let medium = place.region.medium();
                medium.write(entry.offset, &vec![0; bytes.len()])?;
                medium.flush(entry.offset, entry.len)?;
                medium.write(entry.offset, bytes)?;
            }
            if !failpoint!("columns.not-named") {
                let of = |at| match failpoint!("values.exchanged") {
                    true => at ^ 1,
                    false => at,
                };
                let named = Part {
                    at: part.at.map(of),
                    ..part
                };
                place.directory.set(self.name_of(named, chunk), entry);
            }
            *content = Content::Kept(Arc::new(Segment::written(part, entry, extent)));
        }
        Ok(())
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
        let identity = self.identity(number);
        let reader = frozen.base.as_ref();
        let reader = reader.map(|base| base.read(self.uuid())).transpose()?;
        let mut past = Past {
            number,
            needed,
            past: Vec::new(),
            shown: Vec::new(),
        };
        let builder = Builder::over(identity, reader);
        let mut builder = builder.with_large_bytes(self.geometry.large_bytes);
        for change in &frozen.changes {
            if let (Some(base), Some(reader)) = (&frozen.base, reader) {
                self.replace(&mut past, change, base, reader)?;
            }
            self.replace_versions(&mut past, change)?;
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
            let fixed = record.as_ref().map(|record| self.fixed(number, &**record));
            let record = fixed.transpose()?.zip(record.as_deref());
            let record = record.map(|(fixed, record)| (fixed, record.properties()));
            builder.replace(change.at, slot, record)?;
        }
        Ok(Encoded {
            image: builder.finish()?,
            base: frozen.base.clone(),
            past,
        })
    }

    fn fixed(&self, number: u32, record: &R) -> Result<Fixed, StorageError> {
        let fixed = record.to_fixed(&self.dictionary);
        let what = "the dictionary has no room for one more set of labels";
        fixed.ok_or_else(|| self.identity(number).cannot_store(what))
    }

    fn packed(&self, number: u32, properties: &Properties) -> Result<Vec<u8>, StorageError> {
        let mut bytes = Vec::new();
        let packed = properties.encode(&mut bytes);
        let what = "lists and maps of a property lie too deep in each other";
        packed.map_err(|_| self.identity(number).cannot_store(what))?;
        Ok(bytes)
    }

    pub(super) fn id(&self, chunk: u32, at: u32) -> u32 {
        chunk * self.geometry.records_per_chunk + at
    }

    /// Replaces a record of the chunk; the history keeps the old version if it is needed.
    fn replace(
        &self,
        encoded: &mut Past<'_, R>,
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
                born: slot.born,
                fixed: reader.fixed(change.at),
                properties: self.packed(encoded.number, &reader.properties(change.at)?)?,
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
        encoded: &mut Past<'_, R>,
        change: &Change<R>,
    ) -> Result<(), StorageError> {
        for version in &change.past {
            let Some(record) = &version.record else {
                continue;
            };
            if !encoded.needed.is_kept(version.begin, version.end) {
                continue;
            }
            encoded.past.push(NewPast {
                id: self.id(encoded.number, change.at),
                begin: version.begin,
                end: version.end,
                born: version.born,
                fixed: self.fixed(encoded.number, &**record)?,
                properties: self.packed(encoded.number, record.properties())?,
            });
        }
        Ok(())
    }

    /// A superblock may name the written chunks from now on.
    pub(crate) fn publishing(&self) {
        if let Some(round) = &*self.round.lock() {
            let chunks = round.chunks.iter();
            let extents = chunks.flat_map(|written| written.stored.extents());
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
            written
                .stored
                .extents()
                .for_each(|extent| extent.published());
            let new = Arc::clone(&written.stored);
            let old = self.change(written.number, chunk, |state| {
                for (at, version) in written.shown {
                    state.chains.entry(at).or_default().insert(version);
                }
                let old = state.base.replace(written.stored);
                state.prune(&needed());
                old
            });
            if let Some(old) = old {
                old.retire(&new);
            }
        }
        // No picture is made of the old chunks and history any more.
        if !failpoint!("records.past-pictures-kept") {
            self.past.published();
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

/// Writes a segment of a chunk.
fn write(
    bytes: &[u8],
    csn: u64,
    used: u32,
    place: &Place<'_>,
    flushed: &mut Vec<Flushed<()>>,
) -> Result<(Entry, Extent), StorageError> {
    let draft = place.region.allocate(bytes.len() as u64)?;
    let entry = Entry {
        offset: draft.offset(),
        len: bytes.len() as u64,
        csn,
        generation: COLUMNS,
        crc: checksum(place.uuid, draft.offset(), bytes),
        entries: used.into(),
        tombstones: 0,
    };
    let (extent, token) = draft.finish(bytes)?.split();
    flushed.push(token);
    Ok((entry, extent))
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
