//! State shared by all parts of one graph.

use std::sync::Arc;

use evergraph_topology::Store;

use super::latest::Latest;
use super::read::loops::LoopCounts;
use super::read::sorted::SortedLists;
use super::schema::Entry;
use super::state::State;

/// The store and its extension.
pub(super) struct Core {
    /// Dropped before the store: it holds extents.
    pub(super) latest: Latest,
    pub(super) store: Arc<Store>,
    pub(super) state: Arc<State>,
    pub(super) sorted: SortedLists,
    pub(super) loops: LoopCounts,
}

impl Core {
    /// Takes out a definition that could not be made; see
    /// [`Schema::fail`](super::schema::Schema::fail).
    pub(super) fn fail(&self, entry: &Arc<Entry>, reason: &str) {
        let visible = self.store.published().0;
        self.state.schema.fail(entry, reason, visible);
    }
}
