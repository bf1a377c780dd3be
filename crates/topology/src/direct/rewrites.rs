//! How sections move, and how full their edge logs are then: for measurements.

use parking_lot::Mutex;

/// One move of a section (direct steps D2 to D4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Adjacency and number of the section.
    pub section: (u32, u32),
    /// Bytes of the lists and gaps before, 0 for a section that is new.
    pub old_list_bytes: u64,
    /// Bytes of the lists and gaps afterwards.
    pub new_list_bytes: u64,
    /// Bytes of the new extent.
    pub new_bytes: u64,
    /// Entries that the edge log held.
    pub log_used: usize,
    /// Entries that it could hold.
    pub log_slots: usize,
}

/// Record of the moves, if it is wanted.
#[derive(Debug, Default)]
pub struct Rewrites {
    trace: Mutex<Option<Vec<Rewrite>>>,
}

impl Rewrites {
    /// A section has moved. Moves are rare beside insertions.
    pub fn note(&self, rewrite: Rewrite) {
        if let Some(trace) = &mut *self.trace.lock() {
            trace.push(rewrite);
        }
    }

    /// Gives the moves since the last call, and keeps those from now on.
    pub fn trace(&self) -> Vec<Rewrite> {
        self.trace.lock().replace(Vec::new()).unwrap_or_default()
    }
}
