//! Counts with the store's checkpoints.
//!
//! | Stored, numbers as varints | |
//! |---|---|
//! | | commit from which on they are known, commit that they are as of, number of counts |
//! | each | what: 0 nodes, 1 a label and its code, 2 a type and its code; number of points, of each the growth of the commit from which on, and the count; number of ranges of chunks, of each the distance from the end of the one before, and the length |

use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError, failpoint};
use evergraph_topology::extension::{EXTENSION_BLOBS, Place};

use super::{Counted, Counts, History, Known, Ranges};
use crate::bytes::{Reader, Wrong, put_varint};
use crate::dictionary::TypeCode;

/// Kind of the table that holds the counts.
pub(in crate::graph) const COUNTS: u32 = EXTENSION_BLOBS + 5;

impl Counts {
    pub(in crate::graph) fn unmerged_since(&self) -> Option<u64> {
        self.0.read().unstored.first().copied()
    }

    /// Durability steps 1 and 2.
    pub(in crate::graph) fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Option<Flushed<()>>, StorageError> {
        let bytes = {
            let mut known = self.0.write();
            let is_due = known.unstored.first().is_some_and(|&first| first <= csn);
            let is_stored = place.directory.blob(COUNTS, 0).is_some();
            if known.is_unknown || (is_stored && !is_due) {
                return Ok(None);
            }
            known.pending = Some(csn);
            known.encode(csn, needed)
        };
        let Place {
            region,
            uuid,
            directory,
        } = place;
        directory
            .set_blob(region, uuid, COUNTS, 0, &bytes)
            .map(Some)
    }

    /// Durability step 6.
    pub(in crate::graph) fn published(&self, needed: &dyn Fn() -> Needed) {
        let mut known = self.0.write();
        if let Some(stored) = known.pending.take() {
            known.unstored.retain(|&csn| csn > stored);
        }
        let needed = needed();
        known
            .all
            .values_mut()
            .for_each(|history| history.prune(&needed));
    }

    /// No superblock names the output.
    pub(in crate::graph) fn abandoned(&self) {
        self.0.write().pending = None;
    }

    /// Recovery step R3. `merged` is the newest commit of which stored records have
    /// something.
    pub(in crate::graph) fn restore(
        &self,
        place: &Place<'_>,
        merged: Option<u64>,
    ) -> Result<(), StorageError> {
        let Some(blob) = place.directory.blob(COUNTS, 0) else {
            let mut known = self.0.write();
            known.is_unknown = merged.is_some();
            known.since = merged.unwrap_or(0);
            return Ok(());
        };
        let bytes = blob.read(place.uuid)?;
        let known = Known::decode(&mut Reader::new(bytes)).map_err(|what| {
            let (file, offset) = (blob.extent.file_name(), blob.extent.offset());
            StorageError::damaged(&file, offset, format!("counts of labels and types: {what}"))
        })?;
        *self.0.write() = known;
        Ok(())
    }
}

impl Known {
    /// The counts as of a commit, and of the kept ones before it.
    fn encode(&self, csn: u64, needed: &Needed) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, self.since);
        put_varint(&mut bytes, csn);
        put_varint(&mut bytes, self.all.len() as u64);
        for (counted, history) in &self.all {
            let (kind, code) = match counted {
                Counted::Nodes => (0, None),
                Counted::Label(code) => (1, Some(*code)),
                Counted::Type(code) => (2, Some(u32::from(*code))),
            };
            bytes.push(kind);
            code.iter()
                .for_each(|&code| put_varint(&mut bytes, code.into()));
            history.encode(csn, needed, &mut bytes);
        }
        bytes
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        let mut known = Known {
            since: reader.varint()?,
            merged: reader.varint()?,
            ..Known::default()
        };
        for _ in 0..reader.count()? {
            let counted = match reader.u8()? {
                0 => Counted::Nodes,
                1 => Counted::Label(reader.varint_u32()?),
                2 => {
                    let code = TypeCode::try_from(reader.varint_u32()?);
                    Counted::Type(code.map_err(|_| "a type is impossible")?)
                }
                _ => return Err("something of no known kind is counted"),
            };
            let history = History::decode(known.merged, reader)?;
            if known.all.insert(counted, history).is_some() {
                return Err("something is counted twice");
            }
        }
        match reader.is_empty() {
            true => Ok(known),
            false => Err("something follows"),
        }
    }
}

