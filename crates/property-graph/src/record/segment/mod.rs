//! Segments of the history table: versions that named snapshots show and that no
//! chunk holds any more. A segment is a table of the section directory, written once.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | `EPSC`, table, number of versions, number of parts |
//! | 40 · parts | the parts: number of versions, first and last chunk of records, 4 zeros; bytes, the first commit that made a version, the last that ended one |
//! | … | the parts, one behind another |
//!
//! | bytes of a part | what |
//! |---|---|
//! | … | twice integers, one a version: id; the commit that made the next one |
//! | … | a core, as of a chunk of so many records: the versions, with all their columns inside |
//!
//! So a version is read as a record of a chunk is. Versions of a part ascend by id, then by
//! commit. A part has those of one chunk of records, one of each record, where these are
//! many, else those of some chunks one behind another: where all records of a chunk were
//! replaced since a snapshot, a part is the chunk as of the snapshot.

mod part;
mod rows;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use evergraph_storage::layout::tiles;
use evergraph_storage::little_endian::u32_at;
use evergraph_storage::{Blob, Bytes, Needed, StorageError, Uuid, failpoint};
use rayon::prelude::*;

use self::part::Part;
use super::content::Fixed;
use crate::bytes::{Reader, Wrong};
use crate::dictionary::Dictionary;

const MAGIC: &[u8; 4] = b"EPSC";
const HEADER_BYTES: usize = 16;
const LISTED_BYTES: usize = 40;

// Magic, table, number of versions and of parts.
const _: () = assert!(tiles(
    &[(0, MAGIC.len()), (4, 4), (8, 4), (12, 4)],
    HEADER_BYTES
));
// Versions, first and last chunk, zero; bytes, begin, end.
const _: () = assert!(tiles(
    &[(0, 4), (4, 4), (8, 4), (12, 4), (16, 8), (24, 8), (32, 8)],
    LISTED_BYTES
));

/// A part with fewer versions than one of so many of a chunk's records takes those of the
/// next chunk, too.
const FEW: usize = 8;

pub(super) use self::part::PastChunk;

/// A version, on its way to the medium.
#[derive(Clone, Debug)]
pub(super) struct NewPast {
    pub(super) id: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The commit that created the record; 0 if it is not known.
    pub(super) born: u64,
    pub(super) fixed: Fixed,
    /// Packed, without codes for texts.
    pub(super) properties: Vec<u8>,
}

/// Facts that all segments of a table share.
pub(super) struct Shape {
    pub(super) table: u32,
    pub(super) records_per_chunk: u32,
    /// Texts of older formats have codes.
    pub(super) dictionary: Arc<Dictionary>,
}

impl Shape {
    fn chunk_of(&self, id: u32) -> u32 {
        id / self.records_per_chunk
    }
}

/// Orders versions by record, then by commit.
///
/// # Errors
/// The record of two that overlap, or of one that no commit shows: opening refuses such a
/// segment.
pub(super) fn put_in_order(versions: &mut [NewPast]) -> Result<(), u32> {
    versions.sort_unstable_by_key(|past| (past.id, past.begin));
    let overlap = |pair: &&[NewPast]| pair[0].id == pair[1].id && pair[0].end > pair[1].begin;
    let wrong = versions.windows(2).find(overlap).map(|pair| pair[1].id);
    let empty = versions.iter().find(|past| past.begin >= past.end);
    match wrong.or(empty.map(|past| past.id)) {
        Some(id) => Err(id),
        None => Ok(()),
    }
}

/// The bytes of a segment of versions in order.
pub(super) fn encode(shape: &Shape, versions: Vec<NewPast>) -> Result<Vec<u8>, StorageError> {
    let count = versions.len() as u32;
    let parts = in_parts(shape, versions);
    let encoded = (parts.par_iter().enumerate())
        .map(|(number, versions)| part::encode(shape, number as u32, versions));
    let encoded: Vec<Vec<u8>> = encoded.collect::<Result<_, _>>()?;
    let mut bytes = Vec::from(MAGIC);
    for word in [shape.table, count, parts.len() as u32] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for (versions, part) in parts.iter().zip(&encoded) {
        let [first, last] = [versions.first(), versions.last()];
        let chunk = |past: Option<&NewPast>| shape.chunk_of(past.map_or(0, |past| past.id));
        for word in [versions.len() as u32, chunk(first), chunk(last), 0] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let begin = versions.iter().map(|past| past.begin).min().unwrap_or(0);
        let end = versions.iter().map(|past| past.end).max().unwrap_or(0);
        for word in [part.len() as u64, begin, end] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }
    for part in &encoded {
        bytes.extend_from_slice(part);
    }
    Ok(bytes)
}

