//! How a section lies in its extent.
//!
//! | bytes | what |
//! |---|---|
//! | 64 | header (below) |
//! | 4·(lists + 1) | where each list starts among the entries |
//! | 4·lists | tombstones of each list, only with the flag |
//! | 4·entries | neighbor words, list after list, in commit order |
//! | 4·entries | weights, only with the flag |
//!
//! The first three make up the index. Its checksum is in the section directory;
//! the checksum of the rest is in the header. So recovery, which needs only
//! lengths, reads only the index.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::{Entry, Extent, StorageError, Uuid, Words};

use crate::blocks::ListSource;
use crate::lengths::{LengthPage, Lengths, zeros};
use crate::list::Visit;

const MAGIC: u32 = 0x4345_5345; // "ESEC"
const HEADER_WORDS: usize = 16;

// Fields of the header, in words; the others are zero.
const MAGIC_AT: Field = (0, 1);
const FLAGS: Field = (1, 1);
const FIRST_VERTEX: Field = (2, 1);
const LISTS: Field = (3, 1);
const ENTRIES: Field = (4, 2);
const CSN: Field = (6, 2);
const GENERATION: Field = (8, 1);
const DATA_CRC: Field = (9, 1);
const _: () = assert!(tiles(
    &[
        MAGIC_AT,
        FLAGS,
        FIRST_VERTEX,
        LISTS,
        ENTRIES,
        CSN,
        GENERATION,
        DATA_CRC,
        (10, 6)
    ],
    HEADER_WORDS
));

const FLAG_WEIGHTS: u32 = 1;
const FLAG_TOMBSTONES: u32 = 2;
const FILE: &str = "extents";

/// The merged part of a section, read in place.
#[derive(Debug)]
pub struct Base {
    /// `lists + 1` positions among the entries.
    pub starts: Words,
    /// Neighbor words.
    pub words: Words,
    /// Weights, or none.
    pub weights: Option<Words>,
    tombstones: Option<Words>,
    data_crc: u32,
    verified: OnceLock<()>,
    /// Direct mode: lists have gaps behind them, so `starts` does not say how
    /// long they are.
    pub has_gaps: bool,
    /// Direct mode with weights: each slot of `words` is a pair, the word and
    /// its weight; `starts` counts slots.
    pub in_pairs: bool,
}

/// Content of a section on its way to the medium, laid out as in its extent.
#[derive(Debug, Default)]
pub struct SectionImage {
    content: Vec<u32>,
    lists: usize,
    entries: usize,
    tombstones: u64,
    weighted: bool,
}

impl SectionImage {
    /// Starts an image of lists with these lengths, and tombstones among them.
    /// The entries are whatever was there before: fill all of them.
    pub fn begin(&mut self, lengths: &[u32], tombstones: Option<&[u32]>, weighted: bool) {
        let counts = tombstones.unwrap_or(&[]);
        debug_assert!(tombstones.is_none_or(|counts| counts.len() == lengths.len()));
        self.tombstones = counts.iter().map(|&n| u64::from(n)).sum();
        self.lists = lengths.len();
        self.entries = lengths.iter().map(|&n| n as usize).sum();
        self.weighted = weighted && self.entries > 0;
        self.content.resize(self.words(), 0);
        let (mut at, mut start) = (HEADER_WORDS, 0u32);
        for &len in lengths {
            self.content[at] = start;
            at += 1;
            start += len;
        }
        self.content[at] = start;
        if self.tombstones > 0 {
            self.content[at + 1..at + 1 + self.lists].copy_from_slice(counts);
        }
    }

    /// Starts of the lists, the neighbor words, and the weights (empty without weights).
    pub fn columns_mut(&mut self) -> (&[u32], &mut [u32], &mut [u32]) {
        let index = self.index_words();
        let (index, entries) = self.content.split_at_mut(index);
        let (words, weights) = entries.split_at_mut(self.entries);
        (
            &index[HEADER_WORDS..HEADER_WORDS + self.lists + 1],
            words,
            weights,
        )
    }

