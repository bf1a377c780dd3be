//! Graphs made by hand, large graphs, hubs, threads, cancellation, errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::{DIRECTIONS, Segmented, with_ended, with_threads};
use evergraph_algorithms::betweenness::{self, Normalization};
use evergraph_algorithms::pagerank::{self, Iterations, Parameters, Precision};
use evergraph_algorithms::{
    Cancellation, Cancelled, Control, RunError, UNREACHED, bfs, connected_components,
};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId};

const FIVE: Parameters = Parameters {
    damping: 0.85,
    iterations: Iterations::Fixed(5),
    precision: Precision::Double,
};

/// Runs and verifies all four kernels.
fn check_all(graph: &impl Graph, source: VertexId) {
    let control = Control::new();
    bfs::verify(graph, &bfs::run(graph, source, &control).unwrap()).unwrap();
    let components = connected_components::run(graph, &control).unwrap();
    connected_components::verify(graph, &components).unwrap();
    let none = Normalization::None;
    let scores = betweenness::run(graph, &[source], none, &control).unwrap();
    betweenness::verify(graph, &[source], none, &scores).unwrap();
    for precision in [Precision::Single, Precision::Double] {
        let parameters = Parameters { precision, ..FIVE };
        let ranks = pagerank::run(graph, &parameters, &control).unwrap();
        pagerank::verify(graph, &parameters, &ranks).unwrap();
    }
}

#[test]
fn a_path_with_a_loop_and_a_stranger() {
    // 0 - 1 - 2 - 3 with a loop at 2, and 4 alone.
    let edges = [(0, 1), (1, 2), (2, 2), (2, 3)];
    let graph = Csr::from_edges(5, &edges, StoredLists::Undirected);
    let control = Control::new();

    let tree = bfs::run(&graph, 1, &control).unwrap();
    assert_eq!(tree.parents, [1, 1, 1, 2, UNREACHED]);
    assert_eq!(tree.depths, [1, 0, 1, 2, UNREACHED]);
    assert_eq!((tree.reached, tree.max_depth), (4, 2));

    let components = connected_components::run(&graph, &control).unwrap();
    assert_eq!(components.labels, [0, 0, 0, 0, 4]);
    assert_eq!((components.components, components.largest), (2, 4));

    let all = [0, 1, 2, 3, 4];
    let scores = betweenness::run(&graph, &all, Normalization::None, &control).unwrap();
    assert_eq!(scores.scores, [0.0, 4.0, 4.0, 0.0, 0.0]);
    let scores = betweenness::run(&graph, &all, Normalization::Maximum, &control).unwrap();
    assert_eq!(scores.scores, [0.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(
        (scores.max_score, scores.max_depth, scores.reached),
        (4.0, 3, 17)
    );
}

#[test]
fn ranks_of_a_directed_pair() {
    // 0 -> 1; 1 leads nowhere: r0 = (1 - d + d r1) / 2, r1 = r0 + d r0.
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(2, &[(0, 1)], direction);
        let parameters = Parameters {
            iterations: Iterations::Until {
                tolerance: 1e-14,
                at_most: 100,
            },
            ..FIVE
        };
        let result = pagerank::run(&graph, &parameters, &Control::new()).unwrap();
        let r0 = 1.0 / 2.85;
        assert!((result.ranks[0] - r0).abs() < 1e-12, "{result:?}");
        assert!((result.ranks[1] - 1.85 * r0).abs() < 1e-12, "{result:?}");
        assert!(result.iterations < 100 && result.change < 1e-14);
    }
}

#[test]
fn no_vertices_and_no_edges() {
    let control = Control::new();
    for direction in DIRECTIONS {
        let empty = Csr::from_edges(0, &[], direction);
        assert_eq!(pagerank::run(&empty, &FIVE, &control).unwrap().ranks, []);
        let components = connected_components::run(&empty, &control).unwrap();
        assert_eq!((components.components, components.largest), (0, 0));
        let scores = betweenness::run(&empty, &[], Normalization::Maximum, &control).unwrap();
        assert_eq!(scores.scores, []);
        check_all(&Csr::from_edges(3, &[], direction), 1);
    }
}

#[test]
fn wrong_arguments_are_named() {
    let graph = Csr::from_edges(3, &[(0, 1)], StoredLists::Out);
    let control = Control::new();
    let error = bfs::run(&graph, 3, &control).unwrap_err();
    assert_eq!(
        error.to_string(),
        "source vertex 3 is not below the vertex count 3"
    );
    assert_eq!(
        betweenness::run(&graph, &[0, 7], Normalization::None, &control).unwrap_err(),
        RunError::SourceOutOfRange {
            vertex: 7,
            vertex_count: 3
        }
    );
    for damping in [-0.1, 1.0, f64::NAN] {
        let parameters = Parameters { damping, ..FIVE };
        let error = pagerank::run(&graph, &parameters, &control).unwrap_err();
        assert!(error.to_string().contains("damping"), "{error}");
    }
}

#[test]
fn verifiers_find_wrong_results() {
    let graph = Csr::from_edges(4, &[(0, 1), (1, 2), (0, 3), (3, 2)], StoredLists::Both);
    let control = Control::new();
    let mut tree = bfs::run(&graph, 0, &control).unwrap();
    tree.parents[2] = 0;
    assert_eq!(bfs::verify(&graph, &tree).unwrap_err().vertex, 2);
    tree.depths[2] = 1;
    assert_eq!(bfs::verify(&graph, &tree).unwrap_err().what, "depth");
    let mut components = connected_components::run(&graph, &control).unwrap();
    components.labels[3] = 3;
    assert!(connected_components::verify(&graph, &components).is_err());
    let mut ranks = pagerank::run(&graph, &FIVE, &control).unwrap();
    ranks.ranks[1] += 1e-6;
    assert_eq!(
        pagerank::verify(&graph, &FIVE, &ranks).unwrap_err().vertex,
        1
    );
    let mut scores = betweenness::run(&graph, &[0], Normalization::None, &control).unwrap();
    assert_eq!(scores.scores, [0.0, 0.5, 0.0, 0.5]);
    scores.scores[1] = f64::NAN;
    assert!(betweenness::verify(&graph, &[0], Normalization::None, &scores).is_err());
}

#[test]
fn large_graphs_in_one_and_several_segments() {
    let edges = kronecker(13, 16, 5);
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 13, &edges, direction);
        let source = edges[0].0;
        for threads in [1, 3] {
            with_threads(threads, || check_all(&graph, source));
        }
        with_threads(2, || check_all(&Segmented { graph, piece: 64 }, source));
    }
}

