//! A push that is told the weight of each edge.

use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};

use super::push::push_lists;
use crate::parallel::Lists;
use crate::{Cancelled, Control};

/// Effect of an edge from the frontier on its target, given its weight.
pub trait WeightedKernel: Sync {
    /// Whether `v` still cares. May turn false while a traversal runs.
    fn condition(&self, v: VertexId) -> bool;

    /// Updates `v` from `u` along an edge of `weight`; several tasks may do so at
    /// once. True the first time in this traversal that `v` belongs to the result.
    fn push(&self, u: VertexId, v: VertexId, weight: Weight) -> bool;
}

/// As [`push`](super::push()), with weights; each is 1 in a graph without.
///
/// # Errors
/// If `control` ends the run.
pub fn push_weighted<G: Graph, K: WeightedKernel>(
    lists: Lists<'_, G>,
    frontier: &[VertexId],
    kernel: &K,
    control: &Control,
) -> Result<Vec<VertexId>, Cancelled> {
    push_lists(lists, frontier, control, |reader, u, part, joined| {
        let mut push = |v: VertexId, weight: Weight| {
            if kernel.condition(v) && kernel.push(u, v, weight) {
                joined.push(v);
            }
        };
        let push = |segment: &[VertexId], weights: &[Weight]| {
            if weights.is_empty() {
                segment.iter().for_each(|&v| push(v, 1.0));
            } else {
                let edges = segment.iter().zip(weights);
                edges.for_each(|(&v, &weight)| push(v, weight));
            }
            ControlFlow::Continue(())
        };
        let _ = match part {
            None => reader.for_each_weighted_segment(u, push),
            Some(part) => reader.visit_list::<true>(u, part, push),
        };
    })
}
