//! Triangles: three vertices joined pairwise, in all and at each vertex.
//!
//! Idea: an edge belongs to its end of lower degree, so that no list is long; a
//! triangle is found where two such lists of neighbors meet. Hubs have their
//! lists as bits (`triangles`).
//!
//! Work O(m^1.5), depth O(√m) for each of m / 8n passes. DRAM 5n words, 7n with
//! counts for each vertex, and n / 64 for each thread.
//! Deterministic. Self-loops do not matter, parallel edges count once. Lists may
//! be in any order, so the live graph is as good as a sealed one.
//! Source: Shun and Tangwongsan, "Multicore Triangle Computations Without Tuning",
//! ICDE 2015.

use std::collections::BTreeSet;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};

use crate::error::compare_near;
use crate::triangles::{Counts, count};
use crate::{Control, Mismatch, RunError};

/// Level of detail of the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The triangles of the graph.
    Total,
    /// Also those of each vertex, which takes about half as long again.
    #[default]
    Vertices,
}

/// The triangles of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriangleCount {
    /// Triangles of the graph.
    pub triangles: u64,
    /// For each vertex those it is in; empty with [`Detail::Total`].
    pub at_vertices: Vec<u64>,
}

/// Counts the triangles of an undirected graph.
///
/// # Errors
/// If the graph is not undirected, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    detail: Detail,
    control: &Control,
) -> Result<TriangleCount, RunError> {
    if graph.stored_lists() != StoredLists::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    let Counts {
        triangles, credits, ..
    } = match detail {
        Detail::Total => count::<G, false, false>(graph, control)?,
        Detail::Vertices => count::<G, true, false>(graph, control)?,
    };
    Ok(TriangleCount {
        triangles,
        at_vertices: credits,
    })
}

/// Triangles of each vertex by sets of neighbors; the reference implementation of
/// [`run`].
pub fn reference<G: Graph>(graph: &G) -> Vec<u64> {
    let mut reader = graph.reader();
    let sets: Vec<BTreeSet<VertexId>> = (0..graph.vertex_count() as VertexId)
        .map(|u| {
            let mut set = BTreeSet::new();
            reader.for_each_neighbor(u, |v| {
                set.insert(v);
            });
            set.remove(&u);
            set
        })
        .collect();
    sets.iter()
        .map(|neighbors| {
            let pairs: usize = neighbors
                .iter()
                .map(|&v| neighbors.intersection(&sets[v as usize]).count())
                .sum();
            pairs as u64 / 2
        })
        .collect()
}

/// Checks all counts against [`reference()`]. Sequential, O(Σ degree²).
///
/// # Errors
/// The first vertex that is wrong; vertex 0 for the total.
pub fn verify<G: Graph>(graph: &G, result: &TriangleCount) -> Result<(), Mismatch> {
    let expected = reference(graph);
    let real = |counts: &[u64]| -> Vec<f64> { counts.iter().map(|&count| count as f64).collect() };
    if !result.at_vertices.is_empty() {
        let found = real(&result.at_vertices);
        compare_near("triangles", &found, &real(&expected), 0.0, 0.0)?;
    }
    let total = expected.iter().sum::<u64>() / 3;
    compare_near(
        "all triangles",
        &real(&[result.triangles]),
        &real(&[total]),
        0.0,
        0.0,
    )
}
