//! Components, trees and greedy sets: known answers on graphs made by hand, and
//! every problem against its verifier on random graphs of all directions.

use crate::common::{DIRECTIONS, Segmented, edges, with_ended, with_threads};
use evergraph_algorithms::{
    Control, RunError, UNREACHED, biconnectivity, coloring, connected_components,
    maximal_independent_set, minimum_spanning_forest, spanning_forest,
    strongly_connected_components, topological_order,
};
use evergraph_generators::kronecker;
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Graph, StoredLists, Symmetric, VertexId, Weight};
use proptest::prelude::*;

const UNDIRECTED: StoredLists = StoredLists::Undirected;

type Edge = (VertexId, VertexId);
type WeightedEdge = (VertexId, VertexId, Weight);

/// Runs and verifies every problem that is defined on `graph`.
fn check(graph: &impl Graph) {
    let control = Control::new();
    let trees = spanning_forest::run(graph, &control).unwrap();
    spanning_forest::verify(graph, &trees).unwrap();
    let strong = strongly_connected_components::run(graph, &control).unwrap();
    strongly_connected_components::verify(graph, &strong).unwrap();
    let order = topological_order::run(graph, &control).unwrap();
    topological_order::verify(graph, &order).unwrap();
    if graph.stored_lists() != UNDIRECTED {
        return;
    }
    let blocks = biconnectivity::run(graph, &control).unwrap();
    biconnectivity::verify(graph, &blocks).unwrap();
    let lightest = minimum_spanning_forest::run(graph, &control).unwrap();
    minimum_spanning_forest::verify(graph, &lightest).unwrap();
    assert_eq!(lightest.components, trees.components);
    if lightest.edges.is_empty() {
        // Not -0, which is the sum of no numbers.
        assert_eq!(lightest.weight.to_bits(), 0.0_f64.to_bits());
    }
    for seed in [0, 27] {
        let colors = coloring::run(graph, seed, &control).unwrap();
        coloring::verify(graph, seed, &colors).unwrap();
        let set = maximal_independent_set::run(graph, seed, &control).unwrap();
        maximal_independent_set::verify(graph, seed, &set).unwrap();
    }
}

fn graph(n: usize, edges: &[Edge], direction: StoredLists) -> Csr {
    Csr::from_edges(n, edges, direction)
}

fn path(n: VertexId) -> Vec<Edge> {
    (1..n).map(|v| (v - 1, v)).collect()
}

fn cycle(n: VertexId) -> Vec<Edge> {
    (0..n).map(|v| (v, (v + 1) % n)).collect()
}

fn star(leaves: VertexId) -> Vec<Edge> {
    (1..=leaves).map(|leaf| (0, leaf)).collect()
}

fn complete(n: VertexId) -> Vec<Edge> {
    (0..n).flat_map(|u| (0..u).map(move |v| (v, u))).collect()
}

/// `edges` with small whole weights, some of them equal, some negative.
fn weighted(edges: &[Edge], kinds: u64, seed: u64) -> Vec<WeightedEdge> {
    let mut random = Random::new(seed);
    let mut weight = || random.below(kinds) as Weight - (kinds / 3) as Weight;
    edges.iter().map(|&(u, v)| (u, v, weight())).collect()
}

#[test]
fn known_shapes() {
    for n in [2, 3, 64, 3_000] {
        for (vertices, edges) in [
            (n as usize, path(n)),
            (n as usize + 2, cycle(n)),
            (n as usize + 1, star(n)),
            (n as usize, complete(n.min(100))),
        ] {
            for direction in DIRECTIONS {
                check(&graph(vertices, &edges, direction));
            }
        }
    }
}

#[test]
fn nothing_and_only_vertices() {
    for direction in DIRECTIONS {
        for n in [0, 1, 3] {
            let graph = graph(n, &[], direction);
            check(&graph);
            let control = Control::new();
            let trees = spanning_forest::run(&graph, &control).unwrap();
            assert_eq!((trees.edges, trees.components), (vec![], n));
            let strong = strongly_connected_components::run(&graph, &control).unwrap();
            assert_eq!((strong.components, strong.largest), (n, n.min(1)));
            let order = topological_order::run(&graph, &control).unwrap();
            assert!(order.is_acyclic() && order.level_count == n.min(1));
        }
    }
}

