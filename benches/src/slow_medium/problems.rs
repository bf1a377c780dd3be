//! The problems of the paper, on any graph.

use evergraph::Control;
use evergraph_algorithms::pagerank::{self, Iterations, Precision};
use evergraph_algorithms::triangle_count::{self, Detail};
use evergraph_algorithms::widest_path::{self, Method};
use evergraph_algorithms::{
    RunError, bellman_ford, betweenness, bfs, biconnectivity, coloring, connected_components,
    densest_subgraph, k_core, low_diameter_decomposition, maximal_independent_set,
    maximal_matching, set_cover, spanner, spanning_forest, weighted_bfs,
};
use evergraph_graph::{Graph, VertexId};

const SEED: u64 = 27;

/// A problem of Sage's Table 1.
#[derive(Clone, Copy, Debug)]
pub enum Problem {
    Bfs,
    WeightedBfs,
    BellmanFord,
    WidestPath,
    Betweenness,
    Spanner,
    LowDiameterDecomposition,
    ConnectedComponents,
    SpanningForest,
    Biconnectivity,
    Coloring,
    MaximalIndependentSet,
    MaximalMatching,
    SetCover,
    TriangleCount,
    KCore,
    DensestSubgraph,
    PageRank,
}

use Problem::*;

/// All of them.
pub const PROBLEMS: [Problem; 18] = [
    Bfs,
    WeightedBfs,
    BellmanFord,
    WidestPath,
    Betweenness,
    Spanner,
    LowDiameterDecomposition,
    ConnectedComponents,
    SpanningForest,
    Biconnectivity,
    Coloring,
    MaximalIndependentSet,
    MaximalMatching,
    SetCover,
    TriangleCount,
    KCore,
    DensestSubgraph,
    PageRank,
];

impl Problem {
    /// The name that `evergraph run` knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Bfs => "bfs",
            WeightedBfs => "weighted-bfs",
            BellmanFord => "bellman-ford",
            WidestPath => "widest-path",
            Betweenness => "betweenness",
            Spanner => "spanner",
            LowDiameterDecomposition => "low-diameter-decomposition",
            ConnectedComponents => "connected-components",
            SpanningForest => "spanning-forest",
            Biconnectivity => "biconnectivity",
            Coloring => "coloring",
            MaximalIndependentSet => "maximal-independent-set",
            MaximalMatching => "maximal-matching",
            SetCover => "set-cover",
            TriangleCount => "triangle-count",
            KCore => "k-core",
            DensestSubgraph => "densest-subgraph",
            PageRank => "pagerank",
        }
    }
}

/// Solves a problem with its default parameters (PageRank: 20 iterations).
pub fn solve<G: Graph>(problem: Problem, graph: &G, source: VertexId) -> Result<(), RunError> {
    let control = &Control::new();
    match problem {
        Bfs => bfs::run(graph, source, control).map(drop),
        WeightedBfs => weighted_bfs::run(graph, source, false, control).map(drop),
        BellmanFord => bellman_ford::run(graph, source, false, control).map(drop),
        WidestPath => widest_path::run(graph, source, Method::Buckets, control).map(drop),
        Betweenness => {
            let none = betweenness::Normalization::None;
            betweenness::run(graph, &[source], none, control).map(drop)
        }
        Spanner => spanner::run(graph, &Default::default(), control).map(drop),
        LowDiameterDecomposition => {
            low_diameter_decomposition::run(graph, &Default::default(), control).map(drop)
        }
        ConnectedComponents => connected_components::run(graph, control).map(drop),
        SpanningForest => spanning_forest::run(graph, control).map(drop),
        Biconnectivity => biconnectivity::run(graph, control).map(drop),
        Coloring => coloring::run(graph, SEED, control).map(drop),
        MaximalIndependentSet => maximal_independent_set::run(graph, SEED, control).map(drop),
        MaximalMatching => maximal_matching::run(graph, &Default::default(), control).map(drop),
        SetCover => set_cover::run(graph, &Default::default(), control).map(drop),
        TriangleCount => triangle_count::run(graph, Detail::Total, control).map(drop),
        KCore => k_core::run(graph, &Default::default(), control).map(drop),
        DensestSubgraph => densest_subgraph::run(graph, &Default::default(), control).map(drop),
        PageRank => {
            let parameters = pagerank::Parameters {
                iterations: Iterations::Fixed(20),
                precision: Precision::Single,
                ..Default::default()
            };
            pagerank::run(graph, &parameters, control).map(drop)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_can_be_run_by_its_name() {
        for problem in PROBLEMS {
            let found = evergraph::run::find(problem.name()).map(|found| found.name);
            assert_eq!(found.ok(), Some(problem.name()));
        }
    }
}