impl History {
    fn encode(&self, csn: u64, needed: &Needed, bytes: &mut Vec<u8>) {
        let until = self.points.partition_point(|point| point.0 <= csn);
        let stored = self.points[..until].iter().enumerate();
        let stored = stored.filter(|(at, point)| {
            let end = self.points[..until].get(at + 1).map(|next| next.0);
            let is_kept =
                |end| needed.is_kept(point.0, end) && !failpoint!("counts.past-not-stored");
            end.is_none_or(is_kept)
        });
        let stored: Vec<(u64, i64)> = stored.map(|(_, point)| *point).collect();
        put_varint(bytes, stored.len() as u64);
        let mut before = 0;
        for (csn, count) in stored {
            put_varint(bytes, csn - before);
            put_varint(bytes, u64::try_from(count).unwrap_or(0));
            before = csn;
        }
        let ranges = self.chunks.iter();
        put_varint(bytes, ranges.len() as u64);
        let mut before = 0;
        for range in ranges {
            put_varint(bytes, u64::from(range.start - before));
            put_varint(bytes, u64::from(range.end - range.start));
            before = range.end;
        }
    }

    fn decode(merged: u64, reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        let mut points: Vec<(u64, i64)> = Vec::new();
        for _ in 0..reader.count()? {
            let before = points.last().map_or(0, |point| point.0);
            let csn = before.checked_add(reader.varint()?);
            let csn = csn.filter(|&csn| csn <= merged && (points.is_empty() || csn > before));
            let count = i64::try_from(reader.varint()?).map_err(|_| "a count is impossible")?;
            points.push((csn.ok_or("a commit is impossible")?, count));
        }
        let mut ranges = Vec::new();
        let mut before = 0u32;
        for _ in 0..reader.count()? {
            let start = before.checked_add(reader.varint_u32()?);
            let end = start.and_then(|start| start.checked_add(reader.varint_u32().ok()?));
            let (Some(start), Some(end)) = (start, end) else {
                return Err("a chunk is impossible");
            };
            ranges.push(start..end);
            before = end;
        }
        Ok(History {
            kept: points.len(),
            points,
            chunks: Ranges::checked(ranges).ok_or("chunks are not ascending")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::Tally;
    use super::*;

    fn needed(kept: &[u64]) -> Needed {
        Needed::new(vec![9], Arc::new(kept.to_vec()))
    }

    /// Nodes of label 4 and relationships of type 7 in three commits.
    fn known() -> Counts {
        let counts = Counts::default();
        let keeps_all = needed(&[2, 5]);
        for (csn, chunk) in [(2, 0), (5, 1), (8, 9)] {
            let mut tally = Tally::default();
            tally.node(chunk, None, Some(&[4]));
            tally.gain(Counted::Type(7), chunk, 3);
            counts.apply(csn, tally, &keeps_all);
        }
        counts
    }

    /// Pins the bytes from version 6 of the format on.
    #[test]
    fn the_bytes_of_counts_are_pinned() {
        let counts = known();
        let bytes = counts.0.read().encode(6, &needed(&[3]));
        // From 0, as of 6; then what, points, ranges of chunks.
        let expected = [
            [0, 6, 3].as_slice(),
            &[0, 2, 2, 1, 3, 2, 2, 0, 2, 7, 1],
            &[1, 4, 2, 2, 1, 3, 2, 2, 0, 2, 7, 1],
            &[2, 7, 2, 2, 3, 3, 6, 2, 0, 2, 7, 1],
        ];
        assert_eq!(bytes, expected.concat());
        let bytes = counts.0.read().encode(6, &needed(&[]));
        assert_eq!(bytes[4..8], [1, 5, 2, 2], "no snapshot asks for older ones");
    }

    #[test]
    fn stored_counts_are_those_of_the_kept_commits() {
        let counts = known();
        let bytes = counts.0.read().encode(8, &needed(&[3]));
        let restored = Counts::default();
        *restored.0.write() = Known::decode(&mut Reader::new(&bytes)).expect("whole");
        for (csn, count) in [(3, 1), (8, 3), (100, 3)] {
            assert_eq!(restored.at(Counted::Nodes, csn), Some(count));
            assert_eq!(restored.at(Counted::Type(7), csn), Some(3 * count));
        }
        assert_eq!(restored.chunks_with(Counted::Label(4), 3, 100), [0, 1, 9]);
        assert_eq!(restored.chunks_with(Counted::Label(4), 3, 1), [0]);
        // What is stored is skipped, what is newer is not.
        for (csn, count) in [(8, 3), (9, 4)] {
            let mut tally = Tally::default();
            tally.node(2, None, Some(&[4]));
            restored.apply(csn, tally, &needed(&[]));
            assert_eq!(restored.at(Counted::Label(4), 9), Some(count));
        }
    }

    #[test]
    fn counts_that_are_not_known_are_taken_from_a_pass() {
        let counts = known();
        {
            let mut known = counts.0.write();
            (known.is_unknown, known.since) = (true, 4);
        }
        assert_eq!(counts.at(Counted::Nodes, 5), None);
        assert_eq!(counts.chunks_with(Counted::Label(4), 5, 3), [0, 1, 2]);
        let scanned = || {
            let mut tally = Tally::default();
            (0..100).for_each(|chunk| tally.node(chunk, None, Some(&[4, 5])));
            tally
        };
        counts.adopt(3, scanned());
        assert_eq!(
            counts.at(Counted::Nodes, 3),
            None,
            "commits up to 4 were not seen"
        );
        counts.adopt(5, scanned());
        assert_eq!(counts.at(Counted::Nodes, 4), None);
        let at = |counted, csn| counts.at(counted, csn).expect("known");
        assert_eq!(
            [5, 7, 8].map(|csn| at(Counted::Nodes, csn)),
            [100, 100, 101]
        );
        assert_eq!([5, 8].map(|csn| at(Counted::Label(5), csn)), [100, 100]);
        assert_eq!([5, 8].map(|csn| at(Counted::Type(7), csn)), [0, 3]);
        assert_eq!(counts.unmerged_since(), Some(5));
        assert_eq!(counts.0.read().unstored, [5, 8]);
    }

    #[test]
    fn points_go_when_nothing_needs_them() {
        let counts = Counts::default();
        for csn in 1..1000 {
            let mut tally = Tally::default();
            tally.gain(Counted::Type(1), 0, 1);
            let needed = Needed::new(vec![(csn - 1).min(3), csn - 1], Arc::new(vec![5]));
            counts.apply(csn, tally, &needed);
        }
        let at = |csn| counts.at(Counted::Type(1), csn);
        assert_eq!([3, 5, 999].map(at), [Some(3), Some(5), Some(999)]);
        let points = counts.0.read().all[&Counted::Type(1)].points.len();
        assert!(points <= 2 * 4 + super::super::FEW_POINTS + 1, "{points}");
    }

    proptest! {
        #[test]
        fn other_bytes_are_no_panic(bytes in prop::collection::vec(prop_oneof![0..6u8, any::<u8>()], 0..60)) {
            if let Ok(known) = Known::decode(&mut Reader::new(&bytes)) {
                known.encode(u64::MAX, &needed(&[1]));
                let counts = Counts::default();
                *counts.0.write() = known;
                counts.all_at(7);
                counts.chunks_with(Counted::Nodes, 7, 100);
            }
        }
    }
}
