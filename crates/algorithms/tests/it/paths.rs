//! Shortest, widest and random paths, what is made of distances, and clusters of
//! small diameter.

use crate::common::karate::karate_club;
use crate::common::{DIRECTIONS, Segmented, edges, with_ended, with_threads};
use evergraph_algorithms::betweenness::{self, Normalization};
use evergraph_algorithms::closeness::{self, Distances};
use evergraph_algorithms::neighbor_sampling::{self, NeighborSample};
use evergraph_algorithms::sampling::sample_vertices;
use evergraph_algorithms::shortest_paths::ShortestPaths;
use evergraph_algorithms::widest_path::Method;
use evergraph_algorithms::{
    Control, RunError, UNREACHED, bellman_ford, bfs, delta_stepping,
    low_diameter_decomposition as decomposition, random_walks, spanner, weighted_bfs, widest_path,
};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId, Weight};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

type WeightedEdges = Vec<(VertexId, VertexId, Weight)>;

/// `edges` with weights that `weight` makes of their positions.
fn weighted(edges: &[(VertexId, VertexId)], weight: impl Fn(usize) -> Weight) -> WeightedEdges {
    let edges = edges.iter().enumerate();
    edges.map(|(at, &(u, v))| (u, v, weight(at))).collect()
}

/// A number that looks random.
fn scatter(at: usize) -> usize {
    at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

fn deltas(delta: Option<f64>) -> delta_stepping::Parameters {
    delta_stepping::Parameters {
        delta,
        parents: true,
    }
}

/// All shortest paths of a graph with whole weights agree, and with the verifiers.
fn check_whole(graph: &impl Graph, source: VertexId) {
    let control = Control::new();
    let whole = weighted_bfs::run(graph, source, true, &control).unwrap();
    weighted_bfs::verify(graph, &whole).unwrap();
    let real: Vec<f64> = (whole.distances.iter())
        .map(|&distance| match distance {
            weighted_bfs::UNREACHED => INF,
            distance => distance as f64,
        })
        .collect();
    let mut all = Vec::new();
    for delta in [None, Some(0.01), Some(3.0), Some(1e9), Some(INF)] {
        let result = delta_stepping::run(graph, source, &deltas(delta), &control).unwrap();
        delta_stepping::verify(graph, &result).unwrap();
        all.push(result);
    }
    let result = bellman_ford::run(graph, source, true, &control).unwrap();
    bellman_ford::verify(graph, &result).unwrap();
    all.push(result);
    for result in all {
        assert_eq!(result.distances, real);
        assert_eq!(result.parents, whole.parents);
        assert_eq!(result.reached, whole.reached);
        assert_eq!(result.max_distance, whole.max_distance as f64);
    }
    check_widths(graph, source);
}

fn check_widths(graph: &impl Graph, source: VertexId) {
    let control = Control::new();
    let widths = widest_path::run(graph, source, Method::Buckets, &control).unwrap();
    widest_path::verify(graph, &widths).unwrap();
    let rounds = widest_path::run(graph, source, Method::BellmanFord, &control).unwrap();
    assert_eq!(widths, rounds);
}

fn check_signed(graph: &impl Graph, source: VertexId) {
    let result = bellman_ford::run(graph, source, true, &Control::new()).unwrap();
    bellman_ford::verify(graph, &result).unwrap();
    check_widths(graph, source);
}

/// Samples, walks and centralities of a graph whose weights are not negative.
fn check_samples(graph: &impl Graph, seed: u64) {
    let control = Control::new();
    let n = graph.vertex_count();
    for distances in [Distances::Incoming, Distances::Outgoing] {
        for samples in [None, Some(n / 2), Some(1), Some(0)] {
            let parameters = closeness::Parameters {
                distances,
                samples,
                seed,
                reached_only: seed % 2 == 1,
            };
            match closeness::run(graph, &parameters, &control) {
                Ok(result) => closeness::verify(graph, &parameters, &result).unwrap(),
                Err(error) => {
                    assert_eq!(error, RunError::NeedsInLists);
                    assert_eq!(graph.stored_lists(), StoredLists::Out);
                    assert_eq!(distances, Distances::Outgoing);
                }
            }
        }
    }
    for weighted in [false, true] {
        for (p, q) in [(1.0, 1.0), (0.25, 4.0), (3.0, 0.5)] {
            let parameters = random_walks::Parameters {
                walks: 2,
                length: 7,
                weighted,
                p,
                q,
                seed,
                ..Default::default()
            };
            let walks = random_walks::run(graph, &parameters, &control).unwrap();
            assert_eq!(walks.walks().count(), 2 * n);
            random_walks::verify(graph, &parameters, &walks).unwrap();
        }
        for (replace, incoming) in [(false, false), (true, false), (false, true)] {
            let parameters = neighbor_sampling::Parameters {
                fan_out: vec![3, 2, u32::MAX],
                replace,
                weighted,
                incoming: incoming && graph.stored_lists() != StoredLists::Out,
                seed,
            };
            let seeds = sample_vertices(n, 4, seed);
            let sample = neighbor_sampling::run(graph, &seeds, &parameters, &control).unwrap();
            neighbor_sampling::verify(graph, &seeds, &parameters, &sample).unwrap();
        }
    }
}

fn check_clusters(graph: &impl Graph, seed: u64) {
    let control = Control::new();
    for beta in [0.05, 0.2, 1.0] {
        let parameters = decomposition::Parameters { beta, seed };
        let result = decomposition::run(graph, &parameters, &control).unwrap();
        decomposition::verify(graph, &parameters, &result).unwrap();
    }
    for k in [None, Some(1), Some(2), Some(50)] {
        let parameters = spanner::Parameters { k, seed };
        let result = spanner::run(graph, &parameters, &control).unwrap();
        spanner::verify(graph, &result).unwrap();
    }
}

proptest! {
    #[test]
    fn paths_are_those_of_the_verifiers(
        (n, edges) in edges(),
        source in any::<prop::sample::Index>(),
        piece in 1_usize..6,
        modulus in 1_usize..12,
        salt in any::<usize>(),
    ) {
        let source = source.index(n) as VertexId;
        for direction in DIRECTIONS {
            let whole = weighted(&edges, |at| (scatter(at ^ salt) % modulus) as Weight);
            let graph = Csr::from_weighted_edges(n, &whole, direction);
            check_whole(&graph, source);
            check_whole(&Segmented { graph, piece }, source);
            check_whole(&Csr::from_edges(n, &edges, direction), source);

            let signed = weighted(&edges, |at| {
                (scatter(at ^ salt) % (3 * modulus)) as Weight - modulus as Weight / 2.0
            });
            let graph = Csr::from_weighted_edges(n, &signed, direction);
            check_signed(&graph, source);
            check_signed(&Segmented { graph, piece }, source);
        }
    }

    #[test]
    fn samples_and_clusters_are_those_of_the_verifiers(
        (n, edges) in edges(),
        seed in any::<u64>(),
        piece in 1_usize..6,
    ) {
        let edges = weighted(&edges, |at| (scatter(at) % 4) as Weight);
        for direction in DIRECTIONS {
            let graph = Csr::from_weighted_edges(n, &edges, direction);
            check_samples(&graph, seed);
            check_samples(&graph.clone().sorted(), seed);
            if direction == StoredLists::Undirected {
                check_clusters(&graph, seed);
            }
            let pieces = Segmented { graph, piece };
            check_samples(&pieces, seed);
            if direction == StoredLists::Undirected {
                check_clusters(&pieces, seed);
            }
        }
    }
}

#[test]
fn a_detour_and_a_stranger() {
    // 0 -> 1 directly, or cheaper over 2 and 3; a loop at 1; 4 alone.
    let edges = [
        (0, 1, 10.0),
        (0, 2, 2.0),
        (2, 3, 3.0),
        (3, 1, 4.0),
        (1, 1, 1.0),
        (0, 2, 7.0),
    ];
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_weighted_edges(5, &edges, direction);
        let control = Control::new();
        let found = delta_stepping::run(&graph, 0, &deltas(None), &control).unwrap();
        let expected = ShortestPaths {
            source: 0,
            distances: vec![0.0, 9.0, 2.0, 5.0, INF],
            parents: Some(vec![0, 3, 0, 2, UNREACHED]),
            reached: 4,
            max_distance: 9.0,
        };
        assert_eq!(found, expected);
        assert_eq!(
            bellman_ford::run(&graph, 0, true, &control).unwrap(),
            expected
        );
        let whole = weighted_bfs::run(&graph, 0, false, &control).unwrap();
        assert_eq!(whole.distances, [0, 9, 2, 5, u64::MAX]);
        assert_eq!((whole.parents, whole.max_distance), (None, 9));
        let widths = widest_path::run(&graph, 0, Method::Buckets, &control).unwrap();
        assert_eq!(widths.widths, [INF, 10.0, 7.0, 3.0, -INF]);
        assert_eq!((widths.reached, widths.min_width), (4, 3.0));
        // From a vertex without out-edges.
        let alone = bellman_ford::run(&graph, 4, true, &control).unwrap();
        assert_eq!(alone.distances, [INF, INF, INF, INF, 0.0]);
        assert_eq!((alone.reached, alone.max_distance), (1, 0.0));
    }
}

