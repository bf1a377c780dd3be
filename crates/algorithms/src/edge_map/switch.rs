//! Which direction a traversal takes.

use evergraph_graph::{Direction, Graph};

use crate::parallel::{Lists, degree_sum};
use crate::subset::VertexSubset;

/// The choice between push and pull in a traversal, after Beamer et al.
#[derive(Clone, Debug)]
pub struct Switch {
    alpha: u64,
    beta: usize,
    /// Arcs that no push has visited yet.
    unexplored: u64,
    pulling: bool,
    previous_len: usize,
}

impl Switch {
    /// Pulls once the frontier has more than 1/`alpha` of the arcs left to
    /// explore, until it shrinks below 1/`beta` of the vertices.
    pub fn new(graph: &impl Graph, alpha: u64, beta: usize) -> Self {
        Self {
            alpha,
            beta,
            unexplored: graph.arc_count(),
            pulling: false,
            previous_len: 0,
        }
    }

    pub(super) fn pulls<G: Graph>(&mut self, graph: &G, frontier: &VertexSubset) -> bool {
        if graph.direction() == Direction::Out {
            return false;
        }
        let len = frontier.len();
        let shrinks = len < self.previous_len;
        self.previous_len = len;
        if self.pulling {
            self.pulling = !shrinks || len > graph.vertex_count() / self.beta;
        } else if let VertexSubset::Sparse(list) = frontier {
            let arcs = degree_sum(Lists::outgoing(graph), list);
            self.pulling = arcs > self.unexplored / self.alpha;
            self.unexplored = self.unexplored.saturating_sub(arcs);
        }
        self.pulling
    }
}
