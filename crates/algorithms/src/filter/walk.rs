//! Goes along a list and its bits together.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::side::{Bits, Halves};

/// A position in a list and the matching one in its bits.
pub(super) struct Walk<'a> {
    bits: Bits<'a>,
    /// The block that comes next, and the first that does not come any more.
    blocks: Range<usize>,
    /// The words of the block that is under way, and the position in the list of
    /// the first of them.
    words: &'a [AtomicU64],
    position: usize,
    /// Position in the list at which the next segment begins.
    segment: usize,
    /// Whether the visitor wants no more.
    pub(super) stopped: bool,
}

/// Entries of a segment that share a word of bits.
pub(super) struct Stretch<'a> {
    pub(super) word: &'a AtomicU64,
    /// The bits of the entries, from the lowest; at least one is set.
    pub(super) live: u64,
    /// The bit in `word` of the first entry.
    pub(super) shift: usize,
    /// Their positions in the segment.
    pub(super) part: Range<usize>,
}

impl<'a> Walk<'a> {
    /// Along some blocks of a list. The positions of the list that hold them are
    /// [`Walk::positions`].
    pub(super) fn new(bits: Bits<'a>, blocks: Range<usize>) -> Self {
        let mut walk = Self {
            bits,
            blocks,
            words: &[],
            position: 0,
            segment: 0,
            stopped: false,
        };
        walk.next_block();
        walk.segment = walk.position;
        walk
    }

    /// The positions of the list to give to [`Walk::segment`], from its first
    /// call on.
    pub(super) fn positions(&self) -> Range<usize> {
        let end = match self.bits {
            Bits::Many { blocks, stride, .. } if self.blocks.end > 0 => {
                let last = Halves::load(&blocks[(self.blocks.end - 1) * stride]);
                (last.blocks as usize + 1) * 64 * (stride - 1)
            }
            _ => usize::MAX,
        };
        self.segment..end
    }

    #[inline]
    fn next_block(&mut self) {
        let Some(block) = self.blocks.next() else {
            self.words = &[];
            return;
        };
        match self.bits {
            Bits::One(words) => self.words = words,
            Bits::Many { blocks, stride, .. } => {
                let block = &blocks[block * stride..(block + 1) * stride];
                self.words = &block[1..];
                self.position = Halves::load(&block[0]).blocks as usize * 64 * (stride - 1);
            }
        }
    }

    /// Calls `visit` with the live stretches of the next segment, of `len` entries.
    /// Breaks after the last of all.
    #[inline]
    pub(super) fn segment(
        &mut self,
        len: usize,
        mut visit: impl FnMut(Stretch<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let start = self.segment;
        let end = start + len;
        self.segment = end;
        while let [word, behind @ ..] = self.words {
            if self.position >= end {
                return ControlFlow::Continue(());
            }
            // A word may lie across the ends of segments.
            let first = self.position.max(start);
            let last = (self.position + 64).min(end);
            if first < last {
                let shift = first - self.position;
                let live = word.load(Relaxed) >> shift & u64::MAX >> (64 - (last - first));
                if live != 0 {
                    let part = first - start..last - start;
                    let stretch = Stretch {
                        word,
                        live,
                        shift,
                        part,
                    };
                    if visit(stretch).is_break() {
                        self.stopped = true;
                        return ControlFlow::Break(());
                    }
                }
            }
            if self.position + 64 > end {
                return ControlFlow::Continue(());
            }
            self.position += 64;
            self.words = behind;
            if behind.is_empty() {
                self.next_block();
            }
        }
        ControlFlow::Break(())
    }
}

/// The bits that are set, ascending.
#[inline]
pub(super) fn each_bit(bits: u64) -> impl Iterator<Item = usize> {
    let mut rest = bits;
    std::iter::from_fn(move || {
        let lowest = (rest != 0).then_some(rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        lowest
    })
}
