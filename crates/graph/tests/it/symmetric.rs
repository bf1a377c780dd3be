//! A directed graph read as undirected has the lists of the undirected graph of
//! the same edges, whole and in parts.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, Symmetric, VertexId, Weight};
use proptest::prelude::*;

type Entry = (VertexId, Weight);

/// The entries at `range` of a list, with weights and without.
fn part(graph: &impl Graph, v: VertexId, range: Range<usize>) -> Vec<Entry> {
    let (mut neighbors, mut entries) = (Vec::new(), Vec::new());
    let mut reader = graph.reader();
    let _ = reader.for_each_segment_in(v, range.clone(), |segment| {
        neighbors.extend_from_slice(segment);
        ControlFlow::Continue(())
    });
    let _ = reader.visit_list::<true>(v, range, |segment, weights| {
        for (i, &u) in segment.iter().enumerate() {
            entries.push((u, weights.get(i).copied().unwrap_or(1.0)));
        }
        ControlFlow::Continue(())
    });
    let without_weights: Vec<VertexId> = entries.iter().map(|&(u, _)| u).collect();
    assert_eq!(neighbors, without_weights);
    entries
}

fn whole(graph: &impl Graph, v: VertexId) -> Vec<Entry> {
    let mut reader = graph.reader();
    let (mut neighbors, mut entries) = (Vec::new(), Vec::new());
    reader.neighbors_into(v, &mut neighbors);
    let _ = reader.for_each_weighted_segment(v, |segment, weights| {
        for (i, &u) in segment.iter().enumerate() {
            entries.push((u, weights.get(i).copied().unwrap_or(1.0)));
        }
        ControlFlow::Continue(())
    });
    assert_eq!(neighbors.len(), reader.degree(v));
    assert_eq!(neighbors.len(), entries.len());
    entries
}

fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    entries
}

#[test]
fn only_graphs_with_in_lists_can_be_read_so() {
    let edges = [(0, 1), (1, 2)];
    let graph = |direction| Csr::from_edges(3, &edges, direction);
    assert!(Symmetric::of(&graph(StoredLists::Out)).is_none());
    let undirected = graph(StoredLists::Undirected).sorted();
    let same = Symmetric::of(&undirected).expect("undirected already");
    assert!(same.is_sorted());
    assert_eq!(same.arc_count(), 4);
    assert_eq!(whole(&same, 1), whole(&undirected, 1));
    let both = graph(StoredLists::Both).sorted();
    let read = Symmetric::of(&both).expect("it has in-lists");
    assert!(!read.is_sorted());
    assert_eq!(read.stored_lists(), StoredLists::Undirected);
}

proptest! {
    #[test]
    fn lists_are_those_of_the_undirected_graph(
        edges in prop::collection::vec((0_u32..9, 0_u32..9, 1_u32..5), 0..40),
        weighted: bool,
        from in 0_usize..12,
        len in 0_usize..12,
    ) {
        let build = |direction| if weighted {
            let edges: Vec<_> = edges.iter().map(|&(u, v, w)| (u, v, w as Weight)).collect();
            Csr::from_weighted_edges(9, &edges, direction)
        } else {
            let edges: Vec<_> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
            Csr::from_edges(9, &edges, direction)
        };
        let (undirected, both) = (build(StoredLists::Undirected), build(StoredLists::Both));
        let symmetric = Symmetric::of(&both).expect("it has in-lists");
        prop_assert_eq!(symmetric.arc_count(), undirected.arc_count());
        prop_assert_eq!(symmetric.is_weighted(), undirected.is_weighted());
        for v in 0..9 {
            let list = whole(&symmetric, v);
            prop_assert_eq!(sorted(list.clone()), sorted(whole(&undirected, v)));
            let end = (from + len).min(list.len());
            let expected = &list[from.min(end)..end];
            prop_assert_eq!(part(&symmetric, v, from..from + len), expected);
            prop_assert_eq!(part(&symmetric, v, 0..usize::MAX), list);
        }
    }
}
