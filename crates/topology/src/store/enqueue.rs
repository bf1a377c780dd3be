//! Commits that have their place in the order before they are durable.
//!
//! A transaction that validates against others has to know where in the order of
//! commits it stands, and must not hold the others up for a sync. So it is
//! prepared first, then validates and enqueues under a lock of its own, which
//! takes no time, and then waits.

use std::sync::Arc;

use parking_lot::RwLockReadGuard;

use super::commit::{Owner, Ticket};
use super::snapshots::Reserved;
use super::{Batch, Commit, Store};
use crate::error::TopologyError;

/// A commit that is checked and encoded, and has no place yet. Dropped, nothing has
/// happened.
#[must_use = "nothing is committed before it is enqueued and waited for"]
pub struct Prepared<'a> {
    store: &'a Store,
    ticket: Arc<Ticket>,
    reserved: Reserved<'a>,
    gate: RwLockReadGuard<'a, ()>,
}

/// A commit that has its place: of two, the one that was enqueued first has the
/// smaller CSN. Dropped without [`Enqueued::wait`], it is waited for all the same.
#[must_use = "wait for it, to learn what became of it"]
pub struct Enqueued<'a> {
    store: &'a Store,
    /// The one, until it was waited for.
    ticket: Option<Arc<Ticket>>,
    _reserved: Reserved<'a>,
    _gate: RwLockReadGuard<'a, ()>,
}

impl Store {
    /// Checks and encodes a batch: everything about a commit that takes time and
    /// that may fail before it is logged.
    ///
    /// As long as the result lives, commits that close the gate
    /// ([`Store::delete_vertices`], say) wait, and then all that come after those: a
    /// thread has only one at a time, and commits nothing else meanwhile.
    ///
    /// # Errors
    /// As [`Store::commit`]; and in direct mode, which has no order of commits.
    pub fn prepare(&self, batch: Batch) -> Result<Prepared<'_>, TopologyError> {
        let gate = self.flow.gate.read();
        self.validate(std::slice::from_ref(&batch))?;
        let reserved = self.reserve_names(std::slice::from_ref(&batch))?;
        if self.direct.is_some() {
            return Err(TopologyError::Unsupported(
                "direct mode has no order of commits to wait in".to_string(),
            ));
        }
        Ok(Prepared {
            store: self,
            ticket: self.ticket(batch, &Owner::here())?,
            reserved,
            gate,
        })
    }

    /// Gives a batch its place in the order of commits: [`Store::prepare`] and
    /// [`Prepared::enqueue`].
    ///
    /// # Errors
    /// As [`Store::prepare`].
    pub fn enqueue(&self, batch: Batch) -> Result<Enqueued<'_>, TopologyError> {
        Ok(self.prepare(batch)?.enqueue())
    }
}

impl<'a> Prepared<'a> {
    /// Gives the commit its place. Takes one lock that is never held for long: not during
    /// a sync, a merge, or while a commit is applied.
    pub fn enqueue(self) -> Enqueued<'a> {
        self.store.push(&self.ticket);
        Enqueued {
            store: self.store,
            ticket: Some(self.ticket),
            _reserved: self.reserved,
            _gate: self.gate,
        }
    }
}

impl Enqueued<'_> {
    /// Waits until the commit is durable, applied and visible; leads the group that it is
    /// in, if no other committer does.
    ///
    /// # Errors
    /// As [`Store::commit`]. Commits that were enqueued later may still succeed.
    pub fn wait(mut self) -> Result<Commit, TopologyError> {
        match self.ticket.take() {
            Some(ticket) => self.store.wait_for_one(ticket),
            None => unreachable!("taken only here and in drop"),
        }
    }
}

impl Drop for Enqueued<'_> {
    fn drop(&mut self) {
        // There may be no other committer to lead.
        if let Some(ticket) = self.ticket.take() {
            drop(self.store.wait_for_one(ticket));
        }
    }
}
