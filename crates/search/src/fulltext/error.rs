//! Errors of full-text indexes.

use std::path::PathBuf;

use crate::IndexFileError;
use evergraph_property_graph::graph::GraphError;

/// Failures of a [`crate::fulltext::FullText`]. None of them concerns the graph's own bytes but
/// [`TextError::Graph`].
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// Reading the graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A query that cannot be understood.
    #[error("the query {query:?} cannot be read{}: {reason}", place(*at))]
    Query {
        /// The query, or the beginning of it.
        query: String,
        /// Position of the error, in letters from 1, if it is known.
        at: Option<usize>,
        /// Reason, for the message.
        reason: String,
    },
    /// A definition that cannot be.
    #[error("the definition of the full-text index {name:?}: {reason}")]
    Definition {
        /// Its name.
        name: String,
        /// Reason, for the message.
        reason: String,
    },
    /// A view or a transaction of another graph than the index is of.
    #[error("the view is not of the graph that the full-text index is of")]
    OtherGraph,
    /// The index is open elsewhere, or an I/O error of its files.
    #[error(transparent)]
    IndexFile(#[from] IndexFileError),
    /// The caller's watch stopped the refresh. The index is as it was before.
    #[error("the full-text index was not brought up to date: it was stopped")]
    Stopped,
    /// Writing or reading the index. Removing its directory is safe: it is built anew.
    #[error("{path}: {source}")]
    Index {
        /// Its directory.
        path: PathBuf,
        /// Error of the library.
        source: tantivy::TantivyError,
    },
}

fn place(at: Option<usize>) -> String {
    at.map_or(String::new(), |at| format!(" at letter {at}"))
}
