//! Errors of vector indexes.

use crate::IndexFileError;
use evergraph_property_graph::graph::GraphError;

/// Failures of a [`crate::vector::Vectors`]. None of them concerns the graph's own bytes but
/// [`VectorError::Graph`].
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// Reading the graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A vector that nothing can be near to.
    #[error("the vector that is asked for: {0}")]
    Query(String),
    /// A definition that cannot be.
    #[error("the definition of the vector index {name:?}: {reason}")]
    Definition {
        /// Its name.
        name: String,
        /// Reason, for the message.
        reason: String,
    },
    /// A view or a transaction of another graph than the index is of.
    #[error("the view is not of the graph that the vector index is of")]
    OtherGraph,
    /// The index is open elsewhere, or an I/O error of its files.
    #[error(transparent)]
    IndexFile(#[from] IndexFileError),
    /// The caller's watch stopped the refresh. The index is as it was before.
    #[error("the vector index was not brought up to date: it was stopped")]
    Stopped,
    /// The library: no memory, most likely.
    #[error("the vector index: {0}")]
    Library(String),
}
