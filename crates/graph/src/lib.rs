//! The vocabulary every crate of Evergraph shares: what a vertex is, how an
//! algorithm reads a graph, a plain in-memory graph to compare with, random
//! numbers that are the same everywhere, sizes as messages tell them, and the switch
//! that ends long work.
//!
//! Nothing here can write a stored graph. An algorithm that is generic over
//! [`Graph`] therefore cannot write one either (Sage, VLDB 2020, section 3: the
//! large memory is read-only).

#![forbid(unsafe_code)]

mod array;
mod bytes;
mod cancellation;
mod column;
mod compressed;
mod csr;
mod induced;
pub mod random;
mod seal;
mod symmetric;

pub use array::Array;
pub use bytes::Bytes;
pub use cancellation::Cancellation;
pub use column::{Column, ColumnKind, ColumnValue, OwnedColumn};
pub use compressed::{Compressed, CompressedChunk, CompressedLists, CompressedReader};
pub use csr::{Csr, CsrLists, CsrReader};
pub use induced::{Induced, InducedReader, Subset};
pub use seal::{Shape, Unsound};
pub use symmetric::{Symmetric, SymmetricReader};

use std::ops::ControlFlow;
use std::ops::Range;

/// A vertex inside a graph: dense, `0..vertex_count`.
pub type VertexId = u32;

/// The weight of an edge. Graphs without weights read as weight 1.
pub type Weight = f32;

/// Number of distinct vertices that the compact adjacencies can hold (ids below 2^30 − 1).
pub const MAX_VERTICES: usize = (1 << 30) - 1;

/// Neighbor lists that a graph keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoredLists {
    /// Each edge is stored at both of its ends; out- and in-lists are the same.
    Undirected,
    /// Only out-lists.
    Out,
    /// Out-lists and in-lists.
    Both,
}

impl StoredLists {
    /// How reports and messages name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Undirected => "undirected",
            Self::Out => "out",
            Self::Both => "both",
        }
    }
}

/// A graph as of one view: what an algorithm reads.
///
/// Cheap to share between threads. Reading happens through a [`NeighborReader`],
/// one for each task of a parallel pass; a reader is a short pin, so take one
/// anew for each pass over the graph instead of keeping it.
pub trait Graph: Sync {
    /// Reads neighbor lists; see [`Graph::reader`].
    type Reader<'a>: NeighborReader
    where
        Self: 'a;

    /// Vertices are `0..vertex_count()`.
    fn vertex_count(&self) -> usize;

    /// Live entries of all out-lists (an undirected edge counts twice, a
    /// self-loop as often as it is stored).
    fn arc_count(&self) -> u64;

    /// Lists that exist.
    fn stored_lists(&self) -> StoredLists;

    /// Whether each list is sorted by neighbor id.
    fn is_sorted(&self) -> bool {
        false
    }

    /// Whether no list has self-loops or parallel edges.
    fn is_simple(&self) -> bool {
        false
    }

    /// Whether edges carry a weight.
    fn is_weighted(&self) -> bool {
        false
    }

    /// A reader of the out-lists.
    fn reader(&self) -> Self::Reader<'_>;

    /// A reader of the in-lists: the out-lists themselves for an undirected
    /// graph, `None` for a graph that keeps only out-lists.
    fn reverse_reader(&self) -> Option<Self::Reader<'_>>;
}

/// Within an `impl Graph` of a graph that reads another in its own way: answers
/// all questions about the graph as `$graph` does, so that only readers are left to
/// write. A question that a wrapper forgets would be answered by its default.
#[macro_export]
macro_rules! facts_of {
    ($self:ident => $graph:expr) => {
        fn vertex_count(&$self) -> usize {
            $graph.vertex_count()
        }

        fn arc_count(&$self) -> u64 {
            $graph.arc_count()
        }

        fn stored_lists(&$self) -> $crate::StoredLists {
            $graph.stored_lists()
        }

        fn is_sorted(&$self) -> bool {
            $graph.is_sorted()
        }

        fn is_simple(&$self) -> bool {
            $graph.is_simple()
        }

        fn is_weighted(&$self) -> bool {
            $graph.is_weighted()
        }
    };
}

