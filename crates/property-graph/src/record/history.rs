//! The history table: versions of records that named snapshots show, and that were
//! replaced or deleted since, and merged.
//!
//! Each checkpoint that replaces such versions writes them as one segment, which
//! takes in those before it that are not more than twice as large. So there are
//! logarithmically many, and each version is written logarithmically often. What
//! no snapshot shows any more is left out when segments are joined, and a segment
//! goes with the next checkpoint when no snapshot lies between its first commit and
//! its last (of one that was not read yet: when there is none).

use std::ops::Range;
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError, Uuid};
use evergraph_topology::extension::{EXTENSION_BLOBS, Place};
use parking_lot::RwLock;

use super::content::Fixed;
use super::segment::{self, NewPast, Segment};

type Segments = Vec<Arc<Segment>>;

/// A version of a record in the history.
pub(super) struct FoundPast {
    pub(super) id: u32,
    pub(super) segment: Arc<Segment>,
    /// Its number there.
    pub(super) at: usize,
    pub(super) fixed: Fixed,
}

pub(super) struct History {
    table: u32,
    /// The oldest first.
    segments: RwLock<Arc<Segments>>,
}

impl History {
    pub(super) fn new(table: u32) -> Self {
        History {
            table,
            segments: RwLock::default(),
        }
    }

    fn kind(&self) -> u32 {
        EXTENSION_BLOBS + self.table
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
        Arc::new(Segment::named(self.table, number, blob))
    }

    /// The version of a record as of a kept commit: its segment, and its number
    /// there. O(segments · log versions).
    pub(super) fn find(
        &self,
        id: u32,
        csn: u64,
        uuid: &Uuid,
    ) -> Result<Option<(Arc<Segment>, usize)>, StorageError> {
        for segment in self.segments().iter().rev() {
            if let Some(at) = segment.read(uuid)?.find(id, csn)? {
                return Ok(Some((Arc::clone(segment), at)));
            }
        }
        Ok(None)
    }

    /// The versions of a range of records as of a kept commit, ascending by id.
    /// O(segments · log versions, and the versions of these records).
    pub(super) fn find_all(
        &self,
        ids: Range<u32>,
        csn: u64,
        uuid: &Uuid,
    ) -> Result<Vec<FoundPast>, StorageError> {
        let mut found = Vec::new();
        for segment in self.segments().iter() {
            let reader = segment.read(uuid)?;
            reader.for_each_shown(ids.clone(), csn, |id, at, fixed| {
                found.push(FoundPast {
                    id,
                    segment: Arc::clone(segment),
                    at,
                    fixed,
                });
            })?;
        }
        found.sort_by_key(|past| past.id);
        debug_assert!(
            found.is_sorted_by(|a, b| a.id < b.id),
            "one version of a record is shown as of a commit"
        );
        Ok(found)
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
        if new.is_empty() {
            return Ok((segments.len() < before).then(|| Arc::new(segments)));
        }
        let number = self.segments().last().map_or(0, |last| last.number + 1);
        let mut bytes: u64 = new
            .iter()
            .map(|past| past.properties.len() as u64 + 48)
            .sum();
        while let Some(last) = segments.pop_if(|last| last.len() <= 2 * bytes) {
            bytes += last.len();
            take_in(&last, place.uuid, needed, &mut new)?;
            failpoint!("records.history-freed-first" => {
                place.region.scribble(&last.blob.extent)?;
            });
            place.directory.remove_blob(self.kind(), last.number);
        }
        new.sort_by_key(|past| (past.id, past.begin));
        if let Some(id) = segment::out_of_order(&new) {
            let what = format!("versions of record {id} of table {} overlap", self.table);
            return Err(StorageError::damaged("extents", 0, what));
        }
        let bytes = segment::encode(self.table, &new);
        let (region, uuid) = (place.region, place.uuid);
        let directory = &mut *place.directory;
        flushed.push(directory.set_blob(region, uuid, self.kind(), number, &bytes)?);
        let blob = directory.blob(self.kind(), number).expect("just set");
        segments.push(self.named(number, blob.clone()));
        Ok(Some(Arc::new(segments)))
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
        mut each: impl FnMut(&Arc<Segment>, usize) -> Result<(), StorageError>,
    ) {
        for segment in self.segments().iter() {
            let checked = segment
                .verify(uuid)
                .and_then(|summary| (0..summary.count()).try_for_each(|at| each(segment, at)));
            problems.extend(checked.err().map(|error| error.to_string()));
        }
    }
}

/// The versions of a segment that snapshots still show.
fn take_in(
    segment: &Segment,
    uuid: &Uuid,
    needed: &Needed,
    into: &mut Vec<NewPast>,
) -> Result<(), StorageError> {
    let reader = segment.read(uuid)?;
    for at in 0..reader.count() {
        let past = reader.past(at)?;
        if needed.is_kept(past.begin, past.end) {
            into.push(NewPast {
                id: past.id,
                begin: past.begin,
                end: past.end,
                fixed: past.fixed,
                properties: past.properties.to_vec(),
            });
        }
    }
    Ok(())
}
