//! Strongly connected components: which vertices reach each other.
//!
//! Idea, on a graph with in-lists: a vertex without edges in or without edges
//! out is a component of its own; taking it away may leave others such
//! (trimming). From the vertex with the most pairs of edges in and out, the
//! vertices that it reaches and that reach it are a component, usually by far
//! the largest (forward and backward search). Of what is left, each vertex gets
//! the smallest vertex that reaches it as its color; within its color each such
//! vertex is searched for backwards, all at once, and again with what is left
//! then (coloring). When few are left, or coloring gets on slowly, one
//! depth-first search finishes.
//!
//! On a graph that keeps only out-lists that depth-first search does all, as the
//! only one that reads no in-lists; undirected components are the connected
//! components.
//!
//! Work O(m); depth that of searches by breadth and of a search by depth of what
//! is left, 100,000 vertices where coloring gets on; 6n words (of 8 bytes) of
//! DRAM.
//! Deterministic. Self-loops and parallel edges change nothing.
//! Sources: Slota, Rajamanickam and Madduri, "BFS and Coloring-Based Parallel
//! Algorithms for Strongly Connected Components and Related Problems"
//! (Multistep), IPDPS 2014; Tarjan, "Depth-First Search and Linear Graph
//! Algorithms", 1972; Fleischer, Hendrickson and Pınar, "On Identifying Strongly
//! Connected Components in Parallel", 2000.

mod depth_first;
mod steps;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};

use crate::connected_components::{self, summary};
use crate::error::compare_exact;
use crate::{Control, Mismatch, RunError};

/// In an array of labels: not known yet.
const UNKNOWN: VertexId = VertexId::MAX;

/// The strongly connected components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StronglyConnectedComponents {
    /// For each vertex the smallest vertex of its component.
    pub labels: Vec<VertexId>,
    /// Components, those of one vertex included.
    pub components: usize,
    /// Vertices of the largest component.
    pub largest: usize,
}

/// The strongly connected components of `graph`.
///
/// # Errors
/// If `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    control: &Control,
) -> Result<StronglyConnectedComponents, RunError> {
    let labels = match graph.stored_lists() {
        StoredLists::Undirected => connected_components::run(graph, control)?.labels,
        StoredLists::Out => {
            let mut labels = control.array(UNKNOWN, graph.vertex_count())?;
            let all = 0..graph.vertex_count() as VertexId;
            depth_first::search(graph, all, &mut labels, control)?;
            labels
        }
        StoredLists::Both => steps::run(graph, control)?,
    };
    let (components, largest) = summary(&labels, control)?;
    Ok(StronglyConnectedComponents {
        labels,
        components,
        largest,
    })
}

/// Labels by two depth-first searches, the second against the edges and in the order in
/// which the first leaves vertices for good, the last first; the reference implementation
/// of [`run`]. Copies the lists.
///
/// Source: Kosaraju 1978 (unpublished); Sharir, "A Strong-Connectivity Algorithm
/// and its Applications in Data Flow Analysis", 1981.
pub fn reference<G: Graph>(graph: &G) -> Vec<VertexId> {
    let n = graph.vertex_count();
    let mut forward = vec![Vec::new(); n];
    let mut backward = vec![Vec::new(); n];
    let mut reader = graph.reader();
    for u in 0..n as VertexId {
        reader.for_each_neighbor(u, |v| {
            forward[u as usize].push(v);
            backward[v as usize].push(u);
        });
    }
    let mut left = Vec::new();
    let mut seen = vec![false; n];
    for root in 0..n as VertexId {
        leave(&mut forward, root, &mut seen, &mut left);
    }
    let mut labels = vec![UNKNOWN; n];
    let mut seen = vec![false; n];
    for root in left.into_iter().rev() {
        let mut component = Vec::new();
        leave(&mut backward, root, &mut seen, &mut component);
        if let Some(&label) = component.iter().min() {
            for v in component {
                labels[v as usize] = label;
            }
        }
    }
    labels
}

/// Appends the vertices that `root` reaches without those `seen` before to
/// `left`, each after all that were first reached from it. Empties their lists.
fn leave(lists: &mut [Vec<VertexId>], root: VertexId, seen: &mut [bool], left: &mut Vec<VertexId>) {
    if std::mem::replace(&mut seen[root as usize], true) {
        return;
    }
    let mut path = vec![root];
    while let Some(&u) = path.last() {
        match lists[u as usize].pop() {
            Some(v) if !seen[v as usize] => {
                seen[v as usize] = true;
                path.push(v);
            }
            Some(_) => {}
            None => left.extend(path.pop()),
        }
    }
}

/// Checks every label against [`reference()`]. Sequential, O(n + m) and a copy
/// of the lists both ways.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &StronglyConnectedComponents) -> Result<(), Mismatch> {
    compare_exact("label", &result.labels, &reference(graph))
}
