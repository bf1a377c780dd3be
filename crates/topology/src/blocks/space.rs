//! Free space in the slabs of a section, and the sizes of blocks.

use evergraph_storage::failpoint;

use super::format::{BLOCK_HEADER_WORDS, Range, Tail};

/// Smallest block: 32 bytes. What is smaller and free is lost until the section
/// is rewritten.
const LEAST_WORDS: u32 = 8;
/// A line of the medium, 256 bytes.
pub(super) const LINE_WORDS: u32 = 64;
/// Room ahead of a long list ends at blocks of 64 KiB: beyond, a jump a block
/// costs a reader nothing, and room costs space.
const MOST_AHEAD_WORDS: u32 = 16 << 10;

const _: () = assert!(
    LINE_WORDS.is_multiple_of(LEAST_WORDS) && MOST_AHEAD_WORDS.is_multiple_of(LINE_WORDS),
    "blocks end where others begin"
);
const _: () = assert!(BLOCK_HEADER_WORDS < LEAST_WORDS, "the least block has room");

/// A range that no list of the newest version reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeRange {
    pub range: Range,
    /// The version that freed it: readers of older ones may still read it.
    pub since: u64,
}

/// Size and capacity of a new block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockSize {
    /// In the slab; aligned to itself up to a line.
    pub words: u32,
    /// In entries.
    pub capacity: u32,
}

impl BlockSize {
    /// The smallest class that holds `entries`, or `None` if it is larger than
    /// a section.
    pub(super) fn at_least(entries: u32, columns: usize) -> Option<Self> {
        let exact = u64::from(BLOCK_HEADER_WORDS) + u64::from(entries) * columns as u64;
        let words = match exact {
            0..=8 => 8,
            9..=16 => 16,
            17..=32 => 32,
            _ => u32::try_from(exact.next_multiple_of(LINE_WORDS.into())).ok()?,
        };
        let capacity = (words - BLOCK_HEADER_WORDS) / columns as u32;
        let capacity = if capacity <= Tail::MAX_CAPACITY {
            capacity
        } else {
            entries
        };
        Some(BlockSize { words, capacity })
    }

    /// For `more` entries at the end of a list that is then `len` long: with
    /// room ahead for a quarter of the list. So a list that grows evenly has
    /// logarithmically many blocks, and at most a fifth of its space is empty.
    pub(super) fn growing(len: u32, more: u32, columns: usize) -> Option<Self> {
        let most = (MOST_AHEAD_WORDS - BLOCK_HEADER_WORDS) / columns as u32;
        Self::at_least(more.max((len / 4).min(most)), columns)
    }

    fn alignment(self) -> u32 {
        self.words.min(LINE_WORDS)
    }
}

/// Hands out free ranges.
#[derive(Debug)]
pub(super) struct Space {
    /// By start; no two that may be used are adjacent.
    usable: Vec<Range>,
    held: Vec<FreeRange>,
}

impl Space {
    /// Ranges that were freed by the version `oldest_read` or before may be used.
    pub(super) fn new(free: &[FreeRange], oldest_read: u64) -> Self {
        let (usable, held): (Vec<FreeRange>, Vec<FreeRange>) =
            free.iter().partition(|free| free.since <= oldest_read);
        let mut merged: Vec<Range> = Vec::with_capacity(usable.len() + 1);
        for FreeRange { range, .. } in usable {
            match merged.last_mut() {
                Some(last) if last.start + last.words == range.start => last.words += range.words,
                _ => merged.push(range),
            }
        }
        Space {
            usable: merged,
            held,
        }
    }

    /// Adds the space of a new slab, which follows all others.
    pub(super) fn add_slab(&mut self, range: Range) {
        debug_assert!(
            self.usable
                .last()
                .is_none_or(|last| last.start + last.words < range.start),
            "a slab at {} follows no other, or touches it",
            range.start
        );
        self.usable.push(range);
    }

    /// Adds what the version `since` frees; none of it is handed out here.
    pub(super) fn free(&mut self, range: Range, since: u64) {
        if failpoint!("blocks.reused-too-early") {
            self.usable.insert(0, range);
            return;
        }
        self.held.push(FreeRange { range, since });
    }

    /// Takes space for a block, the lowest that fits.
    pub(super) fn take(&mut self, size: BlockSize) -> Option<u32> {
        let (at, start) = self.usable.iter().enumerate().find_map(|(at, range)| {
            let start = u64::from(range.start).next_multiple_of(size.alignment().into());
            let end = u64::from(range.start) + u64::from(range.words);
            (start + u64::from(size.words) <= end).then_some((at, start as u32))
        })?;
        let range = self.usable[at];
        let before = Range {
            start: range.start,
            words: start - range.start,
        };
        let end = start + size.words;
        let after = Range {
            start: end,
            words: range.words - before.words - size.words,
        };
        let left = [before, after];
        let left = left.into_iter().filter(|range| range.words >= LEAST_WORDS);
        self.usable.splice(at..=at, left);
        debug_assert!(
            size.words >= LEAST_WORDS && start.is_multiple_of(size.alignment()),
            "a block of {} words at {start}",
            size.words
        );
        Some(start)
    }

    /// Everything that is free now, by start.
    pub(super) fn into_free(self) -> Vec<FreeRange> {
        let usable = self
            .usable
            .into_iter()
            .map(|range| FreeRange { range, since: 0 });
        let mut free: Vec<FreeRange> = usable.chain(self.held).collect();
        free.retain(|free| free.range.words >= LEAST_WORDS);
        free.sort_unstable_by_key(|free| free.range.start);
        invariants(&free);
        free
    }
}

/// Panics in debug builds if ranges of free space, by start, overlap.
fn invariants(free: &[FreeRange]) {
    if !cfg!(debug_assertions) {
        return;
    }
    for pair in free.windows(2) {
        let (range, next) = (pair[0].range, pair[1].range);
        assert!(
            u64::from(range.start) + u64::from(range.words) <= u64::from(next.start),
            "{range:?} and {next:?} are free both: a block was given back twice"
        );
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Range, Space};

    fn range(start: u32, words: u32) -> Range {
        Range { start, words }
    }

    #[test]
    #[should_panic(expected = "was given back twice")]
    fn a_block_is_given_back_once() {
        let mut space = Space::new(&[], 0);
        space.free(range(64, 16), 1);
        space.free(range(72, 8), 2);
        space.into_free();
    }

    #[test]
    #[should_panic(expected = "follows no other, or touches it")]
    fn slabs_do_not_touch() {
        let mut space = Space::new(&[], 0);
        space.add_slab(range(0, 64));
        space.add_slab(range(64, 64));
    }
}
