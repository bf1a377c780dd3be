//! Personalized PageRank: where a reader is who starts at one of a few vertices,
//! follows a random edge with probability `damping`, and otherwise returns to one
//! of them.
//!
//! Two ways. [`run`] iterates as [`pagerank`] does, except
//! that readers jump, and readers at vertices without out-edges go, to the seeds in
//! proportion to their weights. Work O(m) an iteration; DRAM 5n values of the chosen
//! precision (push: and n words of 8 bytes), the teleport vector being double.
//! Deterministic as PageRank is.
//!
//! [`approximate`] keeps for each vertex an estimate and a residue, and pushes the
//! residue of a vertex to its neighbors while it is more than `tolerance` for each
//! of its edges. It touches only the surroundings of the seeds: work
//! O(1 / ((1 − damping) · tolerance)) whatever the size of the graph, sequential;
//! DRAM 17n bytes and the queue, of which what was not touched is never taken. On an
//! undirected graph each estimate is below the true value by at most
//! `tolerance` · degree; on any graph what is missing in all is the sum of residues,
//! which the result tells. The same for any number of threads.
//!
//! Parallel edges count as often as they are stored, a self-loop too.
//! Sources: Haveliwala, "Topic-Sensitive PageRank", WWW 2002; Andersen, Chung and
//! Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006 (the pushes,
//! here without laziness).

mod local;

use evergraph_graph::{Graph, NeighborReader, VertexId};

use crate::error::{check_source, compare_near};
use crate::pagerank::{self, PageRank, Parameters, Precision, Teleport};
use crate::{Control, Mismatch, RunError};

pub use local::{Approximation, LocalParameters, approximate, verify_approximation};

/// A vertex that readers start at, and its weight among the seeds: above 0.
pub type Seed = (VertexId, f64);

/// The ranks of the vertices of `graph`, starting from the seeds (a vertex may be
/// given several times; its weights add up).
///
/// # Errors
/// If there are no seeds or one is out of range, a weight is not above 0 and finite,
/// a parameter is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    seeds: &[Seed],
    parameters: &Parameters,
    control: &Control,
) -> Result<PageRank, RunError> {
    let mut shares = control.array(0.0, graph.vertex_count())?;
    for (v, share) in shares_of(graph, seeds)? {
        shares[v as usize] += share;
    }
    pagerank::run_from(graph, &Seeds(shares), parameters, control)
}

/// The probability of each vertex to be jumped to.
struct Seeds(Vec<f64>);

impl Teleport for Seeds {
    fn shares(&self, mass: f64) -> impl Fn(VertexId) -> f64 + Sync {
        move |v| mass * self.0[v as usize]
    }
}

/// The seeds with weights that add up to 1.
fn shares_of(graph: &impl Graph, seeds: &[Seed]) -> Result<Vec<Seed>, RunError> {
    let mut total = 0.0;
    for &(v, weight) in seeds {
        check_source(graph, v)?;
        total += weight;
        if !(weight > 0.0 && total.is_finite()) {
            return Err(RunError::InvalidParameter {
                name: "weights",
                value: weight,
                expected: "above 0, and finite in all",
            });
        }
    }
    if seeds.is_empty() {
        return Err(RunError::InvalidParameter {
            name: "sources",
            value: 0.0,
            expected: "at least one vertex",
        });
    }
    Ok(seeds
        .iter()
        .map(|&(v, weight)| (v, weight / total))
        .collect())
}

/// Ranks after `iterations`, by sequential pushes in double precision; the reference
/// implementation of [`run`].
///
/// # Panics
/// If a seed is out of range.
pub fn reference<G: Graph>(graph: &G, seeds: &[Seed], damping: f64, iterations: u32) -> Vec<f64> {
    let n = graph.vertex_count();
    let total: f64 = seeds.iter().map(|seed| seed.1).sum();
    let mut start = vec![0.0; n];
    for &(v, weight) in seeds {
        start[v as usize] += weight / total;
    }
    let mut reader = graph.reader();
    let mut ranks = start.clone();
    for _ in 0..iterations {
        let mut next = vec![0.0; n];
        let mut jumping = 0.0;
        for (u, rank) in (0..).zip(&ranks) {
            let degree = reader.degree(u);
            jumping += if degree == 0 {
                *rank
            } else {
                (1.0 - damping) * rank
            };
            reader.for_each_neighbor(u, |v| next[v as usize] += damping * rank / degree as f64);
        }
        for (next, start) in next.iter_mut().zip(&start) {
            *next += jumping * start;
        }
        ranks = next;
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
    seeds: &[Seed],
    parameters: &Parameters,
    result: &PageRank,
) -> Result<(), Mismatch> {
    let expected = reference(graph, seeds, parameters.damping, result.iterations);
    let relative = match parameters.precision {
        Precision::Single => 1e-4,
        Precision::Double => 1e-9,
    };
    compare_near("rank", &result.ranks, &expected, relative, 1e-15)
}
