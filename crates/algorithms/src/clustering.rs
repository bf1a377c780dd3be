//! Parts shared by [`louvain`](crate::louvain) and [`leiden`](crate::leiden): a graph and
//! the smaller graphs that it is contracted to, and moving vertices between
//! communities.
//!
//! *Quality.* Both raise the modularity with resolution γ: with A the weights of
//! the list entries, k the sums of its rows and M the sum of all, the sum over all
//! communities C of A(C, C) / M − γ (k(C) / M)². A self-loop counts as often as its
//! list has it, as does each of parallel edges.

mod contract;
mod level;
mod moving;

use evergraph_graph::{Graph, StoredLists, VertexId, Weight};
use rayon::prelude::*;

pub(crate) use self::contract::{Contraction, contract};
pub(crate) use self::level::{Arcs, Level, Objective, compose};
pub(crate) use self::moving::{FEW, Partition, batches, move_vertices};
use crate::parallel::{CHUNK_VERTICES, chunk_range};
use crate::{Cancelled, Control, RunError};

/// Checks that the graph is undirected and the resolution in its range.
pub(crate) fn check(graph: &impl Graph, resolution: f64) -> Result<(), RunError> {
    if graph.stored_lists() != StoredLists::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    if !(0.0..=1e6).contains(&resolution) {
        return Err(RunError::InvalidParameter {
            name: "resolution",
            value: resolution,
            expected: "at least 0 and at most 10^6",
        });
    }
    Ok(())
}

/// For each vertex the sum of its list's weights.
pub(crate) fn strengths<G: Graph>(graph: &G, control: &Control) -> Result<Vec<f64>, RunError> {
    let level = Level::Graph(graph);
    let n = graph.vertex_count();
    let mut strengths = control.array(0.0, n)?;
    strengths
        .par_chunks_mut(CHUNK_VERTICES)
        .enumerate()
        .with_max_len(4)
        .try_for_each(|(chunk, strengths)| {
            let mut arcs = Arcs::of(&level, control)?;
            for (v, strength) in chunk_range(chunk, n).zip(strengths) {
                let mut wrong = None;
                arcs.for_each(v, |u, weight| {
                    *strength += weight;
                    if !(weight >= 0.0 && weight.is_finite()) {
                        wrong = wrong.or(Some((u, weight)));
                    }
                })?;
                if let Some((u, weight)) = wrong {
                    return Err(invalid(v, u, weight));
                }
            }
            Ok(())
        })?;
    Ok(strengths)
}

fn invalid(from: VertexId, to: VertexId, weight: f64) -> RunError {
    RunError::InvalidWeight {
        from,
        to,
        weight: weight as Weight,
        expected: "finite and not negative",
    }
}

/// The modularity of a partition of a level.
pub(crate) fn modularity<G: Graph>(
    level: &Level<'_, G>,
    partition: &Partition,
    objective: &Objective<'_, '_>,
) -> Result<f64, Cancelled> {
    if objective.total == 0.0 {
        return Ok(0.0);
    }
    let n = level.vertex_count();
    let inside: Vec<f64> = (0..n.div_ceil(CHUNK_VERTICES))
        .into_par_iter()
        .with_max_len(4)
        .map(|chunk| {
            let mut arcs = Arcs::of(level, objective.control)?;
            let mut inside = 0.0;
            for v in chunk_range(chunk, n) {
                let own = partition.of[v as usize];
                arcs.for_each(v, |u, weight| {
                    if partition.of[u as usize] == own {
                        inside += weight;
                    }
                })?;
            }
            Ok(inside)
        })
        .collect::<Result<_, Cancelled>>()?;
    let squares: f64 = partition
        .totals
        .iter()
        .map(|total| (total / objective.total).powi(2))
        .sum();
    Ok(inside.iter().sum::<f64>() / objective.total - objective.resolution * squares)
}

/// Names each community after its smallest vertex; returns how many there are.
pub(crate) fn name_by_smallest(communities: &mut [VertexId]) -> usize {
    let mut smallest = vec![VertexId::MAX; communities.len()];
    let mut count = 0;
    for (v, community) in (0..).zip(communities) {
        let name = &mut smallest[*community as usize];
        if *name == VertexId::MAX {
            *name = v;
            count += 1;
        }
        *community = *name;
    }
    count
}
