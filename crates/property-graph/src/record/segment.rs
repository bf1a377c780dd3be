//! Segments of the history table: versions that named snapshots show and that no
//! chunk holds any more. A segment is a table of the section directory, written
//! once.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | `EPST`, table, number of versions, 4 zeros |
//! | 48 · versions | the versions, by id, then by commit |
//! | … | their properties, packed |
//!
//! | bytes of a version | what |
//! |---|---|
//! | 8 + 8 | the commit that made it, and the one that made the next |
//! | 4 | id |
//! | 2 | type of a relationship, then 2 zeros |
//! | 4 + 4 | source and target; of a node its set of labels |
//! | 8 + 4 | place and length of its properties, then 4 zeros |

use std::ops::Range;
use std::sync::OnceLock;

use evergraph_storage::layout::tiles;
use evergraph_storage::{Blob, Needed, StorageError, Uuid, failpoint};

use super::content::Fixed;
use crate::bytes::{Reader, Wrong};

const MAGIC: &[u8; 4] = b"EPST";
const HEADER_BYTES: usize = 16;
const VERSION_BYTES: usize = 48;

// Magic, table, number of versions, zero.
const _: () = assert!(tiles(
    &[(0, MAGIC.len()), (4, 4), (8, 4), (12, 4)],
    HEADER_BYTES
));
// Begin, end; id, type, zero; first, second; place, length, zero of the properties.
const _: () = assert!(tiles(
    &[
        (0, 8),
        (8, 8),
        (16, 4),
        (20, 2),
        (22, 2),
        (24, 4),
        (28, 4),
        (32, 8),
        (40, 4),
        (44, 4)
    ],
    VERSION_BYTES
));

/// A version in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Past<'a> {
    pub(super) id: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) fixed: Fixed,
    pub(super) properties: &'a [u8],
}

/// As [`Past`], on its way to the medium.
#[derive(Clone, Debug)]
pub(super) struct NewPast {
    pub(super) id: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) fixed: Fixed,
    pub(super) properties: Vec<u8>,
}

/// The record of a version that does not follow the one before, or that no commit
/// shows: opening refuses such a segment.
pub(super) fn out_of_order(versions: &[NewPast]) -> Option<u32> {
    let follows = |a: &NewPast, b: &NewPast| a.id < b.id || (a.id == b.id && a.end <= b.begin);
    let mut pairs = versions.windows(2);
    let wrong = pairs.find(|pair| !follows(&pair[0], &pair[1]));
    let empty = versions.iter().find(|past| past.begin >= past.end);
    wrong.map(|pair| pair[1].id).or(empty.map(|past| past.id))
}

/// The bytes of a segment of versions that ascend by id and commit.
pub(super) fn encode(table: u32, versions: &[NewPast]) -> Vec<u8> {
    debug_assert!(
        out_of_order(versions).is_none(),
        "versions of a record follow one another, and each is shown: opening refuses others"
    );
    let heap: usize = versions.iter().map(|past| past.properties.len()).sum();
    let index = HEADER_BYTES + VERSION_BYTES * versions.len();
    let mut bytes = Vec::with_capacity(index + heap);
    bytes.extend_from_slice(MAGIC);
    for word in [table, versions.len() as u32, 0] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    let mut place = 0u64;
    for past in versions {
        bytes.extend_from_slice(&past.begin.to_le_bytes());
        bytes.extend_from_slice(&past.end.to_le_bytes());
        bytes.extend_from_slice(&past.id.to_le_bytes());
        bytes.extend_from_slice(&u32::from(past.fixed.kind).to_le_bytes());
        bytes.extend_from_slice(&past.fixed.first.to_le_bytes());
        bytes.extend_from_slice(&past.fixed.second.to_le_bytes());
        bytes.extend_from_slice(&place.to_le_bytes());
        bytes.extend_from_slice(&(past.properties.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        place += past.properties.len() as u64;
    }
    debug_assert_eq!(bytes.len(), index, "properties begin behind the versions");
    for past in versions {
        bytes.extend_from_slice(&past.properties);
    }
    bytes
}

/// A segment that the section directory names; read and verified at first use.
pub(super) struct Segment {
    /// Its number in the directory: newer segments have higher ones.
    pub(super) number: u32,
    table: u32,
    pub(crate) blob: Blob,
    verified: OnceLock<Summary>,
}

/// Facts about a segment, known once it was verified.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    count: usize,
    /// From the first commit that made a version to the last that ended one.
    begin: u64,
    end: u64,
}

impl Summary {
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

impl Segment {
    pub(super) fn named(table: u32, number: u32, blob: Blob) -> Self {
        Segment {
            number,
            table,
            blob,
            verified: OnceLock::new(),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.blob.extent.len()
    }

    pub(super) fn damaged(&self, what: &str) -> StorageError {
        let what = format!("records of the past, table {}: {what}", self.table);
        StorageError::damaged(
            &self.blob.extent.file_name(),
            self.blob.extent.offset(),
            what,
        )
    }

    pub(super) fn read(&self, uuid: &Uuid) -> Result<SegmentReader<'_>, StorageError> {
        let summary = match self.verified.get() {
            Some(summary) => summary,
            None => {
                let summary = self.verify(uuid)?;
                self.verified.get_or_init(|| summary)
            }
        };
        Ok(SegmentReader {
            segment: self,
            bytes: self.blob.extent.bytes(),
            count: summary.count,
        })
    }

    /// Whether a snapshot may show something of it, as far as is known without
    /// reading it.
    pub(super) fn may_be_shown(&self, needed: &Needed) -> bool {
        match self.verified.get() {
            Some(summary) => needed.is_kept(summary.begin, summary.end),
            None => !needed.kept().is_empty(),
        }
    }

    /// Checks checksum, header and order; also if they were checked before.
    pub(super) fn verify(&self, uuid: &Uuid) -> Result<Summary, StorageError> {
        let bytes = self.blob.read(uuid)?;
        let count = self
            .verify_index(bytes)
            .map_err(|what| self.damaged(what))?;
        let reader = SegmentReader {
            segment: self,
            bytes,
            count,
        };
        let mut before = None;
        let (mut begin, mut end) = (u64::MAX, 0);
        for at in 0..count {
            let past = reader.past(at)?;
            let ascends = before.is_none_or(|(id, end)| (id, end) <= (past.id, past.begin));
            if !ascends || past.begin >= past.end {
                return Err(self.damaged("its versions do not follow one another"));
            }
            before = Some((past.id, past.end));
            (begin, end) = (begin.min(past.begin), end.max(past.end));
        }
        Ok(Summary { count, begin, end })
    }

    fn verify_index(&self, bytes: &[u8]) -> Result<usize, Wrong> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != MAGIC || reader.u32()? != self.table {
            return Err("the section directory names another extent");
        }
        let count = reader.u32()? as usize;
        let index = count
            .checked_mul(VERSION_BYTES)
            .ok_or("a count is impossible")?;
        reader.take(4)?;
        reader.take(index)?;
        Ok(count)
    }
}

pub(super) struct SegmentReader<'a> {
    segment: &'a Segment,
    bytes: &'a [u8],
    count: usize,
}

