//! Errors of indexes.

use evergraph_storage::StorageError;

/// Failures of an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The medium refused, or stored bytes are damaged. A damaged index is built again
    /// from the records, never trusted.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The index has no content yet.
    #[error("the index has not been built yet; scan the records until it is")]
    NotBuilt,
    /// A view is older than the index.
    #[error(
        "the index holds what is visible since commit {since}, not as of commit {csn}; scan the records instead"
    )]
    NotSince {
        /// The view's commit.
        csn: u64,
        /// The commit as of which the index was built.
        since: u64,
    },
}
