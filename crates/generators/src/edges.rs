//! Graphs as edge lists.
//!
//! Every list depends only on its parameters and seed, never on the number of
//! threads: edges are made in chunks of [`CHUNK_EDGES`], each with a random
//! stream of its own.

use evergraph_graph::random::{Random, split_mix};
use evergraph_graph::{MAX_VERTICES, VertexId, Weight};
use rayon::prelude::*;

/// A directed or undirected edge as its two ends.
pub type Edge = (VertexId, VertexId);

/// Edges of one chunk (the last of a list may be shorter).
pub const CHUNK_EDGES: usize = 1 << 16;

/// Streams are numbered by chunk; the permutation of the ids has the last one.
const PERMUTATION_STREAM: u64 = u64::MAX;

/// A Kronecker (R-MAT) graph: heavy-tailed degrees, a small diameter, many
/// isolated vertices, and some self-loops and repeated edges.
///
/// Partition probabilities A = 0.57, B = 0.19, C = 0.19 as in Graph500 and the
/// GAP Benchmark Suite; vertex ids are permuted so that an id says nothing about
/// a degree. Source: Chakrabarti, Zhan and Faloutsos, "R-MAT", SDM 2004.
#[derive(Clone, Debug)]
pub struct Kronecker {
    scale: u32,
    edge_count: usize,
    seed: u64,
    names: Vec<VertexId>,
}

impl Kronecker {
    /// `2^scale` vertices and `degree · 2^scale` edges. Takes 4 · 2^scale bytes
    /// for the permutation of the ids.
    ///
    /// # Panics
    /// If `scale` is above 29, the largest power of two below [`MAX_VERTICES`].
    pub fn new(scale: u32, degree: u32, seed: u64) -> Self {
        assert!(scale <= 29, "scale {scale} is above 29");
        let vertex_count = 1_usize << scale;
        let mut names: Vec<VertexId> = (0..vertex_count as VertexId).collect();
        Random::stream(seed, PERMUTATION_STREAM).shuffle(&mut names);
        Self {
            scale,
            edge_count: vertex_count * degree as usize,
            seed,
            names,
        }
    }

    /// The same graph with ids as the recursion gives them: low ids have high
    /// degrees, and neighbors in number are alike, as in many crawls.
    pub fn with_ids_in_order(mut self) -> Self {
        self.names = (0..self.names.len() as VertexId).collect();
        self
    }

    /// Vertices, isolated ones included.
    pub fn vertex_count(&self) -> usize {
        self.names.len()
    }

    /// Edges of the whole list, self-loops and repetitions included.
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// The list chunk by chunk, in order, for consumers that cannot hold it whole.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = Vec<Edge>> + '_ {
        chunks(self.edge_count, |chunk, edges| self.fill(chunk, edges))
    }

    /// The whole list, made in parallel; 8 bytes an edge.
    pub fn edges(&self) -> Vec<Edge> {
        in_chunks(self.edge_count, |chunk, edges| self.fill(chunk, edges))
    }

    fn fill(&self, chunk: usize, edges: &mut [Edge]) {
        let mut random = Random::stream(self.seed, chunk as u64);
        for edge in edges {
            let (u, v) = kronecker_edge(self.scale, &mut random);
            *edge = (self.names[u as usize], self.names[v as usize]);
        }
    }
}

/// Descends `scale` levels of the 2×2 initiator matrix, 32 random bits a level.
#[inline]
fn kronecker_edge(scale: u32, random: &mut Random) -> Edge {
    const UNIT: f64 = (1_u64 << 32) as f64;
    const A: u32 = (0.57 * UNIT) as u32;
    const A_B: u32 = (0.76 * UNIT) as u32;
    const A_B_C: u32 = (0.95 * UNIT) as u32;

    let (mut u, mut v) = (0, 0);
    let mut bits = 0;
    for level in 0..scale {
        bits = if level % 2 == 0 {
            random.next_u64()
        } else {
            bits >> 32
        };
        let r = bits as u32;
        u = u << 1 | u32::from(r >= A_B);
        v = v << 1 | u32::from((A..A_B).contains(&r) | (r >= A_B_C));
    }
    (u, v)
}

/// The edges of a [`Kronecker`] graph of `2^scale` vertices and
/// `degree · 2^scale` edges.
///
/// # Panics
/// If `scale` is above 29.
pub fn kronecker(scale: u32, degree: u32, seed: u64) -> Vec<Edge> {
    Kronecker::new(scale, degree, seed).edges()
}

/// Edges whose ends are independent and uniform among all vertices (self-loops
/// and repetitions included).
///
/// Source: Erdős and Rényi's G(n, m) with replacement, as GAP's `-u`.
#[derive(Clone, Debug)]
pub struct Uniform {
    vertex_count: usize,
    edge_count: usize,
    seed: u64,
}

impl Uniform {
    /// `edge_count` edges among `vertex_count` vertices.
    ///
    /// # Panics
    /// If there are more than [`MAX_VERTICES`] vertices. Edges without
    /// vertices panic when they are made.
    pub fn new(vertex_count: usize, edge_count: usize, seed: u64) -> Self {
        assert!(
            vertex_count <= MAX_VERTICES,
            "{vertex_count} vertices are above the limit"
        );
        Uniform {
            vertex_count,
            edge_count,
            seed,
        }
    }

