//! Sealed graphs for algorithms: the lists that they hold, how they are made, and the
//! cost of that.

use std::sync::Arc;

use evergraph_graph::{Compressed, Csr, Graph, Shape, StoredLists, Symmetric};
use evergraph_snapshots::View;
use evergraph_topology::{Config, SealedInfo};

use crate::copies::{Content, Copy};

/// The sealed graph of a view; coded if it is to be compressed.
pub(crate) fn seal<G: Graph, E: Send>(
    graph: &G,
    lists: Content,
    compressed: bool,
    check: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<Copy, E> {
    let lacks_in_lists = graph.stored_lists() == StoredLists::Out;
    match lists {
        Content::InOrder => Ok(Copy::Sealed(Arc::new(Csr::copy(graph, check)?))),
        Content::Stored => shaped(graph, Shape::Sorted, compressed, check),
        Content::SimpleUndirected => shaped(graph, Shape::Symmetric, compressed, check),
        Content::Simple if !lacks_in_lists => shaped(graph, Shape::Simple, compressed, check),
        Content::InLists if !lacks_in_lists => shaped(graph, Shape::Sorted, compressed, check),
        Content::Simple | Content::InLists => {
            let both = Csr::seal_with_in_lists(graph, lists == Content::Simple, check)?;
            match compressed {
                true => shaped(&both, lists.shape(), true, check),
                false => Ok(Copy::Sealed(Arc::new(both))),
            }
        }
        Content::Undirected => match Symmetric::of(graph) {
            Some(symmetric) => shaped(&symmetric, Shape::Sorted, compressed, check),
            None => {
                let both = Csr::seal_with_in_lists(graph, false, check)?;
                let symmetric = Symmetric::of(&both).expect("it was made with in-lists");
                shaped(&symmetric, Shape::Sorted, compressed, check)
            }
        },
    }
}

fn shaped<G: Graph, E: Send>(
    graph: &G,
    shape: Shape,
    compressed: bool,
    check: &(impl Fn() -> Result<(), E> + Sync),
) -> Result<Copy, E> {
    Ok(match compressed {
        true => {
            let block = Compressed::BLOCK_EDGES;
            Copy::Compressed(Arc::new(Compressed::seal(graph, shape, block, check)?))
        }
        false => Copy::Sealed(Arc::new(Csr::seal(graph, shape, check)?)),
    })
}

/// Whether the lists hold each edge of a directed graph at both ends.
pub(super) fn is_doubled(lists: Content, direction: StoredLists) -> bool {
    let undirected = matches!(lists, Content::Undirected | Content::SimpleUndirected);
    undirected && direction != StoredLists::Undirected
}

/// Size and shape of the graph that is sealed.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    pub(super) vertices: u64,
    pub(super) arcs: u64,
    pub(super) direction: StoredLists,
    pub(super) weighted: bool,
}

impl Source {
    pub(crate) fn of(config: &Config, view: &View, arcs: u64) -> Self {
        Source {
            vertices: view.vertex_count() as u64,
            arcs,
            direction: config.direction,
            weighted: config.weighted,
        }
    }

    pub(super) fn of_graph(graph: &impl Graph) -> Self {
        Source {
            vertices: graph.vertex_count() as u64,
            arcs: graph.arc_count(),
            direction: graph.stored_lists(),
            weighted: graph.is_weighted(),
        }
    }

    /// Edges, an undirected one once.
    pub(super) fn edges(self) -> u64 {
        match self.direction {
            StoredLists::Undirected => self.arcs / 2,
            StoredLists::Out | StoredLists::Both => self.arcs,
        }
    }

    /// Peak DRAM of [`seal`], without the longest lists of its tasks. A compressed graph
    /// is counted as large as another: how small it will be is not known before.
    pub(crate) fn peak_bytes(self, lists: Content, compressed: bool) -> u64 {
        let entry = if self.weighted { 8 } else { 4 };
        let one_way = 8 * (self.vertices + 1) + entry * self.arcs;
        let joined = one_way + entry * self.arcs;
        match (self.direction, lists) {
            (StoredLists::Undirected, _) => one_way,
            (StoredLists::Out, Content::Stored | Content::InOrder) => one_way,
            (StoredLists::Both, Content::Undirected | Content::SimpleUndirected) => joined,
            (StoredLists::Both, _) => 2 * one_way,
            (StoredLists::Out, Content::InLists | Content::Simple) if compressed => 4 * one_way,
            (StoredLists::Out, Content::InLists | Content::Simple) => 2 * one_way,
            (StoredLists::Out, Content::Undirected) => 2 * one_way + joined,
            (StoredLists::Out, Content::SimpleUndirected) if compressed => 2 * joined,
            (StoredLists::Out, Content::SimpleUndirected) => joined,
        }
    }
}

impl Content {
    /// Lists that serve most algorithms for this shape: in-lists too, even if only
    /// out-lists are stored.
    pub(crate) fn of_shape(shape: Shape, direction: StoredLists) -> Self {
        match (shape, direction) {
            (Shape::Sorted, StoredLists::Out) => Content::InLists,
            (Shape::Sorted, _) => Content::Stored,
            (Shape::Simple, StoredLists::Undirected) => Content::SimpleUndirected,
            (Shape::Simple, _) => Content::Simple,
            (Shape::Symmetric, _) => Content::SimpleUndirected,
        }
    }

    /// Lists of a stored graph in a database of `direction`.
    pub(crate) fn of(stored: &SealedInfo, direction: StoredLists) -> Self {
        match stored.shape {
            None => Content::InOrder,
            Some(Shape::Sorted) if stored.direction == direction => Content::Stored,
            Some(Shape::Sorted) if stored.direction == StoredLists::Undirected => {
                Content::Undirected
            }
            Some(Shape::Sorted) => Content::InLists,
            Some(Shape::Simple) => Content::Simple,
            Some(Shape::Symmetric) => Content::SimpleUndirected,
        }
    }

    /// Whether an algorithm that is to get `wanted` can read these lists.
    pub(crate) fn serves(self, wanted: Content) -> bool {
        self == wanted || (self, wanted) == (Content::InLists, Content::Stored)
    }

    fn shape(self) -> Shape {
        match self {
            Content::Simple => Shape::Simple,
            Content::SimpleUndirected => Shape::Symmetric,
            _ => Shape::Sorted,
        }
    }

    /// As states of runs keep it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Content::InOrder => "InOrder",
            Content::Stored => "Stored",
            Content::InLists => "InLists",
            Content::Simple => "Simple",
            Content::Undirected => "Undirected",
            Content::SimpleUndirected => "SimpleUndirected",
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Content::InOrder => "in stored order",
            Content::Stored => "sorted",
            Content::InLists => "sorted, with in-lists",
            Content::Simple => "sorted, simple, with in-lists",
            Content::Undirected => "sorted, undirected",
            Content::SimpleUndirected => "sorted, simple, undirected",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Content;

    /// A run goes on only if it reads the lists that its state names.
    #[test]
    fn words_that_states_keep_are_pinned() {
        let pinned = [
            (Content::InOrder, "InOrder"),
            (Content::Stored, "Stored"),
            (Content::InLists, "InLists"),
            (Content::Simple, "Simple"),
            (Content::Undirected, "Undirected"),
            (Content::SimpleUndirected, "SimpleUndirected"),
        ];
        for (content, word) in pinned {
            assert_eq!(content.word(), word);
        }
    }
}
