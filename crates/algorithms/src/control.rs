//! Stopping and following a run.

use std::time::Instant;

use evergraph_graph::{Bytes, Cancellation};
use thiserror::Error;

use crate::Checkpoints;

/// A run ended before its result.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Cancelled {
    /// [`Cancellation::cancel`] was called.
    #[error("the run was cancelled")]
    Requested,
    /// The deadline passed.
    #[error("the run passed its deadline")]
    DeadlinePassed,
    /// The run takes more memory than [`Control::with_memory_limit`] allows.
    #[error("the run needs {} of memory; the limit is {}", Bytes(*needed), Bytes(*limit))]
    MemoryLimit {
        /// Bytes in use by the run, and those that it asks for.
        needed: u64,
        /// Bytes that it may use.
        limit: u64,
    },
    /// The system has no room for an array.
    #[error("the system has no {} of memory for the run", Bytes(*bytes))]
    OutOfMemory {
        /// Bytes of the array.
        bytes: u64,
    },
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Unit of the count, such as `"iterations"` or `"reached vertices"`.
    pub unit: &'static str,
    /// How many are done; never falls within one run.
    pub done: u64,
    /// How many there will be at most, if that is known.
    pub total: Option<u64>,
    /// How much the last iteration changed, of iterations that go on until that is
    /// below a tolerance.
    pub change: Option<f64>,
}

/// The memory that a run may use.
#[derive(Clone, Copy)]
struct MemoryLimit {
    bytes_in_use: fn() -> usize,
    /// Bytes in use before the run.
    before: usize,
    /// Bytes that the run holds beside.
    held: u64,
    limit: u64,
}

impl MemoryLimit {
    /// Whether the run may have so many bytes more.
    #[inline]
    fn check(&self, more: u64) -> Result<(), Cancelled> {
        let taken = (self.bytes_in_use)().saturating_sub(self.before) as u64;
        let needed = taken.saturating_add(self.held).saturating_add(more);
        match needed <= self.limit {
            true => Ok(()),
            false => Err(Cancelled::MemoryLimit {
                needed,
                limit: self.limit,
            }),
        }
    }
}

/// The caller's hold on a run: cancellation, progress, memory. The default does nothing.
#[derive(Clone, Default)]
pub struct Control<'a> {
    cancellation: Option<Cancellation>,
    deadline: Option<Instant>,
    memory: Option<MemoryLimit>,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    pub(crate) checkpoints: Option<&'a dyn Checkpoints>,
}

impl<'a> Control<'a> {
    /// Lets the run go to its end, unseen.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the run when `cancellation` is turned on.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = Some(cancellation.clone());
        self
    }

    /// Stops the run when `deadline` has passed.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Stops the run when `bytes_in_use` by the process is more than `limit` above
    /// what it is now. What other threads of the process allocate meanwhile counts.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes_in_use: fn() -> usize, limit: u64) -> Self {
        self.memory = Some(MemoryLimit {
            bytes_in_use,
            before: bytes_in_use(),
            held: 0,
            limit,
        });
        self
    }

    /// Counts `bytes` that were in use for the run before the limit was set.
    #[must_use]
    pub fn with_memory_held(mut self, bytes: u64) -> Self {
        if let Some(memory) = &mut self.memory {
            memory.held = bytes;
        }
        self
    }

    /// The same, with the memory that is in use now not counted.
    #[must_use]
    pub fn with_memory_counted_from_now(mut self) -> Self {
        if let Some(memory) = &mut self.memory {
            memory.before = (memory.bytes_in_use)();
        }
        self
    }

    /// Calls `progress` after each iteration, level or phase, from the thread
    /// that runs the algorithm.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Offers the state of the run to `checkpoints`, and begins with what is saved
    /// there. Only kernels that say so do this; others run as without.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: &'a dyn Checkpoints) -> Self {
        self.checkpoints = Some(checkpoints);
        self
    }

    /// The same without callbacks, for a run within a run.
    pub(crate) fn unseen(&self) -> Self {
        Self {
            progress: None,
            checkpoints: None,
            ..self.clone()
        }
    }

    /// Whether the run may go on. Some 30 ns with a deadline, a few ns without;
    /// algorithms call it for each chunk of work.
    ///
    /// # Errors
    /// Why it may not.
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if let Some(cancellation) = &self.cancellation
            && cancellation.is_cancelled()
        {
            return Err(Cancelled::Requested);
        }
        if let Some(deadline) = self.deadline
            && Instant::now() >= deadline
        {
            return Err(Cancelled::DeadlinePassed);
        }
        match &self.memory {
            None => Ok(()),
            Some(memory) => memory.check(0),
        }
    }

    /// `len` times `value`, if the run may have the memory and there is some. All
    /// arrays as long as the graph has vertices or edges are made here or by
    /// [`Control::room_for`].
    ///
    /// # Errors
    /// Before anything is allocated: what the run would need, or that the system
    /// has no such room.
    pub fn array<T: Clone>(&self, value: T, len: usize) -> Result<Vec<T>, Cancelled> {
        // Zeros are then asked of the system, which need not write them.
        drop(self.room_for::<T>(len)?);
        Ok(vec![value; len])
    }

    /// An empty array with room for `len` values.
    ///
    /// # Errors
    /// As [`Control::array`].
    pub fn room_for<T>(&self, len: usize) -> Result<Vec<T>, Cancelled> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        if let Some(memory) = &self.memory {
            memory.check(bytes)?;
        }
        let mut room = Vec::new();
        room.try_reserve_exact(len)
            .map_err(|_| Cancelled::OutOfMemory { bytes })?;
        Ok(room)
    }

    /// Reports to the caller's callback, if there is one.
    pub fn report(&self, unit: &'static str, done: u64, total: Option<u64>) {
        self.report_all(Progress {
            unit,
            done,
            total,
            change: None,
        });
    }

    /// Reports the end of an iteration that changed the values by `change`.
    pub fn report_iteration(&self, done: u32, at_most: u32, change: f64) {
        self.report_all(Progress {
            unit: "iterations",
            done: done.into(),
            total: Some(at_most.into()),
            change: Some(change),
        });
    }

    fn report_all(&self, done: Progress) {
        if let Some(progress) = self.progress {
            progress(done);
        }
    }
}
