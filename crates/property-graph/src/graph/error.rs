//! Errors of property graphs.

use evergraph_graph::Bytes;
use evergraph_storage::{MediumError, StorageError};
use evergraph_topology::TopologyError;

use super::schema::violation::Violation;
use crate::dictionary::NameError;
use crate::expression::TypeError;
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
    /// A choice of the creation that cannot be.
    #[error("{0}")]
    BadOptions(&'static str),
    /// An index or a constraint that cannot be.
    #[error("{0}")]
    BadDefinition(String),
    /// There is an index or a constraint of this name.
    #[error("there is an index or a constraint \"{0}\" already")]
    DefinitionExists(String),
    /// There is no index and no constraint of this name.
    #[error("there is no index and no constraint \"{0}\"")]
    UnknownDefinition(String),
    /// Another transaction dropped what this one was making.
    #[error("an index or a constraint was dropped while it was being made")]
    DefinitionDropped,
    /// A moment of another graph was to be read.
    #[error("this moment is of another graph; take one of the graph that is read")]
    OtherGraph,
    /// The condition for a part of the graph cannot be asked of a node or a relationship.
    #[error("{of}: {error}")]
    Condition {
        /// The node or the relationship.
        of: String,
        /// Why.
        error: TypeError,
    },
    /// A code of a name that neither a commit nor this transaction has given.
    #[error("{code} is the code of no {what}; look the name up in this transaction")]
    UnknownCode {
        /// Kind of the name, for the message.
        what: &'static str,
        /// The code.
        code: u32,
    },
    /// The query was cancelled.
    #[error("the query was cancelled")]
    Cancelled,
    /// A query would hold more memory than its [`Account`](super::Account) allows.
    #[error(
        "the query needs more than its {} of memory; let it read less at once, \
         or raise its limit",
        Bytes(*limit)
    )]
    MemoryLimit {
        /// Most bytes that it may hold.
        limit: u64,
    },
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
