//! History segments: points of many sections, and changes of the table of
//! snapshots, in one table of the section directory. Written once.

use std::sync::Arc;

use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::little_endian::{put, u32_at, u64_at};
use evergraph_storage::{Blob, SectionKey, StorageError, Uuid};

use super::names::{self, NameEvent};
use crate::section_format::seed;

const FILE: &str = "extents";
const MAGIC: u32 = 0x5349_4845; // "EHIS"
const HEADER_BYTES: usize = 64;
const ENTRY_BYTES: usize = 48;

// Fields of the header.
const MAGIC_AT: Field = (0, 4);
const INDEX_CRC: Field = (4, 4);
const CHUNK_COUNT: Field = (8, 4);
const NAME_COUNT: Field = (12, 4);
const NAMES_LEN: Field = (16, 8);
const NAMES_CSN: Field = (24, 8);
const DATA_LEN: Field = (32, 8);
const _: () = assert!(tiles(
    &[
        MAGIC_AT,
        INDEX_CRC,
        CHUNK_COUNT,
        NAME_COUNT,
        NAMES_LEN,
        NAMES_CSN,
        DATA_LEN,
        (40, 24)
    ],
    HEADER_BYTES
));

// Fields of an entry of the index, in the order in which they are written.
const ADJACENCY: Field = (0, 4);
const SECTION: Field = (4, 4);
const GENERATION: Field = (8, 4);
const POINTS: Field = (12, 4);
const AFTER: Field = (16, 8);
const LAST: Field = (24, 8);
const AT: Field = (32, 8);
const LEN: Field = (40, 4);
const CRC: Field = (44, 4);
const _: () = assert!(tiles(
    &[
        ADJACENCY, SECTION, GENERATION, POINTS, AFTER, LAST, AT, LEN, CRC
    ],
    ENTRY_BYTES
));

/// Location of one section's points in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkEntry {
    pub key: SectionKey,
    /// Generation of the section whose lists these are lengths of.
    pub generation: u32,
    /// Number of points.
    pub points: u32,
    /// Commit of the point before the first.
    pub after: u64,
    /// Commit of the last.
    pub last: u64,
    /// Their offset in the segment's data, and their bytes.
    at: u64,
    len: u32,
    crc: u32,
}

/// A segment that the section directory names; its index is in DRAM, its points
/// are on the medium.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Its number in the directory: newer segments have higher ones.
    pub number: u32,
    pub(crate) blob: Blob,
    pub chunks: Vec<ChunkEntry>,
    /// Changes of the table of snapshots up to this commit are in this segment
    /// and those before it.
    pub names_csn: u64,
    /// Number of those that are in this one.
    pub name_count: usize,
    names_len: usize,
}

/// Points of one section for a segment to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewChunk {
    pub key: SectionKey,
    pub generation: u32,
    pub points: u32,
    pub after: u64,
    pub last: u64,
    pub bytes: Vec<u8>,
}

/// Points of one section, with the segment that holds them.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub segment: Arc<Segment>,
    pub entry: ChunkEntry,
}

impl Chunk {
    /// The points, after their checksum has been checked.
    pub(crate) fn bytes(&self, uuid: &Uuid) -> Result<&[u8], StorageError> {
        let extent = &self.segment.blob.extent;
        let at = self.segment.data_at() + self.entry.at;
        extent.touch_range(at, u64::from(self.entry.len))?;
        let bytes = &extent.bytes()[at as usize..][..self.entry.len as usize];
        let crc = crc32c::crc32c_append(seed(uuid, extent.offset() + at), bytes);
        if crc != self.entry.crc {
            return Err(self.damaged("lengths of the past have a wrong checksum"));
        }
        Ok(bytes)
    }

    /// An error that names the place.
    pub(crate) fn damaged(&self, what: &str) -> StorageError {
        let at = self.segment.data_at() + self.entry.at;
        StorageError::damaged(FILE, self.segment.blob.extent.offset() + at, what)
    }
}

/// The bytes of a segment to be stored at `offset`.
pub(crate) fn encode(
    uuid: &Uuid,
    offset: u64,
    chunks: &[NewChunk],
    events: &[NameEvent],
    names_csn: u64,
) -> Vec<u8> {
    debug_assert!(
        chunks.is_sorted_by(|a, b| a.key < b.key),
        "a section's points are searched"
    );
    debug_assert!(
        chunks
            .iter()
            .all(|chunk| chunk.points > 0 && chunk.after < chunk.last),
        "opening refuses a chunk without points"
    );
    let mut bytes = vec![0; HEADER_BYTES];
    names::encode(events.iter(), &mut bytes);
    let names_len = bytes.len() - HEADER_BYTES;
    let data_at = bytes.len() + chunks.len() * ENTRY_BYTES;
    let mut at = 0u64;
    for chunk in chunks {
        let crc = crc32c::crc32c_append(seed(uuid, offset + data_at as u64 + at), &chunk.bytes);
        for word in [
            chunk.key.owner,
            chunk.key.section,
            chunk.generation,
            chunk.points,
        ] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for word in [chunk.after, chunk.last, at] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for word in [chunk.bytes.len() as u32, crc] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        at += chunk.bytes.len() as u64;
    }
    debug_assert_eq!(
        bytes.len(),
        data_at,
        "checksums are of where the points lie"
    );
    put(&mut bytes, MAGIC_AT, &MAGIC.to_le_bytes());
    put(
        &mut bytes,
        CHUNK_COUNT,
        &(chunks.len() as u32).to_le_bytes(),
    );
    put(&mut bytes, NAME_COUNT, &(events.len() as u32).to_le_bytes());
    put(&mut bytes, NAMES_LEN, &(names_len as u64).to_le_bytes());
    put(&mut bytes, NAMES_CSN, &names_csn.to_le_bytes());
    put(&mut bytes, DATA_LEN, &at.to_le_bytes());
    let crc = index_crc(uuid, offset, &bytes);
    put(&mut bytes, INDEX_CRC, &crc.to_le_bytes());
    chunks
        .iter()
        .for_each(|chunk| bytes.extend_from_slice(&chunk.bytes));
    bytes
}

