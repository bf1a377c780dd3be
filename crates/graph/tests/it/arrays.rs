//! Graphs over arrays of another owner, sound or not.

use std::convert::Infallible;
use std::sync::Arc;

use evergraph_graph::{
    Array, Compressed, CompressedChunk, CompressedLists, Csr, CsrLists, Graph, NeighborReader,
    Shape, StoredLists, Unsound, VertexId, Weight,
};
use proptest::prelude::*;

const SHAPES: [Shape; 3] = [Shape::Sorted, Shape::Simple, Shape::Symmetric];
const DIRECTIONS: [StoredLists; 3] = [StoredLists::Undirected, StoredLists::Out, StoredLists::Both];

fn go_on() -> Result<(), Infallible> {
    Ok(())
}

/// Every list with its weights, of both directions.
fn lists(graph: &impl Graph) -> Vec<Vec<(VertexId, Option<u32>)>> {
    let readers = [Some(graph.reader()), graph.reverse_reader()];
    let mut all = vec![];
    for mut reader in readers.into_iter().flatten() {
        for v in 0..graph.vertex_count() as VertexId {
            let mut list = vec![];
            let _ = reader.for_each_weighted_segment(v, |neighbors, weights| {
                let weights = weights.iter().map(|weight| Some(weight.to_bits()));
                let weights = weights.chain(std::iter::repeat(None));
                list.extend(neighbors.iter().copied().zip(weights));
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(reader.degree(v), list.len());
            all.push(list);
        }
    }
    all
}

/// As a medium would lend it.
fn lent<T: Send + Sync + 'static>(items: Vec<T>) -> Array<T> {
    Array::shared(Arc::new(items))
}

fn lend(lists: &CsrLists) -> CsrLists {
    CsrLists {
        offsets: lent(lists.offsets.to_vec()),
        neighbors: lent(lists.neighbors.to_vec()),
        weights: lent(lists.weights.to_vec()),
    }
}

/// The arrays of a direction while they are still vectors.
#[derive(Clone, Default)]
struct Joined {
    places: Vec<u64>,
    starts: Vec<u32>,
    bytes: Vec<u8>,
    weight_starts: Vec<u64>,
    weights: Vec<Weight>,
}

impl Joined {
    fn of<'a>(chunks: impl Iterator<Item = CompressedChunk<'a>>) -> Self {
        let mut joined = Self::default();
        let mut arcs = 0;
        for chunk in chunks {
            let shift = u64::from(chunk.shift);
            joined
                .places
                .extend([joined.bytes.len() as u64, arcs, shift]);
            joined.starts.extend(chunk.starts);
            joined.bytes.extend(chunk.bytes);
            joined.weight_starts.extend(chunk.weight_starts);
            joined.weights.extend(chunk.weights);
            arcs += chunk.arc_count;
        }
        joined.places.extend([joined.bytes.len() as u64, arcs, 0]);
        if joined.weights.is_empty() {
            joined.weight_starts.clear();
        }
        joined
    }

    fn lend(self) -> CompressedLists {
        CompressedLists {
            places: lent(self.places),
            starts: lent(self.starts),
            bytes: lent(self.bytes),
            weight_starts: lent(self.weight_starts),
            weights: lent(self.weights),
        }
    }
}

fn rejoin(
    graph: &Compressed,
    out: Joined,
    incoming: Option<Joined>,
) -> Result<Compressed, Unsound> {
    Compressed::from_lists(
        graph.vertex_count(),
        graph.stored_lists(),
        graph.shape(),
        graph.block_edges(),
        out.lend(),
        incoming.map(Joined::lend),
    )
}

fn graphs() -> impl Strategy<Value = Csr> {
    let edges = (1_usize..80).prop_flat_map(|n| {
        let v = 0..n as VertexId;
        let edge = (v.clone(), v, 0_u8..4);
        (Just(n), prop::collection::vec(edge, 0..200))
    });
    (edges, 0_usize..3, any::<bool>()).prop_map(|((n, edges), direction, weighted)| {
        let direction = DIRECTIONS[direction];
        if weighted {
            let edges: Vec<_> = edges
                .iter()
                .map(|&(u, v, w)| (u, v, f32::from(w)))
                .collect();
            Csr::from_weighted_edges(n, &edges, direction)
        } else {
            let edges: Vec<_> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
            Csr::from_edges(n, &edges, direction)
        }
    })
}

