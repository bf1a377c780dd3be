//! How the index of a section lies in its extent.
//!
//! | bytes | what |
//! |---|---|
//! | 64 | header (below) |
//! | 8·lists | length and first block of each list: all that most reads need |
//! | 12·lists | last block, how full it is, checksum of each list |
//! | 4·lists | tombstones of each list, only with the flag |
//! | 16·slabs | slabs: offset (8), words, first address |
//! | 8·ranges | free ranges: first address, words |

use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::{Entry, Uuid};

use crate::section_format::put_u64;

pub(super) const MAGIC: u32 = u32::from_le_bytes(*b"EBLK");
pub(super) const HEADER_WORDS: usize = 16;

// Fields of the header, in words; the others are zero.
pub(super) const MAGIC_AT: Field = (0, 1);
pub(super) const FLAGS: Field = (1, 1);
pub(super) const FIRST_VERTEX: Field = (2, 1);
pub(super) const LISTS: Field = (3, 1);
pub(super) const ENTRIES: Field = (4, 2);
pub(super) const CSN: Field = (6, 2);
pub(super) const GENERATION: Field = (8, 1);
pub(super) const SLABS: Field = (9, 1);
pub(super) const FREE: Field = (10, 1);
const _: () = assert!(tiles(
    &[
        MAGIC_AT,
        FLAGS,
        FIRST_VERTEX,
        LISTS,
        ENTRIES,
        CSN,
        GENERATION,
        SLABS,
        FREE,
        (11, 5)
    ],
    HEADER_WORDS
));

pub(super) const FLAG_WEIGHTS: u32 = 1;
pub(super) const FLAG_TOMBSTONES: u32 = 2;
pub(super) const PLACE_WORDS: usize = 2;
pub(super) const END_WORDS: usize = 3;
pub(super) const SLAB_WORDS: usize = 4;
pub(super) const RANGE_WORDS: usize = 2;
pub(super) const FILE: &str = "extents";

/// Words of a block before its entries: next block, capacity in entries.
pub(super) const BLOCK_HEADER_WORDS: u32 = 2;

const _: () = assert!(4 * PLACE_WORDS == size_of::<Place>());
const _: () = assert!(4 * SLAB_WORDS == size_of::<SlabPlace>());
const _: () = assert!(4 * RANGE_WORDS == size_of::<Range>());

/// Offsets of a slab, in its file and in the section's address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlabPlace {
    pub offset: u64,
    pub words: u32,
    /// Address of its first word.
    pub base: u32,
}

impl SlabPlace {
    /// The address behind it.
    pub(super) fn end(&self) -> u64 {
        u64::from(self.base) + u64::from(self.words)
    }
}

/// Words of a section's address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub start: u32,
    pub words: u32,
}

/// First block and length of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub len: u32,
    pub first: u32,
}

/// Last block of a list, for appending to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    pub last: u32,
    pub tail: Tail,
    /// CRC-32C of the entries so far.
    pub crc: u32,
}

/// Fill of the last block of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tail {
    /// No room, whatever its size.
    #[default]
    Full,
    /// Fewer entries than it can hold.
    Partial { filled: u32, capacity: u32 },
}

impl Tail {
    /// Blocks with more entries are made as long as their content.
    pub(super) const MAX_CAPACITY: u32 = u16::MAX as u32;

    pub(super) fn new(filled: u32, capacity: u32) -> Self {
        if filled == capacity {
            return Tail::Full;
        }
        debug_assert!(
            0 < filled && filled < capacity && capacity <= Self::MAX_CAPACITY,
            "{filled} entries of {capacity} do not fit into 16 bits each, or mean a full block"
        );
        Tail::Partial { filled, capacity }
    }

    fn encode(self) -> u32 {
        match self {
            Tail::Full => 0,
            Tail::Partial { filled, capacity } => filled | capacity << 16,
        }
    }

    pub(super) fn decode(word: u32) -> Self {
        match word {
            0 => Tail::Full,
            _ => Tail::Partial {
                filled: word & 0xFFFF,
                capacity: word >> 16,
            },
        }
    }

    /// Entries that still go in.
    pub(super) fn room(self) -> u32 {
        match self {
            Tail::Full => 0,
            Tail::Partial { filled, capacity } => capacity - filled,
        }
    }
}

/// An index on its way to the medium.
#[derive(Debug)]
pub(super) struct IndexImage {
    pub first_vertex: u32,
    pub weighted: bool,
    pub csn: u64,
    pub generation: u32,
    pub places: Vec<Place>,
    pub ends: Vec<End>,
    /// None at all, or one count a list.
    pub tombstones: Vec<u32>,
    pub slabs: Vec<SlabPlace>,
    pub free: Vec<Range>,
}

