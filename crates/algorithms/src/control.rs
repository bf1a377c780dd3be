//! Stopping and following a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use thiserror::Error;

use crate::Checkpoints;

/// A switch that stops the runs it was given to. Clones share the switch.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns it on, for good. Returns at once; runs end within some 10 ms.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is on.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A run ended before its result.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Cancelled {
    /// [`Cancellation::cancel`] was called.
    #[error("the run was cancelled")]
    Requested,
    /// The deadline passed.
    #[error("the run passed its deadline")]
    DeadlinePassed,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being counted, such as `"iterations"` or `"reached vertices"`.
    pub unit: &'static str,
    /// How many are done; never falls within one run.
    pub done: u64,
    /// How many there will be at most, if that is known.
    pub total: Option<u64>,
}

/// What the caller of a run may do to it while it runs. The default does nothing.
#[derive(Clone, Default)]
pub struct Control<'a> {
    cancellation: Option<Cancellation>,
    deadline: Option<Instant>,
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

    /// Whether the run may go on. Some 30 ns with a deadline, 1 ns without;
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
        Ok(())
    }

    /// Reports to the caller's callback, if there is one.
    pub fn report(&self, unit: &'static str, done: u64, total: Option<u64>) {
        if let Some(progress) = self.progress {
            progress(Progress { unit, done, total });
        }
    }
}
