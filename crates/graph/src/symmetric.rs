//! A directed graph read as an undirected one, without a copy.

use std::ops::{ControlFlow, Range};

use crate::{Direction, Graph, NeighborReader, VertexId, Weight};

/// A graph with in-lists as an undirected graph: the list of a vertex is its
/// out-list, and then its in-list.
///
/// Every edge is so in the lists of both its ends, as in a graph that was built
/// [`Direction::Undirected`] from the same edges: edges in both directions are
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
        (graph.direction() != Direction::Out).then_some(Self { graph })
    }

    fn joins_two(&self) -> bool {
        self.graph.direction() == Direction::Both
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

    fn direction(&self) -> Direction {
        Direction::Undirected
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

impl<R: NeighborReader> SymmetricReader<R> {
    /// The parts of a range of positions that lie in the out-list and in the
    /// in-list.
    #[inline]
    fn parts(&mut self, v: VertexId, range: Range<usize>) -> (Range<usize>, Range<usize>) {
        let degree = self.out.degree(v);
        let behind = range.start.max(degree) - degree..range.end.max(degree) - degree;
        (range.start.min(degree)..range.end.min(degree), behind)
    }
}

impl<R: NeighborReader> NeighborReader for SymmetricReader<R> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        let incoming = self.incoming.as_mut().map_or(0, |lists| lists.degree(v));
        self.out.degree(v) + incoming
    }

    #[inline]
    fn for_each_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        self.out.for_each_segment(v, &mut visit)?;
        match &mut self.incoming {
            Some(lists) => lists.for_each_segment(v, visit),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline]
    fn for_each_weighted_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        self.out.for_each_weighted_segment(v, &mut visit)?;
        match &mut self.incoming {
            Some(lists) => lists.for_each_weighted_segment(v, visit),
            None => ControlFlow::Continue(()),
        }
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
        let (front, behind) = self.parts(v, range);
        let mut stopped = false;
        let _ = self.out.for_each_segment_in(v, front, |segment| {
            let flow = visit(segment);
            stopped = flow.is_break();
            flow
        });
        // A reader may also break because its range is behind.
        if stopped {
            return ControlFlow::Break(());
        }
        match &mut self.incoming {
            Some(lists) => lists.for_each_segment_in(v, behind, visit),
            None => ControlFlow::Continue(()),
        }
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
        let (front, behind) = self.parts(v, range);
        let mut stopped = false;
        let visit_front = |segment: &[VertexId], weights: &[Weight]| {
            let flow = visit(segment, weights);
            stopped = flow.is_break();
            flow
        };
        let _ = self.out.for_each_weighted_segment_in(v, front, visit_front);
        if stopped {
            return ControlFlow::Break(());
        }
        match &mut self.incoming {
            Some(lists) => lists.for_each_weighted_segment_in(v, behind, visit),
            None => ControlFlow::Continue(()),
        }
    }
}