#[test]
fn paths_of_negative_width_are_paths() {
    // 0 -> 1 -> 2; 3 alone.
    let edges = [(0, 1, -1.0), (1, 2, 5.0)];
    let graph = Csr::from_weighted_edges(4, &edges, StoredLists::Out);
    for method in [Method::Buckets, Method::BellmanFord] {
        let found = widest_path::run(&graph, 0, method, &Control::new()).unwrap();
        assert_eq!(found.widths, [INF, -1.0, -1.0, -INF]);
        assert_eq!((found.reached, found.min_width), (3, -1.0));
    }
}

#[test]
fn negative_cycles_reach_minus_infinity() {
    // 0 -> 1 -> 2 -> 3 -> 1 is a cycle of weight -1 behind 0; 3 -> 4; 0 -> 5 -> 6
    // with a cycle of weight 0 at 5; 7 leads into the cycle and is not reached.
    let edges = [
        (0, 1, 100.0),
        (1, 2, -3.0),
        (2, 3, 1.0),
        (3, 1, 1.0),
        (3, 4, 1000.0),
        (0, 5, -2.0),
        (5, 6, -3.0),
        (6, 5, 3.0),
        (7, 1, -9.0),
    ];
    let graph = Csr::from_weighted_edges(8, &edges, StoredLists::Out);
    let result = bellman_ford::run(&graph, 0, true, &Control::new()).unwrap();
    bellman_ford::verify(&graph, &result).unwrap();
    assert_eq!(
        result.distances,
        [0.0, -INF, -INF, -INF, -INF, -2.0, -5.0, INF]
    );
    let none = UNREACHED;
    assert_eq!(
        result.parents.unwrap(),
        [0, none, none, none, none, 0, 5, none]
    );
    assert_eq!(result.reached, 7);
    // A source on such a cycle, of one edge.
    let graph = Csr::from_weighted_edges(2, &[(0, 0, -0.5), (0, 1, 1.0)], StoredLists::Both);
    let result = bellman_ford::run(&graph, 0, false, &Control::new()).unwrap();
    assert_eq!(result.distances, [-INF, -INF]);
}