/// Reads the live neighbor lists of one direction.
///
/// A list comes as a short sequence of slices in insertion order, deleted edges
/// left out. Methods take `&mut self` because a list with deletions is
/// assembled in a buffer that the reader owns.
pub trait NeighborReader {
    /// Live degree of `v`.
    ///
    /// # Panics
    /// If `v` is not below the graph's `vertex_count`, as do all methods here.
    fn degree(&mut self, v: VertexId) -> usize;

    /// Calls `visit` with each slice of the neighbors at `positions` of `v`'s list until it
    /// breaks; with the weights beside them if `WEIGHTED` (a slice of the same length, or
    /// an empty one in a graph without weights: all are 1). [`ALL`] positions are the whole
    /// list; those past its end are left out, so several tasks can share a hub.
    ///
    /// `Break` if `visit` broke.
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Calls `visit` with each slice of `v`'s list until it breaks.
    #[inline(always)]
    fn for_each_segment(
        &mut self,
        v: VertexId,
        mut visit: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_list::<false>(v, ALL, |segment, _| visit(segment))
    }

    /// As [`NeighborReader::for_each_segment`], with weights.
    #[inline(always)]
    fn for_each_weighted_segment(
        &mut self,
        v: VertexId,
        visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_list::<true>(v, ALL, visit)
    }

    /// As [`NeighborReader::for_each_segment`], of the neighbors at `positions`.
    #[inline(always)]
    fn for_each_segment_in(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_list::<false>(v, positions, |segment, _| visit(segment))
    }

    /// Calls `visit` with each neighbor of `v`.
    #[inline]
    fn for_each_neighbor(&mut self, v: VertexId, mut visit: impl FnMut(VertexId)) {
        let _ = self.for_each_segment(v, |segment| {
            for &u in segment {
                visit(u);
            }
            ControlFlow::Continue(())
        });
    }

    /// Appends `v`'s neighbors to `into`.
    fn neighbors_into(&mut self, v: VertexId, into: &mut Vec<VertexId>) {
        let _ = self.for_each_segment(v, |segment| {
            into.extend_from_slice(segment);
            ControlFlow::Continue(())
        });
    }
}

/// All positions of a list.
pub const ALL: Range<usize> = 0..usize::MAX;

/// Cuts the positions of a range out of a list that comes in segments.
#[derive(Clone, Debug)]
pub struct Parts {
    range: Range<usize>,
    /// Position in the list at which the next segment begins.
    position: usize,
    stopped: bool,
}

impl Parts {
    /// The positions `range` of a list of which no segment has come yet.
    pub fn of(range: Range<usize>) -> Self {
        Self {
            range,
            position: 0,
            stopped: false,
        }
    }

    /// Calls `visit` with the part of the next segment that lies in the range. `Break` if
    /// it broke, or once the range is behind: [`Parts::flow`] tells which.
    #[inline]
    pub fn visit(
        &mut self,
        segment: &[VertexId],
        weights: &[Weight],
        visit: &mut (impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()> + ?Sized),
    ) -> ControlFlow<()> {
        let len = segment.len();
        let start = self.range.start.saturating_sub(self.position).min(len);
        let end = self.range.end.saturating_sub(self.position).min(len);
        self.position += len;
        if start < end {
            let weights = weights.get(start..end).unwrap_or_default();
            self.stopped = visit(&segment[start..end], weights).is_break();
        }
        match self.stopped || self.position >= self.range.end {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// `Break` if the visitor broke.
    #[inline]
    pub fn flow(&self) -> ControlFlow<()> {
        match self.stopped {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
