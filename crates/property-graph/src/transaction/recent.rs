//! Commits that are in flight, and those that an active transaction may have to
//! be held against.
//!
//! Positions are given in the order in which commits enter the log, so they
//! ascend with the CSNs.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::layout::WALKED_AT_MOST;

use super::error::Conflict;
use super::lock::Resource;
use super::sync::RandomState;
use super::writes::WriteSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    InFlight,
    Visible(u64),
    /// It is not in the log.
    Failed,
}

#[derive(Debug)]
struct Entry {
    writes: Arc<WriteSet>,
    outcome: Outcome,
}

/// Write sets of recent commits, and the snapshots that may still need them.
#[derive(Debug, Default)]
pub(super) struct Recent {
    first: u64,
    entries: VecDeque<Entry>,
    /// The last visible commit that wrote each, of the entries that are here.
    last: HashMap<Resource, u64, RandomState>,
    /// Entries of all write sets.
    size: usize,
    /// Commits up to this one were forgotten although an active transaction may need
    /// them.
    forgotten: u64,
    /// Snapshots of active transactions, with their number.
    snapshots: BTreeMap<u64, usize>,
}

impl Recent {
    /// Panics in debug builds if commits, their write sets and snapshots contradict
    /// each other, as far as it is cheap to see.
    fn invariants(&self) {
        if !cfg!(debug_assertions) || self.entries.len() > WALKED_AT_MOST {
            return;
        }
        let sizes = self.entries.iter().map(|entry| entry.writes.len());
        assert_eq!(self.size, sizes.sum(), "entries of all write sets");
        let visible = self.entries.iter().filter_map(|entry| match entry.outcome {
            Outcome::Visible(csn) => Some(csn),
            Outcome::InFlight | Outcome::Failed => None,
        });
        assert!(
            visible.clone().is_sorted_by(|a, b| a < b),
            "positions ascend with the commits: {:?}",
            visible.collect::<Vec<_>>()
        );
        assert!(
            self.snapshots.values().all(|&count| count > 0),
            "a snapshot without a transaction holds back what is forgotten: {:?}",
            self.snapshots
        );
    }

    /// A transaction begins. Gives the position from which on commits may be
    /// newer than its snapshot.
    pub(super) fn register(&mut self, snapshot: u64) -> u64 {
        *self.snapshots.entry(snapshot).or_insert(0) += 1;
        let is_older =
            |entry: &Entry| matches!(entry.outcome, Outcome::Visible(csn) if csn <= snapshot);
        let newer = self
            .entries
            .iter()
            .rev()
            .take_while(|entry| !is_older(entry));
        self.end() - newer.count() as u64
    }

    /// A transaction needs nothing any more.
    pub(super) fn unregister(&mut self, snapshot: u64, limit: usize) {
        if let Some(count) = self.snapshots.get_mut(&snapshot) {
            *count -= 1;
            if *count == 0 {
                self.snapshots.remove(&snapshot);
            }
        }
        self.forget(limit);
        self.invariants();
    }

    pub(super) fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Write sets from a position on, of commits that a snapshot does not show.
    pub(super) fn since(
        &self,
        position: u64,
        snapshot: u64,
    ) -> Result<Vec<Arc<WriteSet>>, Conflict> {
        if self.forgotten > snapshot {
            return Err(Conflict::Forgotten {
                snapshot,
                forgotten: self.forgotten,
            });
        }
        let skip = position.saturating_sub(self.first) as usize;
        let is_unseen = |entry: &&Entry| match entry.outcome {
            Outcome::InFlight => !failpoint!("transaction.in-flight-unseen"),
            Outcome::Visible(csn) => csn > snapshot,
            Outcome::Failed => false,
        };
        let unseen = self.entries.iter().skip(skip).filter(is_unseen);
        Ok(unseen.map(|entry| Arc::clone(&entry.writes)).collect())
    }

    /// A commit enters the log. Gives its position.
    pub(super) fn push(&mut self, writes: Arc<WriteSet>) -> u64 {
        self.size += writes.len();
        self.entries.push_back(Entry {
            writes,
            outcome: Outcome::InFlight,
        });
        self.end() - 1
    }

