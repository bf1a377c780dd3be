//! A graph read against its edges.

use evergraph_graph::{Graph, StoredLists, facts_of};

/// A graph with in-lists whose out- and in-lists have changed places.
pub(crate) struct Reversed<'g, G>(&'g G);

impl<'g, G: Graph> Reversed<'g, G> {
    /// `None` if `graph` keeps only out-lists.
    pub(crate) fn new(graph: &'g G) -> Option<Self> {
        (graph.stored_lists() != StoredLists::Out).then_some(Self(graph))
    }
}

impl<G: Graph> Graph for Reversed<'_, G> {
    type Reader<'a>
        = G::Reader<'a>
    where
        Self: 'a;

    facts_of!(self => self.0);

    fn reader(&self) -> Self::Reader<'_> {
        self.0
            .reverse_reader()
            .expect("a graph that is not `Out` has in-lists")
    }
    fn reverse_reader(&self) -> Option<Self::Reader<'_>> {
        Some(self.0.reader())
    }
}
