//! What can go wrong in an adjacency store.

use evergraph_persistence::{MediumError, PersistenceError};

/// Failures of [`crate::Store`].
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// The medium, the log or the pool.
    #[error(transparent)]
    Persistence(#[from] PersistenceError),
    /// A vertex id that the compact planes cannot hold.
    #[error("vertex {id} is out of range: ids go up to {max} (use mapped ids for larger ones)")]
    VertexOutOfRange {
        /// The id asked for.
        id: u64,
        /// Largest id.
        max: u64,
    },
    /// Weights where the graph has none, or the other way round.
    #[error("{0}")]
    Weights(&'static str),
    /// The failure of a group of commits, which each of them gets.
    #[error(transparent)]
    Group(std::sync::Arc<TopologyError>),
    /// Its caller withdrew a commit that was still waiting.
    #[error("stopped while waiting for room; nothing of this commit is in the database")]
    Cancelled,
    /// The store cannot do this.
    #[error("{0}")]
    Unsupported(String),
}

impl From<MediumError> for TopologyError {
    fn from(error: MediumError) -> Self {
        TopologyError::Persistence(error.into())
    }
}
