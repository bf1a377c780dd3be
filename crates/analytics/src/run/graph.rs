//! Graphs that algorithms read: the stored lists, or a graph made of them.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{
    Compressed, CompressedReader, Csr, CsrReader, Direction, Graph, NeighborReader, Symmetric,
    SymmetricReader, VertexId, Weight, facts_of,
};
use evergraph_property_graph::graph::{Projection, ProjectionReader};
use evergraph_snapshots::{GraphView, ViewReader};

/// A graph as an algorithm gets it. One type, so that each algorithm is compiled
/// once; which of them it is, is asked once a list.
#[derive(Clone, Copy)]
pub enum AnyGraph<'g> {
    /// The lists as they are stored.
    Live(&'g GraphView),
    /// The stored out- and in-lists as those of an undirected graph.
    Symmetric(Symmetric<'g, GraphView>),
    /// A sealed copy.
    Sealed(&'g Csr),
    /// A sealed copy of about half the bytes.
    Compressed(&'g Compressed),
    /// A part of a property graph, whichever way it is read.
    Projected(&'g Projection),
}

/// Reads one direction of an [`AnyGraph`].
#[allow(
    clippy::large_enum_variant,
    reason = "one for each chunk, on the stack"
)]
pub enum AnyReader<'g> {
    /// Of the stored lists.
    Live(ViewReader<'g>),
    /// Of both directions.
    Symmetric(SymmetricReader<ViewReader<'g>>),
    /// Of a sealed copy.
    Sealed(CsrReader<'g>),
    /// Of a compressed one.
    Compressed(CompressedReader<'g>),
    /// Of a part of a property graph.
    Projected(ProjectionReader<'g>),
}

macro_rules! each {
    ($type:ident, $of:expr, $inner:pat => $value:expr) => {
        match $of {
            $type::Live($inner) => $value,
            $type::Symmetric($inner) => $value,
            $type::Sealed($inner) => $value,
            $type::Compressed($inner) => $value,
            $type::Projected($inner) => $value,
        }
    };
}

impl<'g> Graph for AnyGraph<'g> {
    type Reader<'a>
        = AnyReader<'a>
    where
        Self: 'a;

    fn vertex_count(&self) -> usize {
        each!(AnyGraph, self, graph => graph.vertex_count())
    }

    fn arc_count(&self) -> u64 {
        each!(AnyGraph, self, graph => graph.arc_count())
    }

    fn direction(&self) -> Direction {
        each!(AnyGraph, self, graph => graph.direction())
    }

    fn is_sorted(&self) -> bool {
        each!(AnyGraph, self, graph => graph.is_sorted())
    }

    fn is_simple(&self) -> bool {
        each!(AnyGraph, self, graph => graph.is_simple())
    }

    fn is_weighted(&self) -> bool {
        each!(AnyGraph, self, graph => graph.is_weighted())
    }

    #[inline]
    fn reader(&self) -> AnyReader<'_> {
        match self {
            AnyGraph::Live(graph) => AnyReader::Live(graph.reader()),
            AnyGraph::Symmetric(graph) => AnyReader::Symmetric(graph.reader()),
            AnyGraph::Sealed(graph) => AnyReader::Sealed(graph.reader()),
            AnyGraph::Compressed(graph) => AnyReader::Compressed(graph.reader()),
            AnyGraph::Projected(graph) => AnyReader::Projected(graph.reader()),
        }
    }

    #[inline]
    fn reverse_reader(&self) -> Option<AnyReader<'_>> {
        Some(match self {
            AnyGraph::Live(graph) => AnyReader::Live(graph.reverse_reader()?),
            AnyGraph::Symmetric(graph) => AnyReader::Symmetric(graph.reverse_reader()?),
            AnyGraph::Sealed(graph) => AnyReader::Sealed(graph.reverse_reader()?),
            AnyGraph::Compressed(graph) => AnyReader::Compressed(graph.reverse_reader()?),
            AnyGraph::Projected(graph) => AnyReader::Projected(graph.reverse_reader()?),
        })
    }
}

/// Whether what algorithms do with a list is compiled into the commonest readers. With
/// debug assertions it is a function behind a pointer for all of them: every algorithm
/// is compiled once instead of three times, which is most of the time that the tests
/// take from nothing.
const INLINED: bool = !cfg!(debug_assertions);

impl NeighborReader for AnyReader<'_> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        each!(AnyReader, self, reader => reader.degree(v))
    }

    #[inline]
    fn for_each_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        match self {
            AnyReader::Live(reader) if INLINED => reader.for_each_segment(v, visit),
            AnyReader::Sealed(reader) if INLINED => reader.for_each_segment(v, visit),
            AnyReader::Live(reader) => segments(reader, v, &mut visit),
            AnyReader::Sealed(reader) => segments(reader, v, &mut visit),
            AnyReader::Symmetric(reader) => segments(reader, v, &mut visit),
            AnyReader::Compressed(reader) => segments(reader, v, &mut visit),
            AnyReader::Projected(reader) => segments(reader, v, &mut visit),
        }
    }

    #[inline]
    fn for_each_weighted_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        match self {
            AnyReader::Live(reader) if INLINED => reader.for_each_weighted_segment(v, visit),
            AnyReader::Sealed(reader) if INLINED => reader.for_each_weighted_segment(v, visit),
            AnyReader::Live(reader) => weighted_segments(reader, v, &mut visit),
            AnyReader::Sealed(reader) => weighted_segments(reader, v, &mut visit),
            AnyReader::Symmetric(reader) => weighted_segments(reader, v, &mut visit),
            AnyReader::Compressed(reader) => weighted_segments(reader, v, &mut visit),
            AnyReader::Projected(reader) => weighted_segments(reader, v, &mut visit),
        }
    }

    #[inline]
    fn for_each_segment_in<F>(
        &mut self,
        v: VertexId,
        range: Range<usize>,
        mut visit: F,
    ) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        match self {
            AnyReader::Live(reader) if INLINED => reader.for_each_segment_in(v, range, visit),
            AnyReader::Sealed(reader) if INLINED => reader.for_each_segment_in(v, range, visit),
            AnyReader::Live(reader) => parts(reader, v, range, &mut visit),
            AnyReader::Sealed(reader) => parts(reader, v, range, &mut visit),
            AnyReader::Symmetric(reader) => parts(reader, v, range, &mut visit),
            AnyReader::Compressed(reader) => parts(reader, v, range, &mut visit),
            AnyReader::Projected(reader) => parts(reader, v, range, &mut visit),
        }
    }

    #[inline]
    fn for_each_weighted_segment_in<F>(
        &mut self,
        v: VertexId,
        range: Range<usize>,
        mut visit: F,
    ) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        match self {
            AnyReader::Live(reader) if INLINED => {
                reader.for_each_weighted_segment_in(v, range, visit)
            }
            AnyReader::Sealed(reader) if INLINED => {
                reader.for_each_weighted_segment_in(v, range, visit)
            }
            AnyReader::Live(reader) => weighted_parts(reader, v, range, &mut visit),
            AnyReader::Sealed(reader) => weighted_parts(reader, v, range, &mut visit),
            AnyReader::Symmetric(reader) => weighted_parts(reader, v, range, &mut visit),
            AnyReader::Compressed(reader) => weighted_parts(reader, v, range, &mut visit),
            AnyReader::Projected(reader) => weighted_parts(reader, v, range, &mut visit),
        }
    }
}

