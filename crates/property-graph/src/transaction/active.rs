//! A transaction from its begin to its commit.

use std::sync::Arc;

use evergraph_storage::failpoint;

use super::committed::CommittedState;
use super::error::{Conflict, Retryable, TransactionError};
use super::id::TransactionId;
use super::lease::Lease;
use super::lock::{Mode, Resource};
use super::manager::{Inner, TransactionManager};
use super::overlay::{Kind, Overlay, Savepoint};
use super::reads::{Predicate, Reads};
use super::settings::{Isolation, TransactionOptions};
use super::sync::Ordering;
use super::writes::NewName;
use crate::record::{EntityKind, NodeRecord, RelationshipRecord};

/// A transaction. Dropped without a commit, it leaves nothing.
///
/// Reading takes `&self` and may be done by several threads; reads see the state
/// committed at the snapshot and the transaction's own writes. Writing locks first; after
/// an error nothing more is written than before the call, and locks that it took are kept
/// to the end.
pub(crate) struct Transaction<S: CommittedState> {
    pub(super) view: S::View,
    pub(super) overlay: Overlay,
    pub(super) reads: Option<Reads>,
    /// Names that its commit is the first to use.
    pub(super) names: Vec<NewName>,
    /// From where in [`super::recent::Recent`] it has to be validated.
    pub(super) position: u64,
    // Last: it ends after the view.
    pub(super) part: Participation<S>,
}

/// Shared resources that a transaction holds; given back on drop.
pub(super) struct Participation<S: CommittedState> {
    pub(super) manager: Arc<TransactionManager<S>>,
    pub(super) lease: Arc<Lease>,
    pub(super) snapshot: u64,
    /// Ids for new records, given back on drop.
    pub(super) reserved: Vec<(EntityKind, u32)>,
    /// The place of its commit, while that is in flight.
    pub(super) in_flight: Option<u64>,
}

impl<S: CommittedState> TransactionManager<S> {
    /// Begins a transaction, with a snapshot at the watermark. O(1).
    pub(crate) fn begin(self: &Arc<Self>, options: &TransactionOptions) -> Transaction<S> {
        let mut inner = self.inner.lock();
        let lease = self.lease(inner.take_number(), options);
        let view = self.state.view();
        Transaction::begin(self, &mut inner, lease, view, options)
    }
}

impl<S: CommittedState> Transaction<S> {
    /// Begins a transaction that has its locks. `inner` has been locked since before the
    /// view was taken.
    pub(super) fn begin(
        manager: &Arc<TransactionManager<S>>,
        inner: &mut Inner,
        lease: Arc<Lease>,
        view: S::View,
        options: &TransactionOptions,
    ) -> Self {
        let snapshot = S::csn(&view);
        let position = manager.register(inner, &lease, snapshot, options);
        let limit = manager.settings.remembered_reads;
        let is_serializable = options.isolation == Isolation::Serializable;
        Transaction {
            view,
            overlay: Overlay::default(),
            reads: is_serializable.then(|| Reads::new(limit)),
            names: Vec::new(),
            position,
            part: Participation {
                manager: Arc::clone(manager),
                lease,
                snapshot,
                reserved: Vec::new(),
                in_flight: None,
            },
        }
    }

    /// Manager that began it.
    #[cfg(test)]
    pub(crate) fn manager(&self) -> &Arc<TransactionManager<S>> {
        &self.part.manager
    }

    pub(crate) fn id(&self) -> TransactionId {
        self.part.lease.id()
    }

    /// The commit that it reads as of.
    #[cfg(test)]
    pub(crate) fn snapshot(&self) -> u64 {
        self.part.snapshot
    }

    /// The committed state as of the snapshot. A caller that reads it without the methods
    /// here has to record its reads with [`Transaction::has_read`] and
    /// [`Transaction::has_read_record`], or validation misses them.
    pub(crate) fn view(&self) -> &S::View {
        &self.view
    }

    pub(crate) fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// The read set, if it is serializable.
    pub(crate) fn reads(&self) -> Option<&Reads> {
        self.reads.as_ref()
    }

    pub(crate) fn isolation(&self) -> Isolation {
        match self.reads {
            Some(_) => Isolation::Serializable,
            None => Isolation::Snapshot,
        }
    }

    /// Whether it may go on: it is not past its time, and was not terminated. Long reads
    /// have to ask now and then.
    ///
    /// # Errors
    /// [`TransactionError::TimedOut`], [`TransactionError::Terminated`].
    pub(crate) fn check(&self) -> Result<(), TransactionError> {
        self.part.manager.check(&self.part.lease)
    }

    /// Says that something was asked for. No cost unless serializable.
    pub(crate) fn has_read(&self, predicate: Predicate) {
        if let Some(reads) = &self.reads {
            reads.add(predicate);
        }
    }

    /// Says that a record was looked at. No cost unless serializable.
    pub(crate) fn has_read_record(&self, kind: EntityKind, id: u32) {
        if let Some(reads) = &self.reads {
            reads.add_record(kind, id);
        }
    }

    /// A record as the transaction sees it.
    ///
    /// # Errors
    /// Errors of the committed state.
    pub(crate) fn read<R: Kind>(&self, id: u32) -> Result<Option<Arc<R>>, S::Error> {
        self.has_read_record(R::KIND, id);
        self.look_at(id)
    }

    /// As [`Transaction::read`], for records that a lock protects anyway.
    pub(super) fn look_at<R: Kind>(&self, id: u32) -> Result<Option<Arc<R>>, S::Error> {
        let committed = || R::committed(&*self.part.manager.state, &self.view, id);
        match self.overlay.change::<R>(id) {
            Some(change) => change.record(committed),
            None => committed(),
        }
    }

