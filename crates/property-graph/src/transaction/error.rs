//! Why a transaction cannot go on.

use std::time::Duration;

use evergraph_graph::Bytes;

use super::id::TransactionId;
use super::lock::Resource;

/// Failures of a transaction. Whatever the failure, nothing of the transaction
/// is in the graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransactionError {
    /// Another transaction came first.
    #[error("{0}; run the transaction again")]
    Conflict(#[from] Conflict),
    /// It took longer than it may.
    #[error("the transaction was given {limit:?} and has not committed")]
    TimedOut {
        /// Its time limit.
        limit: Duration,
    },
    /// It would hold more than it may.
    #[error(
        "the transaction would hold {} of changes, and may hold {}; split it, in Cypher \
         by CALL {{ ... }} IN TRANSACTIONS, or open the graph with more \
         (`Settings::overlay_bytes`)",
        Bytes(*bytes as u64),
        Bytes(*limit as u64)
    )]
    TooLarge {
        /// With the change that was refused.
        bytes: usize,
        /// Most bytes that it may hold.
        limit: usize,
    },
    /// It was terminated from outside.
    #[error("{0} was terminated")]
    Terminated(TransactionId),
    /// There is no such node as of its snapshot, or it deleted it.
    #[error("there is no node {0}")]
    NoNode(u32),
    /// There is no such relationship as of its snapshot, or it deleted it.
    #[error("there is no relationship {0}")]
    NoRelationship(u32),
    /// A node is to be deleted without its relationships.
    #[error("node {0} still has relationships; delete them first, or delete them with it")]
    StillConnected(u32),
    /// A savepoint that was released, or given up with an earlier one.
    #[error("this savepoint is gone: it was released, or the transaction went back before it")]
    NoSavepoint,
}

/// Conflicts with another transaction, which came first. Running the transaction again
/// from its beginning may succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Another transaction, not yet committed, has locked it.
    #[error("{resource} is being changed by another transaction")]
    Held {
        /// Resource that is locked.
        resource: Resource,
        /// Transaction that holds it; `None` if there are several.
        holder: Option<TransactionId>,
    },
    /// An older transaction waits for it, and is to have it next.
    #[error("{resource} is wanted exclusively by {by}, which is older")]
    Reserved {
        /// Resource of the conflict.
        resource: Resource,
        /// Transaction that has reserved it.
        by: TransactionId,
    },
    /// It was committed after the snapshot.
    #[error("{resource} was changed by commit {newest}, after the snapshot at {snapshot}")]
    Newer {
        /// Resource of the conflict.
        resource: Resource,
        /// The transaction's snapshot.
        snapshot: u64,
        /// The commit that changed it.
        newest: u64,
    },
    /// A node to be deleted got a relationship after the snapshot.
    #[error("node {node} got a relationship after the snapshot at {snapshot}")]
    Attached {
        /// The node.
        node: u32,
        /// The transaction's snapshot.
        snapshot: u64,
    },
    /// A record or predicate that a serializable transaction read was changed by a commit
    /// before its own.
    #[error("{what}, which the transaction read, was changed after its snapshot at {snapshot}")]
    Read {
        /// Name of the record or predicate.
        what: String,
        /// The transaction's snapshot.
        snapshot: u64,
    },
    /// The write sets since the snapshot are not remembered any more.
    #[error(
        "the snapshot at {snapshot} is too old to tell what was changed since; commits up to \
         {forgotten} are forgotten"
    )]
    Forgotten {
        /// The transaction's snapshot.
        snapshot: u64,
        /// Nothing up to this commit is remembered.
        forgotten: u64,
    },
}

/// Errors among which there are conflicts.
pub trait Retryable {
    /// The conflict, if running again may help.
    fn conflict(&self) -> Option<&Conflict>;

    /// Whether running again may help.
    fn is_retryable(&self) -> bool {
        self.conflict().is_some()
    }
}

impl Retryable for TransactionError {
    fn conflict(&self) -> Option<&Conflict> {
        match self {
            TransactionError::Conflict(conflict) => Some(conflict),
            _ => None,
        }
    }
}
