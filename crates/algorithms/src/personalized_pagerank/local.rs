//! Pushes of residues around the seeds.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};

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
        parameters,
        seeds: Seeds::of(graph, seeds),
        ranks: control.array(0.0, n)?,
        touched: 0,
        residues: control.array(0.0, n)?,
        waits: control.array(false, n)?,
        queue: VecDeque::new(),
    };
    local.give_seeds(1.0);
    let mut pushes = 0;
    while let Some(u) = local.take() {
        let residue = std::mem::take(&mut local.residues[u as usize]);
        local.settle(u, residue);
        local.push(u, parameters.damping * residue, control)?;
        pushes += 1;
        if pushes % PUSHES_UNTIL_REPORT == 0 {
            control.report("pushes", pushes, None);
        }
    }
    Ok(Approximation {
        missing: local.residues.iter().sum(),
        residues: local.residues,
        ranks: local.ranks,
        pushes,
        touched: local.touched,
    })
}

/// The seeds, apart as they lead on or not.
struct Seeds {
    leading: Vec<Seed>,
    /// Seeds without out-edges: what they do not keep returns to the seeds.
    dead_ends: Vec<Seed>,
    /// The shares of those together.
    returning: f64,
}

impl Seeds {
    fn of(graph: &impl Graph, seeds: Vec<Seed>) -> Self {
        let mut degrees = graph.reader();
        let leads_on = |&(v, _): &Seed| degrees.degree(v) > 0;
        let (leading, dead_ends): (Vec<Seed>, Vec<Seed>) = seeds.into_iter().partition(leads_on);
        Self {
            returning: dead_ends.iter().map(|&(_, share)| share).sum(),
            leading,
            dead_ends,
        }
    }
}

/// The estimates and residues, and which of these are due.
struct Local<'g, G> {
    graph: &'g G,
    parameters: &'g LocalParameters,
    seeds: Seeds,
    ranks: Vec<f64>,
    /// Vertices whose estimate is not 0.
    touched: usize,
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
    fn push(&mut self, u: VertexId, mass: f64, control: &Control) -> Result<(), RunError> {
        control.check()?;
        let degree = self.graph.reader().degree(u);
        if degree == 0 {
            self.give_seeds(mass);
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

    /// Adds to the estimate of `v` what stays of a residue.
    fn settle(&mut self, v: VertexId, residue: f64) {
        let rank = &mut self.ranks[v as usize];
        self.touched += usize::from(*rank == 0.0);
        *rank += (1.0 - self.parameters.damping) * residue;
    }

    /// Gives `mass` to the seeds. What seeds without out-edges return comes again and again
    /// and is summed at once: left as a residue, it would be missing at vertices of degree 0.
    fn give_seeds(&mut self, mass: f64) {
        let all = mass / (1.0 - self.parameters.damping * self.seeds.returning);
        let graph = self.graph;
        let mut degrees = graph.reader();
        for at in 0..self.seeds.leading.len() {
            let (v, share) = self.seeds.leading[at];
            self.give(v, all * share, &mut degrees);
        }
        for at in 0..self.seeds.dead_ends.len() {
            let (v, share) = self.seeds.dead_ends[at];
            self.settle(v, all * share);
        }
    }

    /// Adds to the residue of `v`, which becomes due if that is too much.
    #[inline]
    fn give(&mut self, v: VertexId, mass: f64, degrees: &mut G::Reader<'_>) {
        let residue = &mut self.residues[v as usize];
        *residue += mass;
        let waits = &mut self.waits[v as usize];
        // Most additions are too small for any degree, and need not ask for it.
        let tolerance = self.parameters.tolerance;
        if *residue > tolerance && !*waits && *residue > tolerance * degrees.degree(v).max(1) as f64
        {
            *waits = true;
            self.queue.push_back(v);
        }
    }
}

/// Checks that no residue is due, and that each rank is [`reference()`]'s but for
/// what may be missing: the tolerance for each edge of an undirected graph, else all that
/// is missing. Sequential, O(m) an iteration.
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
    let is_undirected = graph.stored_lists() == StoredLists::Undirected;
    let mut missing = |v| match is_undirected {
        true => parameters.tolerance * reader.degree(v) as f64 + 1e-9,
        false => result.missing + 1e-9,
    };
    let mut pairs = (0..).zip(result.ranks.iter().zip(&expected));
    let wrong = pairs
        .position(|(v, (found, expected))| !(found - 1e-9..=found + missing(v)).contains(expected));
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
