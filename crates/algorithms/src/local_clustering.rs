//! Local clustering coefficients: how many of the pairs of a vertex' neighbors
//! are neighbors themselves.
//!
//! Idea: a triangle counts for each of its vertices, with the arcs between the
//! other two; see [`crate::triangle_count`] for how triangles are found.
//!
//! Work O(m^1.5), depth O(√m) for each of m / 8n passes. DRAM 7n words and n / 64
//! for each thread; of a directed graph 8n and n / 32.
//! Deterministic. Self-loops do not matter, parallel edges count once.
//! Sources: Watts and Strogatz, "Collective Dynamics of 'Small-World' Networks",
//! 1998; for directed graphs as LDBC Graphalytics defines it.

use std::collections::BTreeSet;

use evergraph_graph::{Graph, NeighborReader, StoredLists, Symmetric, VertexId};
use rayon::prelude::*;

use crate::error::compare_near;
use crate::parallel::CHUNK_ITEMS;
use crate::triangles::{Counts, count};
use crate::{Control, Mismatch, RunError, triangle_count};

/// How clustered a graph is.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalClustering {
    /// For each vertex v with d neighbors in either direction, the arcs from one
    /// of them to another, divided by d · (d − 1); 0 if d is below 2. An
    /// undirected edge is an arc in each direction.
    pub coefficients: Vec<f64>,
    /// The mean of all coefficients; 0 without vertices.
    pub average: f64,
    /// Of paths with two edges the share whose ends are joined, directions not
    /// looked at: three times the triangles by the paths; 0 without such paths.
    pub transitivity: f64,
    /// Triangles, directions not looked at.
    pub triangles: u64,
}

/// The clustering coefficients of `graph`.
///
/// # Errors
/// If the graph keeps only out-lists, or `control` ends the run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<LocalClustering, RunError> {
    let (arcs_of_edge, counts) = match graph.stored_lists() {
        StoredLists::Undirected => (2, count::<G, true, false>(graph, control)?),
        StoredLists::Both => (1, count::<G, true, true>(graph, control)?),
        StoredLists::Out => return Err(RunError::NeedsInLists),
    };
    let Counts {
        triangles,
        credits,
        degrees,
    } = counts;
    let paths: u128 = degrees.par_iter().map(|&d| u128::from(arcs_among(d))).sum();
    let coefficients: Vec<f64> = credits
        .into_par_iter()
        .zip(degrees)
        .with_min_len(CHUNK_ITEMS)
        .map(|(credit, d)| share((arcs_of_edge * credit) as f64, arcs_among(d) as f64))
        .collect();
    // Chunks of a fixed length, so that the sum does not depend on threads.
    let sums: Vec<f64> = (coefficients.par_chunks(CHUNK_ITEMS))
        .map(|chunk| chunk.iter().sum())
        .collect();
    Ok(LocalClustering {
        average: share(sums.iter().sum(), coefficients.len() as f64),
        transitivity: share(6.0 * triangles as f64, paths as f64),
        coefficients,
        triangles,
    })
}

/// Ordered pairs of `d` neighbors.
fn arcs_among(d: u32) -> u64 {
    u64::from(d) * u64::from(d.saturating_sub(1))
}

/// A part of a whole; of nothing, 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// Coefficients by their definition, with sets of neighbors; the reference implementation
/// of [`run`].
///
/// # Panics
/// If the graph keeps only out-lists.
pub fn reference<G: Graph>(graph: &G) -> Vec<f64> {
    let n = graph.vertex_count();
    let out = sets(graph.reader(), n);
    let incoming = sets(graph.reverse_reader().expect("in-lists are there"), n);
    let coefficient = |(out_of_v, into_v)| {
        let neighbors: BTreeSet<VertexId> = out_of_v | into_v;
        let arcs = |&u: &VertexId| out[u as usize].intersection(&neighbors).count();
        let arcs: usize = neighbors.iter().map(arcs).sum();
        share(arcs as f64, arcs_among(neighbors.len() as u32) as f64)
    };
    out.iter().zip(&incoming).map(coefficient).collect()
}

/// The neighbors of each vertex but itself.
fn sets(mut reader: impl NeighborReader, n: usize) -> Vec<BTreeSet<VertexId>> {
    let set = |u| {
        let mut set = BTreeSet::new();
        reader.for_each_neighbor(u, |v| {
            set.insert(v);
        });
        set.remove(&u);
        set
    };
    (0..n as VertexId).map(set).collect()
}

/// Checks every coefficient against [`reference()`], and the summary against what
/// follows from sets of neighbors. Sequential, O(Σ degree²).
///
/// # Errors
/// The first vertex that is wrong; vertex 0 for the summary.
///
/// # Panics
/// If the graph keeps only out-lists.
pub fn verify<G: Graph>(graph: &G, result: &LocalClustering) -> Result<(), Mismatch> {
    let expected = reference(graph);
    compare_near("coefficient", &result.coefficients, &expected, 1e-12, 0.0)?;

    let undirected = Symmetric::of(graph).expect("in-lists are there");
    let sets = sets(undirected.reader(), graph.vertex_count());
    let paths: f64 = sets
        .iter()
        .map(|set| arcs_among(set.len() as u32) as f64)
        .sum();
    let at_vertices = triangle_count::reference(&undirected);
    let triangles = at_vertices.iter().sum::<u64>() as f64 / 3.0;
    let mean = share(expected.iter().sum(), expected.len() as f64);
    let summary = |what, found, expected: f64| compare_near(what, &[found], &[expected], 1e-9, 0.0);
    summary("average", result.average, mean)?;
    summary("triangles", result.triangles as f64, triangles)?;
    summary(
        "transitivity",
        result.transitivity,
        share(6.0 * triangles, paths),
    )
}
