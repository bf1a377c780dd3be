//! The history table: versions of records that named snapshots show, and that were
//! replaced or deleted since, and merged.
//!
//! Each checkpoint that replaces such versions writes them as one segment, which
//! takes in those before it that have not more than twice as many bytes. So there are
//! logarithmically many, and each version is written logarithmically often. What
//! no snapshot shows any more is left out when segments are joined, which a checkpoint also
//! does to one of which that is the most, and a segment goes with the next checkpoint when
//! no snapshot lies between its first commit and its last (of one that was not read yet:
//! when there is none).

use std::ops::Range;
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError, Uuid};
use evergraph_topology::extension::{EXTENSION_BLOBS, Place};
use parking_lot::RwLock;

use super::bits::{bit, set, zeros};
use super::layer::Layer;
use super::segment::{self, NewPast, PastChunk, Segment, Shape};
use super::stored::StoredChunk;
use crate::dictionary::Dictionary;

type Segments = Vec<Arc<Segment>>;

pub(super) struct History {
    shape: Arc<Shape>,
    /// The oldest first.
    segments: RwLock<Arc<Segments>>,
}

impl History {
    pub(super) fn new(table: u32, records_per_chunk: u32, dictionary: Arc<Dictionary>) -> Self {
        let shape = Shape {
            table,
            records_per_chunk,
            dictionary,
        };
        History {
            shape: Arc::new(shape),
            segments: RwLock::default(),
        }
    }

    fn kind(&self) -> u32 {
        EXTENSION_BLOBS + self.shape.table
    }

    fn segments(&self) -> Arc<Segments> {
        Arc::clone(&self.segments.read())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.segments().iter().map(|segment| segment.len()).sum()
    }

    /// Takes in the segments that the directory names.
    pub(super) fn restore(&self, place: &Place<'_>) {
        let blobs = place.directory.numbered_blobs(self.kind());
        let segments = blobs.map(|(number, blob)| self.named(number, blob.clone()));
        *self.segments.write() = Arc::new(segments.collect());
    }

    fn named(&self, number: u32, blob: evergraph_storage::Blob) -> Arc<Segment> {
        Arc::new(Segment::named(&self.shape, number, blob))
    }

    /// The version of a record as of a kept commit: a chunk of versions, and its place
    /// there. O(segments · log versions).
    pub(super) fn find(
        &self,
        id: u32,
        csn: u64,
        uuid: &Uuid,
    ) -> Result<Option<(Arc<StoredChunk>, u32)>, StorageError> {
        for segment in self.segments().iter().rev() {
            for part in segment.parts_of(&(id..id + 1), csn, uuid)? {
                let part = part.read(uuid)?;
                if let Some(at) = part.find(id, csn) {
                    return Ok(Some((Arc::clone(&part.chunk), at)));
                }
            }
        }
        Ok(None)
    }

    /// The versions of some records of a chunk as of a kept commit, which bits tell.
    /// O(segments · log versions, and the versions of the chunk's records).
    pub(super) fn find_all(
        &self,
        ids: &Range<u32>,
        csn: u64,
        among: &[u64],
        uuid: &Uuid,
    ) -> Result<Vec<Layer>, StorageError> {
        let (mut layers, mut left) = (Vec::new(), Vec::from(among));
        self.for_each_part_of(ids, csn, uuid, |part| {
            let mut slots = zeros(among.len());
            let mut versions = Vec::with_capacity(ids.len().min(part.count() as usize));
            part.for_each_shown(ids, csn, |id, version| {
                let slot = id - ids.start;
                // Of each record one, whatever a damaged file says.
                if bit(&left, slot) {
                    set(&mut left, slot, false);
                    set(&mut slots, slot, true);
                    versions.push(version);
                }
            });
            if !versions.is_empty() {
                layers.push(Layer::new(&part.chunk, slots, versions));
            }
            true
        })?;
        Ok(layers)
    }

    /// All records of a chunk as of a kept commit, if they are here, side by side: what the
    /// chunk was then.
    pub(super) fn find_chunk(
        &self,
        ids: &Range<u32>,
        csn: u64,
        uuid: &Uuid,
    ) -> Result<Option<Arc<StoredChunk>>, StorageError> {
        let mut found = None;
        self.for_each_part_of(ids, csn, uuid, |part| {
            if part.is_all_of(ids, csn) {
                found = Some(Arc::clone(&part.chunk));
            }
            found.is_none()
        })?;
        Ok(found)
    }