/// Bytes that [`encode`] will give.
pub(crate) fn encoded_len(chunks: &[NewChunk], events: &[NameEvent]) -> u64 {
    let mut names = Vec::new();
    names::encode(events.iter(), &mut names);
    let points: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
    (HEADER_BYTES + names.len() + chunks.len() * ENTRY_BYTES + points) as u64
}

/// Checksum of header and index, without itself.
fn index_crc(uuid: &Uuid, offset: u64, bytes: &[u8]) -> u32 {
    let crc = crc32c::crc32c_append(seed(uuid, offset), &bytes[..4]);
    crc32c::crc32c_append(crc, &bytes[8..])
}

impl Segment {
    /// Reads the index, and nothing of the points.
    pub(crate) fn open(uuid: &Uuid, number: u32, blob: Blob) -> Result<Self, StorageError> {
        let extent = &blob.extent;
        let offset = extent.offset();
        let damaged = |what: &str| StorageError::damaged(FILE, offset, what);
        let len = extent.len();
        if len < HEADER_BYTES as u64 {
            return Err(damaged("a segment of history has no header"));
        }
        extent.touch_range(0, HEADER_BYTES as u64)?;
        let bytes = extent.bytes();
        if u32_at(bytes, MAGIC_AT.0) != MAGIC {
            return Err(damaged("a segment of history does not begin like one"));
        }
        let count = u32_at(bytes, CHUNK_COUNT.0) as usize;
        let name_count = u32_at(bytes, NAME_COUNT.0) as usize;
        let (names_len, names_csn) = (u64_at(bytes, NAMES_LEN.0), u64_at(bytes, NAMES_CSN.0));
        let data_len = u64_at(bytes, DATA_LEN.0);
        let index_len = (count * ENTRY_BYTES) as u64;
        let index_end = names_len
            .checked_add(index_len + HEADER_BYTES as u64)
            .filter(|end| end.checked_add(data_len) == Some(len))
            .ok_or_else(|| damaged("the counts of a segment of history do not fit its length"))?;
        extent.touch_range(0, index_end)?;
        let bytes = &bytes[..index_end as usize];
        if index_crc(uuid, offset, bytes) != u32_at(bytes, INDEX_CRC.0) {
            return Err(damaged(
                "the index of a segment of history has a wrong checksum",
            ));
        }
        let index = &bytes[HEADER_BYTES + names_len as usize..];
        let chunks: Vec<ChunkEntry> = index.chunks_exact(ENTRY_BYTES).map(decode).collect();
        let mut end = 0u64;
        for chunk in &chunks {
            if chunk.at != end || chunk.points == 0 || chunk.last <= chunk.after {
                return Err(damaged("the index of a segment of history is out of order"));
            }
            end += u64::from(chunk.len);
        }
        if end != data_len || !chunks.is_sorted_by(|a, b| a.key < b.key) {
            return Err(damaged("the index of a segment of history is out of order"));
        }
        let segment = Segment {
            number,
            blob,
            chunks,
            names_csn,
            name_count,
            names_len: names_len as usize,
        };
        let names = segment.names()?;
        if names.len() != name_count {
            return Err(segment.damaged("a table of snapshots counts other changes"));
        }
        if names.iter().any(|event| event.csn() > names_csn) {
            return Err(segment.damaged("a table of snapshots goes beyond its commits"));
        }
        Ok(segment)
    }

    fn damaged(&self, what: &str) -> StorageError {
        StorageError::damaged(FILE, self.blob.extent.offset(), what)
    }

    /// The changes of the table of snapshots in it.
    pub(crate) fn names(&self) -> Result<Vec<NameEvent>, StorageError> {
        let extent = &self.blob.extent;
        let names = &extent.bytes()[HEADER_BYTES..HEADER_BYTES + self.names_len];
        names::decode(names, extent.offset())
    }

    fn data_at(&self) -> u64 {
        (HEADER_BYTES + self.names_len + self.chunks.len() * ENTRY_BYTES) as u64
    }

    /// The points of one section.
    pub(crate) fn chunk(self: &Arc<Self>, key: SectionKey) -> Option<Chunk> {
        let at = self.chunks.binary_search_by_key(&key, |chunk| chunk.key);
        Some(Chunk {
            segment: Arc::clone(self),
            entry: self.chunks[at.ok()?],
        })
    }

    /// Its bytes.
    pub(crate) fn len(&self) -> u64 {
        self.blob.extent.len()
    }

    /// Bytes that it occupies.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.blob.extent.reserved_bytes()
    }
}

impl ChunkEntry {
    /// Bytes of the points and of the entry.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.len) + ENTRY_BYTES as u64
    }
}

fn decode(bytes: &[u8]) -> ChunkEntry {
    ChunkEntry {
        key: SectionKey {
            owner: u32_at(bytes, ADJACENCY.0),
            section: u32_at(bytes, SECTION.0),
        },
        generation: u32_at(bytes, GENERATION.0),
        points: u32_at(bytes, POINTS.0),
        after: u64_at(bytes, AFTER.0),
        last: u64_at(bytes, LAST.0),
        at: u64_at(bytes, AT.0),
        len: u32_at(bytes, LEN.0),
        crc: u32_at(bytes, CRC.0),
    }
}