    /// A place to come back to with [`Transaction::rollback_to`]. O(1).
    pub(crate) fn savepoint(&mut self) -> Savepoint {
        self.overlay.savepoint()
    }

    /// Undoes the writes since a savepoint, which stays. Locks are kept.
    ///
    /// # Errors
    /// [`TransactionError::NoSavepoint`].
    pub(crate) fn rollback_to(&mut self, savepoint: Savepoint) -> Result<(), TransactionError> {
        self.overlay.rollback_to(savepoint)
    }

    /// Gives up a savepoint; the writes stay.
    ///
    /// # Errors
    /// [`TransactionError::NoSavepoint`].
    pub(crate) fn release(&mut self, savepoint: Savepoint) -> Result<(), TransactionError> {
        self.overlay.release(savepoint)
    }

    /// Ends the transaction without a trace, as dropping it does.
    pub(crate) fn rollback(self) {}

    /// Locks a value of a unique constraint: to be called before it is given to
    /// a record, and before it is taken from one. Then whether the value exists
    /// can be decided as of the snapshot.
    ///
    /// # Errors
    /// A conflict.
    pub(crate) fn lock_key(&self, constraint: u32, key: &[u8]) -> Result<(), S::Error> {
        let resource = Resource::Key(constraint, key.into());
        Ok(self.lock_exclusive(resource)?)
    }

    /// Keeps the schema as it is until the commit: to be called before the first
    /// write that constraints or indexes are about.
    ///
    /// # Errors
    /// A conflict with a transaction that changes it, or did after the snapshot.
    pub(crate) fn share_schema(&self) -> Result<(), S::Error> {
        self.lock(&Resource::Schema, Mode::Share)?;
        Ok(self.check_remembered(&Resource::Schema)?)
    }

    /// Locks the schema to change it: no other transaction writes until the commit.
    ///
    /// # Errors
    /// A conflict with one that writes, or has changed the schema after the snapshot.
    pub(crate) fn lock_schema(&self) -> Result<(), S::Error> {
        let locked = self.lock_exclusive(Resource::Schema);
        self.wanted_after(locked.map_err(S::Error::from), Resource::Schema)
    }

    /// Gives an outcome back. If it is a conflict, the transaction is to hold
    /// `resource` exclusively before it begins, when it is run again
    /// ([`TransactionManager::execute`]).
    pub(crate) fn wanted_after<T>(
        &self,
        outcome: Result<T, S::Error>,
        resource: Resource,
    ) -> Result<T, S::Error> {
        if outcome.as_ref().is_err_and(Retryable::is_retryable) {
            self.part.lease.want(resource);
        }
        outcome
    }

    fn lock_exclusive(&self, resource: Resource) -> Result<(), TransactionError> {
        self.lock(&resource, Mode::Exclusive)?;
        self.check_remembered(&resource)
    }

    pub(super) fn lock(&self, resource: &Resource, mode: Mode) -> Result<(), TransactionError> {
        failpoint!("transaction.no-locks" => {
            return Ok(());
        });
        let manager = &self.part.manager;
        let outcome = manager.lock(&self.part.lease, resource, mode);
        outcome.inspect_err(|error| self.count(error))
    }

    /// Whether a resource that has just been locked was changed after the snapshot, as
    /// far as only the manager knows.
    pub(super) fn check_remembered(&self, resource: &Resource) -> Result<(), TransactionError> {
        let snapshot = self.part.snapshot;
        let newer = self
            .part
            .manager
            .inner
            .lock()
            .recent
            .newer(resource, snapshot);
        let conflict = match (newer, resource) {
            (Ok(None), _) => return Ok(()),
            (Err(forgotten), _) => forgotten,
            (Ok(Some(_)), &Resource::Node(node)) => Conflict::Attached { node, snapshot },
            (Ok(Some(newest)), _) => Conflict::Newer {
                resource: resource.clone(),
                snapshot,
                newest,
            },
        };
        Err(self.conflict(conflict))
    }

    pub(super) fn conflict(&self, conflict: Conflict) -> TransactionError {
        let error = TransactionError::Conflict(conflict);
        self.count(&error);
        error
    }

    fn count(&self, error: &TransactionError) {
        if matches!(error, TransactionError::Conflict(_)) {
            let conflicts = &self.part.manager.counters.conflicts;
            conflicts.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn has_effects(&self) -> bool {
        !self.overlay.is_empty()
    }
}

impl<S: CommittedState> Participation<S> {
    /// Ids that became those of records are not given back.
    pub(super) fn keep_created(&mut self, overlay: &Overlay) {
        self.reserved.retain(|&(kind, id)| match kind {
            EntityKind::Node => !overlay.creates::<NodeRecord>(id),
            EntityKind::Relationship => !overlay.creates::<RelationshipRecord>(id),
        });
    }
}

impl<S: CommittedState> Drop for Participation<S> {
    fn drop(&mut self) {
        if let Some(position) = self.in_flight.take() {
            // Its ids may be in the log.
            self.manager.inner.lock().recent.fail(position);
        } else {
            self.reserved.sort_unstable();
            let follows = |a: &(EntityKind, u32), b: &(EntityKind, u32)| (a.0, a.1 + 1) == *b;
            for ids in self.reserved.chunk_by(follows) {
                let (kind, first) = ids[0];
                self.manager
                    .state
                    .release(kind, first..first + ids.len() as u32);
            }
        }
        self.lease.end(&self.manager.locks);
        self.manager.forget(&self.lease);
    }
}