#[test]
fn blocks_of_two_triangles_and_a_tail() {
    // Triangles 0 1 2 and 2 3 4 share vertex 2; 4 - 5 - 6 hangs on, 7 is alone.
    let edges = [
        (0, 1),
        (1, 2),
        (2, 0),
        (2, 3),
        (3, 4),
        (4, 2),
        (4, 5),
        (5, 6),
    ];
    let mut edges = edges.to_vec();
    let graph = graph(8, &edges, UNDIRECTED);
    let blocks = biconnectivity::run(&graph, &Control::new()).unwrap();
    assert_eq!(blocks.labels, [0, 1, 1, 3, 3, 5, 6, 7]);
    let none = UNREACHED;
    assert_eq!(blocks.heads, [none, 0, 0, 2, 2, 4, 5, none]);
    assert_eq!(blocks.components, 4);
    assert_eq!(blocks.articulation_points, [2, 4, 5]);
    assert_eq!(blocks.bridges, [(4, 5), (5, 6)]);
    for ((u, v), label) in [
        ((0, 1), 1),
        ((2, 0), 1),
        ((3, 4), 3),
        ((2, 4), 3),
        ((6, 5), 6),
    ] {
        assert_eq!(blocks.label(u, v), label);
        assert_eq!(blocks.label(v, u), label);
    }

    // A second edge between 4 and 5, and loops, change nothing.
    edges.extend([(5, 4), (6, 6), (5, 5), (7, 7)]);
    let graph = Csr::from_edges(8, &edges, UNDIRECTED);
    let again = biconnectivity::run(&graph, &Control::new()).unwrap();
    assert_eq!(again, blocks);
    check(&graph);
}

#[test]
fn strong_components_by_hand() {
    // 0 <-> 1 -> 2 -> 3 -> 4 -> 2, a loop at 5, 6 alone.
    let edges = [
        (0, 1),
        (1, 0),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 2),
        (5, 5),
        (3, 4),
    ];
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = graph(7, &edges, direction);
        let strong = strongly_connected_components::run(&graph, &Control::new()).unwrap();
        assert_eq!(strong.labels, [0, 0, 2, 2, 2, 5, 6]);
        assert_eq!((strong.components, strong.largest), (4, 3));
        check(&graph);
    }
}

#[test]
fn orders_and_cycles_by_hand() {
    for direction in [StoredLists::Out, StoredLists::Both] {
        let control = Control::new();
        let edges = [(3, 1), (1, 0), (3, 0), (0, 4), (2, 4), (3, 1)];
        let order = topological_order::run(&graph(5, &edges, direction), &control).unwrap();
        assert_eq!(order.levels, [2, 1, 0, 0, 3]);
        assert_eq!(order.order, [2, 3, 1, 0, 4]);
        assert!(order.is_acyclic() && order.level_count == 4);

        // 0 -> 1 -> 2 -> 3 -> 1, 3 -> 4.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)];
        let order = topological_order::run(&graph(5, &edges, direction), &control).unwrap();
        let none = UNREACHED;
        assert_eq!(order.levels, [0, none, none, none, none]);
        assert_eq!((order.order, order.cycle), (vec![0], vec![1, 2, 3]));

        let graph = graph(3, &[(0, 1), (1, 1)], direction);
        assert_eq!(topological_order::run(&graph, &control).unwrap().cycle, [1]);
    }
    let graph = graph(3, &[(1, 2)], UNDIRECTED);
    let order = topological_order::run(&graph, &Control::new()).unwrap();
    assert_eq!(order.cycle, [1, 2]);
}

#[test]
fn lightest_forest_by_hand() {
    // A square with a diagonal, a parallel edge and a loop; 4 - 5 weighs less
    // than nothing.
    let edges = [
        (0, 1, 1.0),
        (1, 2, 2.0),
        (2, 3, 3.0),
        (3, 0, 3.0),
        (0, 2, 2.0),
        (1, 0, 0.5),
        (3, 3, -9.0),
        (5, 4, -1.5),
    ];
    let graph = Csr::from_weighted_edges(7, &edges, UNDIRECTED);
    let lightest = minimum_spanning_forest::run(&graph, &Control::new()).unwrap();
    let expected = [(0, 1, 0.5), (0, 2, 2.0), (0, 3, 3.0), (4, 5, -1.5)];
    assert_eq!(lightest.edges, expected);
    assert_eq!((lightest.weight, lightest.components), (4.0, 3));
    check(&graph);
}

#[test]
fn sets_and_colors_by_hand() {
    let control = Control::new();
    for seed in 0..20 {
        let clique = graph(9, &complete(9), UNDIRECTED);
        let set = maximal_independent_set::run(&clique, seed, &control).unwrap();
        assert_eq!(set.members.len(), 1);
        let mut colors = coloring::run(&clique, seed, &control).unwrap();
        colors.colors.sort_unstable();
        assert_eq!(colors.colors, [0, 1, 2, 3, 4, 5, 6, 7, 8]);

        // Largest degree first: the hub takes the first color.
        let star = graph(21, &star(20), UNDIRECTED);
        let colors = coloring::run(&star, seed, &control).unwrap();
        assert_eq!((colors.colors[0], colors.color_count), (0, 2));
        let set = maximal_independent_set::run(&star, seed, &control).unwrap();
        assert!(set.members == [0] || set.members == (1..=20).collect::<Vec<_>>());
        check(&star);
    }
    let all: Vec<VertexId> = (0..4).collect();
    let loops = graph(4, &[(1, 1), (2, 2)], UNDIRECTED);
    let set = maximal_independent_set::run(&loops, 0, &control).unwrap();
    assert_eq!(set.members, all);
}