impl IndexImage {
    /// Lists without entries; `columns` is 2 with weights, else 1.
    pub(super) fn empty(uuid: &Uuid, first_vertex: u32, lists: usize, columns: usize) -> Self {
        assert!(columns == 1 || columns == 2);
        let end = |list: usize| End {
            crc: list_seed(uuid, first_vertex + list as u32),
            ..End::default()
        };
        IndexImage {
            first_vertex,
            weighted: columns == 2,
            csn: 0,
            generation: 0,
            places: vec![Place::default(); lists],
            ends: (0..lists).map(end).collect(),
            tombstones: Vec::new(),
            slabs: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Bytes that [`IndexImage::encode`] gives.
    pub(super) fn encoded_len(&self) -> u64 {
        let words = HEADER_WORDS
            + (PLACE_WORDS + END_WORDS) * self.places.len()
            + self.tombstones.len()
            + SLAB_WORDS * self.slabs.len()
            + RANGE_WORDS * self.free.len();
        4 * words as u64
    }

    /// The words to store at `offset`, with the directory entry for them.
    pub(super) fn encode(&self, uuid: &Uuid, offset: u64) -> (Vec<u32>, Entry) {
        let entries: u64 = self.places.iter().map(|place| u64::from(place.len)).sum();
        let tombstones: u64 = self.tombstones.iter().map(|&n| u64::from(n)).sum();
        let flags = if self.weighted { FLAG_WEIGHTS } else { 0 }
            | if self.tombstones.is_empty() {
                0
            } else {
                FLAG_TOMBSTONES
            };
        debug_assert_eq!(self.places.len(), self.ends.len());
        debug_assert!([0, self.places.len()].contains(&self.tombstones.len()));
        let mut words = Vec::with_capacity(self.encoded_len() as usize / 4);
        words.resize(HEADER_WORDS, 0);
        words[MAGIC_AT.0] = MAGIC;
        words[FLAGS.0] = flags;
        words[FIRST_VERTEX.0] = self.first_vertex;
        words[LISTS.0] = self.places.len() as u32;
        put_u64(&mut words, ENTRIES, entries);
        put_u64(&mut words, CSN, self.csn);
        words[GENERATION.0] = self.generation;
        words[SLABS.0] = self.slabs.len() as u32;
        words[FREE.0] = self.free.len() as u32;
        for place in &self.places {
            words.extend([place.len, place.first]);
        }
        for end in &self.ends {
            words.extend([end.last, end.tail.encode(), end.crc]);
        }
        words.extend_from_slice(&self.tombstones);
        for slab in &self.slabs {
            let (low, high) = (slab.offset as u32, (slab.offset >> 32) as u32);
            words.extend([low, high, slab.words, slab.base]);
        }
        for range in &self.free {
            words.extend([range.start, range.words]);
        }
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        debug_assert_eq!(bytes.len() as u64, self.encoded_len());
        let entry = Entry {
            offset,
            len: bytes.len() as u64,
            csn: self.csn,
            generation: self.generation,
            crc: crc32c::crc32c_append(seed(uuid, offset), bytes),
            entries,
            tombstones,
        };
        (words, entry)
    }
}

/// First part of the checksum of an index.
pub(super) fn seed(uuid: &Uuid, offset: u64) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(uuid), &offset.to_le_bytes())
}

/// Checksum of an empty list. Neither the place of the blocks nor the generation
/// is part of it: both are in the index, which has its own checksum, and so a
/// list that does not change keeps its checksum when its neighbor is compacted.
pub(super) fn list_seed(uuid: &Uuid, vertex: u32) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(uuid), &vertex.to_le_bytes())
}

/// Continues the checksum of a list: over each word, with weights over each
/// word and its weight, so that it does not matter how the list is cut.
pub(super) fn extend_crc(mut crc: u32, words: &[u32], weights: &[u32]) -> u32 {
    if weights.is_empty() {
        return crc32c::crc32c_append(crc, bytemuck::cast_slice(words));
    }
    let mut pairs = [[0; 2]; 256];
    for (words, weights) in words.chunks(pairs.len()).zip(weights.chunks(pairs.len())) {
        for (pair, (&word, &weight)) in pairs.iter_mut().zip(words.iter().zip(weights)) {
            *pair = [word, weight];
        }
        crc = crc32c::crc32c_append(crc, bytemuck::cast_slice(&pairs[..words.len()]));
    }
    crc
}
