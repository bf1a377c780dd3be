//! A part of a segment: versions that are read as records of a chunk are.

use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use evergraph_storage::{Bytes, Extent, Needed, StorageError, Uuid, failpoint};

use super::{NewPast, Shape};
use crate::bytes::{Reader, Wrong};
use crate::column::{Numbers, encode_sparse};
use crate::record::builder::Builder;
use crate::record::core::{Identity, Slot};
use crate::record::stored::StoredChunk;
use crate::value::Properties;

/// Begins the cores of parts, which are of no chunk.
const MAGIC: [u8; 4] = *b"EPST";

/// Where a part lies; read at first use.
pub(in crate::record) struct Part {
    pub(super) number: u32,
    pub(super) versions: u32,
    /// Of the records of its versions.
    pub(super) first_chunk: u32,
    pub(super) last_chunk: u32,
    /// From the first commit that made a version to the last that ended one.
    pub(super) span: Range<u64>,
    pub(super) bytes: Bytes,
    pub(super) extent: Arc<Extent>,
    pub(super) shape: Arc<Shape>,
    pub(super) opened: OnceLock<PastChunk>,
}

/// The versions of a part.
pub(in crate::record) struct PastChunk {
    /// With a record for each version.
    pub(in crate::record) chunk: Arc<StoredChunk>,
    versions: u32,
    ids: Column,
    ends: Column,
    begins: Column,
    births: Column,
    /// Commits that show all of them.
    shown: Range<u64>,
    /// The first record, where they are those of records side by side.
    as_chunk: Option<u32>,
}

/// An integer of each version.
struct Column {
    bytes: Bytes,
    numbers: Numbers,
}

impl Column {
    #[inline]
    fn get(&self, at: u32) -> u64 {
        self.numbers.get(&self.bytes, at as usize) as u64
    }

    fn bounds(&self, versions: u32) -> RangeInclusive<u64> {
        self.numbers.bounds(&self.bytes, versions as usize)
    }

    fn all(&self, versions: u32) -> Vec<u64> {
        self.numbers.all(&self.bytes, versions as usize)
    }
}

fn identity(shape: &Shape, number: u32, versions: u32) -> Identity {
    Identity {
        magic: MAGIC,
        table: shape.table,
        chunk: number,
        records: versions,
    }
}

/// The bytes of a part of these versions, which ascend.
pub(super) fn encode(
    shape: &Shape,
    number: u32,
    versions: &[NewPast],
) -> Result<Vec<u8>, StorageError> {
    let identity = identity(shape, number, versions.len() as u32);
    let mut builder = Builder::new(identity);
    for (at, past) in (0..).zip(versions) {
        let slot = Slot {
            is_used: true,
            begin: past.begin,
            born: past.born,
        };
        let properties = Properties::decode(&past.properties);
        let properties = properties.map_err(|error| identity.cannot_store(&error.to_string()))?;
        builder.add(at, slot, past.fixed, properties);
    }
    let mut bytes = Vec::new();
    let ids: Vec<i64> = versions.iter().map(|past| past.id.into()).collect();
    let ends: Vec<i64> = versions.iter().map(|past| past.end as i64).collect();
    encode_sparse(&ids, &mut bytes);
    encode_sparse(&ends, &mut bytes);
    bytes.append(&mut builder.finish()?.core(0));
    Ok(bytes)
}

impl Part {
    pub(in crate::record) fn read(&self, uuid: &Uuid) -> Result<&PastChunk, StorageError> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let mut reader = Reader::new(&self.bytes);
        let count = self.versions as usize;
        let mut numbers = || Numbers::take(&mut reader, count);
        let numbers = numbers().and_then(|ids| Ok((ids, numbers()?)));
        let core = self.bytes.part(reader.position()..self.bytes.len());
        let identity = identity(&self.shape, self.number, self.versions);
        let chunk = StoredChunk::past(identity, core.clone(), Arc::clone(&self.extent));
        let (ids, ends) = numbers.map_err(|what| chunk.damaged(what))?;
        let (begins, births) = chunk.read(uuid)?.commits();
        let column = |bytes: &Bytes, numbers| Column {
            bytes: bytes.clone(),
            numbers,
        };
        let mut opened = PastChunk {
            chunk: Arc::new(chunk),
            versions: self.versions,
            ids: column(&self.bytes, ids),
            ends: column(&self.bytes, ends),
            begins: column(&core, begins),
            births: column(&core, births),
            shown: 0..0,
            as_chunk: None,
        };
        let checked = opened.check(self);
        let checked = checked.map_err(|what| opened.chunk.damaged(what))?;
        (opened.shown, opened.as_chunk) = checked;
        Ok(self.opened.get_or_init(|| opened))
    }
}

