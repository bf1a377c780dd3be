//! What transactions need to know of what is committed.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::error::{Retryable, TransactionError};
use crate::records::{NodeRecord, RelationshipRecord};

/// The newest visible version of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// The commit that made it, or that deleted the record; zero if it is older
    /// than every snapshot of an active transaction and nobody knows better.
    pub csn: u64,
    /// It is a record, not its deletion.
    pub exists: bool,
}

/// The committed state, for as many threads as like.
pub trait CommittedState: Send + Sync + 'static {
    /// One moment of it, which stays readable as long as this lives.
    type View: Send;
    /// What can go wrong.
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

    /// An id for a new node, which nobody else gets until it is released.
    fn reserve_node(&self) -> Result<u32, Self::Error>;

    /// Ids of nodes that were reserved and not committed.
    fn release_nodes(&self, ids: &[u32]);

    /// An id for a new relationship, which nobody else gets until it is
    /// released.
    fn reserve_relationship(&self) -> Result<u32, Self::Error>;

    /// Ids of relationships that were reserved and not committed.
    fn release_relationships(&self, ids: &[u32]);
}