#[test]
fn a_negative_cycle_in_a_large_graph_is_found_soon() {
    // Long before n rounds of m edges, which would take hours.
    let edges = kronecker(17, 8, 3);
    let mut edges = weighted(&edges, |at| (scatter(at) % 100) as Weight);
    let source = edges[0].0;
    edges.push((source, edges[1].0, -1.0));
    edges.push((edges[1].0, source, 0.5));
    let graph = Csr::from_weighted_edges(1 << 17, &edges, StoredLists::Out);
    let result = bellman_ford::run(&graph, source, false, &Control::new()).unwrap();
    let reached = bfs::run(&graph, source, &Control::new()).unwrap();
    for (distance, depth) in result.distances.iter().zip(&reached.depths) {
        assert_eq!(*distance == -INF, *depth != UNREACHED);
    }
}

#[test]
fn long_paths_take_little_for_each_vertex() {
    let n = 200_000;
    let edges: WeightedEdges = (1..n).map(|v| (v - 1, v, 3.0)).collect();
    let graph = Csr::from_weighted_edges(n as usize, &edges, StoredLists::Undirected);
    check_whole_distances(&graph, 3);
    // Lengths of all orders of magnitude, which no window of bins holds.
    let edges: WeightedEdges = (1..n).map(|v| (0, v, 1.0001_f32.powi(v as i32))).collect();
    let graph = Csr::from_weighted_edges(n as usize, &edges, StoredLists::Out);
    for delta in [1e-30, 1.0, 1e30] {
        let result = delta_stepping::run(&graph, 0, &deltas(Some(delta)), &Control::new());
        delta_stepping::verify(&graph, &result.unwrap()).unwrap();
    }
}

fn check_whole_distances(graph: &impl Graph, step: u64) {
    let control = Control::new();
    let whole = weighted_bfs::run(graph, 0, false, &control).unwrap();
    assert!(
        (0..)
            .step_by(step as usize)
            .zip(&whole.distances)
            .all(|(a, &b)| a == b)
    );
    let real = delta_stepping::run(graph, 0, &deltas(None), &control).unwrap();
    delta_stepping::verify(graph, &real).unwrap();
}