proptest! {
    #[test]
    fn a_copy_keeps_the_order_of_every_list(graph in graphs()) {
        let Ok(copy) = Csr::copy(&graph, &go_on);
        prop_assert_eq!(&copy, &graph);
        prop_assert!(!copy.is_sorted() && copy.shape().is_none());
    }

    #[test]
    fn lent_arrays_read_as_own_ones(graph in graphs(), shape in 0_usize..4) {
        let shape = SHAPES.get(shape).copied();
        let own = match shape {
            Some(shape) => { let Ok(sealed) = Csr::seal(&graph, shape, &go_on); sealed }
            None => graph,
        };
        let (out, incoming) = (lend(own.out_lists()), own.in_lists().map(lend));
        let lent = Csr::from_lists(own.stored_lists(), shape, out, incoming);
        let lent = lent.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&lent, &own);
        prop_assert_eq!(lists(&lent), lists(&own));
        prop_assert_eq!(lent.size_bytes(), 0);
        prop_assert_eq!(lent.is_weighted(), own.is_weighted());
    }

    #[test]
    fn lent_coded_lists_read_as_own_ones(
        graph in graphs(),
        shape in 0_usize..3,
        block_edges in 1_usize..9,
    ) {
        let Ok(own) = Compressed::seal(&graph, SHAPES[shape], block_edges, &go_on);
        let lent = rejoin(
            &own,
            Joined::of(own.out_chunks()),
            own.in_chunks().map(Joined::of),
        );
        let lent = lent.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(lists(&lent), lists(&own));
        prop_assert_eq!(lent.arc_count(), own.arc_count());
        prop_assert_eq!(lent.size_bytes(), 0);
        let chunks = lent.out_chunks().zip(own.out_chunks());
        for (lent, own) in chunks {
            prop_assert_eq!(lent.bytes, own.bytes);
        }
    }

    /// Whatever stands in the arrays: an error, or a graph that can be read.
    #[test]
    fn wrong_arrays_are_no_graph_or_a_readable_one(
        graph in graphs(),
        place in any::<prop::sample::Index>(),
        array in 0_usize..2,
        value in any::<u32>(),
    ) {
        let mut arrays = (
            graph.out_lists().offsets.to_vec(),
            graph.out_lists().neighbors.to_vec(),
        );
        match array {
            0 => { let at = place.index(arrays.0.len()); arrays.0[at] ^= u64::from(value) }
            _ if arrays.1.is_empty() => return Ok(()),
            _ => { let at = place.index(arrays.1.len()); arrays.1[at] ^= value }
        }
        let out = CsrLists {
            offsets: lent(arrays.0),
            neighbors: lent(arrays.1),
            weights: lent(graph.out_lists().weights.to_vec()),
        };
        let incoming = graph.in_lists().map(lend);
        if let Ok(found) = Csr::from_lists(graph.stored_lists(), None, out, incoming) {
            let n = found.vertex_count() as VertexId;
            let below = |&(u, _): &(VertexId, _)| u < n;
            prop_assert!(lists(&found).iter().flatten().all(below));
        }
    }

    #[test]
    fn wrong_bytes_are_no_graph_or_a_readable_one(
        graph in graphs(),
        block_edges in 1_usize..9,
        changes in prop::collection::vec((0_usize..4, any::<prop::sample::Index>(), any::<u64>()), 1..4),
        tail in prop::collection::vec(any::<u8>(), 0..9),
        from in any::<prop::sample::Index>(),
    ) {
        let Ok(own) = Compressed::seal(&graph, Shape::Sorted, block_edges, &go_on);
        let mut out = Joined::of(own.out_chunks());
        for (array, place, value) in changes {
            match array {
                0 => { let at = place.index(out.bytes.len()); out.bytes[at] ^= value as u8 }
                1 => { let at = place.index(out.starts.len()); out.starts[at] ^= value as u32 >> (value >> 59) }
                2 => { let at = place.index(out.places.len()); out.places[at] ^= value >> (value & 63) }
                _ => {
                    let start = from.index(out.bytes.len());
                    out.bytes.iter_mut().skip(start).zip(&tail).for_each(|(byte, &new)| *byte = new);
                }
            }
        }
        if let Ok(found) = rejoin(&own, out, own.in_chunks().map(Joined::of)) {
            let n = found.vertex_count() as VertexId;
            let below = |&(u, _): &(VertexId, _)| u < n;
            let lists = lists(&found);
            prop_assert!(lists.iter().flatten().all(below));
            prop_assert!(lists.iter().all(|list| list.is_sorted_by_key(|entry| entry.0)));
        }
    }
}

#[test]
fn what_is_no_graph_is_told() {
    let lists = |offsets: &[u64], neighbors: &[VertexId]| CsrLists {
        offsets: offsets.to_vec().into(),
        neighbors: neighbors.to_vec().into(),
        weights: Array::default(),
    };
    let make = |shape, out| Csr::from_lists(StoredLists::Out, shape, out, None);
    assert!(make(None, lists(&[0, 2, 3], &[1, 0, 1])).is_ok());
    for (shape, out, expected) in [
        (None, lists(&[], &[]), "the lists do not fill their array"),
        (
            None,
            lists(&[0, 2], &[0]),
            "the lists do not fill their array",
        ),
        (
            None,
            lists(&[0, 2, 1, 2], &[0, 1]),
            "a list ends before it starts",
        ),
        (
            None,
            lists(&[0, 9, 2], &[0, 1]),
            "a list ends before it starts",
        ),
        (
            None,
            lists(&[0, 1], &[1]),
            "a list names a vertex that does not exist",
        ),
        (
            Some(Shape::Sorted),
            lists(&[0, 2, 2], &[1, 0]),
            "a list is not in its order",
        ),
        (
            Some(Shape::Simple),
            lists(&[0, 2, 2], &[1, 1]),
            "a list is not in its order",
        ),
        (
            Some(Shape::Simple),
            lists(&[0, 1, 1], &[0]),
            "a list is not in its order",
        ),
    ] {
        let found = make(shape, out).map_err(|error| error.to_string());
        assert_eq!(found, Err(expected.to_string()));
    }
    let both = Csr::from_lists(StoredLists::Both, None, lists(&[0], &[]), None);
    assert!(both.is_err());
}
