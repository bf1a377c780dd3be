//! The committed state, as transactions read it.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::error::{Retryable, TransactionError};
use crate::dictionary::KeyCode;
use crate::record::{EntityKind, NodeRecord, RelationshipRecord};

/// The newest visible version of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newest {
    /// The commit that made it, or that deleted the record; zero if it is unknown because
    /// it is older than every snapshot of an active transaction.
    pub(crate) csn: u64,
    /// It is a record, not its deletion.
    pub(crate) exists: bool,
}

/// The committed state, for as many threads as like.
pub(crate) trait CommittedState: Send + Sync + 'static {
    /// The state as of one commit, which stays readable as long as this lives.
    type View: Send;
    type Error: From<TransactionError> + Retryable;

    /// A view at the watermark. Called under a short lock: O(1), and it must not
    /// wait for a commit.
    fn view(&self) -> Self::View;

    fn csn(view: &Self::View) -> u64;

    fn node(&self, view: &Self::View, id: u32) -> Result<Option<Arc<NodeRecord>>, Self::Error>;

    fn relationship(
        &self,
        view: &Self::View,
        id: u32,
    ) -> Result<Option<Arc<RelationshipRecord>>, Self::Error>;

    /// The relationships that leave a node (or enter it), as of a view, until
    /// `each` breaks.
    fn relationships(
        &self,
        view: &Self::View,
        node: u32,
        incoming: bool,
        each: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Keys of properties that indexes and constraints are about. A transaction keeps them
    /// as they are from its first write on.
    fn indexed_keys(&self) -> Vec<KeyCode>;

    /// The newest visible version of a record: of every commit up to the
    /// watermark, newer than any view.
    fn newest(&self, kind: EntityKind, id: u32) -> Result<Newest, Self::Error>;

    /// Reserves an id for a new record until it is released.
    fn reserve(&self, kind: EntityKind) -> Result<u32, Self::Error>;

    /// Gives back ids that were reserved and not committed.
    fn release(&self, kind: EntityKind, ids: Range<u32>);
}
