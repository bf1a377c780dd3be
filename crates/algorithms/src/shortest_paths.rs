//! Shortest paths along weighted edges: what the problems that find them return,
//! the tree of such paths, and how both are verified.
//!
//! The tree is found after the distances: a search from the source along tight
//! edges, those that lead to the distance of their target, level by level; of the
//! vertices of one level that could be a parent the smallest becomes it.
//!
//! Work O(m), depth O(edges of the longest path in the tree · log n), n words of 8 bytes.
//! Deterministic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};

use crate::edge_map::{Lists, WeightedKernel, push_weighted};
use crate::error::compare_exact;
use crate::parallel::{shared_u32, unshared_u32};
use crate::{Cancelled, Control, Mismatch, UNREACHED};

/// Distances from one source.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortestPaths {
    /// Vertex at which the paths begin.
    pub source: VertexId,
    /// For each vertex the smallest sum of weights on a path from the source, the
    /// sums rounded to `f64` edge by edge; infinity where there is no path.
    pub distances: Vec<f64>,
    /// For each vertex its parent in a tree of shortest paths, the source for
    /// itself, [`UNREACHED`] where there is no shortest path; if asked for.
    pub parents: Option<Vec<VertexId>>,
    /// Vertices with a path, the source included.
    pub reached: usize,
    /// The largest distance that is not infinite.
    pub max_distance: f64,
}

impl ShortestPaths {
    /// Finds the tree, if it is wanted, and the summary.
    pub(crate) fn of<G: Graph>(
        graph: &G,
        source: VertexId,
        distances: Vec<f64>,
        wants_parents: bool,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let tight = |u: VertexId, v: VertexId, weight: Weight| {
            let [from, to] = [u, v].map(|end| distances[end as usize]);
            to.is_finite() && from + f64::from(weight) == to
        };
        let parents = match wants_parents {
            true => Some(tree(graph, source, tight, control)?),
            false => None,
        };
        let finite = distances.iter().filter(|distance| distance.is_finite());
        Ok(Self {
            source,
            parents,
            reached: distances.iter().filter(|&&d| d < f64::INFINITY).count(),
            max_distance: finite.copied().fold(0.0, f64::max),
            distances,
        })
    }
}

/// Parents in a tree of the vertices that tight edges lead to from `source`.
pub(crate) fn tree<G: Graph>(
    graph: &G,
    source: VertexId,
    tight: impl Fn(VertexId, VertexId, Weight) -> bool + Sync,
    control: &Control,
) -> Result<Vec<VertexId>, Cancelled> {
    let n = graph.vertex_count();
    let parents = shared_u32(n, UNREACHED, control)?;
    let levels = shared_u32(n, UNREACHED, control)?;
    parents[source as usize].store(source, Relaxed);
    levels[source as usize].store(0, Relaxed);
    let mut frontier = vec![source];
    let mut kernel = SmallestParent {
        parents: &parents,
        levels: &levels,
        level: 0,
        tight,
    };
    while !frontier.is_empty() {
        kernel.level += 1;
        frontier = push_weighted(Lists::outgoing(graph), &frontier, &kernel, control)?;
    }
    Ok(unshared_u32(parents))
}

struct SmallestParent<'a, T> {
    parents: &'a [AtomicU32],
    levels: &'a [AtomicU32],
    /// Level of the vertices that get a parent now.
    level: u32,
    tight: T,
}

impl<T: Fn(VertexId, VertexId, Weight) -> bool + Sync> WeightedKernel for SmallestParent<'_, T> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        self.levels[v as usize].load(Relaxed) >= self.level
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId, weight: Weight) -> bool {
        if !(self.tight)(u, v, weight) {
            return false;
        }
        self.levels[v as usize].store(self.level, Relaxed);
        self.parents[v as usize].fetch_min(u, Relaxed) == UNREACHED
    }
}

/// Distances by Dijkstra's algorithm with a binary heap; the reference implementation of
/// the problems on weights that are not negative.
///
/// # Panics
/// If `source` is out of range.
pub fn reference<G: Graph>(graph: &G, source: VertexId) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; graph.vertex_count()];
    distances[source as usize] = 0.0;
    let mut reader = graph.reader();
    // Numbers that are not negative are ordered as their bits.
    let mut heap = BinaryHeap::from([Reverse((0.0_f64.to_bits(), source))]);
    while let Some(Reverse((bits, u))) = heap.pop() {
        let distance = f64::from_bits(bits);
        if distance > distances[u as usize] {
            continue;
        }
        for_each_weighted(&mut reader, u, |v, weight| {
            let through = distance + f64::from(weight);
            if through < distances[v as usize] {
                distances[v as usize] = through;
                heap.push(Reverse((through.to_bits(), v)));
            }
        });
    }
    distances
}

/// Checks that `parents` is a tree of tight edges that holds exactly the vertices
/// with a finite value in `distances`. Sequential, O(n + m).
pub(crate) fn verify_tree<G: Graph>(
    graph: &G,
    source: VertexId,
    parents: &[VertexId],
    distances: &[f64],
) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let mut expected = vec![UNREACHED; n];
    expected[source as usize] = source;
    // Any tight edge's source serves in the message if the claimed one is wrong.
    let mut reader = graph.reader();
    for u in 0..n as VertexId {
        for_each_weighted(&mut reader, u, |v, weight| {
            let [from, to] = [u, v].map(|end| distances[end as usize]);
            let tight = to.is_finite() && from + f64::from(weight) == to;
            if tight
                && v != source
                && (parents[v as usize] == u || expected[v as usize] == UNREACHED)
            {
                expected[v as usize] = u;
            }
        });
    }
    compare_exact("parent", parents, &expected)?;
    verify_rooted(source, parents)
}

/// Checks that all parents lead to `source`.
fn verify_rooted(source: VertexId, parents: &[VertexId]) -> Result<(), Mismatch> {
    let mut rooted = vec![false; parents.len()];
    rooted[source as usize] = true;
    for v in 0..parents.len() as VertexId {
        let (mut ancestor, mut steps) = (v, 0);
        let mut way = Vec::new();
        while parents[ancestor as usize] != UNREACHED && !rooted[ancestor as usize] {
            if steps > parents.len() {
                return Err(Mismatch {
                    vertex: v,
                    what: "edges to the source along parents",
                    found: f64::INFINITY,
                    expected: parents.len() as f64,
                });
            }
            way.push(ancestor);
            ancestor = parents[ancestor as usize];
            steps += 1;
        }
        way.into_iter().for_each(|u| rooted[u as usize] = true);
    }
    Ok(())
}

/// Calls `visit` with each neighbor of `u` and the weight of the edge.
pub(crate) fn for_each_weighted(
    reader: &mut impl NeighborReader,
    u: VertexId,
    mut visit: impl FnMut(VertexId, Weight),
) {
    let _ = reader.for_each_weighted_segment(u, |list, weights| {
        for (at, &v) in list.iter().enumerate() {
            visit(v, weights.get(at).copied().unwrap_or(1.0));
        }
        ControlFlow::Continue(())
    });
}
