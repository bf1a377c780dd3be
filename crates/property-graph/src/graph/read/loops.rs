//! Which nodes have loops: degrees in both directions count them once, and most sections of
//! nodes have none.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// Sections whose loops are known, at most.
const MOST: usize = 1 << 16;

/// Loops at the nodes of a section: the place of a node in it, and how many.
pub(in crate::graph) type Loops = Arc<[(u32, u32)]>;

/// Loops by adjacency and section, with the commit that changed the lists there last.
#[derive(Debug, Default)]
pub(in crate::graph) struct LoopCounts(Mutex<HashMap<(usize, u32), (u64, Loops)>>);

impl LoopCounts {
    /// Loops in lists that a commit has changed last.
    pub(in crate::graph) fn get(&self, section: (usize, u32), changed_at: u64) -> Option<Loops> {
        let known = self.0.lock();
        let (of, loops) = known.get(&section)?;
        (*of == changed_at).then(|| Arc::clone(loops))
    }

    /// Notes them.
    pub(in crate::graph) fn keep(&self, section: (usize, u32), changed_at: u64, loops: &Loops) {
        let mut known = self.0.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(section, (changed_at, Arc::clone(loops)));
    }
}
