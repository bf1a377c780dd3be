//! What can go wrong with a vector index.

use std::path::PathBuf;

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
    /// Somebody has the index open.
    #[error("{path}: the vector index is open already; close it there first")]
    InUse {
        /// Its lock.
        path: PathBuf,
    },
    /// A file of the index.
    #[error("{path}: {source}")]
    Io {
        /// The file, or its directory.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The library: no memory, most likely.
    #[error("the vector index: {0}")]
    Library(String),
}
