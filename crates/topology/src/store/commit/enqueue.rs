//! Commits that have their place in the order before they are durable.
//!
//! A transaction that validates against others has to know where in the order of
//! commits it stands, and must not hold the others up for a sync. So it is
//! prepared first, then validates and enqueues under a lock of its own, which
//! takes no time, and then waits.

use std::sync::Arc;

use parking_lot::RwLockReadGuard;

use crate::error::TopologyError;
use crate::store::batch::{Batch, Commit};
use crate::store::commit::Committer;
use crate::store::live::catalog::Reserved;
use crate::store::queue::{Owner, Ticket};

/// A commit that is checked and encoded, and has no place yet. Dropped, nothing has
/// happened.
#[must_use = "nothing is committed before it is enqueued and waited for"]
pub struct Prepared<'a> {
    committer: &'a Committer,
    ticket: Arc<Ticket>,
    reserved: Reserved<'a>,
    gate: RwLockReadGuard<'a, ()>,
}

/// A commit that has its place: of two, the one that was enqueued first has the
/// smaller CSN. Dropped without [`Enqueued::wait`], it is waited for all the same.
#[must_use = "wait for it, to learn what became of it"]
pub struct Enqueued<'a> {
    committer: &'a Committer,
    /// The one, until it was waited for.
    ticket: Option<Arc<Ticket>>,
    _reserved: Reserved<'a>,
    _gate: RwLockReadGuard<'a, ()>,
}

impl Committer {
    pub(in crate::store) fn prepare(&self, batch: Batch) -> Result<Prepared<'_>, TopologyError> {
        let gate = self.gate.read();
        self.validate(std::slice::from_ref(&batch))?;
        let reserved = self
            .live()
            .snapshots
            .reserve(std::slice::from_ref(&batch))?;
        if self.live().direct.is_some() {
            return Err(TopologyError::WrongMode(
                "direct mode has no order of commits to wait in",
            ));
        }
        Ok(Prepared {
            committer: self,
            ticket: self.ticket(batch, &Owner::here())?,
            reserved,
            gate,
        })
    }

    pub(in crate::store) fn enqueue(&self, batch: Batch) -> Result<Enqueued<'_>, TopologyError> {
        Ok(self.prepare(batch)?.enqueue())
    }
}

impl<'a> Prepared<'a> {
    /// Gives the commit its place. Takes one lock that is never held for long: not during
    /// a sync, a merge, or while a commit is applied.
    pub fn enqueue(self) -> Enqueued<'a> {
        self.committer.push(&self.ticket);
        Enqueued {
            committer: self.committer,
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
    /// As [`Store::commit`](crate::Store::commit). Commits that were enqueued later may still succeed.
    pub fn wait(mut self) -> Result<Commit, TopologyError> {
        match self.ticket.take() {
            Some(ticket) => self.committer.wait_for_one(ticket),
            None => unreachable!("taken only here and in drop"),
        }
    }
}

impl Drop for Enqueued<'_> {
    fn drop(&mut self) {
        // There may be no other committer to lead.
        if let Some(ticket) = self.ticket.take() {
            drop(self.committer.wait_for_one(ticket));
        }
    }
}