#[test]
fn hubs_are_shared() {
    // Two hubs of 30,000 leaves each, among them 10,000 in common.
    let n = 50_002;
    let edges: Vec<_> = (0..30_000)
        .flat_map(|leaf| [(0, leaf + 2), (leaf + 20_002, 1)])
        .collect();
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(n, &edges, direction);
        for source in [0, 1, 2, 25_000] {
            with_threads(2, || check_all(&graph, source));
        }
        with_threads(2, || {
            check_all(
                &Segmented {
                    graph,
                    piece: 5_000,
                },
                25_000,
            )
        });
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let edges = kronecker(12, 8, 11);
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 12, &edges, direction);
        let run = || {
            let control = Control::new();
            (
                pagerank::run(&graph, &FIVE, &control).unwrap(),
                bfs::run(&graph, edges[1].0, &control).unwrap().depths,
                connected_components::run(&graph, &control).unwrap(),
                betweenness::run(&graph, &[edges[1].0], Normalization::None, &control).unwrap(),
            )
        };
        assert_eq!(with_threads(1, run), with_threads(4, run));
    }
}

#[test]
fn path_counts_beyond_f64_stay_finite() {
    // A chain of 600 diamonds of four ways each: 4^600 paths to its end.
    let diamonds = 600;
    let mut edges = Vec::new();
    for d in 0..diamonds {
        let top = 5 * d;
        for way in 1..5 {
            edges.extend([(top, top + way), (top + way, top + 5)]);
        }
    }
    let n = 5 * diamonds + 1;
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(n as usize, &edges, direction);
        let result = betweenness::run(&graph, &[0], Normalization::None, &Control::new()).unwrap();
        for d in 1..diamonds {
            // All that lies behind joint `d` depends on it.
            let behind = f64::from(5 * (diamonds - d));
            let found = result.scores[5 * d as usize];
            assert!((found - behind).abs() < 1e-9 * behind, "{found}, {behind}");
        }
    }
}

#[test]
fn runs_are_cancelled() {
    let edges = kronecker(10, 8, 1);
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 10, &edges, direction);
        with_ended(|control, reason| {
            let expected = RunError::Cancelled(reason);
            let none = Normalization::None;
            assert_eq!(bfs::run(&graph, 0, control).unwrap_err(), expected);
            assert_eq!(
                connected_components::run(&graph, control).unwrap_err(),
                expected
            );
            assert_eq!(pagerank::run(&graph, &FIVE, control).unwrap_err(), expected);
            assert_eq!(
                betweenness::run(&graph, &[0], none, control).unwrap_err(),
                expected
            );
        });
    }
}

#[test]
fn a_long_run_ends_soon_after_cancelling() {
    let graph = Csr::from_edges(1 << 14, &kronecker(14, 16, 1), StoredLists::Undirected);
    let endless = Parameters {
        iterations: Iterations::Fixed(u32::MAX),
        ..FIVE
    };
    let cancellation = Cancellation::new();
    let done = AtomicU64::new(0);
    let progress = |progress: evergraph_algorithms::Progress| {
        assert!(progress.done > done.swap(progress.done, Ordering::Relaxed));
        if progress.done == 3 {
            cancellation.cancel();
        }
    };
    let control = Control::new()
        .with_cancellation(&cancellation)
        .with_deadline(Instant::now() + Duration::from_secs(600))
        .with_progress(&progress);
    let error = pagerank::run(&graph, &endless, &control).unwrap_err();
    assert_eq!(error, RunError::Cancelled(Cancelled::Requested));
    assert_eq!(done.into_inner(), 3);
}
