//! Hubs and authorities (HITS): a good hub leads to good authorities, a good
//! authority is led to by good hubs.
//!
//! Idea: power iteration in two halves: every vertex's authority is the sum of its
//! in-neighbors' hub values, then its hub value the sum of its out-neighbors'
//! authorities; after both the largest of each is scaled to 1. Starts from equal hub
//! values; ends when the hub values change by less than `tolerance` in total. In the
//! end both are scaled to add up to 1. A graph without in-lists pushes in the first
//! half. Without edges all values are 0.
//!
//! Work O(m) an iteration; DRAM 3n words of 8 bytes (push: 4n). The same for any
//! number of threads and any order of segments. Parallel edges count as often as
//! they are stored, self-loops too. On an undirected graph both values are the same,
//! unless the graph is bipartite: then they depend on the start.
//! Sources: Kleinberg, "Authoritative Sources in a Hyperlinked Environment", JACM
//! 1999; stopping rule and norms as NetworkX documents them for its power iteration.

use evergraph_graph::{Graph, NeighborReader};
use rayon::prelude::*;

use crate::eigenvector::{check_tolerance, fixed_point, offer_scores};
use crate::neighbor_sums::{self, InSums};
use crate::parallel::{CHUNK_ITEMS, Lists};
use crate::sums::{map_and_compare, slice_sum};
use crate::{Control, Mismatch, RunError};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Sum of the absolute changes of hub values, the largest of which is 1, that
    /// counts as none.
    pub tolerance: f64,
    /// Iterations at most.
    pub at_most: u32,
}

impl Default for Parameters {
    /// 10^−8, 100 iterations.
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            at_most: 100,
        }
    }
}

/// The hubs and authorities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// For each vertex how good a hub it is; they add up to 1.
    pub hubs: Vec<f64>,
    /// For each vertex how good an authority it is; they add up to 1.
    pub authorities: Vec<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// Sum of absolute changes of hub values in the last iteration, the largest
    /// being 1.
    pub change: f64,
    /// Whether the change fell below the tolerance.
    pub converged: bool,
}

/// The hubs and authorities of `graph`.
///
/// # Errors
/// If the tolerance is not a number or negative, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Hits, RunError> {
    check_tolerance(parameters.tolerance)?;
    let n = graph.vertex_count();
    let mut in_sums = InSums::new(graph);
    let mut hubs = control.array(1.0 / n as f64, n)?;
    let mut next = control.array(0.0, n)?;
    let mut authorities = control.array(0.0, n)?;
    let (mut iterations, mut change, mut converged) = (0, 0.0, n == 0);
    if let Some(mut saved) = control.saved() {
        iterations = saved.step as u32;
        hubs = saved.take("scores", n)?;
    }
    while iterations < parameters.at_most && !converged {
        in_sums.compute(&hubs, &mut authorities, control)?;
        let to_one = inverse(largest(&authorities));
        scale(&mut authorities, to_one);
        neighbor_sums::pull(Lists::outgoing(graph), &authorities, &mut next, control)?;
        let to_one = inverse(largest(&next));
        change = map_and_compare(&mut next, |x| x * to_one, &hubs);
        std::mem::swap(&mut hubs, &mut next);
        iterations += 1;
        converged = change < parameters.tolerance;
        control.report_iteration(iterations, parameters.at_most, change);
        if !converged && iterations < parameters.at_most {
            offer_scores(&change, &hubs, iterations, control)?;
        }
    }
    for values in [&mut hubs, &mut authorities] {
        let to_sum = inverse(slice_sum(values, |&x| x));
        scale(values, to_sum);
    }
    Ok(Hits {
        hubs,
        authorities,
        iterations,
        change,
        converged,
    })
}

fn largest(values: &[f64]) -> f64 {
    values.par_iter().copied().reduce(|| 0.0, f64::max)
}

/// 1 / `value`; 0 if that is 0.
fn inverse(value: f64) -> f64 {
    if value > 0.0 { 1.0 / value } else { 0.0 }
}

fn scale(values: &mut [f64], scale: f64) {
    values
        .par_iter_mut()
        .with_min_len(CHUNK_ITEMS)
        .for_each(|x| *x *= scale);
}

/// Hubs and authorities after `iterations`, by sequential pushes along out-lists; the
/// reference implementation of [`run`].
pub fn reference<G: Graph>(graph: &G, iterations: u32) -> (Vec<f64>, Vec<f64>) {
    fn to_one(values: &mut [f64]) {
        let sum: f64 = values.iter().sum();
        if sum > 0.0 {
            values.iter_mut().for_each(|x| *x /= sum);
        }
    }
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let mut hubs = vec![1.0 / n as f64; n];
    let mut authorities = vec![0.0; n];
    for _ in 0..iterations {
        authorities.fill(0.0);
        for (u, hub) in (0..).zip(&hubs) {
            reader.for_each_neighbor(u, |v| authorities[v as usize] += hub);
        }
        to_one(&mut authorities);
        for (u, hub) in (0..).zip(&mut hubs) {
            *hub = 0.0;
            reader.for_each_neighbor(u, |v| *hub += authorities[v as usize]);
        }
        to_one(&mut hubs);
    }
    (hubs, authorities)
}

/// Checks all values against [`reference()`] after as many iterations, to 9 digits
/// in total. Sequential, O(m) an iteration.
///
/// # Errors
/// The vertex that is most wrong.
pub fn verify<G: Graph>(graph: &G, result: &Hits) -> Result<(), Mismatch> {
    let (hubs, authorities) = reference(graph, result.iterations);
    fixed_point("hub value", &result.hubs, &hubs, 1e-9)?;
    fixed_point("authority", &result.authorities, &authorities, 1e-9)
}
