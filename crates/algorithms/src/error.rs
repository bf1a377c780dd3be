//! Errors of runs, and complaints of verifiers.

use evergraph_graph::{Graph, StoredLists, VertexId, Weight};
use thiserror::Error;

use crate::{Cancelled, SaveFailed};

/// Why a run gave no result. The graph is as it was.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RunError {
    /// The caller's [`Control`](crate::Control) ended the run.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A source does not exist. Choose one below the vertex count.
    #[error("source vertex {vertex} is not below the vertex count {vertex_count}")]
    SourceOutOfRange {
        /// The source asked for.
        vertex: VertexId,
        /// Vertices of the graph.
        vertex_count: usize,
    },
    /// A parameter is outside its range.
    #[error("parameter `{name}` is {value}, but must be {expected}")]
    InvalidParameter {
        /// The parameter's name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range, in words.
        expected: &'static str,
    },
    /// The problem is defined on undirected graphs. Read the graph through
    /// `Symmetric`, or a sealed undirected graph.
    #[error("the problem needs an undirected graph")]
    NeedsUndirected,
    /// The problem reads in-lists, and the graph keeps only out-lists. Use a
    /// graph with both, or a sealed copy of it.
    #[error("the problem needs a graph with in-lists")]
    NeedsInLists,
    /// The problem walks sorted lists in which each neighbor is once. Use a
    /// sealed graph.
    #[error("the problem needs lists sorted by neighbor, without self-loops and parallel edges")]
    NeedsSorted,
    /// The problem numbers edges with 32 bits.
    #[error("the problem takes fewer than 2^32 edges, and the graph has {edge_count}")]
    TooManyEdges {
        /// Edges of the graph, made simple.
        edge_count: u64,
    },
    /// The method needs a bit of each vertex number for itself. Use another.
    #[error("the method takes at most {limit} vertices, and the graph has {vertex_count}")]
    TooManyVertices {
        /// Vertices that it takes.
        limit: usize,
        /// Vertices of the graph.
        vertex_count: usize,
    },
    /// There cannot be so many different vertices in the result.
    #[error("{wanted} {what} are wanted, but there are only {available} vertices to choose from")]
    TooFewVertices {
        /// Name of the chosen vertices, such as "seeds", for the message.
        what: &'static str,
        /// How many are wanted.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
    /// Sketches of influence would take more memory than they may, or than there is, or
    /// be more than 32 bits count. Allow them more, or ask for less accuracy.
    #[error(
        "{wanted} sketches of influence take more than {limit} bytes or the memory there is, or \
         are not below 2^32; allow more bytes, or a larger epsilon"
    )]
    TooManySketches {
        /// Bytes that they may take.
        limit: u64,
        /// How many are needed.
        wanted: u64,
    },
    /// The caller could not keep the state of the run.
    #[error(transparent)]
    NotSaved(#[from] SaveFailed),
    /// The state to go on from is not one that this algorithm leaves.
    #[error("the saved state has no column {column:?} that fits the graph")]
    WrongState {
        /// The column.
        column: String,
    },
    /// The problem is not defined for a weight of the graph.
    #[error("the edge from {from} to {to} has weight {weight}, but weights must be {expected}")]
    InvalidWeight {
        /// Source of the edge.
        from: VertexId,
        /// Target of the edge.
        to: VertexId,
        /// Its weight.
        weight: Weight,
        /// Allowed weights, in words.
        expected: &'static str,
    },
}

/// A verifier's first complaint about a result.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("vertex {vertex}: {what} is {found}, expected {expected}")]
pub struct Mismatch {
    /// Vertex whose value is wrong.
    pub vertex: VertexId,
    /// Name of the value.
    pub what: &'static str,
    /// The value in the result.
    pub found: f64,
    /// The verifier's value.
    pub expected: f64,
}

/// A complaint.
pub(crate) fn mismatch(
    vertex: VertexId,
    what: &'static str,
    found: f64,
    expected: f64,
) -> Mismatch {
    Mismatch {
        vertex,
        what,
        found,
        expected,
    }
}

/// Checks that `graph` is undirected.
pub(crate) fn check_undirected(graph: &impl Graph) -> Result<(), RunError> {
    match graph.stored_lists() {
        StoredLists::Undirected => Ok(()),
        StoredLists::Out | StoredLists::Both => Err(RunError::NeedsUndirected),
    }
}

/// Checks that `source` is a vertex of `graph`.
pub(crate) fn check_source(graph: &impl Graph, source: VertexId) -> Result<(), RunError> {
    let vertex_count = graph.vertex_count();
    if (source as usize) < vertex_count {
        Ok(())
    } else {
        Err(RunError::SourceOutOfRange {
            vertex: source,
            vertex_count,
        })
    }
}

/// Compares two arrays of whole numbers.
pub(crate) fn compare_exact(
    what: &'static str,
    found: &[VertexId],
    expected: &[VertexId],
) -> Result<(), Mismatch> {
    assert_eq!(found.len(), expected.len(), "one value a vertex");
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(vertex) => Err(Mismatch {
            vertex: vertex as VertexId,
            what,
            found: f64::from(found[vertex]),
            expected: f64::from(expected[vertex]),
        }),
    }
}

/// Compares two arrays of real numbers, allowing `relative` error beside `absolute`.
pub(crate) fn compare_near(
    what: &'static str,
    found: &[f64],
    expected: &[f64],
    relative: f64,
    absolute: f64,
) -> Result<(), Mismatch> {
    assert_eq!(found.len(), expected.len(), "one value a vertex");
    let near =
        |a: f64, b: f64| a == b || b.is_finite() && (a - b).abs() <= absolute + relative * b.abs();
    match found.iter().zip(expected).position(|(&a, &b)| !near(a, b)) {
        None => Ok(()),
        Some(vertex) => Err(Mismatch {
            vertex: vertex as VertexId,
            what,
            found: found[vertex],
            expected: expected[vertex],
        }),
    }
}
