//! The entries of a section.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::front::buffers::VertexBuffers;
use crate::layout::Base;
use crate::list::LiveCount;

/// Entries of a section: the base, and the unmerged data behind it. A merge replaces the
/// body; readers of the old one keep it alive.
#[derive(Debug)]
pub(crate) struct Body {
    /// Counts rewrites that dropped entries: prefixes of another generation
    /// mean other entries.
    pub generation: u32,
    /// Commits up to this one are merged.
    pub csn: u64,
    /// Merged entries.
    pub base: Base,
    /// Entries behind them, from the first on.
    pub buffers: OnceLock<Box<VertexBuffers>>,
}

impl Body {
    /// Counts with `count` over the first `len` entries of a list, of which `in_place`
    /// are in the extent.
    pub(crate) fn count_live(
        &self,
        list: usize,
        in_place: usize,
        len: usize,
        mut count: LiveCount,
    ) -> u64 {
        let merged = in_place.min(len);
        let mut add = |words: &[u32], ids: &[u32]| {
            count.add(words, ids);
            ControlFlow::<()>::Continue(())
        };
        let _ = self.base.for_each_segment(list, merged, &mut add);
        if let Some(buffers) = self.buffers.get() {
            let _ = buffers.for_each_segment(list, len - merged, &mut add);
        }
        count.live()
    }
}
