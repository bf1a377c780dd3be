//! The plain in-memory model that the database is held against.

use evergraph::View;
use evergraph::graph::{Graph, NeighborReader};
use evergraph_generators::Edge;

use crate::report::Failure;

/// All lists of an undirected graph, each edge at both ends, in the order of
/// the stream.
pub struct Model {
    starts: Vec<usize>,
    neighbors: Vec<u32>,
}

impl Model {
    /// The graph that a stream makes, given in parts.
    pub fn new(vertex_count: u64, parts: &[&[Edge]]) -> Self {
        let edges = || parts.iter().copied().flatten();
        let mut starts = vec![0; vertex_count as usize + 1];
        for &(u, v) in edges() {
            starts[u as usize + 1] += 1;
            starts[v as usize + 1] += 1;
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut next = starts.clone();
        let mut neighbors = vec![0; starts[vertex_count as usize]];
        for &(u, v) in edges() {
            for (from, to) in [(u, v), (v, u)] {
                neighbors[next[from as usize]] = to;
                next[from as usize] += 1;
            }
        }
        Model { starts, neighbors }
    }

    /// The neighbors of a vertex in the order in which they came.
    pub fn list(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbors[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// The vertex with the most neighbors.
    pub fn busiest(&self) -> u32 {
        let vertices = 0..(self.starts.len() - 1) as u32;
        vertices
            .max_by_key(|&vertex| self.list(vertex).len())
            .unwrap_or(0)
    }

    /// Compares every list with that of a view.
    pub fn compare(&self, view: &View) -> Result<(), Failure> {
        let graph = view.graph()?;
        if graph.vertex_count() + 1 != self.starts.len() {
            return Err(differs(format!(
                "the view has {} vertices",
                graph.vertex_count()
            )));
        }
        let mut reader = graph.reader();
        let mut found = Vec::new();
        for vertex in 0..graph.vertex_count() as u32 {
            found.clear();
            reader.neighbors_into(vertex, &mut found);
            let expected = self.list(vertex);
            if found != expected {
                return Err(differs(format!(
                    "vertex {vertex} has {} neighbors where {} were acknowledged, or in another order",
                    found.len(),
                    expected.len()
                )));
            }
        }
        Ok(())
    }
}

/// The promise is broken.
pub fn differs(what: String) -> Failure {
    Failure::new(
        format!("the graph is not what was acknowledged: {what}"),
        "this is a bug in Evergraph; please report it with the output of `evergraph check`",
    )
}