    /// The bytes to store at `offset`, with the directory entry for them.
    pub fn encode(
        &mut self,
        uuid: &Uuid,
        offset: u64,
        first_vertex: u32,
        csn: u64,
        generation: u32,
    ) -> (Entry, &[u8]) {
        let mut flags = 0;
        if self.weighted {
            flags |= FLAG_WEIGHTS;
        }
        if self.tombstones > 0 {
            flags |= FLAG_TOMBSTONES;
        }
        let index_words = self.index_words();
        let (index, data) = self.content.split_at_mut(index_words);
        let data_crc = crc32c::crc32c_append(seed(uuid, offset), bytemuck::cast_slice(data));
        let entries = self.entries as u64;
        debug_assert_eq!(
            index[HEADER_WORDS + self.lists] as usize,
            self.entries,
            "opening refuses lists that do not fill their section"
        );
        debug_assert!(
            self.tombstones <= entries / 2,
            "each tombstone cancels an entry"
        );
        let header = &mut index[..HEADER_WORDS];
        header.fill(0);
        header[MAGIC_AT.0] = MAGIC;
        header[FLAGS.0] = flags;
        header[FIRST_VERTEX.0] = first_vertex;
        header[LISTS.0] = self.lists as u32;
        put_u64(header, ENTRIES, entries);
        put_u64(header, CSN, csn);
        header[GENERATION.0] = generation;
        header[DATA_CRC.0] = data_crc;
        let crc = crc32c::crc32c_append(seed(uuid, offset), bytemuck::cast_slice(index));
        let entry = Entry {
            offset,
            len: self.encoded_len(),
            csn,
            generation,
            crc,
            entries,
            tombstones: self.tombstones,
        };
        (entry, bytemuck::cast_slice(&self.content))
    }

    /// Bytes that [`SectionImage::encode`] will give.
    pub fn encoded_len(&self) -> u64 {
        4 * self.words() as u64
    }

    fn index_words(&self) -> usize {
        let tombstones = if self.tombstones > 0 { self.lists } else { 0 };
        HEADER_WORDS + self.lists + 1 + tombstones
    }

    fn words(&self) -> usize {
        self.index_words() + self.entries * (1 + usize::from(self.weighted))
    }
}

impl ListSource for SectionImage {
    fn len(&self, list: usize) -> usize {
        let starts = &self.content[HEADER_WORDS + list..];
        (starts[1] - starts[0]) as usize
    }

    fn tombstones(&self, list: usize) -> u32 {
        if self.tombstones == 0 {
            return 0;
        }
        self.content[HEADER_WORDS + self.lists + 1 + list]
    }

    fn visit(&self, list: usize, visit: &mut dyn FnMut(&[u32], &[u32])) {
        let start = self.content[HEADER_WORDS + list] as usize;
        let (words, weights) = self.content[self.index_words()..].split_at(self.entries);
        let place = start..start + self.len(list);
        visit(&words[place.clone()], weights.get(place).unwrap_or(&[]));
    }
}

/// Stores a number of two words, the low one first.
pub(crate) fn put_u64(words: &mut [u32], at: Field, value: u64) {
    words[at.0] = value as u32;
    words[at.0 + 1] = (value >> 32) as u32;
}

/// A number of two words, the low one first.
pub(crate) fn u64_of(words: &[u32], at: Field) -> u64 {
    u64::from(words[at.0]) | u64::from(words[at.0 + 1]) << 32
}

pub(crate) fn seed(uuid: &Uuid, offset: u64) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(uuid), &offset.to_le_bytes())
}

impl Base {
    /// A section without an extent: empty lists.
    pub fn empty(lists: usize) -> Self {
        Base {
            starts: zeros(lists + 1),
            words: zeros(0),
            weights: None,
            tombstones: None,
            data_crc: 0,
            verified: OnceLock::from(()),
            has_gaps: false,
            in_pairs: false,
        }
    }

    /// Lists in DRAM, one column each for words and weights.
    pub fn in_columns(starts: Vec<u32>, words: Vec<u32>, weights: Vec<u32>) -> Self {
        Base {
            words: Words::owned(words),
            weights: Some(Words::owned(weights)),
            starts: Words::owned(starts),
            ..Base::empty(0)
        }
    }

