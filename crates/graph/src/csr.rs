//! A static graph in plain memory: compressed sparse rows.
//!
//! The reference that other graphs are compared with, for results (tests) and
//! for speed (benchmarks): its reader is two loads of offsets and a slice.

mod build;
mod seal;
mod verify;

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use crate::{ALL, Array, Graph, NeighborReader, Shape, StoredLists, VertexId, Weight};
use build::{Arcs, Side};

/// A static graph; 8 bytes a vertex and 4 an arc for each direction kept, 4 more an arc
/// with weights. In DRAM, except for arrays with another owner ([`Array`](crate::Array)).
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    direction: StoredLists,
    /// How its lists were sealed; `None` as the edges came.
    shape: Option<Shape>,
    out: CsrLists,
    /// Only for [`StoredLists::Both`].
    incoming: Option<CsrLists>,
}

/// The lists of one direction, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct CsrLists {
    /// `vertex_count + 1` positions in `neighbors`; list `v` ends where `v + 1` starts.
    pub offsets: Array<u64>,
    /// The entries of all lists.
    pub neighbors: Array<VertexId>,
    /// Beside `neighbors`, or empty.
    pub weights: Array<Weight>,
}

/// The same while they are made.
pub(crate) struct Lists {
    pub(crate) offsets: Vec<u64>,
    pub(crate) neighbors: Vec<VertexId>,
    pub(crate) weights: Vec<Weight>,
}

impl Csr {
    /// The graph of `edges` on the vertices `0..vertex_count`, lists in the order
    /// of `edges`.
    ///
    /// An undirected edge is stored at both ends, an undirected self-loop twice.
    /// Work O(n + m), parallel; needs 8 bytes an arc for the time of the build.
    ///
    /// # Panics
    /// If an end is not below `vertex_count`, or that is above [`crate::MAX_VERTICES`].
    pub fn from_edges(
        vertex_count: usize,
        edges: &[(VertexId, VertexId)],
        direction: StoredLists,
    ) -> Self {
        Self::build(vertex_count, edges, direction)
    }

    /// As [`Csr::from_edges`], with a weight on each edge.
    ///
    /// # Panics
    /// As [`Csr::from_edges`].
    pub fn from_weighted_edges(
        vertex_count: usize,
        edges: &[(VertexId, VertexId, Weight)],
        direction: StoredLists,
    ) -> Self {
        Self::build(vertex_count, edges, direction)
    }

    fn build<E: Arcs>(vertex_count: usize, edges: &[E], direction: StoredLists) -> Self {
        let side = match direction {
            StoredLists::Undirected => Side::Ends,
            StoredLists::Out | StoredLists::Both => Side::Out,
        };
        Self {
            direction,
            shape: None,
            out: build::lists(vertex_count, edges, side).into(),
            incoming: (direction == StoredLists::Both)
                .then(|| build::lists(vertex_count, edges, Side::In).into()),
        }
    }

    /// The same graph with each list sorted by neighbor, parallel edges by weight.
    #[must_use]
    pub fn sorted(self) -> Self {
        self.sealed(Shape::Sorted)
    }

    /// The simple graph: lists sorted, self-loops left out, and of parallel
    /// edges all but the lightest.
    #[must_use]
    pub fn simple(self) -> Self {
        self.sealed(Shape::Simple)
    }

    fn sealed(self, shape: Shape) -> Self {
        let Ok(sealed) = Self::seal(&self, shape, &|| Ok::<(), Infallible>(()));
        sealed
    }

    /// DRAM that it takes.
    pub fn size_bytes(&self) -> usize {
        let incoming = self.incoming.as_ref();
        self.out.size_bytes() + incoming.map_or(0, CsrLists::size_bytes)
    }

    /// How its lists were sealed; `None` if they are in the order in which the
    /// edges came.
    pub fn shape(&self) -> Option<Shape> {
        self.shape
    }

    /// The arrays of the out-lists.
    pub fn out_lists(&self) -> &CsrLists {
        &self.out
    }

