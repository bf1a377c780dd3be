//! The parts that kernels are made of, each against a plain model.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::common::{DIRECTIONS, Segmented, edges, with_threads};
use evergraph_algorithms::edge_map::{
    Gather, Kernel, Lists, Room, WeightedKernel, push, push_forward, push_weighted, push_with_room,
    vertex_filter, vertex_map,
};
use evergraph_algorithms::histogram::{Histogram, neighbor_counts};
use evergraph_algorithms::{Bitmap, Cancellation, Control, VertexSubset};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, VertexId, Weight};
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
    direction: StoredLists,
    frontier: &[VertexId],
) -> (Vec<(VertexId, VertexId, Weight)>, Vec<VertexId>) {
    let mut met = Vec::new();
    for &(u, v, weight) in edges {
        met.push((u, v, weight));
        if direction == StoredLists::Undirected {
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

/// Counts the edges that meet a target that is no multiple of 3; it joins at the
/// first.
struct Count(Vec<AtomicU32>);

impl Count {
    fn new(n: usize) -> Self {
        Self((0..n).map(|_| AtomicU32::new(0)).collect())
    }

    /// Joined vertices, ascending, and all counts.
    fn done(self, mut joined: Vec<VertexId>) -> (Vec<VertexId>, Vec<u32>) {
        joined.sort_unstable();
        (
            joined,
            self.0.into_iter().map(AtomicU32::into_inner).collect(),
        )
    }
}

impl Kernel for Count {
    fn condition(&self, v: VertexId) -> bool {
        !v.is_multiple_of(3)
    }

    fn push(&self, _: VertexId, v: VertexId) -> bool {
        self.0[v as usize].fetch_add(1, Relaxed) == 0
    }
}

impl Gather for Count {
    type Gathered = ();

    fn gather(&self, (): &mut (), _: VertexId) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn merge(&self, (): &mut (), (): ()) {}
    fn apply(&self, _: VertexId, (): ()) -> bool {
        false
    }
}

/// Every way to push gives the same.
fn check_pushes(graph: &impl Graph, frontier: &[VertexId]) {
    let n = graph.vertex_count();
    let (lists, control) = (Lists::outgoing(graph), Control::new());
    let counts = counted(graph, frontier, |v| v % 3 != 0);
    let mut expected = (Vec::new(), vec![0; n]);
    for (v, count) in counts {
        expected.0.push(v);
        expected.1[v as usize] = count;
    }
    let kernel = Count::new(n);
    let joined = push(lists, frontier, &kernel, &Control::new()).unwrap();
    assert_eq!(kernel.done(joined), expected);
    for room in [Room::EachEdge, Room::EachBlock] {
        let kernel = Count::new(n);
        let joined = push_with_room(lists, frontier, room, &kernel, &control).unwrap();
        assert_eq!(kernel.done(joined), expected);
    }
    let kernel = Count::new(n);
    let bitmap = Bitmap::of(n, frontier);
    let joined = push_forward(lists, &bitmap, &kernel, &control).unwrap();
    assert_eq!(joined.len(), expected.0.len());
    assert_eq!(kernel.done(joined.into_list()), expected);
}

#[test]
fn pushes_agree_on_large_frontiers() {
    // With hubs, and enough joining vertices for several chunks.
    let mut edges = kronecker(16, 4, 3);
    edges.extend((0..60_000).flat_map(|at| [(5, at), (77, at / 2)]));
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 16, &edges, direction);
        let piece = 1000;
        for threads in [1, 3] {
            with_threads(threads, || {
                for frontier in [vec![5], vec![3, 77, 4], (0..1 << 16).step_by(2).collect()] {
                    check_pushes(&graph, &frontier);
                }
            });
        }
        let all: Vec<VertexId> = (0..1 << 16).collect();
        check_pushes(&Segmented { graph, piece }, &all);
    }
}

#[test]
fn sets_are_visited_and_filtered() {
    let control = Control::new();
    let n = 100_000;
    let even: Vec<VertexId> = (0..n).step_by(2).collect();
    for list in [even.clone(), even[..50].to_vec()] {
        let dense = VertexSubset::Dense(Bitmap::of(n as usize, &list), list.len());
        for subset in [VertexSubset::Sparse(list.clone()), dense] {
            let visits = Count::new(n as usize);
            let visit = |v: VertexId| {
                visits.0[v as usize].fetch_add(1, Relaxed);
            };
            vertex_map(&subset, visit, &control).unwrap();
            let by_hand = |v| u32::from(list.binary_search(&v).is_ok());
            assert!(visits.done(vec![]).1 == (0..n).map(by_hand).collect::<Vec<_>>());
            let kept = vertex_filter(subset, |v| v % 3 == 0, &control).unwrap();
            let expected: Vec<VertexId> = list.iter().copied().filter(|v| v % 3 == 0).collect();
            assert_eq!(kept.len(), expected.len());
            assert_eq!(kept.into_list(), expected);
        }
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
                let mut histogram = Histogram::new(graph.vertex_count(), &Control::new()).unwrap();
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
            check_pushes(&graph, &frontier);
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
