//! The core segment of a chunk: which records there are, since when, their labels or
//! type and ends, a list of the chunk's parts (columns, large values), and those of them
//! that are small.
//!
//! | bytes | what |
//! |---|---|
//! | 64 | header: magic, table, chunk, records, used records, columns, commit, flags; zeros |
//! | 8 · ⌈records / 64⌉ | which records are used, the lowest bit first; absent if all are (flag 1) |
//! | … | five times integers, one a record: commit of its version, or of its deletion, 0 if there never was one; commit that created it; type; source, or set of labels; target |
//! | 24 · parts | each: key 4; 1 in a segment of its own, else inside, and 2 one large value, else a column 4; bytes 8; checksum of the segment 4; place of the value's record 4 |
//! | … | the parts inside, in this order |
//!
//! Type, labels and ends of records that are not used mean nothing.

use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::little_endian::{put, u32_at, u64_at};
use evergraph_storage::{Entry, StorageError};

use super::content::{EndColumns, EntityKind, Fixed};
use crate::bytes::{Reader, Wrong};
use crate::column::Numbers;
use crate::dictionary::KeyCode;

const HEADER_BYTES: usize = 64;
const LISTED_BYTES: usize = 24;

// How a part is listed.
const IN_SEGMENT: u32 = 1;
const IS_VALUE: u32 = 2;

const MAGIC: Field = (0, 4);
const TABLE: Field = (4, 4);
const CHUNK: Field = (8, 4);
const RECORDS: Field = (12, 4);
const USED_RECORDS: Field = (16, 4);
const COLUMNS: Field = (20, 4);
const CSN: Field = (24, 8);
const FLAGS: Field = (32, 4);
const _: () = assert!(tiles(
    &[
        MAGIC,
        TABLE,
        CHUNK,
        RECORDS,
        USED_RECORDS,
        COLUMNS,
        CSN,
        FLAGS,
        (36, 28)
    ],
    HEADER_BYTES
));

/// Not all records are used.
const HAS_BITMAP: u32 = 1;

/// Number of the segment that holds, packed by record, what has no column. Keys from here
/// on have none.
pub(super) const REST: KeyCode = (1 << 29) - 2;

/// Name of a part of a chunk: the column of a key, or the rest, or the large value that one
/// record has of a key. Values follow the column of their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) key: KeyCode,
    /// Place of the record of a large value.
    pub(super) at: Option<u32>,
}

impl Part {
    /// The rest: properties without a column.
    pub(super) const REST: Part = Part::column(REST);

    pub(super) const fn column(key: KeyCode) -> Self {
        Part { key, at: None }
    }

    pub(super) const fn value(key: KeyCode, at: u32) -> Self {
        Part { key, at: Some(at) }
    }

    /// Whether a key's large values have names. There are fewer keys.
    pub(super) fn has_values(key: KeyCode) -> bool {
        key < REST - OF_VALUES
    }

    pub(super) fn is_column(&self) -> bool {
        self.at.is_none() && self.key < REST
    }
}

/// Added to a key's code, it names the large values of the key in the section directory.
pub(super) const OF_VALUES: KeyCode = 1 << 28;

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
    /// Begins cores, so that none is taken for a chunk of an older format.
    fn core_magic(&self) -> [u8; 4] {
        let mut magic = self.magic;
        magic[0] = b'C';
        magic
    }

    /// A part in messages.
    pub(super) fn name_of(&self, part: Part) -> String {
        let Part { key, at } = part;
        match at {
            Some(at) => format!("value of key {key} of record {}", self.id(at)),
            None if key == REST => "properties without a column".to_string(),
            None => format!("column of key {key}"),
        }
    }

    /// The id of a record.
    pub(super) fn id(&self, at: u32) -> u32 {
        self.chunk.wrapping_mul(self.records).wrapping_add(at)
    }

    /// The error of a chunk that is being made.
    pub(super) fn cannot_store(&self, what: &str) -> StorageError {
        let Identity { table, chunk, .. } = self;
        let what = format!("records, table {table}, chunk {chunk}: {what}");
        StorageError::damaged("memory", 0, what)
    }
}

