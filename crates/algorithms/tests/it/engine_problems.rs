//! Cores, dense subgraphs, matchings and covers.

use std::time::{Duration, Instant};

use crate::common::{Edges, Segmented, edges, with_threads};
use evergraph_algorithms::k_core::Bucketing;
use evergraph_algorithms::{
    Cancellation, Cancelled, Control, RunError, UNREACHED, densest_subgraph, k_core,
    maximal_matching, set_cover,
};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, VertexId};
use proptest::prelude::*;

const UNDIRECTED: StoredLists = StoredLists::Undirected;

fn graph(n: usize, edges: &[(VertexId, VertexId)]) -> Csr {
    Csr::from_edges(n, edges, UNDIRECTED)
}

/// The small graphs with known answers.
fn path(n: u32) -> Csr {
    graph(n as usize, &(1..n).map(|v| (v - 1, v)).collect::<Edges>())
}

fn cycle(n: u32) -> Csr {
    graph(
        n as usize,
        &(0..n).map(|v| (v, (v + 1) % n)).collect::<Edges>(),
    )
}

fn star(n: u32) -> Csr {
    graph(n as usize, &(1..n).map(|v| (0, v)).collect::<Edges>())
}

fn complete(n: u32) -> Csr {
    let edges = (0..n).flat_map(|u| (0..u).map(move |v| (u, v)));
    graph(n as usize, &edges.collect::<Edges>())
}

fn coreness(graph: &Csr) -> Vec<u32> {
    k_core::run(graph, &k_core::Parameters::default(), &Control::new())
        .unwrap()
        .coreness
}

#[test]
fn cores_of_small_graphs() {
    assert_eq!(coreness(&path(5)), [1; 5]);
    assert_eq!(coreness(&cycle(5)), [2; 5]);
    assert_eq!(coreness(&star(6)), [1; 6]);
    assert_eq!(coreness(&complete(5)), [4; 5]);
    assert_eq!(coreness(&graph(3, &[])), [0; 3]);
    // A triangle with a tail, and a pair.
    let two = graph(7, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 6)]);
    let found = k_core::run(&two, &k_core::Parameters::default(), &Control::new()).unwrap();
    assert_eq!(found.coreness, [2, 2, 2, 1, 1, 1, 1]);
    assert_eq!((found.max_coreness, found.innermost), (2, 3));
    // A self-loop is stored twice, parallel edges each.
    assert_eq!(coreness(&graph(3, &[(0, 0), (1, 2), (1, 2)])), [2, 2, 2]);
    let none = k_core::run(
        &graph(0, &[]),
        &k_core::Parameters::default(),
        &Control::new(),
    )
    .unwrap();
    assert_eq!((none.coreness.len(), none.rounds), (0, 0));
}

fn densest(graph: &Csr) -> (f64, usize) {
    let usual = densest_subgraph::Parameters::default();
    let found = densest_subgraph::run(graph, &usual, &Control::new()).unwrap();
    densest_subgraph::verify(graph, &usual, &found).unwrap();
    (found.density, found.size)
}

#[test]
fn dense_parts_of_small_graphs() {
    assert_eq!(densest(&path(4)), (0.75, 4));
    assert_eq!(densest(&cycle(5)), (1.0, 5));
    assert_eq!(densest(&complete(5)), (2.0, 5));
    assert_eq!(densest(&graph(3, &[])), (0.0, 3));
    assert_eq!(densest(&graph(0, &[])), (0.0, 0));
    // A complete graph of 6 and a long path: the path goes first.
    let mut edges: Edges = (0..6).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    edges.extend((6..100).map(|v| (v - 1, v)));
    assert_eq!(densest(&graph(100, &edges)), (2.5, 6));
    // A self-loop is an edge.
    assert_eq!(densest(&graph(2, &[(0, 0), (0, 0)])), (2.0, 1));
}

/// The largest density of any set, by trying all.
fn densest_by_hand(n: usize, edges: &[(VertexId, VertexId)]) -> f64 {
    let density = |set: u32| {
        let inside = |&&(u, v): &&(u32, u32)| set >> u & set >> v & 1 == 1;
        edges.iter().filter(inside).count() as f64 / f64::from(set.count_ones())
    };
    (1..1_u32 << n).map(density).fold(0.0, f64::max)
}

fn matched(graph: &Csr, seed: u64) -> usize {
    let parameters = maximal_matching::Parameters { seed };
    let found = maximal_matching::run(graph, &parameters, &Control::new()).unwrap();
    maximal_matching::verify(graph, &parameters, &found).unwrap();
    check_matching(graph, &found);
    found.pairs
}

