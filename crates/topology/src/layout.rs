//! The merged part of a section, in the layout that it was written in.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::{Entry, Extent, StorageError, Uuid};

use crate::blocks;
use crate::lengths::LengthPage;
use crate::section_format as packed;

/// Layouts of merged entries on the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// DGAP's packed memory array, as merging leaves it: the lists of a section
    /// one after another in one extent, rewritten as a whole.
    Pma,
    /// XPGraph's chains of blocks: new entries go behind the old ones.
    Blocks,
}

/// The bit of [`Entry::generation`] that says which layout a section has. What
/// was written by format 1 has it clear.
const BLOCKS_BIT: u32 = 1 << 31;

impl Layout {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, Layout)] = &[("pma", Layout::Pma), ("blocks", Layout::Blocks)];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, layout)| *layout == self);
        found.expect("every layout has a name").0
    }

    /// The layout of a stored section.
    pub fn of(entry: &Entry) -> Self {
        if entry.generation & BLOCKS_BIT == 0 {
            Layout::Pma
        } else {
            Layout::Blocks
        }
    }

    /// Marks a section's entry on its way into the directory.
    pub fn mark(self, mut entry: Entry) -> Entry {
        if self == Layout::Blocks {
            entry.generation |= BLOCKS_BIT;
        }
        entry
    }

    /// The entry without the mark, as the layout knows it.
    pub fn unmark(mut entry: Entry) -> Entry {
        entry.generation &= !BLOCKS_BIT;
        entry
    }
}

/// Merged entries of a section.
#[derive(Debug)]
pub(crate) enum Base {
    /// Layout `pma`, and direct mode.
    Packed(packed::Base),
    /// Layout `blocks`.
    Blocks(Box<blocks::Base>),
}

impl Base {
    /// A section without an extent: empty lists.
    pub(crate) fn empty(lists: usize) -> Self {
        Base::Packed(packed::Base::empty(lists))
    }

    /// Its layout; `None` if nothing is stored.
    pub(crate) fn layout(&self) -> Option<Layout> {
        match self {
            Base::Packed(base) => base.extent().map(|_| Layout::Pma),
            Base::Blocks(_) => Some(Layout::Blocks),
        }
    }

    /// As packed lists.
    ///
    /// # Panics
    /// In another layout: only for direct mode, which knows none.
    pub(crate) fn packed(&self) -> &packed::Base {
        match self {
            Base::Packed(base) => base,
            Base::Blocks(_) => unreachable!("direct mode has packed sections"),
        }
    }

    /// Entries, tombstones included.
    pub(crate) fn entries(&self) -> u64 {
        match self {
            Base::Packed(base) => base.words.count() as u64,
            Base::Blocks(base) => base.entries(),
        }
    }

    /// Entries of one list; merged mode only.
    #[inline(always)]
    pub(crate) fn list_len(&self, list: usize) -> usize {
        match self {
            Base::Packed(base) => base.list_len(list),
            Base::Blocks(base) => base.list_len(list),
        }
    }

    /// Lengths of the lists.
    pub(crate) fn lengths(&self, csn: u64) -> LengthPage {
        match self {
            Base::Packed(base) => base.lengths(csn),
            Base::Blocks(base) => base.lengths(csn),
        }
    }

    /// As [`Base::lengths`], without DRAM of their own where the layout has them
    /// at hand and `fits` says that it stays so.
    pub(crate) fn lengths_at_hand(&self, csn: u64, fits: bool) -> LengthPage {
        match self {
            Base::Packed(base) if fits => base.lengths_in_place(csn),
            base => base.lengths(csn),
        }
    }

    /// Checks the entries, once; must precede the first read of them.
    pub(crate) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        match self {
            Base::Packed(base) => base.verify(uuid),
            Base::Blocks(base) => base.verify(uuid),
        }
    }

    /// Whether the entries are known to be what was written.
    pub(crate) fn is_verified(&self) -> bool {
        match self {
            Base::Packed(base) => base.is_verified(),
            Base::Blocks(base) => base.is_verified(),
        }
    }

    /// Bytes at the beginning of [`Base::extent`] that say where the lists are.
    pub(crate) fn index_bytes(&self) -> u64 {
        match self {
            Base::Packed(base) => base.index_bytes(),
            Base::Blocks(base) => base.extent().map_or(0, |extent| extent.len()),
        }
    }

    /// Calls `visit` with the words and weights (empty without weights) of the
    /// first `count` entries of a list, until it breaks. Not for sections with
    /// gaps beyond what is filled.
    #[inline(always)]
    pub(crate) fn for_each_segment<B>(
        &self,
        list: usize,
        count: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if count == 0 {
            return ControlFlow::Continue(());
        }
        match self {
            Base::Packed(base) => base.for_each_segment(base.starts[list] as usize, count, visit),
            Base::Blocks(base) => base.for_each_segment(list, count, visit),
        }
    }

    /// Whether words and weights lie in pairs (direct mode with weights).
    pub(crate) fn is_in_pairs(&self) -> bool {
        matches!(self, Base::Packed(base) if base.in_pairs)
    }

    /// Whether a list lies in several blocks.
    pub(crate) fn is_chained(&self, list: usize) -> bool {
        matches!(self, Base::Blocks(base) if base.is_chained(list))
    }

    /// All extents that belong to it.
    pub(crate) fn extents(&self) -> Vec<Arc<Extent>> {
        match self {
            Base::Packed(base) => base.extent().cloned().into_iter().collect(),
            Base::Blocks(base) => base.extents().cloned().collect(),
        }
    }

    /// The extent that the section directory names.
    pub(crate) fn extent(&self) -> Option<&Arc<Extent>> {
        match self {
            Base::Packed(base) => base.extent(),
            Base::Blocks(base) => base.extent(),
        }
    }
}