#[test]
fn hubs_are_shared() {
    // Two hubs of 30,000 leaves each, among them 10,000 in common.
    let edges: Vec<_> = (0..30_000)
        .flat_map(|leaf| [(0, leaf + 2), (leaf + 20_002, 1)])
        .collect();
    for direction in DIRECTIONS {
        let graph = graph(50_002, &edges, direction);
        with_threads(2, || check(&graph));
        let piece = 5_000;
        with_threads(2, || check(&Segmented { graph, piece }));
    }
    // Hubs by parallel edges alone, of more edges than are collected at once.
    let edges: Vec<_> = (0..40_000).map(|at| (0, 1 + at % 2)).collect();
    let graph = Csr::from_weighted_edges(3, &weighted(&edges, 1_000_000, 3), UNDIRECTED);
    with_threads(2, || check(&graph));
}

#[test]
fn lists_are_read_to_their_ends() {
    // Of one neighbor more than are looked at in one go, then another.
    let mut edges = vec![(0, 1); 10_000];
    edges.push((0, 2));
    let graph = graph(3, &edges, UNDIRECTED);
    for seed in 0..20 {
        let set = maximal_independent_set::run(&graph, seed, &Control::new()).unwrap();
        maximal_independent_set::verify(&graph, seed, &set).unwrap();
    }
}

#[test]
fn large_graphs() {
    let edges = kronecker(13, 16, 7);
    for direction in DIRECTIONS {
        for threads in [1, 3] {
            let graph = graph(1 << 13, &edges, direction);
            with_threads(threads, || check(&graph));
            let graph = graph.simple();
            with_threads(threads, || check(&Segmented { graph, piece: 7 }));
        }
    }
    for kinds in [1, 3, 1 << 20] {
        let graph = Csr::from_weighted_edges(1 << 13, &weighted(&edges, kinds, 5), UNDIRECTED);
        with_threads(2, || check(&graph));
    }
}

#[test]
fn many_strong_components() {
    // 50,000 rings of three, each with an edge to the ring before or behind: the
    // smallest color goes no further than its ring, or through all of them.
    let rings: VertexId = 50_000;
    for backwards in [true, false] {
        let edges: Vec<_> = (0..rings)
            .flat_map(|ring| {
                let [a, b, c] = [3 * ring, 3 * ring + 1, 3 * ring + 2];
                let other = match backwards {
                    true => a.saturating_sub(3),
                    false => (a + 3).min(3 * rings - 1),
                };
                [(a, b), (b, c), (c, a), (c, other)]
            })
            .collect();
        let graph = graph(3 * rings as usize, &edges, StoredLists::Both);
        let run = || strongly_connected_components::run(&graph, &Control::new()).unwrap();
        let strong = with_threads(2, run);
        strongly_connected_components::verify(&graph, &strong).unwrap();
        assert_eq!((strong.components, strong.largest), (rings as usize, 3));
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let edges = kronecker(12, 8, 11);
    for direction in DIRECTIONS {
        let graph = Csr::from_weighted_edges(1 << 12, &weighted(&edges, 50, 1), direction);
        let run = || {
            let control = Control::new();
            let undirected = (direction == UNDIRECTED).then(|| {
                (
                    biconnectivity::run(&graph, &control).unwrap(),
                    minimum_spanning_forest::run(&graph, &control).unwrap(),
                    coloring::run(&graph, 1, &control).unwrap(),
                    maximal_independent_set::run(&graph, 1, &control).unwrap(),
                )
            });
            (
                strongly_connected_components::run(&graph, &control).unwrap(),
                topological_order::run(&graph, &control).unwrap(),
                undirected,
            )
        };
        assert_eq!(with_threads(1, run), with_threads(4, run));
    }
}

#[test]
fn wrong_arguments_are_named() {
    let control = Control::new();
    for direction in [StoredLists::Out, StoredLists::Both] {
        let directed = graph(2, &[(0, 1)], direction);
        let errors = [
            biconnectivity::run(&directed, &control).unwrap_err(),
            minimum_spanning_forest::run(&directed, &control).unwrap_err(),
            coloring::run(&directed, 0, &control).unwrap_err(),
            maximal_independent_set::run(&directed, 0, &control).unwrap_err(),
        ];
        assert!(
            errors
                .iter()
                .all(|error| *error == RunError::NeedsUndirected)
        );
    }
    for wrong in [Weight::NAN, Weight::INFINITY, Weight::NEG_INFINITY] {
        let edges = [(0, 1, 1.0), (2, 1, wrong)];
        let graph = Csr::from_weighted_edges(3, &edges, UNDIRECTED);
        let error = minimum_spanning_forest::run(&graph, &control).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("the edge from 1 to 2 has weight"),
            "{text}"
        );
    }
}

