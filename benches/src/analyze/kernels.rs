//! The kernels with their parameters, and what they give.

use evergraph_algorithms::Control;
use evergraph_algorithms::betweenness::{self, Betweenness, Normalization};
use evergraph_algorithms::bfs::{self, Bfs};
use evergraph_algorithms::connected_components::{self, ConnectedComponents};
use evergraph_algorithms::pagerank::{self, Iterations, PageRank, Precision};
use evergraph_graph::{Graph, VertexId};

use crate::stores::text;

/// A kernel and what it is asked.
#[derive(Clone, Copy)]
pub enum Kernel {
    /// 20 iterations.
    PageRank {
        double: bool,
    },
    Bfs(VertexId),
    Components,
    Betweenness(VertexId),
}

/// Result of a kernel.
#[derive(Clone)]
pub enum Outcome {
    PageRank(PageRank),
    Bfs(Bfs),
    Components(ConnectedComponents),
    Betweenness(Betweenness),
}

impl Kernel {
    pub fn name(self) -> String {
        match self {
            Kernel::PageRank { double: false } => "pagerank, 20 iterations, single".to_string(),
            Kernel::PageRank { double: true } => "pagerank, 20 iterations, double".to_string(),
            Kernel::Bfs(source) => format!("bfs from {source}"),
            Kernel::Components => "connected components".to_string(),
            Kernel::Betweenness(source) => format!("betweenness from {source}"),
        }
    }

    /// The name without the source.
    pub fn family(self) -> &'static str {
        match self {
            Kernel::PageRank { .. } => "pagerank",
            Kernel::Bfs(_) => "bfs",
            Kernel::Components => "connected components",
            Kernel::Betweenness(_) => "betweenness",
        }
    }

    fn page_rank(double: bool) -> pagerank::Parameters {
        pagerank::Parameters {
            iterations: Iterations::Fixed(20),
            precision: match double {
                true => Precision::Double,
                false => Precision::Single,
            },
            ..pagerank::Parameters::default()
        }
    }

    pub fn run<G: Graph>(self, graph: &G) -> Result<Outcome, String> {
        let control = Control::new();
        Ok(match self {
            Kernel::PageRank { double } => {
                let parameters = Self::page_rank(double);
                Outcome::PageRank(pagerank::run(graph, &parameters, &control).map_err(text)?)
            }
            Kernel::Bfs(source) => Outcome::Bfs(bfs::run(graph, source, &control).map_err(text)?),
            Kernel::Components => {
                Outcome::Components(connected_components::run(graph, &control).map_err(text)?)
            }
            Kernel::Betweenness(source) => {
                let found = betweenness::run(graph, &[source], Normalization::None, &control);
                Outcome::Betweenness(found.map_err(text)?)
            }
        })
    }

    /// By the kernel's own verifier, a slow sequential algorithm.
    pub fn verify<G: Graph>(self, graph: &G, outcome: &Outcome) -> Result<(), String> {
        match (self, outcome) {
            (Kernel::PageRank { double }, Outcome::PageRank(result)) => {
                pagerank::verify(graph, &Self::page_rank(double), result).map_err(text)
            }
            (_, Outcome::Bfs(result)) => bfs::verify(graph, result).map_err(text),
            (_, Outcome::Components(result)) => {
                connected_components::verify(graph, result).map_err(text)
            }
            (Kernel::Betweenness(source), Outcome::Betweenness(result)) => {
                betweenness::verify(graph, &[source], Normalization::None, result).map_err(text)
            }
            _ => Err("the outcome is another kernel's".to_string()),
        }
    }
}

impl Outcome {
    /// Whether two graphs that are one graph gave one result; sums may differ in
    /// their last digits, as lists come in different orders.
    pub fn equals(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::PageRank(a), Outcome::PageRank(b)) => near(&a.ranks, &b.ranks),
            (Outcome::Bfs(a), Outcome::Bfs(b)) => a.depths == b.depths,
            (Outcome::Components(a), Outcome::Components(b)) => a.labels == b.labels,
            (Outcome::Betweenness(a), Outcome::Betweenness(b)) => near(&a.scores, &b.scores),
            _ => false,
        }
    }
}

fn near(a: &[f64], b: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-4 * a.abs().max(b.abs());
    a.len() == b.len() && a.iter().zip(b).all(close)
}
