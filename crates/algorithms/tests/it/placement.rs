//! Hot vertices and edges, centralities that follow a graph, and the division of
//! memory.

use std::collections::{HashSet, VecDeque};

use crate::common::karate::karate_club;
use crate::common::{Segmented, with_threads};
use evergraph_algorithms::placement::curve::HitCurve;
use evergraph_algorithms::placement::edges::{self, Keep};
use evergraph_algorithms::placement::split::{Latencies, Load};
use evergraph_algorithms::placement::{Budget, Centrality, Extent, Policy, choose, hottest};
use evergraph_algorithms::{Control, RunError, eigenvector};
use evergraph_generators::kronecker;
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, StoredLists, VertexId};
use proptest::prelude::*;

const OPTANE: Latencies = Latencies {
    fast_read: 80.0,
    fast_write: 80.0,
    medium_read: 300.0,
    medium_write: 500.0,
};

#[test]
fn budgets_are_kept_to() {
    let graph = karate_club();
    for policy in Policy::ALL {
        for (budget, count) in [
            (Budget::Share(0.0), 0),
            (Budget::Share(0.1), 3),
            (Budget::Share(1.0), 34),
            (
                Budget::Bytes {
                    bytes: 79,
                    per_vertex: 8,
                },
                9,
            ),
            (
                Budget::Bytes {
                    bytes: 1 << 40,
                    per_vertex: 8,
                },
                34,
            ),
        ] {
            let placement = choose(&graph, policy, budget, 5, &Control::new()).unwrap();
            assert_eq!(placement.vertices.len(), count, "{policy:?}, {budget:?}");
            let distinct: HashSet<_> = placement.vertices.iter().collect();
            assert_eq!(distinct.len(), count);
        }
        let error = choose(&graph, policy, Budget::Share(1.5), 5, &Control::new());
        assert!(matches!(
            error,
            Err(RunError::InvalidParameter { name: "share", .. })
        ));
    }
}

#[test]
fn the_most_central_and_the_best_connected_are_known() {
    let graph = karate_club();
    let hot = |policy| {
        let placement = choose(&graph, policy, Budget::Share(0.12), 0, &Control::new());
        placement.unwrap().vertices
    };
    // Members 34, 1, 3 and 33 of the club, by NetworkX's eigenvector centrality.
    assert_eq!(hot(Policy::Centrality), [33, 0, 2, 32]);
    assert_eq!(hot(Policy::Degree), [33, 0, 32, 2]);
}

#[test]
fn equals_are_chosen_in_order() {
    assert_eq!(hottest(&[1.0, 2.0, 1.0, 2.0, 0.0], 3), [1, 3, 0]);
    assert_eq!(hottest(&[7_u32; 5], 2), [0, 1]);
    assert_eq!(hottest::<u32>(&[], 0), [0; 0]);
}

/// How much of the hottest tenth two vectors share.
fn overlap(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len() / 10;
    let first: HashSet<VertexId> = hottest(a, count).into_iter().collect();
    let shared = hottest(b, count).into_iter().filter(|v| first.contains(v));
    shared.count() as f64 / count as f64
}

/// Sum of absolute differences, per sum of values.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    let pairs = found.iter().zip(expected);
    let total: f64 = pairs.map(|(a, b)| (a - b).abs()).sum();
    total / expected.iter().sum::<f64>()
}

const EXACT: eigenvector::Parameters = eigenvector::Parameters {
    tolerance: 1e-12,
    at_most: 2000,
};

/// The bounds are those that `docs/placement.md` gives.
#[test]
fn updated_centralities_are_near_those_from_scratch() {
    // Extent, iterations, the largest difference and the least overlap.
    for (extent, iterations, most, least) in [
        (Extent::Whole, 1, 0.01, 0.99),
        (Extent::Whole, 3, 1e-4, 0.995),
        (Extent::Near(1), 2, 0.005, 0.99),
        (Extent::Near(0), 1, 0.15, 0.94),
    ] {
        for direction in [StoredLists::Both, StoredLists::Undirected] {
            let (difference, overlap) = followed(direction, extent, iterations);
            let name = format!("{extent:?}, {iterations} iterations, {direction:?}");
            assert!(difference < most, "{name}: {difference}");
            assert!(overlap >= least, "{name}: {overlap}");
        }
    }
}

