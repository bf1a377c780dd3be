//! How a chunk lies in its extent.
//!
//! | bytes | what |
//! |---|---|
//! | 64 | header: magic, table, chunk, records, used records, 4 zeros, commit, bytes of properties; zeros |
//! | 8 · ⌈records / 64⌉ | which records are used, the lowest bit first; padded to a multiple of 256 with the header |
//! | 32 · records | the records |
//! | … | their properties, packed |
//!
//! | bytes of a record | what |
//! |---|---|
//! | 8 | commit of this version; of a record that is not used, of its deletion; 0 if there never was one |
//! | 6 | commit that created the node or relationship; bit 47: whether the record is used |
//! | 2 | type of a relationship |
//! | 4 + 4 | source and target; of a node its set of labels |
//! | 4 + 4 | place and length of its properties among all of the chunk |
//!
//! A record divides the 256 bytes that a medium writes at once, and none of them
//! lies in two such (Poseidon's 56 and 72 bytes do). The checksum over all of it,
//! bound to database and place, is in the section directory.

use std::sync::OnceLock;

use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::{Entry, Extent, StorageError, Uuid, checksum};

use super::content::Fixed;

const HEADER_BYTES: usize = 64;

// Fields of the header.
const MAGIC: Field = (0, 4);
const TABLE: Field = (4, 4);
const CHUNK: Field = (8, 4);
const RECORDS: Field = (12, 4);
const USED_RECORDS: Field = (16, 4);
const CSN: Field = (24, 8);
const HEAP: Field = (32, 8);
const _: () = assert!(tiles(
    &[
        MAGIC,
        TABLE,
        CHUNK,
        RECORDS,
        USED_RECORDS,
        (20, 4),
        CSN,
        HEAP,
        (40, 24)
    ],
    HEADER_BYTES
));

// Fields of a record.
const BEGIN: Field = (0, 8);
const BORN: Field = (8, 6);
const TYPE: Field = (14, 2);
const FIRST: Field = (16, 4);
const SECOND: Field = (20, 4);
const PLACE: Field = (24, 4);
const LEN: Field = (28, 4);
const _: () = assert!(tiles(
    &[BEGIN, BORN, TYPE, FIRST, SECOND, PLACE, LEN],
    RECORD_BYTES
));
const _: () = assert!(
    LINE.is_multiple_of(RECORD_BYTES),
    "no record lies in two lines of the medium"
);
const _: () = assert!(
    USED == 1 << (8 * BORN.1 - 1),
    "the mark is the top bit of the bytes for the creating commit"
);

/// Records begin at a multiple of it.
const LINE: usize = 256;
pub(super) const RECORD_BYTES: usize = 32;
/// Beside the creating commit: the record is used. So reading one does not touch the
/// bitmap.
const USED: u64 = 1 << 47;
/// Largest commit that fits into the bytes for the creating commit. A later one is stored
/// as this one: then an id waits longer than it has to.
const MOST_BORN: u64 = USED - 1;

/// The versions that a stored record says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    /// Whether there is a record; else it was deleted, or there never was one.
    pub(super) is_used: bool,
    /// Commit since when that holds; 0 if there never was a record.
    pub(super) begin: u64,
    /// Commit that created the present or last record.
    pub(super) born: u64,
}

/// Identity of a chunk: its table, number and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) magic: [u8; 4],
    pub(super) table: u32,
    pub(super) chunk: u32,
    pub(super) records: u32,
}

impl Identity {
    fn records_at(&self) -> usize {
        (HEADER_BYTES + 8 * self.records.div_ceil(64) as usize).next_multiple_of(LINE)
    }

    fn heap_at(&self) -> usize {
        self.records_at() + RECORD_BYTES * self.records as usize
    }
}

/// A chunk on its way to the medium.
pub(super) struct ChunkImage {
    identity: Identity,
    bytes: Vec<u8>,
    used: u32,
}

impl ChunkImage {
    /// No record is used.
    pub(super) fn begin(identity: Identity) -> Self {
        ChunkImage {
            identity,
            bytes: vec![0; identity.heap_at()],
            used: 0,
        }
    }

