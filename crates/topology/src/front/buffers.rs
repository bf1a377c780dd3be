//! Vertex buffers: entries that are committed and not merged, by list.
//!
//! The buffer of a list is a chain of chunks of 16 to 256 bytes (XPGraph's
//! hierarchy, its section 3.2; the largest is a parameter). How large the next
//! chunk is follows from how many entries come at once and from how long the
//! list is already, so levels are skipped. Chunks never move: one writer appends
//! under the section's lock, and readers walk the chain without it, up to a
//! length that they got from a page published under that lock. Words below a
//! published length never change.
//!
//! All chunks of a section lie in one arena and go back to the pool together,
//! with the merge that makes them superfluous.

#![allow(unsafe_code)]

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::pool::{BufferPool, MIN_PIECE_WORDS, SharedPiece};

const BLOCKS: usize = 24;
/// Words of a chunk of level 0: the link and three entries.
const LEAST_CHUNK_WORDS: usize = 4;
const LINK_WORDS: usize = 1;
/// The low bits of a link are the chunk's place in units of the least chunk,
/// plus one; the high ones its level.
const LEVEL_SHIFT: u32 = 28;

/// Bytes of the largest chunk unless asked for otherwise: one media line.
pub(crate) const DEFAULT_CHUNK_BYTES: usize = 256;

/// Level of the largest chunk of so many bytes.
pub(crate) fn level_of(bytes: usize) -> u32 {
    (bytes / (4 * LEAST_CHUNK_WORDS)).max(1).ilog2().min(15)
}

/// Append-only lists in DRAM.
#[derive(Debug)]
pub struct VertexBuffers {
    /// Link to the first chunk of each list; 0 for none.
    heads: Box<[AtomicU32]>,
    arena: Arena,
    columns: usize,
}

/// The writer's place in each list, kept under the section's lock.
#[derive(Debug)]
pub struct BufferWriter {
    cursors: Box<[Cursor]>,
    next_free: usize,
    pool: Arc<BufferPool>,
    levels: Levels,
}

/// Sizes of chunks in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Level of the smallest chunk.
    pub least: u32,
    /// Level of the largest.
    pub most: u32,
    /// Level of the largest for lists of high degree: those of which a chunk of
    /// the level `most` does not take what is expected.
    pub hubs: u32,
}

