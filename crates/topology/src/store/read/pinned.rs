//! Reading single lists, for views that keep the sections that they read.

use std::ops::ControlFlow;
use std::sync::Arc;

use arc_swap::Guard;
use evergraph_storage::ViewToken;

use crate::error::TopologyError;
use crate::list::ListScratch;
use crate::pins::{Pinned, PinnedSections, Table};
use crate::published::Published;
use crate::section_view::{Lists, SectionView, Segments};
use crate::store::Store;
use crate::store::checkpoint::queried::Query;

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
        pins: &PinnedSections,
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

    /// Table in which a view keeps sections from now on; none in direct mode, whose
    /// sections grow in place.
    fn pin_table<'p>(
        &self,
        token: &ViewToken<Published>,
        pins: &'p PinnedSections,
    ) -> Option<&'p Arc<Table>> {
        if self.live().is_direct() {
            return None;
        }
        pins.table(|| {
            let last = self.adjacencies().iter().last();
            let adjacencies = last.map_or(0, |last| last.number() as usize + 1);
            let vertices = token.state().vertex_count;
            let sections = vertices.div_ceil(1 << self.section_shift()) as usize;
            Table::new(adjacencies, sections, &self.live().pinned)
        })
    }

    /// A section that is not kept; it is kept from now on, if that may be.
    #[cold]
    #[inline(never)]
    fn read_first(
        &self,
        token: &ViewToken<Published>,
        pins: &PinnedSections,
        adjacency: usize,
        number: u32,
    ) -> Result<Read, TopologyError> {
        let table = self.pin_table(token, pins);
        if table.is_some_and(|table| table.has_room()) {
            let pinned = self.pin_for(token, pins, adjacency, number)?;
            return Ok(pinned.map_or(Read::Nothing, Read::Pinned));
        }
        let home = self.adjacencies().get(adjacency);
        // The adjacency is not locked while a section is waited for.
        let Some(section) = home.and_then(|home| home.section(number as usize)) else {
            return Ok(Read::Nothing);
        };
        let lists = section.lists(&self.live().resources, token.csn(), || self.needed())?;
        lists.verify(&self.live().resources.volume.uuid)?;
        Ok(Read::Once(lists))
    }

    /// A section as of a view, kept if that may be; `None` if there is none.
    #[inline(never)]
    pub(crate) fn pin_for(
        &self,
        token: &ViewToken<Published>,
        pins: &PinnedSections,
        adjacency: usize,
        number: u32,
    ) -> Result<Option<Arc<Pinned>>, TopologyError> {
        let Some(home) = self.adjacencies().get(adjacency) else {
            return Ok(None);
        };
        let table = self.pin_table(token, pins);
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
        let resources = &self.live().resources;
        let lists = section.lists(resources, token.csn(), || self.needed())?;
        lists.verify(&resources.volume.uuid)?;
        let view = SectionView::new(lists, resources.volume.region.fits_in_memory());
        let (Some(table), Some(slot)) = (table, slot) else {
            return Ok(Some(Arc::new(Pinned::alone(view))));
        };
        let (pinned, may_be_kept) = table.pinned(view);
        if !may_be_kept {
            return Ok(Some(pinned));
        }
        section.keep(&pinned.view, |keepers| {
            keepers.add(table, adjacency, number);
            slot.store(Some(Arc::clone(&pinned)));
        });
        Ok(Some(pinned))
    }
}
