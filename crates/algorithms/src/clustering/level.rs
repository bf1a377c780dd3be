//! The graph, and what it is contracted to.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};
use rayon::prelude::*;

use crate::parallel::{CHUNK_ITEMS, HUB_DEGREE};
use crate::sums::slice_sum;
use crate::{Cancelled, Control};

/// An undirected graph with weights whose vertices are groups of vertices of the
/// one that is clustered.
pub(crate) enum Level<'g, G> {
    /// That one itself.
    Graph(&'g G),
    /// A graph of its own.
    Built(Vec<Part>),
    /// The edges of the graph read anew, as a graph of its own would be too large.
    Members(Members<'g, G>),
}

/// The lists of [`PART_VERTICES`] consecutive vertices (of the last part fewer).
#[derive(Default)]
pub(crate) struct Part {
    /// End of each list.
    pub(super) ends: Vec<u64>,
    pub(super) targets: Vec<VertexId>,
    pub(super) weights: Vec<f64>,
}

pub(super) const PART_VERTICES: usize = 64;

impl Part {
    fn range(&self, v: VertexId) -> Range<usize> {
        let at = v as usize % PART_VERTICES;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start as usize..self.ends[at] as usize
    }
}

/// Groups of a graph's vertices.
pub(crate) struct Members<'g, G> {
    pub(super) graph: &'g G,
    /// Of each vertex of the graph.
    pub(super) groups: Vec<VertexId>,
    pub(super) members: Grouped,
}

/// The members of each group, one group after the other.
pub(crate) struct Grouped {
    order: Vec<VertexId>,
    starts: Vec<u32>,
}

impl Grouped {
    /// Sorts the members of `count` groups by group.
    pub(crate) fn new(
        groups: &[VertexId],
        count: usize,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut starts = control.array(0_u32, count + 1)?;
        for &group in groups {
            starts[group as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut order = control.array(0, groups.len())?;
        for (v, &group) in (0..).zip(groups) {
            let at = &mut next[group as usize];
            order[*at as usize] = v;
            *at += 1;
        }
        Ok(Self { order, starts })
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The members of a group, in order.
    #[inline]
    pub(crate) fn of(&self, group: VertexId) -> &[VertexId] {
        let group = group as usize;
        &self.order[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

impl<G: Graph> Level<'_, G> {
    pub(crate) fn vertex_count(&self) -> usize {
        match self {
            Self::Graph(graph) => graph.vertex_count(),
            Self::Built(parts) => match parts.split_last() {
                Some((last, parts)) => parts.len() * PART_VERTICES + last.ends.len(),
                None => 0,
            },
            Self::Members(members) => members.members.len(),
        }
    }
}

/// Reads lists of a level; a short pin, as the reader in it.
pub(crate) struct Arcs<'l, 'g, 'p, G: Graph> {
    level: &'l Level<'g, G>,
    reader: Option<G::Reader<'g>>,
    control: &'l Control<'p>,
}

impl<'l, 'g, 'p, G: Graph> Arcs<'l, 'g, 'p, G> {
    /// A reader of `level`, unless `control` ends the run.
    pub(crate) fn of(level: &'l Level<'g, G>, control: &'l Control<'p>) -> Result<Self, Cancelled> {
        control.check()?;
        let reader = match level {
            Level::Graph(graph) => Some(graph.reader()),
            Level::Members(members) => Some(members.graph.reader()),
            Level::Built(_) => None,
        };
        Ok(Self {
            level,
            reader,
            control,
        })
    }

    /// How many neighbors `v` has at most.
    pub(crate) fn bound(&mut self, v: VertexId) -> usize {
        let arcs = match (self.level, &mut self.reader) {
            (Level::Built(parts), _) => parts[v as usize / PART_VERTICES].range(v).len(),
            (Level::Graph(_), Some(reader)) => reader.degree(v),
            (Level::Members(members), Some(reader)) => {
                let members = members.members.of(v).iter();
                members.map(|&member| reader.degree(member)).sum()
            }
            (_, None) => unreachable!("only a graph of its own has no reader"),
        };
        arcs.min(self.level.vertex_count())
    }

    /// Calls `visit` with the ends and weights of the arcs from `v`, in the order of
    /// the list. An end may come several times.
    #[inline]
    pub(crate) fn for_each(
        &mut self,
        v: VertexId,
        mut visit: impl FnMut(VertexId, f64),
    ) -> Result<(), Cancelled> {
        let Some(reader) = &mut self.reader else {
            if let Level::Built(parts) = self.level {
                let part = &parts[v as usize / PART_VERTICES];
                let range = part.range(v);
                let targets = part.targets[range.clone()].chunks(HUB_DEGREE);
                for (targets, weights) in targets.zip(part.weights[range].chunks(HUB_DEGREE)) {
                    if targets.len() == HUB_DEGREE {
                        self.control.check()?;
                    }
                    let arcs = targets.iter().zip(weights);
                    arcs.for_each(|(&u, &weight)| visit(u, weight));
                }
            }
            return Ok(());
        };
        match self.level {
            Level::Members(members) => {
                for (&member, at) in members.members.of(v).iter().zip(1_usize..) {
                    if at % HUB_DEGREE == 0 {
                        self.control.check()?;
                    }
                    for_each_in_list(reader, member, self.control, |u, weight| {
                        visit(members.groups[u as usize], weight);
                    })?;
                }
                Ok(())
            }
            _ => for_each_in_list(reader, v, self.control, visit),
        }
    }
}

#[inline]
fn for_each_in_list(
    reader: &mut impl NeighborReader,
    v: VertexId,
    control: &Control,
    mut visit: impl FnMut(VertexId, f64),
) -> Result<(), Cancelled> {
    let mut visit_all = |segment: &[VertexId], weights: &[Weight]| {
        if weights.is_empty() {
            segment.iter().for_each(|&u| visit(u, 1.0));
        } else {
            let arcs = segment.iter().zip(weights);
            arcs.for_each(|(&u, &weight)| visit(u, f64::from(weight)));
        }
        ControlFlow::Continue(())
    };
    let degree = reader.degree(v);
    if degree <= HUB_DEGREE {
        let _ = reader.for_each_weighted_segment(v, visit_all);
        return Ok(());
    }
    for start in (0..degree).step_by(HUB_DEGREE) {
        control.check()?;
        let piece = start..start + HUB_DEGREE;
        let _ = reader.visit_list::<true>(v, piece, &mut visit_all);
    }
    Ok(())
}

/// Modularity's parameters, the same over all levels of a run.
pub(crate) struct Objective<'c, 'p> {
    /// γ / M: what a pair of unit strengths in one community costs.
    pub(crate) cost: f64,
    /// M.
    pub(crate) total: f64,
    pub(crate) resolution: f64,
    pub(crate) seed: u64,
    pub(crate) control: &'c Control<'p>,
}

impl<'c, 'p> Objective<'c, 'p> {
    /// The objective on a graph of vertices with these strengths; seed 0.
    pub(crate) fn new(strengths: &[f64], resolution: f64, control: &'c Control<'p>) -> Self {
        let total = slice_sum(strengths, |&strength| strength);
        Self {
            cost: if total > 0.0 { resolution / total } else { 0.0 },
            total,
            resolution,
            seed: 0,
            control,
        }
    }
}

/// For each vertex the community of its vertex in the level above.
pub(crate) fn compose(below: &mut [VertexId], above: &[VertexId]) {
    below
        .par_iter_mut()
        .with_min_len(CHUNK_ITEMS)
        .for_each(|v| *v = above[*v as usize]);
}