/// Mates are mutual and neighbors, and no edge could be added.
fn check_matching(graph: &impl Graph, found: &maximal_matching::MaximalMatching) {
    let mates = &found.mates;
    let mut reader = graph.reader();
    let mut taken = 0;
    for v in 0..graph.vertex_count() as VertexId {
        let mate = mates[v as usize];
        let mut neighbors = Vec::new();
        reader.neighbors_into(v, &mut neighbors);
        if mate == UNREACHED {
            let free = |&&u: &&VertexId| u != v && mates[u as usize] == UNREACHED;
            assert_eq!(neighbors.iter().find(free), None, "{v}");
        } else {
            assert!(mates[mate as usize] == v && mate != v && neighbors.contains(&mate));
            taken += 1;
        }
    }
    assert_eq!(taken, 2 * found.pairs);
}

#[test]
fn matchings_of_small_graphs() {
    for seed in 0..20 {
        assert_eq!(matched(&star(6), seed), 1);
        assert_eq!(matched(&complete(6), seed), 3);
        assert_eq!(matched(&complete(5), seed), 2);
        assert_eq!(matched(&cycle(5), seed), 2);
        assert!((1..=2).contains(&matched(&path(4), seed)));
        assert_eq!(matched(&graph(3, &[]), seed), 0);
        assert_eq!(matched(&graph(0, &[]), seed), 0);
        let loops = graph(4, &[(0, 0), (1, 2), (1, 2), (2, 1), (3, 3)]);
        assert_eq!(matched(&loops, seed), 1);
    }
}

fn cover(graph: &impl Graph) -> set_cover::SetCover {
    let usual = set_cover::Parameters::default();
    let found = set_cover::run(graph, &usual, &Control::new()).unwrap();
    set_cover::verify(graph, &usual, &found).unwrap();
    found
}

#[test]
fn covers_of_small_graphs() {
    // The center covers the leaves, and any leaf the center.
    let found = cover(&star(6));
    assert_eq!((found.sets.len(), found.covered), (2, 6));
    assert_eq!(found.covered_by[1..], [0; 5]);
    assert_eq!(cover(&complete(5)).sets.len(), 2);
    let none = cover(&graph(3, &[]));
    assert_eq!((none.sets.len(), none.covered), (0, 0));
    assert_eq!(cover(&graph(0, &[])).covered_by, []);
    // Covered by a self-loop; out-lists alone will do.
    let arcs = [(0, 0), (0, 1), (0, 2), (2, 1), (2, 1), (2, 1)];
    let found = cover(&Csr::from_edges(4, &arcs, StoredLists::Out));
    assert_eq!(found.covered_by, [0, found.covered_by[1], 0, UNREACHED]);
    assert_eq!(found.covered, 3);
}

/// The same neighbors without repetitions; self-loops stay.
fn without_parallel(n: usize, edges: &[(VertexId, VertexId)], direction: StoredLists) -> Csr {
    let of_one_direction = |&(u, v): &(VertexId, VertexId)| match direction {
        StoredLists::Undirected => (u.min(v), u.max(v)),
        StoredLists::Out | StoredLists::Both => (u, v),
    };
    let mut edges: Edges = edges.iter().map(of_one_direction).collect();
    edges.sort_unstable();
    edges.dedup();
    Csr::from_edges(n, &edges, direction)
}

#[test]
fn parallel_edges_make_no_set_larger() {
    // The center covers all; each leaf covers the center, often, and nothing else. The
    // second time lists are so long that tasks share them.
    for (leaves, times) in [(8, 10), (3, 9000)] {
        let spokes = (1..=leaves).flat_map(|leaf| {
            let back = std::iter::repeat_n((leaf, leaf), times);
            std::iter::once((0, leaf)).chain(back)
        });
        let mut edges: Edges = spokes.collect();
        let n = leaves as usize + 1;
        assert_eq!(
            cover(&Csr::from_edges(n, &edges, StoredLists::Out)).sets,
            [0]
        );
        edges.extend(std::iter::repeat_n((0, 1), 20_000));
        let found = cover(&Csr::from_edges(n, &edges, StoredLists::Both));
        assert_eq!((found.sets, found.covered), (vec![0], leaves as usize));
    }
}

/// The fewest sets that cover, by trying all.
fn cover_by_hand(graph: &Csr) -> usize {
    let n = graph.vertex_count();
    let masks: Vec<u32> = (0..n as VertexId)
        .map(|s| graph.neighbors(s).iter().fold(0, |mask, e| mask | 1 << e))
        .collect();
    let all = masks.iter().fold(0, |all, mask| all | mask);
    let covers = |sets: &u32| {
        let union = |union, s| {
            if sets >> s & 1 == 1 {
                union | masks[s]
            } else {
                union
            }
        };
        (0..n).fold(0, union) == all
    };
    let fewest = (0..1_u32 << n).filter(covers).map(u32::count_ones).min();
    fewest.unwrap() as usize
}

