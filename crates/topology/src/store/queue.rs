//! Commits that wait, their threads, and the lead of a group.
//!
//! Each thread sleeps by itself, and is woken when its commits are complete or when it
//! is to lead. Were all of them woken for each group, that would take longer than
//! what a small commit does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use evergraph_storage::Extent;
use parking_lot::{Mutex, MutexGuard};

use crate::error::TopologyError;
use crate::record::Op;
use crate::store::batch::Commit;
use crate::store::status::Status;

/// Says whether to stop; `None` never stops.
pub(in crate::store) type Stop<'a> = Option<&'a dyn Fn() -> bool>;

/// Interval at which a committer that can be stopped asks whether it is.
pub(in crate::store) const PATIENCE: Duration = Duration::from_millis(10);

/// Whether the caller wants to stop.
pub(in crate::store) fn is_stopped(stop: Stop<'_>) -> bool {
    stop.is_some_and(|stop| stop())
}

/// Commits that wait, and whether one of them leads.
#[derive(Default)]
pub(in crate::store) struct Queue {
    pub waiting: Vec<Arc<Ticket>>,
    pub leading: bool,
}

impl Queue {
    /// Wakes a sleeping committer to lead, if there are commits and no leader. A
    /// committer that has enqueued and does not sleep yet looks by itself.
    pub(in crate::store) fn wake_a_leader(&self) {
        if self.leading {
            return;
        }
        let mut owners = self.waiting.iter().map(|ticket| &ticket.owner);
        if let Some(asleep) = owners.find(|owner| owner.is_asleep.load(Ordering::Acquire)) {
            asleep.thread.unpark();
        }
    }

    /// Takes tickets back, unless a leader has taken one.
    pub(in crate::store) fn withdraw(&mut self, tickets: &[Arc<Ticket>]) -> bool {
        let is_ours = |waiting: &Arc<Ticket>| tickets.iter().any(|t| Arc::ptr_eq(t, waiting));
        let waiting = self.waiting.iter().filter(|w| is_ours(w)).count();
        if waiting < tickets.len() {
            return false;
        }
        self.waiting.retain(|waiting| !is_ours(waiting));
        true
    }
}

pub(in crate::store) struct Ticket {
    pub ops: Vec<Op>,
    /// Content of the log's record.
    pub payload: Vec<u8>,
    /// Extent that it names, if it does not hold the operations itself.
    pub extent: Option<Arc<Extent>>,
    pub wall_us: i64,
    pub outcome: Mutex<Option<Result<Commit, Arc<TopologyError>>>>,
    pub owner: Arc<Owner>,
}

/// The thread that waits for tickets.
pub(in crate::store) struct Owner {
    thread: Thread,
    /// Set while the queue is held.
    is_asleep: AtomicBool,
}

impl Owner {
    /// This thread.
    pub(in crate::store) fn here() -> Arc<Self> {
        Arc::new(Owner {
            thread: thread::current(),
            is_asleep: AtomicBool::new(false),
        })
    }

    /// Sleeps until it is woken, or until it is time to ask `stop` again.
    pub(in crate::store) fn sleep(&self, queue: MutexGuard<'_, Queue>, stop: Stop<'_>) {
        self.is_asleep.store(true, Ordering::Release);
        drop(queue);
        match stop {
            None => thread::park(),
            Some(_) => thread::park_timeout(PATIENCE),
        }
        self.is_asleep.store(false, Ordering::Release);
    }
}

impl Ticket {
    pub(in crate::store) fn names_snapshots(&self) -> bool {
        self.ops.iter().any(Op::names_snapshots)
    }

    /// Gives its owner the outcome, unless it has one.
    pub(in crate::store) fn complete(&self, outcome: Result<Commit, Arc<TopologyError>>) {
        self.outcome.lock().get_or_insert(outcome);
        self.owner.thread.unpark();
    }
}

/// The lead of a group of commits, and the group once it is taken from the queue.
///
/// Dropped before [`Lead::end`], because its thread unwinds, it poisons the store, gives
/// up the lead, and completes every ticket that is in the group or waits.
pub(in crate::store) struct Lead<'a> {
    queue: &'a Mutex<Queue>,
    status: &'a Status,
    pub group: Vec<Arc<Ticket>>,
    /// The log was handed to the next leader.
    pub is_handed_on: bool,
    has_ended: bool,
}

impl<'a> Lead<'a> {
    pub(in crate::store) fn new(queue: &'a Mutex<Queue>, status: &'a Status) -> Self {
        Lead {
            queue,
            status,
            group: Vec::new(),
            is_handed_on: false,
            has_ended: false,
        }
    }

    /// Every ticket of the group has its outcome, and the next leader may lead.
    pub(in crate::store) fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.status.poison();
        let mut abandoned = std::mem::take(&mut self.group);
        {
            let mut queue = self.queue.lock();
            abandoned.append(&mut queue.waiting);
            queue.leading &= self.is_handed_on;
        }
        let poisoned = Arc::new(TopologyError::Poisoned);
        for ticket in abandoned {
            ticket.complete(Err(Arc::clone(&poisoned)));
        }
    }
}
