//! Ranks of vertices: the higher the degree, the lower the number.

use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::parallel::{CHUNK_ITEMS, CHUNK_VERTICES, shared_u32, unshared_u32};
use crate::{Cancelled, Control};

/// Degrees are told apart to an eighth: more would not shorten lists by much, and
/// so the vertices can be sorted by counting.
const CLASSES: usize = 8 * 64;
/// Tasks at most, as each counts classes.
const MAX_TASKS: usize = 256;

/// A bijection between vertices and ranks.
pub(super) struct Order {
    ranks: Vec<u32>,
    vertices: Vec<VertexId>,
}

impl Order {
    /// By the entries of a vertex's lists in all directions; equals by id.
    pub(super) fn by_degree<G: Graph>(graph: &G, control: &Control) -> Result<Self, Cancelled> {
        let n = graph.vertex_count();
        let task_vertices = n
            .div_ceil(MAX_TASKS)
            .next_multiple_of(CHUNK_VERTICES)
            .max(1);
        let mut ranks = control.array(0, n)?;
        // First classes, counted in each task; then ranks.
        let mut counts: Vec<Vec<u32>> = ranks
            .par_chunks_mut(task_vertices)
            .enumerate()
            .map(|(task, classes)| {
                let mut counts = vec![0; CLASSES];
                let first = (task * task_vertices) as VertexId;
                for (chunk, classes) in (0..).zip(classes.chunks_mut(CHUNK_VERTICES)) {
                    control.check()?;
                    classify(graph, first + chunk * CHUNK_VERTICES as VertexId, classes);
                    for &class in &*classes {
                        counts[class as usize] += 1;
                    }
                }
                Ok(counts)
            })
            .collect::<Result<_, Cancelled>>()?;
        let mut rank = 0;
        for class in 0..CLASSES {
            for counts in &mut counts {
                let first = rank;
                rank += counts[class];
                counts[class] = first;
            }
        }
        let vertices = shared_u32(n, 0, control)?;
        ranks
            .par_chunks_mut(task_vertices)
            .zip(counts)
            .enumerate()
            .for_each(|(task, (ranks, mut next))| {
                for (v, rank) in ((task * task_vertices) as VertexId..).zip(ranks) {
                    let next = &mut next[*rank as usize];
                    *rank = *next;
                    *next += 1;
                    vertices[*rank as usize].store(v, Relaxed);
                }
            });
        Ok(Self {
            ranks,
            vertices: unshared_u32(vertices),
        })
    }

    #[inline]
    pub(super) fn rank(&self, v: VertexId) -> u32 {
        self.ranks[v as usize]
    }

    #[inline]
    pub(super) fn vertex(&self, rank: u32) -> VertexId {
        self.vertices[rank as usize]
    }

    /// An array by rank as one by vertex; nothing of nothing.
    pub(super) fn by_vertex<T: Sync, U: Send>(
        &self,
        values: &[T],
        value: impl Fn(&T) -> U + Sync,
    ) -> Vec<U> {
        if values.is_empty() {
            return Vec::new();
        }
        self.ranks
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .map(|&rank| value(&values[rank as usize]))
            .collect()
    }
}

/// The classes of the vertices from `first`, from high degrees to low ones.
fn classify<G: Graph>(graph: &G, first: VertexId, classes: &mut [u32]) {
    let mut out = graph.reader();
    let mut incoming = match graph.stored_lists() {
        StoredLists::Both => graph.reverse_reader(),
        StoredLists::Undirected | StoredLists::Out => None,
    };
    for (v, class) in (first..).zip(classes) {
        let in_degree = incoming.as_mut().map_or(0, |reader| reader.degree(v));
        let degree = out.degree(v) + in_degree;
        *class = (CLASSES - 1 - eighths(degree)) as u32;
    }
}

/// A class of degrees that differ by an eighth at most; grows with the degree.
fn eighths(degree: usize) -> usize {
    match degree.checked_ilog2() {
        None | Some(0..3) => degree,
        Some(log) => 8 * (log as usize - 2) + (degree >> (log - 3) & 7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::Csr;

    #[test]
    fn classes_grow_with_degrees() {
        for degree in 1..5000 {
            let (before, class) = (eighths(degree - 1), eighths(degree));
            assert!(class == before || class == before + 1, "{degree}");
        }
        assert_eq!(eighths(usize::MAX), 495);
    }

    #[test]
    fn hubs_come_first_and_equals_by_id() {
        let star = [(3, 0), (3, 1), (3, 2), (3, 4), (1, 0)];
        let graph = Csr::from_edges(6, &star, StoredLists::Both);
        let order = Order::by_degree(&graph, &Control::new()).unwrap();
        assert_eq!(order.vertices, [3, 0, 1, 2, 4, 5]);
        for v in 0..6 {
            assert_eq!(order.vertex(order.rank(v)), v);
        }
    }
}
