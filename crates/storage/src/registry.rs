//! The watermark, and who still needs the past.
//!
//! A commit becomes visible when it and all earlier ones are applied. One
//! [`Registry::publish`] moves the watermark; a view registers at it in O(1) and
//! no writer waits for either.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::layout::WALKED_AT_MOST;

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
    kept: Kept,
    /// Live views of kept CSNs.
    held: usize,
}

/// CSNs that stay readable whether or not a view is there, each with the number
/// of those who keep it.
#[derive(Debug, Default)]
struct Kept {
    counts: BTreeMap<u64, usize>,
    /// The keys, shared: thousands of them are not copied for each commit.
    csns: Arc<Vec<u64>>,
}

impl<T> Inner<T> {
    /// Panics in debug builds if views and watermark contradict each other, as
    /// far as it is cheap to see.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let newest = self.live.last_key_value();
        assert!(
            newest.is_none_or(|(&csn, _)| csn <= self.csn),
            "a view at {newest:?} is ahead of the watermark {}",
            self.csn
        );
        if self.live.len() <= WALKED_AT_MOST {
            assert!(
                self.live.values().all(|&views| views > 0),
                "a CSN without a view keeps the past for nothing: {:?}",
                self.live
            );
        }
        self.kept.invariants();
        if self.kept.counts.len() <= WALKED_AT_MOST {
            assert!(
                self.held <= self.kept.counts.values().sum(),
                "{} views hold kept CSNs, of which there are {:?}",
                self.held,
                self.kept.counts
            );
        }
    }
}

impl Kept {
    /// Panics in debug builds if the list is not that of the table.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert_eq!(
            self.counts.len(),
            self.csns.len(),
            "merges see other kept CSNs than there are"
        );
        if self.csns.len() <= WALKED_AT_MOST {
            assert!(
                self.counts.keys().eq(self.csns.iter()),
                "merges see {:?} as kept, of {:?}",
                self.csns,
                self.counts
            );
            assert!(
                self.counts.values().all(|&keepers| keepers > 0),
                "a CSN is kept for nothing: {:?}",
                self.counts
            );
        }
    }

    fn add(&mut self, csn: u64) {
        let count = self.counts.entry(csn).or_insert(0);
        *count += 1;
        if *count == 1 {
            let at = self.csns.partition_point(|&other| other < csn);
            Arc::make_mut(&mut self.csns).insert(at, csn);
        }
    }

    fn remove(&mut self, csn: u64) {
        let Some(count) = self.counts.get_mut(&csn) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&csn);
            if let Ok(at) = self.csns.binary_search(&csn) {
                Arc::make_mut(&mut self.csns).remove(at);
            }
        }
    }
}

/// CSNs that a reader may ask for, now or later.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// Those of live views, and the watermark, which is the last; ascending.
    live: Vec<u64>,
    /// Those that are kept, ascending.
    kept: Arc<Vec<u64>>,
}

impl Needed {
    /// The CSNs of views, the watermark last, and those that are kept; both
    /// ascending.
    pub fn new(live: Vec<u64>, kept: Arc<Vec<u64>>) -> Self {
        debug_assert!(
            live.is_sorted() && (kept.len() > WALKED_AT_MOST || kept.is_sorted()),
            "both are searched"
        );
        Needed { live, kept }
    }

    /// Whether a live view, or the watermark, lies in `from..until`.
    #[inline]
    pub fn is_watched(&self, from: u64, until: u64) -> bool {
        any_between(&self.live, from, until)
    }

    /// Whether a kept CSN lies in `from..until`.
    #[inline]
    pub fn is_kept(&self, from: u64, until: u64) -> bool {
        any_between(&self.kept, from, until)
    }

    /// Whether any of the CSNs lies in `from..until`.
    #[inline]
    pub fn is_needed(&self, from: u64, until: u64) -> bool {
        self.is_watched(from, until) || self.is_kept(from, until)
    }

    /// The last CSN of a live view, or the watermark, before `csn`.
    pub fn last_watched_before(&self, csn: u64) -> Option<u64> {
        let before = self.live.partition_point(|&other| other < csn);
        before.checked_sub(1).map(|last| self.live[last])
    }

    /// The watermark when this was gathered; of what is newer it says nothing.
    pub fn watermark(&self) -> Option<u64> {
        self.live.last().copied()
    }

    /// The kept CSNs, ascending.
    pub fn kept(&self) -> &[u64] {
        &self.kept
    }
}

fn any_between(csns: &[u64], from: u64, until: u64) -> bool {
    let first = csns.partition_point(|&csn| csn < from);
    csns.get(first).is_some_and(|&csn| csn < until)
}

