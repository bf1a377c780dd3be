//! Reading by list, in bulk, and by tier.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::ViewToken;

use crate::error::TopologyError;
use crate::list::ListScratch;
use crate::pins::{Pinned, PinnedSections};
use crate::published::Published;
use crate::store::Store;
use crate::tiers::{ListTier, TierEntry};

/// Reads lists of one adjacency as of a view, in buffers that it uses again.
/// Vertices in ascending order are the cheapest.
pub struct ListReader<'a> {
    pub(super) store: &'a Store,
    token: &'a ViewToken<Published>,
    pub(super) adjacency: usize,
    pins: Option<&'a PinnedSections>,
    pub(super) section_shift: u32,
    /// Sections that were read: the one of number `n` at `n` modulo the length.
    pub(super) kept: Vec<Kept>,
    pub(super) scratch: ListScratch,
    neighbors: Vec<u32>,
    ids: Vec<u32>,
}

/// A section that was read.
pub(super) struct Kept {
    number: u32,
    /// None if it does not exist.
    pub(super) section: Option<Arc<Pinned>>,
}

impl Kept {
    /// No section has this number: vertex ids are smaller.
    const NOTHING: Kept = Kept {
        number: u32::MAX,
        section: None,
    };
}

/// Sections that a reader of lists keeps until it is dropped.
const MOST_KEPT: usize = 1 << 10;

impl Store {
    /// Reads many lists of an adjacency as of a view.
    pub fn reader<'a>(
        &'a self,
        token: &'a ViewToken<Published>,
        adjacency: usize,
    ) -> ListReader<'a> {
        ListReader {
            store: self,
            token,
            adjacency,
            pins: None,
            section_shift: self.section_shift(),
            kept: Vec::new(),
            scratch: ListScratch::default(),
            neighbors: Vec::new(),
            ids: Vec::new(),
        }
    }

    /// As [`Store::reader`], for a view that keeps what it reads in `pins`.
    pub fn reader_with<'a>(
        &'a self,
        token: &'a ViewToken<Published>,
        pins: &'a PinnedSections,
        adjacency: usize,
    ) -> ListReader<'a> {
        ListReader {
            pins: Some(pins),
            ..self.reader(token, adjacency)
        }
    }

    /// Entries of one list that are in one tier as of a view, oldest
    /// first. The list is the base extent, then the vertex buffer, then
    /// the append buffer. Moves nothing from tier to tier.
    pub fn entries_in(
        &self,
        token: &ViewToken<Published>,
        adjacency: usize,
        vertex: u32,
        tier: ListTier,
    ) -> Result<Vec<TierEntry>, TopologyError> {
        let mut entries = Vec::new();
        let number = vertex >> self.live().config.section_shift;
        let adjacency = self.live().adjacencies.get(adjacency);
        let Some(section) = adjacency.and_then(|adjacency| adjacency.section(number as usize))
        else {
            return Ok(entries);
        };
        let list = (vertex - section.first_vertex()) as usize;
        section.for_each_in_tier(
            &self.live().resources,
            token.csn(),
            list,
            tier,
            |word, weight| {
                let deletes = crate::entry::is_tombstone(word);
                entries.push(TierEntry {
                    neighbor: crate::entry::neighbor(word),
                    weight: match weight {
                        Some(bits) if !deletes => f32::from_bits(bits),
                        _ => 1.0,
                    },
                    deletes,
                });
            },
        )?;
        Ok(entries)
    }

    /// Entries of out-lists that are in append buffers now (XPGraph's logged edges). An
    /// undirected edge has two.
    pub fn logged_edges(&self) -> u64 {
        let sections = self
            .live()
            .out_adjacencies()
            .flat_map(|adjacency| adjacency.sections());
        sections.map(|(_, s)| s.usage().appended_entries).sum()
    }

    /// Calls `visit` with vertex, neighbor and weight (1 without weights) of the
    /// entries of out-lists that are in append buffers as of a view, in commit order
    /// within each section. `visit` must not use the store.
    pub fn for_each_logged_edge(
        &self,
        token: &ViewToken<Published>,
        mut visit: impl FnMut(u32, u32, f32),
    ) {
        let adjacency = self.live().adjacencies.get(0);
        for (_, section) in adjacency
            .map(|adjacency| adjacency.sections())
            .unwrap_or_default()
        {
            section.for_each_appended(token.csn(), |list, word, weight| {
                let weight = weight.map_or(1.0, f32::from_bits);
                visit(section.first_vertex() + list, word, weight);
            });
        }
    }
}

