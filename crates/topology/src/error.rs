//! Errors of an adjacency store.

use evergraph_storage::{MediumError, StorageError};

use crate::sealed::SealedName;

/// Failures of [`crate::Store`].
///
/// A commit may get the error of its group, by way of [`TopologyError::Group`]: match
/// on [`TopologyError::cause`].
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
    /// Columns of a batch that do not belong together.
    #[error("{0}")]
    Columns(&'static str),
    /// External ids that do not continue those of the graph.
    #[error("{0}")]
    ExternalIds(&'static str),
    /// Choices of a creation that contradict each other, or sizes that cannot be.
    #[error("{0}")]
    BadConfig(&'static str),
    /// It needs another kind of graph: edges or relationships, other directions, or
    /// vertices without external ids.
    #[error("{0}")]
    WrongGraphKind(&'static str),
    /// It needs the other mode, merged or direct.
    #[error("{0}")]
    WrongMode(&'static str),
    /// The database holds records, and was opened as a graph of edges.
    #[error("this database was opened without its property graph; open it as one")]
    WithoutExtension,
    /// Views of two databases were to be compared.
    #[error("the views are of different databases; give two views of one")]
    DifferentDatabases,
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
    /// The database was opened for reading, and was to be changed.
    #[error(
        "the database was opened for reading only: another process had it open for writing, or its files may only be read; open it again to write"
    )]
    ReadOnly,
    /// After a failure on the medium, what it holds is known only to the next opening.
    #[error("an earlier commit failed on the medium; close and reopen the database")]
    Failed,
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
    /// The snapshot goes with the result that it belongs to, and not alone.
    #[error("the snapshot \"{0}\" belongs to a result; drop the result: its snapshot goes with it")]
    SnapshotOfResult(String),
    /// The snapshot is of another commit.
    #[error("the snapshot {name:?} is not of commit {csn}")]
    NotOfSnapshot {
        /// Name of the snapshot.
        name: String,
        /// The commit asked for.
        csn: u64,
    },
    /// There is no sealed graph of this name.
    #[error("there is no {0}")]
    UnknownSealed(SealedName),
    /// A name that no sealed graph can have.
    #[error(
        "{0:?} cannot be the name of a sealed graph; use up to 255 bytes without control characters"
    )]
    BadSealedName(String),
    /// No commit has this number yet.
    #[error("there is no commit {0} yet")]
    UnknownCommit(u64),
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
}

impl TopologyError {
    /// The failure itself, which a group of commits may share.
    pub fn cause(&self) -> &TopologyError {
        match self {
            TopologyError::Group(shared) => shared.cause(),
            own => own,
        }
    }
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