impl<'a> SegmentReader<'a> {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    fn version(&self, at: usize) -> Reader<'a> {
        let start = HEADER_BYTES + VERSION_BYTES * at;
        Reader::new(&self.bytes[start..start + VERSION_BYTES])
    }

    /// One of its versions.
    pub(super) fn past(&self, at: usize) -> Result<Past<'a>, StorageError> {
        self.decode(at).map_err(|what| self.segment.damaged(what))
    }

    fn decode(&self, at: usize) -> Result<Past<'a>, Wrong> {
        let mut version = self.version(at);
        let Shown {
            begin,
            end,
            id,
            fixed,
        } = Shown::take(&mut version)?;
        let (place, len) = (version.u64()?, version.u32()? as usize);
        let heap = &self.bytes[HEADER_BYTES + VERSION_BYTES * self.count..];
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let range = place.checked_add(len).map(|end| place..end);
        let properties = range.and_then(|range| heap.get(range));
        Ok(Past {
            id,
            begin,
            end,
            fixed,
            properties: properties.ok_or("properties of a version lie outside it")?,
        })
    }

    /// One of its versions, but for the properties.
    fn shown(&self, at: usize) -> Result<Shown, StorageError> {
        let shown = Shown::take(&mut self.version(at));
        shown.map_err(|what| self.segment.damaged(what))
    }

    /// How many versions come before a commit of a record, that commit's included.
    fn count_until(&self, id: u32, csn: u64) -> Result<usize, StorageError> {
        let (mut from, mut until) = (0, self.count);
        while from < until {
            let middle = from + (until - from) / 2;
            let shown = self.shown(middle)?;
            match (shown.id, shown.begin) <= (id, csn) {
                true => from = middle + 1,
                false => until = middle,
            }
        }
        Ok(from)
    }

    /// The version of a record as of a commit, if it is here. O(log versions).
    pub(super) fn find(&self, id: u32, csn: u64) -> Result<Option<usize>, StorageError> {
        let Some(at) = self.count_until(id, csn)?.checked_sub(1) else {
            return Ok(None);
        };
        let shown = self.shown(at)?;
        Ok((shown.id == id && csn < shown.end).then_some(at))
    }

    /// Calls `each` with the versions of a range of records as of a commit, ascending by
    /// record: id, number of the version, labels or type and ends. O(log versions, and the
    /// versions of these records).
    pub(super) fn for_each_shown(
        &self,
        ids: Range<u32>,
        csn: u64,
        mut each: impl FnMut(u32, usize, Fixed),
    ) -> Result<(), StorageError> {
        let first = match ids.start.checked_sub(1) {
            Some(before) => self.count_until(before, u64::MAX)?,
            None => 0,
        };
        for at in first..self.count {
            let shown = self.shown(at)?;
            if shown.id >= ids.end {
                break;
            }
            let end = failpoint!("records.past-end-ignored", u64::MAX, else shown.end);
            if shown.begin <= csn && csn < end {
                each(shown.id, at, shown.fixed);
            }
        }
        Ok(())
    }
}

/// What a version is of, and as of which commits.
struct Shown {
    id: u32,
    begin: u64,
    end: u64,
    fixed: Fixed,
}

impl Shown {
    /// Of the beginning of a stored version.
    fn take(version: &mut Reader<'_>) -> Result<Self, Wrong> {
        let (begin, end, id) = (version.u64()?, version.u64()?, version.u32()?);
        let kind = version.u16()?;
        version.take(2)?;
        let fixed = Fixed {
            kind,
            first: version.u32()?,
            second: version.u32()?,
        };
        Ok(Shown {
            id,
            begin,
            end,
            fixed,
        })
    }
}