    /// The arrays of the in-lists, where they are kept beside the out-lists.
    pub fn in_lists(&self) -> Option<&CsrLists> {
        self.incoming.as_ref()
    }

    /// The out-list of `v`.
    ///
    /// # Panics
    /// If `v` is not below the vertex count.
    pub fn neighbors(&self, v: VertexId) -> &[VertexId] {
        &self.out.neighbors[self.out.range(v)]
    }

    /// The in-list of `v`, `None` in a graph that keeps only out-lists.
    ///
    /// # Panics
    /// If `v` is not below the vertex count.
    pub fn in_neighbors(&self, v: VertexId) -> Option<&[VertexId]> {
        let lists = self.reverse_lists()?;
        Some(&lists.neighbors[lists.range(v)])
    }

    fn reverse_lists(&self) -> Option<&CsrLists> {
        match self.direction {
            StoredLists::Undirected => Some(&self.out),
            StoredLists::Out | StoredLists::Both => self.incoming.as_ref(),
        }
    }
}

impl From<Lists> for CsrLists {
    fn from(lists: Lists) -> Self {
        Self {
            offsets: lists.offsets.into(),
            neighbors: lists.neighbors.into(),
            weights: lists.weights.into(),
        }
    }
}

impl CsrLists {
    fn size_bytes(&self) -> usize {
        self.offsets.size_bytes() + self.neighbors.size_bytes() + self.weights.size_bytes()
    }

    #[inline]
    fn range(&self, v: VertexId) -> Range<usize> {
        range(&self.offsets, v)
    }

    fn reader(&self) -> CsrReader<'_> {
        CsrReader {
            offsets: &self.offsets,
            neighbors: &self.neighbors,
            weights: &self.weights,
        }
    }
}

#[inline]
fn range(offsets: &[u64], v: VertexId) -> Range<usize> {
    let v = v as usize;
    let ends = &offsets[v..v + 2];
    ends[0] as usize..ends[1] as usize
}

impl Graph for Csr {
    type Reader<'a> = CsrReader<'a>;

    fn vertex_count(&self) -> usize {
        self.out.offsets.len() - 1
    }

    fn arc_count(&self) -> u64 {
        self.out.neighbors.len() as u64
    }

    fn stored_lists(&self) -> StoredLists {
        self.direction
    }

    fn is_sorted(&self) -> bool {
        self.shape.is_some()
    }

    fn is_simple(&self) -> bool {
        self.shape.is_some_and(Shape::is_simple)
    }

    fn is_weighted(&self) -> bool {
        !self.out.weights.is_empty()
    }

    fn reader(&self) -> CsrReader<'_> {
        self.out.reader()
    }

    fn reverse_reader(&self) -> Option<CsrReader<'_>> {
        self.reverse_lists().map(CsrLists::reader)
    }
}

/// Reads the lists of a [`Csr`]: each is one slice.
#[derive(Clone, Copy, Debug)]
pub struct CsrReader<'a> {
    offsets: &'a [u64],
    neighbors: &'a [VertexId],
    weights: &'a [Weight],
}

impl NeighborReader for CsrReader<'_> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        range(self.offsets, v).len()
    }

    #[inline(always)]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let list = range(self.offsets, v);
        if positions == ALL {
            return self.visit_range::<WEIGHTED>(list, &mut visit);
        }
        let start = list.start.saturating_add(positions.start).min(list.end);
        let end = list.start.saturating_add(positions.end).min(list.end);
        match start < end {
            true => self.visit_range::<WEIGHTED>(start..end, &mut visit),
            false => ControlFlow::Continue(()),
        }
    }
}

impl CsrReader<'_> {
    /// A range of the common arrays.
    #[inline(always)]
    fn visit_range<const WEIGHTED: bool>(
        &self,
        range: Range<usize>,
        visit: &mut impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let weights = match WEIGHTED {
            true => self.weights.get(range.clone()).unwrap_or_default(),
            false => &[],
        };
        visit(&self.neighbors[range], weights)
    }
}
