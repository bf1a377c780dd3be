//! What a query may use: its memory, and whether it is to go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::graph::error::GraphError;
use crate::transaction::Interrupt;

/// So many bytes are charged together, and so often cancellation is looked for.
const STEP: u64 = 1 << 16;

/// Memory that the vectors of one query occupy, and the token that cancels it. Shared by
/// the query's threads.
///
/// Each call of [`GraphRead`](super::GraphRead) that makes vectors charges them here while
/// they grow, and fails if they exceed the limit or the query was cancelled; then nothing
/// stays charged. A caller gives the bytes of a vector back with [`Account::release`] when
/// it drops it.
#[derive(Debug)]
pub struct Account {
    limit: u64,
    used: AtomicU64,
    is_cancelled: AtomicBool,
    interrupt: Option<Arc<dyn Interrupt>>,
}

impl Default for Account {
    /// Without a limit.
    fn default() -> Self {
        Account::with_limit(u64::MAX)
    }
}

impl Account {
    /// For a query that may hold so many bytes at once.
    pub fn with_limit(bytes: u64) -> Self {
        Account {
            limit: bytes,
            used: AtomicU64::new(0),
            is_cancelled: AtomicBool::new(false),
            interrupt: None,
        }
    }

    /// As [`Account::with_limit`], and calls fail also when an interrupt is wanted.
    pub fn interruptible(bytes: u64, interrupt: Arc<dyn Interrupt>) -> Self {
        Account {
            interrupt: Some(interrupt),
            ..Account::with_limit(bytes)
        }
    }

    /// Makes calls that are under way fail soon, and all later ones at once.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }

    /// Bytes that are charged.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Charges memory of the caller's own, such as a hash table.
    ///
    /// # Errors
    /// [`GraphError::Cancelled`], [`GraphError::MemoryLimit`]; then it is not charged.
    pub fn charge(&self, bytes: u64) -> Result<(), GraphError> {
        self.check()?;
        let used = self.used.fetch_add(bytes, Ordering::Relaxed);
        if used.saturating_add(bytes) > self.limit {
            self.release(bytes);
            return Err(GraphError::MemoryLimit { limit: self.limit });
        }
        Ok(())
    }

    /// Whether so many bytes more could be charged.
    ///
    /// # Errors
    /// [`GraphError::MemoryLimit`].
    pub(super) fn holds(&self, bytes: u64) -> Result<(), GraphError> {
        match self.used().saturating_add(bytes) > self.limit {
            true => Err(GraphError::MemoryLimit { limit: self.limit }),
            false => Ok(()),
        }
    }

    /// Gives charged memory back.
    pub fn release(&self, bytes: u64) {
        let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(before >= bytes, "{bytes} bytes of {before} are given back");
    }

    /// Whether the query may go on.
    ///
    /// # Errors
    /// [`GraphError::Cancelled`].
    pub fn check(&self) -> Result<(), GraphError> {
        let is_wanted = |interrupt: &Arc<dyn Interrupt>| interrupt.is_wanted();
        match self.is_cancelled.load(Ordering::Acquire)
            || self.interrupt.as_ref().is_some_and(is_wanted)
        {
            false => Ok(()),
            true => Err(GraphError::Cancelled),
        }
    }

    /// Charges something that grows.
    pub(super) fn growing(&self) -> Result<Growing<'_>, GraphError> {
        self.check()?;
        Ok(Growing {
            account: self,
            charged: 0,
        })
    }
}

/// The charge of something that grows; given back unless it is done.
pub(super) struct Growing<'a> {
    account: &'a Account,
    charged: u64,
}

impl Growing<'_> {
    /// It has grown to so many bytes.
    #[inline]
    pub(super) fn to(&mut self, bytes: u64) -> Result<(), GraphError> {
        match bytes >= self.charged.saturating_add(STEP) {
            true => self.charge(bytes),
            false => Ok(()),
        }
    }

    #[cold]
    fn charge(&mut self, bytes: u64) -> Result<(), GraphError> {
        self.account.charge(bytes - self.charged)?;
        self.charged = bytes;
        Ok(())
    }

    /// It has so many bytes, and is given to the caller.
    pub(super) fn done(mut self, bytes: u64) -> Result<(), GraphError> {
        match bytes.checked_sub(self.charged) {
            Some(more) => self.account.charge(more)?,
            None => self.account.release(self.charged - bytes),
        }
        self.charged = 0;
        Ok(())
    }
}

impl Drop for Growing<'_> {
    fn drop(&mut self) {
        self.account.release(self.charged);
    }
}
