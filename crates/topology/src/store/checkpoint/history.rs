//! Storing the past: history segments are written with the root of a merge that
//! makes the log unable to rebuild what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Directory, Needed, SectionKey, StorageError, Uuid};

use crate::adjacencies::Adjacencies;
use crate::error::TopologyError;
use crate::history::names::{self, Names};
use crate::history::segment::{self, Chunk, NewChunk, Segment};
use crate::history::tiers::{self, Tier};
use crate::history::{NewPoints, PublishedHistory};
use crate::layout::Layout;
use crate::store::checkpoint::{Checkpointer, Merged, RootState};

/// Segments of the history, among the blobs of the directory.
const BLOB_HISTORY: u32 = 3;

/// History that a root is about to publish.
pub(in crate::store) struct Update {
    /// Segments from here on are joined in the new one, or gone.
    absorbed: usize,
    segment: Option<Arc<Segment>>,
    /// Sections whose points are somewhere else now.
    sections: BTreeMap<SectionKey, PublishedHistory>,
}

impl Update {
    /// Takes out the update of one section's points.
    pub(in crate::store) fn take(&mut self, key: SectionKey) -> Option<PublishedHistory> {
        self.sections.remove(&key)
    }
}

impl Checkpointer {
    /// Durability step 2 for the past: writes the points of the merged sections,
    /// and changes of names up to commit `csn`, as a new segment, which takes in
    /// others. With `rewrite` it takes in all. `None` if there is nothing to do.
    pub(in crate::store) fn write_history(
        &self,
        roots: &mut RootState,
        merged: &[Merged],
        needed: &Needed,
        csn: u64,
        rewrite: bool,
        written: &mut Vec<Flushed<()>>,
    ) -> Result<Option<Update>, TopologyError> {
        let new: BTreeMap<SectionKey, &NewPoints> = merged
            .iter()
            .filter_map(|m| Some((m.key, m.frozen.points()?)))
            .filter(|_| !failpoint!("history.dropped-at-merge"))
            .collect();
        let (pending, live_names) = {
            let names = self.live.snapshots.names.read();
            let until = if failpoint!("history.names-not-stored") {
                0
            } else {
                csn
            };
            (names.pending_until(until).to_vec(), names.len())
        };
        if new.is_empty() && pending.is_empty() && !rewrite {
            return Ok(None);
        }
        let RootState {
            directory,
            segments,
            ..
        } = roots;
        let stored_names: usize = segments.iter().map(|s| s.name_count).sum();
        let absorbed = if rewrite || stored_names > 2 * live_names + LEAST_NAMES {
            0
        } else {
            let points: u64 = new.values().map(|points| points.bytes.len() as u64).sum();
            let tiers: Vec<Tier> = segments.iter().map(|s| tier(s, directory)).collect();
            tiers::absorbed_from(&tiers, points + 64 * (new.len() + pending.len()) as u64)
        };
        let (kept, joined) = segments.split_at(absorbed);
        let absorbed_from = joined.first().map_or(u32::MAX, |first| first.number);
        let mut events = Vec::new();
        for segment in joined {
            events.extend(segment.names()?);
        }
        events.extend(pending);
        let events = names::reduce(events, kept.is_empty());
        let replaced: BTreeSet<SectionKey> = merged
            .iter()
            .filter(|m| m.frozen.replaces_history())
            .map(|m| m.key)
            .collect();
        let keys: BTreeSet<SectionKey> = joined
            .iter()
            .flat_map(|segment| segment.chunks.iter().map(|chunk| chunk.key))
            .chain(new.keys().copied())
            .collect();
        let mut chunks = Vec::new();
        let mut sections = BTreeMap::new();
        for key in keys {
            let replaces = replaced.contains(&key);
            let old: Vec<Chunk> = joined
                .iter()
                .filter_map(|segment| segment.chunk(key))
                .filter(|chunk| is_current(chunk, directory))
                .collect();
            let new = new.get(&key).copied();
            let (points, rewritten) = self.join(key, &old, new, needed)?;
            let generation = generation(directory, key);
            chunks.extend(points.map(|points| NewChunk {
                key,
                generation,
                points: points.points,
                after: points.after,
                last: points.last,
                bytes: points.bytes,
            }));
            sections.insert(
                key,
                PublishedHistory {
                    absorbed_from,
                    chunk: None,
                    replaces,
                    rewritten,
                },
            );
        }
        for segment in joined {
            failpoint!("history.freed-first" => {
                self.live.resources.volume.region.scribble(&segment.blob.extent)?;
            });
            directory.remove_blob(BLOB_HISTORY, segment.number);
        }
        let mut update = Update {
            absorbed,
            segment: None,
            sections,
        };
        if chunks.is_empty() && events.is_empty() {
            return Ok(Some(update));
        }
        let number = segments.last().map_or(0, |last| last.number + 1);
        let (region, uuid) = (
            &self.live.resources.volume.region,
            &self.live.resources.volume.uuid,
        );
        let len = segment::encoded_len(&chunks, &events);
        let flushed = directory.set_blob_at(region, uuid, BLOB_HISTORY, number, len, |offset| {
            segment::encode(uuid, offset, &chunks, &events, csn)
        })?;
        written.push(flushed);
        let segment = Arc::new(open_segment(directory, uuid, number)?);
        for (key, published) in &mut update.sections {
            published.chunk = segment.chunk(*key);
        }
        update.segment = Some(segment);
        Ok(Some(update))
    }

