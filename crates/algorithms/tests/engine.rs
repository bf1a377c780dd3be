//! The parts that kernels are made of, each against a plain model.

mod common;

use std::sync::Mutex;

use common::{DIRECTIONS, Segmented, edges, with_threads};
use evergraph_algorithms::Control;
use evergraph_algorithms::edge_map::{Lists, WeightedKernel, push_weighted};
use evergraph_graph::{Csr, Direction, Graph, VertexId, Weight};
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

proptest! {
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
