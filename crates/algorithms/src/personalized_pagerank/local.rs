//! Pushes of residues around the seeds.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId};

use super::{Seed, reference, shares_of};
use crate::pagerank::check_damping;
use crate::parallel::HUB_DEGREE;
use crate::{Control, Mismatch, RunError};

/// Pushes between two reports.
const PUSHES_UNTIL_REPORT: u64 = 1 << 16;

/// The parameters of [`approximate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalParameters {
    /// Probability of following an edge, 0 up to but without 1.
    pub damping: f64,
    /// The residue that may stay at a vertex, for each of its out-edges.
    pub tolerance: f64,
}

impl Default for LocalParameters {
    /// Damping 0.85, tolerance 10^−6.
    fn default() -> Self {
        Self {
            damping: 0.85,
            tolerance: 1e-6,
        }
    }
}

/// Ranks of the surroundings of some seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Approximation {
    /// For each vertex its estimate, never above the true probability but for
    /// rounding.
    pub ranks: Vec<f64>,
    /// For each vertex the probability that was not pushed on.
    pub residues: Vec<f64>,
    /// Pushes done.
    pub pushes: u64,
    /// Vertices whose estimate is not 0.
    pub touched: usize,
    /// The sum of the residues: what the estimates lack in all.
    pub missing: f64,
}

/// Ranks near the seeds, by pushes in the order in which vertices become due.
///
/// # Errors
/// As [`super::run`]; and if the tolerance is not above 0.
pub fn approximate<G: Graph>(
    graph: &G,
    seeds: &[Seed],
    parameters: &LocalParameters,
    control: &Control,
) -> Result<Approximation, RunError> {
    check_damping(parameters.damping)?;
    if !(parameters.tolerance > 0.0 && parameters.tolerance.is_finite()) {
        return Err(RunError::InvalidParameter {
            name: "tolerance",
            value: parameters.tolerance,
            expected: "above 0",
        });
    }
    let seeds = shares_of(graph, seeds)?;
    let n = graph.vertex_count();
    let mut local = Local {
        graph,
        tolerance: parameters.tolerance,
        residues: control.array(0.0, n)?,
        waits: control.array(false, n)?,
        queue: VecDeque::new(),
    };
    let mut ranks = control.array(0.0, n)?;
    local.give_seeds(&seeds, 1.0);
    let (mut pushes, mut touched) = (0, 0);
    while let Some(u) = local.take() {
        let residue = std::mem::take(&mut local.residues[u as usize]);
        let rank = &mut ranks[u as usize];
        touched += usize::from(*rank == 0.0);
        *rank += (1.0 - parameters.damping) * residue;
        local.push(u, parameters.damping * residue, &seeds, control)?;
        pushes += 1;
        if pushes % PUSHES_UNTIL_REPORT == 0 {
            control.report("pushes", pushes, None);
        }
    }
    Ok(Approximation {
        missing: local.residues.iter().sum(),
        residues: local.residues,
        ranks,
        pushes,
        touched,
    })
}

/// The residues, and which of them are due.
struct Local<'g, G> {
    graph: &'g G,
    tolerance: f64,
    residues: Vec<f64>,
    /// Whether a vertex is in the queue.
    waits: Vec<bool>,
    queue: VecDeque<VertexId>,
}

impl<G: Graph> Local<'_, G> {
    fn take(&mut self) -> Option<VertexId> {
        let u = self.queue.pop_front()?;
        self.waits[u as usize] = false;
        Some(u)
    }

    /// Spreads `mass` over the neighbors of `u`, or over the seeds if it has none.
    fn push(
        &mut self,
        u: VertexId,
        mass: f64,
        seeds: &[Seed],
        control: &Control,
    ) -> Result<(), RunError> {
        control.check()?;
        let degree = self.graph.reader().degree(u);
        if degree == 0 {
            self.give_seeds(seeds, mass);
        }
        let share = mass / degree as f64;
        for start in (0..degree).step_by(HUB_DEGREE) {
            control.check()?;
            let graph = self.graph;
            let mut degrees = graph.reader();
            let piece = start..start + HUB_DEGREE;
            let _ = graph.reader().for_each_segment_in(u, piece, |segment| {
                for &v in segment {
                    self.give(v, share, &mut degrees);
                }
                ControlFlow::Continue(())
            });
        }
        Ok(())
    }

    fn give_seeds(&mut self, seeds: &[Seed], mass: f64) {
        let mut degrees = self.graph.reader();
        for &(v, share) in seeds {
            self.give(v, mass * share, &mut degrees);
        }
    }

    /// Adds to the residue of `v`, which becomes due if that is too much.
    #[inline]
    fn give(&mut self, v: VertexId, mass: f64, degrees: &mut G::Reader<'_>) {
        let residue = &mut self.residues[v as usize];
        *residue += mass;
        let waits = &mut self.waits[v as usize];
        // Most additions are too small for any degree, and need not ask for it.
        if *residue > self.tolerance
            && !*waits
            && *residue > self.tolerance * degrees.degree(v).max(1) as f64
        {
            *waits = true;
            self.queue.push_back(v);
        }
    }
}

/// Checks that no residue is due, and that each rank is [`reference()`]'s but for
/// what is missing. Sequential, O(m) an iteration.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify_approximation<G: Graph>(
    graph: &G,
    seeds: &[Seed],
    parameters: &LocalParameters,
    result: &Approximation,
) -> Result<(), Mismatch> {
    let mut reader = graph.reader();
    for (vertex, &residue) in (0..).zip(&result.residues) {
        let allowed = parameters.tolerance * reader.degree(vertex).max(1) as f64;
        if !(0.0..=allowed).contains(&residue) {
            return Err(Mismatch {
                vertex,
                what: "residue",
                found: residue,
                expected: allowed,
            });
        }
    }
    // The iterations leave damping^count of the mass unsettled.
    let settled = (1e-12_f64.ln() / parameters.damping.max(0.01).ln()).ceil();
    let expected = reference(graph, seeds, parameters.damping, settled as u32);
    let missing = result.missing + 1e-9;
    let wrong = result
        .ranks
        .iter()
        .zip(&expected)
        .position(|(found, expected)| !(found - 1e-9..=found + missing).contains(expected));
    match wrong {
        None => Ok(()),
        Some(vertex) => Err(Mismatch {
            vertex: vertex as VertexId,
            what: "rank",
            found: result.ranks[vertex],
            expected: expected[vertex],
        }),
    }
}
