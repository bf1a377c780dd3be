//! Weakly connected components: which vertices are joined by edges, whatever
//! their direction.
//!
//! Idea: disjoint sets, united along all edges; once two neighbors of each
//! vertex have been united with it, the vertices of the largest set can be
//! skipped (`forest.rs`).
//!
//! Work O(m) in practice (linking is lock-free union without a bound better than
//! O(m log n)); 1n words (of 8 bytes) of DRAM. Self-loops and parallel edges
//! change nothing.
//! Source: Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity
//! Computation via Subgraph Sampling" (Afforest), IPDPS 2018.

use evergraph_graph::{Graph, NeighborReader, VertexId};

use crate::error::compare_exact;
use crate::forest::{Forest, SequentialForest};
use crate::{Cancelled, Control, Mismatch, RunError};

/// The components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedComponents {
    /// For each vertex the smallest vertex of its component; the same for any
    /// number of threads and any order of edges.
    pub labels: Vec<VertexId>,
    /// Components, isolated vertices included.
    pub components: usize,
    /// Vertices of the largest component.
    pub largest: usize,
}

/// The weakly connected components of `graph`.
///
/// # Errors
/// If `control` ends the run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<ConnectedComponents, RunError> {
    let n = graph.vertex_count();
    let forest = Forest::new(n, control)?;
    let join = |u, v| {
        forest.link(u, v);
    };
    forest.unite_edges(graph, join, 0..3, control)?;
    let labels = forest.into_labels();
    let (components, largest) = summary(&labels, control)?;
    Ok(ConnectedComponents {
        labels,
        components,
        largest,
    })
}

/// How many labels there are, and of how many vertices the most frequent is.
pub(crate) fn summary(labels: &[VertexId], control: &Control) -> Result<(usize, usize), Cancelled> {
    let mut sizes = control.array(0_u32, labels.len())?;
    for &label in labels {
        sizes[label as usize] += 1;
    }
    let components = sizes.iter().filter(|&&size| size > 0).count();
    Ok((components, sizes.into_iter().max().unwrap_or(0) as usize))
}

/// Labels by sequential union with path halving; the reference implementation of [`run`].
pub fn reference<G: Graph>(graph: &G) -> Vec<VertexId> {
    let n = graph.vertex_count();
    let mut forest = SequentialForest::new(n);
    let mut reader = graph.reader();
    for u in 0..n as VertexId {
        reader.for_each_neighbor(u, |v| {
            forest.link(u, v);
        });
    }
    (0..n as VertexId).map(|v| forest.root(v)).collect()
}

/// Checks every label against [`reference()`]. Sequential, O(m log n).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &ConnectedComponents) -> Result<(), Mismatch> {
    compare_exact("label", &result.labels, &reference(graph))
}
