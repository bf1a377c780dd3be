//! A set of vertices with nearly as many edges for each vertex as any has: at
//! least a 1 / (2(1 + ε)) of the density of the densest.
//!
//! Density is edges within the set, divided by its vertices. Idea: as long as there
//! are vertices, remove all whose degree is at most 2(1 + ε) times the density; of
//! all the sets on the way the densest is the answer. A histogram says by how much
//! degrees fall.
//!
//! Work O(m + n log n / ε) at most, depth O(log² n / ε); DRAM at most 7n words of 8
//! bytes. Deterministic. Parallel edges count as often as they are stored, a self-loop is
//! one edge.
//! Sources: Bahmani, Kumar and Vassilvitskii, "Densest Subgraph in Streaming and
//! MapReduce", VLDB 2012; Dhulipala et al., "Sage", VLDB 2020, section 4.3.4.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::histogram::Histogram;
use crate::parallel::{CHUNK_ITEMS, Lists, shared_degrees, shared_u32};
use crate::{Cancelled, Control, Mismatch, RunError};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The ε of the bound 2(1 + ε): from 0.0001 to 10. Smaller is closer and slower.
    pub epsilon: f64,
}

impl Default for Parameters {
    /// ε = 0.001.
    fn default() -> Self {
        Self { epsilon: 0.001 }
    }
}

/// A dense part of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct DensestSubgraph {
    /// For each vertex whether it is in the set.
    pub members: Vec<bool>,
    /// How many are.
    pub size: usize,
    /// Edges within the set, for each of its vertices.
    pub density: f64,
    /// Rounds of removal.
    pub rounds: u32,
}

/// A set whose density is at least 1 / (2(1 + ε)) of the largest.
///
/// # Errors
/// [`RunError::NeedsUndirected`] if the graph is directed; if ε is out of range; or
/// if `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<DensestSubgraph, RunError> {
    if graph.stored_lists() != StoredLists::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    let epsilon = parameters.epsilon;
    if !(0.0001..=10.0).contains(&epsilon) {
        return Err(RunError::InvalidParameter {
            name: "epsilon",
            value: epsilon,
            expected: "from 0.0001 to 10",
        });
    }
    let n = graph.vertex_count();
    let lists = Lists::outgoing(graph);
    let mut histogram = Histogram::new(n, control)?;
    let peel = Peel {
        degrees: shared_degrees(lists, control)?,
        removed_in: shared_u32(n, u32::MAX, control)?,
    };
    let mut remaining: Vec<VertexId> = (0..n as VertexId).collect();
    let mut arcs = graph.arc_count();
    let (mut best_round, mut size, mut density, mut round) = (0, n, 0.0, 0);
    while !remaining.is_empty() {
        let now = arcs as f64 / 2.0 / remaining.len() as f64;
        if now > density {
            (best_round, size, density) = (round, remaining.len(), now);
        }
        let threshold = 2.0 * (1.0 + epsilon) * now;
        let (kept, removed) = peel.split(remaining, round, threshold, control)?;
        remaining = kept;
        arcs -= peel.degree_sum(&removed);
        let lowered = histogram.map(
            lists,
            &removed,
            |v| peel.remains(v),
            |v, count| Some(peel.lower(v, count)),
            control,
        )?;
        arcs -= lowered.into_iter().map(u64::from).sum::<u64>();
        round += 1;
        control.report(
            "removed vertices",
            (n - remaining.len()) as u64,
            Some(n as u64),
        );
    }
    let in_best = |round: &AtomicU32| round.load(Relaxed) >= best_round;
    Ok(DensestSubgraph {
        members: peel.removed_in.par_iter().map(in_best).collect(),
        size,
        density,
        rounds: round,
    })
}

/// The state of a removal.
struct Peel {
    /// Among the vertices that remain.
    degrees: Vec<AtomicU32>,
    /// The round in which a vertex was removed, the largest number before.
    removed_in: Vec<AtomicU32>,
}

impl Peel {
    #[inline]
    fn degree(&self, v: VertexId) -> u32 {
        self.degrees[v as usize].load(Relaxed)
    }

    #[inline]
    fn remains(&self, v: VertexId) -> bool {
        self.removed_in[v as usize].load(Relaxed) == u32::MAX
    }

