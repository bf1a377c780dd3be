//! The bits of one direction, and how they lie in memory.
//!
//! The words of a vertex follow those of the vertex before. A list of at most one
//! block has its bits and nothing else. A longer one has a head (live entries and
//! blocks, 32 bits each), then for each block a label (live entries before it and
//! the number of the block in the list, 32 bits each) and its bits. Blocks that are
//! dropped leave unused words at the end.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::parallel::{CHUNK_ITEMS, CHUNK_VERTICES, Lists, for_each_chunk, prefix_sums};
use crate::{Cancelled, Control};

/// One direction of a filter. Words are atomic so that tasks can write those of
/// different vertices; no two ever write one word.
pub(super) struct Side {
    /// Start of each vertex's words, and at last the end of all.
    starts: Vec<u32>,
    words: Vec<AtomicU64>,
    block_size: BlockSize,
}

/// Words of a list with this degree.
pub(super) fn words_needed(degree: usize, block_size: BlockSize) -> usize {
    if degree <= block_size.entries() {
        degree.div_ceil(64)
    } else {
        1 + degree.div_ceil(block_size.entries()) * (1 + block_size.words())
    }
}

/// Two halves of a word: live entries below, a number of blocks above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    pub(super) live: u32,
    pub(super) blocks: u32,
}

impl Halves {
    #[inline]
    pub(super) fn load(word: &AtomicU64) -> Self {
        let word = word.load(Relaxed);
        Self {
            live: word as u32,
            blocks: (word >> 32) as u32,
        }
    }

    #[inline]
    pub(super) fn store(self, word: &AtomicU64) {
        word.store(u64::from(self.blocks) << 32 | u64::from(self.live), Relaxed);
    }
}

/// The words of one list.
#[derive(Clone, Copy)]
pub(super) enum Bits<'a> {
    /// Of at most one block.
    One(&'a [AtomicU64]),
    /// A head, then blocks of a label and `stride - 1` words of bits.
    Many {
        head: &'a AtomicU64,
        blocks: &'a [AtomicU64],
        stride: usize,
    },
}

impl Side {
    pub(super) fn new<G: Graph>(
        lists: Lists<'_, G>,
        block_size: BlockSize,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = lists.vertex_count();
        let mut starts = control.array(0_u64, n + 1)?;
        starts[..n]
            .par_chunks_mut(CHUNK_VERTICES)
            .enumerate()
            .try_for_each(|(chunk, needed)| {
                control.check()?;
                let mut reader = lists.reader();
                for (needed, v) in needed
                    .iter_mut()
                    .zip((chunk * CHUNK_VERTICES) as VertexId..)
                {
                    *needed = words_needed(reader.degree(v), block_size) as u64;
                }
                Ok(())
            })?;
        let len = prefix_sums(&mut starts);
        assert!(len < 1 << 32, "a filter of {len} words is too large");
        let side = Self {
            starts: starts.into_iter().map(|start| start as u32).collect(),
            words: (0..len as usize)
                .into_par_iter()
                .with_min_len(CHUNK_ITEMS)
                .map(|_| AtomicU64::new(0))
                .collect(),
            block_size,
        };
        for_each_chunk(n, |vertices| {
            control.check()?;
            let mut reader = lists.reader();
            for v in vertices {
                side.bits(v).fill(reader.degree(v));
            }
            Ok(())
        })?;
        Ok(side)
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn block_size(&self) -> BlockSize {
        self.block_size
    }

    #[inline]
    pub(super) fn bits(&self, v: VertexId) -> Bits<'_> {
        let ends = &self.starts[v as usize..v as usize + 2];
        let words = &self.words[ends[0] as usize..ends[1] as usize];
        match words {
            [head, blocks @ ..] if words.len() > self.block_size.words() => Bits::Many {
                head,
                blocks,
                stride: 1 + self.block_size.words(),
            },
            _ => Bits::One(words),
        }
    }

    /// Live entries of the list of `v`.
    #[inline]
    pub(super) fn degree(&self, v: VertexId) -> usize {
        match self.bits(v) {
            Bits::One(words) => count(words) as usize,
            Bits::Many { head, .. } => Halves::load(head).live as usize,
        }
    }

    pub(super) fn size_bytes(&self) -> usize {
        4 * self.starts.capacity() + 8 * self.words.capacity()
    }
}

/// Bits that are set.
#[inline]
pub(super) fn count(words: &[AtomicU64]) -> u32 {
    words
        .iter()
        .map(|word| word.load(Relaxed).count_ones())
        .sum()
}

impl Bits<'_> {
    /// Makes the first `degree` entries live.
    fn fill(self, degree: usize) {
        let set = |words: &[AtomicU64], live: usize| {
            for (word, before) in words.iter().zip((0..live).step_by(64)) {
                let unused = 64 - (live - before).min(64);
                word.store(u64::MAX >> unused, Relaxed);
            }
        };
        match self {
            Self::One(words) => set(words, degree),
            Self::Many {
                head,
                blocks,
                stride,
            } => {
                let entries = 64 * (stride - 1);
                for (block, before) in blocks.chunks(stride).zip((0..degree).step_by(entries)) {
                    Halves {
                        live: before as u32,
                        blocks: (before / entries) as u32,
                    }
                    .store(&block[0]);
                    set(&block[1..], (degree - before).min(entries));
                }
                Halves {
                    live: degree as u32,
                    blocks: (blocks.len() / stride) as u32,
                }
                .store(head);
            }
        }
    }

    /// Loads the first word without waiting for it.
    #[inline]
    pub(super) fn touch(self) {
        let (Self::One(words) | Self::Many { blocks: words, .. }) = self;
        std::hint::black_box(words.first().map(|word| word.load(Relaxed)));
    }

    /// Blocks that are kept; a list of at most one block counts as one.
    #[inline]
    pub(super) fn block_count(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many { head, .. } => Halves::load(head).blocks as usize,
        }
    }

    /// The last block with at most `live` live entries before it, and how many.
    pub(super) fn block_before(self, live: usize) -> (usize, usize) {
        let Self::Many { blocks, stride, .. } = self else {
            return (0, 0);
        };
        let before = |block: usize| Halves::load(&blocks[block * stride]).live as usize;
        let (mut low, mut high) = (0, self.block_count());
        while low + 1 < high {
            let middle = low.midpoint(high);
            match before(middle) <= live {
                true => low = middle,
                false => high = middle,
            }
        }
        match high {
            0 => (0, 0),
            _ => (low, before(low)),
        }
    }
}

/// Entries of one block of a filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockSize {
    /// 64, which reads least.
    #[default]
    Entries64,
    /// 128.
    Entries128,
    /// 256, which takes least memory.
    Entries256,
}

impl BlockSize {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Entries64, Self::Entries128, Self::Entries256];

    /// How many entries.
    pub const fn entries(self) -> usize {
        64 * self.words()
    }

    /// Words of bits of a block.
    const fn words(self) -> usize {
        match self {
            Self::Entries64 => 1,
            Self::Entries128 => 2,
            Self::Entries256 => 4,
        }
    }
}
