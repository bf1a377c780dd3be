//! What bounds a query: its caller, time and memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::QueryError;

/// Cancels a query from another thread. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A token that nothing has cancelled.
    pub fn new() -> Self {
        Cancellation::default()
    }

    /// Cancels the queries that have the token; they stop at the next batch.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Bounds of one run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Cancels it.
    pub cancellation: Cancellation,
    /// Longest time.
    pub timeout: Option<Duration>,
    /// Most bytes of rows that it holds at one time: sorting, grouping, results.
    pub memory: usize,
}

/// Bytes that a query may hold, unless told otherwise.
const MEMORY: usize = 1 << 30;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cancellation: Cancellation::new(),
            timeout: None,
            memory: MEMORY,
        }
    }
}

/// The limits of a run that goes on, shared by its threads.
pub(crate) struct Guard {
    limits: Limits,
    until: Option<Instant>,
    used: AtomicUsize,
}

impl Guard {
    pub(crate) fn new(limits: &Limits) -> Self {
        Guard {
            limits: limits.clone(),
            until: limits.timeout.map(|timeout| Instant::now() + timeout),
            used: AtomicUsize::new(0),
        }
    }

    /// Fails if the query is to stop.
    pub(crate) fn check(&self) -> Result<(), QueryError> {
        if self.limits.cancellation.is_cancelled() {
            return Err(QueryError::Cancelled);
        }
        match self.until {
            Some(until) if Instant::now() >= until => {
                Err(QueryError::Timeout(self.limits.timeout.unwrap_or_default()))
            }
            _ => Ok(()),
        }
    }

    /// An account of what a part of the query holds.
    pub(crate) fn account(&self, what: &'static str) -> Account<'_> {
        Account {
            guard: self,
            what,
            bytes: 0,
        }
    }
}

/// Bytes that a part of a query holds, given back when it is dropped.
pub(crate) struct Account<'g> {
    guard: &'g Guard,
    what: &'static str,
    bytes: usize,
}

impl Account<'_> {
    /// Notes that so many more bytes are held.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), QueryError> {
        self.bytes += bytes;
        let used = self.guard.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match used > self.guard.limits.memory {
            true => Err(QueryError::Memory {
                limit: self.guard.limits.memory,
                what: self.what,
            }),
            false => Ok(()),
        }
    }

    /// Notes that so many bytes are held now.
    pub(crate) fn set(&mut self, bytes: usize) -> Result<(), QueryError> {
        let before = std::mem::take(&mut self.bytes);
        self.guard.used.fetch_sub(before, Ordering::Relaxed);
        self.add(bytes)
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.guard.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
