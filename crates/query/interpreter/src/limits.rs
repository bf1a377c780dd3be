//! What bounds a query: its caller, time and memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use evergraph_functions::{Clock, Entities, Environment};

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
    /// Most threads that read at a time; with one, rows without an order and sums of
    /// floats are the same each time.
    pub threads: usize,
}

/// Bytes that a query may hold, unless told otherwise.
const MEMORY: usize = 1 << 30;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cancellation: Cancellation::new(),
            timeout: None,
            memory: MEMORY,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// The limits of a run that goes on, shared by its threads.
pub(crate) struct Guard {
    limits: Limits,
    until: Option<Instant>,
    used: AtomicUsize,
    /// One of its threads has failed.
    has_failed: AtomicBool,
}

impl Guard {
    pub(crate) fn new(limits: &Limits) -> Self {
        Guard {
            limits: limits.clone(),
            until: limits.timeout.map(|timeout| Instant::now() + timeout),
            used: AtomicUsize::new(0),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Stops the other threads of the query.
    pub(crate) fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
    }

    /// What expressions of one thread share: none of their values may be larger than the
    /// memory of the query.
    pub(crate) fn environment<'g>(
        &self,
        entities: &'g dyn Entities,
        clock: Clock,
        seed: u64,
    ) -> Environment<'g> {
        let mut environment = Environment::new(entities, clock, seed);
        environment.most_bytes = environment.most_bytes.min(self.limits.memory);
        environment
    }

    /// Fails if the query is to stop.
    pub(crate) fn check(&self) -> Result<(), QueryError> {
        let has_failed = self.has_failed.load(Ordering::Relaxed);
        if has_failed || self.limits.cancellation.is_cancelled() {
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
