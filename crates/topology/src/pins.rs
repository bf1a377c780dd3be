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

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::{ArcSwapOption, Guard};
use evergraph_storage::ViewToken;

use crate::error::TopologyError;
use crate::list::ListScratch;
use crate::section_view::{Lists, SectionView, Segments};
use crate::store::{Published, Query, Store};

/// A view of fewer reads keeps nothing: it would cost more than it saves.
const READS_BEFORE: u32 = 4;
/// DRAM of what all views of a store keep.
pub(crate) const MOST_BYTES: usize = 64 << 20;

/// Kept sections of one view; share it between those who read the same view. It
/// belongs to one view of one store.
#[derive(Debug, Default)]
pub struct Pins {
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
    /// DRAM of what all views of the store keep.
    all_bytes: Arc<AtomicUsize>,
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
    all_bytes: Arc<AtomicUsize>,
}

impl Pinned {
    /// One that no view keeps, or that takes nothing.
    pub fn alone(view: SectionView) -> Self {
        Pinned {
            view,
            bytes: 0,
            all_bytes: Arc::default(),
        }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.all_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
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
    fn add(&mut self, keeper: Keeper) {
        if self.0.len() == self.0.capacity() {
            self.0.retain(|keeper| keeper.table.strong_count() > 0);
        }
        self.0.push(keeper);
    }

    /// Takes the replaced section out of all tables. Returns the tables, of which this
    /// may be the last reference, to be dropped without a lock.
    pub fn let_go(self) -> Vec<Arc<Table>> {
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
    fn new(store: &Store, vertices: u64) -> Self {
        let adjacencies = store.adjacencies().iter().last();
        let adjacencies = adjacencies.map_or(0, |last| last.number() as usize + 1);
        Table {
            sections: vertices.div_ceil(1 << store.section_shift()) as usize,
            adjacencies: (0..adjacencies).map(|_| OnceLock::new()).collect(),
            empty: OnceLock::new(),
            slot_bytes: AtomicUsize::new(0),
            all_bytes: Arc::clone(store.pinned_bytes()),
        }
    }

    #[inline(always)]
    fn slot(&self, adjacency: usize, section: usize) -> Option<&ArcSwapOption<Pinned>> {
        let groups = self.adjacencies.get(adjacency)?.get()?;
        groups.get(section / GROUP)?.get()?[section % GROUP].get()
    }

    /// The same, made if need be; `None` where the view has no vertices or no
    /// adjacency, and if all views keep enough already.
    fn reach(&self, adjacency: usize, section: usize) -> Option<&ArcSwapOption<Pinned>> {
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
        if !self.charge(bytes) {
            return None;
        }
        let mut is_new = false;
        let made = home.get_or_init(|| {
            is_new = true;
            (0..len).map(|_| T::default()).collect()
        });
        match is_new {
            true => self.slot_bytes.fetch_add(bytes, Ordering::Relaxed),
            false => self.all_bytes.fetch_sub(bytes, Ordering::Relaxed),
        };
        Some(made)
    }

    /// Whether so many bytes more may be kept; then they are counted.
    fn charge(&self, bytes: usize) -> bool {
        let all = self.all_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all > MOST_BYTES {
            self.all_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        all <= MOST_BYTES
    }

    fn has_room(&self) -> bool {
        self.all_bytes.load(Ordering::Relaxed) <= MOST_BYTES
    }

    /// Stands for sections that do not exist, and will not for this view.
    fn empty(&self, lists: usize) -> Arc<Pinned> {
        let empty = || Arc::new(Pinned::alone(SectionView::empty(lists)));
        Arc::clone(self.empty.get_or_init(empty))
    }

    /// A section to be kept, and whether it may be.
    fn pinned(&self, view: SectionView) -> (Arc<Pinned>, bool) {
        let bytes = size_of::<Pinned>() + view.heap_bytes();
        if !self.charge(bytes) {
            return (Arc::new(Pinned::alone(view)), false);
        }
        let pinned = Arc::new(Pinned {
            view,
            bytes,
            all_bytes: Arc::clone(&self.all_bytes),
        });
        (pinned, true)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let bytes = *self.slot_bytes.get_mut();
        self.all_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A section to read one list of.
enum Read {
    /// By this view, which it may be taken from meanwhile.
    Kept(Guard<Option<Arc<Pinned>>>),
    Pinned(Arc<Pinned>),
    /// Without getting ready for other lists.
    Once(Lists),
    /// There is none.
    Nothing,
}

impl Read {
    #[inline(always)]
    fn view(&self) -> Option<&SectionView> {
        match self {
            Read::Kept(kept) => kept.as_ref().map(|pinned| &pinned.view),
            Read::Pinned(pinned) => Some(&pinned.view),
            Read::Once(_) | Read::Nothing => None,
        }
    }

    #[inline(always)]
    fn segments<'a>(&'a self, list: usize, scratch: &'a mut Option<ListScratch>) -> Segments<'a> {
        let new = ListScratch::default;
        match (self.view(), self) {
            (Some(view), _) => view.segments(list, || scratch.insert(new())),
            (None, Read::Once(lists)) => lists.segments(list, || scratch.insert(new())),
            (None, _) => Segments::default(),
        }
    }

    #[inline(always)]
    fn query<'a>(&self, store: &'a Store, adjacency: usize, vertex: u32) -> Option<Query<'a>> {
        match (self.view(), self) {
            (Some(view), _) => Some(store.query(adjacency, vertex, view)),
            (None, Read::Once(lists)) => Some(store.query_of(adjacency, vertex, &lists.body.base)),
            (None, _) => None,
        }
    }
}

impl Pins {
    /// Pins nothing yet.
    pub fn new() -> Self {
        Pins::default()
    }

    /// A section that is kept, with the right not to lose it meanwhile.
    #[inline(always)]
    fn kept(&self, adjacency: usize, section: usize) -> Option<Guard<Option<Arc<Pinned>>>> {
        let kept = self.table.get()?.slot(adjacency, section)?.load();
        kept.is_some().then_some(kept)
    }

    /// Table that keeps sections from now on, if there have been a few reads.
    fn table(&self, store: &Store, token: &ViewToken<Published>) -> Option<&Arc<Table>> {
        if let Some(table) = self.table.get() {
            return Some(table);
        }
        if store.is_direct() {
            return None;
        }
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        if reads < READS_BEFORE {
            return None;
        }
        let new = || Arc::new(Table::new(store, token.state().vertex_count));
        Some(self.table.get_or_init(new))
    }
}

impl Store {
    /// Calls `visit` with the live entries of one list as of a view, slice by slice:
    /// neighbors, and ids of relationships or bits of weights beside them (nothing in
    /// a graph without), until it breaks. `pins` belong to the view; a section that
    /// they keep is read without a lock.
    ///
    /// # Errors
    /// Damage, found at the first read of a section.
    #[inline]
    pub fn read_list<B>(
        &self,
        token: &ViewToken<Published>,
        pins: &Pins,
        adjacency: usize,
        vertex: u32,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TopologyError> {
        let shift = self.section_shift();
        let (section, list) = (vertex >> shift, vertex as usize & ((1 << shift) - 1));
        let read = match pins.kept(adjacency, section as usize) {
            Some(kept) => Read::Kept(kept),
            None => self.read_first(token, pins, adjacency, section)?,
        };
        let _query = read.query(self, adjacency, vertex);
        let mut scratch = None;
        for (neighbors, ids) in read.segments(list, &mut scratch) {
            let flow = visit(neighbors, ids);
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A section that is not kept; it is kept from now on, if that may be.
    #[cold]
    #[inline(never)]
    fn read_first(
        &self,
        token: &ViewToken<Published>,
        pins: &Pins,
        adjacency: usize,
        number: u32,
    ) -> Result<Read, TopologyError> {
        let table = pins.table(self, token);
        if table.is_some_and(|table| table.has_room()) {
            let pinned = self.pin_for(token, pins, adjacency, number)?;
            return Ok(pinned.map_or(Read::Nothing, Read::Pinned));
        }
        let home = self.adjacencies().get(adjacency);
        // The adjacency is not locked while a section is waited for.
        let Some(section) = home.and_then(|home| home.section(number as usize)) else {
            return Ok(Read::Nothing);
        };
        let lists = section.lists(self.context(), token.csn(), || self.needed())?;
        lists.verify(self.context())?;
        Ok(Read::Once(lists))
    }

    /// A section as of a view, kept if that may be; `None` if there is none.
    #[inline(never)]
    pub(crate) fn pin_for(
        &self,
        token: &ViewToken<Published>,
        pins: &Pins,
        adjacency: usize,
        number: u32,
    ) -> Result<Option<Arc<Pinned>>, TopologyError> {
        let Some(home) = self.adjacencies().get(adjacency) else {
            return Ok(None);
        };
        let table = pins.table(self, token);
        let slot = table.and_then(|table| table.reach(adjacency, number as usize));
        if let Some(slot) = slot
            && let Some(pinned) = slot.load_full()
        {
            return Ok(Some(pinned));
        }
        let Some(section) = home.section(number as usize) else {
            if let (Some(table), Some(slot)) = (table, slot) {
                slot.store(Some(table.empty(home.section_lists())));
            }
            return Ok(None);
        };
        let context = self.context();
        let lists = section.lists(context, token.csn(), || self.needed())?;
        lists.verify(context)?;
        let view = SectionView::new(lists, context.region.fits_in_memory());
        let (Some(table), Some(slot)) = (table, slot) else {
            return Ok(Some(Arc::new(Pinned::alone(view))));
        };
        let (pinned, may_be_kept) = table.pinned(view);
        if !may_be_kept {
            return Ok(Some(pinned));
        }
        let keeper = Keeper {
            table: Arc::downgrade(table),
            adjacency: adjacency as u32,
            section: number,
        };
        section.keep(&pinned.view, |keepers| {
            keepers.add(keeper);
            slot.store(Some(Arc::clone(&pinned)));
        });
        Ok(Some(pinned))
    }
}
