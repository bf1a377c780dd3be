//! The watermark, and who still needs the past.
//!
//! A commit becomes visible when it and all earlier ones are applied. One
//! [`Registry::publish`] moves the watermark; a view registers at it in O(1) and
//! no writer waits for either.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// The watermark with the state published beside it, and the live views.
#[derive(Debug)]
pub struct Registry<T> {
    inner: Mutex<Inner<T>>,
    /// `inner.csn`, for writers that must not wait.
    csn: AtomicU64,
}

#[derive(Debug)]
struct Inner<T> {
    csn: u64,
    state: T,
    live: BTreeMap<u64, usize>,
}

/// Keeps everything that a view at [`ViewToken::csn`] reads; ends on drop.
#[derive(Debug)]
pub struct ViewToken<T> {
    registry: Arc<Registry<T>>,
    csn: u64,
    state: T,
}

impl<T: Clone> Registry<T> {
    /// A registry whose watermark is `csn`.
    pub fn new(csn: u64, state: T) -> Arc<Self> {
        Arc::new(Registry {
            csn: AtomicU64::new(csn),
            inner: Mutex::new(Inner {
                csn,
                state,
                live: BTreeMap::new(),
            }),
        })
    }

    /// Moves the watermark: everything up to `csn` has been applied.
    pub fn publish(&self, csn: u64, state: T) {
        let mut inner = self.inner.lock();
        assert!(csn >= inner.csn, "the watermark never goes back");
        inner.csn = csn;
        inner.state = state;
        self.csn.store(csn, Ordering::Release);
    }

    /// Changes the published state without a commit.
    pub fn amend(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.inner.lock().state);
    }

    /// The watermark, without the state. A writer that reads it under a lock
    /// which a view takes later sees every view registered before.
    #[inline(always)]
    pub fn csn(&self) -> u64 {
        self.csn.load(Ordering::Acquire)
    }

    /// Registers a view at the watermark and moves the watermark on, so that
    /// whatever is written from now on is newer than the view. For writers
    /// without a log (direct mode), whose only clock are the views. O(1).
    pub fn register_and_advance(self: &Arc<Self>, state: impl FnOnce(&T) -> T) -> ViewToken<T> {
        let mut inner = self.inner.lock();
        let csn = inner.csn;
        *inner.live.entry(csn).or_insert(0) += 1;
        inner.csn = csn + 1;
        self.csn.store(csn + 1, Ordering::Release);
        ViewToken {
            registry: Arc::clone(self),
            csn,
            state: state(&inner.state),
        }
    }

    /// The watermark and the state published with it.
    pub fn current(&self) -> (u64, T) {
        let inner = self.inner.lock();
        (inner.csn, inner.state.clone())
    }

    /// Registers a view at the watermark. O(1).
    pub fn register(self: &Arc<Self>) -> ViewToken<T> {
        let mut inner = self.inner.lock();
        let csn = inner.csn;
        *inner.live.entry(csn).or_insert(0) += 1;
        ViewToken {
            registry: Arc::clone(self),
            csn,
            state: inner.state.clone(),
        }
    }

    /// CSNs that a reader may ask for now or later: those of live views, and
    /// the watermark itself (a view may register there at any moment).
    /// Ascending.
    pub fn needed(&self) -> Vec<u64> {
        let inner = self.inner.lock();
        let mut needed: Vec<u64> = inner.live.keys().copied().collect();
        if needed.last() != Some(&inner.csn) {
            needed.push(inner.csn);
        }
        needed
    }

    /// Number of live views.
    pub fn live_views(&self) -> usize {
        self.inner.lock().live.values().sum()
    }
}

impl<T> ViewToken<T> {
    /// The CSN the view is at.
    pub fn csn(&self) -> u64 {
        self.csn
    }

    /// The state published with that CSN.
    pub fn state(&self) -> &T {
        &self.state
    }
}

impl<T> Drop for ViewToken<T> {
    fn drop(&mut self) {
        let mut inner = self.registry.inner.lock();
        if let Some(count) = inner.live.get_mut(&self.csn) {
            *count -= 1;
            if *count == 0 {
                inner.live.remove(&self.csn);
            }
        }
    }
}
