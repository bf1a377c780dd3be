//! From the last write to visibility.
//!
//! 1. The transaction stops being one that others may end.
//! 2. Its writes are gathered. A serializable one is validated against all
//!    commits that have entered the log since its snapshot.
//! 3. One at a time: it is validated against those that have entered meanwhile,
//!    remembered as in flight, and enqueued in the log.
//! 4. Others go on. When the commit is visible, its CSN is remembered, and only
//!    then its locks are given back: their next holder finds the new versions.

use std::sync::Arc;

use evergraph_storage::failpoint;

use super::active::{Participation, Transaction};
use super::committed::CommittedState;
use super::error::{Conflict, TransactionError};
use super::lock::{Mode, Resource};
use super::reads::ReadSet;
use super::sync::Ordering;
use super::writes::{IndexKey, NewName, WriteSet};

/// A commit with its place in the log, that is not visible yet.
/// [`Pending::finish`] waits for that. Dropped, it counts as failed.
pub(crate) struct Pending<S: CommittedState, T> {
    part: Participation<S>,
    ticket: T,
}

impl<S: CommittedState> Transaction<S> {
    /// Commits: `enqueue` gives the redo operations to the log, where they take their
    /// place before it returns; `wait` returns the CSN when the commit is durable and
    /// every view taken from then on shows it. `keys` are the entries that come into
    /// indexes or go from them. Encode the operations ([`Transaction::overlay`]) before:
    /// `enqueue` runs one at a time and must not wait for another commit.
    ///
    /// Returns the CSN, or `None` if nothing was written; then neither closure was
    /// called.
    ///
    /// # Errors
    /// A conflict (serializable transactions), a timeout, or errors of the closures.
    /// After an error of `wait` the store knows no better than its caller whether the
    /// commit is in the log.
    #[cfg(test)]
    pub(crate) fn commit<T>(
        self,
        keys: Vec<IndexKey>,
        enqueue: impl FnOnce() -> Result<T, S::Error>,
        wait: impl FnOnce(T) -> Result<u64, S::Error>,
    ) -> Result<Option<u64>, S::Error> {
        let changes_schema = || self.exclusive().contains(&Resource::Schema);
        if !self.has_effects() && keys.is_empty() && !changes_schema() {
            self.check()?;
            return Ok(None);
        }
        Ok(Some(self.enqueue(keys, enqueue)?.finish(wait)?))
    }

    /// Says which names the commit is the first to use: others may have found nothing
    /// that has them. To be called before [`Transaction::commit`].
    pub(crate) fn is_first_to_use(&mut self, names: Vec<NewName>) {
        self.names = names;
    }

    /// The first half of [`Transaction::commit`].
    ///
    /// # Errors
    /// As there; nothing of the transaction is in the log.
    pub(crate) fn enqueue<T>(
        mut self,
        keys: Vec<IndexKey>,
        enqueue: impl FnOnce() -> Result<T, S::Error>,
    ) -> Result<Pending<S, T>, S::Error> {
        let (exclusive, names) = (self.exclusive(), std::mem::take(&mut self.names));
        let writes = WriteSet::new(&self.overlay, keys, names, exclusive);
        self.enter(writes, enqueue)
    }

    /// As [`Transaction::commit`], of redo operations that are not in the overlay.
    /// Serializable transactions that overlap fail, whatever they read; locks keep out
    /// those that must not overlap at all.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn commit_load<T>(
        self,
        enqueue: impl FnOnce() -> Result<T, S::Error>,
        wait: impl FnOnce(T) -> Result<u64, S::Error>,
    ) -> Result<u64, S::Error> {
        let writes = WriteSet::of_anything(self.exclusive());
        self.enter(writes, enqueue)?.finish(wait)
    }

    fn enter<T>(
        self,
        writes: WriteSet,
        enqueue: impl FnOnce() -> Result<T, S::Error>,
    ) -> Result<Pending<S, T>, S::Error> {
        self.check()?;
        self.part.lease.begin_commit()?;
        let Transaction {
            view,
            overlay,
            reads,
            position,
            part,
            ..
        } = self;
        // Whatever the outcome, it reads no more: versions need not be kept.
        drop(view);
        let mut entering = Entering {
            part,
            reads: reads.map(|reads| reads.take()),
            position,
        };
        entering.validate()?;
        let (mut part, ticket) = entering.enter(writes, enqueue)?;
        part.keep_created(&overlay);
        failpoint!("transaction.early-release" => {
            part.lease.end(&part.manager.locks);
        });
        Ok(Pending { part, ticket })
    }

    /// Values and the schema, as far as locked exclusively.
    fn exclusive(&self) -> Vec<Resource> {
        let mut held = self.part.lease.held(Mode::Exclusive);
        held.retain(|resource| matches!(resource, Resource::Key(..) | Resource::Schema));
        held
    }
}

/// A transaction that has written everything and has no place in the log yet.
struct Entering<S: CommittedState> {
    part: Participation<S>,
    reads: Option<ReadSet>,
    /// Commits before this position are validated.
    position: u64,
}

impl<S: CommittedState> Entering<S> {
    /// Validates the reads against the commits that have entered the log since the last
    /// validation.
    fn validate(&mut self) -> Result<(), TransactionError> {
        let Some(reads) = &self.reads else {
            return Ok(());
        };
        failpoint!("transaction.no-validation" => {
            return Ok(());
        });
        let snapshot = self.part.snapshot;
        let manager = &self.part.manager;
        let inner = manager.inner.lock();
        let unseen = inner.recent.since(self.position, snapshot);
        self.position = inner.recent.end();
        drop(inner);
        let changed = unseen.map(|unseen| {
            let mut changed = unseen.iter().map(|writes| reads.changed_by(writes));
            changed.find_map(|what| what)
        });
        let conflict = match changed {
            Ok(None) => return Ok(()),
            Ok(Some(what)) => Conflict::Read { what, snapshot },
            Err(forgotten) => forgotten,
        };
        manager.counters.conflicts.fetch_add(1, Ordering::Relaxed);
        Err(conflict.into())
    }

    /// Validates against the rest, and takes the place in the log.
    fn enter<T, E: From<TransactionError>>(
        mut self,
        writes: WriteSet,
        enqueue: impl FnOnce() -> Result<T, E>,
    ) -> Result<(Participation<S>, T), E> {
        let manager = Arc::clone(&self.part.manager);
        let _order = manager.order.lock();
        if !failpoint!("transaction.validated-apart") {
            self.validate()?;
        }
        // Before it is enqueued: others are validated against it from now on.
        let position = manager.inner.lock().recent.push(Arc::new(writes));
        match enqueue() {
            Ok(ticket) => {
                self.part.in_flight = Some(position);
                Ok((self.part, ticket))
            }
            Err(error) => {
                manager.inner.lock().recent.fail(position);
                Err(error)
            }
        }
    }
}

impl<S: CommittedState, T> Pending<S, T> {
    /// Waits until the commit is durable and visible, and returns its CSN. Only then can
    /// other transactions lock the records that it wrote.
    ///
    /// # Errors
    /// Errors of `wait`.
    pub(crate) fn finish<E>(self, wait: impl FnOnce(T) -> Result<u64, E>) -> Result<u64, E> {
        let Pending { mut part, ticket } = self;
        let csn = wait(ticket)?;
        if let Some(position) = part.in_flight.take() {
            part.manager.inner.lock().recent.finish(position, csn);
        }
        part.manager
            .counters
            .committed
            .fetch_add(1, Ordering::Relaxed);
        Ok(csn)
    }
}
