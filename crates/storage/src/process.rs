//! The process that opened a database. A child of `fork` has copies of its state and shares
//! its open files: if both wrote, each would overwrite what the other has committed.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::libc;

use crate::medium::MediumError;

/// Forks between the first process that opened a database and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// A process that something belongs to, and not to children that it forks. Asking costs one
/// read of memory: the system's `fork` tells a child that it is one.
#[derive(Clone, Copy, Debug)]
pub struct Process(u64);

impl Process {
    /// The one that runs this.
    pub fn this() -> Self {
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| {
            // SAFETY: the handler stays for ever, and only adds to an atomic number, which
            // is allowed in a child between `fork` and `exec`.
            // Without memory for it, children are as they were: not told apart.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
        });
        Process(FORKS.load(Ordering::Relaxed))
    }

    /// Whether a child of it runs this.
    #[inline]
    pub fn is_parent(self) -> bool {
        FORKS.load(Ordering::Relaxed) != self.0
    }

    /// Keeps its children from what belongs to it.
    ///
    /// # Errors
    /// [`MediumError::AfterFork`] in a child.
    #[inline]
    pub fn refuse_child(self) -> Result<(), MediumError> {
        match self.is_parent() {
            true => Err(MediumError::AfterFork),
            false => Ok(()),
        }
    }
}

/// Runs something in a child of `fork`, for tests; whether it gave `true`.
#[cfg(feature = "failpoints")]
pub fn is_true_in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs `work` alone, on this thread, and ends without running what the
    // parent left to run at its end.
    match unsafe { libc::fork() } {
        0 => {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            // SAFETY: ends the process.
            unsafe { libc::_exit(i32::from(!done.unwrap_or(false))) }
        }
        child => {
            let mut status = -1;
            // SAFETY: the status is there as long as the call.
            let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
            child > 0 && ended == child && status == 0
        }
    }
}
