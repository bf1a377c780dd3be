//! Katz centrality: a vertex counts the walks that end at it, each worth `alpha` to
//! the power of its length; and `beta` for itself.
//!
//! Idea: x = alpha · (sum of x over the in-neighbors) + beta, iterated from 0 until
//! the values change by less than `tolerance` a vertex on average. That converges
//! if `alpha` is below the inverse of the largest eigenvalue of the adjacency
//! matrix; otherwise the values grow, and the run ends at its last iteration, or
//! when they pass the range of numbers, and reports that it did not converge. A
//! graph without in-lists pushes.
//!
//! Work O(m) an iteration; DRAM 2n words of 8 bytes (push: 3n). The same for any
//! number of threads and any order of segments. Parallel edges count as often as
//! they are stored; a self-loop is a walk of one edge.
//! Sources: Katz, "A New Status Index Derived from Sociometric Analysis", 1953;
//! stopping rule, defaults and norm as NetworkX documents them.

use evergraph_graph::{Graph, NeighborReader};
use rayon::prelude::*;

use crate::eigenvector::{check_tolerance, fixed_point, offer_scores};
use crate::neighbor_sums::InSums;
use crate::parallel::CHUNK_ITEMS;
use crate::sums::{map_and_compare, slice_sum};
use crate::{Control, Mismatch, RunError};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Attenuation of a walk by an edge, at least 0.
    pub alpha: f64,
    /// Value of every vertex without any walk, above 0.
    pub beta: f64,
    /// Whether the values are scaled to Euclidean length 1.
    pub normalized: bool,
    /// Change of a vertex's value in one iteration that counts as none, on average.
    pub tolerance: f64,
    /// Iterations at most.
    pub at_most: u32,
}

impl Default for Parameters {
    /// alpha 0.1, beta 1, normalized, 10^−6, 1000 iterations.
    fn default() -> Self {
        Self {
            alpha: 0.1,
            beta: 1.0,
            normalized: true,
            tolerance: 1e-6,
            at_most: 1000,
        }
    }
}

/// The centralities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Katz {
    /// For each vertex its centrality, a finite number.
    pub scores: Vec<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// Sum of absolute changes in the last iteration, before the values are scaled.
    pub change: f64,
    /// Whether the change fell below the tolerance. If not, `alpha` may be too
    /// large for the graph.
    pub converged: bool,
}

/// Values above this are not iterated any further: the next sums might not be
/// finite.
const LARGEST: f64 = 1e200;

/// The Katz centrality of each vertex of `graph`.
///
/// # Errors
/// If a parameter is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Katz, RunError> {
    check(parameters)?;
    let n = graph.vertex_count();
    let mut in_sums = InSums::new(graph);
    let mut scores = control.array(0.0, n)?;
    let mut next = control.array(0.0, n)?;
    let mut result = Katz {
        scores: Vec::new(),
        iterations: 0,
        change: 0.0,
        converged: n == 0,
    };
    if let Some(mut saved) = control.saved() {
        result.iterations = saved.step as u32;
        result.change = saved.take("change", 1)?[0];
        scores = saved.take("scores", n)?;
    }
    while result.iterations < parameters.at_most && !result.converged && result.change < LARGEST {
        in_sums.compute(&scores, &mut next, control)?;
        result.change = map_and_compare(
            &mut next,
            |sum| parameters.alpha * sum + parameters.beta,
            &scores,
        );
        std::mem::swap(&mut scores, &mut next);
        result.iterations += 1;
        result.converged = result.change < n as f64 * parameters.tolerance;
        control.report_iteration(result.iterations, parameters.at_most, result.change);
        if !result.converged && result.iterations < parameters.at_most {
            offer_scores(&result.change, &scores, result.iterations, control)?;
        }
    }
    if parameters.normalized {
        normalize(&mut scores);
    }
    result.scores = scores;
    Ok(result)
}

fn check(parameters: &Parameters) -> Result<(), RunError> {
    check_tolerance(parameters.tolerance)?;
    let refuse = |name, value, expected| {
        Err(RunError::InvalidParameter {
            name,
            value,
            expected,
        })
    };
    if !(0.0..=1e6).contains(&parameters.alpha) {
        return refuse("alpha", parameters.alpha, "at least 0 and at most 10^6");
    }
    if !(parameters.beta > 0.0 && parameters.beta <= 1e6) {
        return refuse("beta", parameters.beta, "above 0 and at most 10^6");
    }
    Ok(())
}

fn normalize(scores: &mut [f64]) {
    // Their squares may be out of range while they are not.
    let largest = scores.par_iter().copied().reduce(|| 0.0, f64::max);
    let length = slice_sum(scores, |x| (x / largest) * (x / largest)).sqrt();
    scores
        .par_iter_mut()
        .with_min_len(CHUNK_ITEMS)
        .for_each(|x| *x = *x / largest / length);
}

/// Values after `iterations`, not normalized, by sequential pushes; the reference
/// implementation of [`run`].
pub fn reference<G: Graph>(graph: &G, alpha: f64, beta: f64, iterations: u32) -> Vec<f64> {
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let mut scores = vec![0.0; n];
    for _ in 0..iterations {
        let mut next = vec![beta; n];
        for (u, score) in (0..).zip(&scores) {
            reader.for_each_neighbor(u, |v| next[v as usize] += alpha * score);
        }
        scores = next;
    }
    scores
}

/// Checks every score against [`reference()`] after as many iterations, to 9
/// digits in total. Sequential, O(m) an iteration.
///
/// # Errors
/// The vertex that is most wrong.
pub fn verify<G: Graph>(graph: &G, parameters: &Parameters, result: &Katz) -> Result<(), Mismatch> {
    let mut expected = reference(graph, parameters.alpha, parameters.beta, result.iterations);
    if parameters.normalized && result.iterations > 0 {
        let largest = expected.iter().copied().fold(0.0, f64::max);
        let squares = expected.iter().map(|x| (x / largest).powi(2));
        let length = squares.sum::<f64>().sqrt() * largest;
        expected.iter_mut().for_each(|x| *x /= length);
    }
    let total: f64 = expected.iter().sum();
    fixed_point("score", &result.scores, &expected, 1e-9 * total)
}
