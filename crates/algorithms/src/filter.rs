//! A graph from which edges are removed, without writing it.
//!
//! A [`GraphFilter`] keeps one bit for each entry of a list: is it live? Lists are
//! cut into blocks of 64, 128 or 256 entries. A list of several blocks has a degree
//! and a number of blocks, and each block says which block of the list it is and
//! how many live entries are in blocks before it. Once half of a list's blocks have
//! no live entry they are dropped, so that reading costs what is left, not what was.
//! A filter is a [`Graph`] of the live edges, and the graph below is only read.
//!
//! *Two ends.* Removing an edge from the list of one end leaves it in the list of
//! the other, which is then *dirty*. [`GraphFilter::filter_edges`] visits all lists
//! and leaves none dirty; after [`GraphFilter::edge_map_pack`] there may be some
//! until they are packed too, or [`GraphFilter::clean`] is called. The predicates of
//! one filter must only tighten: what one has refused, later ones refuse too.
//!
//! Memory: 4 bytes a vertex and a bit for dirty, one bit an entry in whole words,
//! and for lists of several blocks 8 bytes a list and 8 a block;
//! [`bytes_needed`] is exact. The paper keeps three words for each vertex and two for
//! each block; of a list of one block they say nothing that its bits do not.
//! Work: O(m / 64 + live edges) to filter all; of `pack` that of the lists packed.
//! Deterministic. Self-loops and parallel edges are entries like others.
//!
//! Source: Dhulipala et al., "Sage", VLDB 2020, section 4.2.

mod pack;
mod reader;
mod side;
#[cfg(test)]
mod tests;
mod walk;

use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};

pub use self::reader::FilterReader;
pub use self::side::BlockSize;
use self::side::Side;
use crate::parallel::Lists;
use crate::subset::SharedBitmap;
use crate::{Cancelled, Control, RunError};

/// Lists that a filter keeps; this decides which predicates are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The lists of an undirected graph, for predicates that say the same of
    /// `(u, v)` and `(v, u)`. The filter is an undirected graph.
    Symmetric,
    /// Out-lists and in-lists, for any predicate. The filter of an undirected
    /// graph is a directed one. Twice the memory.
    Both,
    /// Only out-lists, for any predicate.
    Out,
}

/// The live edges of a graph; see the [module](self).
pub struct GraphFilter<'g, G> {
    graph: &'g G,
    direction: StoredLists,
    out: Side,
    /// Only with [`Keep::Both`].
    incoming: Option<Side>,
    /// Vertices with an edge in their list (their in-list with [`Keep::Both`])
    /// that is gone from the list of the other end.
    dirty: SharedBitmap,
    arc_count: u64,
}

impl<'g, G: Graph> GraphFilter<'g, G> {
    /// All edges of `graph`. Work O(n + m / 64).
    ///
    /// # Errors
    /// [`RunError::NeedsUndirected`] for [`Keep::Symmetric`] of another graph,
    /// [`RunError::NeedsInLists`] for [`Keep::Both`] of one that keeps only
    /// out-lists; or if `control` ends the run.
    ///
    /// # Panics
    /// If one direction of the filter would take 2^32 words, 32 GiB.
    pub fn new(
        graph: &'g G,
        keep: Keep,
        block_size: BlockSize,
        control: &Control,
    ) -> Result<Self, RunError> {
        let (direction, incoming) = match keep {
            Keep::Symmetric if graph.stored_lists() != StoredLists::Undirected => {
                return Err(RunError::NeedsUndirected);
            }
            Keep::Symmetric => (StoredLists::Undirected, None),
            Keep::Out => (StoredLists::Out, None),
            Keep::Both => {
                let lists = Lists::incoming(graph).ok_or(RunError::NeedsInLists)?;
                (
                    StoredLists::Both,
                    Some(Side::new(lists, block_size, control)?),
                )
            }
        };
        Ok(Self {
            graph,
            direction,
            out: Side::new(Lists::outgoing(graph), block_size, control)?,
            incoming,
            dirty: SharedBitmap::empty(graph.vertex_count()),
            arc_count: graph.arc_count(),
        })
    }

