//! Sealed graphs against lists sorted one by one.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use evergraph_graph::generate::kronecker;
use evergraph_graph::{Csr, Direction, Graph, NeighborReader, Shape, VertexId, Weight};
use proptest::prelude::*;

type Lists = Vec<Vec<(VertexId, Weight)>>;
type WeightedEdge = (VertexId, VertexId, Weight);

const DIRECTIONS: [Direction; 3] = [Direction::Undirected, Direction::Out, Direction::Both];
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

/// What sealing should make of `lists`.
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
    if shape == Shape::Symmetric && graph.direction() != Direction::Undirected {
        for (list, reverse) in out.iter_mut().zip(&incoming) {
            list.extend(reverse);
        }
    }
    let out = expected(out, shape);
    let sealed = seal(graph, shape);
    assert_eq!(read(sealed.reader(), n), out, "{shape:?}");
    assert_eq!(sealed.arc_count() as usize, out.iter().flatten().count());
    let weighted = graph.is_weighted() && sealed.arc_count() > 0;
    assert_eq!(sealed.is_weighted(), weighted);
    assert!(sealed.is_sorted());
    assert_eq!(sealed.is_simple(), shape != Shape::Sorted);
    assert_eq!(sealed.direction(), shape.direction(graph.direction()));
    match sealed.direction() {
        Direction::Undirected => assert_eq!(read(sealed.reverse_reader().unwrap(), n), out),
        Direction::Out => assert!(sealed.reverse_reader().is_none()),
        Direction::Both => {
            let reader = sealed.reverse_reader().unwrap();
            assert_eq!(read(reader, n), expected(incoming, shape));
        }
    }
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
}

#[test]
fn many_chunks_with_gaps_between() {
    let edges: Vec<_> = kronecker(13, 16, 3)
        .into_iter()
        .map(|(u, v)| (u, v, ((u ^ v) % 7) as Weight))
        .collect();
    for direction in DIRECTIONS {
        for shape in SHAPES {
            check(&Csr::from_weighted_edges(1 << 13, &edges, direction), shape);
        }
    }
}

#[test]
fn a_hub_with_a_list_longer_than_one_sort() {
    let n = 1 << 19;
    let edges: Vec<_> = (1..n as VertexId).rev().map(|v| (0, v)).collect();
    let graph = Csr::from_edges(n, &edges, Direction::Out);
    let symmetric = seal(&graph, Shape::Symmetric);
    assert!(symmetric.neighbors(0).iter().copied().eq(1..n as VertexId));
    assert_eq!(symmetric.neighbors(n as VertexId - 1), [0]);
    assert_eq!(symmetric, seal(&symmetric, Shape::Symmetric));
}

#[test]
fn graphs_without_vertices_or_edges() {
    for direction in DIRECTIONS {
        for shape in SHAPES {
            check(&Csr::from_edges(0, &[], direction), shape);
            check(&Csr::from_edges(3, &[], direction), shape);
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
        }
    }
}
