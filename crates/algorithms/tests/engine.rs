//! The parts that kernels are made of, each against a plain model.

mod common;

use std::sync::Mutex;

use common::{DIRECTIONS, Segmented, edges, with_threads};
use evergraph_algorithms::edge_map::{Lists, WeightedKernel, push_weighted};
use evergraph_algorithms::histogram::{Histogram, neighbor_counts};
use evergraph_algorithms::{Cancellation, Control};
use evergraph_graph::generate::kronecker;
use evergraph_graph::{Csr, Direction, Graph, NeighborReader, VertexId, Weight};
use proptest::prelude::*;

/// Notes every edge; all targets with an even number care and join.
#[derive(Default)]
struct Note(Mutex<Vec<(VertexId, VertexId, Weight)>>);

impl WeightedKernel for Note {
    fn condition(&self, v: VertexId) -> bool {
        v.is_multiple_of(2)
    }

    fn push(&self, u: VertexId, v: VertexId, weight: Weight) -> bool {
        self.0.lock().unwrap().push((u, v, weight));
        true
    }
}

/// The edges that a weighted push meets, and the vertices that join, sorted.
fn noted(
    graph: &impl Graph,
    frontier: &[VertexId],
) -> (Vec<(VertexId, VertexId, Weight)>, Vec<VertexId>) {
    let note = Note::default();
    let lists = Lists::outgoing(graph);
    let mut joined = push_weighted(lists, frontier, &note, &Control::new()).unwrap();
    joined.sort_unstable();
    let mut met = note.0.into_inner().unwrap();
    met.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    (met, joined)
}

/// The same by hand.
fn expected(
    edges: &[(VertexId, VertexId, Weight)],
    direction: Direction,
    frontier: &[VertexId],
) -> (Vec<(VertexId, VertexId, Weight)>, Vec<VertexId>) {
    let mut met = Vec::new();
    for &(u, v, weight) in edges {
        met.push((u, v, weight));
        if direction == Direction::Undirected {
            met.push((v, u, weight));
        }
    }
    met.retain(|&(u, v, _)| frontier.contains(&u) && v % 2 == 0);
    met.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    let mut joined: Vec<VertexId> = met.iter().map(|&(_, v, _)| v).collect();
    joined.sort_unstable();
    (met, joined)
}

#[test]
fn weights_of_hubs_come_with_their_edges() {
    let targets = 100_000;
    for direction in DIRECTIONS {
        let edges: Vec<(VertexId, VertexId, Weight)> =
            (1..targets).map(|v| (0, v, (v % 97) as Weight)).collect();
        let graph = Csr::from_weighted_edges(targets as usize, &edges, direction);
        let plain = with_threads(3, || noted(&graph, &[0]));
        assert!(plain == expected(&edges, direction, &[0]));
        let piece = 1000;
        let pieces = with_threads(3, || noted(&Segmented { graph, piece }, &[0]));
        assert!(plain == pieces);
    }
}

/// Counts by hand.
fn counted(
    graph: &impl Graph,
    frontier: &[VertexId],
    keep: impl Fn(VertexId) -> bool,
) -> Vec<(VertexId, u32)> {
    let mut counts = vec![0; graph.vertex_count()];
    for &u in frontier {
        graph
            .reader()
            .for_each_neighbor(u, |v| counts[v as usize] += 1);
    }
    (0..)
        .zip(counts)
        .filter(|&(v, count)| count > 0 && keep(v))
        .collect()
}

#[test]
fn neighbors_are_counted_in_every_way() {
    // With a hub, so that lists are cut.
    let mut edges = kronecker(12, 16, 3);
    edges.extend((0..40_000).map(|at| (5, at % 4000)));
    let keep = |v: VertexId| v % 3 != 1;
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 12, &edges, direction);
        let segmented = Segmented {
            graph: graph.clone(),
            piece: 100,
        };
        for threads in [1, 3] {
            with_threads(threads, || {
                let mut histogram = Histogram::new(graph.vertex_count());
                // One by one, parted or by all vertices, and again the first.
                for step in [700, 40, 9, 2, 1, 700] {
                    let frontier: Vec<VertexId> = (5..1 << 12).step_by(step).collect();
                    let expected = counted(&graph, &frontier, keep);
                    let lists = Lists::outgoing(&segmented);
                    let control = Control::new();
                    let found = neighbor_counts(lists, &frontier, keep, &control).unwrap();
                    assert!(found == expected, "{direction:?}, {threads}, {step}");
                    let pair = |v, count| (v % 2 == 0).then_some((v, count));
                    let lists = Lists::outgoing(&graph);
                    let mut even = (histogram.map(lists, &frontier, keep, pair, &control)).unwrap();
                    even.sort_unstable();
                    let expected = expected.into_iter().filter(|(v, _)| v % 2 == 0);
                    assert!(even == expected.collect::<Vec<_>>());
                }
                // A run that was stopped leaves no counts behind.
                let stop = Cancellation::new();
                stop.cancel();
                let control = Control::new().with_cancellation(&stop);
                let (all, lists) = ([5, 6, 7], Lists::outgoing(&graph));
                let none = |_, _| None::<()>;
                assert!(histogram.map(lists, &all, keep, none, &control).is_err());
                let count = |_, count| Some(count);
                let control = Control::new();
                let counts: Vec<u32> = histogram.map(lists, &[6], keep, count, &control).unwrap();
                let expected = counted(&graph, &[6], keep);
                assert_eq!(counts.len(), expected.len());
                assert_eq!(
                    counts.iter().sum::<u32>(),
                    expected.iter().map(|(_, count)| count).sum()
                );
            });
        }
    }
}

proptest! {
    #[test]
    fn neighbors_are_counted(
        (n, edges) in edges(),
        piece in 1_usize..6,
        frontier in prop::collection::btree_set(0..60_u32, 0..60),
    ) {
        let frontier: Vec<VertexId> = frontier.into_iter().filter(|&v| v < n as u32).collect();
        let keep = |v: VertexId| v % 5 != 2;
        for direction in DIRECTIONS {
            let graph = Csr::from_edges(n, &edges, direction);
            let expected = counted(&graph, &frontier, keep);
            let graph = Segmented { graph, piece };
            let lists = Lists::outgoing(&graph);
            let found = neighbor_counts(lists, &frontier, keep, &Control::new()).unwrap();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_weighted_push_meets_each_edge_once(
        (n, edges) in edges(),
        piece in 1_usize..6,
        weighted in any::<bool>(),
    ) {
        let weight = |at: usize| if weighted { at as Weight } else { 1.0 };
        let edges: Vec<(VertexId, VertexId, Weight)> =
            edges.iter().enumerate().map(|(at, &(u, v))| (u, v, weight(at))).collect();
        let plain: Vec<(VertexId, VertexId)> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
        let frontier: Vec<VertexId> = (0..n as VertexId).step_by(3).collect();
        for direction in DIRECTIONS {
            let graph = match weighted {
                true => Csr::from_weighted_edges(n, &edges, direction),
                false => Csr::from_edges(n, &plain, direction),
            };
            let expected = expected(&edges, direction, &frontier);
            prop_assert_eq!(&noted(&graph, &frontier), &expected);
            prop_assert_eq!(&noted(&Segmented { graph, piece }, &frontier), &expected);
        }
    }
}
