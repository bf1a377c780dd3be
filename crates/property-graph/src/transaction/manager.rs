//! State that transactions share: which are active, their locks, and the write sets of
//! recent commits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::committed::CommittedState;
use super::error::{Conflict, TransactionError};
use super::id::TransactionId;
use super::lease::Lease;
use super::lock::{LockTable, Mode, Resource};
use super::overlay::Change;
use super::recent::Recent;
use super::settings::{Isolation, Settings, TransactionOptions};
use super::sync::{self, AtomicU64, Condvar, Mutex, MutexGuard, Ordering};
use crate::record::NodeRecord;

/// Begins transactions, keeps them apart, and puts their commits in order.
pub(crate) struct TransactionManager<S> {
    pub(super) state: Arc<S>,
    pub(super) settings: Settings,
    pub(super) locks: LockTable,
    pub(super) inner: Mutex<Inner>,
    /// Held by one commit from its validation until it is in the log's queue:
    /// so the positions of [`Recent`] are the order of the log.
    pub(super) order: Mutex<()>,
    /// With `inner`: a transaction, or a reservation, ended.
    ended: Condvar,
    pub(super) counters: Counters,
}

#[derive(Default)]
pub(super) struct Inner {
    next: u64,
    active: BTreeMap<TransactionId, Active>,
    pub(super) recent: Recent,
    /// Threads that wait for a transaction to end.
    waiting: usize,
}

struct Active {
    lease: Arc<Lease>,
    snapshot: u64,
    isolation: Isolation,
    began: Duration,
    name: Option<Arc<str>>,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) begun: AtomicU64,
    pub(super) committed: AtomicU64,
    pub(super) conflicts: AtomicU64,
    pub(super) expired: AtomicU64,
}

/// A transaction that has begun and not ended.
#[derive(Clone, Debug)]
pub struct ActiveTransaction {
    /// Its number.
    pub id: TransactionId,
    /// The commit that it reads as of.
    pub snapshot: u64,
    /// Isolation level.
    pub isolation: Isolation,
    /// How long it has been active.
    pub age: Duration,
    /// Number of resources that it has locked.
    pub locks: usize,
    /// Whether it is committing, and cannot be ended any more.
    pub is_committing: bool,
    /// Name given by [`TransactionOptions::name`].
    pub name: Option<Arc<str>>,
}

/// Numbers since the graph was opened, and numbers of now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Transactions that began.
    pub begun: u64,
    /// Transactions that committed something.
    pub committed: u64,
    /// Conflicts that were raised.
    pub conflicts: u64,
    /// Transactions that ran out of time.
    pub expired: u64,
    /// Transactions that are active now.
    pub active: usize,
    /// Resources that are locked now.
    pub locked: usize,
    /// Commits that are remembered because an active transaction is older, or
    /// because they are in flight.
    pub remembered_commits: usize,
    /// Entries of their write sets.
    pub remembered_writes: usize,
    /// The oldest snapshot of an active transaction.
    pub oldest_snapshot: Option<u64>,
}

impl Inner {
    /// A number that no transaction has had.
    pub(super) fn take_number(&mut self) -> TransactionId {
        self.next += 1;
        TransactionId(self.next - 1)
    }

    /// Whether a transaction of this number has begun and not ended.
    pub(super) fn is_active(&self, id: TransactionId) -> bool {
        self.active.contains_key(&id)
    }

    /// Panics in debug builds if a transaction's snapshot is not held, or another is.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let oldest = self.active.values().map(|active| active.snapshot).min();
        assert_eq!(
            self.recent.oldest_snapshot(),
            oldest,
            "what is forgotten is older than each active transaction"
        );
        let newest = self.active.last_key_value().map(|(id, _)| id.0);
        assert!(
            newest.is_none_or(|newest| newest < self.next),
            "transaction {newest:?} is active, the next is {}",
            self.next
        );
    }
}

impl<S: CommittedState> TransactionManager<S> {
    /// Nodes that one transaction can write at most.
    pub(crate) fn most_nodes_at_once(&self) -> u64 {
        let least = Change::made(NodeRecord::default()).bytes();
        (self.settings.overlay_bytes / least) as u64
    }

    /// No transaction is active yet.
    pub(crate) fn new(state: Arc<S>, settings: Settings) -> Arc<Self> {
        Arc::new(TransactionManager {
            state,
            locks: LockTable::new(settings.lock_shards),
            settings,
            inner: Mutex::new(Inner::default()),
            order: Mutex::new(()),
            ended: Condvar::default(),
            counters: Counters::default(),
        })
    }

    /// The committed state.
    #[cfg(test)]
    pub(crate) fn state(&self) -> &Arc<S> {
        &self.state
    }

    pub(super) fn lease(&self, id: TransactionId, options: &TransactionOptions) -> Arc<Lease> {
        let limit = options.timeout.or(self.settings.timeout);
        Arc::new(Lease::new(id, self.settings.clock.now(), limit))
    }

    /// Locks all resources exclusively. Those that are not free are reserved.
    ///
    /// # Errors
    /// A conflict; then nothing is locked.
    pub(super) fn lock_all(
        &self,
        lease: &Lease,
        resources: &BTreeSet<Resource>,
    ) -> Result<(), TransactionError> {
        for resource in resources {
            self.locks.reserve(resource, lease.id());
        }
        let mut all = resources.iter();
        let locked =
            all.try_for_each(|resource| lease.lock(&self.locks, resource, Mode::Exclusive));
        locked.inspect_err(|_| lease.end(&self.locks))
    }

