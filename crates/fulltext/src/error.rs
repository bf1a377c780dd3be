//! What can go wrong with a full-text index.

use std::path::PathBuf;

use evergraph_property_graph::graph::GraphError;

/// Failures of a [`crate::FullText`]. None of them concerns the graph's own bytes but
/// [`TextError::Graph`].
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// Reading the graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A query that cannot be understood.
    #[error("the query {query:?} cannot be read: {reason}")]
    Query {
        /// What was asked.
        query: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A definition that cannot be.
    #[error("the definition of the full-text index {name:?}: {reason}")]
    Definition {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A view or a transaction of another graph than the index is of.
    #[error("the view is not of the graph that the full-text index is of")]
    OtherGraph,
    /// Somebody has the index open.
    #[error("{path}: the full-text index is open already; close it there first")]
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
    /// Writing or reading the index. Removing its directory is safe: it is built anew.
    #[error("{path}: {source}; remove the directory, and it is built anew")]
    Index {
        /// Its directory.
        path: PathBuf,
        /// What the library says.
        source: tantivy::TantivyError,
    },
}
