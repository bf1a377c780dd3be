//! A directed graph read as an undirected one, without a copy.

use std::ops::{ControlFlow, Range};

use crate::{ALL, Graph, NeighborReader, StoredLists, VertexId, Weight};

/// A graph with in-lists as an undirected graph: the list of a vertex is its
/// out-list, and then its in-list.
///
/// Every edge is so in the lists of both its ends, as in a graph that was built
/// [`StoredLists::Undirected`] from the same edges: edges in both directions are
/// parallel edges, and a self-loop is twice in its list. Only the order in a list
/// differs. An undirected graph is read as it is.
pub struct Symmetric<'g, G> {
    graph: &'g G,
}

/// Reads the lists of a [`Symmetric`] graph.
pub struct SymmetricReader<R> {
    out: R,
    /// `None` where the out-lists are all there is.
    incoming: Option<R>,
}

impl<G> Clone for Symmetric<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<G> Copy for Symmetric<'_, G> {}

impl<'g, G: Graph> Symmetric<'g, G> {
    /// The graph as an undirected one; `None` if it keeps only out-lists.
    pub fn of(graph: &'g G) -> Option<Self> {
        (graph.stored_lists() != StoredLists::Out).then_some(Self { graph })
    }

    fn joins_two(&self) -> bool {
        self.graph.stored_lists() == StoredLists::Both
    }
}

impl<'g, G: Graph> Graph for Symmetric<'g, G> {
    type Reader<'a>
        = SymmetricReader<G::Reader<'g>>
    where
        Self: 'a;

    fn vertex_count(&self) -> usize {
        self.graph.vertex_count()
    }

    fn arc_count(&self) -> u64 {
        match self.joins_two() {
            true => 2 * self.graph.arc_count(),
            false => self.graph.arc_count(),
        }
    }

    fn stored_lists(&self) -> StoredLists {
        StoredLists::Undirected
    }

    fn is_sorted(&self) -> bool {
        !self.joins_two() && self.graph.is_sorted()
    }

    fn is_simple(&self) -> bool {
        !self.joins_two() && self.graph.is_simple()
    }

    fn is_weighted(&self) -> bool {
        self.graph.is_weighted()
    }

    #[inline]
    fn reader(&self) -> SymmetricReader<G::Reader<'g>> {
        SymmetricReader {
            out: self.graph.reader(),
            incoming: match self.joins_two() {
                true => self.graph.reverse_reader(),
                false => None,
            },
        }
    }

    #[inline]
    fn reverse_reader(&self) -> Option<SymmetricReader<G::Reader<'g>>> {
        Some(self.reader())
    }
}

impl<R: NeighborReader> NeighborReader for SymmetricReader<R> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        let incoming = self.incoming.as_mut().map_or(0, |lists| lists.degree(v));
        self.out.degree(v) + incoming
    }

    #[inline]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(incoming) = &mut self.incoming else {
            return self.out.visit_list::<WEIGHTED>(v, positions, visit);
        };
        let (front, behind) = match positions == ALL {
            true => (ALL, ALL),
            false => split(&positions, self.out.degree(v)),
        };
        self.out.visit_list::<WEIGHTED>(v, front, &mut visit)?;
        incoming.visit_list::<WEIGHTED>(v, behind, visit)
    }
}

/// Positions in the out-list, of `degree` neighbors, and in the in-list behind it.
#[inline]
fn split(positions: &Range<usize>, degree: usize) -> (Range<usize>, Range<usize>) {
    let behind = positions.start.max(degree) - degree..positions.end.max(degree) - degree;
    (
        positions.start.min(degree)..positions.end.min(degree),
        behind,
    )
}