type Visit<'v> = &'v mut dyn FnMut(&[VertexId]) -> ControlFlow<()>;
type VisitWeighted<'v> = &'v mut dyn FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>;

// The rarer readers get what is done with a list as a function behind a pointer:
// otherwise its code would be there once more for each of them. A call a segment
// is little beside what they do for it.

fn segments(reader: &mut impl NeighborReader, v: VertexId, visit: Visit<'_>) -> ControlFlow<()> {
    reader.for_each_segment(v, visit)
}

fn weighted_segments(
    reader: &mut impl NeighborReader,
    v: VertexId,
    visit: VisitWeighted<'_>,
) -> ControlFlow<()> {
    reader.for_each_weighted_segment(v, visit)
}

fn parts(
    reader: &mut impl NeighborReader,
    v: VertexId,
    range: Range<usize>,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    reader.for_each_segment_in(v, range, visit)
}

fn weighted_parts(
    reader: &mut impl NeighborReader,
    v: VertexId,
    range: Range<usize>,
    visit: VisitWeighted<'_>,
) -> ControlFlow<()> {
    reader.for_each_weighted_segment_in(v, range, visit)
}

/// A graph for verifiers, which need no speed: what they do with a list is a
/// function behind a pointer for every kind of lists, and so compiled once.
pub(super) struct Plain<'g>(pub &'g AnyGraph<'g>);

/// Reads one direction of a [`Plain`] graph.
pub(super) struct PlainReader<'g>(AnyReader<'g>);

impl<'g> Graph for Plain<'g> {
    type Reader<'a>
        = PlainReader<'a>
    where
        Self: 'a;

    facts_of!(self => self.0);

    fn reader(&self) -> PlainReader<'_> {
        PlainReader(self.0.reader())
    }

    fn reverse_reader(&self) -> Option<PlainReader<'_>> {
        self.0.reverse_reader().map(PlainReader)
    }
}

impl NeighborReader for PlainReader<'_> {
    fn degree(&mut self, v: VertexId) -> usize {
        self.0.degree(v)
    }

    fn for_each_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        segments(&mut self.0, v, &mut visit)
    }

    fn for_each_weighted_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        weighted_segments(&mut self.0, v, &mut visit)
    }

    fn for_each_segment_in<F>(
        &mut self,
        v: VertexId,
        range: Range<usize>,
        mut visit: F,
    ) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        parts(&mut self.0, v, range, &mut visit)
    }

    fn for_each_weighted_segment_in<F>(
        &mut self,
        v: VertexId,
        range: Range<usize>,
        mut visit: F,
    ) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        weighted_parts(&mut self.0, v, range, &mut visit)
    }
}
