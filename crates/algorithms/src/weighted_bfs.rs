//! Shortest paths from one source, for whole weights: breadth-first search in
//! which an edge takes as many levels as it weighs.
//!
//! Idea: a bin for each distance, or for a power of two of them where weights are
//! large. The vertices of the first are expanded, and put their neighbors in the
//! bins of their distances; nothing is expanded twice, except inside a bin.
//!
//! Work O(m + max distance), depth O(max distance · log n), at most 6n words of
//! DRAM of 8 bytes. Distances are exact and the same for any number of threads.
//! Self-loops change nothing; of parallel edges the lightest counts.
//! Source: Dhulipala, Blelloch and Shun, "Julienne", SPAA 2017; "Sage", VLDB 2020,
//! Table 1.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use evergraph_graph::{Graph, VertexId, Weight};

use crate::delta_stepping::usual_delta;
use crate::error::check_source;
use crate::settling::{Labels, settle};
use crate::shortest_paths::{for_each_weighted, tree, verify_tree};
use crate::{Control, Mismatch, RunError};

/// The distance of a vertex without a path from the source.
pub const UNREACHED: u64 = u64::MAX;

/// Weights are below this, so that no sum of them overflows.
const WEIGHT_LIMIT: Weight = 4_294_967_296.0;

/// Distances from one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedBfs {
    /// Vertex at which the search began.
    pub source: VertexId,
    /// For each vertex the smallest sum of weights on a path from the source,
    /// [`UNREACHED`] where there is none.
    pub distances: Vec<u64>,
    /// For each vertex its parent in a tree of shortest paths, the source for
    /// itself, [`crate::UNREACHED`] elsewhere; if asked for.
    pub parents: Option<Vec<VertexId>>,
    /// Reached vertices, the source included.
    pub reached: usize,
    /// The largest distance.
    pub max_distance: u64,
}

/// The distances from `source` along out-lists, and the tree if
/// `wants_parents`, which is one more pass over the edges.
///
/// # Errors
/// If `source` is out of range, a weight on a path from the source is not a whole
/// number from 0 to below 2^32, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    source: VertexId,
    wants_parents: bool,
    control: &Control,
) -> Result<WeightedBfs, RunError> {
    check_source(graph, source)?;
    let sums = WholeSums {
        shift: usual_delta(graph).log2().clamp(0.0, 31.0) as u32,
    };
    let distances = settle(graph, source, 0, &sums, control)?;
    let tight = |u: VertexId, v: VertexId, weight: Weight| {
        distances[u as usize] + weight as u64 == distances[v as usize]
    };
    let parents = match wants_parents {
        true => Some(tree(graph, source, tight, control)?),
        false => None,
    };
    let reached = distances.iter().filter(|&&distance| distance != UNREACHED);
    Ok(WeightedBfs {
        source,
        parents,
        reached: reached.clone().count(),
        max_distance: reached.copied().max().unwrap_or(0),
        distances,
    })
}

struct WholeSums {
    /// A bin holds `2^shift` distances.
    shift: u32,
}

impl Labels for WholeSums {
    const UNREACHED: u64 = UNREACHED;
    const WEIGHTS: &'static str = "whole numbers from 0 to below 2^32";

    #[inline]
    fn takes(weight: Weight) -> bool {
        (0.0..WEIGHT_LIMIT).contains(&weight) && (weight as i64) as Weight == weight
    }

    #[inline]
    fn extend(&self, label: u64, weight: Weight) -> u64 {
        label.wrapping_add(weight as i64 as u64)
    }

    #[inline]
    fn bin(&self, label: u64) -> u64 {
        label >> self.shift
    }
}

/// Distances by Dijkstra's algorithm with a binary heap; the reference implementation of
/// [`run`].
///
/// # Panics
/// If `source` is out of range.
pub fn reference<G: Graph>(graph: &G, source: VertexId) -> Vec<u64> {
    let mut distances = vec![UNREACHED; graph.vertex_count()];
    distances[source as usize] = 0;
    let mut reader = graph.reader();
    let mut heap = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((distance, u))) = heap.pop() {
        if distance > distances[u as usize] {
            continue;
        }
        for_each_weighted(&mut reader, u, |v, weight| {
            let through = distance + weight as u64;
            if through < distances[v as usize] {
                distances[v as usize] = through;
                heap.push(Reverse((through, v)));
            }
        });
    }
    distances
}

/// Checks distances against [`reference()`], and that parents are a tree of
/// shortest paths. Sequential, O(m log n).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &WeightedBfs) -> Result<(), Mismatch> {
    let expected = reference(graph, result.source);
    assert_eq!(result.distances.len(), expected.len(), "one value a vertex");
    let wrong = result
        .distances
        .iter()
        .zip(&expected)
        .position(|(a, b)| a != b);
    if let Some(v) = wrong {
        return Err(Mismatch {
            vertex: v as VertexId,
            what: "distance",
            found: result.distances[v] as f64,
            expected: expected[v] as f64,
        });
    }
    // Distances in tests and in practice are exact as `f64`.
    let reals = |&distance: &u64| match distance {
        UNREACHED => f64::INFINITY,
        distance => distance as f64,
    };
    match &result.parents {
        Some(parents) => {
            let distances: Vec<f64> = expected.iter().map(reals).collect();
            verify_tree(graph, result.source, parents, &distances)
        }
        None => Ok(()),
    }
}
