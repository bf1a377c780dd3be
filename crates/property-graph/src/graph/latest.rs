//! Tables of the last view of the newest commit, for the next one.
//!
//! A short read costs less than making a view ready for it: registering at the watermark,
//! tables of chunks and sections, looking up names. So the last view that went leaves its
//! tables to the next one, as long as nothing has been committed in between.

use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_topology::Store;
use parking_lot::Mutex;

use super::view::Read;

/// A view that keeps more chunks in memory leaves nothing behind.
const MOST_CHUNKS: usize = 256;

/// Tables of a view that is gone, for the next one of the same commit.
#[derive(Default)]
pub(super) struct Latest(Mutex<Option<Arc<Read>>>);

impl Latest {
    /// Tables that a view of the newest commit left.
    pub(super) fn take(&self, store: &Store) -> Option<Arc<Read>> {
        let left = self.0.lock().take();
        left.filter(|read| read.csn() == store.csn() || failpoint!("view.older-tables-taken"))
    }

    /// Takes what a view leaves, if it is of the newest commit.
    pub(super) fn leave(&self, store: &Store, read: &Arc<Read>) {
        if read.chunks() > MOST_CHUNKS || read.csn() != store.csn() {
            return;
        }
        let before = self.0.lock().replace(Arc::clone(read));
        drop(before);
        self.forget_older(store);
    }

    /// Drops what was left of an older commit.
    pub(super) fn forget_older(&self, store: &Store) {
        let older = self.0.lock().take_if(|read| read.csn() != store.csn());
        drop(older);
    }

    /// Drops what was left: it keeps the past readable, and extents that a merge has
    /// replaced.
    pub(super) fn forget(&self) {
        let left = self.0.lock().take();
        drop(left);
    }
}
