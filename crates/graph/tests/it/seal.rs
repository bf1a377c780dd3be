//! Sealed graphs against lists sorted one by one, and compressed ones against those.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use evergraph_generators::kronecker;
use evergraph_graph::{
    Compressed, Csr, Graph, NeighborReader, Shape, StoredLists, VertexId, Weight,
};
use proptest::prelude::*;

type Lists = Vec<Vec<(VertexId, Weight)>>;
type WeightedEdge = (VertexId, VertexId, Weight);

const DIRECTIONS: [StoredLists; 3] = [StoredLists::Undirected, StoredLists::Out, StoredLists::Both];
const SHAPES: [Shape; 3] = [Shape::Sorted, Shape::Simple, Shape::Symmetric];

fn seal(graph: &impl Graph, shape: Shape) -> Csr {
    let Ok(sealed) = Csr::seal(graph, shape, &|| Ok::<(), Infallible>(()));
    sealed
}

fn read(mut reader: impl NeighborReader, n: usize) -> Lists {
    let list = |v| {
        let mut list = vec![];
        let _ = reader.for_each_weighted_segment(v, |ids, weights| {
            for (at, &id) in ids.iter().enumerate() {
                list.push((id, weights.get(at).copied().unwrap_or(1.0)));
            }
            ControlFlow::Continue(())
        });
        assert_eq!(reader.degree(v), list.len());
        list
    };
    (0..n as VertexId).map(list).collect()
}

fn compress(graph: &impl Graph, shape: Shape, block_edges: usize) -> Compressed {
    let go_on = || Ok::<(), Infallible>(());
    let Ok(compressed) = Compressed::seal(graph, shape, block_edges, &go_on);
    compressed
}

/// Reference implementation of sealing `lists`.
fn expected(mut lists: Lists, shape: Shape) -> Lists {
    for (v, list) in lists.iter_mut().enumerate() {
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        if shape != Shape::Sorted {
            list.dedup_by_key(|(u, _)| *u);
            list.retain(|&(u, _)| u != v as VertexId);
        }
    }
    lists
}

fn check(graph: &Csr, shape: Shape) {
    let n = graph.vertex_count();
    let (mut out, mut incoming) = (read(graph.reader(), n), vec![vec![]; n]);
    for (u, list) in out.iter().enumerate() {
        for &(v, weight) in list {
            incoming[v as usize].push((u as VertexId, weight));
        }
    }
    if shape == Shape::Symmetric && graph.stored_lists() != StoredLists::Undirected {
        for (list, reverse) in out.iter_mut().zip(&incoming) {
            list.extend(reverse);
        }
    }
    if shape != Shape::Symmetric {
        let simple = shape == Shape::Simple;
        let Ok(sealed) = Csr::seal_with_in_lists(graph, simple, &|| Ok::<(), Infallible>(()));
        assert_eq!(read(sealed.reader(), n), expected(out.clone(), shape));
        let reader = sealed.reverse_reader().expect("it has in-lists");
        assert_eq!(read(reader, n), expected(incoming.clone(), shape));
    }
    let out = expected(out, shape);
    let sealed = seal(graph, shape);
    assert_eq!(read(sealed.reader(), n), out, "{shape:?}");
    assert_eq!(sealed.arc_count() as usize, out.iter().flatten().count());
    let weighted = graph.is_weighted() && sealed.arc_count() > 0;
    assert_eq!(sealed.is_weighted(), weighted);
    assert!(sealed.is_sorted());
    assert_eq!(sealed.is_simple(), shape != Shape::Sorted);
    assert_eq!(sealed.stored_lists(), shape.direction(graph.stored_lists()));
    match sealed.stored_lists() {
        StoredLists::Undirected => assert_eq!(read(sealed.reverse_reader().unwrap(), n), out),
        StoredLists::Out => assert!(sealed.reverse_reader().is_none()),
        StoredLists::Both => {
            let reader = sealed.reverse_reader().unwrap();
            assert_eq!(read(reader, n), expected(incoming, shape));
        }
    }
}

fn check_compressed(graph: &Csr, shape: Shape, block_edges: usize) {
    let n = graph.vertex_count();
    let (sealed, compressed) = (seal(graph, shape), compress(graph, shape, block_edges));
    assert_eq!(compressed.vertex_count(), n);
    assert_eq!(compressed.arc_count(), sealed.arc_count());
    assert_eq!(compressed.stored_lists(), sealed.stored_lists());
    assert_eq!(compressed.is_sorted(), sealed.is_sorted());
    assert_eq!(compressed.is_simple(), sealed.is_simple());
    assert_eq!(compressed.is_weighted(), graph.is_weighted());
    assert_eq!(read(compressed.reader(), n), read(sealed.reader(), n));
    assert_eq!(
        compressed.reverse_reader().map(|reader| read(reader, n)),
        sealed.reverse_reader().map(|reader| read(reader, n)),
    );
}

/// The neighbors at `range` with their weights; both ways of reading must agree.
fn gather(
    mut reader: impl NeighborReader,
    v: VertexId,
    range: std::ops::Range<usize>,
) -> Vec<(VertexId, Weight)> {
    let mut list = vec![];
    let _ = reader.visit_list::<true>(v, range.clone(), |ids, weights| {
        list.extend(ids.iter().copied().zip(weights.iter().copied()));
        ControlFlow::Continue(())
    });
    let mut at = 0;
    let _ = reader.for_each_segment_in(v, range, |ids| {
        for &id in ids {
            assert_eq!(id, list[at].0);
            at += 1;
        }
        ControlFlow::Continue(())
    });
    assert_eq!(at, list.len());
    list
}

