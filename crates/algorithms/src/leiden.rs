//! Connected communities of high modularity by the Leiden algorithm.
//!
//! Idea: as [`louvain`](crate::louvain), but before the graph is contracted the
//! communities are refined: inside each, vertices begin alone again and join
//! well-connected neighbors, at random among those that do not lose. The refined
//! communities, each connected, become the vertices of the next graph, and the
//! communities before refinement are where those begin. The whole is iterated from
//! its result until no vertex gains by moving.
//!
//! Every community is connected. If the run was stable within its iterations, no
//! vertex gains by moving to a neighbor's community or alone.
//!
//! Work, depth, DRAM and batches as Louvain, and 9n words of 4 bytes to refine.
//! Deterministic: the same for a seed and any number of threads. Self-loops stay
//! inside their community; weights of parallel edges add up; weight 0 is no edge.
//! Sources: Traag, Waltman and van Eck, "From Louvain to Leiden: Guaranteeing
//! Well-Connected Communities", 2019.

mod refine;

use std::collections::VecDeque;

use evergraph_graph::{Graph, VertexId};

use self::refine::{refine, split_by_connection};
use crate::clustering::{
    Contraction, Level, Objective, Partition, check, compose, contract, modularity, move_vertices,
    strengths,
};
use crate::louvain::{Communities, LevelSummary};
use crate::modularity::{self as quality, best_move, for_each_arc};
use crate::{Control, Mismatch, RunError};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// γ: above 1 for more and smaller communities, below 1 for fewer and larger.
    pub resolution: f64,
    /// How far from the best a vertex strays in a refinement, above 0.
    pub randomness: f64,
    /// Iterations at most, at least 1.
    pub iterations: u32,
    /// Decides orders and choices.
    pub seed: u64,
}

impl Default for Parameters {
    /// Resolution 1, randomness 0.01, 2 iterations, seed 0.
    fn default() -> Self {
        Self {
            resolution: 1.0,
            randomness: 0.01,
            iterations: 2,
            seed: 0,
        }
    }
}

/// The communities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Leiden {
    /// The communities; their levels are those of all iterations.
    pub found: Communities,
    /// Iterations done.
    pub iterations: u32,
    /// Whether the last found no vertex that gains by moving.
    pub stable: bool,
}

/// The communities of an undirected graph.
///
/// # Errors
/// If the graph is not undirected, a weight is negative or not finite, a parameter is
/// out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Leiden, RunError> {
    check(graph, parameters.resolution)?;
    check_own(parameters)?;
    let strengths = strengths(graph, control)?;
    let mut run = Run {
        graph,
        contraction: Contraction::of(graph),
        objective: Objective::new(&strengths, parameters.resolution, control),
        strengths,
        parameters,
        levels: Vec::new(),
    };
    let mut labels: Vec<VertexId> = (0..graph.vertex_count() as VertexId).collect();
    let (mut iterations, mut stable) = (0, false);
    while iterations < parameters.iterations && !stable {
        stable = run.iterate(&mut labels, iterations == 0)?;
        iterations += 1;
    }
    Ok(Leiden {
        found: Communities::new(labels, run.levels),
        iterations,
        stable,
    })
}

fn check_own(parameters: &Parameters) -> Result<(), RunError> {
    if !(parameters.randomness > 0.0 && parameters.randomness.is_finite()) {
        return Err(RunError::InvalidParameter {
            name: "randomness",
            value: parameters.randomness,
            expected: "above 0",
        });
    }
    if parameters.iterations == 0 {
        return Err(RunError::InvalidParameter {
            name: "iterations",
            value: 0.0,
            expected: "at least 1",
        });
    }
    Ok(())
}

struct Run<'a, 'c, 'p, G> {
    graph: &'a G,
    contraction: Contraction<'a, G>,
    objective: Objective<'c, 'p>,
    strengths: Vec<f64>,
    parameters: &'a Parameters,
    levels: Vec<LevelSummary>,
}

