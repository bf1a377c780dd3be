//! Whether a store may be changed. What a thread that panics leaves half done in DRAM must
//! not be built on, nor what follows a failure on the medium.

use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_storage::Process;

use crate::error::TopologyError;

/// Reasons to refuse changes of a store; reads go on in any case.
pub(in crate::store) struct Status {
    read_only: bool,
    opener: Process,
    failed: AtomicBool,
    /// It failed by a panic.
    poisoned: AtomicBool,
    /// Set with the gate of commits closed, so none is under way.
    closed: AtomicBool,
}

impl Status {
    pub(in crate::store) fn new(read_only: bool) -> Self {
        Status {
            read_only,
            opener: Process::this(),
            failed: AtomicBool::new(false),
            poisoned: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        }
    }

    pub(in crate::store) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Nothing is written by a reader, nor after a failure.
    pub(in crate::store) fn refuse_if_not_writable(&self) -> Result<(), TopologyError> {
        match self.read_only {
            true => Err(TopologyError::ReadOnly),
            false => self.refuse_if_failed(),
        }
    }

    /// After a failure on the medium nothing is written before it has been opened again;
    /// nor after it was closed, nor by a child of the process.
    pub(in crate::store) fn refuse_if_failed(&self) -> Result<(), TopologyError> {
        self.opener.refuse_child()?;
        if self.closed.load(Ordering::Acquire) {
            return Err(TopologyError::Closed);
        }
        if !self.failed.load(Ordering::Acquire) {
            return Ok(());
        }
        match self.poisoned.load(Ordering::Relaxed) {
            true => Err(TopologyError::Poisoned),
            false => Err(TopologyError::Failed),
        }
    }

    /// The content of the medium is unknown from now on.
    pub(in crate::store) fn fail(&self) {
        self.failed.store(true, Ordering::Release);
    }

    pub(in crate::store) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// See [`crate::store::Store::poisoning`].
    #[inline(always)]
    pub(in crate::store) fn poisoning<T>(&self, change: impl FnOnce() -> T) -> T {
        let unwound = Unwound(self);
        let done = change();
        std::mem::forget(unwound);
        done
    }

    pub(in crate::store) fn poison(&self) {
        self.poisoned.store(true, Ordering::Relaxed);
        self.fail();
    }
}

/// Dropped only where a change unwinds.
struct Unwound<'a>(&'a Status);

impl Drop for Unwound<'_> {
    fn drop(&mut self) {
        self.0.poison();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn each_reason_is_told() {
        let status = Status::new(true);
        assert!(matches!(
            status.refuse_if_not_writable(),
            Err(TopologyError::ReadOnly)
        ));
        let status = Status::new(false);
        assert!(status.refuse_if_not_writable().is_ok());
        status.fail();
        assert!(matches!(
            status.refuse_if_not_writable(),
            Err(TopologyError::Failed)
        ));
        let panics = AssertUnwindSafe(|| status.poisoning(|| panic!("half done")));
        assert!(catch_unwind(panics).is_err());
        let poisoned = status.refuse_if_failed();
        assert!(matches!(poisoned, Err(TopologyError::Poisoned)));
        status.close();
        let closed = status.refuse_if_failed();
        assert!(matches!(closed, Err(TopologyError::Closed)));
    }
}
