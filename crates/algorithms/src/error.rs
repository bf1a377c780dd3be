//! What can go wrong in a run, and what a verifier says.

use evergraph_graph::{Graph, VertexId};
use thiserror::Error;

use crate::Cancelled;

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
        /// What it was.
        value: f64,
        /// Its range, in words.
        expected: &'static str,
    },
}

/// A verifier's first complaint about a result.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("vertex {vertex}: {what} is {found}, expected {expected}")]
pub struct Mismatch {
    /// Where.
    pub vertex: VertexId,
    /// Which value.
    pub what: &'static str,
    /// The value in the result.
    pub found: f64,
    /// The verifier's value.
    pub expected: f64,
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
    let near = |a: f64, b: f64| (a - b).abs() <= absolute + relative * b.abs();
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