/// Versions in order, cut into parts.
fn in_parts(shape: &Shape, versions: Vec<NewPast>) -> Vec<Vec<NewPast>> {
    let most = shape.records_per_chunk as usize;
    let mut layered = Vec::with_capacity(versions.len());
    let mut before = None;
    for past in versions {
        let layer = match before {
            Some((id, layer)) if id == past.id => layer + 1,
            _ => 0,
        };
        before = Some((past.id, layer));
        layered.push((shape.chunk_of(past.id), layer, past));
    }
    // Within a layer of a chunk they stay in order.
    layered.sort_by_key(|(chunk, layer, _)| (*chunk, *layer));
    let mut layered = layered.into_iter().peekable();
    let mut parts: Vec<Vec<NewPast>> = Vec::new();
    while let Some((chunk, layer, first)) = layered.next() {
        let mut group = vec![first];
        while let Some((_, _, past)) = layered.next_if(|next| (next.0, next.1) == (chunk, layer)) {
            group.push(past);
        }
        match parts.last_mut() {
            Some(part) if FEW * part.len() < most && part.len() + group.len() <= most => {
                part.append(&mut group);
            }
            _ => parts.push(group),
        }
    }
    for part in &mut parts {
        part.sort_unstable_by_key(|past| (past.id, past.begin));
    }
    parts
}

/// A segment that the section directory names; read and verified at first use.
pub(super) struct Segment {
    /// Its number in the directory: newer segments have higher ones.
    pub(super) number: u32,
    shape: Arc<Shape>,
    pub(super) blob: Blob,
    verified: OnceLock<Parts>,
}

/// The parts of a segment, by the chunks of their records.
type Parts = Vec<Part>;

impl Segment {
    pub(super) fn named(shape: &Arc<Shape>, number: u32, blob: Blob) -> Self {
        Segment {
            number,
            shape: Arc::clone(shape),
            blob,
            verified: OnceLock::new(),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.blob.extent.len()
    }

    fn damaged(&self, what: &str) -> StorageError {
        let what = format!("records of the past, table {}: {what}", self.shape.table);
        StorageError::damaged(
            &self.blob.extent.file_name(),
            self.blob.extent.offset(),
            what,
        )
    }

    /// Its parts, each of which is verified when it is read itself.
    pub(super) fn parts(&self, uuid: &Uuid) -> Result<&[Part], StorageError> {
        if let Some(parts) = self.verified.get() {
            return Ok(parts);
        }
        let parts = self.open(uuid)?;
        Ok(self.verified.get_or_init(|| parts))
    }

    /// The parts that may have versions of a range of records as of a commit.
    pub(super) fn parts_of(
        &self,
        ids: &Range<u32>,
        csn: u64,
        uuid: &Uuid,
    ) -> Result<impl Iterator<Item = &Part>, StorageError> {
        let parts = self.parts(uuid)?;
        let last = ids.end.saturating_sub(1).max(ids.start);
        let (first, last) = (self.shape.chunk_of(ids.start), self.shape.chunk_of(last));
        let from = parts.partition_point(|part| part.last_chunk < first);
        let parts = parts[from..].iter();
        let parts = parts.take_while(move |part| part.first_chunk <= last);
        Ok(parts.filter(move |part| {
            let end = failpoint!("records.past-end-ignored", u64::MAX, else part.span.end);
            (part.span.start..end).contains(&csn)
        }))
    }

    /// Whether a snapshot may show something of it, as far as is known without
    /// reading it.
    pub(super) fn may_be_shown(&self, needed: &Needed) -> bool {
        let is_kept = |part: &Part| needed.is_kept(part.span.start, part.span.end);
        match self.verified.get() {
            Some(parts) => parts.iter().any(is_kept),
            None => !needed.kept().is_empty(),
        }
    }

    /// Whether more of its bytes are of parts that no snapshot shows than of others, as far
    /// as it says so itself.
    pub(super) fn is_mostly_unneeded(&self, needed: &Needed) -> bool {
        let listed;
        let parts = match self.verified.get() {
            Some(parts) => parts,
            None => {
                listed = self.peek().unwrap_or_default();
                &listed
            }
        };
        let (mut shown, mut others) = (0, 0);
        for part in parts {
            match needed.is_kept(part.span.start, part.span.end) {
                true => shown += part.bytes.len(),
                false => others += part.bytes.len(),
            }
        }
        others > shown
    }

    /// The parts that it lists, of which nothing is verified; `None` of older formats.
    fn peek(&self) -> Option<Parts> {
        let extent = &self.blob.extent;
        let count = HEADER_BYTES - 4;
        extent
            .touch_range(0, extent.len().min(HEADER_BYTES as u64))
            .ok()?;
        let bytes = Bytes::of(extent);
        let count = u32_at(bytes.get(..HEADER_BYTES)?, count) as u64;
        let listed = HEADER_BYTES as u64 + count * LISTED_BYTES as u64;
        extent.touch_range(0, listed.min(extent.len())).ok()?;
        self.list(&bytes).ok()
    }

    /// Checks its checksum, its parts, and that no two versions of a record overlap; also
    /// if that was checked before.
    pub(super) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        let mut versions = Vec::new();
        for part in &self.open(uuid)? {
            let chunk = part.read(uuid)?;
            chunk.verify(uuid)?;
            chunk.for_each(|id, begin, end| versions.push((id, begin, end)));
        }
        versions.sort_unstable();
        let overlap = |pair: &[(u32, u64, u64)]| pair[0].0 == pair[1].0 && pair[0].2 > pair[1].1;
        match versions.windows(2).any(overlap) {
            true => Err(self.damaged("its versions do not follow one another")),
            false => Ok(()),
        }
    }

