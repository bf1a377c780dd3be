//! Each group of vertices becomes one vertex.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::level::{Arcs, Grouped, Level, Members, Objective, PART_VERTICES, Part, compose};
use crate::Cancelled;
use crate::table::Table;

/// How to contract a graph.
pub(crate) struct Contraction<'g, G> {
    pub(crate) graph: &'g G,
    /// Arcs that a graph of its own may have.
    pub(crate) budget: usize,
}

impl<'g, G: Graph> Contraction<'g, G> {
    /// As many arcs as a word for each vertex and a logarithmic share of the arcs
    /// allow ("Sage", section 3: O(n + m / log n) words).
    pub(crate) fn of(graph: &'g G) -> Self {
        let n = graph.vertex_count();
        let logarithm = n.max(2).ilog2() as usize;
        Self {
            graph,
            budget: n + graph.arc_count() as usize / logarithm,
        }
    }
}

/// The graph of `count` groups of the vertices of `level`. `path` tells for each
/// vertex of the graph its vertex in `level`, and afterwards its group.
pub(crate) fn contract<'g, G: Graph>(
    contraction: &Contraction<'g, G>,
    level: &Level<'g, G>,
    groups: &[VertexId],
    count: usize,
    path: &mut [VertexId],
    objective: &Objective<'_, '_>,
) -> Result<Level<'g, G>, Cancelled> {
    compose(path, groups);
    let grouped = Grouped::new(groups, count, objective.control)?;
    let arcs = AtomicUsize::new(0);
    let parts = (0..count.div_ceil(PART_VERTICES))
        .into_par_iter()
        .map_init(Table::default, |table, part| {
            let first = part * PART_VERTICES;
            let group_range = first as VertexId..count.min(first + PART_VERTICES) as VertexId;
            let mut built = Part::default();
            for group in group_range {
                add_list(
                    &mut built,
                    level,
                    (&grouped, group),
                    groups,
                    table,
                    objective,
                )?;
            }
            if arcs.fetch_add(built.targets.len(), Relaxed) + built.targets.len()
                > contraction.budget
            {
                return Err(Refused::TooLarge);
            }
            Ok(built)
        })
        .collect::<Result<Vec<Part>, Refused>>();
    match parts {
        Ok(parts) => Ok(Level::Built(parts)),
        Err(Refused::Cancelled(cancelled)) => Err(cancelled),
        Err(Refused::TooLarge) => Ok(Level::Members(Members {
            graph: contraction.graph,
            members: Grouped::new(path, count, objective.control)?,
            groups: path.to_vec(),
        })),
    }
}

enum Refused {
    Cancelled(Cancelled),
    TooLarge,
}

impl From<Cancelled> for Refused {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

/// Adds the list of a group: for each group that its members' arcs lead to, the sum
/// of their weights.
fn add_list<G: Graph>(
    part: &mut Part,
    level: &Level<'_, G>,
    (grouped, group): (&Grouped, VertexId),
    groups: &[VertexId],
    table: &mut Table<f64>,
    objective: &Objective<'_, '_>,
) -> Result<(), Cancelled> {
    let mut arcs = Arcs::of(level, objective.control)?;
    let members = grouped.of(group);
    let bound: usize = members.iter().map(|&member| arcs.bound(member)).sum();
    let mut sums = table.begin(bound.min(grouped.len()));
    for (&member, at) in members.iter().zip(1_usize..) {
        if at % PART_VERTICES == 0 {
            objective.control.check()?;
        }
        arcs.for_each(member, |u, weight| {
            sums.add(groups[u as usize], weight);
        })?;
    }
    for (group, weight) in sums.iter() {
        part.targets.push(group);
        part.weights.push(weight);
    }
    part.ends.push(part.targets.len() as u64);
    Ok(())
}
