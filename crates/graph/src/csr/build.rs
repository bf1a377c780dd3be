//! Builds lists from edges: a stable counting sort in two parallel passes.
//!
//! Vertices are divided into buckets of consecutive ids. First each chunk of
//! the edge list moves its arcs to their buckets, then each bucket sorts its
//! arcs by vertex. Every task writes only slices of its own, and both passes
//! keep the order of the edges, so the result does not depend on threads.

use rayon::prelude::*;

use super::Lists;
use crate::{MAX_VERTICES, VertexId, Weight};

/// Chunks are at least this long, so that a chunk outweighs its bookkeeping.
const MIN_CHUNK_EDGES: usize = 1 << 16;
/// About as many streams as a core can write to without losing its caches' help.
const MAX_BUCKETS: usize = 512;

/// Arcs that an edge `(u, v)` contributes.
#[derive(Clone, Copy)]
pub(super) enum Side {
    /// `v` to the list of `u`.
    Out,
    /// `u` to the list of `v`.
    In,
    /// Both.
    Ends,
}

/// An edge of the input: `()` weights take no space.
pub(super) trait Arcs: Copy + Sync {
    type Weight: Copy + Default + Send + Sync;

    fn ends(self) -> (VertexId, VertexId);
    fn weight(self) -> Self::Weight;
    fn into_weights(weights: Vec<Self::Weight>) -> Vec<Weight>;

    /// Gives each arc as owner, neighbor, weight.
    #[inline]
    fn arcs(self, side: Side, mut give: impl FnMut(VertexId, VertexId, Self::Weight)) {
        let ((u, v), weight) = (self.ends(), self.weight());
        if !matches!(side, Side::In) {
            give(u, v, weight);
        }
        if !matches!(side, Side::Out) {
            give(v, u, weight);
        }
    }
}

impl Arcs for (VertexId, VertexId) {
    type Weight = ();

    fn ends(self) -> (VertexId, VertexId) {
        self
    }
    fn weight(self) {}
    fn into_weights(_: Vec<()>) -> Vec<Weight> {
        Vec::new()
    }
}

impl Arcs for (VertexId, VertexId, Weight) {
    type Weight = Weight;

    fn ends(self) -> (VertexId, VertexId) {
        (self.0, self.1)
    }
    fn weight(self) -> Weight {
        self.2
    }
    fn into_weights(weights: Vec<Weight>) -> Vec<Weight> {
        weights
    }
}

type Arc<W> = (VertexId, VertexId, W);

/// The lists of one side of `edges`.
pub(super) fn lists<E: Arcs>(vertex_count: usize, edges: &[E], side: Side) -> Lists {
    assert!(
        vertex_count <= MAX_VERTICES,
        "{vertex_count} vertices are above the limit of {MAX_VERTICES}"
    );
    let buckets = Buckets::new(vertex_count);
    let chunk_edges = MIN_CHUNK_EDGES.max(edges.len().div_ceil(rayon::current_num_threads() * 4));

    // counts[chunk][bucket] arcs.
    let counts: Vec<Vec<usize>> = edges
        .par_chunks(chunk_edges)
        .map(|chunk| count(chunk, side, vertex_count, &buckets))
        .collect();
    let bucket_arcs: Vec<usize> = (0..buckets.count)
        .map(|bucket| counts.iter().map(|chunk| chunk[bucket]).sum())
        .collect();
    let arc_count = bucket_arcs.iter().sum();

    let mut arcs: Vec<Arc<E::Weight>> = vec![Default::default(); arc_count];
    edges
        .par_chunks(chunk_edges)
        .zip(deal(&mut arcs, &counts, buckets.count))
        .for_each(|(chunk, places)| scatter(chunk, side, &buckets, places));

    let mut offsets = vec![0; vertex_count + 1];
    let mut neighbors = vec![0; arc_count];
    let mut weights = vec![E::Weight::default(); arc_count];
    let mut tasks = Vec::with_capacity(buckets.count);
    {
        let mut rest = (&mut offsets[1..], &mut *neighbors, &mut *weights, &*arcs);
        let mut first_arc = 0;
        for (bucket, &arc_count) in bucket_arcs.iter().enumerate() {
            let first_vertex = bucket << buckets.shift;
            let vertex_count = rest.0.len().min(1 << buckets.shift);
            tasks.push(BucketTask {
                first_vertex,
                first_arc,
                arcs: rest.3.split_off(..arc_count).expect("counted above"),
                ends: rest.0.split_off_mut(..vertex_count).expect("in range"),
                neighbors: rest.1.split_off_mut(..arc_count).expect("counted above"),
                weights: rest.2.split_off_mut(..arc_count).expect("counted above"),
            });
            first_arc += arc_count as u64;
        }
    }
    tasks.into_par_iter().for_each(BucketTask::run);
    Lists {
        offsets,
        neighbors,
        weights: E::into_weights(weights),
    }
}