#[test]
fn large_graphs_and_hubs() {
    let mut edges = kronecker(13, 16, 5);
    let source = edges[0].0;
    // A hub with a list that tasks share.
    edges.extend((0..1 << 13).flat_map(|v| [(source, v), (v, source)]));
    let whole = weighted(&edges, |at| (1 + scatter(at) % 20) as Weight);
    let real = weighted(&edges, |at| (scatter(at) as Weight).sqrt());
    for direction in DIRECTIONS {
        let graph = Csr::from_weighted_edges(1 << 13, &whole, direction);
        with_threads(3, || check_whole(&graph, source));
        if direction == StoredLists::Undirected {
            for seed in 0..3 {
                let parameters = decomposition::Parameters { seed, beta: 0.3 };
                let run = || decomposition::run(&graph, &parameters, &Control::new()).unwrap();
                let result = with_threads(3, run);
                decomposition::verify(&graph, &parameters, &result).unwrap();
                // Some 2 beta of the edges are cut at most, in expectation.
                let (cut, all) = decomposition::cut_edges(&graph, &result.clusters);
                assert!((cut as f64) < 0.9 * all as f64, "{cut} of {all}");
            }
        }
        let pieces = Segmented { graph, piece: 100 };
        with_threads(2, || check_whole(&pieces, source));
        let graph = Csr::from_weighted_edges(1 << 13, &real, direction);
        let run = || delta_stepping::run(&graph, source, &deltas(None), &Control::new());
        let result = with_threads(3, run).unwrap();
        delta_stepping::verify(&graph, &result).unwrap();
        with_threads(2, || check_widths(&graph, source));
    }
}

#[test]
fn cuts_are_few_where_beta_is_small() {
    // A ring: an edge is cut with probability 1 - exp(-beta) or less.
    let n = 100_000;
    let edges: Vec<_> = (0..n).map(|v| (v, (v + 1) % n)).collect();
    let graph = Csr::from_edges(n as usize, &edges, StoredLists::Undirected);
    for beta in [0.01, 0.1, 0.5] {
        let parameters = decomposition::Parameters { beta, seed: 1 };
        let result = decomposition::run(&graph, &parameters, &Control::new()).unwrap();
        let (cut, all) = decomposition::cut_edges(&graph, &result.clusters);
        assert_eq!(all, u64::from(n));
        let share = cut as f64 / all as f64;
        assert!(
            share < 1.5 * beta && share > 0.2 * beta,
            "{share} at {beta}"
        );
        let bound = ((n as f64).ln() + 10.0) / beta;
        assert!(f64::from(result.radius) < bound, "{}", result.radius);
    }
}

#[test]
fn spanners_are_sparse() {
    let edges = kronecker(9, 16, 5);
    let graph = Csr::from_edges(1 << 9, &edges, StoredLists::Undirected).simple();
    let result = spanner::run(&graph, &spanner::Parameters::default(), &Control::new()).unwrap();
    spanner::verify(&graph, &result).unwrap();
    assert!(result.edges.len() < 3 << 9, "{}", result.edges.len());
    // All of a tree is needed.
    let star: Vec<_> = (1..100).map(|v| (0, v)).collect();
    let graph = Csr::from_edges(100, &star, StoredLists::Undirected);
    let result = spanner::run(&graph, &spanner::Parameters::default(), &Control::new()).unwrap();
    assert_eq!(result.edges.len(), 99);
}

