//! Triangle counts, clustering coefficients and trusses.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::common::{GRAPHALYTICS, Segmented, edges, with_threads};
use evergraph_algorithms::triangle_count::{self, Detail};
use evergraph_algorithms::{Cancellation, Cancelled, Control, RunError, k_truss, local_clustering};
use evergraph_generators::{kronecker, uniform};
use evergraph_graph::{Compressed, Csr, Graph, Shape, StoredLists, Symmetric, VertexId};
use proptest::prelude::*;

const VERTICES: Detail = Detail::Vertices;

fn undirected(n: usize, edges: &[(VertexId, VertexId)]) -> Csr {
    Csr::from_edges(n, edges, StoredLists::Undirected)
}

fn complete(n: usize) -> Vec<(VertexId, VertexId)> {
    let n = n as VertexId;
    (0..n).flat_map(|u| (0..u).map(move |v| (u, v))).collect()
}

/// Counts and verifies, in all detail.
fn count(graph: &impl Graph) -> (u64, Vec<u64>) {
    let control = Control::new();
    let found = triangle_count::run(graph, VERTICES, &control).unwrap();
    triangle_count::verify(graph, &found).unwrap();
    let total = triangle_count::run(graph, Detail::Total, &control).unwrap();
    assert_eq!(total.triangles, found.triangles);
    assert_eq!(total.at_vertices, []);
    (found.triangles, found.at_vertices)
}

#[test]
fn triangles_of_small_graphs() {
    assert_eq!(count(&undirected(0, &[])), (0, vec![]));
    assert_eq!(count(&undirected(2, &[])), (0, vec![0, 0]));
    // A path, a cycle of four, a star.
    assert_eq!(count(&undirected(4, &[(0, 1), (1, 2), (2, 3)])).0, 0);
    assert_eq!(
        count(&undirected(4, &[(0, 1), (1, 2), (2, 3), (3, 0)])).0,
        0
    );
    assert_eq!(
        count(&undirected(5, &[(2, 0), (2, 1), (2, 3), (2, 4)])).0,
        0
    );
    // A triangle with a tail, a loop, and an edge twice; beside it another.
    let edges = [(0, 1), (1, 2), (0, 2), (2, 3), (2, 2), (1, 0)];
    assert_eq!(count(&undirected(4, &edges)), (1, vec![1, 1, 1, 0]));
    let edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (5, 3), (0, 3)];
    assert_eq!(count(&undirected(6, &edges)), (2, vec![1; 6]));
    // Of a complete graph all triples; one without hubs, and one with nothing else.
    for n in [5_u64, 31, 40, 300] {
        let each = (n - 1) * (n - 2) / 2;
        let expected = (each * n / 3, vec![each; n as usize]);
        assert_eq!(
            count(&undirected(n as usize, &complete(n as usize))),
            expected
        );
    }
}

#[test]
fn triangles_need_an_undirected_graph() {
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(3, &[(0, 1), (1, 2), (2, 0)], direction);
        let error = triangle_count::run(&graph, VERTICES, &Control::new()).unwrap_err();
        assert_eq!(error, RunError::NeedsUndirected);
        if let Some(graph) = Symmetric::of(&graph) {
            assert_eq!(count(&graph), (1, vec![1, 1, 1]));
        }
    }
}

#[test]
fn hubs_and_many_batches() {
    // More edges than a batch holds, with hubs and without.
    let dense = undirected(1500, &uniform(1500, 60_000, 5));
    let skewed = undirected(1 << 12, &kronecker(12, 24, 5));
    for graph in [dense, skewed] {
        let expected = count(&graph);
        assert!(expected.0 > 1000);
        let compressed = Compressed::seal(&graph, Shape::Simple, 64, &|| Ok::<(), ()>(()));
        assert_eq!(count(&compressed.unwrap()), expected);
        for threads in [1, 4] {
            let found = with_threads(threads, || {
                triangle_count::run(&graph, VERTICES, &Control::new()).unwrap()
            });
            assert_eq!((found.triangles, found.at_vertices), expected.clone());
        }
    }
}

/// Cancels `run` at each of its reports but the last.
fn cancel_everywhere<T>(run: impl Fn(&Control) -> Result<T, RunError>) {
    let reports = AtomicUsize::new(0);
    let count = |_| {
        reports.fetch_add(1, Relaxed);
    };
    run(&Control::new().with_progress(&count)).map_or_else(|error| panic!("{error}"), drop);
    let reports = reports.into_inner();
    assert!(reports > 1);
    for last in 0..reports - 1 {
        let (cancellation, seen) = (Cancellation::new(), AtomicUsize::new(0));
        let cancel = |_| {
            if seen.fetch_add(1, Relaxed) == last {
                cancellation.cancel();
            }
        };
        let control = Control::new()
            .with_cancellation(&cancellation)
            .with_progress(&cancel);
        let error = run(&control).map_or_else(|error| error, |_| panic!("was cancelled"));
        assert_eq!(error, RunError::Cancelled(Cancelled::Requested));
    }
}

