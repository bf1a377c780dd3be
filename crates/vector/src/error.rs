//! What can go wrong with a vector index.

use evergraph_derived::PlaceError;
use evergraph_property_graph::graph::GraphError;

/// Failures of a [`crate::Vectors`]. None of them concerns the graph's own bytes but
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
        /// What is wrong with it.
        reason: String,
    },
    /// A view or a transaction of another graph than the index is of.
    #[error("the view is not of the graph that the vector index is of")]
    OtherGraph,
    /// The place of the index: somebody has it open, or what the system says.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Whoever watched the index being brought up to date wanted no more of it. What it
    /// was before, it still is.
    #[error("the vector index was not brought up to date: it was stopped")]
    Stopped,
    /// The library: no memory, most likely.
    #[error("the vector index: {0}")]
    Library(String),
}
