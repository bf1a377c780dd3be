//! Rebases snapshots by itself, in a thread that begins with the first run on one.

use evergraph_storage::{Process, failpoint};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evergraph_algorithms::{Cancellation, Control};
use evergraph_topology::{SealedName, Store};
use parking_lot::{Condvar, Mutex};

use crate::heat::{Decision, Heat, RebasePolicy};
use crate::sealed::rebase;

/// How often the thread looks whether there is something to do.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// How long it waits after a rebase that failed (on a full disk, say); twice as long
/// after each further one in a row, up to the last of the two.
const WAITS: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(60 * 60)];

/// Counts runs on past commits, and rebases the snapshot of one that is hot.
pub(crate) struct Rebaser {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    process: Process,
}

struct Shared {
    heat: Mutex<Heat>,
    began: Instant,
    stop: Cancellation,
    asleep: Mutex<()>,
    wake: Condvar,
}

impl Rebaser {
    /// One that has seen no run yet, and has no thread.
    pub(crate) fn new(policy: RebasePolicy) -> Self {
        Rebaser {
            shared: Arc::new(Shared {
                heat: Mutex::new(Heat::new(policy, Duration::ZERO)),
                began: Instant::now(),
                stop: Cancellation::new(),
                asleep: Mutex::new(()),
                wake: Condvar::new(),
            }),
            thread: Mutex::new(None),
            process: Process::this(),
        }
    }

    /// Counts a run on a past commit.
    pub(crate) fn note(&self, store: &Arc<Store>, csn: u64) {
        let shared = &self.shared;
        shared.heat.lock().note(csn, shared.began.elapsed());
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let (theirs, store) = (Arc::clone(shared), Arc::downgrade(store));
            *thread = std::thread::Builder::new()
                .name("evergraph-rebase".to_string())
                .spawn(failpoint::hand_on(move || theirs.work(&store)))
                .ok();
        }
    }
}

impl Drop for Rebaser {
    /// Ends the thread; a graph that is being sealed is given up.
    fn drop(&mut self) {
        if self.process.is_parent() {
            // The thread is the parent's.
            return std::mem::forget(self.thread.get_mut().take());
        }
        self.shared.stop.cancel();
        drop(self.shared.asleep.lock());
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.get_mut().take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn work(&self, store: &Weak<Store>) {
        // Commits whose snapshots were rebased here.
        let mut automatic = Vec::new();
        let mut patience = Patience::default();
        while self.sleep() {
            let Some(store) = store.upgrade() else {
                return;
            };
            if patience.is_over(self.began.elapsed()) {
                let failed = self.look(&store, &mut automatic);
                patience.note(failed, self.began.elapsed());
            }
        }
    }

    /// Whether to go on after a while.
    fn sleep(&self) -> bool {
        let mut asleep = self.asleep.lock();
        // Stopping takes the lock, so that no wake-up is missed.
        if !self.stop.is_cancelled() {
            self.wake.wait_for(&mut asleep, LOOKS_EVERY);
        }
        !self.stop.is_cancelled()
    }

    /// Rebases the hottest snapshot, if one is hot; returns whether that failed.
    fn look(&self, store: &Arc<Store>, automatic: &mut Vec<u64>) -> Option<bool> {
        let sealed = rebased(store);
        automatic.retain(|csn| sealed.contains(csn));
        let decision = {
            let mut heat = self.heat.lock();
            heat.decide(self.began.elapsed(), load(), &sealed, automatic)
        };
        let Decision {
            rebase: csn,
            instead_of,
        } = decision?;
        if !self.rebase(store, csn) {
            return Some(true);
        }
        automatic.push(csn);
        let names: Vec<SealedName> = (store.sealed_graphs().into_iter())
            .filter(|graph| Some(graph.csn) == instead_of)
            .map(|graph| graph.name)
            .filter(|name| matches!(name, SealedName::Snapshot(_)))
            .collect();
        // If another thread dropped it first, nothing is left to be done.
        let _ = store.drop_sealed(&names);
        Some(false)
    }

    /// Whether it was done. If not (a full disk, a snapshot that was dropped), the
    /// commit stays hot and a later look may succeed.
    fn rebase(&self, store: &Arc<Store>, csn: u64) -> bool {
        let snapshots = store.snapshots();
        let Some(snapshot) = snapshots.iter().find(|known| known.csn == csn) else {
            return false;
        };
        let control = Control::new().with_cancellation(&self.stop);
        rebase(store, &snapshot.name, csn, &control).is_ok()
    }
}

/// Waits longer and longer while rebasing fails: each time reads the whole graph.
#[derive(Default)]
struct Patience {
    /// On the clock of the caller.
    until: Duration,
    failures: u32,
}

impl Patience {
    fn is_over(&self, now: Duration) -> bool {
        now >= self.until
    }

    /// Whether a rebase failed, if there was one.
    fn note(&mut self, failed: Option<bool>, now: Duration) {
        match failed {
            None => {}
            Some(false) => self.failures = 0,
            Some(true) => {
                let [first, longest] = WAITS;
                let wait = first.saturating_mul(1 << self.failures.min(16));
                self.until = now + wait.min(longest);
                self.failures += 1;
            }
        }
    }
}

/// Commits of snapshots that have a sealed graph.
fn rebased(store: &Store) -> Vec<u64> {
    let graphs = store.sealed_graphs().into_iter();
    graphs
        .filter(|graph| matches!(graph.name, SealedName::Snapshot(_)))
        .map(|graph| graph.csn)
        .collect()
}

/// Share of the processors that were busy in the last minute; all of them where the
/// system does not say.
fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    let busy: Option<f64> = first.and_then(|busy| busy.parse().ok());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    busy.map_or(1.0, |busy| busy / processors as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_tried_again_later_and_later() {
        let minutes = |count: u64| Duration::from_secs(60 * count);
        let mut patience = Patience::default();
        let mut now = Duration::ZERO;
        let mut waited = Vec::new();
        for _ in 0..9 {
            assert!(patience.is_over(now));
            patience.note(None, now);
            assert!(patience.is_over(now), "nothing was to be done");
            patience.note(Some(true), now);
            let over = (1..100).find(|&wait| patience.is_over(now + minutes(wait)));
            waited.push(over.unwrap());
            now += minutes(over.unwrap());
        }
        assert_eq!(waited, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        patience.note(Some(false), now);
        patience.note(Some(true), now);
        assert!(patience.is_over(now + minutes(1)));
    }
}
