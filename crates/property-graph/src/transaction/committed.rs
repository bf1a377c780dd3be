//! The committed state, as transactions read it.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::error::{Retryable, TransactionError};
use crate::records::{NodeRecord, RelationshipRecord};

/// The newest visible version of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// The commit that made it, or that deleted the record; zero if it is unknown because
    /// it is older than every snapshot of an active transaction.
    pub csn: u64,
    /// It is a record, not its deletion.
    pub exists: bool,
}

/// The committed state, for as many threads as like.
pub trait CommittedState: Send + Sync + 'static {
    /// The state as of one commit, which stays readable as long as this lives.
    type View: Send;
    /// Errors of reading.
    type Error: From<TransactionError> + Retryable;

    /// A view at the watermark. Called under a short lock: O(1), and it must not
    /// wait for a commit.
    fn view(&self) -> Self::View;

    /// The commit that a view is at.
    fn csn(view: &Self::View) -> u64;

    /// A node as of a view.
    fn node(&self, view: &Self::View, id: u32) -> Result<Option<Arc<NodeRecord>>, Self::Error>;

    /// A relationship as of a view.
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

    /// The newest visible version of a node: of every commit up to the
    /// watermark, newer than any view.
    fn newest_node(&self, id: u32) -> Result<Newest, Self::Error>;

    /// The newest visible version of a relationship.
    fn newest_relationship(&self, id: u32) -> Result<Newest, Self::Error>;

    /// Reserves an id for a new node until it is released.
    fn reserve_node(&self) -> Result<u32, Self::Error>;

    /// Ids of nodes that were reserved and not committed.
    fn release_nodes(&self, ids: &[u32]);

    /// Reserves an id for a new relationship until it is released.
    fn reserve_relationship(&self) -> Result<u32, Self::Error>;

    /// Ids of relationships that were reserved and not committed.
    fn release_relationships(&self, ids: &[u32]);
}