    /// Sets one record, once.
    ///
    /// # Errors
    /// More than 4 GiB of properties in one chunk.
    pub(super) fn set(
        &mut self,
        at: u32,
        slot: Slot,
        fixed: Fixed,
        properties: &[u8],
    ) -> Result<(), &'static str> {
        let place = self.bytes.len() - self.identity.heap_at();
        let (Ok(place), Ok(len)) = (u32::try_from(place), u32::try_from(properties.len())) else {
            return Err("the properties of one chunk exceed 4 GiB; store less in one property");
        };
        debug_assert!(
            at < self.identity.records && slot.born <= slot.begin,
            "record {at} of {}: {slot:?}",
            self.identity.records
        );
        debug_assert!(
            !self.is_set(at),
            "record {at} is set twice: its first properties are lost space"
        );
        if slot.is_used {
            self.used += 1;
            self.bytes[HEADER_BYTES + at as usize / 8] |= 1 << (at % 8);
        }
        let start = self.identity.records_at() + RECORD_BYTES * at as usize;
        let record = &mut self.bytes[start..start + RECORD_BYTES];
        put(record, BEGIN, &slot.begin.to_le_bytes());
        let used = if slot.is_used { USED } else { 0 };
        let born = slot.born.min(MOST_BORN) | used;
        put(record, BORN, &born.to_le_bytes()[..BORN.1]);
        put(record, TYPE, &fixed.kind.to_le_bytes());
        put(record, FIRST, &fixed.first.to_le_bytes());
        put(record, SECOND, &fixed.second.to_le_bytes());
        put(record, PLACE, &place.to_le_bytes());
        put(record, LEN, &len.to_le_bytes());
        self.bytes.extend_from_slice(properties);
        Ok(())
    }

    /// Whether a record was set before.
    fn is_set(&self, at: u32) -> bool {
        let start = self.identity.records_at() + RECORD_BYTES * at as usize;
        u64_at(&self.bytes, start + BEGIN.0) != 0
    }

    /// Bytes that the extent will have.
    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The bytes to store at `offset`, with the directory entry for them. All
    /// commits up to `csn` are in them.
    pub(super) fn finish(&mut self, uuid: &Uuid, offset: u64, csn: u64) -> (Entry, &[u8]) {
        let heap = (self.bytes.len() - self.identity.heap_at()) as u64;
        let Identity {
            magic,
            table,
            chunk,
            records,
        } = self.identity;
        debug_assert!(self.used <= records, "{} of {records} are used", self.used);
        put(&mut self.bytes, MAGIC, &magic);
        put(&mut self.bytes, TABLE, &table.to_le_bytes());
        put(&mut self.bytes, CHUNK, &chunk.to_le_bytes());
        put(&mut self.bytes, RECORDS, &records.to_le_bytes());
        put(&mut self.bytes, USED_RECORDS, &self.used.to_le_bytes());
        put(&mut self.bytes, CSN, &csn.to_le_bytes());
        put(&mut self.bytes, HEAP, &heap.to_le_bytes());
        let entry = Entry {
            offset,
            len: self.len(),
            csn,
            generation: 0,
            crc: checksum(uuid, offset, &self.bytes),
            entries: self.used.into(),
            tombstones: 0,
        };
        (entry, &self.bytes)
    }
}

/// A chunk as one piece of bytes, on the medium or on its way there. Nothing of the
/// medium is read before its first use, when all of it is verified.
pub(super) struct StoredChunk {
    identity: Identity,
    /// Of a loaded chunk only the commit and the count of records mean something.
    entry: Entry,
    content: Content,
    verified: OnceLock<()>,
}

/// Location of the bytes.
enum Content {
    Extent(Extent),
    /// Loaded in bulk by a commit that is in the log; no checkpoint has written it.
    Loaded(Vec<u8>),
}

impl StoredChunk {
    /// A chunk that the directory names. Checks as much as the directory alone shows.
    pub(super) fn named(
        identity: Identity,
        entry: Entry,
        extent: Extent,
    ) -> Result<Self, StorageError> {
        let stored = StoredChunk {
            identity,
            entry,
            content: Content::Extent(extent),
            verified: OnceLock::new(),
        };
        if entry.len < identity.heap_at() as u64 {
            return Err(stored.damaged("a chunk of records is shorter than its records"));
        }
        if entry.entries > u64::from(identity.records) {
            return Err(stored.damaged("a chunk counts more records than it has"));
        }
        Ok(stored)
    }

    /// A chunk that a checkpoint has just written.
    pub(super) fn written(identity: Identity, entry: Entry, extent: Extent) -> Self {
        StoredChunk {
            identity,
            entry,
            content: Content::Extent(extent),
            verified: OnceLock::from(()),
        }
    }

    /// A chunk that a commit loaded in bulk.
    pub(super) fn loaded(image: ChunkImage, csn: u64) -> Self {
        StoredChunk {
            identity: image.identity,
            entry: Entry {
                offset: 0,
                len: image.len(),
                csn,
                generation: 0,
                crc: 0,
                entries: image.used.into(),
                tombstones: 0,
            },
            content: Content::Loaded(image.bytes),
            verified: OnceLock::from(()),
        }
    }

    /// All commits up to this one are in it.
    pub(super) fn csn(&self) -> u64 {
        self.entry.csn
    }

    pub(super) fn used(&self) -> u32 {
        self.entry.entries as u32
    }

    /// `None` of a chunk that is loaded and not written yet.
    pub(super) fn extent(&self) -> Option<&Extent> {
        match &self.content {
            Content::Extent(extent) => Some(extent),
            Content::Loaded(_) => None,
        }
    }

