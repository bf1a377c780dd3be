//! `Csr` against lists pushed one edge at a time.

use std::ops::ControlFlow;

use evergraph_generators::{kronecker, uniform};
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, VertexId, Weight};
use proptest::prelude::*;

type Lists = Vec<Vec<(VertexId, Weight)>>;
type WeightedEdge = (VertexId, VertexId, Weight);

/// Out- and in-lists, edge by edge.
fn reference(n: usize, edges: &[WeightedEdge], direction: StoredLists) -> (Lists, Lists) {
    let (mut out, mut incoming) = (vec![vec![]; n], vec![vec![]; n]);
    for &(u, v, weight) in edges {
        out[u as usize].push((v, weight));
        if direction == StoredLists::Undirected {
            out[v as usize].push((u, weight));
        } else {
            incoming[v as usize].push((u, weight));
        }
    }
    if direction == StoredLists::Undirected {
        incoming.clone_from(&out);
    }
    (out, incoming)
}

fn read(mut reader: impl NeighborReader, n: usize) -> Lists {
    (0..n as VertexId)
        .map(|v| {
            let mut list = vec![];
            let _ = reader.for_each_weighted_segment(v, |ids, weights| {
                for (at, &id) in ids.iter().enumerate() {
                    list.push((id, weights.get(at).copied().unwrap_or(1.0)));
                }
                ControlFlow::Continue(())
            });
            assert_eq!(reader.degree(v), list.len());
            list
        })
        .collect()
}

fn simplify(lists: &mut Lists) {
    for (v, list) in lists.iter_mut().enumerate() {
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        list.dedup_by_key(|(u, _)| *u);
        list.retain(|&(u, _)| u != v as VertexId);
    }
}

fn check(graph: &Csr, n: usize, out: &Lists, incoming: &Lists) {
    assert_eq!(graph.vertex_count(), n);
    assert_eq!(&read(graph.reader(), n), out);
    match (graph.stored_lists(), graph.reverse_reader()) {
        (StoredLists::Out, reader) => assert!(reader.is_none()),
        (_, reader) => assert_eq!(&read(reader.unwrap(), n), incoming),
    }
    let arcs: usize = out.iter().map(Vec::len).sum();
    assert_eq!(graph.arc_count(), arcs as u64);
}

fn edges() -> impl Strategy<Value = (usize, Vec<WeightedEdge>)> {
    (1_usize..40).prop_flat_map(|n| {
        let end = 0..n as VertexId;
        let edge = (end.clone(), end, (0_u8..9).prop_map(f32::from));
        (Just(n), prop::collection::vec(edge, 0..120))
    })
}

const DIRECTIONS: [StoredLists; 3] = [StoredLists::Undirected, StoredLists::Out, StoredLists::Both];

proptest! {
    #[test]
    fn lists_are_those_of_the_edges((n, edges) in edges()) {
        for direction in DIRECTIONS {
            let (mut out, mut incoming) = reference(n, &edges, direction);
            let graph = Csr::from_weighted_edges(n, &edges, direction);
            check(&graph, n, &out, &incoming);
            simplify(&mut out);
            simplify(&mut incoming);
            let simple = graph.simple();
            prop_assert!(simple.is_sorted() && simple.is_simple());
            check(&simple, n, &out, &incoming);
        }
    }

    #[test]
    fn ranges_are_parts_of_the_list((n, edges) in edges(), from in 0_usize..9, len in 0_usize..9) {
        let graph = Csr::from_weighted_edges(n, &edges, StoredLists::Out);
        for v in 0..n as VertexId {
            let mut part = vec![];
            let _ = graph.reader().for_each_segment_in(v, from..from + len, |segment| {
                part.extend_from_slice(segment);
                ControlFlow::Continue(())
            });
            let expected: Vec<_> = graph.neighbors(v).iter().copied().skip(from).take(len).collect();
            prop_assert_eq!(part, expected);
        }
    }
}

#[test]
fn many_chunks_and_buckets_keep_the_order() {
    // More edges than one chunk, and more vertices than the finest buckets hold.
    for (n, edges) in [
        (1 << 12, kronecker(12, 64, 9)),
        (1 << 20, uniform(1 << 20, 400_000, 9)),
    ] {
        for direction in DIRECTIONS {
            let weighted: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
            let (out, incoming) = reference(n, &weighted, direction);
            check(&Csr::from_edges(n, &edges, direction), n, &out, &incoming);
        }
    }
}

#[test]
fn small_graphs() {
    let empty = Csr::from_edges(0, &[], StoredLists::Undirected);
    assert_eq!((empty.vertex_count(), empty.arc_count()), (0, 0));
    assert_eq!(empty.clone().simple().arc_count(), 0);

    let graph = Csr::from_edges(
        3,
        &[(2, 1), (0, 0), (2, 1), (1, 0)],
        StoredLists::Undirected,
    );
    assert_eq!(graph.neighbors(0), [0, 0, 1]);
    assert_eq!(graph.neighbors(1), [2, 2, 0]);
    assert_eq!(graph.in_neighbors(2), Some(&[1, 1][..]));
    assert!(!graph.is_weighted());
    assert_eq!(graph.clone().sorted().neighbors(1), [0, 2, 2]);
    assert_eq!(graph.simple().neighbors(1), [0, 2]);
}

#[test]
#[should_panic(expected = "edge (0, 3) leaves the 3 vertices")]
fn an_end_out_of_range_is_named() {
    Csr::from_edges(3, &[(0, 3)], StoredLists::Out);
}