fn edges() -> impl Strategy<Value = (usize, Vec<WeightedEdge>)> {
    (1_usize..40).prop_flat_map(|n| {
        let end = 0..n as VertexId;
        let edge = (end.clone(), end, (-3_i8..9).prop_map(f32::from));
        (Just(n), prop::collection::vec(edge, 0..120))
    })
}

proptest! {
    #[test]
    fn every_shape_of_every_direction((n, edges) in edges()) {
        let plain: Vec<_> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
        for direction in DIRECTIONS {
            for shape in SHAPES {
                check(&Csr::from_weighted_edges(n, &edges, direction), shape);
                check(&Csr::from_edges(n, &plain, direction), shape);
            }
        }
    }

    #[test]
    fn compressed_lists_are_the_sealed_ones((n, edges) in edges(), block_edges in 1_usize..9) {
        let plain: Vec<_> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
        for direction in DIRECTIONS {
            for shape in SHAPES {
                let weighted = Csr::from_weighted_edges(n, &edges, direction);
                check_compressed(&weighted, shape, block_edges);
                check_compressed(&Csr::from_edges(n, &plain, direction), shape, block_edges);
            }
        }
    }

    #[test]
    fn ranges_of_compressed_lists(
        (n, edges) in edges(),
        from in 0_usize..30,
        len in 0_usize..30,
        block_edges in 1_usize..9,
    ) {
        let graph = Csr::from_weighted_edges(n, &edges, StoredLists::Out);
        let (sealed, compressed) =
            (seal(&graph, Shape::Sorted), compress(&graph, Shape::Sorted, block_edges));
        for v in 0..n as VertexId {
            let range = from..from + len;
            prop_assert_eq!(
                gather(compressed.reader(), v, range.clone()),
                gather(sealed.reader(), v, range)
            );
        }
    }
}

#[test]
fn many_chunks_with_gaps_between() {
    let edges: Vec<_> = kronecker(13, 16, 3)
        .into_iter()
        .map(|(u, v)| (u, v, ((u ^ v) % 7) as Weight))
        .collect();
    for direction in DIRECTIONS {
        for shape in SHAPES {
            let graph = Csr::from_weighted_edges(1 << 13, &edges, direction);
            check(&graph, shape);
            check_compressed(&graph, shape, Compressed::BLOCK_EDGES);
        }
    }
}

#[test]
fn a_hub_with_a_list_longer_than_one_sort() {
    let n = 1 << 19;
    let edges: Vec<_> = (1..n as VertexId).rev().map(|v| (0, v)).collect();
    let graph = Csr::from_edges(n, &edges, StoredLists::Out);
    let symmetric = seal(&graph, Shape::Symmetric);
    assert!(symmetric.neighbors(0).iter().copied().eq(1..n as VertexId));
    assert_eq!(symmetric.neighbors(n as VertexId - 1), [0]);
    assert_eq!(symmetric, seal(&symmetric, Shape::Symmetric));
    check_compressed(&graph, Shape::Symmetric, Compressed::BLOCK_EDGES);
}

#[test]
fn graphs_without_vertices_or_edges() {
    for direction in DIRECTIONS {
        for shape in SHAPES {
            for n in [0, 3] {
                let graph = Csr::from_edges(n, &[], direction);
                check(&graph, shape);
                check_compressed(&graph, shape, 64);
            }
        }
    }
}

#[test]
fn the_check_ends_it_wherever_it_says_so() {
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 12, &kronecker(12, 8, 3), direction);
        for shape in SHAPES {
            let asked = AtomicUsize::new(0);
            let count = || {
                asked.fetch_add(1, Relaxed);
                Ok::<(), Infallible>(())
            };
            let Ok(_) = Csr::seal(&graph, shape, &count);
            for last in 0..asked.into_inner() {
                let asked = AtomicUsize::new(0);
                let stop = || match asked.fetch_add(1, Relaxed) < last {
                    true => Ok(()),
                    false => Err("stopped"),
                };
                assert_eq!(Csr::seal(&graph, shape, &stop), Err("stopped"));
            }
            let stop = || Err("stopped");
            assert_eq!(Compressed::seal(&graph, shape, 64, &stop), Err("stopped"));
        }
    }
}

#[test]
fn compressed_graphs_are_small() {
    // Neighbors with numbers alike, as in a crawl: most differences take one byte.
    let n = 1 << 14;
    let edges: Vec<_> = (0..8 * n as VertexId)
        .map(|edge| (edge / 8, (edge / 8 + (edge % 8) * 13) % n as VertexId))
        .collect();
    let graph = Csr::from_edges(n, &edges, StoredLists::Out);
    let compressed = compress(&graph, Shape::Simple, Compressed::BLOCK_EDGES);
    let csr_bytes = 8 * n + 4 * compressed.arc_count() as usize;
    assert!(
        compressed.size_bytes() * 10 < csr_bytes * 5,
        "{}",
        compressed.size_bytes()
    );
}