impl PastChunk {
    /// Checks that versions follow one another and are those that the segment lists; tells
    /// which commits show all of them, and whether they are a chunk.
    fn check(&self, part: &Part) -> Result<(Range<u64>, Option<u32>), Wrong> {
        let bounds = |column: &Column| column.bounds(self.versions);
        let (begins, ends) = (bounds(&self.begins), bounds(&self.ends));
        let ids = self.ids.all(self.versions);
        let is_of_each_once = ids.windows(2).all(|pair| pair[0] < pair[1]);
        // Where all are shown by some commit they need not be looked at one by one.
        let is_plain = is_of_each_once && begins.end() < ends.start();
        if !(is_plain || self.follow(&ids)) {
            return Err("its versions do not follow one another");
        }
        let chunk = |id: Option<&u64>| match u32::try_from(*id?) {
            Ok(id) => Some(part.shape.chunk_of(id)),
            Err(_) => None,
        };
        let chunks = (Some(part.first_chunk), Some(part.last_chunk));
        if (*begins.start()..*ends.end()) != part.span
            || (chunk(ids.first()), chunk(ids.last())) != chunks
        {
            return Err("it has other versions than it says");
        }
        let is_dense = is_of_each_once && ids[ids.len() - 1] - ids[0] == ids.len() as u64 - 1;
        // Births of older formats are not known.
        let has_births = *bounds(&self.births).start() > 0;
        let shown = match is_of_each_once {
            true => *begins.end()..*ends.start(),
            false => 0..0,
        };
        Ok((shown, (is_dense && has_births).then(|| ids[0] as u32)))
    }

    /// Whether each version ends behind its beginning, and before the next of its record.
    fn follow(&self, ids: &[u64]) -> bool {
        let (begins, ends) = (self.begins.all(self.versions), self.ends.all(self.versions));
        let follows = |at: usize| {
            ids[at - 1] < ids[at] || ids[at - 1] == ids[at] && ends[at - 1] <= begins[at]
        };
        (1..ids.len()).all(follows) && begins.iter().zip(&ends).all(|(begin, end)| begin < end)
    }

    pub(super) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        self.chunk.verify(uuid)
    }

    pub(in crate::record) fn count(&self) -> u32 {
        self.versions
    }

    #[inline]
    fn id(&self, at: u32) -> u32 {
        self.ids.get(at) as u32
    }

    /// Record, commit that made it and commit that ended it, of a version.
    #[inline]
    fn version(&self, at: u32) -> (u32, u64, u64) {
        (self.id(at), self.begins.get(at), self.ends.get(at))
    }

    #[inline]
    fn is_shown(&self, at: u32, csn: u64) -> bool {
        let (_, begin, ended) = self.version(at);
        let end = failpoint!("records.past-end-ignored", u64::MAX, else ended);
        begin <= csn && csn < end
    }

    pub(super) fn for_each(&self, mut each: impl FnMut(u32, u64, u64)) {
        for at in 0..self.versions {
            let (id, begin, end) = self.version(at);
            each(id, begin, end);
        }
    }

    /// Whether a kept commit shows a version.
    pub(in crate::record) fn is_kept(&self, at: u32, needed: &Needed) -> bool {
        let (_, begin, end) = self.version(at);
        needed.is_kept(begin, end)
    }

    /// A version, on its way to another segment.
    pub(in crate::record) fn copy(&self, at: u32, uuid: &Uuid) -> Result<NewPast, StorageError> {
        let (id, begin, end) = self.version(at);
        let reader = self.chunk.read(uuid)?;
        let mut properties = Vec::new();
        let encoded = reader.properties(at)?.encode(&mut properties);
        encoded.map_err(|error| self.chunk.damaged(&error.to_string()))?;
        Ok(NewPast {
            id,
            begin,
            end,
            born: self.births.get(at),
            fixed: reader.fixed(at),
            properties,
        })
    }

    /// How many versions come before a commit of a record, that commit's included.
    fn count_until(&self, id: u32, csn: u64) -> u32 {
        let (mut from, mut until) = (0, self.versions);
        while from < until {
            let middle = from + (until - from) / 2;
            let (of, begin, _) = self.version(middle);
            match (of, begin) <= (id, csn) {
                true => from = middle + 1,
                false => until = middle,
            }
        }
        from
    }

    /// The version of a record as of a commit, if it is here. O(log versions).
    pub(in crate::record) fn find(&self, id: u32, csn: u64) -> Option<u32> {
        let at = self.count_until(id, csn).checked_sub(1)?;
        (self.id(at) == id && self.is_shown(at, csn)).then_some(at)
    }

    /// Calls `each` with the versions of a range of records as of a commit, ascending by
    /// record: its id, and the place of the version. O(log versions, and the versions of
    /// these records).
    pub(in crate::record) fn for_each_shown(
        &self,
        ids: &Range<u32>,
        csn: u64,
        mut each: impl FnMut(u32, u32),
    ) {
        let until = |id: u32| match id.checked_sub(1) {
            Some(last) => self.count_until(last, u64::MAX),
            None => 0,
        };
        let (first, until) = (until(ids.start), until(ids.end));
        let (shows_all, mut at) = (self.shown.contains(&csn), first);
        let slots = first as usize..until as usize;
        self.ids.numbers.for_each(&self.ids.bytes, slots, |id| {
            if shows_all || self.is_shown(at, csn) {
                each(id as u32, at);
            }
            at += 1;
        });
    }

    /// Whether it has one version of each of these records as of a commit, in order, and
    /// nothing else: it is their chunk then.
    pub(in crate::record) fn is_all_of(&self, ids: &Range<u32>, csn: u64) -> bool {
        let is_shown = failpoint!("records.past-chunk-of-another") || self.shown.contains(&csn);
        is_shown && self.as_chunk == Some(ids.start) && self.versions as usize == ids.len()
    }
}