#[test]
fn every_problem_can_be_cancelled() {
    let graph = undirected(1 << 11, &kronecker(11, 24, 5));
    cancel_everywhere(|control| triangle_count::run(&graph, VERTICES, control));
    cancel_everywhere(|control| local_clustering::run(&graph, control));
    let graph = undirected(1 << 8, &kronecker(8, 8, 5));
    cancel_everywhere(|control| k_truss::run(&graph, control));
}

#[test]
fn verifiers_find_wrong_counts() {
    let graph = undirected(4, &complete(4));
    let mut found = triangle_count::run(&graph, VERTICES, &Control::new()).unwrap();
    found.at_vertices[2] = 4;
    assert_eq!(
        triangle_count::verify(&graph, &found).unwrap_err().vertex,
        2
    );
    found.at_vertices[2] = 3;
    found.triangles = 5;
    assert!(triangle_count::verify(&graph, &found).is_err());
}

/// Coefficients, verified.
fn clustering(graph: &impl Graph) -> local_clustering::LocalClustering {
    let found = local_clustering::run(graph, &Control::new()).unwrap();
    local_clustering::verify(graph, &found).unwrap();
    found
}

#[test]
fn coefficients_of_small_graphs() {
    let found = clustering(&undirected(0, &[]));
    assert_eq!((found.average, found.transitivity), (0.0, 0.0));
    let found = clustering(&undirected(3, &[]));
    assert_eq!((found.coefficients, found.average), (vec![0.0; 3], 0.0));
    let found = clustering(&undirected(50, &complete(50)));
    assert_eq!(found.coefficients, [1.0; 50]);
    assert_eq!((found.average, found.transitivity), (1.0, 1.0));
    // A triangle with a tail: 3 triangles in 5 paths.
    let found = clustering(&undirected(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]));
    assert_eq!(found.coefficients, [1.0, 1.0, 1.0 / 3.0, 0.0]);
    assert_eq!((found.triangles, found.transitivity), (1, 0.6));
    // A cycle of three has half of its arcs; with one more arc, one pair has both.
    let cycle = [(0, 1), (1, 2), (2, 0)];
    let found = clustering(&Csr::from_edges(3, &cycle, StoredLists::Both));
    assert_eq!(found.coefficients, [0.5; 3]);
    let edges = [(0, 1), (1, 2), (2, 0), (0, 2), (0, 2), (1, 1)];
    let found = clustering(&Csr::from_edges(3, &edges, StoredLists::Both));
    assert_eq!(found.coefficients, [0.5, 1.0, 0.5]);
    assert_eq!((found.triangles, found.transitivity), (1, 1.0));

    let error = local_clustering::run(
        &Csr::from_edges(3, &cycle, StoredLists::Out),
        &Control::new(),
    );
    assert_eq!(error.unwrap_err(), RunError::NeedsInLists);
}

/// The directed and the undirected example of LDBC Graphalytics, ids from 1.
#[test]
fn coefficients_of_the_graphalytics_examples() {
    let found = clustering(&Csr::from_edges(11, &GRAPHALYTICS, StoredLists::Both));
    let expected = [
        2.0 / 3.0,
        1.0 / 6.0,
        0.15,
        0.05,
        0.25,
        0.0,
        0.0,
        5.0 / 6.0,
        0.0,
        0.0,
    ];
    assert_eq!(found.coefficients[1..], expected);

    let edges = [
        (2, 3),
        (2, 4),
        (3, 4),
        (3, 5),
        (3, 8),
        (5, 6),
        (5, 8),
        (6, 7),
        (6, 8),
        (6, 9),
        (6, 10),
        (7, 9),
    ];
    let found = clustering(&undirected(11, &edges));
    let third = 1.0 / 3.0;
    let expected = [
        1.0,
        third,
        1.0,
        2.0 * third,
        0.2,
        1.0,
        2.0 * third,
        1.0,
        0.0,
    ];
    assert_eq!(found.coefficients[2..], expected);
}