#[test]
fn closeness_as_networkx_has_it() {
    // closeness_centrality(G) and harmonic_centrality(G) of the karate club.
    let graph = karate_club();
    let result = closeness::run(&graph, &closeness::Parameters::default(), &Control::new());
    let result = result.unwrap();
    for (vertex, closeness, harmonic) in [
        (0, 0.568_965_517_241_379_3, 23.166_666_666_666_67),
        (16, 0.284_482_758_620_689_7, 11.1),
        (33, 0.55, 23.25),
    ] {
        let found = result.closeness[vertex];
        assert!((found - closeness).abs() < 1e-12, "{vertex}: {found}");
        let found = result.harmonic[vertex];
        assert!((found - harmonic).abs() < 1e-9, "{vertex}: {found}");
    }
    // 0 -> 1 -> 2, and 3 -> 4: to 2 lead 2 of 4 others, 3 edges in sum.
    let graph = Csr::from_edges(5, &[(0, 1), (1, 2), (3, 4)], StoredLists::Both);
    let result = closeness::run(&graph, &closeness::Parameters::default(), &Control::new());
    let result = result.unwrap();
    assert_eq!(result.closeness, [0.0, 0.25, 1.0 / 3.0, 0.0, 0.25]);
    assert_eq!(result.harmonic, [0.0, 1.0, 1.5, 0.0, 1.0]);
    assert_eq!((result.pairs, result.max_distance), (4, 2));
    let outgoing = closeness::Parameters {
        distances: Distances::Outgoing,
        ..Default::default()
    };
    let result = closeness::run(&graph, &outgoing, &Control::new()).unwrap();
    assert_eq!(result.harmonic, [1.5, 1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn many_searches_at_once_and_estimates() {
    let edges = kronecker(11, 8, 5);
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 11, &edges, direction);
        let exact = closeness::Parameters::default();
        let result = with_threads(3, || {
            closeness::run(&graph, &exact, &Control::new()).unwrap()
        });
        closeness::verify(&graph, &exact, &result).unwrap();
        let half = closeness::Parameters {
            samples: Some(1 << 10),
            ..exact
        };
        let estimate = closeness::run(&graph, &half, &Control::new()).unwrap();
        let sum: f64 = result.harmonic.iter().sum();
        let estimated: f64 = estimate.harmonic.iter().sum();
        assert!((estimated / sum - 1.0).abs() < 0.1, "{estimated} for {sum}");
    }
    // Long distances, small frontiers.
    let n = 3000;
    let edges: Vec<_> = (1..n).map(|v| (v - 1, v)).collect();
    let graph = Csr::from_edges(n as usize, &edges, StoredLists::Undirected);
    let some = closeness::Parameters {
        samples: Some(300),
        ..Default::default()
    };
    let result = closeness::run(&graph, &some, &Control::new()).unwrap();
    closeness::verify(&graph, &some, &result).unwrap();
}

#[test]
fn steps_are_as_likely_as_defined() {
    // From 0 to 1 or 2, back with p, on with q; parallel edges and a loop.
    let edges = [
        (0, 1, 1.0),
        (1, 0, 2.0),
        (1, 2, 1.0),
        (1, 3, 3.0),
        (1, 3, 0.5),
        (1, 1, 0.5),
        (0, 2, 4.0),
        (2, 0, 1.0),
        (3, 0, 1.0),
    ];
    let graph = Csr::from_weighted_edges(4, &edges, StoredLists::Both);
    for weighted in [false, true] {
        let parameters = random_walks::Parameters {
            starts: Some(vec![0]),
            walks: 200_000,
            length: 2,
            weighted,
            p: 0.5,
            q: 3.0,
            seed: 9,
        };
        let walks = random_walks::run(&graph, &parameters, &Control::new()).unwrap();
        let mut expected = [[0.0; 4]; 4];
        for (u, first) in random_walks::probabilities(&graph, &parameters, None, 0) {
            for (v, second) in random_walks::probabilities(&graph, &parameters, Some(0), u) {
                expected[u as usize][v as usize] += first * second;
            }
        }
        let mut found = [[0.0; 4]; 4];
        for walk in walks.walks() {
            found[walk[1] as usize][walk[2] as usize] += 1.0 / parameters.walks as f64;
        }
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() < 0.005, "{found}, {expected}");
        }
    }
}

#[test]
fn one_heavy_edge_among_many_is_found() {
    // Draws by position would be rejected some 100,000 times.
    let mut edges: WeightedEdges = (1..100_000).map(|v| (0, v, 1e-9)).collect();
    edges.push((0, 100_000, 1e9));
    edges.push((100_000, 0, 1.0));
    let graph = Csr::from_weighted_edges(100_001, &edges, StoredLists::Out);
    let parameters = random_walks::Parameters {
        starts: Some(vec![0; 3]),
        length: 9,
        weighted: true,
        ..Default::default()
    };
    let walks = random_walks::run(&graph, &parameters, &Control::new()).unwrap();
    random_walks::verify(&graph, &parameters, &walks).unwrap();
    assert!(walks.walks().all(|walk| walk == [0, 100_000].repeat(5)));
    assert_eq!((walks.steps, walks.stride), (27, 10));
}

