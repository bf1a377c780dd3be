//! Bellman-Ford on graphs with many negative cycles, against a list of edges and
//! rounds over it.

use std::collections::HashSet;

use evergraph_algorithms::{Cancellation, Control, bellman_ford};
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, StoredLists, VertexId, Weight};

use crate::common::with_threads;

type Edge = (VertexId, VertexId, Weight);

/// Expansions that a run may take, in multiples of n: what has no negative cycle
/// takes few, and each cycle is found at most 16 n after it appears.
const EXPANSIONS: u64 = 100;

/// Distances as `bellman_ford` has them, and whether a negative cycle is reachable.
/// Weights are whole, sums are exact.
fn plain(n: usize, edges: &[Edge], source: VertexId) -> (Vec<f64>, bool) {
    let mut distances: Vec<Option<i64>> = vec![None; n];
    distances[source as usize] = Some(0);
    let shorter = |distances: &[Option<i64>], &(u, v, weight): &Edge| {
        let through = distances[u as usize]? + weight as i64;
        let is_shorter = distances[v as usize].is_none_or(|known| through < known);
        is_shorter.then_some((v as usize, through))
    };
    for _ in 1..n {
        let before = distances.clone();
        for edge in edges {
            if let Some((v, through)) = shorter(&distances, edge) {
                distances[v] = Some(through);
            }
        }
        if before == distances {
            break;
        }
    }
    // A distance that still falls is behind a cycle, and so is all that it reaches.
    let falls = edges.iter().filter_map(|edge| shorter(&distances, edge));
    let mut waiting: Vec<usize> = falls.map(|(v, _)| v).collect();
    let has_cycle = !waiting.is_empty();
    let mut endless: HashSet<usize> = HashSet::new();
    while let Some(u) = waiting.pop() {
        if endless.insert(u) {
            let out = edges.iter().filter(|edge| edge.0 as usize == u);
            waiting.extend(out.map(|edge| edge.1 as usize));
        }
    }
    let distance = |(v, known): (usize, &Option<i64>)| match (endless.contains(&v), known) {
        (true, _) => f64::NEG_INFINITY,
        (false, Some(known)) => *known as f64,
        (false, None) => f64::INFINITY,
    };
    (
        distances.iter().enumerate().map(distance).collect(),
        has_cycle,
    )
}

/// Compares a run with [`plain`], for one and more threads. Returns whether there is a
/// negative cycle.
fn check(n: usize, edges: &[Edge], direction: StoredLists, source: VertexId) -> bool {
    let graph = Csr::from_weighted_edges(n, edges, direction);
    let mut arcs = edges.to_vec();
    if direction == StoredLists::Undirected {
        arcs.extend(edges.iter().map(|&(u, v, weight)| (v, u, weight)));
    }
    let (expected, has_cycle) = plain(n, &arcs, source);
    for threads in [1, 4] {
        let stop = Cancellation::new();
        let most = EXPANSIONS * n as u64;
        let watch = |progress: evergraph_algorithms::Progress| {
            if progress.done > most {
                stop.cancel();
            }
        };
        let control = Control::new()
            .with_cancellation(&stop)
            .with_progress(&watch);
        let run = || bellman_ford::run(&graph, source, true, &control);
        let found = with_threads(threads, run).expect("it ends soon");
        assert_eq!(found.distances, expected, "{n} vertices, {threads} threads");
        bellman_ford::verify(&graph, &found).unwrap();
        assert_eq!(found.distances.contains(&f64::NEG_INFINITY), has_cycle);
    }
    has_cycle
}

#[test]
fn in_complete_graphs_every_distance_is_minus_infinity() {
    for n in 9..=40 {
        let pairs = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
        let pairs = pairs.filter(|(u, v)| u != v);
        let edges: Vec<Edge> = pairs.map(|(u, v)| (u, v, -1.0)).collect();
        assert!(check(n as usize, &edges, StoredLists::Out, n / 2));
        assert!(check(n as usize, &edges, StoredLists::Undirected, 0));
    }
}

#[test]
fn random_graphs_agree_with_plain_rounds() {
    let mut random = Random::new(13);
    let mut with_cycles = 0;
    for round in 0..600 {
        let n = 1 + random.below(60) as usize;
        let count = random.below(4 * n as u64);
        let least = [-1, -4, -10][round % 3];
        let mut end = || random.below(n as u64) as VertexId;
        let ends: Vec<(VertexId, VertexId)> = (0..count).map(|_| (end(), end())).collect();
        let mut weight = || (random.below(22) as i64 + least) as Weight;
        let edges: Vec<Edge> = ends.into_iter().map(|(u, v)| (u, v, weight())).collect();
        with_cycles += u32::from(check(n, &edges, StoredLists::Out, 0));
    }
    assert!((100..500).contains(&with_cycles), "{with_cycles} of 600");
}

/// Cycles of two edges, each of which leads to the next over a path that begins with a
/// high weight, so that all of them are found one by one.
#[test]
fn cycles_one_behind_the_other_are_all_found() {
    for cycles in [1, 7, 100] {
        let mut edges: Vec<Edge> = vec![(0, 1, 5.0)];
        for cycle in 0..cycles {
            let first = 1 + 3 * cycle;
            edges.push((first, first + 1, 2.0));
            edges.push((first + 1, first, -3.0));
            edges.push((first, first + 2, 1000.0));
            edges.push((first + 2, first + 3, 7.0));
        }
        let n = 2 + 3 * cycles as usize;
        assert!(check(n, &edges, StoredLists::Out, 0));
        // From the last cycle on.
        assert!(check(n, &edges, StoredLists::Out, n as VertexId - 4));
        // Behind all of them.
        assert!(!check(n, &edges, StoredLists::Out, n as VertexId - 1));
    }
}

/// Ratings of users by users: a few are rated by many, most ratings are answered, one in
/// ten is negative; as in the ratings of Bitcoin OTC.
fn ratings(n: u32, count: usize, seed: u64) -> Vec<Edge> {
    let mut random = Random::new(seed);
    let mut rated: Vec<VertexId> = (0..n).collect();
    let mut edges = Vec::new();
    while edges.len() < count {
        let u = random.below(u64::from(n)) as VertexId;
        let v = rated[random.below(rated.len() as u64) as usize];
        if u == v {
            continue;
        }
        rated.push(v);
        let answers = random.below(5) != 0;
        for (u, v) in [(u, v), (v, u)].into_iter().take(1 + usize::from(answers)) {
            let good = 1 + random.below(10) as i32;
            let rating = if random.below(10) == 0 { -good } else { good };
            edges.push((u, v, rating as Weight));
        }
    }
    edges
}

#[test]
fn signed_networks_agree_with_plain_rounds() {
    for (n, count) in [(50, 200), (400, 2_400), (1_500, 9_000)] {
        for seed in 0..3 {
            let edges = ratings(n, count, seed);
            assert!(check(n as usize, &edges, StoredLists::Out, edges[0].0));
        }
        // Without those that are negative nothing falls for ever.
        let positive = ratings(n, count, 4);
        let positive: Vec<Edge> = positive.into_iter().filter(|edge| edge.2 > 0.0).collect();
        assert!(!check(
            n as usize,
            &positive,
            StoredLists::Out,
            positive[0].0
        ));
    }
}