    fn open(&self, uuid: &Uuid) -> Result<Parts, StorageError> {
        let stored = self.blob.read(uuid)?;
        let bytes = match rows::is_of_rows(stored) {
            true => {
                let versions = rows::read(stored, &self.shape);
                let mut versions = versions.map_err(|what| self.damaged(&what))?;
                let ordered = put_in_order(&mut versions);
                ordered.map_err(|_| self.damaged("its versions do not follow one another"))?;
                encode(&self.shape, versions)?.into()
            }
            false => Bytes::of(&self.blob.extent),
        };
        self.list(&bytes).map_err(|what| self.damaged(what))
    }

    /// Finds the parts.
    fn list(&self, bytes: &Bytes) -> Result<Parts, Wrong> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != MAGIC || reader.u32()? != self.shape.table {
            return Err("the section directory names another extent");
        }
        let (mut left, count) = (reader.u32()?, reader.u32()? as usize);
        let list = reader.take(count.saturating_mul(LISTED_BYTES))?;
        let mut parts: Parts = Vec::with_capacity(count);
        for (number, listed) in (0..).zip(list.chunks_exact(LISTED_BYTES)) {
            let mut listed = Reader::new(listed);
            let (versions, first, last) = (listed.u32()?, listed.u32()?, listed.u32()?);
            listed.take(4)?;
            let len = usize::try_from(listed.u64()?).unwrap_or(usize::MAX);
            let span = listed.u64()?..listed.u64()?;
            let start = reader.position();
            reader.take(len)?;
            let ascends = parts.last().is_none_or(|part| part.last_chunk <= first);
            if first > last || !ascends {
                return Err("its parts do not follow one another");
            }
            left = left
                .checked_sub(versions)
                .ok_or("it counts other versions than it has")?;
            parts.push(Part {
                number,
                versions,
                first_chunk: first,
                last_chunk: last,
                span,
                bytes: bytes.part(start..reader.position()),
                extent: Arc::clone(&self.blob.extent),
                shape: Arc::clone(&self.shape),
                opened: OnceLock::new(),
            });
        }
        match left == 0 && reader.is_empty() {
            true => Ok(parts),
            false => Err("it counts other versions than it has"),
        }
    }
}
