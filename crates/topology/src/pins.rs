//! Pinned sections: those that one view has read, kept for its next reads.
//!
//! To find a section for a moment, a reader takes a lock or two, looks up the lengths of
//! that moment and counts references: many times what reading a short list costs. So a
//! view that reads more than a few lists keeps the sections that it finds. Reading a kept
//! one takes no lock and never waits.
//!
//! A view keeps nothing longer than without: a merge that replaces a section takes it out
//! of all views that keep it, so that its extent and buffers are free as soon as the
//! reads of that moment are done. And all views together keep at most [`MOST_BYTES`];
//! beyond that they read as if they kept nothing.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::{ArcSwapOption, Guard};

use crate::section_view::SectionView;

/// A view of fewer reads keeps nothing: it would cost more than it saves.
const READS_BEFORE: u32 = 4;
/// DRAM of what all views of a store keep.
const MOST_BYTES: usize = 64 << 20;

/// Kept sections of one view; share it between those who read the same view. It
/// belongs to one view of one store.
#[derive(Debug, Default)]
pub struct PinnedSections {
    reads: AtomicU32,
    table: OnceLock<Arc<Table>>,
}

/// By adjacency and section.
#[derive(Debug)]
pub(crate) struct Table {
    /// Sections in which the view has vertices.
    sections: usize,
    adjacencies: Box<[OnceLock<Groups>]>,
    /// The empty section, for numbers at which an adjacency has none.
    empty: OnceLock<Arc<Pinned>>,
    /// DRAM of the slots.
    slot_bytes: AtomicUsize,
    all: Arc<PinnedBytes>,
}

/// The sections that all views of a store keep: their DRAM.
#[derive(Debug, Default)]
pub(crate) struct PinnedBytes(AtomicUsize);

impl PinnedBytes {
    /// DRAM in use.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether so many bytes more may be kept; then they are counted.
    fn charge(&self, bytes: usize) -> bool {
        let all = self.0.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all > MOST_BYTES {
            self.give_back(bytes);
        }
        all <= MOST_BYTES
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Slots of sections whose numbers follow one another.
const GROUP: usize = 64;

/// Made as they are used: of a slot that never was, dropping costs nothing.
type Slot = OnceLock<ArcSwapOption<Pinned>>;
type Groups = Box<[OnceLock<Box<[Slot]>>]>;

/// A section that a view keeps.
#[derive(Debug)]
pub(crate) struct Pinned {
    pub view: SectionView,
    bytes: usize,
    all: Arc<PinnedBytes>,
}

impl Pinned {
    /// One that no view keeps, or that takes nothing.
    pub(crate) fn alone(view: SectionView) -> Self {
        Pinned {
            view,
            bytes: 0,
            all: Arc::default(),
        }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.all.give_back(self.bytes);
    }
}

/// Views that keep a section as it is now, in their tables at `adjacency` and
/// `section`.
#[derive(Debug, Default)]
pub(crate) struct Keepers(Vec<Keeper>);

#[derive(Debug)]
struct Keeper {
    table: Weak<Table>,
    adjacency: u32,
    section: u32,
}

impl Keepers {
    /// Enters a view that keeps the section in `table`.
    pub(crate) fn add(&mut self, table: &Arc<Table>, adjacency: usize, section: u32) {
        if self.0.len() == self.0.capacity() {
            self.0.retain(|keeper| keeper.table.strong_count() > 0);
        }
        self.0.push(Keeper {
            table: Arc::downgrade(table),
            adjacency: adjacency as u32,
            section,
        });
    }

    /// Takes the replaced section out of all tables. Returns the tables, of which this
    /// may be the last reference, to be dropped without a lock.
    pub(crate) fn let_go(self) -> Vec<Arc<Table>> {
        let tables = self.0.into_iter().filter_map(|keeper| {
            let table = keeper.table.upgrade()?;
            if let Some(slot) = table.slot(keeper.adjacency as usize, keeper.section as usize) {
                slot.store(None);
            }
            Some(table)
        });
        tables.collect()
    }
}

impl Table {
    /// For a view with so many adjacencies and sections.
    pub(crate) fn new(adjacencies: usize, sections: usize, all: &Arc<PinnedBytes>) -> Self {
        Table {
            sections,
            adjacencies: (0..adjacencies).map(|_| OnceLock::new()).collect(),
            empty: OnceLock::new(),
            slot_bytes: AtomicUsize::new(0),
            all: Arc::clone(all),
        }
    }

    #[inline(always)]
    fn slot(&self, adjacency: usize, section: usize) -> Option<&ArcSwapOption<Pinned>> {
        let groups = self.adjacencies.get(adjacency)?.get()?;
        groups.get(section / GROUP)?.get()?[section % GROUP].get()
    }

    /// The same, made if need be; `None` where the view has no vertices or no
    /// adjacency, and if all views keep enough already.
    pub(crate) fn reach(&self, adjacency: usize, section: usize) -> Option<&ArcSwapOption<Pinned>> {
        if section >= self.sections {
            return None;
        }
        let groups = self.made(
            self.adjacencies.get(adjacency)?,
            self.sections.div_ceil(GROUP),
        )?;
        let slots = self.made(groups.get(section / GROUP)?, GROUP)?;
        Some(slots[section % GROUP].get_or_init(ArcSwapOption::default))
    }

    /// Places for something, made if need be and if there is room.
    fn made<'t, T: Default>(&self, home: &'t OnceLock<Box<[T]>>, len: usize) -> Option<&'t [T]> {
        if let Some(made) = home.get() {
            return Some(made);
        }
        let bytes = len * size_of::<T>();
        if !self.all.charge(bytes) {
            return None;
        }
        let mut is_new = false;
        let made = home.get_or_init(|| {
            is_new = true;
            (0..len).map(|_| T::default()).collect()
        });
        match is_new {
            true => drop(self.slot_bytes.fetch_add(bytes, Ordering::Relaxed)),
            false => self.all.give_back(bytes),
        }
        Some(made)
    }