#[test]
fn runs_are_cancelled() {
    let edges = kronecker(10, 8, 1);
    for direction in DIRECTIONS {
        let graph = graph(1 << 10, &edges, direction);
        with_ended(|control, reason| {
            let expected = RunError::Cancelled(reason);
            let mut errors = vec![
                spanning_forest::run(&graph, control).unwrap_err(),
                strongly_connected_components::run(&graph, control).unwrap_err(),
                topological_order::run(&graph, control).unwrap_err(),
            ];
            if direction == UNDIRECTED {
                errors.extend([
                    biconnectivity::run(&graph, control).unwrap_err(),
                    minimum_spanning_forest::run(&graph, control).unwrap_err(),
                    coloring::run(&graph, 0, control).unwrap_err(),
                    maximal_independent_set::run(&graph, 0, control).unwrap_err(),
                ]);
            }
            assert!(errors.iter().all(|error| *error == expected));
        });
    }
}

#[test]
fn verifiers_find_wrong_results() {
    let control = Control::new();
    let square = graph(4, &cycle(4), UNDIRECTED);
    let mut trees = spanning_forest::run(&square, &control).unwrap();
    trees.edges[0] = (0, 2);
    assert!(spanning_forest::verify(&square, &trees).is_err());
    trees.edges.pop();
    assert!(spanning_forest::verify(&square, &trees).is_err());

    let mut blocks = biconnectivity::run(&square, &control).unwrap();
    blocks.articulation_points.push(3);
    let found = biconnectivity::verify(&square, &blocks).unwrap_err();
    assert_eq!(found.what, "articulation point");
    blocks.heads[2] = 1;
    assert_eq!(
        biconnectivity::verify(&square, &blocks).unwrap_err().vertex,
        2
    );

    let mut lightest = minimum_spanning_forest::run(&square, &control).unwrap();
    lightest.edges[1].2 = 0.5;
    assert!(minimum_spanning_forest::verify(&square, &lightest).is_err());

    let mut colors = coloring::run(&square, 0, &control).unwrap();
    colors.colors[3] = colors.colors[2];
    assert!(coloring::verify(&square, 0, &colors).is_err());
    let mut set = maximal_independent_set::run(&square, 0, &control).unwrap();
    set.members.pop();
    assert!(maximal_independent_set::verify(&square, 0, &set).is_err());

    let ring = graph(4, &cycle(4), StoredLists::Both);
    let mut strong = strongly_connected_components::run(&ring, &control).unwrap();
    strong.labels[1] = 1;
    assert!(strongly_connected_components::verify(&ring, &strong).is_err());
    let mut order = topological_order::run(&ring, &control).unwrap();
    order.cycle.swap(0, 1);
    assert!(topological_order::verify(&ring, &order).is_err());
}

proptest! {
    #[test]
    fn results_are_those_of_the_verifiers(
        (n, edges) in edges(),
        piece in 1_usize..6,
        kinds in 1_u64..40,
        seed in any::<u64>(),
    ) {
        let edges = weighted(&edges, kinds, seed);
        for direction in DIRECTIONS {
            let graph = Csr::from_weighted_edges(n, &edges, direction);
            check(&graph);
            let graph = Segmented { graph, piece };
            check(&graph);
            if let Some(undirected) = Symmetric::of(&graph) {
                check(&undirected);
            }
        }
    }

    #[test]
    fn acyclic_graphs_have_an_order((n, edges) in edges()) {
        let edges: Vec<Edge> = edges
            .into_iter()
            .filter(|(u, v)| u != v)
            .map(|(u, v)| (u.max(v), u.min(v)))
            .collect();
        for direction in [StoredLists::Out, StoredLists::Both] {
            let graph = graph(n, &edges, direction);
            let order = topological_order::run(&graph, &Control::new()).unwrap();
            assert!(order.is_acyclic());
            topological_order::verify(&graph, &order).unwrap();
            let components = connected_components::run(&graph, &Control::new()).unwrap();
            let trees = spanning_forest::run(&graph, &Control::new()).unwrap();
            assert_eq!(trees.components, components.components);
        }
    }
}