    /// Calls `each` with the parts that may have versions of a chunk's records as of a
    /// commit, as long as it says so.
    fn for_each_part_of(
        &self,
        ids: &Range<u32>,
        csn: u64,
        uuid: &Uuid,
        mut each: impl FnMut(&PastChunk) -> bool,
    ) -> Result<(), StorageError> {
        for segment in self.segments().iter() {
            for part in segment.parts_of(ids, csn, uuid)? {
                if !each(part.read(uuid)?) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Writes versions that a checkpoint replaces, and returns the segments to be
    /// published; `None` if nothing changes.
    pub(super) fn write(
        &self,
        mut new: Vec<NewPast>,
        needed: &Needed,
        place: &mut Place<'_>,
        flushed: &mut Vec<Flushed<()>>,
    ) -> Result<Option<Arc<Segments>>, StorageError> {
        let mut segments = Segments::clone(&self.segments());
        let before = segments.len();
        segments.retain(|segment| {
            let is_lost = failpoint!("records.history-dropped");
            let stays = segment.may_be_shown(needed) && !is_lost;
            if !stays {
                place.directory.remove_blob(self.kind(), segment.number);
            }
            stays
        });
        let number = self.segments().last().map_or(0, |last| last.number + 1);
        let (unneeded, mut segments): (Segments, Segments) = segments
            .into_iter()
            .partition(|segment| segment.is_mostly_unneeded(needed));
        for segment in unneeded {
            // One that is damaged stays as it is.
            if self.take_in(&segment, needed, place, &mut new).is_err() {
                segments.push(segment);
            }
        }
        segments.sort_by_key(|segment| segment.number);
        if new.is_empty() {
            return Ok((segments.len() < before).then(|| Arc::new(segments)));
        }
        let mut bytes: u64 = new
            .iter()
            .map(|past| past.properties.len() as u64 + 48)
            .sum();
        while let Some(last) = segments.pop_if(|last| last.len() <= 2 * bytes) {
            bytes += last.len();
            self.take_in(&last, needed, place, &mut new)?;
        }
        segment::put_in_order(&mut new).map_err(|id| {
            let table = self.shape.table;
            let what = format!("versions of record {id} of table {table} overlap");
            StorageError::damaged("extents", 0, what)
        })?;
        let bytes = segment::encode(&self.shape, new)?;
        let (region, uuid) = (place.region, place.uuid);
        let directory = &mut *place.directory;
        flushed.push(directory.set_blob(region, uuid, self.kind(), number, &bytes)?);
        let blob = directory.blob(self.kind(), number).expect("just set");
        segments.push(self.named(number, blob.clone()));
        Ok(Some(Arc::new(segments)))
    }

    /// Puts the versions of a segment that snapshots still show among others, and takes its
    /// name away; nothing of either if it cannot be read.
    fn take_in(
        &self,
        segment: &Segment,
        needed: &Needed,
        place: &mut Place<'_>,
        into: &mut Vec<NewPast>,
    ) -> Result<(), StorageError> {
        into.append(&mut shown_of(segment, needed, place.uuid)?);
        failpoint!("records.history-freed-first" => {
            place.region.scribble(&segment.blob.extent)?;
        });
        place.directory.remove_blob(self.kind(), segment.number);
        Ok(())
    }

    /// A superblock names the written segments.
    pub(super) fn publish(&self, segments: Arc<Segments>) {
        *self.segments.write() = segments;
    }

    /// Verifies all of it, and hands each version to `each`.
    pub(super) fn check(
        &self,
        uuid: &Uuid,
        problems: &mut Vec<String>,
        mut each: impl FnMut(&Arc<StoredChunk>, u32) -> Result<(), StorageError>,
    ) {
        for segment in self.segments().iter() {
            let checked = segment.verify(uuid).and_then(|()| {
                for part in segment.parts(uuid)? {
                    let part = part.read(uuid)?;
                    (0..part.count()).try_for_each(|at| each(&part.chunk, at))?;
                }
                Ok(())
            });
            problems.extend(checked.err().map(|error| error.to_string()));
        }
    }
}

/// The versions of a segment that snapshots still show.
fn shown_of(segment: &Segment, needed: &Needed, uuid: &Uuid) -> Result<Vec<NewPast>, StorageError> {
    let mut shown = Vec::new();
    for part in segment.parts(uuid)? {
        let part = part.read(uuid)?;
        for at in 0..part.count() {
            if part.is_kept(at, needed) {
                shown.push(part.copy(at, uuid)?);
            }
        }
    }
    Ok(shown)
}
