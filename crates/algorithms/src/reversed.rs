//! A graph read against its edges.

use evergraph_graph::{Direction, Graph};

/// A graph with in-lists whose out- and in-lists have changed places.
pub(crate) struct Reversed<'g, G>(&'g G);

impl<'g, G: Graph> Reversed<'g, G> {
    /// `None` if `graph` keeps only out-lists.
    pub(crate) fn new(graph: &'g G) -> Option<Self> {
        (graph.direction() != Direction::Out).then_some(Self(graph))
    }
}

impl<G: Graph> Graph for Reversed<'_, G> {
    type Reader<'a>
        = G::Reader<'a>
    where
        Self: 'a;

    fn vertex_count(&self) -> usize {
        self.0.vertex_count()
    }
    fn arc_count(&self) -> u64 {
        self.0.arc_count()
    }
    fn direction(&self) -> Direction {
        self.0.direction()
    }
    fn is_sorted(&self) -> bool {
        self.0.is_sorted()
    }
    fn is_weighted(&self) -> bool {
        self.0.is_weighted()
    }
    fn reader(&self) -> Self::Reader<'_> {
        self.0
            .reverse_reader()
            .expect("a graph that is not `Out` has in-lists")
    }
    fn reverse_reader(&self) -> Option<Self::Reader<'_>> {
        Some(self.0.reader())
    }
}
