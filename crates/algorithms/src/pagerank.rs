//! PageRank: where a reader is who follows a random edge with probability
//! `damping`, and otherwise jumps to a random vertex.
//!
//! Idea: each iteration every vertex sums what its in-neighbors contribute,
//! rank / out-degree (pull). The reader at a vertex without out-edges jumps to a
//! random vertex, so ranks sum to 1 (Page and Brin leave that open; the GAP
//! Benchmark Suite lets this rank vanish). A graph that keeps only out-lists adds
//! contributions at their targets (push), as integers of 2^−62, so that the sums
//! do not depend on the order of additions.
//!
//! The result is the same for any number of threads and any segments of lists; a
//! pull and a push differ in the last digits at most. After a fixed number of
//! iterations it is LDBC Graphalytics' PageRank. Parallel edges count as often as
//! they are stored.
//!
//! Work O(m) an iteration; DRAM 4n values of the chosen precision (push: and n
//! words of 8 bytes), no atomic operations in a pull.
//! Sources: Page, Brin, Motwani and Winograd, 1999; Dhulipala et al., "Sage",
//! VLDB 2020, appendix (the pull over all vertices).

mod iterate;
mod parameters;

use evergraph_graph::{Graph, NeighborReader};

pub(crate) use self::iterate::Teleport;
pub use self::parameters::{Iterations, PageRank, Parameters, Precision};
use crate::error::compare_near;
use crate::{Control, Mismatch, RunError};

/// The ranks of the vertices of `graph`, starting from 1/n each.
///
/// # Errors
/// If a parameter is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<PageRank, RunError> {
    let anywhere = iterate::Anywhere(graph.vertex_count());
    run_from(graph, &anywhere, parameters, control)
}

/// The ranks when readers start and land as `teleport` says.
pub(crate) fn run_from<G: Graph>(
    graph: &G,
    teleport: &impl Teleport,
    parameters: &Parameters,
    control: &Control,
) -> Result<PageRank, RunError> {
    check(parameters)?;
    match parameters.precision {
        Precision::Single => iterate::run::<G, f32>(graph, teleport, parameters, control),
        Precision::Double => iterate::run::<G, f64>(graph, teleport, parameters, control),
    }
}

/// Checks that `damping` is in its range.
pub(crate) fn check_damping(damping: f64) -> Result<(), RunError> {
    if (0.0..1.0).contains(&damping) {
        return Ok(());
    }
    Err(RunError::InvalidParameter {
        name: "damping",
        value: damping,
        expected: "at least 0 and below 1",
    })
}

fn check(parameters: &Parameters) -> Result<(), RunError> {
    check_damping(parameters.damping)?;
    if let Iterations::Until { tolerance, .. } = parameters.iterations
        && (tolerance.is_nan() || tolerance < 0.0)
    {
        return Err(RunError::InvalidParameter {
            name: "tolerance",
            value: tolerance,
            expected: "at least 0",
        });
    }
    Ok(())
}

/// Ranks after `iterations`, by sequential pushes in double precision; the reference
/// implementation of [`run`].
pub fn reference<G: Graph>(graph: &G, damping: f64, iterations: u32) -> Vec<f64> {
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let mut ranks = vec![1.0 / n as f64; n];
    for _ in 0..iterations {
        let mut sums = vec![0.0; n];
        let mut lost = 0.0;
        for (u, rank) in (0..).zip(&ranks) {
            let degree = reader.degree(u);
            if degree == 0 {
                lost += rank;
            }
            reader.for_each_neighbor(u, |v| sums[v as usize] += rank / degree as f64);
        }
        for (rank, sum) in ranks.iter_mut().zip(sums) {
            *rank = (1.0 - damping + damping * lost) / n as f64 + damping * sum;
        }
    }
    ranks
}

/// Checks every rank against [`reference()`] after as many iterations: to 9 digits
/// for double precision, to 4 for single. Sequential, O(m) an iteration.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &PageRank,
) -> Result<(), Mismatch> {
    let expected = reference(graph, parameters.damping, result.iterations);
    let relative = match parameters.precision {
        Precision::Single => 1e-4,
        Precision::Double => 1e-9,
    };
    // A pushed contribution is rounded to 2^−62, whatever the rank.
    compare_near("rank", &result.ranks, &expected, relative, 1e-15)
}