/// Keeps everything that a view at [`ViewToken::csn`] reads; ends on drop.
#[derive(Debug)]
pub struct ViewToken<T> {
    registry: Arc<Registry<T>>,
    csn: u64,
    state: T,
    /// The view holds a kept CSN, and is not in the table of live views.
    holds_kept: bool,
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
                kept: Kept::default(),
                held: 0,
            }),
        })
    }

    /// As [`Registry::new`], with CSNs that are kept from the beginning.
    pub fn keeping(csn: u64, state: T, kept: impl IntoIterator<Item = u64>) -> Arc<Self> {
        let registry = Self::new(csn, state);
        let mut inner = registry.inner.lock();
        kept.into_iter().for_each(|csn| inner.kept.add(csn));
        drop(inner);
        registry
    }

    /// Keeps what a view at `csn` reads until [`Registry::release`]. To be called
    /// before that commit is published, so that nothing comes between.
    pub fn keep(&self, csn: u64) {
        let mut inner = self.inner.lock();
        inner.kept.add(csn);
        inner.invariants();
    }

    /// Undoes one [`Registry::keep`]. Views that hold the CSN keep it on.
    pub fn release(&self, csn: u64) {
        let mut inner = self.inner.lock();
        inner.kept.remove(csn);
        inner.invariants();
    }

    /// Registers a view at a kept CSN, which stays kept as long as the view
    /// lives. `None` if it is not kept.
    pub fn register_at(self: &Arc<Self>, csn: u64, state: T) -> Option<ViewToken<T>> {
        let mut inner = self.inner.lock();
        let count = inner.kept.counts.get_mut(&csn)?;
        *count += 1;
        inner.held += 1;
        inner.invariants();
        Some(ViewToken {
            registry: Arc::clone(self),
            csn,
            state,
            holds_kept: true,
        })
    }

    /// Moves the watermark: everything up to `csn` has been applied.
    pub fn publish(&self, csn: u64, state: T) {
        let mut inner = self.inner.lock();
        assert!(csn >= inner.csn, "the watermark never goes back");
        inner.csn = csn;
        inner.state = state;
        inner.invariants();
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
            holds_kept: false,
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
            holds_kept: false,
        }
    }

    /// CSNs that a reader may ask for now or later: those of live views, the
    /// watermark itself (a view may register there at any moment), and those
    /// that are kept.
    pub fn needed(&self) -> Needed {
        let inner = self.inner.lock();
        let mut live: Vec<u64> = inner.live.keys().copied().collect();
        if live.last() != Some(&inner.csn) {
            live.push(inner.csn);
        }
        Needed {
            live,
            kept: Arc::clone(&inner.kept.csns),
        }
    }

    /// Number of live views, of kept CSNs too.
    pub fn live_views(&self) -> usize {
        let inner = self.inner.lock();
        inner.live.values().sum::<usize>() + inner.held
    }
}

impl<T> ViewToken<T> {
    /// The CSN the view is at.
    #[inline]
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
        if self.holds_kept {
            inner.held -= 1;
            inner.kept.remove(self.csn);
            return;
        }
        if let Some(count) = inner.live.get_mut(&self.csn) {
            *count -= 1;
            if *count == 0 {
                inner.live.remove(&self.csn);
            }
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::sync::Arc;

    use super::{Needed, Registry};

    fn registry() -> Arc<Registry<()>> {
        Registry::keeping(10, (), [4, 7])
    }

    #[test]
    fn a_range_has_its_first_commit_and_not_its_end() {
        let needed = Needed::new(vec![3, 8], Arc::new(vec![5]));
        let watched = [(3, 4), (2, 4), (4, 9), (8, 9)];
        assert!(watched.iter().all(|&(a, b)| needed.is_watched(a, b)));
        let unwatched = [(1, 3), (4, 8), (9, 12), (3, 3)];
        assert!(!unwatched.iter().any(|&(a, b)| needed.is_watched(a, b)));
        assert!(needed.is_kept(5, 6) && !needed.is_kept(4, 5) && !needed.is_kept(6, 9));
        assert!(needed.is_needed(4, 6) && !needed.is_needed(4, 5));
    }

    /// A view may register at the watermark at any moment, so it is needed, once.
    #[test]
    fn the_watermark_is_needed_without_a_view() {
        let registry = registry();
        let at = |csn| registry.needed().is_watched(csn, csn + 1);
        assert!(at(10) && registry.needed().watermark() == Some(10));
        let view = registry.register();
        assert_eq!(registry.needed().live, [10]);
        registry.publish(12, ());
        assert_eq!(registry.needed().live, [10, 12]);
        drop(view);
        assert_eq!(registry.needed().live, [12]);
        assert_eq!(registry.needed().kept(), [4, 7]);
    }

    #[test]
    #[should_panic(expected = "ahead of the watermark")]
    fn no_view_is_ahead_of_the_watermark() {
        let registry = registry();
        registry.inner.lock().live.insert(11, 1);
        registry.publish(10, ());
    }

    #[test]
    #[should_panic(expected = "keeps the past for nothing")]
    fn a_live_csn_has_a_view() {
        let registry = registry();
        registry.inner.lock().live.insert(9, 0);
        registry.publish(10, ());
    }

    #[test]
    #[should_panic(expected = "than there are")]
    fn the_list_of_kept_csns_is_whole() {
        let registry = registry();
        Arc::make_mut(&mut registry.inner.lock().kept.csns).pop();
        registry.publish(11, ());
    }

    #[test]
    #[should_panic(expected = "merges see")]
    fn the_list_of_kept_csns_is_that_of_the_table() {
        let registry = registry();
        Arc::make_mut(&mut registry.inner.lock().kept.csns)[0] = 5;
        registry.publish(11, ());
    }

    #[test]
    #[should_panic(expected = "a CSN is kept for nothing")]
    fn a_kept_csn_has_a_keeper() {
        let registry = registry();
        registry.inner.lock().kept.counts.insert(4, 0);
        registry.publish(11, ());
    }

    #[test]
    #[should_panic(expected = "views hold kept CSNs")]
    fn no_more_views_hold_than_keep() {
        let registry = registry();
        registry.inner.lock().held = 3;
        registry.publish(11, ());
    }
}