/// Consecutive ids `bucket << shift ..` share a bucket.
struct Buckets {
    shift: u32,
    count: usize,
}

impl Buckets {
    fn new(vertex_count: usize) -> Self {
        let mut shift = 10;
        while vertex_count >> shift > MAX_BUCKETS {
            shift += 1;
        }
        Self {
            shift,
            count: (vertex_count >> shift) + 1,
        }
    }

    #[inline]
    fn of(&self, v: VertexId) -> usize {
        v as usize >> self.shift
    }
}

fn count<E: Arcs>(edges: &[E], side: Side, vertex_count: usize, buckets: &Buckets) -> Vec<usize> {
    let mut counts = vec![0; buckets.count];
    for edge in edges {
        let (u, v) = edge.ends();
        assert!(
            u.max(v) < vertex_count as VertexId,
            "edge ({u}, {v}) leaves the {vertex_count} vertices"
        );
        edge.arcs(side, |owner, _, _| counts[buckets.of(owner)] += 1);
    }
    counts
}

/// Gives each chunk its slice of each bucket: buckets lie one after another, and
/// in each the chunks in order.
fn deal<'a, T>(
    mut arcs: &'a mut [T],
    counts: &[Vec<usize>],
    bucket_count: usize,
) -> Vec<Vec<&'a mut [T]>> {
    let mut places: Vec<Vec<&mut [T]>> = counts
        .iter()
        .map(|_| Vec::with_capacity(bucket_count))
        .collect();
    for bucket in 0..bucket_count {
        for (counts, places) in counts.iter().zip(&mut places) {
            places.push(arcs.split_off_mut(..counts[bucket]).expect("counted"));
        }
    }
    places
}

fn scatter<E: Arcs>(
    edges: &[E],
    side: Side,
    buckets: &Buckets,
    mut places: Vec<&mut [Arc<E::Weight>]>,
) {
    let mut filled = vec![0; places.len()];
    for edge in edges {
        edge.arcs(side, |owner, neighbor, weight| {
            let bucket = buckets.of(owner);
            places[bucket][filled[bucket]] = (owner, neighbor, weight);
            filled[bucket] += 1;
        });
    }
}

/// Sorts the arcs of one bucket by owner.
struct BucketTask<'a, W> {
    first_vertex: usize,
    /// Position of the bucket's first arc among all.
    first_arc: u64,
    arcs: &'a [Arc<W>],
    /// End of each vertex's list, written by the task.
    ends: &'a mut [u64],
    neighbors: &'a mut [VertexId],
    weights: &'a mut [W],
}

impl<W: Copy> BucketTask<'_, W> {
    fn run(self) {
        let mut next = vec![0_usize; self.ends.len()];
        for &(owner, _, _) in self.arcs {
            next[owner as usize - self.first_vertex] += 1;
        }
        let mut start = 0;
        for (next, end) in next.iter_mut().zip(self.ends) {
            let degree = std::mem::replace(next, start);
            start += degree;
            *end = self.first_arc + start as u64;
        }
        for &(owner, neighbor, weight) in self.arcs {
            let place = &mut next[owner as usize - self.first_vertex];
            self.neighbors[*place] = neighbor;
            self.weights[*place] = weight;
            *place += 1;
        }
    }
}