    /// Opens a stored section: checks its index, not yet its entries.
    pub fn open(
        uuid: &Uuid,
        extent: Arc<Extent>,
        entry: &Entry,
        first_vertex: u32,
        lists: usize,
    ) -> Result<Self, StorageError> {
        let offset = extent.offset();
        let damaged = |what: &str| StorageError::damaged(FILE, offset, what);
        let header_bytes = HEADER_WORDS * 4;
        if (extent.len() as usize) < header_bytes + 4 * (lists + 1) {
            return Err(damaged("a section is shorter than its index"));
        }
        extent.touch_range(0, header_bytes as u64)?;
        let header = Words::new(&extent, 0, HEADER_WORDS);
        if header[MAGIC_AT.0] != MAGIC {
            return Err(damaged("this is not a section"));
        }
        let flags = header[FLAGS.0];
        let entries = u64_of(&header, ENTRIES);
        let has_tombstones = flags & FLAG_TOMBSTONES != 0;
        let columns = 1 + u64::from(flags & FLAG_WEIGHTS != 0);
        let index_words = HEADER_WORDS + lists + 1 + if has_tombstones { lists } else { 0 };
        let expected = entries
            .checked_mul(4 * columns)
            .and_then(|n| n.checked_add(4 * index_words as u64));
        if expected != Some(extent.len()) || header[LISTS.0] as usize != lists {
            return Err(damaged("a section's counts do not fit its length"));
        }
        extent.touch_range(0, 4 * index_words as u64)?;
        let index = &extent.bytes()[..4 * index_words];
        if crc32c::crc32c_append(seed(uuid, offset), index) != entry.crc {
            return Err(damaged("the index of a section has a wrong checksum"));
        }
        if header[FIRST_VERTEX.0] != first_vertex || entry.entries != entries {
            return Err(damaged("the section directory names another section"));
        }
        let starts = Words::new(&extent, header_bytes, lists + 1);
        let ordered = starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if starts[0] != 0 || !ordered || u64::from(starts[lists]) != entries {
            return Err(damaged("the lists of a section do not fill it"));
        }
        let entries_at = 4 * index_words;
        let count = entries as usize;
        Ok(Base {
            starts,
            words: Words::new(&extent, entries_at, count),
            weights: (columns == 2).then(|| Words::new(&extent, entries_at + 4 * count, count)),
            tombstones: has_tombstones
                .then(|| Words::new(&extent, header_bytes + 4 * (lists + 1), lists)),
            data_crc: header[DATA_CRC.0],
            verified: OnceLock::new(),
            has_gaps: false,
            in_pairs: false,
        })
    }

    /// The section that was just written from `image`. Reads nothing of the extent: where
    /// the graph is larger than memory, it may be gone from there already.
    pub fn written(extent: Arc<Extent>, image: &SectionImage) -> Self {
        debug_assert_eq!(extent.len(), image.encoded_len());
        let (lists, count) = (image.lists, image.entries);
        let (starts_at, entries_at) = (4 * HEADER_WORDS, 4 * image.index_words());
        Base {
            starts: Words::new(&extent, starts_at, lists + 1),
            words: Words::new(&extent, entries_at, count),
            weights: (image.weighted).then(|| Words::new(&extent, entries_at + 4 * count, count)),
            tombstones: (image.tombstones > 0)
                .then(|| Words::new(&extent, starts_at + 4 * (lists + 1), lists)),
            data_crc: image.content[DATA_CRC.0],
            verified: OnceLock::from(()),
            has_gaps: false,
            in_pairs: false,
        }
    }

