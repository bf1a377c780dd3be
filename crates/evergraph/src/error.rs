//! One error for the person who must act.

use evergraph_algorithms::RunError;
use evergraph_persistence::{MediumError, PersistenceError};
use evergraph_topology::TopologyError;

use crate::formats::FormatError;

/// Whatever can go wrong with a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Storing, reading or recovering.
    #[error(transparent)]
    Store(#[from] TopologyError),
    /// Reading an input file.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Running an algorithm.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file outside the database.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Something was asked for that cannot be.
    #[error("{message} ({hint})")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The user or a deadline stopped it; what was committed stays.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl Error {
    /// Whether doing the same again can succeed without further ado.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Error::Store(TopologyError::Persistence(
                PersistenceError::Locked { .. } | PersistenceError::LogFull
            ))
        )
    }

    /// A usage error.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    pub(crate) fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io {
            path: path.into(),
            source,
        }
    }
}

impl From<PersistenceError> for Error {
    fn from(error: PersistenceError) -> Self {
        Error::Store(error.into())
    }
}

impl From<MediumError> for Error {
    fn from(error: MediumError) -> Self {
        Error::Store(error.into())
    }
}