#[test]
fn neighbors_are_drawn_evenly_and_by_weight() {
    let edges: WeightedEdges = (1..11).map(|v| (0, v, v as Weight)).collect();
    let graph = Csr::from_weighted_edges(11, &edges, StoredLists::Out);
    let trials = 40_000;
    for (weighted, replace) in [(false, false), (false, true), (true, true), (true, false)] {
        let mut counts = [0.0; 11];
        for seed in 0..trials {
            let parameters = neighbor_sampling::Parameters {
                fan_out: vec![1],
                replace,
                weighted,
                seed,
                ..Default::default()
            };
            let sample = neighbor_sampling::run(&graph, &[0], &parameters, &Control::new());
            counts[sample.unwrap().vertices[1] as usize] += 1.0 / trials as f64;
        }
        for (v, &count) in counts.iter().enumerate().skip(1) {
            let expected = if weighted { v as f64 / 55.0 } else { 0.1 };
            assert!((count - expected).abs() < 0.01, "{v}: {count}");
        }
    }
    let parameters = neighbor_sampling::Parameters {
        fan_out: vec![u32::MAX, 5],
        ..Default::default()
    };
    let sample = neighbor_sampling::run(&graph, &[3, 0, 3], &parameters, &Control::new());
    let expected = NeighborSample {
        vertices: vec![3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10],
        vertices_after: vec![2, 11, 11],
        targets: vec![1; 10],
        neighbors: vec![2, 3, 0, 4, 5, 6, 7, 8, 9, 10],
        edges_after: vec![0, 10, 10],
    };
    assert_eq!(sample.unwrap(), expected);
}

#[test]
fn neighbors_drawn_by_weight_keep_the_order_of_their_list() {
    let edges: WeightedEdges = (1..31).map(|v| (0, v, v as Weight)).collect();
    let graph = Csr::from_weighted_edges(31, &edges, StoredLists::Out);
    for seed in 0..20 {
        let parameters = neighbor_sampling::Parameters {
            fan_out: vec![12],
            weighted: true,
            seed,
            ..Default::default()
        };
        let sample = neighbor_sampling::run(&graph, &[0], &parameters, &Control::new()).unwrap();
        assert_eq!(sample.vertices.len(), 13);
        assert!(sample.vertices.is_sorted(), "{:?}", sample.vertices);
    }
}

