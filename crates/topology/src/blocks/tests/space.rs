//! Sizes of blocks, and the ranges they are cut from.

use proptest::prelude::*;

use crate::blocks::format::Range;
use crate::blocks::space::{BlockSize, FreeRange, Space};

#[test]
fn a_full_vertex_buffer_is_one_line() {
    let words = |entries, columns| BlockSize::at_least(entries, columns).unwrap().words;
    assert_eq!((words(1, 1), words(6, 1), words(7, 1)), (8, 8, 16));
    assert_eq!((words(14, 1), words(15, 1), words(30, 1)), (16, 32, 32));
    assert_eq!((words(31, 1), words(62, 1), words(63, 1)), (64, 64, 128));
    assert_eq!((words(3, 2), words(4, 2), words(31, 2)), (8, 16, 64));
    // A list that is long already gets room, but not without bound.
    let growing = |len, more| BlockSize::growing(len, more, 1).unwrap().capacity;
    assert_eq!(growing(1000, 1), 254);
    assert_eq!(growing(1 << 30, 1), (16 << 10) - 2);
    assert!(growing(1 << 30, 1 << 20) >= 1 << 20);
    assert_eq!(BlockSize::at_least(u32::MAX, 2), None);
}

proptest! {
    /// Blocks never overlap, lie in what was free, and are aligned; and what is
    /// neither taken nor free is only what was too small for a block.
    #[test]
    fn taken_and_free_space_never_meet(
        free in proptest::collection::vec((0u32..40, 8u32..300, 0u64..3), 1..8),
        wanted in proptest::collection::vec(1u32..200, 0..40),
    ) {
        let mut ranges = Vec::new();
        let mut start = 0;
        for (gap, words, since) in free {
            start += gap;
            ranges.push(FreeRange { range: Range { start, words }, since });
            start += words;
        }
        let usable = |at: u32| ranges.iter().any(|f| {
            f.since <= 1 && f.range.start <= at && at < f.range.start + f.range.words
        });
        let mut owner = vec![0u32; start as usize];
        let mut space = Space::new(&ranges, 1);
        for (number, entries) in wanted.into_iter().enumerate() {
            let size = BlockSize::at_least(entries, 1).unwrap();
            prop_assert!(size.capacity >= entries);
            let Some(at) = space.take(size) else { continue };
            prop_assert_eq!(at % size.words.min(64), 0);
            for word in at..at + size.words {
                prop_assert!(usable(word));
                prop_assert_eq!(owner[word as usize], 0);
                owner[word as usize] = number as u32 + 1;
            }
        }
        let mut last = 0;
        for free in space.into_free() {
            prop_assert!(free.range.start >= last && free.range.words >= 8);
            last = free.range.start + free.range.words;
            for word in free.range.start..last {
                prop_assert_eq!(owner[word as usize], 0);
                owner[word as usize] = u32::MAX;
            }
        }
    }
}