    /// A commit is visible.
    pub(super) fn finish(&mut self, position: u64, csn: u64) {
        let Some(entry) = self.resolve(position, Outcome::Visible(csn)) else {
            return;
        };
        let writes = Arc::clone(&entry.writes);
        for resource in remembered(&writes) {
            let last = self.last.entry(resource).or_insert(0);
            *last = csn.max(*last);
        }
        self.invariants();
    }

    /// A commit did not come about.
    pub(super) fn fail(&mut self, position: u64) {
        self.resolve(position, Outcome::Failed);
    }

    fn resolve(&mut self, position: u64, outcome: Outcome) -> Option<&Entry> {
        let at = position.checked_sub(self.first)?;
        let entry = self.entries.get_mut(usize::try_from(at).ok()?)?;
        debug_assert_eq!(
            entry.outcome,
            Outcome::InFlight,
            "a commit has one outcome; now {outcome:?}"
        );
        entry.outcome = outcome;
        Some(entry)
    }

    /// The last visible commit after `snapshot` that locked a resource
    /// exclusively, or, for a node, gave it a relationship.
    pub(super) fn newer(
        &self,
        resource: &Resource,
        snapshot: u64,
    ) -> Result<Option<u64>, Conflict> {
        if self.forgotten > snapshot {
            return Err(Conflict::Forgotten {
                snapshot,
                forgotten: self.forgotten,
            });
        }
        let last = self.last.get(resource).copied();
        Ok(last.filter(|&csn| csn > snapshot))
    }

    /// Forgets the write sets that no active transaction needs, and the oldest of those
    /// above the limit.
    fn forget(&mut self, limit: usize) {
        let oldest = self.snapshots.keys().next().copied();
        while let Some(entry) = self.entries.front() {
            match entry.outcome {
                Outcome::InFlight => return,
                Outcome::Failed => {}
                Outcome::Visible(csn) => {
                    let is_needed = oldest.is_some_and(|oldest| csn > oldest);
                    if is_needed && self.size <= limit {
                        return;
                    }
                    if is_needed {
                        self.forgotten = csn;
                    }
                }
            }
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(entry) = self.entries.pop_front() else {
            return;
        };
        self.first += 1;
        self.size -= entry.writes.len();
        let Outcome::Visible(csn) = entry.outcome else {
            return;
        };
        for resource in remembered(&entry.writes) {
            if self.last.get(&resource).is_some_and(|&last| last <= csn) {
                self.last.remove(&resource);
            }
        }
    }

    /// Number of commits, and of entries of their write sets.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.entries.len(), self.size)
    }

    pub(super) fn oldest_snapshot(&self) -> Option<u64> {
        self.snapshots.keys().next().copied()
    }
}

/// Resources of a write set that locks ask for: nodes that got a relationship, and those
/// locked exclusively.
fn remembered(writes: &WriteSet) -> impl Iterator<Item = Resource> {
    let attached = writes.attached.iter().map(|&node| Resource::Node(node));
    attached.chain(writes.exclusive.iter().cloned())
}

#[cfg(all(test, debug_assertions))]
mod invariant_tests {
    use std::sync::Arc;

    use super::{Recent, WriteSet};

    fn recent() -> Recent {
        let mut recent = Recent::default();
        recent.register(1);
        for csn in 2..=3 {
            let position = recent.push(Arc::new(WriteSet::of_anything(Vec::new())));
            recent.finish(position, csn);
        }
        recent
    }

    #[test]
    #[should_panic(expected = "entries of all write sets")]
    fn sizes_add_up() {
        let mut recent = recent();
        recent.size += 1;
        recent.invariants();
    }

    #[test]
    #[should_panic(expected = "positions ascend with the commits")]
    fn positions_are_in_the_order_of_commits() {
        let mut recent = recent();
        recent.entries.swap(0, 1);
        recent.invariants();
    }

    #[test]
    #[should_panic(expected = "holds back what is forgotten")]
    fn a_snapshot_has_a_transaction() {
        let mut recent = recent();
        recent.snapshots.insert(1, 0);
        recent.invariants();
    }

    #[test]
    #[should_panic(expected = "a commit has one outcome")]
    fn a_visible_commit_does_not_fail() {
        recent().fail(0);
    }
}
