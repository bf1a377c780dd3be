//! The subgraph of some vertices, without a copy of its edges.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rayon::prelude::*;

use crate::{Graph, NeighborReader, Parts, StoredLists, VertexId, Weight};

/// No vertex of the subgraph.
const ABSENT: VertexId = VertexId::MAX;

/// The vertices of a subgraph, as vertices `0..len` of their own. 8 bytes for each vertex
/// of the whole graph at most.
#[derive(Clone, Debug)]
pub struct Subset {
    /// Ascending.
    vertices: Arc<[VertexId]>,
    /// Number in the subgraph of each vertex, or [`ABSENT`].
    numbers: Vec<VertexId>,
}

/// A graph without all vertices but those of a subset: an edge is in it if both its ends
/// are.
pub struct Induced<'g, G> {
    graph: &'g G,
    subset: &'g Subset,
    arc_count: u64,
}

/// Reads one direction of an [`Induced`] graph.
pub struct InducedReader<'g, R> {
    lists: R,
    subset: &'g Subset,
    neighbors: Vec<VertexId>,
    weights: Vec<Weight>,
}

impl Subset {
    /// The vertices below `count` that are chosen. O(count).
    pub fn of(count: usize, is_chosen: impl Fn(VertexId) -> bool) -> Self {
        let vertices: Arc<[VertexId]> = (0..count as VertexId).filter(|&v| is_chosen(v)).collect();
        let mut numbers = vec![ABSENT; count];
        for (number, &vertex) in (0..).zip(&*vertices) {
            numbers[vertex as usize] = number;
        }
        Subset { vertices, numbers }
    }

    /// The vertex of the whole graph for each of the subgraph, ascending.
    pub fn vertices(&self) -> &Arc<[VertexId]> {
        &self.vertices
    }

    /// DRAM that it takes.
    pub fn bytes(&self) -> u64 {
        ((self.vertices.len() + self.numbers.len()) * size_of::<VertexId>()) as u64
    }

    fn number(&self, vertex: VertexId) -> Option<VertexId> {
        let number = self.numbers.get(vertex as usize).copied();
        number.filter(|&number| number != ABSENT)
    }
}

impl<'g, G: Graph> Induced<'g, G> {
    /// The subgraph. Counts its entries: reads all lists of the subset, in parallel.
    pub fn of(graph: &'g G, subset: &'g Subset) -> Self {
        let mut induced = Induced {
            graph,
            subset,
            arc_count: 0,
        };
        induced.arc_count = (0..subset.vertices.len() as VertexId)
            .into_par_iter()
            .map_init(|| induced.reader(), |reader, v| reader.degree(v) as u64)
            .sum();
        induced
    }

    fn reading<R>(&self, lists: R) -> InducedReader<'g, R> {
        InducedReader {
            lists,
            subset: self.subset,
            neighbors: Vec::new(),
            weights: Vec::new(),
        }
    }
}

impl<'g, G: Graph> Graph for Induced<'g, G> {
    type Reader<'a>
        = InducedReader<'g, G::Reader<'g>>
    where
        Self: 'a;

    fn vertex_count(&self) -> usize {
        self.subset.vertices.len()
    }

    fn arc_count(&self) -> u64 {
        self.arc_count
    }

    fn stored_lists(&self) -> StoredLists {
        self.graph.stored_lists()
    }

    fn is_sorted(&self) -> bool {
        self.graph.is_sorted()
    }

    fn is_simple(&self) -> bool {
        self.graph.is_simple()
    }

    fn is_weighted(&self) -> bool {
        self.graph.is_weighted()
    }

    fn reader(&self) -> Self::Reader<'_> {
        self.reading(self.graph.reader())
    }

    fn reverse_reader(&self) -> Option<Self::Reader<'_>> {
        Some(self.reading(self.graph.reverse_reader()?))
    }
}

impl<R: NeighborReader> InducedReader<'_, R> {
    fn assemble(&mut self, v: VertexId) {
        self.neighbors.clear();
        self.weights.clear();
        let (subset, lists) = (self.subset, &mut self.lists);
        let (neighbors, kept) = (&mut self.neighbors, &mut self.weights);
        let vertex = subset.vertices[v as usize];
        let _ = lists.for_each_weighted_segment(vertex, |segment, weights| {
            for (at, &neighbor) in segment.iter().enumerate() {
                if let Some(number) = subset.number(neighbor) {
                    neighbors.push(number);
                    kept.extend(weights.get(at));
                }
            }
            ControlFlow::Continue(())
        });
    }
}

impl<R: NeighborReader> NeighborReader for InducedReader<'_, R> {
    fn degree(&mut self, v: VertexId) -> usize {
        self.assemble(v);
        self.neighbors.len()
    }

    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.assemble(v);
        let mut parts = Parts::of(positions);
        let _ = parts.visit(&self.neighbors, &self.weights, &mut visit);
        parts.flow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Shape};

    /// The edges of a subgraph by filtering and renaming those of the whole.
    fn reference(edges: &[(u32, u32, f32)], chosen: &[u32]) -> Vec<(u32, u32, f32)> {
        let number = |v: u32| chosen.iter().position(|&c| c == v).map(|at| at as u32);
        let kept = edges
            .iter()
            .filter_map(|&(u, v, w)| Some((number(u)?, number(v)?, w)));
        kept.collect()
    }

    #[test]
    fn edges_are_those_whose_ends_are_chosen() {
        let edges: Vec<(u32, u32, f32)> = (0..200_u32)
            .map(|i| ((i * 7) % 23, (i * i + 3 * i) % 23, i as f32))
            .collect();
        for direction in [StoredLists::Out, StoredLists::Both, StoredLists::Undirected] {
            for modulus in [1, 2, 3, 5, 50] {
                let is_chosen = |v: u32| v % modulus == 1 % modulus;
                let chosen: Vec<u32> = (0..23).filter(|&v| is_chosen(v)).collect();
                let whole = Csr::from_weighted_edges(23, &edges, direction);
                let subset = Subset::of(23, is_chosen);
                let induced = Induced::of(&whole, &subset);
                let found = Csr::seal(&induced, Shape::Sorted, &|| Ok::<_, ()>(())).unwrap();
                let few = reference(&edges, &chosen);
                let expected = Csr::from_weighted_edges(chosen.len(), &few, direction);
                let expected = Csr::seal(&expected, Shape::Sorted, &|| Ok::<_, ()>(())).unwrap();
                assert_eq!(subset.vertices()[..], chosen);
                assert_eq!(induced.arc_count(), expected.arc_count());
                assert!(found == expected, "{direction:?}, every {modulus}");
            }
        }
    }
}
