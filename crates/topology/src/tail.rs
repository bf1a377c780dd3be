//! The tail of a section: entries that are committed and not merged yet, in
//! DRAM, indexed by list.
//!
//! Each list is a chain of chunks that double in size (4, 8, … 256 words), cut
//! from an arena that only grows. One writer appends under the section's lock;
//! readers walk the chain without it, up to a length that they got from a page
//! published under that lock. Words below a published length never change.

#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST_BLOCK_WORDS: usize = 64;
const BLOCKS: usize = 25;
const MAX_LEVEL: u32 = 6;
const LINK_WORDS: usize = 1;

/// Entries that a chunk of the level holds: 3, 7, 15, … 255.
#[inline(always)]
fn chunk_entries(level: u32) -> usize {
    (4 << level.min(MAX_LEVEL)) - LINK_WORDS
}

/// Append-only lists in DRAM.
#[derive(Debug)]
pub struct Tail {
    /// First chunk of each list plus one; 0 for none.
    heads: Box<[AtomicU32]>,
    arena: Arena,
    columns: usize,
}

/// The writer's place in each list, kept under the section's lock.
#[derive(Debug)]
pub struct TailWriter {
    cursors: Box<[Cursor]>,
    next_free: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// Current chunk plus one; 0 for none.
    chunk: u32,
    filled: u16,
    level: u8,
}

#[derive(Debug)]
struct Arena {
    blocks: [OnceLock<Box<[AtomicU32]>>; BLOCKS],
}

/// Block and offset of a word: block `k` has `64 << k` words.
#[inline(always)]
fn locate(position: usize) -> (usize, usize) {
    let block = (position / FIRST_BLOCK_WORDS + 1).ilog2() as usize;
    (block, position - block_start(block))
}

#[inline(always)]
fn block_start(block: usize) -> usize {
    FIRST_BLOCK_WORDS * ((1 << block) - 1)
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
        &self.blocks[block].get().expect("allocated")[offset]
    }

    /// Places `words` consecutive words at or after `next_free`.
    fn allocate(&self, next_free: &mut usize, words: usize) -> usize {
        loop {
            let (block, offset) = locate(*next_free);
            assert!(block < BLOCKS, "a section's tail holds under 2^30 words");
            let size = FIRST_BLOCK_WORDS << block;
            if offset + words > size {
                *next_free = block_start(block + 1);
                continue;
            }
            self.blocks[block].get_or_init(|| (0..size).map(|_| AtomicU32::new(0)).collect());
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
        let words = &self.blocks[block].get().expect("allocated")[offset..offset + count];
        // SAFETY: `AtomicU32` has the layout of `u32`; the range was checked by
        // the slicing above; the caller promises that no store to it can run.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), count) }
    }

    fn bytes(&self) -> usize {
        let words: usize = self
            .blocks
            .iter()
            .filter_map(|b| b.get())
            .map(|b| b.len())
            .sum();
        words * 4
    }
}

impl Tail {
    /// Empty lists; `columns` is 2 with weights, else 1.
    pub fn new(lists: usize, columns: usize) -> (Self, TailWriter) {
        assert!(columns == 1 || columns == 2);
        (
            Tail {
                heads: (0..lists).map(|_| AtomicU32::new(0)).collect(),
                arena: Arena::new(),
                columns,
            },
            TailWriter {
                cursors: vec![Cursor::default(); lists].into_boxed_slice(),
                next_free: 0,
            },
        )
    }

    /// Appends one entry. `writer` belongs to this tail; whoever holds it is
    /// the only one who appends.
    #[inline]
    pub fn append(&self, writer: &mut TailWriter, list: usize, word: u32, weight: u32) {
        let cursor = &mut writer.cursors[list];
        let mut capacity = chunk_entries(u32::from(cursor.level));
        if cursor.chunk == 0 || cursor.filled as usize == capacity {
            let level = if cursor.chunk == 0 {
                0
            } else {
                (cursor.level + 1).min(MAX_LEVEL as u8)
            };
            capacity = chunk_entries(u32::from(level));
            let chunk = self
                .arena
                .allocate(&mut writer.next_free, LINK_WORDS + capacity * self.columns);
            let link = if cursor.chunk == 0 {
                &self.heads[list]
            } else {
                self.arena.word(cursor.chunk as usize - 1)
            };
            link.store(chunk as u32 + 1, Ordering::Relaxed);
            *cursor = Cursor {
                chunk: chunk as u32 + 1,
                filled: 0,
                level,
            };
        }
        let at = cursor.chunk as usize - 1 + LINK_WORDS + cursor.filled as usize;
        self.arena.word(at).store(word, Ordering::Relaxed);
        if self.columns == 2 {
            self.arena
                .word(at + capacity)
                .store(weight, Ordering::Relaxed);
        }
        cursor.filled += 1;
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
        mut count: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> std::ops::ControlFlow<B>,
    ) -> std::ops::ControlFlow<B> {
        let mut link = self.heads[list].load(Ordering::Relaxed);
        let mut level = 0;
        while count > 0 {
            assert!(link != 0, "a published length lies within the tail");
            let chunk = link as usize - 1;
            let capacity = chunk_entries(level);
            let here = count.min(capacity);
            // SAFETY: the first `count` entries of the list are published: they
            // were stored under the section's lock before the caller read the
            // length under it, and `append` stores only behind them.
            let (words, weights) = unsafe {
                (
                    self.arena.slice(chunk + LINK_WORDS, here),
                    if self.columns == 2 {
                        self.arena.slice(chunk + LINK_WORDS + capacity, here)
                    } else {
                        &[]
                    },
                )
            };
            visit(words, weights)?;
            count -= here;
            link = self.arena.word(chunk).load(Ordering::Relaxed);
            level += 1;
        }
        std::ops::ControlFlow::Continue(())
    }

    /// DRAM in use.
    pub fn bytes(&self) -> usize {
        self.heads.len() * 4 + self.arena.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tail_holds_what_a_vector_holds(
            appends in proptest::collection::vec((0usize..5, 0u32..1000), 0..3000),
            columns in 1usize..=2,
        ) {
            let (tail, mut writer) = Tail::new(5, columns);
            let mut model = vec![Vec::new(); 5];
            for &(list, word) in &appends {
                tail.append(&mut writer, list, word, word + 7);
                model[list].push(word);
            }
            for (list, expected) in model.iter().enumerate() {
                for count in [0, 1, expected.len() / 2, expected.len()] {
                    let count = count.min(expected.len());
                    let (mut words, mut weights) = (Vec::new(), Vec::new());
                    let _ = tail.for_each_segment::<()>(list, count, |w, x| {
                        words.extend_from_slice(w);
                        weights.extend_from_slice(x);
                        std::ops::ControlFlow::Continue(())
                    });
                    prop_assert_eq!(&words, &expected[..count]);
                    if columns == 2 {
                        let shifted: Vec<u32> = words.iter().map(|w| w + 7).collect();
                        prop_assert_eq!(weights, shifted);
                    }
                }
            }
        }
    }
}