/// How far a centrality that follows ten batches of 1 % is from those from scratch
/// at most, and how much of the hottest tenth it has at least.
fn followed(direction: StoredLists, extent: Extent, iterations: u32) -> (f64, f64) {
    let control = Control::new();
    let mut edges = kronecker(11, 8, 9);
    Random::new(1).shuffle(&mut edges);
    let of = |end: usize| Csr::from_edges(1 << 11, &edges[..end], direction);
    let base = edges.len() * 9 / 10;
    let step = edges.len() / 100;
    let mut kept = Centrality::of(&of(base), &EXACT, &control).unwrap();
    let mut worst = (0.0_f64, 1.0_f64);
    for end in (base + step..=edges.len()).step_by(step) {
        let added = &edges[end - step..end];
        let mut targets: Vec<VertexId> = added.iter().map(|edge| edge.1).collect();
        if direction == StoredLists::Undirected {
            targets.extend(added.iter().map(|edge| edge.0));
        }
        let graph = of(end);
        kept.update(&graph, &targets, extent, iterations, &control)
            .unwrap();
        let expected = eigenvector::run(&graph, &EXACT, &control).unwrap().scores;
        worst.0 = worst.0.max(difference(kept.scores(), &expected));
        worst.1 = worst.1.min(overlap(kept.scores(), &expected));
    }
    worst
}

