//! Graphs that algorithms read: the stored lists, or a graph made of them.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{
    Compressed, CompressedReader, Csr, CsrReader, Graph, NeighborReader, StoredLists, Symmetric,
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

    fn stored_lists(&self) -> StoredLists {
        each!(AnyGraph, self, graph => graph.stored_lists())
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

    #[inline(always)]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self {
            AnyReader::Live(reader) if INLINED => {
                reader.visit_list::<WEIGHTED>(v, positions, visit)
            }
            AnyReader::Sealed(reader) if INLINED => {
                reader.visit_list::<WEIGHTED>(v, positions, visit)
            }
            reader => each!(AnyReader, reader, reader => {
                list::<WEIGHTED>(reader, v, positions, &mut visit)
            }),
        }
    }
}

// The rarer readers get what is done with a list as a function behind a pointer:
// otherwise its code would be there once more for each of them. A call a segment
// is little beside what they do for it.

#[allow(clippy::type_complexity, reason = "as the trait has it")]
fn list<const WEIGHTED: bool>(
    reader: &mut impl NeighborReader,
    v: VertexId,
    positions: Range<usize>,
    visit: &mut dyn FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    reader.visit_list::<WEIGHTED>(v, positions, visit)
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

    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        list::<WEIGHTED>(&mut self.0, v, positions, &mut visit)
    }
}
