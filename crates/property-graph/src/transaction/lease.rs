//! Shared resources that a transaction holds, and whether it may go on.
//!
//! The lease is shared with the manager, so that locks of a transaction that is
//! past its time can be taken from it while its owner sleeps. Owners find out at
//! their next step.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::error::{Conflict, TransactionError};
use super::id::TransactionId;
use super::lock::{Held, LockTable, Mode, Refused, Resource};
use super::sync::{AtomicU8, Mutex, Ordering};

const ACTIVE: u8 = 0;
const COMMITTING: u8 = 1;
const EXPIRED: u8 = 2;
const TERMINATED: u8 = 3;
const ENDED: u8 = 4;

/// Locks and state of one transaction.
#[derive(Debug)]
pub(super) struct Lease {
    id: TransactionId,
    state: AtomicU8,
    /// When it expires, by the manager's clock, and how long it was given.
    deadline: Option<(Duration, Duration)>,
    held: Mutex<BTreeMap<Resource, Held>>,
    /// Resources that it was refused and needs exclusively.
    wanted: Mutex<BTreeSet<Resource>>,
}

impl Lease {
    /// A lease of a transaction that begins `now` and may take up to `limit`.
    pub(super) fn new(id: TransactionId, now: Duration, limit: Option<Duration>) -> Self {
        Lease {
            id,
            state: AtomicU8::new(ACTIVE),
            deadline: limit.map(|limit| (now.saturating_add(limit), limit)),
            held: Mutex::new(BTreeMap::new()),
            wanted: Mutex::new(BTreeSet::new()),
        }
    }

    pub(super) fn id(&self) -> TransactionId {
        self.id
    }

    /// Whether it ends at some time by itself.
    pub(super) fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// Whether the transaction may go on, without looking at the time.
    pub(super) fn check(&self) -> Result<(), TransactionError> {
        match self.state.load(Ordering::Acquire) {
            EXPIRED => Err(TransactionError::TimedOut {
                limit: self.deadline.map_or(Duration::ZERO, |deadline| deadline.1),
            }),
            TERMINATED => Err(TransactionError::Terminated(self.id)),
            _ => Ok(()),
        }
    }

    /// Takes a lock, or returns the conflict with its holder.
    pub(super) fn lock(
        &self,
        table: &LockTable,
        resource: &Resource,
        mode: Mode,
    ) -> Result<(), TransactionError> {
        let mut held = self.held.lock();
        // Checked under the lock: terminating this transaction takes all that it holds
        // then.
        self.check()?;
        let before = held.get(resource).copied().unwrap_or_default();
        match table.acquire(self.id, resource, mode, before) {
            Ok(now) if now == before => Ok(()),
            Ok(now) => {
                held.insert(resource.clone(), now);
                Ok(())
            }
            Err(refused) => Err(TransactionError::Conflict(match refused {
                Refused::Held(holder) => Conflict::Held {
                    resource: resource.clone(),
                    holder,
                },
                Refused::Reserved(by) => Conflict::Reserved {
                    resource: resource.clone(),
                    by,
                },
            })),
        }
    }

    /// Says that the transaction, when it is run again, is to hold a resource
    /// exclusively before it begins.
    pub(super) fn want(&self, resource: Resource) {
        self.wanted.lock().insert(resource);
    }

    /// Resources that it needs exclusively at its next run.
    pub(super) fn wanted(&self) -> BTreeSet<Resource> {
        self.wanted.lock().clone()
    }

    /// Resources that are held in a mode. The caller has to keep them from changing
    /// meanwhile.
    pub(super) fn held(&self, mode: Mode) -> Vec<Resource> {
        let held = self.held.lock();
        let in_mode = held.iter().filter(|(_, held)| held.writes == Some(mode));
        in_mode.map(|(resource, _)| resource.clone()).collect()
    }

    pub(super) fn lock_count(&self) -> usize {
        self.held.lock().len()
    }

    /// Begins to commit: from here on its locks cannot be taken away.
    pub(super) fn begin_commit(&self) -> Result<(), TransactionError> {
        self.pass(ACTIVE, COMMITTING);
        self.check()
    }

    /// Ends the transaction if it is past its time. Says whether this did it.
    pub(super) fn expire(&self, now: Duration, table: &LockTable) -> bool {
        let is_late = self.deadline.is_some_and(|(end, _)| now >= end);
        is_late && self.take_away(EXPIRED, table)
    }

    /// Ends the transaction unless it is committing. Says whether this did it.
    pub(super) fn terminate(&self, table: &LockTable) -> bool {
        self.take_away(TERMINATED, table)
    }

    fn take_away(&self, state: u8, table: &LockTable) -> bool {
        let is_taken = self.pass(ACTIVE, state);
        if is_taken {
            self.release(table);
        }
        is_taken
    }

    fn pass(&self, from: u8, to: u8) -> bool {
        let passed = self
            .state
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        passed.is_ok()
    }

    /// The owner has done with it.
    pub(super) fn end(&self, table: &LockTable) {
        self.pass(ACTIVE, ENDED);
        self.pass(COMMITTING, ENDED);
        self.release(table);
    }

    fn release(&self, table: &LockTable) {
        let held = std::mem::take(&mut *self.held.lock());
        for (resource, held) in held {
            table.release(resource, held);
        }
    }

    pub(super) fn is_committing(&self) -> bool {
        self.state.load(Ordering::Acquire) == COMMITTING
    }
}
