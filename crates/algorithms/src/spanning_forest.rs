//! A spanning forest: as many edges as join each component of the graph, and no
//! cycle; directions do not matter.
//!
//! Idea: the edges that unite two sets when the sets of all ends are united
//! (`forest.rs`), each written down at the root that got a parent by it, which
//! happens once to every vertex but the roots that remain.
//!
//! Work O(m) in practice, at most O(m log n); 3.5n words (of 8 bytes) of DRAM.
//! Self-loops and parallel edges change nothing. Which of several possible
//! edges are chosen may differ from run to run with several threads.
//! Source: Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity
//! Computation via Subgraph Sampling" (Afforest), IPDPS 2018; as in Dhulipala,
//! Hong and Shun, "ConnectIt", VLDB 2021, for the edges.

use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::connected_components;
use crate::error::mismatch;
use crate::forest::{Forest, SequentialForest};
use crate::parallel::shared_u64;
use crate::{Control, Mismatch, RunError};

/// A spanning forest of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanningForest {
    /// Its edges, each once and in the direction in which the graph has it (an
    /// undirected edge in either), in no particular order.
    pub edges: Vec<(VertexId, VertexId)>,
    /// Its trees: the components of the graph, isolated vertices included.
    pub components: usize,
}

/// No edge.
const NONE: u64 = u64::MAX;

/// A spanning forest of `graph`.
///
/// # Errors
/// If `control` ends the run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<SpanningForest, RunError> {
    let n = graph.vertex_count();
    let forest = Forest::new(n, control)?;
    let slots = shared_u64(n, NONE, control)?;
    let join = |u, v| {
        if let Some(root) = forest.link(u, v) {
            slots[root as usize].store(u64::from(u) << 32 | u64::from(v), Relaxed);
        }
    };
    forest.unite_edges(graph, join, 0..3, control)?;
    let edges: Vec<_> = slots
        .into_par_iter()
        .map(|slot| slot.into_inner())
        .filter(|&edge| edge != NONE)
        .map(|edge| ((edge >> 32) as VertexId, edge as VertexId))
        .collect();
    let components = n - edges.len();
    Ok(SpanningForest { edges, components })
}

/// The first edges in the order of the lists that close no cycle; the reference
/// implementation of [`run`], with which only the number of edges agrees.
pub fn reference<G: Graph>(graph: &G) -> Vec<(VertexId, VertexId)> {
    let n = graph.vertex_count();
    let mut forest = SequentialForest::new(n);
    let mut edges = Vec::new();
    let mut reader = graph.reader();
    for u in 0..n as VertexId {
        reader.for_each_neighbor(u, |v| {
            if forest.link(u, v) {
                edges.push((u, v));
            }
        });
    }
    edges
}

/// Checks that the edges are edges of `graph`, that none closes a cycle with
/// those before it, and that the trees are the components. Sequential,
/// O(m log n).
///
/// # Errors
/// The first vertex that is wrong: the source of an edge, or the smallest of a
/// component.
pub fn verify<G: Graph>(graph: &G, result: &SpanningForest) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let mut trees = SequentialForest::new(n);
    for &(u, v) in &result.edges {
        if !trees.link(u, v) {
            return Err(mismatch(u, "edges that close a cycle", 1.0, 0.0));
        }
    }
    if let Some((u, _)) = first_absent(graph, &result.edges) {
        return Err(mismatch(u, "edges that the graph does not have", 1.0, 0.0));
    }
    let labels = connected_components::reference(graph);
    for v in 0..n as VertexId {
        let (found, expected) = (trees.root(v), labels[v as usize]);
        if found != expected {
            let (found, expected) = (f64::from(found), f64::from(expected));
            return Err(mismatch(v, "smallest vertex of the tree", found, expected));
        }
    }
    let trees = labels.iter().zip(0..).filter(|&(&label, v)| label == v);
    let expected = trees.count();
    if result.components != expected {
        let found = result.components as f64;
        return Err(mismatch(0, "number of trees", found, expected as f64));
    }
    Ok(())
}

/// The smallest of `edges` that `graph` does not have.
fn first_absent<G: Graph>(
    graph: &G,
    edges: &[(VertexId, VertexId)],
) -> Option<(VertexId, VertexId)> {
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    let mut present = vec![false; sorted.len()];
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        reader.for_each_neighbor(u, |v| {
            if let Ok(at) = sorted.binary_search(&(u, v)) {
                present[at] = true;
            }
        });
    }
    let absent = present.iter().position(|&is_present| !is_present)?;
    Some(sorted[absent])
}
