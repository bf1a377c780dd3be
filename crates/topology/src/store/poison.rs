//! Panics in the middle of a change: what a thread leaves half done in DRAM must not be
//! built on, and threads that wait for it must not wait for ever.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Store;
use super::commit::Ticket;
use crate::error::TopologyError;

impl Store {
    /// Performs a part of a change that must not be left half done. If it panics, the
    /// store is poisoned: it refuses further changes until it is opened again, and reads
    /// go on. Background threads that change the store do all their work in it.
    ///
    /// Inside of the lock under which the change is made: whichever thread gets the lock
    /// next finds the store poisoned.
    #[inline(always)]
    pub fn poisoning<T>(&self, change: impl FnOnce() -> T) -> T {
        let unwound = Unwound(self);
        let done = change();
        std::mem::forget(unwound);
        done
    }

    fn poison(&self) {
        self.poisoned.store(true, Ordering::Relaxed);
        self.failed.store(true, Ordering::Release);
    }
}

/// Dropped only where a change unwinds.
struct Unwound<'a>(&'a Store);

impl Drop for Unwound<'_> {
    fn drop(&mut self) {
        self.0.poison();
    }
}

/// The lead of a group of commits, and the group once it is taken from the queue.
///
/// Dropped before [`Lead::end`], because its thread unwinds, it poisons the store, gives
/// up the lead, and completes every ticket that is in the group or waits.
pub(super) struct Lead<'a> {
    store: &'a Store,
    pub group: Vec<Arc<Ticket>>,
    /// The log was handed to the next leader.
    pub is_handed_on: bool,
    has_ended: bool,
}

impl<'a> Lead<'a> {
    pub fn new(store: &'a Store) -> Self {
        Lead {
            store,
            group: Vec::new(),
            is_handed_on: false,
            has_ended: false,
        }
    }

    /// Every ticket of the group has its outcome, and the next leader may lead.
    pub fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.store.poison();
        let mut abandoned = std::mem::take(&mut self.group);
        {
            let mut queue = self.store.queue.lock();
            abandoned.append(&mut queue.waiting);
            queue.leading &= self.is_handed_on;
        }
        let poisoned = Arc::new(TopologyError::Poisoned);
        for ticket in abandoned {
            ticket.complete(Err(Arc::clone(&poisoned)));
        }
    }
}
