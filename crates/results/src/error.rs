//! Errors of stored results.

use evergraph_storage::{MediumError, StorageError};

/// Failures of the store of results. The graph is not concerned.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The medium refused, or stored bytes are not what was written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is no such result.
    #[error("there is no result {name:?} ({hint})")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The results that there are.
        hint: String,
    },
    /// A result cannot be called so.
    #[error("a result cannot be called {name:?}: {problem} (choose another name)")]
    BadName {
        /// The name.
        name: String,
        /// Reason, for the message.
        problem: &'static str,
    },
    /// A result has no such column, or not of the type asked for.
    #[error(
        "the result {result:?} has no such column {column:?}: {problem} (it was made by something else)"
    )]
    NoColumn {
        /// The result.
        result: String,
        /// The column asked for.
        column: String,
        /// Damage that was found.
        problem: String,
    },
    /// The store was opened for reading.
    #[error("results were opened for reading only (open the database for writing)")]
    ReadOnly,
    /// The database was closed while this was in use.
    #[error("the database was closed; open it again")]
    Closed,
    /// Another writer made a version of the same result meanwhile.
    #[error("the result {name:?} was changed by another writer meanwhile (use another name)")]
    Changed {
        /// The result.
        name: String,
    },
    /// A publication failed, so what the medium holds is unknown.
    #[error("an earlier write of results failed on the medium; close and reopen the database")]
    Broken,
}

impl From<MediumError> for StateError {
    fn from(error: MediumError) -> Self {
        StateError::Storage(error.into())
    }
}
