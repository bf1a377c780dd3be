//! Choice of the direction of a traversal.

use evergraph_graph::Graph;

use crate::parallel::{Lists, degree_sum};
use crate::subset::VertexSubset;

/// The choice between push and pull in a traversal, after Beamer et al.
#[derive(Clone, Debug)]
pub struct Switch {
    alpha: u64,
    beta: usize,
    /// Arcs that no push has visited yet.
    unexplored: u64,
    dense: bool,
    previous_len: usize,
}

impl Switch {
    /// Pulls once the frontier has more than 1/`alpha` of the arcs left to
    /// explore, until it shrinks below 1/`beta` of the vertices. Without in-lists,
    /// pushes from a bitmap instead.
    pub fn new(graph: &impl Graph, alpha: u64, beta: usize) -> Self {
        Self {
            alpha,
            beta,
            unexplored: graph.arc_count(),
            dense: false,
            previous_len: 0,
        }
    }

    /// Whether to treat `frontier` as large.
    pub(super) fn is_dense<G: Graph>(&mut self, graph: &G, frontier: &VertexSubset) -> bool {
        let len = frontier.len();
        let shrinks = len < self.previous_len;
        self.previous_len = len;
        if self.dense {
            self.dense = !shrinks || len > graph.vertex_count() / self.beta;
        } else if let VertexSubset::Sparse(list) = frontier {
            let arcs = degree_sum(Lists::outgoing(graph), list);
            self.dense = arcs > self.unexplored / self.alpha;
            self.unexplored = self.unexplored.saturating_sub(arcs);
        }
        self.dense
    }
}