impl ListReader<'_> {
    /// Live neighbors of a vertex, in insertion order.
    pub fn neighbors(&mut self, vertex: u32) -> Result<&[u32], TopologyError> {
        let mut neighbors = std::mem::take(&mut self.neighbors);
        neighbors.clear();
        let read = self.neighbors_into(vertex, &mut neighbors);
        self.neighbors = neighbors;
        read.map(|()| &self.neighbors[..])
    }

    /// Live neighbors of a vertex and the ids of the relationships to them, in
    /// insertion order; of other graphs, bits of weights, or nothing.
    pub fn relationships(&mut self, vertex: u32) -> Result<(&[u32], &[u32]), TopologyError> {
        let (mut neighbors, mut ids) = (
            std::mem::take(&mut self.neighbors),
            std::mem::take(&mut self.ids),
        );
        neighbors.clear();
        ids.clear();
        let read = self.for_each_segment(vertex, |n, i| {
            neighbors.extend_from_slice(n);
            ids.extend_from_slice(i);
            ControlFlow::<()>::Continue(())
        });
        (self.neighbors, self.ids) = (neighbors, ids);
        let _ = read?;
        Ok((&self.neighbors, &self.ids))
    }

    /// Live entries in the list of a vertex.
    pub fn degree(&mut self, vertex: u32) -> Result<usize, TopologyError> {
        let place = self.index_of(vertex)?;
        let list = self.list_of(vertex);
        let section = self.kept[place].section.as_deref();
        Ok(section.map_or(0, |section| section.view.degree(list)))
    }

    /// The list of a vertex, by its number in the section.
    #[inline(always)]
    fn list_of(&self, vertex: u32) -> usize {
        vertex as usize & ((1 << self.section_shift) - 1)
    }

    /// Index at which the section of a vertex is kept.
    #[inline(always)]
    pub(super) fn index_of(&mut self, vertex: u32) -> Result<usize, TopologyError> {
        let number = vertex >> self.section_shift;
        let index = number as usize & self.kept.len().wrapping_sub(1);
        match self.kept.get(index) {
            Some(kept) if kept.number == number => Ok(index),
            _ => self.find(number),
        }
    }

    /// Finds a section; where it is kept.
    #[cold]
    #[inline(never)]
    fn find(&mut self, number: u32) -> Result<usize, TopologyError> {
        let alone = PinnedSections::new();
        let pins = self.pins.unwrap_or(&alone);
        let section = self
            .store
            .pin_for(self.token, pins, self.adjacency, number)?;
        match self.kept.len() {
            0 => self.kept.push(Kept::NOTHING),
            1 => self.kept.resize_with(MOST_KEPT, || Kept::NOTHING),
            _ => {}
        }
        let index = number as usize & (self.kept.len() - 1);
        self.kept[index] = Kept { number, section };
        Ok(index)
    }

    /// Calls `visit` with the live neighbors of a vertex, slice by slice in
    /// insertion order, and ids of the relationships to them; of other graphs, bits
    /// of weights, or nothing; until it breaks.
    #[inline(always)]
    pub fn for_each_segment<B>(
        &mut self,
        vertex: u32,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TopologyError> {
        let place = self.index_of(vertex)?;
        let list = self.list_of(vertex);
        let Some(Pinned { view, .. }) = self.kept[place].section.as_deref() else {
            return Ok(ControlFlow::Continue(()));
        };
        let _query = self.store.query(self.adjacency, vertex, view);
        for (neighbors, ids) in view.segments(list, || &mut self.scratch) {
            let flow = visit(neighbors, ids);
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Appends the live neighbors of a vertex.
    pub fn neighbors_into(
        &mut self,
        vertex: u32,
        neighbors: &mut Vec<u32>,
    ) -> Result<(), TopologyError> {
        let _ = self.for_each_segment(vertex, |some, _| {
            neighbors.extend_from_slice(some);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(())
    }
}