    /// As [`Kronecker::chunks`].
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = Vec<Edge>> + '_ {
        chunks(self.edge_count, |chunk, edges| self.fill(chunk, edges))
    }

    /// The whole list, made in parallel; 8 bytes an edge.
    pub fn edges(&self) -> Vec<Edge> {
        in_chunks(self.edge_count, |chunk, edges| self.fill(chunk, edges))
    }

    fn fill(&self, chunk: usize, edges: &mut [Edge]) {
        let mut random = Random::stream(self.seed, chunk as u64);
        let bound = self.vertex_count as u64;
        for edge in edges {
            *edge = (
                random.below(bound) as VertexId,
                random.below(bound) as VertexId,
            );
        }
    }
}

/// The edges of a [`Uniform`] graph.
///
/// # Panics
/// If there are edges but no vertices, or more than [`MAX_VERTICES`] vertices.
pub fn uniform(vertex_count: usize, edge_count: usize, seed: u64) -> Vec<Edge> {
    Uniform::new(vertex_count, edge_count, seed).edges()
}

/// A weight for the edge of `u` and `v`: whole, from 1 to `most`, the same in both
/// directions. Depends on nothing else, so a graph need not be kept to be weighted
/// again.
///
/// # Panics
/// If `most` is 0.
pub fn edge_weight(u: VertexId, v: VertexId, most: u32) -> Weight {
    let mut state = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
    (1 + (split_mix(&mut state) >> 33) % u64::from(most)) as Weight
}

fn chunks(
    edge_count: usize,
    fill: impl Fn(usize, &mut [Edge]),
) -> impl ExactSizeIterator<Item = Vec<Edge>> {
    (0..edge_count.div_ceil(CHUNK_EDGES)).map(move |chunk| {
        let mut edges = vec![(0, 0); CHUNK_EDGES.min(edge_count - chunk * CHUNK_EDGES)];
        fill(chunk, &mut edges);
        edges
    })
}

fn in_chunks(edge_count: usize, fill: impl Fn(usize, &mut [Edge]) + Sync) -> Vec<Edge> {
    let mut edges = vec![(0, 0); edge_count];
    edges
        .par_chunks_mut(CHUNK_EDGES)
        .enumerate()
        .for_each(|(chunk, edges)| fill(chunk, edges));
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_join_to_the_whole_list() {
        let kronecker = Kronecker::new(13, 16, 3);
        let joined: Vec<Edge> = kronecker.chunks().flatten().collect();
        assert_eq!(joined, kronecker.edges());
        assert_eq!(joined.len(), kronecker.edge_count());
        assert_eq!(kronecker.vertex_count(), 1 << 13);
        let uniform = Uniform::new(100, 70_000, 3);
        let joined: Vec<Edge> = uniform.chunks().flatten().collect();
        assert_eq!(joined, uniform.edges());
    }

    #[test]
    fn ids_in_order_have_their_hubs_first() {
        let degrees_of_first = |graph: Kronecker| {
            let edges = graph.edges();
            edges.iter().filter(|edge| edge.0 < 1 << 6).count() as f64 / edges.len() as f64
        };
        let permuted = Kronecker::new(12, 16, 3);
        assert!(degrees_of_first(permuted.clone()) < 0.1);
        // 0.76 of the edges in each half, six times.
        let share = degrees_of_first(permuted.with_ids_in_order());
        assert!((share - 0.76_f64.powi(6)).abs() < 0.02, "{share}");
    }

    #[test]
    fn a_seed_is_a_list() {
        assert_eq!(kronecker(10, 8, 1), kronecker(10, 8, 1));
        assert_ne!(kronecker(10, 8, 1), kronecker(10, 8, 2));
        assert_eq!(uniform(100, 70_000, 1), uniform(100, 70_000, 1));
        assert_ne!(uniform(100, 70_000, 1), uniform(100, 70_000, 2));
    }

    #[test]
    fn kronecker_is_skewed_and_uniform_is_not() {
        let largest = |edges: &[Edge]| {
            let mut degrees = vec![0; 1 << 12];
            for &(u, v) in edges {
                degrees[u as usize] += 1;
                degrees[v as usize] += 1;
            }
            degrees.into_iter().max().unwrap()
        };
        assert!(largest(&kronecker(12, 16, 1)) > 800);
        assert!(largest(&uniform(1 << 12, 16 << 12, 1)) < 80);
    }

    #[test]
    fn weights_are_whole_even_and_the_same_from_both_ends() {
        let mut counts = [0; 4];
        for (u, v) in uniform(1000, 40_000, 1) {
            let weight = edge_weight(u, v, 4);
            assert_eq!(weight, edge_weight(v, u, 4));
            counts[weight as usize - 1] += 1;
        }
        for count in counts {
            assert!((9_000..11_000).contains(&count), "{counts:?}");
        }
    }

    #[test]
    fn the_smallest_graphs_exist() {
        assert_eq!(kronecker(0, 2, 1), [(0, 0), (0, 0)]);
        assert_eq!(kronecker(4, 0, 1), []);
        assert_eq!(uniform(0, 0, 1), []);
    }
}