#[test]
fn sampled_sources_estimate_betweenness() {
    let graph = karate_club();
    let n = graph.vertex_count();
    let control = Control::new();
    let all = sample_vertices(n, n, 0);
    let result = betweenness::run(&graph, &all, Normalization::Pairs, &control).unwrap();
    betweenness::verify(&graph, &all, Normalization::Pairs, &result).unwrap();
    // betweenness_centrality(G) as NetworkX has it.
    for (vertex, expected) in [(0, 0.437_635_281_385_281_3), (33, 0.304_074_975_949_975_9)] {
        let found = result.scores[vertex];
        assert!((found - expected).abs() < 1e-10, "{vertex}: {found}");
    }
    let some = sample_vertices(n, 20, 1);
    let estimate = betweenness::run(&graph, &some, Normalization::Pairs, &control).unwrap();
    betweenness::verify(&graph, &some, Normalization::Pairs, &estimate).unwrap();
    assert!((estimate.scores[0] - result.scores[0]).abs() < 0.2);
    for n in [0, 1, 2] {
        let graph = Csr::from_edges(n, &[], StoredLists::Both);
        let all = sample_vertices(n, n, 0);
        let result = betweenness::run(&graph, &all, Normalization::Pairs, &control).unwrap();
        assert_eq!(result.scores, vec![0.0; n]);
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let edges = kronecker(12, 8, 11);
    let source = edges[1].0;
    let edges = weighted(&edges, |at| (scatter(at) % 50) as Weight / 10.0);
    for direction in DIRECTIONS {
        let graph = Csr::from_weighted_edges(1 << 12, &edges, direction);
        let run = || {
            let control = Control::new();
            let walks = random_walks::Parameters {
                weighted: true,
                q: 2.0,
                length: 10,
                ..Default::default()
            };
            let sampling = neighbor_sampling::Parameters {
                fan_out: vec![10, 5],
                ..Default::default()
            };
            let clusters = (direction == StoredLists::Undirected).then(|| {
                let parameters = decomposition::Parameters::default();
                (
                    decomposition::run(&graph, &parameters, &control).unwrap(),
                    spanner::run(&graph, &spanner::Parameters::default(), &control).unwrap(),
                )
            });
            (
                delta_stepping::run(&graph, source, &deltas(None), &control).unwrap(),
                bellman_ford::run(&graph, source, true, &control).unwrap(),
                widest_path::run(&graph, source, Method::Buckets, &control).unwrap(),
                closeness::run(&graph, &closeness::Parameters::default(), &control).unwrap(),
                random_walks::run(&graph, &walks, &control).unwrap(),
                neighbor_sampling::run(&graph, &[source, 5], &sampling, &control).unwrap(),
                clusters,
            )
        };
        assert!(with_threads(1, run) == with_threads(4, run));
    }
}

#[test]
fn no_vertices_and_no_edges() {
    let control = Control::new();
    for direction in DIRECTIONS {
        let empty = Csr::from_edges(0, &[], direction);
        let expected = RunError::SourceOutOfRange {
            vertex: 0,
            vertex_count: 0,
        };
        let error = delta_stepping::run(&empty, 0, &deltas(None), &control).unwrap_err();
        assert_eq!(error, expected);
        check_samples(&empty, 1);
        let three = Csr::from_edges(3, &[], direction);
        check_whole(&three, 1);
        check_samples(&three, 1);
        if direction == StoredLists::Undirected {
            check_clusters(&empty, 1);
            check_clusters(&three, 1);
        }
    }
}

#[test]
fn wrong_arguments_are_named() {
    let control = Control::new();
    let graph = |weight| Csr::from_weighted_edges(3, &[(0, 1, weight)], StoredLists::Both);
    let good = graph(1.0);
    let no_source = "source vertex 3 is not below the vertex count 3";
    let messages = [
        bellman_ford::run(&good, 3, false, &control)
            .unwrap_err()
            .to_string(),
        delta_stepping::run(&good, 3, &deltas(None), &control)
            .unwrap_err()
            .to_string(),
        weighted_bfs::run(&good, 3, false, &control)
            .unwrap_err()
            .to_string(),
        widest_path::run(&good, 3, Method::Buckets, &control)
            .unwrap_err()
            .to_string(),
        neighbor_sampling::run(&good, &[0, 3], &Default::default(), &control)
            .unwrap_err()
            .to_string(),
    ];
    assert!(
        messages.iter().all(|message| message == no_source),
        "{messages:?}"
    );

    let nan = Weight::NAN;
    for weight in [nan, -1.0, -Weight::MIN_POSITIVE] {
        let error = delta_stepping::run(&graph(weight), 0, &deltas(None), &control);
        let message = error.unwrap_err().to_string();
        assert!(
            message.contains("from 0 to 1") && message.contains("0 or more"),
            "{message}"
        );
    }
    for weight in [nan, -1.0, 0.5, 4_294_967_296.0, Weight::INFINITY] {
        let error = weighted_bfs::run(&graph(weight), 0, false, &control).unwrap_err();
        assert!(matches!(
            error,
            RunError::InvalidWeight { from: 0, to: 1, .. }
        ));
    }
    for weight in [nan, Weight::INFINITY, -Weight::INFINITY] {
        let error = bellman_ford::run(&graph(weight), 0, false, &control).unwrap_err();
        assert!(matches!(
            error,
            RunError::InvalidWeight { from: 0, to: 1, .. }
        ));
    }
    let error = widest_path::run(&graph(nan), 0, Method::BellmanFord, &control).unwrap_err();
    assert!(matches!(
        error,
        RunError::InvalidWeight { from: 0, to: 1, .. }
    ));
    let walks = random_walks::Parameters {
        weighted: true,
        ..Default::default()
    };
    let error = random_walks::run(&graph(-1.0), &walks, &control).unwrap_err();
    assert!(matches!(
        error,
        RunError::InvalidWeight { from: 0, to: 1, .. }
    ));
    let sampling = neighbor_sampling::Parameters {
        fan_out: vec![1],
        weighted: true,
        ..Default::default()
    };
    for weight in [nan, -1.0, Weight::INFINITY] {
        let error = neighbor_sampling::run(&graph(weight), &[0], &sampling, &control).unwrap_err();
        assert!(matches!(
            error,
            RunError::InvalidWeight { from: 0, to: 1, .. }
        ));
    }

    for delta in [0.0, -1.0, f64::NAN] {
        let error = delta_stepping::run(&good, 0, &deltas(Some(delta)), &control).unwrap_err();
        assert!(error.to_string().contains("delta"), "{error}");
    }
    for (p, q) in [(0.0, 1.0), (1.0, f64::NAN), (INF, 1.0)] {
        let walks = random_walks::Parameters {
            p,
            q,
            ..Default::default()
        };
        let error = random_walks::run(&good, &walks, &control).unwrap_err();
        assert!(error.to_string().contains("must be above 0"), "{error}");
    }
    let endless = random_walks::Parameters {
        length: usize::MAX,
        ..Default::default()
    };
    let error = random_walks::run(&good, &endless, &control).unwrap_err();
    assert!(error.to_string().contains("length"), "{error}");

    let directed = spanner::run(&good, &Default::default(), &control).unwrap_err();
    assert_eq!(directed, RunError::NeedsUndirected);
    let directed = decomposition::run(&good, &Default::default(), &control).unwrap_err();
    assert_eq!(directed, RunError::NeedsUndirected);
    let graph = Csr::from_edges(2, &[(0, 1)], StoredLists::Undirected);
    for beta in [0.0, 1.1, f64::NAN] {
        let parameters = decomposition::Parameters { beta, seed: 0 };
        let error = decomposition::run(&graph, &parameters, &control).unwrap_err();
        assert!(error.to_string().contains("beta"), "{error}");
    }
    let parameters = spanner::Parameters {
        k: Some(0),
        seed: 0,
    };
    assert!(spanner::run(&graph, &parameters, &control).is_err());
}

#[test]
fn verifiers_find_wrong_results() {
    let edges = [(0, 1, 1.0), (1, 2, 2.0), (0, 2, 3.0), (2, 3, 1.0)];
    let graph = Csr::from_weighted_edges(5, &edges, StoredLists::Undirected);
    let control = Control::new();
    let good = delta_stepping::run(&graph, 0, &deltas(None), &control).unwrap();
    let mut bad = good.clone();
    bad.distances[4] = 9.0;
    assert_eq!(delta_stepping::verify(&graph, &bad).unwrap_err().vertex, 4);
    for (v, parent) in [(1, 2), (3, 3), (4, 0), (2, UNREACHED)] {
        let mut bad = good.clone();
        bad.parents.as_mut().unwrap()[v] = parent;
        let mismatch = delta_stepping::verify(&graph, &bad).unwrap_err();
        assert_eq!((mismatch.vertex as usize, mismatch.what), (v, "parent"));
    }
    let mut bad = weighted_bfs::run(&graph, 0, false, &control).unwrap();
    bad.distances[2] = 2;
    assert_eq!(weighted_bfs::verify(&graph, &bad).unwrap_err().vertex, 2);
    let mut bad = widest_path::run(&graph, 0, Method::Buckets, &control).unwrap();
    bad.widths[1] = 1.0;
    assert_eq!(widest_path::verify(&graph, &bad).unwrap_err().vertex, 1);
    let parameters = closeness::Parameters::default();
    let mut bad = closeness::run(&graph, &parameters, &control).unwrap();
    bad.harmonic[4] = 0.1;
    assert!(closeness::verify(&graph, &parameters, &bad).is_err());
    let parameters = random_walks::Parameters::default();
    let mut bad = random_walks::run(&graph, &parameters, &control).unwrap();
    bad.vertices[7] = 4;
    assert!(random_walks::verify(&graph, &parameters, &bad).is_err());
    let parameters = decomposition::Parameters::default();
    let mut bad = decomposition::run(&graph, &parameters, &control).unwrap();
    bad.clusters[4] = 0;
    assert!(decomposition::verify(&graph, &parameters, &bad).is_err());
    let mut bad = spanner::run(&graph, &Default::default(), &control).unwrap();
    bad.edges.retain(|&(u, v)| u != 3 && v != 3);
    assert!(spanner::verify(&graph, &bad).is_err());
}

#[test]
fn runs_are_cancelled() {
    let edges = weighted(&kronecker(10, 8, 1), |_| 1.0);
    let graph = Csr::from_weighted_edges(1 << 10, &edges, StoredLists::Undirected);
    with_ended(|control, reason| {
        let sampling = neighbor_sampling::Parameters {
            fan_out: vec![2],
            ..Default::default()
        };
        let errors = [
            bellman_ford::run(&graph, 0, false, control).unwrap_err(),
            closeness::run(&graph, &Default::default(), control).unwrap_err(),
            decomposition::run(&graph, &Default::default(), control).unwrap_err(),
            delta_stepping::run(&graph, 0, &deltas(None), control).unwrap_err(),
            neighbor_sampling::run(&graph, &[0], &sampling, control).unwrap_err(),
            random_walks::run(&graph, &Default::default(), control).unwrap_err(),
            spanner::run(&graph, &Default::default(), control).unwrap_err(),
            weighted_bfs::run(&graph, 0, false, control).unwrap_err(),
            widest_path::run(&graph, 0, Method::Buckets, control).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error, RunError::Cancelled(reason));
        }
    });
}
