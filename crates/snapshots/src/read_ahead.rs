//! Reading a graph that is larger than memory: a reader that passes over section after
//! section has the next ones fetched meanwhile; one that jumps gets only its own reads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_topology::SectionView;

/// Bytes fetched ahead of a pass.
const AHEAD_BYTES: u64 = 2 << 20;
/// Most bytes fetched of one section.
const SECTION_BYTES: u64 = 16 << 20;
/// Lists read one after another in one section, after which that is a pass.
const PASS_LISTS: u32 = 8;
/// Bytes fetched, by any reader, after which a section may be gone from memory.
const FORGOTTEN: u64 = 4 * AHEAD_BYTES;

/// Read-ahead state that the readers of one view share.
pub struct ReadAhead {
    /// Bytes fetched until now.
    clock: AtomicU64,
    /// For each section the clock when it was fetched, or 0.
    fetched: Vec<AtomicU64>,
}

/// The way of one reader.
pub struct Pass<'a> {
    ahead: &'a ReadAhead,
    section: usize,
    lists: u32,
}

impl ReadAhead {
    pub fn new(sections: usize) -> Self {
        ReadAhead {
            clock: AtomicU64::new(FORGOTTEN),
            fetched: (0..sections).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    pub fn pass(&self) -> Pass<'_> {
        Pass {
            ahead: self,
            section: usize::MAX,
            lists: 0,
        }
    }

    /// A pass has reached `list` of section `number`.
    fn fetch(&self, sections: &[SectionView], number: usize, list: usize) {
        let (mut list, mut left) = (list, AHEAD_BYTES);
        for (section, fetched) in sections.iter().zip(&self.fetched).skip(number) {
            let now = self.clock.load(Ordering::Relaxed);
            let before = fetched.load(Ordering::Relaxed);
            // Of two readers that come at once both fetch; the second finds it done.
            if now.saturating_sub(before) >= FORGOTTEN {
                fetched.store(now, Ordering::Relaxed);
                // Whole, so that none is taken for fetched that is not.
                let asked = section.prefetch(list, SECTION_BYTES);
                self.clock.fetch_add(asked, Ordering::Relaxed);
            }
            list = 0;
            left = left.saturating_sub(section.bytes());
            if left == 0 {
                break;
            }
        }
    }
}

impl Pass<'_> {
    /// The reader comes to entries `range` of a list.
    pub fn visit(
        &mut self,
        sections: &[SectionView],
        number: usize,
        list: usize,
        range: Range<usize>,
    ) {
        if self.section != number {
            self.section = number;
            self.lists = 0;
        }
        self.lists = self.lists.saturating_add(1);
        if self.lists == PASS_LISTS {
            self.ahead.fetch(sections, number, list);
        }
        sections[number].prefetch_list(list, range);
    }
}