/// Runs and verifies all; the results.
fn all(
    graph: &impl Graph,
    seed: u64,
) -> (
    k_core::KCore,
    densest_subgraph::DensestSubgraph,
    maximal_matching::MaximalMatching,
    set_cover::SetCover,
) {
    let control = Control::new();
    let cores = k_core::run(graph, &k_core::Parameters::default(), &control).unwrap();
    k_core::verify(graph, &cores).unwrap();
    let semi_eager = k_core::Parameters {
        bucketing: Bucketing::SemiEager,
    };
    assert_eq!(k_core::run(graph, &semi_eager, &control).unwrap(), cores);
    let epsilon = densest_subgraph::Parameters { epsilon: 0.1 };
    let densest = densest_subgraph::run(graph, &epsilon, &control).unwrap();
    densest_subgraph::verify(graph, &epsilon, &densest).unwrap();
    let parameters = maximal_matching::Parameters { seed };
    let matching = maximal_matching::run(graph, &parameters, &control).unwrap();
    maximal_matching::verify(graph, &parameters, &matching).unwrap();
    let parameters = set_cover::Parameters {
        seed,
        ..Default::default()
    };
    let cover = set_cover::run(graph, &parameters, &control).unwrap();
    set_cover::verify(graph, &parameters, &cover).unwrap();
    (cores, densest, matching, cover)
}

#[test]
fn large_graphs_threads_and_hubs() {
    let mut edges = kronecker(14, 16, 3);
    edges.extend((0..40_000).map(|at| (5, at % 16_000)));
    let graph = graph(1 << 14, &edges);
    let alone = with_threads(1, || all(&graph, 7));
    check_matching(&graph, &alone.2);
    assert!(alone.2.phases > 1, "{}", alone.2.phases);
    assert!(alone.3.sets.len() < 1 << 13);
    let together = with_threads(4, || all(&graph, 7));
    assert!(alone == together);
    let simple = graph.simple();
    let piece = 100;
    let whole = with_threads(2, || all(&simple, 8));
    let pieces = with_threads(2, || {
        all(
            &Segmented {
                graph: simple,
                piece,
            },
            8,
        )
    });
    assert!(whole == pieces);
}

#[test]
fn a_long_path_is_peeled_from_its_ends() {
    let found = k_core::run(
        &path(20_000),
        &k_core::Parameters::default(),
        &Control::new(),
    )
    .unwrap();
    assert_eq!((found.max_coreness, found.innermost), (1, 20_000));
    assert_eq!(found.rounds, 10_000);
}

#[test]
fn wrong_arguments_are_named() {
    let control = Control::new();
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(2, &[(0, 1)], direction);
        let needs = Some(RunError::NeedsUndirected);
        assert_eq!(
            k_core::run(&graph, &k_core::Parameters::default(), &control).err(),
            needs
        );
        let usual = densest_subgraph::Parameters::default();
        assert_eq!(densest_subgraph::run(&graph, &usual, &control).err(), needs);
        let usual = maximal_matching::Parameters::default();
        assert_eq!(maximal_matching::run(&graph, &usual, &control).err(), needs);
    }
    let names_epsilon = |error: Option<RunError>| match error {
        Some(RunError::InvalidParameter { name, .. }) => assert_eq!(name, "epsilon"),
        other => panic!("{other:?}"),
    };
    for epsilon in [f64::NAN, -1.0, 0.0, 100.0] {
        let parameters = densest_subgraph::Parameters { epsilon };
        names_epsilon(densest_subgraph::run(&path(3), &parameters, &control).err());
        let parameters = set_cover::Parameters { epsilon, seed: 1 };
        names_epsilon(set_cover::run(&path(3), &parameters, &control).err());
    }
    // The ends of their ranges.
    for epsilon in [0.0001, 10.0] {
        let parameters = densest_subgraph::Parameters { epsilon };
        assert!(densest_subgraph::run(&path(3), &parameters, &control).is_ok());
    }
    for epsilon in [0.001, 1.0] {
        let parameters = set_cover::Parameters { epsilon, seed: 1 };
        assert!(set_cover::run(&path(3), &parameters, &control).is_ok());
    }
}

#[test]
fn a_set_that_wins_all_it_has_joins_however_powers_are_rounded() {
    // The square of 1 + epsilon is above 3, though by logarithms 3 is in that bucket.
    let epsilon = 0.732_050_807_568_877_4;
    assert!((1.0_f64 + epsilon).powi(2) > 3.0 && 3_f64.log(1.0 + epsilon) >= 2.0);
    let graph = Csr::from_edges(4, &[(0, 1), (0, 2), (0, 3)], StoredLists::Out);
    let parameters = set_cover::Parameters { epsilon, seed: 1 };
    let deadline = Instant::now() + Duration::from_secs(20);
    let control = Control::new().with_deadline(deadline);
    let found = set_cover::run(&graph, &parameters, &control).unwrap();
    assert_eq!((found.sets, found.covered), (vec![0], 3));
}