    /// Lowers the degree of `v`, and says by how much.
    #[inline]
    fn lower(&self, v: VertexId, count: u32) -> u32 {
        self.degrees[v as usize].store(self.degree(v) - count, Relaxed);
        count
    }

    /// Splits off the vertices whose degree is at most `threshold`. Returns those that
    /// stay, and those removed.
    fn split(
        &self,
        vertices: Vec<VertexId>,
        round: u32,
        threshold: f64,
        control: &Control,
    ) -> Result<(Vec<VertexId>, Vec<VertexId>), Cancelled> {
        let split = |vertices: &[VertexId]| {
            control.check()?;
            let (mut kept, mut removed) = (Vec::new(), Vec::new());
            for &v in vertices {
                if f64::from(self.degree(v)) > threshold {
                    kept.push(v);
                } else {
                    self.removed_in[v as usize].store(round, Relaxed);
                    removed.push(v);
                }
            }
            Ok((kept, removed))
        };
        if vertices.len() <= CHUNK_ITEMS {
            return split(&vertices);
        }
        let parts = vertices.par_chunks(CHUNK_ITEMS).map(split);
        let parts: Vec<_> = parts.collect::<Result<_, Cancelled>>()?;
        let (mut kept, mut removed) = (Vec::new(), Vec::new());
        for (some, others) in parts {
            kept.extend(some);
            removed.extend(others);
        }
        Ok((kept, removed))
    }

    fn degree_sum(&self, vertices: &[VertexId]) -> u64 {
        let sum = |vertices: &[VertexId]| -> u64 {
            vertices.iter().map(|&v| u64::from(self.degree(v))).sum()
        };
        match vertices.len() <= CHUNK_ITEMS {
            true => sum(vertices),
            false => vertices.par_chunks(CHUNK_ITEMS).map(sum).sum(),
        }
    }
}

/// The density of the best set on the way when vertices are removed one by one, always
/// one of the smallest degree: at least half the largest. Sequential; the reference
/// implementation of [`run`].
///
/// Source: Charikar, "Greedy Approximation Algorithms for Finding Dense Components
/// in a Graph", APPROX 2000.
pub fn reference<G: Graph>(graph: &G) -> f64 {
    let mut reader = graph.reader();
    let n = graph.vertex_count();
    let mut degrees: Vec<usize> = (0..n).map(|v| reader.degree(v as VertexId)).collect();
    let mut queue: BTreeSet<(usize, VertexId)> = degrees.iter().copied().zip(0..).collect();
    let (mut arcs, mut best) = (graph.arc_count() as usize, 0.0_f64);
    let mut removed = vec![false; n];
    loop {
        best = best.max(arcs as f64 / 2.0 / queue.len().max(1) as f64);
        let Some((degree, v)) = queue.pop_first() else {
            return best;
        };
        removed[v as usize] = true;
        arcs -= degree;
        reader.for_each_neighbor(v, |u| {
            if !removed[u as usize] {
                let degree = &mut degrees[u as usize];
                queue.remove(&(*degree, u));
                *degree -= 1;
                queue.insert((*degree, u));
                arcs -= 1;
            }
        });
    }
}

/// Checks that the set has the density that the result says, and that this is no
/// less than the bound allows beside [`reference()`]. Sequential.
///
/// # Errors
/// The first member and what is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &DensestSubgraph,
) -> Result<(), Mismatch> {
    let members = (0..).zip(&result.members).filter(|(_, member)| **member);
    let members: Vec<VertexId> = members.map(|(v, _)| v).collect();
    let mut reader = graph.reader();
    let mut arcs = 0_usize;
    for &v in &members {
        reader.for_each_neighbor(v, |u| arcs += usize::from(result.members[u as usize]));
    }
    let density = arcs as f64 / 2.0 / members.len().max(1) as f64;
    let claim = |what, found: f64, expected: f64, holds: bool| match holds {
        true => Ok(()),
        false => Err(Mismatch {
            vertex: members.first().copied().unwrap_or(0),
            what,
            found,
            expected,
        }),
    };
    let (size, expected) = (result.size as f64, members.len() as f64);
    claim("size of the set", size, expected, size == expected)?;
    let near = (density - result.density).abs() <= 1e-9 * density;
    claim("density of the set", result.density, density, near)?;
    let least = reference(graph) / (2.0 * (1.0 + parameters.epsilon));
    let enough = result.density >= least * (1.0 - 1e-9);
    claim("density of the set", result.density, least, enough)
}