#[test]
fn coefficients_with_hubs_and_many_batches() {
    for direction in [StoredLists::Undirected, StoredLists::Both] {
        let graph = Csr::from_edges(1 << 11, &kronecker(11, 20, 5), direction);
        let expected = clustering(&graph);
        assert!(expected.average > 0.01);
        for threads in [1, 4] {
            let run = || local_clustering::run(&graph, &Control::new()).unwrap();
            assert_eq!(with_threads(threads, run), expected);
        }
    }
}

#[test]
fn verifiers_find_wrong_coefficients() {
    let graph = undirected(4, &complete(4));
    let mut found = local_clustering::run(&graph, &Control::new()).unwrap();
    found.coefficients[1] = 0.9;
    assert_eq!(
        local_clustering::verify(&graph, &found).unwrap_err().vertex,
        1
    );
}

/// Trusses, verified.
fn trusses(graph: &impl Graph) -> k_truss::KTruss {
    let found = k_truss::run(graph, &Control::new()).unwrap();
    k_truss::verify(graph, &found).unwrap();
    found
}

#[test]
fn trusses_of_small_graphs() {
    let found = trusses(&undirected(0, &[]));
    assert_eq!((found.edges.len(), found.max_trussness), (0, 0));
    let found = trusses(&undirected(3, &[(1, 1)]));
    assert_eq!((found.edges.len(), found.max_trussness), (0, 0));
    assert_eq!(found.at_vertices, [0, 0, 0]);
    let found = trusses(&undirected(3, &[(0, 1), (1, 0)]));
    assert_eq!((found.edges, found.trussness), (vec![(0, 1)], vec![2]));
    assert_eq!(found.at_vertices, [2, 2, 0]);
    let found = trusses(&undirected(6, &complete(6)));
    assert_eq!((found.max_trussness, found.max_edges), (6, 15));
    // A complete graph of four, a triangle at one of its edges, and a tail.
    let edges = [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
        (2, 4),
        (3, 4),
        (4, 5),
    ];
    let found = trusses(&undirected(6, &edges));
    assert_eq!(found.trussness, [4, 4, 4, 4, 4, 4, 3, 3, 2]);
    assert_eq!(found.at_vertices, [4, 4, 4, 4, 3, 2]);
    assert_eq!((found.max_trussness, found.max_edges), (4, 6));

    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(3, &[(0, 1)], direction);
        let error = k_truss::run(&graph, &Control::new()).unwrap_err();
        assert_eq!(error, RunError::NeedsUndirected);
    }
}

#[test]
fn trusses_of_a_skewed_graph() {
    let graph = undirected(1 << 9, &kronecker(9, 10, 5));
    let expected = trusses(&graph);
    assert!(expected.max_trussness > 8);
    for threads in [1, 4] {
        let found = with_threads(threads, || k_truss::run(&graph, &Control::new()).unwrap());
        assert_eq!(found, expected);
    }
}

#[test]
fn verifiers_find_wrong_trusses() {
    let graph = undirected(4, &complete(4));
    let mut found = k_truss::run(&graph, &Control::new()).unwrap();
    found.trussness[3] = 3;
    assert!(k_truss::verify(&graph, &found).is_err());
}

proptest! {
    #[test]
    fn counts_are_those_of_the_verifier((n, edges) in edges(), piece in 1_usize..6) {
        let graph = undirected(n, &edges);
        let expected = count(&graph);
        prop_assert_eq!(&count(&graph.clone().simple()), &expected);
        let directed = Csr::from_edges(n, &edges, StoredLists::Both);
        prop_assert_eq!(&count(&Symmetric::of(&directed).unwrap()), &expected);
        prop_assert_eq!(&count(&Segmented { graph, piece }), &expected);
    }

    #[test]
    fn coefficients_are_those_of_the_verifier((n, edges) in edges(), piece in 1_usize..6) {
        for direction in [StoredLists::Undirected, StoredLists::Both] {
            let graph = Csr::from_edges(n, &edges, direction);
            let expected = clustering(&graph);
            let compressed = Compressed::seal(&graph, Shape::Simple, 64, &|| Ok::<(), ()>(()));
            prop_assert_eq!(&clustering(&compressed.unwrap()), &expected);
            prop_assert_eq!(&clustering(&Segmented { graph, piece }), &expected);
        }
    }

    #[test]
    fn trusses_are_those_of_the_verifier((n, edges) in edges(), piece in 1_usize..6) {
        let graph = undirected(n, &edges);
        let expected = trusses(&graph);
        let directed = Csr::from_edges(n, &edges, StoredLists::Both);
        prop_assert_eq!(&trusses(&Symmetric::of(&directed).unwrap()), &expected);
        prop_assert_eq!(&trusses(&Segmented { graph, piece }), &expected);
    }
}