#[test]
fn updates_take_new_vertices_and_deletions() {
    let control = Control::new();
    let edges = kronecker(9, 8, 2);
    let grown = Csr::from_edges(600, &edges, StoredLists::Both);
    let mut centrality = {
        let small: Vec<_> = edges
            .iter()
            .copied()
            .filter(|&(u, v)| u < 400 && v < 400)
            .collect();
        let small = Csr::from_edges(400, &small, StoredLists::Both);
        Centrality::of(&small, &EXACT, &control).unwrap()
    };
    centrality
        .update(&grown, &[], Extent::Whole, 300, &control)
        .unwrap();
    let expected = eigenvector::run(&grown, &EXACT, &control).unwrap().scores;
    assert!(difference(centrality.scores(), &expected) < 1e-6);
    let fewer = Csr::from_edges(600, &edges[edges.len() / 2..], StoredLists::Both);
    centrality
        .update(&fewer, &[], Extent::Whole, 300, &control)
        .unwrap();
    let expected = eigenvector::run(&fewer, &EXACT, &control).unwrap().scores;
    assert!(difference(centrality.scores(), &expected) < 1e-6);
    let out = Csr::from_edges(600, &edges, StoredLists::Out);
    let error = centrality.update(&out, &[1], Extent::Near(1), 1, &control);
    assert_eq!(error, Err(RunError::NeedsInLists));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn placements_do_not_depend_on_threads_or_segments((n, edges) in crate::common::edges(), seed in 0_u64..9) {
        let graph = Csr::from_edges(n, &edges, StoredLists::Both);
        for policy in Policy::ALL {
            let of = |graph: &Csr| choose(graph, policy, Budget::Share(0.3), seed, &Control::new());
            let placement = of(&graph).unwrap();
            prop_assert_eq!(&placement, &with_threads(3, || of(&graph).unwrap()));
            let pieces = Segmented { graph: graph.clone(), piece: 2 };
            let again = choose(&pieces, policy, Budget::Share(0.3), seed, &Control::new());
            prop_assert_eq!(placement, again.unwrap());
        }
    }

    #[test]
    fn kept_edges_have_the_largest_coefficients((n, edges) in crate::common::edges(), seed in 0_u64..9) {
        let graph = Csr::from_edges(n, &edges, StoredLists::Both).simple();
        let scores = vec![1.0; n];
        let hot: Vec<VertexId> = (0..n as VertexId).step_by(2).collect();
        let coefficient = |&(u, v): &(VertexId, VertexId)| {
            let [a, b] = [u, v].map(|w| graph.neighbors(w).iter().copied().collect::<HashSet<_>>());
            let all = a.union(&b).count();
            if all == 0 { 0.0 } else { a.intersection(&b).count() as f64 / all as f64 }
        };
        let with = |keep, kept| {
            let parameters = edges::Parameters { drawn: 3, kept, keep, seed };
            edges::choose(&graph, &hot, &scores, &parameters, &Control::new()).unwrap()
        };
        let drawn = with(Keep::Chance, 1.0);
        let each = |u: &VertexId| graph.neighbors(*u).len().min(3);
        prop_assert_eq!(drawn.len(), hot.iter().map(each).sum::<usize>());
        prop_assert!(drawn.iter().all(|(u, v)| hot.contains(u) && graph.neighbors(*u).contains(v)));
        let distinct: HashSet<_> = drawn.iter().collect();
        prop_assert_eq!(distinct.len(), drawn.len());
        for (keep, sign) in [(Keep::Jaccard, 1.0), (Keep::InverseJaccard, -1.0)] {
            let kept = with(keep, 0.5);
            prop_assert_eq!(kept.len(), (drawn.len() as f64 * 0.5).round() as usize);
            let least = kept.iter().map(|edge| sign * coefficient(edge)).fold(f64::INFINITY, f64::min);
            let left = drawn.iter().filter(|edge| !kept.contains(edge));
            prop_assert!(left.map(|edge| sign * coefficient(edge)).all(|other| other <= least));
        }
    }

    #[test]
    fn curves_of_caches_are_those_of_caches(trace in prop::collection::vec(0_u32..20, 0..300), room in 0_usize..21) {
        let curve = HitCurve::of_lru(&trace, 20, 20);
        let hits = replay(&trace, room).iter().filter(|&&hit| hit).count();
        let share = if trace.is_empty() { 0.0 } else { hits as f64 / trace.len() as f64 };
        prop_assert!((curve.at(room as f64 / 20.0) - share).abs() < 1e-9);
    }

    #[test]
    fn the_best_split_is_the_least_of_all(load in loads(), fast_bytes in 1_u64..5000) {
        let (share, cost) = load.best(fast_bytes, &OPTANE);
        prop_assert_eq!(cost, load.cost(share, fast_bytes, &OPTANE));
        for percent in 0..=1000 {
            let other = load.cost(f64::from(percent) / 1000.0, fast_bytes, &OPTANE);
            prop_assert!(cost.total() <= other.total() * (1.0 + 1e-9));
        }
    }
}

/// For each access whether a cache for `room` items holds it.
fn replay(trace: &[VertexId], room: usize) -> Vec<bool> {
    let mut held: VecDeque<VertexId> = VecDeque::new();
    let mut access = |item| {
        let at = held.iter().position(|&other| other == item);
        at.map(|at| held.remove(at));
        held.push_front(item);
        held.truncate(room);
        at.is_some()
    };
    trace.iter().map(|&item| access(item)).collect()
}

fn loads() -> impl Strategy<Value = Load> {
    let trace = || prop::collection::vec(0_u32..20, 1..100);
    (trace(), trace(), trace()).prop_map(|(graph, reads, writes)| {
        let order: Vec<VertexId> = (0..20).collect();
        let counts = |trace: &[VertexId]| {
            let mut counts = vec![0; 20];
            trace.iter().for_each(|&v| counts[v as usize] += 1);
            counts
        };
        Load {
            graph_reads: vec![graph.len() as u64, 7],
            graph_bytes: 2000,
            graph_hits: HitCurve::of_lru(&graph, 20, 10),
            state_reads: reads.len() as u64,
            state_writes: writes.len() as u64,
            state_bytes: 1000,
            state_read_hits: HitCurve::of_order(&counts(&reads), &order, 5),
            state_write_hits: HitCurve::of_order(&counts(&writes), &order, 5),
        }
    })
}

