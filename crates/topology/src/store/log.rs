//! The write-ahead log as the store uses it: a ring, extents for what does not fit into
//! it, and where groups of commits end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_storage::{CommitLog, Extent, Storage};
use parking_lot::{Mutex, MutexGuard};

use crate::store::queue::Ticket;

/// The log of a store.
pub(in crate::store) struct Log {
    /// In which a larger ring is made.
    pub storage: Arc<dyn Storage>,
    state: Mutex<LogState>,
    /// Bytes of the ring, to be known without the lock.
    ring_bytes: AtomicU64,
}

impl Log {
    pub(in crate::store) fn new(
        storage: Arc<dyn Storage>,
        state: LogState,
        ring_bytes: u64,
    ) -> Self {
        Log {
            storage,
            state: Mutex::new(state),
            ring_bytes: AtomicU64::new(ring_bytes),
        }
    }

    pub(in crate::store) fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock()
    }

    pub(in crate::store) fn get_mut(&mut self) -> &mut LogState {
        self.state.get_mut()
    }

    pub(in crate::store) fn ring_bytes(&self) -> u64 {
        self.ring_bytes.load(Ordering::Relaxed)
    }

    pub(in crate::store) fn set_ring_bytes(&self, bytes: u64) {
        self.ring_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Positions, where commits up to `visible` are applied.
    pub(in crate::store) fn positions_at(&self, visible: u64) -> LogPositions {
        let log = self.lock();
        let applied = log.boundaries.iter().take_while(|b| b.csn <= visible);
        let flushing = log.log.head() - log.log.used_bytes();
        LogPositions {
            flushing,
            buffering: applied.last().map_or(flushing, |b| b.lsn),
            marker: log.log.durable(),
            head: log.log.head(),
        }
    }
}

/// State of the log that its lock guards.
pub(in crate::store) struct LogState {
    pub log: CommitLog,
    pub next_csn: u64,
    /// Ascending.
    pub boundaries: VecDeque<GroupEnd>,
    pub extents: LoggedExtents,
}

/// End of a group of commits in the log.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct GroupEnd {
    /// Of the group's last commit.
    pub csn: u64,
    /// Position behind it.
    pub lsn: u64,
    pub wall_us: i64,
    /// Of its record.
    pub epoch: u32,
}

/// Positions in the log, in bytes ever written (XPGraph's section 3.1). What
/// lies between two of them is in that state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPositions {
    /// Before: merged by every section, free for new records.
    pub flushing: u64,
    /// Before: applied and visible.
    pub buffering: u64,
    /// Before: durable and acknowledged.
    pub marker: u64,
    /// Before: written.
    pub head: u64,
}

/// The extents that records of the log name, in the order of their commits.
#[derive(Default)]
pub(in crate::store) struct LoggedExtents {
    extents: VecDeque<(u64, Arc<Extent>)>,
    bytes: u64,
}

impl LoggedExtents {
    /// Takes the extent of a commit, which is newer than all there are.
    pub(in crate::store) fn push(&mut self, csn: u64, extent: Arc<Extent>) {
        self.bytes += extent.len();
        self.extents.push_back((csn, extent));
    }

    /// Those of commits up to `csn`.
    pub(in crate::store) fn up_to(&self, csn: u64) -> impl Iterator<Item = &Arc<Extent>> {
        let older = self.extents.iter().take_while(move |(of, _)| *of <= csn);
        older.map(|(_, extent)| extent)
    }

    /// Durability step L6: gives those back that no durable root needs.
    pub(in crate::store) fn release(&mut self, csn: u64) {
        let released = self.up_to(csn).count();
        for (_, extent) in self.extents.drain(..released) {
            self.bytes -= extent.len();
            extent.retire();
        }
    }
}

impl LogState {
    /// Panics in debug builds if the log and the ends of its groups contradict each
    /// other.
    pub(in crate::store) fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let ends = &self.boundaries;
        if let (Some(first), Some(last)) = (ends.front(), ends.back()) {
            assert!(
                last.csn + 1 == self.next_csn && last.lsn <= self.log.head(),
                "the last group ended with {last:?}; next is commit {}, at {}",
                self.next_csn,
                self.log.head()
            );
            assert!(
                first.lsn + self.log.used_bytes() >= self.log.head(),
                "the first group ended with {first:?}, which the log has given back"
            );
        }
        let mut newest = ends.iter().rev();
        if let (Some(last), Some(before)) = (newest.next(), newest.next()) {
            assert!(
                before.csn < last.csn && before.lsn < last.lsn,
                "groups follow one another: {before:?}, then {last:?}"
            );
        }
    }

    /// Bytes that recovery would read.
    pub(in crate::store) fn used_bytes(&self) -> u64 {
        self.log.used_bytes() + self.extents.bytes
    }

    /// Bytes of the log up to each of the groups, in order.
    pub(in crate::store) fn fill_by_group(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let start = self.log.start();
        let mut extents = self.extents.extents.iter().peekable();
        let mut bytes = 0;
        self.boundaries.iter().map(move |end| {
            while let Some((_, extent)) = extents.next_if(|(csn, _)| *csn <= end.csn) {
                bytes += extent.len();
            }
            (end.csn, end.lsn - start + bytes)
        })
    }

    /// Whether a commit may be logged now: so that recovery reads no more than `most`
    /// bytes, or this one commit.
    pub(in crate::store) fn has_room(&self, ticket: &Ticket, most: u64) -> bool {
        self.log.has_room(ticket.payload.len() as u64) && self.is_within(ticket, most)
    }

    pub(in crate::store) fn is_within(&self, ticket: &Ticket, most: u64) -> bool {
        let used = self.used_bytes();
        used == 0 || used + ticket.extent_bytes() <= most
    }
}

impl Ticket {
    fn extent_bytes(&self) -> u64 {
        self.extent.as_ref().map_or(0, |extent| extent.len())
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use evergraph_storage::medium::{DramStorage, Storage};
    use evergraph_storage::{CommitLog, StorageError};

    use super::{GroupEnd, LogState};

    fn state() -> LogState {
        let uuid = [7; 16];
        let medium = DramStorage::new().open("log", true).unwrap();
        CommitLog::create(&medium, &uuid, 4096).unwrap();
        let start = evergraph_storage::LogStart {
            lsn: 0,
            epoch: 0,
            csn: 0,
        };
        let (mut log, _) =
            CommitLog::open(medium, &uuid, 1, start, None, |_| Ok::<_, StorageError>(())).unwrap();
        let boundaries = (1..=2)
            .map(|csn| GroupEnd {
                csn,
                lsn: log.append(csn, 0, b"group").unwrap(),
                wall_us: 0,
                epoch: 1,
            })
            .collect();
        let state = LogState {
            log,
            next_csn: 3,
            boundaries,
            extents: Default::default(),
        };
        state.invariants();
        state
    }

    #[test]
    #[should_panic(expected = "next is commit 4")]
    fn the_next_commit_follows_the_last_group() {
        let mut state = state();
        state.next_csn = 4;
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "groups follow one another")]
    fn groups_ascend() {
        let mut state = state();
        state.boundaries[0].csn = 2;
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "which the log has given back")]
    fn the_log_holds_what_groups_end_in() {
        let mut state = state();
        state.log.sync().unwrap();
        state.log.release(state.boundaries[1].lsn);
        state.invariants();
    }
}