/// What a core says of all records, in its stored form.
pub(super) struct Head {
    pub(super) used: u32,
    pub(super) bytes: Vec<u8>,
}

/// A part as a core lists it.
pub(super) enum NewPart<'a> {
    Inside(&'a [u8]),
    Segment(&'a Entry),
}

/// The bytes of a core, with all commits up to `csn`.
pub(super) fn encode(
    identity: Identity,
    csn: u64,
    head: &Head,
    parts: &[(Part, NewPart<'_>)],
) -> Vec<u8> {
    let is_whole = head.used == identity.records;
    let mut bytes = vec![0; HEADER_BYTES];
    put(&mut bytes, MAGIC, &identity.core_magic());
    put(&mut bytes, TABLE, &identity.table.to_le_bytes());
    put(&mut bytes, CHUNK, &identity.chunk.to_le_bytes());
    put(&mut bytes, RECORDS, &identity.records.to_le_bytes());
    put(&mut bytes, USED_RECORDS, &head.used.to_le_bytes());
    put(&mut bytes, COLUMNS, &(parts.len() as u32).to_le_bytes());
    put(&mut bytes, CSN, &csn.to_le_bytes());
    let flags = if is_whole { 0 } else { HAS_BITMAP };
    put(&mut bytes, FLAGS, &flags.to_le_bytes());
    bytes.extend_from_slice(&head.bytes);
    for (part, content) in parts {
        let (place, len, crc) = match content {
            NewPart::Inside(content) => (0, content.len() as u64, 0),
            NewPart::Segment(entry) => (IN_SEGMENT, entry.len, entry.crc),
        };
        let place = place | part.at.map_or(0, |_| IS_VALUE);
        bytes.extend_from_slice(&part.key.to_le_bytes());
        bytes.extend_from_slice(&place.to_le_bytes());
        bytes.extend_from_slice(&len.to_le_bytes());
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(&part.at.unwrap_or(0).to_le_bytes());
    }
    for (_, content) in parts {
        if let NewPart::Inside(content) = content {
            bytes.extend_from_slice(content);
        }
    }
    bytes
}

/// Where the parts of a core lie in its bytes.
pub(super) struct Core {
    /// `None` if all records are used.
    used: Option<usize>,
    records: u32,
    begin: Numbers,
    born: Numbers,
    kind: Numbers,
    first: Numbers,
    second: Numbers,
    /// Ascending.
    pub(super) parts: Vec<(Part, Listed)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Inside(std::ops::Range<usize>),
    Segment { len: u64, crc: u32 },
}

impl Core {
    /// Finds and checks what the core of a chunk has. The parts are not looked at.
    pub(super) fn parse(
        bytes: &[u8],
        identity: &Identity,
        used: u64,
        csn: u64,
    ) -> Result<Self, Wrong> {
        let mut reader = Reader::new(bytes);
        let header = reader.take(HEADER_BYTES)?;
        let word = |field: Field| u32_at(header, field.0);
        let Identity {
            table,
            chunk,
            records,
            ..
        } = *identity;
        let is_this = header[..MAGIC.1] == identity.core_magic()
            && [TABLE, CHUNK, RECORDS].map(word) == [table, chunk, records];
        if !is_this {
            return Err("the section directory names another extent");
        }
        let own_csn = u64_at(header, CSN.0);
        if (u64::from(word(USED_RECORDS)), own_csn) != (used, csn) {
            return Err("its header does not fit the section directory");
        }
        let count = records as usize;
        let used_at = match word(FLAGS) {
            0 => None,
            HAS_BITMAP => Some(reader.position()),
            _ => return Err("it has marks that this program does not know"),
        };
        if used_at.is_some() {
            reader.take(8 * count.div_ceil(64))?;
        }
        let mut numbers = || Numbers::take(&mut reader, count);
        let mut core = Core {
            used: used_at,
            records,
            begin: numbers()?,
            born: numbers()?,
            kind: numbers()?,
            first: numbers()?,
            second: numbers()?,
            parts: Vec::new(),
        };
        core.take_parts(&mut reader, word(COLUMNS))?;
        core.check(bytes, used)?;
        Ok(core)
    }

    fn take_parts(&mut self, reader: &mut Reader<'_>, count: u32) -> Result<(), Wrong> {
        let list = reader.take((count as usize).saturating_mul(LISTED_BYTES))?;
        for listed in list.chunks_exact(LISTED_BYTES) {
            let mut listed = Reader::new(listed);
            let (key, place) = (listed.u32()?, listed.u32()?);
            let (len, crc, at) = (listed.u64()?, listed.u32()?, listed.u32()?);
            let is_value = place & IS_VALUE != 0;
            let part = Part {
                key,
                at: is_value.then_some(at),
            };
            if self.parts.last().is_some_and(|last| last.0 >= part) {
                return Err("its columns do not ascend");
            }
            if is_value && (at >= self.records || !Part::has_values(key)) {
                return Err("it has a value of no record");
            }
            let content = match place & !IS_VALUE {
                0 => {
                    let start = reader.position();
                    reader.take(usize::try_from(len).unwrap_or(usize::MAX))?;
                    Listed::Inside(start..reader.position())
                }
                IN_SEGMENT => Listed::Segment { len, crc },
                _ => return Err("a column of it is nowhere"),
            };
            self.parts.push((part, content));
        }
        match reader.is_empty() {
            true => Ok(()),
            false => Err("something follows it"),
        }
    }

    fn check(&self, bytes: &[u8], used: u64) -> Result<(), Wrong> {
        let words = 0..self.records.div_ceil(64);
        let count = words.map(|word| u64::from(self.used_word(bytes, word).count_ones()));
        if count.sum::<u64>() != used {
            return Err("it counts other records than it has");
        }
        let records = self.records as usize;
        let bounds = |numbers: &Numbers| numbers.bounds(bytes, records);
        // Mostly all were created before any was changed.
        if bounds(&self.born).end() <= bounds(&self.begin).start() {
            return Ok(());
        }
        let all = |numbers: &Numbers| numbers.all(bytes, records);
        let (born, begin) = (all(&self.born), all(&self.begin));
        match born.iter().zip(&begin).any(|(born, begin)| born > begin) {
            true => Err("a record is older than its creation"),
            false => Ok(()),
        }
    }

    /// Bits of the used ones among the 64 records from `64 * word` on.
    #[inline]
    pub(super) fn used_word(&self, bytes: &[u8], word: u32) -> u64 {
        let Some(used) = self.used else {
            let records = self.records - 64 * word;
            return u64::MAX >> (64 - records.min(64));
        };
        let at = used + 8 * word as usize;
        u64_at(bytes, at)
    }

    /// The types of relationships, or the sets of labels of nodes.
    pub(super) fn subjects(&self, of: EntityKind) -> &Numbers {
        match of {
            EntityKind::Node => &self.first,
            EntityKind::Relationship => &self.kind,
        }
    }

    #[inline]
    pub(super) fn slot(&self, bytes: &[u8], at: u32) -> Slot {
        Slot {
            is_used: self.used_word(bytes, at / 64) >> (at % 64) & 1 == 1,
            begin: self.begin.get(bytes, at as usize) as u64,
            born: self.born.get(bytes, at as usize) as u64,
        }
    }

    /// The commit of each record's version, and the one that created it.
    pub(super) fn commits(&self) -> (Numbers, Numbers) {
        (self.begin, self.born)
    }

    /// The types, sources and targets of some relationships, each in order.
    pub(super) fn ends(
        &self,
        bytes: &[u8],
        slots: impl Iterator<Item = usize> + Clone,
        (types, sources, targets): EndColumns<'_>,
    ) {
        let (kind, first, second) = (&self.kind, &self.first, &self.second);
        kind.for_each(bytes, slots.clone(), |kind| types.push(kind as u16));
        first.for_each(bytes, slots.clone(), |source| sources.push(source as u32));
        second.for_each(bytes, slots, |target| targets.push(target as u32));
    }

    #[inline]
    pub(super) fn fixed(&self, bytes: &[u8], at: u32) -> Fixed {
        let at = at as usize;
        Fixed {
            kind: self.kind.get(bytes, at) as u16,
            first: self.first.get(bytes, at) as u32,
            second: self.second.get(bytes, at) as u32,
        }
    }
}