    /// The points of one section in the segments that are joined, and new ones behind
    /// them, without those that are not needed any more. Also whether there were such.
    fn join(
        &self,
        key: SectionKey,
        old: &[Chunk],
        new: Option<&NewPoints>,
        needed: &Needed,
    ) -> Result<(Option<NewPoints>, bool), TopologyError> {
        let uuid = &self.live.resources.volume.uuid;
        let mut pieces = Vec::new();
        for chunk in old {
            let bytes = chunk.bytes(uuid)?;
            pieces.push((
                chunk.entry.after,
                chunk.entry.last,
                chunk.entry.points,
                bytes,
            ));
        }
        pieces.extend(new.map(|new| (new.after, new.last, new.points, &new.bytes[..])));
        let Some(&(after, ..)) = pieces.first() else {
            return Ok((None, false));
        };
        let section = self.live.adjacencies.section(key);
        let points = NewPoints::joined(&pieces);
        let damaged = |what| match old.first() {
            Some(chunk) => chunk.damaged(what),
            None => StorageError::damaged("extents", 0, what),
        };
        let all_needed = points.all_needed(needed).map_err(damaged)?;
        let (false, Some(section)) = (all_needed, section) else {
            return Ok((Some(points), false));
        };
        let before = section.with_history(|history| history.chain_after(uuid, after))?;
        Ok((
            points.without_unneeded(before, needed).map_err(damaged)?,
            true,
        ))
    }

    /// Durability step 6 for the past: what is read is the new segment, and what
    /// it took in is given back.
    pub(in crate::store) fn publish_history(
        &self,
        roots: &mut RootState,
        update: Option<Update>,
    ) -> Result<(), TopologyError> {
        let Some(update) = update else {
            return Ok(());
        };
        let uuid = &self.live.resources.volume.uuid;
        for (key, published) in update.sections {
            if let Some(section) = self.live.adjacencies.section(key) {
                section
                    .with_history(|history| history.publish(uuid, published, None, Clone::clone))?;
            }
        }
        roots.segments.truncate(update.absorbed);
        roots.segments.extend(update.segment);
        Ok(())
    }
}

/// Fewer changes of names are not worth writing again.
const LEAST_NAMES: usize = 64;

fn generation(directory: &Directory, key: SectionKey) -> u32 {
    let entry = directory.entry(key).map(Layout::unmark);
    entry.map_or(0, |entry| entry.generation)
}

/// Whether a chunk has lengths of the lists as they are now.
fn is_current(chunk: &Chunk, directory: &Directory) -> bool {
    chunk.entry.generation == generation(directory, chunk.entry.key)
}

fn tier(segment: &Segment, directory: &Directory) -> Tier {
    let stale = segment
        .chunks
        .iter()
        .filter(|chunk| chunk.generation != generation(directory, chunk.key));
    Tier {
        bytes: segment.len(),
        waste: stale.map(|chunk| chunk.bytes()).sum(),
    }
}

fn open_segment(directory: &Directory, uuid: &Uuid, number: u32) -> Result<Segment, StorageError> {
    let blob = directory.blob(BLOB_HISTORY, number).expect("just set");
    Segment::open(uuid, number, blob.clone())
}

/// Reads which segments there are, gives the sections their points, and returns
/// the names of the snapshots.
pub(in crate::store) fn read(
    directory: &Directory,
    uuid: &Uuid,
    adjacencies: &Adjacencies,
) -> Result<(Vec<Arc<Segment>>, Names), TopologyError> {
    let mut segments = Vec::new();
    let mut names = Names::default();
    for (number, blob) in directory.numbered_blobs(BLOB_HISTORY) {
        let segment = Arc::new(Segment::open(uuid, number, blob.clone())?);
        names.load(segment.names()?, segment.names_csn);
        for entry in &segment.chunks {
            let chunk = segment.chunk(entry.key).expect("the index has it");
            let stored = directory.entry(entry.key).map(Layout::unmark);
            let section = adjacencies.section(entry.key);
            let (Some(stored), Some(section)) = (stored, section) else {
                return Err(chunk
                    .damaged("lengths of the past are of no section")
                    .into());
            };
            if entry.generation > stored.generation {
                return Err(chunk
                    .damaged("lengths of the past are of lists that are not there yet")
                    .into());
            }
            if entry.generation == stored.generation {
                section.with_history(|history| history.load(chunk, stored.csn))?;
            }
        }
        segments.push(segment);
    }
    Ok((segments, names))
}
