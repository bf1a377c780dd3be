//! The part of a store that makes commits durable and applies them.

pub(in crate::store) mod changes;
pub(in crate::store) mod direct;
pub(in crate::store) mod enqueue;
pub(in crate::store) mod flow;
pub(in crate::store) mod group_commit;
pub(in crate::store) mod snapshots;
pub(in crate::store) mod vertices;

use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_storage::DurabilityLevel;
use parking_lot::{Mutex, RwLock};

use crate::store::checkpoint::Checkpointer;
use crate::store::live::LiveGraph;
use crate::store::queue::Queue;

/// Takes commits in groups: logged, then applied.
pub(in crate::store) struct Committer {
    pub checkpointer: Checkpointer,
    /// Commits share it; a commit of what its caller has just read holds it alone.
    pub gate: RwLock<()>,
    pub queue: Mutex<Queue>,
    pub waits: Waits,
    /// Level of a commit that has returned: the weakest of the media.
    pub durability: DurabilityLevel,
}

impl Committer {
    #[inline(always)]
    pub(in crate::store) fn live(&self) -> &LiveGraph {
        &self.checkpointer.live
    }
}

/// Number and length of the waits of commits for a merge, since the opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackPressure {
    /// Times that a group of commits found no room.
    pub waits: u64,
    /// Microseconds until there was.
    pub waited_us: u64,
}

/// The waits of commits so far.
#[derive(Default)]
pub(in crate::store) struct Waits {
    waits: AtomicU64,
    waited_us: AtomicU64,
}

impl Waits {
    pub(in crate::store) fn add(&self, us: u64) {
        self.waits.fetch_add(1, Ordering::Relaxed);
        self.waited_us.fetch_add(us, Ordering::Relaxed);
    }

    pub(in crate::store) fn so_far(&self) -> BackPressure {
        BackPressure {
            waits: self.waits.load(Ordering::Relaxed),
            waited_us: self.waited_us.load(Ordering::Relaxed),
        }
    }
}
