//! The index of a section, checked and read in place.

use std::sync::Arc;

use evergraph_storage::{Entry, Extent, StorageError, Uuid, Words};

use super::format::{
    BLOCK_HEADER_WORDS, CSN, END_WORDS, ENTRIES, End, FILE, FIRST_VERTEX, FLAG_TOMBSTONES,
    FLAG_WEIGHTS, FLAGS, FREE, GENERATION, HEADER_WORDS, IndexImage, LISTS, MAGIC, MAGIC_AT,
    PLACE_WORDS, Place, RANGE_WORDS, Range, SLAB_WORDS, SLABS, SlabPlace, Tail, seed,
};
use crate::section_format::u64_of;

/// A checked index, read in place.
#[derive(Debug)]
pub(super) struct Index {
    words: Words,
    lists: usize,
    weighted: bool,
    has_tombstones: bool,
    slabs: usize,
    free: usize,
}

impl Index {
    /// Empty lists, without an extent.
    pub(super) fn empty(uuid: &Uuid, image: &IndexImage) -> Self {
        let (words, _) = image.encode(uuid, 0);
        Self::of(Words::owned(words))
    }

    /// The parts of words whose counts fit their number.
    fn of(words: Words) -> Self {
        Index {
            lists: words[LISTS.0] as usize,
            weighted: words[FLAGS.0] & FLAG_WEIGHTS != 0,
            has_tombstones: words[FLAGS.0] & FLAG_TOMBSTONES != 0,
            slabs: words[SLABS.0] as usize,
            free: words[FREE.0] as usize,
            words,
        }
    }

    /// Opens a stored index and checks all of it: checksum, counts, and that
    /// blocks lie in slabs. What the blocks hold is not looked at.
    pub(super) fn open(
        uuid: &Uuid,
        extent: &Arc<Extent>,
        entry: &Entry,
        first_vertex: u32,
        lists: usize,
        weighted: bool,
    ) -> Result<Self, StorageError> {
        let offset = extent.offset();
        let damaged = |what: &str| StorageError::damaged(FILE, offset, what);
        let least = HEADER_WORDS + (PLACE_WORDS + END_WORDS) * lists;
        if !extent.len().is_multiple_of(4) || extent.len() < 4 * least as u64 {
            return Err(damaged("a section's index is shorter than its lists"));
        }
        extent.touch()?;
        if crc32c::crc32c_append(seed(uuid, offset), extent.bytes()) != entry.crc {
            return Err(damaged("the index of a section has a wrong checksum"));
        }
        let count = extent.len() as usize / 4;
        let index = Index::of(Words::new(extent, 0, count));
        let header = &index.words[..HEADER_WORDS];
        let expected = least as u64
            + if index.has_tombstones {
                lists as u64
            } else {
                0
            }
            + (SLAB_WORDS * index.slabs) as u64
            + (RANGE_WORDS * index.free) as u64;
        if header[MAGIC_AT.0] != MAGIC
            || index.lists != lists
            || index.weighted != weighted
            || expected != count as u64
        {
            return Err(damaged("this is not an index of blocks that fits"));
        }
        let (entries, csn) = (u64_of(header, ENTRIES), u64_of(header, CSN));
        let found = (header[FIRST_VERTEX.0], entries, csn, header[GENERATION.0]);
        if found != (first_vertex, entry.entries, entry.csn, entry.generation) {
            return Err(damaged("the section directory names another section"));
        }
        if let Some(problem) = index.problem(entry) {
            return Err(damaged(problem));
        }
        Ok(index)
    }

