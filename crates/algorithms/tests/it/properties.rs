//! Every kernel against its verifier on random graphs of all directions, read
//! in one segment and in several.

use crate::common::{DIRECTIONS, Segmented, edges};
use evergraph_algorithms::betweenness::{self, Normalization};
use evergraph_algorithms::pagerank::{self, Iterations, Parameters, Precision};
use evergraph_algorithms::{Control, bfs, connected_components};
use evergraph_graph::{Csr, Graph, VertexId};
use proptest::prelude::*;

fn parameters() -> impl Strategy<Value = Parameters> {
    let iterations = prop_oneof![
        (0_u32..12).prop_map(Iterations::Fixed),
        Just(Iterations::Until {
            tolerance: 1e-8,
            at_most: 100
        }),
    ];
    let precision = prop_oneof![Just(Precision::Single), Just(Precision::Double)];
    (0.0..0.99, iterations, precision).prop_map(|(damping, iterations, precision)| Parameters {
        damping,
        iterations,
        precision,
    })
}

fn check(graph: &impl Graph, source: VertexId, parameters: &Parameters) {
    let control = Control::new();

    let tree = bfs::run(graph, source, &control).unwrap();
    bfs::verify(graph, &tree).unwrap();
    let depths = tree
        .depths
        .iter()
        .filter(|&&d| d != evergraph_algorithms::UNREACHED);
    assert_eq!(depths.clone().count(), tree.reached);
    assert_eq!(depths.max(), Some(&tree.max_depth));

    let components = connected_components::run(graph, &control).unwrap();
    connected_components::verify(graph, &components).unwrap();

    let sources = [source, graph.vertex_count() as VertexId - 1, source];
    for normalization in [Normalization::None, Normalization::Maximum] {
        let scores = betweenness::run(graph, &sources, normalization, &control).unwrap();
        betweenness::verify(graph, &sources, normalization, &scores).unwrap();
    }

    let ranks = pagerank::run(graph, parameters, &control).unwrap();
    pagerank::verify(graph, parameters, &ranks).unwrap();
    assert!((ranks.sum - 1.0).abs() < 1e-5, "{}", ranks.sum);
}

proptest! {
    #[test]
    fn results_are_those_of_the_verifiers(
        (n, edges) in edges(),
        source in any::<prop::sample::Index>(),
        piece in 1_usize..6,
        parameters in parameters(),
    ) {
        let source = source.index(n) as VertexId;
        for direction in DIRECTIONS {
            let graph = Csr::from_edges(n, &edges, direction);
            check(&graph, source, &parameters);
            check(&Segmented { graph, piece }, source, &parameters);
        }
    }
}