    /// Registers a transaction that begins, and returns from where in [`Recent`] it has to
    /// be validated. `inner` has been locked since before the view of its snapshot was
    /// taken, so that no commit in between can be forgotten.
    pub(super) fn register(
        &self,
        inner: &mut Inner,
        lease: &Arc<Lease>,
        snapshot: u64,
        options: &TransactionOptions,
    ) -> u64 {
        let position = inner.recent.register(snapshot);
        let active = Active {
            lease: Arc::clone(lease),
            snapshot,
            isolation: options.isolation,
            began: self.settings.clock.now(),
            name: options.name.clone(),
        };
        inner.active.insert(lease.id(), active);
        inner.invariants();
        self.counters.begun.fetch_add(1, Ordering::Relaxed);
        position
    }

    /// Waits until a transaction or a reservation has ended; `false` if there was none
    /// before `until`.
    pub(super) fn wait(&self, inner: &mut MutexGuard<'_, Inner>, until: Instant) -> bool {
        inner.waiting += 1;
        let is_woken = sync::wait(&self.ended, inner, until);
        inner.waiting -= 1;
        is_woken
    }

    /// Wakes those that wait for an end.
    pub(super) fn wake(&self, inner: &Inner) {
        if inner.waiting > 0 {
            self.ended.notify_all();
        }
    }

    /// Takes a lock for a transaction; ends a transaction in the way that is
    /// past its time.
    pub(super) fn lock(
        &self,
        lease: &Lease,
        resource: &Resource,
        mode: Mode,
    ) -> Result<(), TransactionError> {
        self.check(lease)?;
        match lease.lock(&self.locks, resource, mode) {
            Err(TransactionError::Conflict(Conflict::Held { holder, .. }))
                if self.expire(holder) > 0 =>
            {
                lease.lock(&self.locks, resource, mode)
            }
            outcome => outcome,
        }
    }

    /// Whether a transaction may go on.
    pub(super) fn check(&self, lease: &Lease) -> Result<(), TransactionError> {
        if lease.has_deadline() && lease.expire(self.settings.clock.now(), &self.locks) {
            self.was_expired(lease);
        }
        lease.check()
    }

    /// Ends transactions that are past their time, so that others do not meet their
    /// locks. Happens by itself when one is in the way of another. Returns their number.
    pub(crate) fn expire_overdue(&self) -> usize {
        self.expire(None)
    }

    /// Ends `which`, or all, if past its time.
    fn expire(&self, which: Option<TransactionId>) -> usize {
        let now = self.settings.clock.now();
        let inner = self.inner.lock();
        let all = inner.active.values().map(|active| &active.lease);
        let asked = all.filter(|lease| which.is_none_or(|which| which == lease.id()));
        let leases: Vec<_> = asked
            .filter(|lease| lease.has_deadline())
            .cloned()
            .collect();
        drop(inner);
        let mut expired = 0;
        for lease in leases {
            if lease.expire(now, &self.locks) {
                self.was_expired(&lease);
                expired += 1;
            }
        }
        expired
    }

    fn was_expired(&self, lease: &Lease) {
        self.counters.expired.fetch_add(1, Ordering::Relaxed);
        self.forget(lease);
    }

    /// Ends an active transaction: its locks are free at once, and its owner
    /// gets an error at its next step. `false` if there is none, or it is
    /// committing.
    pub(crate) fn terminate(&self, id: TransactionId) -> bool {
        let lease = self
            .inner
            .lock()
            .active
            .get(&id)
            .map(|a| Arc::clone(&a.lease));
        let ended = lease.filter(|lease| lease.terminate(&self.locks));
        if let Some(lease) = &ended {
            self.forget(lease);
        }
        ended.is_some()
    }

    /// A transaction is over and has no locks any more.
    pub(super) fn forget(&self, lease: &Lease) {
        let mut inner = self.inner.lock();
        let active = inner.active.get(&lease.id());
        // Not one that is the same, run again.
        if active.is_some_and(|active| std::ptr::eq(&*active.lease, lease))
            && let Some(active) = inner.active.remove(&lease.id())
        {
            let limit = self.settings.remembered_writes;
            inner.recent.unregister(active.snapshot, limit);
        }
        inner.invariants();
        self.wake(&inner);
    }

    /// Transactions that are active, by number.
    pub(crate) fn active(&self) -> Vec<ActiveTransaction> {
        let now = self.settings.clock.now();
        let inner = self.inner.lock();
        let describe = |(&id, active): (&TransactionId, &Active)| ActiveTransaction {
            id,
            snapshot: active.snapshot,
            isolation: active.isolation,
            age: now.saturating_sub(active.began),
            locks: active.lease.lock_count(),
            is_committing: active.lease.is_committing(),
            name: active.name.clone(),
        };
        inner.active.iter().map(describe).collect()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let locked = self.locks.len();
        let inner = self.inner.lock();
        let (remembered_commits, remembered_writes) = inner.recent.size();
        Statistics {
            begun: count(&self.counters.begun),
            committed: count(&self.counters.committed),
            conflicts: count(&self.counters.conflicts),
            expired: count(&self.counters.expired),
            active: inner.active.len(),
            locked,
            remembered_commits,
            remembered_writes,
            oldest_snapshot: inner.recent.oldest_snapshot(),
        }
    }
}

impl<S> fmt::Debug for TransactionManager<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionManager")
            .field("settings", &self.settings)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}