/// Accesses with a few favorites, as graphs have them.
fn skewed(items: u64, count: usize, seed: u64) -> Vec<VertexId> {
    let mut random = Random::new(seed);
    let mut draw = || (items as f64 * random.next_f64().powi(3)) as VertexId;
    (0..count).map(|_| draw()).collect()
}

/// Counts each access of a replay where it goes, which the model only predicts.
#[test]
fn the_model_predicts_what_a_replay_counts() {
    const ITEMS: usize = 100;
    let [graph, reads, writes] = [1, 2, 3].map(|seed| skewed(ITEMS as u64, 5000, seed));
    let mut counts = [vec![0_u64; ITEMS], vec![0; ITEMS]];
    for (counts, trace) in counts.iter_mut().zip([&reads, &writes]) {
        trace.iter().for_each(|&v| counts[v as usize] += 1);
    }
    let order = hottest(&counts[1], ITEMS);
    // An item of the graph takes 10 bytes, one of the state 5.
    let load = Load {
        graph_reads: vec![graph.len() as u64],
        graph_bytes: 10 * ITEMS as u64,
        graph_hits: HitCurve::of_lru(&graph, ITEMS, ITEMS),
        state_reads: reads.len() as u64,
        state_writes: writes.len() as u64,
        state_bytes: 5 * ITEMS as u64,
        state_read_hits: HitCurve::of_order(&counts[0], &order, ITEMS),
        state_write_hits: HitCurve::of_order(&counts[1], &order, ITEMS),
    };
    let mut least = (f64::INFINITY, 0.0);
    for cached in (0..=40).step_by(4) {
        let (fast_bytes, share) = (400, f64::from(cached) / 40.0);
        let hot: HashSet<VertexId> = order[..ITEMS.min((40 - cached as usize) * 2)]
            .iter()
            .copied()
            .collect();
        let mut counted = 0.0;
        for hit in replay(&graph, cached as usize) {
            counted += if hit { 80.0 } else { 300.0 + 80.0 };
        }
        for v in &reads {
            counted += if hot.contains(v) { 80.0 } else { 300.0 };
        }
        for v in &writes {
            counted += if hot.contains(v) { 80.0 } else { 500.0 };
        }
        let predicted = load.cost(share, fast_bytes, &OPTANE).total();
        assert!(
            (predicted / counted - 1.0).abs() < 1e-9,
            "{share}: {predicted}, {counted}"
        );
        if counted < least.0 {
            least = (counted, share);
        }
    }
    let (share, cost) = load.best(400, &OPTANE);
    assert!(
        cost.total() <= least.0,
        "{share}, counted least at {}",
        least.1
    );
    assert!(
        (share - least.1).abs() <= 0.1,
        "{share}, counted least at {}",
        least.1
    );
}

#[test]
fn writes_to_the_medium_count() {
    // State that is only written, and a graph that is read as often: with all writes
    // at the latency of fast memory, as in the paper's equation 3, state would get
    // nothing.
    let load = Load {
        graph_reads: vec![1000, 1000],
        graph_bytes: 100,
        graph_hits: HitCurve::through(&[(1.0, 1.0)]),
        state_reads: 0,
        state_writes: 1000,
        state_bytes: 100,
        state_read_hits: HitCurve::through(&[(1.0, 1.0)]),
        state_write_hits: HitCurve::through(&[(1.0, 1.0)]),
    };
    let (share, cost) = load.best(100, &OPTANE);
    assert_eq!(share, 0.0);
    assert_eq!(cost.total(), 1000.0 * 380.0 + 1000.0 * 80.0);
    let as_printed = Latencies {
        medium_write: OPTANE.fast_write,
        ..OPTANE
    };
    assert_eq!(load.best(100, &as_printed).0, 1.0);
}