#[test]
fn runs_are_cancelled() {
    let stop = Cancellation::new();
    stop.cancel();
    let control = Control::new().with_cancellation(&stop);
    let graph = complete(50);
    let requested = Some(RunError::Cancelled(Cancelled::Requested));
    assert_eq!(
        k_core::run(&graph, &k_core::Parameters::default(), &control).err(),
        requested
    );
    let usual = densest_subgraph::Parameters::default();
    assert_eq!(
        densest_subgraph::run(&graph, &usual, &control).err(),
        requested
    );
    let usual = maximal_matching::Parameters::default();
    assert_eq!(
        maximal_matching::run(&graph, &usual, &control).err(),
        requested
    );
    let usual = set_cover::Parameters::default();
    assert_eq!(set_cover::run(&graph, &usual, &control).err(), requested);
}

#[test]
fn verifiers_find_wrong_results() {
    let graph = graph(
        60,
        &(1..60)
            .flat_map(|v| [(v - 1, v), (v / 2, v)])
            .collect::<Edges>(),
    );
    let (mut cores, mut densest, mut matching, cover) = all(&graph, 3);
    cores.coreness[7] += 1;
    assert_eq!(k_core::verify(&graph, &cores).unwrap_err().vertex, 7);
    let epsilon = densest_subgraph::Parameters { epsilon: 0.1 };
    densest.density += 0.1;
    densest_subgraph::verify(&graph, &epsilon, &densest).unwrap_err();
    densest.members.fill(false);
    densest.members[0] = true;
    (densest.density, densest.size) = (0.0, 1);
    densest_subgraph::verify(&graph, &epsilon, &densest).unwrap_err();
    let seed = maximal_matching::Parameters { seed: 3 };
    let taken = matching
        .mates
        .iter()
        .position(|&mate| mate != UNREACHED)
        .unwrap();
    matching.mates[taken] = UNREACHED;
    let mismatch = maximal_matching::verify(&graph, &seed, &matching).unwrap_err();
    assert_eq!(mismatch.vertex, taken as VertexId);
    let usual = set_cover::Parameters::default();
    for spoil in [
        |cover: &mut set_cover::SetCover| cover.sets.truncate(1),
        |cover: &mut set_cover::SetCover| cover.covered_by[9] = UNREACHED,
        |cover: &mut set_cover::SetCover| cover.sets.extend([1; 500]),
    ] {
        let mut spoiled = cover.clone();
        spoil(&mut spoiled);
        set_cover::verify(&graph, &usual, &spoiled).unwrap_err();
    }
}

proptest! {
    #[test]
    fn results_are_verified((n, edges) in edges(), piece in 1_usize..6, seed in any::<u64>()) {
        let whole = graph(n, &edges);
        let found = all(&whole, seed);
        check_matching(&whole, &found.2);
        let segmented = Segmented { graph: whole, piece };
        prop_assert!(found == all(&segmented, seed));
        for direction in [StoredLists::Out, StoredLists::Both] {
            cover(&Csr::from_edges(n, &edges, direction));
        }
    }

    #[test]
    fn a_cover_is_that_without_parallel_edges(
        (n, edges) in edges(),
        times in prop::collection::vec(1_usize..12, 1..9),
    ) {
        let repeated = edges.iter().zip(times.iter().cycle());
        let repeated = repeated.flat_map(|(&edge, &times)| std::iter::repeat_n(edge, times));
        let repeated: Edges = repeated.collect();
        for direction in [UNDIRECTED, StoredLists::Out, StoredLists::Both] {
            let once = cover(&without_parallel(n, &edges, direction));
            prop_assert_eq!(cover(&Csr::from_edges(n, &repeated, direction)), once);
        }
    }

    #[test]
    fn results_are_near_the_best(
        (n, edges) in (1_usize..11).prop_flat_map(|n| {
            let end = 0..n as VertexId;
            (Just(n), prop::collection::vec((end.clone(), end), 0..3 * n))
        }),
    ) {
        let graph = graph(n, &edges);
        let (density, _) = densest(&graph);
        prop_assert!(density * 2.002 + 1e-9 >= densest_by_hand(n, &edges));
        let sets = cover(&graph).sets.len() as f64;
        let fewest = cover_by_hand(&graph) as f64;
        let largest = (0..n as VertexId).map(|v| graph.neighbors(v).len()).max();
        let harmonic: f64 = (1..=largest.unwrap_or(0)).map(|k| 1.0 / k as f64).sum();
        prop_assert!(sets <= (fewest * harmonic * 1.0201).ceil() + 1e-9);
    }
}
