//! Eigenvector centrality: a vertex is as central as its in-neighbors are together.
//!
//! Idea: power iteration on the adjacency matrix plus the identity, which has the
//! same eigenvectors and converges on bipartite graphs too: each iteration every
//! vertex adds the values of its in-neighbors to its own, and the vector is scaled
//! to Euclidean length 1. Starts from equal values; ends when the values change by
//! less than `tolerance` a vertex on average. A graph without in-lists pushes.
//!
//! On a graph that is not strongly connected the vector may tend to 0 outside one
//! component, and slowly: that it did not converge is reported. Without edges all
//! are equal.
//!
//! Work O(m) an iteration; DRAM 2n words of 8 bytes (push: 3n). The same for any
//! number of threads and any order of segments. Parallel edges count as often as
//! they are stored; a self-loop adds a vertex's value to itself.
//! Sources: Bonacich, "Power and Centrality", 1987; stopping rule, start and norm as
//! NetworkX documents them.

use evergraph_graph::{Column, Graph, NeighborReader};
use rayon::prelude::*;

use crate::neighbor_sums::InSums;
use crate::parallel::CHUNK_ITEMS;
use crate::sums::{map_and_compare, slice_sum};
use crate::{Cancelled, Control, Mismatch, RunError};

/// When to stop a power iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Change of a vertex's value in one iteration that counts as none, on average.
    pub tolerance: f64,
    /// Iterations at most.
    pub at_most: u32,
}

impl Default for Parameters {
    /// 10^−6, 100 iterations.
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            at_most: 100,
        }
    }
}

/// The centralities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenvector {
    /// For each vertex its centrality; their squares add up to 1.
    pub scores: Vec<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// Sum of absolute changes in the last iteration.
    pub change: f64,
    /// Whether the change fell below the tolerance.
    pub converged: bool,
}

/// The eigenvector centrality of each vertex of `graph`.
///
/// # Errors
/// If the tolerance is not a number or negative, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Eigenvector, RunError> {
    check_tolerance(parameters.tolerance)?;
    let n = graph.vertex_count();
    let mut in_sums = InSums::new(graph);
    let mut scores = control.array(1.0 / (n as f64).sqrt(), n)?;
    let mut next = control.array(0.0, n)?;
    let mut result = Eigenvector {
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
    while result.iterations < parameters.at_most && !result.converged {
        result.change = iterate(&mut in_sums, &mut scores, &mut next, control)?.change;
        result.iterations += 1;
        result.converged = result.change < n as f64 * parameters.tolerance;
        control.report_iteration(result.iterations, parameters.at_most, result.change);
        if !result.converged && result.iterations < parameters.at_most {
            offer_scores(&result.change, &scores, result.iterations, control)?;
        }
    }
    result.scores = scores;
    Ok(result)
}

/// Outcome of one iteration.
pub(crate) struct Step {
    /// The length of the vector before it was scaled to 1 again.
    pub length: f64,
    /// Sum of absolute changes.
    pub change: f64,
}

/// One iteration of `scores`; `next` is room for as many.
pub(crate) fn iterate<G: Graph>(
    in_sums: &mut InSums<'_, G>,
    scores: &mut Vec<f64>,
    next: &mut Vec<f64>,
    control: &Control,
) -> Result<Step, Cancelled> {
    in_sums.compute(scores, next, control)?;
    next.par_chunks_mut(CHUNK_ITEMS)
        .zip(scores.par_chunks(CHUNK_ITEMS))
        .for_each(|(next, scores)| {
            let pairs = next.iter_mut().zip(scores);
            pairs.for_each(|(next, score)| *next += score);
        });
    let length = slice_sum(next, |x| x * x).sqrt();
    let to_one = 1.0 / length;
    let change = map_and_compare(next, |x| x * to_one, scores);
    std::mem::swap(scores, next);
    Ok(Step { length, change })
}

/// Offers scores that are all that an iteration leaves to the next.
pub(crate) fn offer_scores(
    change: &f64,
    scores: &[f64],
    iteration: u32,
    control: &Control,
) -> Result<(), RunError> {
    control.offer(iteration.into(), || {
        [
            ("change", Column::F64(std::slice::from_ref(change))),
            ("scores", Column::F64(scores)),
        ]
    })
}

/// Checks that a tolerance is a number and not negative.
pub(crate) fn check_tolerance(tolerance: f64) -> Result<(), RunError> {
    if tolerance >= 0.0 {
        return Ok(());
    }
    Err(RunError::InvalidParameter {
        name: "tolerance",
        value: tolerance,
        expected: "at least 0",
    })
}

/// Checks that the scores have length 1 and that, if the run converged, one more
/// sequential iteration over out-lists changes them by no more than twice the
/// tolerance allows. O(n + m).
///
/// # Errors
/// The vertex that changes most.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &Eigenvector,
) -> Result<(), Mismatch> {
    let scores = &result.scores;
    let mut next = scores.clone();
    let mut reader = graph.reader();
    for (u, score) in (0..).zip(scores) {
        reader.for_each_neighbor(u, |v| next[v as usize] += score);
    }
    let length = next.iter().map(|x| x * x).sum::<f64>().sqrt();
    next.iter_mut().for_each(|x| *x /= length);
    let own_length = scores.iter().map(|x| x * x).sum::<f64>().sqrt();
    let allowed = if result.converged {
        2.0 * parameters.tolerance * scores.len() as f64 + 1e-9
    } else {
        f64::INFINITY
    };
    fixed_point("score", scores, &next, allowed)?;
    if !scores.is_empty() && (own_length - 1.0).abs() > 1e-9 {
        return Err(Mismatch {
            vertex: 0,
            what: "length of the vector, whose first value",
            found: own_length,
            expected: 1.0,
        });
    }
    Ok(())
}

/// Checks that two vectors differ by no more than `allowed` in total.
pub(crate) fn fixed_point(
    what: &'static str,
    found: &[f64],
    expected: &[f64],
    allowed: f64,
) -> Result<(), Mismatch> {
    let differences = || found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let total: f64 = differences().sum();
    if total <= allowed {
        return Ok(());
    }
    let worst = differences()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(vertex, _)| vertex);
    Err(Mismatch {
        vertex: worst as u32,
        what,
        found: found[worst],
        expected: expected[worst],
    })
}