impl Default for Levels {
    fn default() -> Self {
        Levels {
            least: 0,
            most: level_of(DEFAULT_CHUNK_BYTES),
            hubs: level_of(DEFAULT_CHUNK_BYTES),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// Link to the current chunk; 0 for none.
    link: u32,
    filled: u32,
}

#[derive(Debug)]
struct Arena {
    blocks: [OnceLock<SharedPiece>; BLOCKS],
}

/// Block and offset of a word: block `k` has `64 << k` words.
#[inline(always)]
fn locate(position: usize) -> (usize, usize) {
    let block = (position / MIN_PIECE_WORDS + 1).ilog2() as usize;
    (block, position - block_start(block))
}

#[inline(always)]
fn block_start(block: usize) -> usize {
    MIN_PIECE_WORDS * ((1 << block) - 1)
}

/// First word of the chunk that a link names, and its words.
#[inline(always)]
fn chunk_of(link: u32) -> (usize, usize) {
    let unit = (link & ((1 << LEVEL_SHIFT) - 1)) - 1;
    (
        unit as usize * LEAST_CHUNK_WORDS,
        LEAST_CHUNK_WORDS << (link >> LEVEL_SHIFT),
    )
}

impl Arena {
    fn new() -> Self {
        Arena {
            blocks: [const { OnceLock::new() }; BLOCKS],
        }
    }

    #[inline(always)]
    fn word(&self, position: usize) -> &AtomicU32 {
        let (block, offset) = locate(position);
        &self.blocks[block].get().expect("allocated").words()[offset]
    }

    /// Places `words` consecutive words at or after `next_free`, at a multiple
    /// of the least chunk.
    fn allocate(&self, pool: &Arc<BufferPool>, next_free: &mut usize, words: usize) -> usize {
        loop {
            let (block, offset) = locate(*next_free);
            assert!(block < BLOCKS, "a section buffers under 2^30 words");
            let size = MIN_PIECE_WORDS << block;
            if offset + words > size {
                *next_free = block_start(block + 1);
                continue;
            }
            self.blocks[block].get_or_init(|| pool.take(size).share());
            let position = *next_free;
            *next_free += words;
            return position;
        }
    }

    /// `count` words from `position`, which lie in one block.
    ///
    /// # Safety
    /// The words have been published and will never be stored to again.
    #[inline(always)]
    unsafe fn slice(&self, position: usize, count: usize) -> &[u32] {
        let (block, offset) = locate(position);
        let block = self.blocks[block].get().expect("allocated").words();
        let words = &block[offset..offset + count];
        // SAFETY: `AtomicU32` has the layout of `u32`; the range was checked by
        // the slicing above; the caller promises that no store to it can run.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), count) }
    }

    fn bytes(&self) -> usize {
        let blocks = self.blocks.iter().filter_map(|block| block.get());
        blocks.map(|block| 4 * block.words().len()).sum()
    }
}

impl VertexBuffers {
    /// Empty lists; `columns` is 2 with weights, else 1.
    pub fn new(
        lists: usize,
        columns: usize,
        pool: &Arc<BufferPool>,
        levels: Levels,
    ) -> (Self, BufferWriter) {
        assert!(columns == 1 || columns == 2);
        (
            VertexBuffers {
                heads: (0..lists).map(|_| AtomicU32::new(0)).collect(),
                arena: Arena::new(),
                columns,
            },
            BufferWriter {
                cursors: vec![Cursor::default(); lists].into_boxed_slice(),
                next_free: 0,
                pool: Arc::clone(pool),
                levels,
            },
        )
    }

    #[inline(always)]
    fn capacity(&self, chunk_words: usize) -> usize {
        if self.columns == 1 {
            chunk_words - LINK_WORDS
        } else {
            (chunk_words - LINK_WORDS) / 2
        }
    }

    /// Appends one entry. `writer` belongs to these buffers; there is one, so appends do
    /// not race. `expected` is how many entries the list may well get from this one on,
    /// for the size of a new chunk.
    #[inline]
    pub fn append(
        &self,
        writer: &mut BufferWriter,
        list: usize,
        word: u32,
        weight: u32,
        expected: usize,
    ) {
        debug_assert_eq!(
            writer.cursors.len(),
            self.heads.len(),
            "the writer of other buffers"
        );
        let mut cursor = writer.cursors[list];
        let full = cursor.link == 0 || {
            let (_, words) = chunk_of(cursor.link);
            cursor.filled as usize == self.capacity(words)
        };
        if full {
            cursor = self.add_chunk(writer, list, expected);
        }
        let (chunk, words) = chunk_of(cursor.link);
        let at = chunk + LINK_WORDS + cursor.filled as usize;
        self.arena.word(at).store(word, Ordering::Relaxed);
        if self.columns == 2 {
            let at = at + self.capacity(words);
            self.arena.word(at).store(weight, Ordering::Relaxed);
        }
        cursor.filled += 1;
        writer.cursors[list] = cursor;
    }

    /// Makes room for the next entry of a list, so that chunks of lists that are
    /// prepared one after another lie one after another.
    pub fn prepare(&self, writer: &mut BufferWriter, list: usize, expected: usize) {
        let cursor = writer.cursors[list];
        if cursor.link == 0 || cursor.filled as usize == self.capacity(chunk_of(cursor.link).1) {
            writer.cursors[list] = self.add_chunk(writer, list, expected);
        }
    }

    /// Links a chunk of the level above the last one's, or of the one that
    /// takes all that is expected.
    fn add_chunk(&self, writer: &mut BufferWriter, list: usize, expected: usize) -> Cursor {
        let last = writer.cursors[list].link;
        let above = if last == 0 {
            0
        } else {
            (last >> LEVEL_SHIFT) + 1
        };
        let words = LINK_WORDS + expected.max(1) * self.columns;
        let fitting = words
            .div_ceil(LEAST_CHUNK_WORDS)
            .next_power_of_two()
            .ilog2();
        let Levels { least, most, hubs } = writer.levels;
        let level = above.min(most).max(fitting).clamp(least, hubs);
        let words = LEAST_CHUNK_WORDS << level;
        let chunk = self
            .arena
            .allocate(&writer.pool, &mut writer.next_free, words);
        self.arena.word(chunk).store(0, Ordering::Relaxed);
        let link = ((chunk / LEAST_CHUNK_WORDS) as u32 + 1) | level << LEVEL_SHIFT;
        let place = if last == 0 {
            &self.heads[list]
        } else {
            self.arena.word(chunk_of(last).0)
        };
        place.store(link, Ordering::Relaxed);
        Cursor { link, filled: 0 }
    }

    /// Calls `visit` with the words and weights (empty without weights) of the
    /// first `count` entries of a list, chunk by chunk, until it breaks.
    ///
    /// `count` must not exceed what has been appended to the list under the
    /// lock before the caller learnt it there.
    #[inline]
    pub fn for_each_segment<B>(
        &self,
        list: usize,
        count: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut segments = self.segments(list, count);
        segments.try_for_each(|(words, weights)| visit(words, weights))
    }

    /// Iterator over the segments that [`VertexBuffers::for_each_segment`] visits, under
    /// the same condition.
    #[inline]
    pub fn segments(&self, list: usize, count: usize) -> Segments<'_> {
        Segments {
            buffers: self,
            link: self.heads[list].load(Ordering::Relaxed),
            left: count,
        }
    }

    /// Entries of a list, by walking its chunks.
    pub(crate) fn count(&self, writer: &BufferWriter, list: usize) -> usize {
        let cursor = writer.cursors[list];
        let mut link = self.heads[list].load(Ordering::Relaxed);
        let mut count = 0;
        while link != cursor.link {
            assert!(link != 0, "the writer of list {list} is in no chunk of it");
            let (chunk, words) = chunk_of(link);
            count += self.capacity(words);
            link = self.arena.word(chunk).load(Ordering::Relaxed);
        }
        count + cursor.filled as usize
    }

    /// DRAM in use: of the pool, and beside it.
    pub fn bytes(&self) -> (usize, usize) {
        (self.arena.bytes(), self.heads.len() * 4)
    }
}

/// Words and weights of a list, chunk by chunk.
#[derive(Debug)]
pub struct Segments<'a> {
    buffers: &'a VertexBuffers,
    /// To the next chunk.
    link: u32,
    /// Published entries from there on.
    left: usize,
}