    /// The extent, if there is one.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.words.extent()
    }

    /// Merged content of a section in direct mode, checked already; slots have
    /// `columns` words.
    pub fn direct(starts: Vec<u32>, words: Words, columns: usize) -> Self {
        Base {
            words,
            has_gaps: true,
            in_pairs: columns == 2,
            starts: Words::owned(starts),
            ..Base::empty(0)
        }
    }

    /// Calls `visit` with words and weights of `count` entries from `start`:
    /// one slice, or several where they have to be taken out of pairs.
    #[inline(always)]
    pub fn for_each_segment<B>(
        &self,
        start: usize,
        count: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.in_pairs {
            return self.for_each_pairs(start, count, &mut visit);
        }
        let (words, weights) = self.slices(start, count);
        visit(words, weights)
    }

    /// Words and weights of `count` entries from `start`, which do not lie in pairs.
    #[inline(always)]
    pub fn slices(&self, start: usize, count: usize) -> (&[u32], &[u32]) {
        debug_assert!(!self.in_pairs);
        let weights = self.weights.as_ref();
        let weights = weights.map_or(&[][..], |w| w.range(start, count));
        (self.words.range(start, count), weights)
    }

    #[inline(never)]
    fn for_each_pairs<B>(
        &self,
        start: usize,
        count: usize,
        visit: &mut Visit<'_, B>,
    ) -> ControlFlow<B> {
        const AT_ONCE: usize = 64;
        let (mut words, mut weights) = ([0; AT_ONCE], [0; AT_ONCE]);
        let pairs = self.words.range(2 * start, 2 * count);
        for some in pairs.chunks(2 * AT_ONCE) {
            for (i, pair) in some.chunks_exact(2).enumerate() {
                (words[i], weights[i]) = (pair[0], pair[1]);
            }
            let n = some.len() / 2;
            visit(&words[..n], &weights[..n])?;
        }
        ControlFlow::Continue(())
    }

    /// Slots in the extent.
    pub fn capacity(&self) -> usize {
        self.words.count() / (1 + usize::from(self.in_pairs))
    }

    /// Entries of one list; merged mode only.
    #[inline(always)]
    pub fn list_len(&self, list: usize) -> usize {
        debug_assert!(!self.has_gaps);
        (self.starts[list + 1] - self.starts[list]) as usize
    }

    /// Lengths of the merged lists.
    pub fn lengths(&self, csn: u64) -> LengthPage {
        LengthPage {
            csn,
            len: self.starts.windows(2).map(|p| p[1] - p[0]).collect(),
            tombstones: self.tombstones.as_ref().map(|t| t.to_vec().into()),
        }
    }

    /// As [`Base::lengths`], read in the index each time: nothing of it is in DRAM.
    pub fn lengths_in_place(&self, csn: u64) -> LengthPage {
        debug_assert!(!self.has_gaps);
        LengthPage {
            csn,
            len: Lengths::Merged(self.starts.clone()),
            tombstones: self.tombstones.as_ref().map(|t| t.to_vec().into()),
        }
    }

    /// Whether the entries are known to be what was written.
    #[inline(always)]
    pub fn is_verified(&self) -> bool {
        self.verified.get().is_some()
    }

    /// Checks the entries, once; must precede the first read of them.
    pub fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        if self.is_verified() {
            return Ok(());
        }
        let Some(extent) = self.extent() else {
            return Ok(());
        };
        let columns = 1 + u64::from(self.weights.is_some());
        let data_bytes = 4 * columns * self.words.len() as u64;
        extent.touch_range(extent.len() - data_bytes, data_bytes)?;
        let crc = seed(uuid, extent.offset());
        let crc = crc32c::crc32c_append(crc, bytemuck::cast_slice(&self.words));
        let crc = match &self.weights {
            Some(weights) => crc32c::crc32c_append(crc, bytemuck::cast_slice(weights)),
            None => crc,
        };
        if crc != self.data_crc {
            return Err(StorageError::damaged(
                FILE,
                extent.offset(),
                "the entries of a section have a wrong checksum",
            ));
        }
        let _ = self.verified.set(());
        Ok(())
    }

    /// Offset of an entry's word in the extent.
    pub fn word_at(&self, entry: usize) -> u64 {
        let columns = 1 + u64::from(self.weights.is_some());
        let data_bytes = 4 * columns * self.words.count() as u64;
        self.extent().map_or(0, |extent| extent.len() - data_bytes) + 4 * entry as u64
    }

    /// Bytes of the index.
    pub fn index_bytes(&self) -> u64 {
        self.word_at(0)
    }
}
