//! Shortest paths from one source, for weights that are not negative.
//!
//! Idea: distances are cut into bins of width delta. The vertices of a bin are
//! expanded, in parallel and again whenever their distance falls, until the bin
//! stays empty; then the next. A small delta expands vertices once, as Dijkstra's
//! algorithm does; a large one has fewer rounds with more to do in each.
//!
//! Work O(m) and what is expanded again (each vertex some two times at most on
//! usual graphs), depth O(max distance / delta · longest path within a bin · log
//! n); at most 6n words of DRAM of 8 bytes. Distances are the same for any number of
//! threads. Self-loops change nothing; of parallel edges the lightest counts.
//! Source: Meyer and Sanders, "Δ-stepping: a parallelizable shortest path
//! algorithm", Journal of Algorithms 2003; bins as in the GAP Benchmark Suite.

use evergraph_graph::{Graph, VertexId, Weight};

use crate::error::{check_source, compare_near};
use crate::settling::{Labels, settle};
pub use crate::shortest_paths::{ShortestPaths, reference};
use crate::shortest_paths::{for_each_weighted, verify_tree};
use crate::{Control, Mismatch, RunError};

/// Vertices whose edges are asked for their weights to choose delta.
const SAMPLED_VERTICES: usize = 1 << 10;

/// How to search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Width of a bin, above 0; chosen from the weights and the mean degree if
    /// `None`. It changes the time, never the distances.
    pub delta: Option<f64>,
    /// Whether the tree is wanted too, one more pass over the edges.
    pub parents: bool,
}

/// The distances from `source` along out-lists.
///
/// # Errors
/// If `source` is out of range, delta is not above 0, a weight on a path from the
/// source is negative or not a number, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    source: VertexId,
    parameters: &Parameters,
    control: &Control,
) -> Result<ShortestPaths, RunError> {
    check_source(graph, source)?;
    let delta = match parameters.delta {
        Some(delta) if delta > 0.0 => delta,
        Some(delta) => {
            return Err(RunError::InvalidParameter {
                name: "delta",
                value: delta,
                expected: "above 0",
            });
        }
        None => usual_delta(graph),
    };
    let sums = Sums {
        bins_per_unit: 1.0 / delta,
    };
    let bits = settle(graph, source, 0.0_f64.to_bits(), &sums, control)?;
    let distances = bits.into_iter().map(f64::from_bits).collect();
    Ok(ShortestPaths::of(
        graph,
        source,
        distances,
        parameters.parents,
        control,
    )?)
}

/// The bits of distances, which are ordered as the distances are.
struct Sums {
    bins_per_unit: f64,
}

impl Labels for Sums {
    const UNREACHED: u64 = f64::INFINITY.to_bits();
    const WEIGHTS: &'static str = "0 or more";

    #[inline]
    fn takes(weight: Weight) -> bool {
        weight >= 0.0
    }

    #[inline]
    fn extend(&self, label: u64, weight: Weight) -> u64 {
        (f64::from_bits(label) + f64::from(weight)).to_bits()
    }

    #[inline]
    fn bin(&self, label: u64) -> u64 {
        (f64::from_bits(label) * self.bins_per_unit) as u64
    }
}

/// Twice the mean weight by the mean degree, after some vertices with edges.
pub(crate) fn usual_delta(graph: &impl Graph) -> f64 {
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let (mut sum, mut edges, mut vertices) = (0.0, 0_u32, 0_u32);
    for v in (0..n).step_by(n.div_ceil(SAMPLED_VERTICES)) {
        let before = edges;
        for_each_weighted(&mut reader, v as VertexId, |_, weight| {
            if weight.is_finite() {
                sum += f64::from(weight);
            }
            edges += 1;
        });
        vertices += u32::from(edges > before);
    }
    let delta = 2.0 * sum * f64::from(vertices) / (f64::from(edges) * f64::from(edges));
    if delta > 0.0 && delta.is_finite() {
        delta
    } else {
        1.0
    }
}

/// Checks distances against [`reference()`], and that parents are a tree of
/// shortest paths. Sequential, O(m log n).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &ShortestPaths) -> Result<(), Mismatch> {
    let distances = reference(graph, result.source);
    compare_near("distance", &result.distances, &distances, 0.0, 0.0)?;
    match &result.parents {
        Some(parents) => verify_tree(graph, result.source, parents, &distances),
        None => Ok(()),
    }
}
