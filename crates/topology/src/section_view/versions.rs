//! Two versions of one section beside each other.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::SectionView;

impl SectionView {
    /// Whether prefixes of both mean the same entries: no compaction lies between.
    pub fn is_of_generation_of(&self, other: &SectionView) -> bool {
        self.lists.body.generation == other.lists.body.generation
    }

    /// Whether both are known to show the same lists. Looks at lengths alone, so
    /// it never says so of versions with a compaction between.
    pub fn shows_the_lists_of(&self, other: &SectionView) -> bool {
        // Within a generation lists only grow.
        self.is_of_generation_of(other)
            && (Arc::ptr_eq(&self.lists.page, &other.lists.page)
                || self.lists.page.len == other.lists.page.len)
    }

    /// Lists of the section.
    pub fn list_count(&self) -> usize {
        self.lists.page.len.count()
    }

    /// Tombstones of a list.
    pub fn tombstones(&self, list: usize) -> usize {
        self.lists.page.tombstones(list) as usize
    }

    /// Calls `visit` with the words and weight bits of a list as they are stored,
    /// from entry `first` on, tombstones included.
    pub fn for_each_raw_segment_from<B>(
        &self,
        list: usize,
        first: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut before = first;
        self.for_each_raw_segment(list, |words, weights| {
            let skipped = before.min(words.len());
            before -= skipped;
            match skipped < words.len() {
                true => visit(
                    &words[skipped..],
                    weights.get(skipped..).unwrap_or_default(),
                ),
                false => ControlFlow::Continue(()),
            }
        })
    }
}
