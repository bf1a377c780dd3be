//! Running a transaction again after conflicts, and exclusive locks for it.
//!
//! A transaction that was refused an exclusive lock, or whose snapshot was too old for
//! it, reserves the resource when it is run again, and begins when it has the lock: it
//! waits while it holds nothing, and its snapshot shows all commits of the earlier
//! holders.
//!
//! *No deadlock:* only a transaction that has not begun waits, and only for transactions
//! that have begun.
//! *No starvation:* a reservation keeps off younger transactions alone, so of all that
//! wait the oldest is kept off by none, and those that hold what it wants are followed
//! by none. A transaction keeps its number when it is run again, so each becomes the
//! oldest.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evergraph_storage::failpoint;

use super::active::Transaction;
use super::committed::CommittedState;
use super::error::{Conflict, Retryable, TransactionError};
use super::id::TransactionId;
use super::lock::Resource;
use super::manager::{Inner, TransactionManager};
use super::settings::TransactionOptions;
use super::sync;

/// How often a claim that waits looks for transactions that are past their time.
const LOOK_AFTER: Duration = Duration::from_millis(20);

/// Resources that one transaction, over all its attempts, is to hold before it begins.
/// Reservations end with it.
pub(super) struct Claim<'m, S: CommittedState> {
    manager: &'m Arc<TransactionManager<S>>,
    /// Known when it has begun once.
    id: Option<TransactionId>,
    resources: BTreeSet<Resource>,
}

impl<S: CommittedState> TransactionManager<S> {
    /// Runs `attempt`, which writes and commits the transaction that it is given, again
    /// as long as it meets conflicts and the options allow. Between two attempts it
    /// waits until the transaction in the way has ended, and longer each time if that
    /// is not known. What an attempt was refused exclusively, the next has before it
    /// begins.
    ///
    /// # Errors
    /// The first error that is no conflict, or the last conflict.
    pub(crate) fn execute<R, E: Retryable + From<TransactionError>>(
        self: &Arc<Self>,
        options: &TransactionOptions,
        mut attempt: impl FnMut(Transaction<S>) -> Result<R, E>,
    ) -> Result<R, E> {
        let policy = &options.retry;
        let end = self.settings.clock.now();
        let end = end.saturating_add(policy.give_up_after);
        // An interrupt is the end of all time.
        let now = || match options.is_interrupted() {
            true => Duration::MAX,
            false => self.settings.clock.now(),
        };
        let mut claim = Claim::new(self);
        policy.run(
            now,
            |conflict, pause| self.wait_out(conflict, pause),
            || {
                let transaction = claim.begin(options, || now() >= end)?;
                let lease = Arc::clone(&transaction.part.lease);
                let outcome = attempt(transaction);
                claim.extend(lease.wanted());
                outcome
            },
        )
    }

    /// Waits up to `pause`, or less if the conflicting transaction ends.
    fn wait_out(&self, conflict: &Conflict, pause: Duration) {
        let is_in_the_way = |inner: &Inner| match conflict {
            Conflict::Held { holder, .. } => holder.is_some_and(|holder| inner.is_active(holder)),
            Conflict::Reserved { resource, by } => self.locks.reserved_for(resource) == Some(*by),
            _ => false,
        };
        if !matches!(
            conflict,
            Conflict::Held {
                holder: Some(_),
                ..
            } | Conflict::Reserved { .. }
        ) {
            return sync::sleep(pause);
        }
        let until = Instant::now() + pause;
        let mut inner = self.inner.lock();
        while is_in_the_way(&inner) && self.wait(&mut inner, until) {}
    }
}

impl<'m, S: CommittedState> Claim<'m, S> {
    /// Of a transaction that has not begun, on nothing.
    pub(super) fn new(manager: &'m Arc<TransactionManager<S>>) -> Self {
        Claim {
            manager,
            id: None,
            resources: BTreeSet::new(),
        }
    }

    /// Adds resources that are to be held from the next begin on.
    pub(super) fn extend(&mut self, resources: BTreeSet<Resource>) {
        self.resources.extend(resources);
    }

    /// Begins the transaction, again if it was begun before. Waits until it has all
    /// that is claimed.
    ///
    /// # Errors
    /// A conflict, if something of it is still not free when time `is_up`.
    pub(super) fn begin(
        &mut self,
        options: &TransactionOptions,
        is_up: impl Fn() -> bool,
    ) -> Result<Transaction<S>, TransactionError> {
        let manager = self.manager;
        let mut early = failpoint!(
            "transaction.snapshot-before-locks",
            Some(manager.state.view()),
            else None
        );
        loop {
            if !self.resources.is_empty() {
                manager.expire_overdue();
            }
            // Until it has begun or waits, so that no end in between is missed.
            let mut inner = manager.inner.lock();
            let lease = manager.lease(self.number(&mut inner), options);
            let Err(refused) = manager.lock_all(&lease, &self.resources) else {
                // Taken after the locks: it shows the commits of their earlier holders.
                let view = early.take().unwrap_or_else(|| manager.state.view());
                return Ok(Transaction::begin(
                    manager, &mut inner, lease, view, options,
                ));
            };
            if is_up() {
                return Err(refused);
            }
            manager.wait(&mut inner, Instant::now() + LOOK_AFTER);
        }
    }

    /// The transaction's number: the same for each run of it.
    fn number(&mut self, inner: &mut Inner) -> TransactionId {
        let before = self.id.filter(|id| !inner.is_active(*id));
        if let Some(kept) = self.id.filter(|_| before.is_none()) {
            // The last attempt has not ended, as the caller still holds it: this one gets a
            // new number.
            self.unreserve(kept);
        }
        *self
            .id
            .insert(before.unwrap_or_else(|| inner.take_number()))
    }

    fn unreserve(&self, id: TransactionId) {
        for resource in &self.resources {
            self.manager.locks.unreserve(resource, id);
        }
    }
}

impl<S: CommittedState> Drop for Claim<'_, S> {
    fn drop(&mut self) {
        if let Some(id) = self.id.filter(|_| !self.resources.is_empty()) {
            self.unreserve(id);
            self.manager.wake(&self.manager.inner.lock());
        }
    }
}