    /// The edges of `graph` that `predicate(u, v)` accepts.
    ///
    /// # Errors
    /// As [`GraphFilter::new`].
    ///
    /// # Panics
    /// As [`GraphFilter::new`].
    pub fn with(
        graph: &'g G,
        keep: Keep,
        block_size: BlockSize,
        predicate: impl Fn(VertexId, VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<Self, RunError> {
        let mut filter = Self::new(graph, keep, block_size, control)?;
        filter.filter_edges(predicate, control)?;
        Ok(filter)
    }

    /// Removes all edges that `predicate(u, v)` refuses. Returns how many entries of
    /// out-lists remain. No vertex is dirty any more.
    ///
    /// # Errors
    /// If `control` ends the run; some edges are then gone and others not.
    pub fn filter_edges(
        &mut self,
        predicate: impl Fn(VertexId, VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<u64, Cancelled> {
        let outgoing = Lists::outgoing(self.graph);
        self.arc_count -= self.out.pack_all(outgoing, &predicate, control)?;
        if let (Some(side), Some(lists)) = (&self.incoming, Lists::incoming(self.graph)) {
            side.pack_all(lists, |v, u| predicate(u, v), control)?;
        }
        self.dirty.take();
        Ok(self.arc_count)
    }

    /// Removes from the out-lists of `vertices` (none twice) the edges that
    /// `predicate(u, v)` refuses; marks the other ends dirty. Each of them with its
    /// degree now.
    ///
    /// # Errors
    /// If `control` ends the run; some edges are then gone and others not.
    pub fn edge_map_pack(
        &mut self,
        vertices: &[VertexId],
        predicate: impl Fn(VertexId, VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<Vec<(VertexId, u32)>, Cancelled> {
        let mirrored = self.direction != StoredLists::Out;
        let marks = mirrored.then_some(&self.dirty);
        let outgoing = Lists::outgoing(self.graph);
        self.arc_count -= (self.out).pack(outgoing, vertices, predicate, marks, control)?;
        if self.direction == StoredLists::Undirected {
            vertices.iter().for_each(|&v| self.dirty.remove(v));
        }
        let degrees = vertices.iter().map(|&v| (v, self.out.degree(v) as u32));
        Ok(degrees.collect())
    }

    /// Removes all but one of the parallel edges of each out-list of a new filter that
    /// keeps [`Keep::Out`]. Work O(m) expected, none on a simple graph.
    ///
    /// # Errors
    /// If `control` ends the run; some edges are then gone and others not.
    pub(crate) fn unite_parallel(&mut self, control: &Control) -> Result<(), Cancelled> {
        debug_assert!(self.direction == StoredLists::Out && self.incoming.is_none());
        if !self.graph.is_simple() {
            let outgoing = Lists::outgoing(self.graph);
            self.arc_count -= self.out.unite_parallel(outgoing, control)?;
        }
        Ok(())
    }

    /// Whether an edge may be in the list of `v` (its in-list with [`Keep::Both`])
    /// that is gone from the list of the other end.
    pub fn is_dirty(&self, v: VertexId) -> bool {
        self.dirty.contains(v)
    }

    /// Removes all edges at dirty vertices that `predicate(u, v)` refuses, from the
    /// lists of both ends, until no vertex is dirty. `predicate` must refuse what
    /// those refused that made vertices dirty.
    ///
    /// # Errors
    /// If `control` ends the run; some edges are then gone and others not.
    pub fn clean(
        &mut self,
        predicate: impl Fn(VertexId, VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<(), Cancelled> {
        loop {
            let dirty = self.dirty.take().to_list();
            if dirty.is_empty() {
                return Ok(());
            }
            match (&self.incoming, Lists::incoming(self.graph)) {
                (Some(side), Some(lists)) => {
                    // Both sides must agree: edges removed from in-lists are removed from
                    // out-lists, too.
                    let sources = SharedBitmap::empty(self.graph.vertex_count());
                    let refused = |v, u| predicate(u, v);
                    side.pack(lists, &dirty, refused, Some(&sources), control)?;
                    let sources = sources.into_bitmap().to_list();
                    self.edge_map_pack(&sources, &predicate, control)?;
                }
                _ => {
                    self.edge_map_pack(&dirty, &predicate, control)?;
                }
            }
        }
    }

    /// Live out-degree of `v`.
    ///
    /// # Panics
    /// If `v` is not below the vertex count.
    pub fn degree(&self, v: VertexId) -> usize {
        self.out.degree(v)
    }

    /// Memory of the filter, as allocated.
    pub fn size_bytes(&self) -> usize {
        let sides = [Some(&self.out), self.incoming.as_ref()];
        let sides: usize = sides.into_iter().flatten().map(Side::size_bytes).sum();
        sides + self.dirty.size_bytes()
    }
}

/// Memory of a new filter of lists with these degrees, exactly: for each list, and
/// for all of them with their number `n` 4(n + 1) bytes and n bits. A list of up to
/// one block takes a bit an entry in whole words; a longer one a word, and for each
/// block a word and its bits. [`Keep::Both`] takes this for either direction, less
/// once the n bits.
pub fn bytes_needed(degrees: impl IntoIterator<Item = usize>, block_size: BlockSize) -> usize {
    let (mut n, mut words) = (0_usize, 0);
    for degree in degrees {
        n += 1;
        words += side::words_needed(degree, block_size);
    }
    4 * (n + 1) + 8 * words + 8 * n.div_ceil(64)
}

impl<G: Graph> Graph for GraphFilter<'_, G> {
    type Reader<'a>
        = FilterReader<'a, G::Reader<'a>>
    where
        Self: 'a;

    fn vertex_count(&self) -> usize {
        self.graph.vertex_count()
    }

    fn arc_count(&self) -> u64 {
        self.arc_count
    }

    fn stored_lists(&self) -> StoredLists {
        self.direction
    }

    fn is_sorted(&self) -> bool {
        self.graph.is_sorted()
    }

    fn is_simple(&self) -> bool {
        self.graph.is_simple()
    }

    fn is_weighted(&self) -> bool {
        self.graph.is_weighted()
    }

    fn reader(&self) -> Self::Reader<'_> {
        FilterReader::new(&self.out, self.graph.reader())
    }

    fn reverse_reader(&self) -> Option<Self::Reader<'_>> {
        match (self.direction, &self.incoming) {
            (StoredLists::Undirected, _) => Some(self.reader()),
            (_, Some(side)) => Some(FilterReader::new(side, self.graph.reverse_reader()?)),
            (_, None) => None,
        }
    }
}

/// Calls `visit` with each vertex that is in the live list of `v` and in `sorted`.
/// Lists must be sorted; a vertex that is several times in the list is met once.
pub fn intersect(
    reader: &mut impl NeighborReader,
    v: VertexId,
    sorted: &[VertexId],
    mut visit: impl FnMut(VertexId),
) {
    let mut rest = sorted;
    let _ = reader.for_each_segment(v, |segment| {
        for &u in segment {
            while let [first, behind @ ..] = rest
                && *first < u
            {
                rest = behind;
            }
            match rest {
                [] => return ControlFlow::Break(()),
                [first, behind @ ..] if *first == u => {
                    visit(u);
                    rest = behind;
                }
                _ => (),
            }
        }
        ControlFlow::Continue(())
    });
}