    /// Returns the first contradiction among the numbers of a whole index.
    fn problem(&self, entry: &Entry) -> Option<&'static str> {
        let slabs: Vec<SlabPlace> = self.slabs().collect();
        let mut end = 0;
        for slab in &slabs {
            let follows = end == 0 || u64::from(slab.base) > end;
            if slab.words == 0 || !follows {
                return Some("the slabs of a section overlap or touch");
            }
            end = slab.end();
        }
        if end > 1 << 32 {
            return Some("the slabs of a section are too large");
        }
        let mut free_end = 0;
        for range in self.free() {
            if u64::from(range.start) < free_end
                || !lies_in(&slabs, range.start, range.words.into())
            {
                return Some("the free space of a section is not in its slabs");
            }
            free_end = u64::from(range.start) + u64::from(range.words);
        }
        let (mut entries, mut tombstones) = (0, 0);
        for list in 0..self.lists {
            if let Some(problem) = self.list_problem(&slabs, list) {
                return Some(problem);
            }
            entries += u64::from(self.place(list).len);
            tombstones += u64::from(self.tombstones(list));
        }
        let space: u64 = slabs.iter().map(|slab| u64::from(slab.words)).sum();
        if entries != entry.entries || tombstones != entry.tombstones {
            return Some("the lists of a section do not add up");
        }
        // Walking all chains ends after that many steps, whatever they hold.
        (entries * self.columns() as u64 > space)
            .then_some("a section counts more entries than it can hold")
    }

    fn list_problem(&self, slabs: &[SlabPlace], list: usize) -> Option<&'static str> {
        let (place, end) = (self.place(list), self.end(list));
        if self.tombstones(list) > place.len / 2 {
            return Some("a list has more tombstones than entries");
        }
        if place.len == 0 {
            let none = place.first == 0 && end.last == 0 && end.tail == Tail::Full;
            return (!none).then_some("an empty list has blocks");
        }
        let mut last_holds = 1;
        if let Tail::Partial { filled, capacity } = end.tail {
            let all = place.first == end.last;
            let counted = filled > 0 && filled <= place.len && (!all || filled == place.len);
            if !counted || filled >= capacity {
                return Some("the last block of a list is fuller than it can be");
            }
            last_holds = capacity;
        }
        let block = |entries: u32| {
            u64::from(BLOCK_HEADER_WORDS) + self.columns() as u64 * u64::from(entries)
        };
        let inside =
            lies_in(slabs, place.first, block(1)) && lies_in(slabs, end.last, block(last_holds));
        (!inside).then_some("a block of a list is in no slab")
    }

    /// The extent, if there is one.
    pub(super) fn extent(&self) -> Option<&Arc<Extent>> {
        self.words.extent()
    }

    pub(super) fn bytes(&self) -> u64 {
        4 * self.words.count() as u64
    }

    pub(super) fn lists(&self) -> usize {
        self.lists
    }

    pub(super) fn first_vertex(&self) -> u32 {
        self.words[FIRST_VERTEX.0]
    }

    pub(super) fn generation(&self) -> u32 {
        self.words[GENERATION.0]
    }

    pub(super) fn entries(&self) -> u64 {
        u64_of(&self.words, ENTRIES)
    }

    /// 2 with weights, else 1.
    #[inline(always)]
    pub(super) fn columns(&self) -> usize {
        1 + usize::from(self.weighted)
    }

    #[inline(always)]
    pub(super) fn place(&self, list: usize) -> Place {
        assert!(list < self.lists);
        let at = HEADER_WORDS + PLACE_WORDS * list;
        let words = self.words.range(at, PLACE_WORDS);
        Place {
            len: words[0],
            first: words[1],
        }
    }

    #[inline(always)]
    pub(super) fn end(&self, list: usize) -> End {
        assert!(list < self.lists);
        let at = HEADER_WORDS + PLACE_WORDS * self.lists + END_WORDS * list;
        let words = self.words.range(at, END_WORDS);
        End {
            last: words[0],
            tail: Tail::decode(words[1]),
            crc: words[2],
        }
    }

    /// Tombstones of each list, if any has one.
    pub(super) fn all_tombstones(&self) -> Option<&[u32]> {
        let at = HEADER_WORDS + (PLACE_WORDS + END_WORDS) * self.lists;
        self.has_tombstones
            .then(|| self.words.range(at, self.lists))
    }

    pub(super) fn tombstones(&self, list: usize) -> u32 {
        self.all_tombstones().map_or(0, |counts| counts[list])
    }

    fn tables_at(&self) -> usize {
        let tombstones = if self.has_tombstones { self.lists } else { 0 };
        HEADER_WORDS + (PLACE_WORDS + END_WORDS) * self.lists + tombstones
    }

    pub(super) fn slabs(&self) -> impl Iterator<Item = SlabPlace> + '_ {
        let words = self.words.range(self.tables_at(), SLAB_WORDS * self.slabs);
        words.chunks_exact(SLAB_WORDS).map(|slab| SlabPlace {
            offset: u64::from(slab[0]) | u64::from(slab[1]) << 32,
            words: slab[2],
            base: slab[3],
        })
    }

    pub(super) fn free(&self) -> impl Iterator<Item = Range> + '_ {
        let at = self.tables_at() + SLAB_WORDS * self.slabs;
        let words = self.words.range(at, RANGE_WORDS * self.free);
        words.chunks_exact(RANGE_WORDS).map(|range| Range {
            start: range[0],
            words: range[1],
        })
    }
}

/// Whether words lie in one slab.
fn lies_in(slabs: &[SlabPlace], start: u32, words: u64) -> bool {
    let behind = slabs.partition_point(|slab| slab.base <= start);
    behind > 0 && u64::from(start) + words <= slabs[behind - 1].end()
}
