//! Errors of property graphs.

use evergraph_storage::{MediumError, StorageError};
use evergraph_topology::TopologyError;

use super::schema::Violation;
use crate::dictionary::NameError;
use crate::index::IndexError;
use crate::record::ReserveError;
use crate::transaction::{Conflict, Retryable, TransactionError};
use crate::value::ValueError;

/// Failures of a [`crate::graph::PropertyGraph`].
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The store below.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The medium, the log or an extent.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A value that cannot be stored, or has another type than was asked for.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A name that cannot have a code.
    #[error(transparent)]
    Name(#[from] NameError),
    /// No id is left.
    #[error(transparent)]
    Ids(#[from] ReserveError),
    /// An index that cannot be built.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A transaction that cannot go on.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// A constraint does not hold; nothing of the transaction is in the graph.
    #[error("{0}")]
    Constraint(Box<Violation>),
    /// More than can be stored; nothing of the transaction is in the graph.
    #[error("{0}")]
    Limit(String),
    /// The request is not possible.
    #[error("{0}")]
    Unsupported(String),
    /// An error of the caller's own code, which ends the transaction.
    #[error(transparent)]
    User(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl From<MediumError> for GraphError {
    fn from(error: MediumError) -> Self {
        GraphError::Storage(error.into())
    }
}

impl Retryable for GraphError {
    fn conflict(&self) -> Option<&Conflict> {
        match self {
            GraphError::Transaction(error) => error.conflict(),
            _ => None,
        }
    }
}