impl<'a, G: Graph> Run<'a, '_, '_, G> {
    /// Moves, refines and contracts until every community is one vertex. Begins with
    /// the communities `labels` and leaves there what it ends with. True if it is not
    /// the first iteration and no vertex of the graph gained by moving.
    fn iterate(&mut self, labels: &mut Vec<VertexId>, first: bool) -> Result<bool, RunError> {
        let mut level = Level::Graph(self.graph);
        let mut strengths = self.strengths.clone();
        let mut path: Vec<VertexId> = (0..labels.len() as VertexId).collect();
        let mut partition =
            Partition::new(std::mem::take(labels), &strengths, self.objective.control)?;
        let mut is_graph = true;
        loop {
            self.objective.seed = self.parameters.seed.wrapping_add(self.levels.len() as u64);
            let objective = &self.objective;
            let moves = move_vertices(&level, &strengths, &mut partition, objective)?;
            let (groups, count) = partition.numbered(objective.control)?;
            self.levels.push(LevelSummary {
                communities: count,
                modularity: modularity(&level, &partition, objective)?,
                moves,
            });
            objective
                .control
                .report("levels", self.levels.len() as u64, None);
            let stable = is_graph && !first && moves == 0;
            if stable || count == groups.len() {
                compose(&mut path, &groups);
                *labels = path;
                return Ok(stable);
            }
            let refined = refine(
                &level,
                &strengths,
                &partition,
                objective,
                self.parameters.randomness * self.mean_weight(),
            )?;
            let (parts, part_count) = refined.numbered(objective.control)?;
            if part_count == parts.len() {
                // Nothing to contract; what moves tore apart is told apart.
                let connected = split_by_connection(&level, &partition, objective)?;
                compose(&mut path, &connected);
                let partition = Partition::new(connected, &strengths, objective.control)?;
                if let Some(summary) = self.levels.last_mut() {
                    summary.communities = partition.numbered(objective.control)?.1;
                    summary.modularity = modularity(&level, &partition, objective)?;
                }
                *labels = path;
                return Ok(false);
            }
            strengths = refined.totals_of(&parts, part_count, objective.control)?;
            drop(refined);
            let mut begin = objective.control.array(0, part_count)?;
            for (&part, &group) in parts.iter().zip(&groups) {
                begin[part as usize] = group;
            }
            level = contract(
                &self.contraction,
                &level,
                &parts,
                part_count,
                &mut path,
                objective,
            )?;
            partition = Partition::new(begin, &strengths, objective.control)?;
            is_graph = false;
        }
    }

    /// Of a list entry, so that randomness does not depend on the unit of weights.
    fn mean_weight(&self) -> f64 {
        self.objective.total / self.graph.arc_count().max(1) as f64
    }
}

/// Checks the labels, and that the modularity is that of [`quality::reference`]; that
/// each community is connected; that no vertex gains by moving if the run was stable.
/// Sequential, O(n + m).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &Leiden,
) -> Result<(), Mismatch> {
    let labels = &result.found.labels;
    quality::verify(
        graph,
        parameters.resolution,
        labels,
        result.found.modularity,
    )?;
    let mut reader = graph.reader();
    let mut reached = vec![false; labels.len()];
    for start in 0..labels.len() as VertexId {
        if labels[start as usize] == start {
            reached[start as usize] = true;
            let mut queue = VecDeque::from([start]);
            while let Some(v) = queue.pop_front() {
                for_each_arc(&mut reader, v, |u, weight| {
                    if weight > 0.0 && labels[u as usize] == start && !reached[u as usize] {
                        reached[u as usize] = true;
                        queue.push_back(u);
                    }
                });
            }
        }
    }
    if let Some(vertex) = reached.iter().position(|reached| !reached) {
        return Err(Mismatch {
            vertex: vertex as VertexId,
            what: "community, to which no path inside it leads,",
            found: labels[vertex].into(),
            expected: vertex as f64,
        });
    }
    match best_move(graph, parameters.resolution, labels) {
        Some((vertex, gain)) if result.stable && gain > 1e-9 => Err(Mismatch {
            vertex,
            what: "gain of moving",
            found: gain,
            expected: 0.0,
        }),
        _ => Ok(()),
    }
}