    /// Bytes of DRAM that a checkpoint frees.
    pub(super) fn loaded_bytes(&self) -> usize {
        match &self.content {
            Content::Extent(_) => 0,
            Content::Loaded(bytes) => bytes.len(),
        }
    }

    pub(super) fn damaged(&self, what: &str) -> StorageError {
        let Identity { table, chunk, .. } = self.identity;
        let what = format!("records, table {table}, chunk {chunk}: {what}");
        match self.extent() {
            Some(extent) => StorageError::damaged(&extent.file_name(), extent.offset(), what),
            None => StorageError::damaged("memory", 0, what),
        }
    }

    pub(super) fn read(&self, uuid: &Uuid) -> Result<ChunkReader<'_>, StorageError> {
        if self.verified.get().is_none() {
            self.verify(uuid)?;
            let _ = self.verified.set(());
        }
        Ok(ChunkReader {
            chunk: self,
            bytes: match &self.content {
                Content::Extent(extent) => extent.bytes(),
                Content::Loaded(bytes) => bytes,
            },
            records_at: self.identity.records_at(),
        })
    }

    /// Checks checksum and header, also if they were checked before.
    pub(super) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        let Content::Extent(extent) = &self.content else {
            return Ok(());
        };
        // All of it at once, where it may have to come from a device.
        extent.prefetch();
        extent.touch()?;
        let bytes = extent.bytes();
        if checksum(uuid, extent.offset(), bytes) != self.entry.crc {
            return Err(self.damaged("it has a wrong checksum"));
        }
        let word = |field: Field| u32_at(bytes, field.0);
        let Identity {
            magic,
            table,
            chunk,
            records,
        } = self.identity;
        let is_this = bytes[..MAGIC.1] == magic
            && [TABLE, CHUNK, RECORDS].map(word) == [table, chunk, records];
        if !is_this {
            return Err(self.damaged("the section directory names another extent"));
        }
        let counts = (
            u64::from(word(USED_RECORDS)),
            u64_at(bytes, CSN.0),
            u64_at(bytes, HEAP.0),
        );
        let heap = (bytes.len() - self.identity.heap_at()) as u64;
        if counts != (self.entry.entries, self.entry.csn, heap) {
            return Err(self.damaged("its header does not fit the section directory"));
        }
        let reader = ChunkReader {
            chunk: self,
            bytes,
            records_at: self.identity.records_at(),
        };
        let is_older = |at| {
            let slot = reader.slot(at);
            slot.born > slot.begin
        };
        match (0..records).find(|&at| is_older(at)) {
            Some(at) => Err(self.damaged(&format!("record {at} is older than its creation"))),
            None => Ok(()),
        }
    }
}

/// The verified content of a chunk.
#[derive(Clone, Copy)]
pub(super) struct ChunkReader<'a> {
    chunk: &'a StoredChunk,
    bytes: &'a [u8],
    records_at: usize,
}

impl<'a> ChunkReader<'a> {
    /// Bits of the used ones among the 64 records from `64 * word` on.
    pub(super) fn used_word(&self, word: u32) -> u64 {
        u64_at(self.bytes, HEADER_BYTES + 8 * word as usize)
    }

    /// Whether the bitmap says that a record is used.
    pub(super) fn is_marked(&self, at: u32) -> bool {
        self.used_word(at / 64) >> (at % 64) & 1 == 1
    }

    fn record(&self, at: u32) -> &'a [u8] {
        let start = self.records_at + RECORD_BYTES * at as usize;
        &self.bytes[start..start + RECORD_BYTES]
    }

    pub(super) fn slot(&self, at: u32) -> Slot {
        let record = self.record(at);
        let born = u64_at(record, BORN.0);
        Slot {
            is_used: born & USED != 0,
            begin: u64_at(record, BEGIN.0),
            born: born & MOST_BORN,
        }
    }

    pub(super) fn fixed(&self, at: u32) -> Fixed {
        let record = self.record(at);
        Fixed {
            kind: u16::from_le_bytes([record[TYPE.0], record[TYPE.0 + 1]]),
            first: u32_at(record, FIRST.0),
            second: u32_at(record, SECOND.0),
        }
    }

    pub(super) fn properties(&self, at: u32) -> Result<&'a [u8], StorageError> {
        let record = self.record(at);
        let (place, len) = (
            u32_at(record, PLACE.0) as usize,
            u32_at(record, LEN.0) as usize,
        );
        let heap = &self.bytes[self.chunk.identity.heap_at()..];
        let end = place.checked_add(len);
        let found = end.and_then(|end| heap.get(place..end));
        found.ok_or_else(|| {
            let what = format!("the properties of record {at} lie outside it");
            self.chunk.damaged(&what)
        })
    }
}

fn put(bytes: &mut [u8], at: Field, value: &[u8]) {
    bytes[at.0..][..at.1].copy_from_slice(value);
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