    pub(crate) fn has_room(&self) -> bool {
        self.all.bytes() <= MOST_BYTES
    }

    /// Stands for sections that do not exist, and will not for this view.
    pub(crate) fn empty(&self, lists: usize) -> Arc<Pinned> {
        let empty = || Arc::new(Pinned::alone(SectionView::empty(lists)));
        Arc::clone(self.empty.get_or_init(empty))
    }

    /// A section to be kept, and whether it may be.
    pub(crate) fn pinned(&self, view: SectionView) -> (Arc<Pinned>, bool) {
        let bytes = size_of::<Pinned>() + view.heap_bytes();
        if !self.all.charge(bytes) {
            return (Arc::new(Pinned::alone(view)), false);
        }
        let pinned = Arc::new(Pinned {
            view,
            bytes,
            all: Arc::clone(&self.all),
        });
        (pinned, true)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let bytes = *self.slot_bytes.get_mut();
        self.all.give_back(bytes);
    }
}

impl PinnedSections {
    /// Pins nothing yet.
    pub fn new() -> Self {
        PinnedSections::default()
    }

    /// A section that is kept, with the right not to lose it meanwhile.
    #[inline(always)]
    pub(crate) fn kept(
        &self,
        adjacency: usize,
        section: usize,
    ) -> Option<Guard<Option<Arc<Pinned>>>> {
        let kept = self.table.get()?.slot(adjacency, section)?.load();
        kept.is_some().then_some(kept)
    }

    /// Table that keeps sections from now on, made if there have been a few reads.
    pub(crate) fn table(&self, new: impl FnOnce() -> Table) -> Option<&Arc<Table>> {
        if let Some(table) = self.table.get() {
            return Some(table);
        }
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        (reads >= READS_BEFORE).then(|| self.table.get_or_init(|| Arc::new(new())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_views_share_a_budget() {
        let all = Arc::new(PinnedBytes::default());
        let table = Table::new(1, 2 * GROUP, &all);
        assert!(table.reach(0, 2 * GROUP).is_none() && table.reach(1, 0).is_none());
        assert!(table.reach(0, 1).is_some() && all.bytes() > 0);
        let before = all.bytes();
        let (pinned, is_kept) = table.pinned(SectionView::empty(4));
        assert!(is_kept && all.bytes() > before);
        drop(pinned);
        assert_eq!(all.bytes(), before);
        let rest = MOST_BYTES - before;
        assert!(all.charge(rest) && !all.charge(1));
        let (alone, is_kept) = table.pinned(SectionView::empty(4));
        assert!(!is_kept && table.reach(0, GROUP).is_none());
        drop(alone);
        all.give_back(rest);
        drop(table);
        assert_eq!(all.bytes(), 0);
    }
}