impl<'a> Iterator for Segments<'a> {
    type Item = (&'a [u32], &'a [u32]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        assert!(self.link != 0, "a published length lies within the buffers");
        let arena = &self.buffers.arena;
        let (chunk, words) = chunk_of(self.link);
        let capacity = self.buffers.capacity(words);
        let here = self.left.min(capacity);
        // SAFETY: the first `left` entries from this chunk on are published (at the
        // begin by the condition of `segments`): they were stored under the section's
        // lock before the caller read the length under it, and `append` stores only
        // behind them.
        let segment = unsafe {
            (
                arena.slice(chunk + LINK_WORDS, here),
                if self.buffers.columns == 2 {
                    arena.slice(chunk + LINK_WORDS + capacity, here)
                } else {
                    &[]
                },
            )
        };
        self.left -= here;
        if self.left > 0 {
            self.link = arena.word(chunk).load(Ordering::Relaxed);
        }
        Some(segment)
    }
}

impl BufferWriter {
    /// DRAM in use.
    pub fn bytes(&self) -> usize {
        self.cursors.len() * size_of::<Cursor>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buffers_hold_what_vectors_hold(
            appends in proptest::collection::vec((0usize..5, 0u32..1000, 0usize..300), 0..3000),
            columns in 1usize..=2,
            least in 0u32..3,
            more in 0u32..5,
            hubs in 0u32..3,
        ) {
            let pool = BufferPool::new();
            let levels = Levels { least, most: least + more, hubs: least + more + hubs };
            let (buffers, mut writer) = VertexBuffers::new(5, columns, &pool, levels);
            let mut model = vec![Vec::new(); 5];
            for (i, &(list, word, expected)) in appends.iter().enumerate() {
                if i % 3 == 0 {
                    buffers.prepare(&mut writer, list, expected);
                }
                buffers.append(&mut writer, list, word, word + 7, expected);
                model[list].push(word);
            }
            for (list, expected) in model.iter().enumerate() {
                for count in [0, 1, expected.len() / 2, expected.len()] {
                    let count = count.min(expected.len());
                    let (mut words, mut weights) = (Vec::new(), Vec::new());
                    let _ = buffers.for_each_segment::<()>(list, count, |w, x| {
                        words.extend_from_slice(w);
                        weights.extend_from_slice(x);
                        ControlFlow::Continue(())
                    });
                    prop_assert_eq!(&words, &expected[..count]);
                    if columns == 2 {
                        let shifted: Vec<u32> = words.iter().map(|w| w + 7).collect();
                        prop_assert_eq!(weights, shifted);
                    }
                }
            }
            drop((buffers, writer));
            prop_assert_eq!(pool.used_bytes(), 0);
        }
    }

    #[test]
    fn levels_are_skipped_when_many_entries_come() {
        let pool = BufferPool::new();
        let chunks_of = |levels: Levels, count: u32, expected: usize| {
            let (buffers, mut writer) = VertexBuffers::new(1, 1, &pool, levels);
            for i in 0..count {
                buffers.append(&mut writer, 0, i, 0, expected);
            }
            let mut sizes = Vec::new();
            let _ = buffers.for_each_segment::<()>(0, count as usize, |words, _| {
                sizes.push(words.len());
                ControlFlow::Continue(())
            });
            sizes
        };
        let chunks = |expected| chunks_of(Levels::default(), 60, expected);
        assert_eq!(chunks(1), [3, 7, 15, 31, 4]);
        assert_eq!(chunks(60), [60]);
        // Lists of high degree get larger ones, where there are any; others not.
        let large = Levels {
            hubs: level_of(4096),
            ..Levels::default()
        };
        assert_eq!(chunks_of(large, 200, 63), [63, 63, 63, 11]);
        assert_eq!(chunks_of(Levels::default(), 200, 200), [63, 63, 63, 11]);
        assert_eq!(chunks_of(large, 200, 200), [200]);
        assert_eq!(chunks_of(large, 2000, 5000), [1023, 977]);
    }
}
