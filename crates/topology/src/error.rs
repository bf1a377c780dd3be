//! Errors of an adjacency store.

use evergraph_storage::{MediumError, StorageError};

/// Failures of [`crate::Store`].
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// The medium, the log or the pool.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A vertex id that the compact adjacencies cannot hold.
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
    /// A thread panicked while it changed the database. Commits that waited for it may
    /// be in the database or not, as the next opening finds.
    #[error("a thread panicked while it changed the database; close and reopen the database")]
    Poisoned,
    /// There is no snapshot of this name.
    #[error("there is no snapshot \"{0}\"")]
    UnknownSnapshot(String),
    /// A snapshot of this name exists.
    #[error("there is a snapshot \"{0}\" already; drop it first, or choose another name")]
    SnapshotExists(String),
    /// Another commit creates or drops a snapshot of this name right now.
    #[error("the snapshot \"{0}\" is being created or dropped by another commit; try again")]
    SnapshotBusy(String),
    /// A name that no snapshot can have.
    #[error("\"{name}\" cannot be the name of a snapshot: {why}")]
    BadSnapshotName {
        /// The name, or how it begins.
        name: String,
        /// The fault.
        why: &'static str,
    },
    /// Nothing keeps the graph as of this commit.
    #[error(
        "the graph as of commit {csn} is not kept{}",
        nearest(*before, *after, *newest)
    )]
    NotKept {
        /// The commit asked for.
        csn: u64,
        /// The last kept commit before it.
        before: Option<u64>,
        /// The first kept commit after it.
        after: Option<u64>,
        /// The newest commit.
        newest: u64,
    },
    /// The database was closed while this was in use.
    #[error("the database was closed; open it again")]
    Closed,
    /// The store cannot do this.
    #[error("{0}")]
    Unsupported(String),
}

impl From<MediumError> for TopologyError {
    fn from(error: MediumError) -> Self {
        TopologyError::Storage(error.into())
    }
}

/// The end of a sentence that names kept commits.
fn nearest(before: Option<u64>, after: Option<u64>, newest: u64) -> String {
    match (before, after) {
        (Some(before), Some(after)) => {
            format!("; the nearest that are: {before} and {after}; the newest is {newest}")
        }
        (Some(one), None) | (None, Some(one)) => {
            format!("; the nearest that is: {one}; the newest is {newest}")
        }
        (None, None) => format!(": there are no snapshots; the newest is {newest}"),
    }
}
