//! What can go wrong with a full-text index.

use std::path::PathBuf;

use evergraph_derived::PlaceError;
use evergraph_property_graph::graph::GraphError;

/// Failures of a [`crate::FullText`]. None of them concerns the graph's own bytes but
/// [`TextError::Graph`].
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// Reading the graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A query that cannot be understood.
    #[error("the query {query:?} cannot be read{}: {reason}", place(*at))]
    Query {
        /// What was asked, or the beginning of it.
        query: String,
        /// Where it is wrong, in letters from 1, if that is known.
        at: Option<usize>,
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
    /// The place of the index: somebody has it open, or what the system says.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Whoever watched the index being brought up to date wanted no more of it. What it
    /// was before, it still is.
    #[error("the full-text index was not brought up to date: it was stopped")]
    Stopped,
    /// Writing or reading the index. Removing its directory is safe: it is built anew.
    #[error("{path}: {source}")]
    Index {
        /// Its directory.
        path: PathBuf,
        /// What the library says.
        source: tantivy::TantivyError,
    },
}

fn place(at: Option<usize>) -> String {
    at.map_or(String::new(), |at| format!(" at letter {at}"))
}
