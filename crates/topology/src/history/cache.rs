//! Length pages of the past that were rebuilt, kept as long as there is room.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use evergraph_storage::layout::WALKED_AT_MOST;
use parking_lot::Mutex;

use crate::lengths::LengthPage;

/// The page's history, and the commit that it was rebuilt for.
type Key = (u64, u64);

/// Pages under a budget; those that were asked for longest ago go first.
#[derive(Debug, Default)]
pub struct PageCache {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    budget: usize,
    bytes: usize,
    clock: u64,
    pages: HashMap<Key, (Arc<LengthPage>, u64)>,
    /// Keys by when they were asked for.
    used: BTreeMap<u64, Key>,
}

impl PageCache {
    /// A cache of at most `budget` bytes of lengths.
    pub fn new(budget: usize) -> Self {
        let cache = PageCache::default();
        cache.inner.lock().budget = budget;
        cache
    }

    /// A page by history and the commit that was asked for, if it is there.
    pub fn get(&self, history: u64, csn: u64) -> Option<Arc<LengthPage>> {
        let mut inner = self.inner.lock();
        inner.clock += 1;
        let now = inner.clock;
        let key = (history, csn);
        let (page, stamp) = inner.pages.get_mut(&key)?;
        let page = Arc::clone(page);
        let before = std::mem::replace(stamp, now);
        inner.used.remove(&before);
        inner.used.insert(now, key);
        Some(page)
    }

    /// Takes a page in, and lets others go until it fits. One that is larger than
    /// the budget is not kept.
    pub fn put(&self, history: u64, csn: u64, page: &Arc<LengthPage>) {
        let bytes = bytes_of(page);
        let mut inner = self.inner.lock();
        if bytes > inner.budget {
            return;
        }
        let key = (history, csn);
        inner.clock += 1;
        let now = inner.clock;
        if let Some((old, stamp)) = inner.pages.insert(key, (Arc::clone(page), now)) {
            inner.bytes -= bytes_of(&old);
            inner.used.remove(&stamp);
        }
        inner.bytes += bytes;
        inner.used.insert(now, key);
        while inner.bytes > inner.budget {
            let Some((_, oldest)) = inner.used.pop_first() else {
                break;
            };
            if let Some((page, _)) = inner.pages.remove(&oldest) {
                inner.bytes -= bytes_of(&page);
            }
        }
        inner.invariants();
    }

    /// Bytes of the pages that are there.
    pub fn bytes(&self) -> usize {
        self.inner.lock().bytes
    }
}

impl Inner {
    /// Panics in debug builds if pages, their bytes and when they were asked for do
    /// not say the same, as far as it is cheap to see.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(self.bytes <= self.budget, "pages beyond the budget");
        assert_eq!(
            self.used.len(),
            self.pages.len(),
            "a page that is in no order stays for ever"
        );
        if self.pages.len() <= WALKED_AT_MOST {
            let pages = self.pages.values().map(|(page, _)| bytes_of(page));
            assert_eq!(self.bytes, pages.sum(), "bytes of the pages");
        }
    }
}

/// Bytes that a page counts; one without DRAM of its own counts, too, or their number
/// would have no bound.
fn bytes_of(page: &LengthPage) -> usize {
    page.heap_bytes().max(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_asked_for_goes() {
        let page = |csn| {
            let mut page = LengthPage::empty(10);
            page.len.own();
            page.csn = csn;
            Arc::new(page)
        };
        let cache = PageCache::new(100);
        for csn in 1..=2 {
            cache.put(1, csn, &page(csn));
        }
        assert!(cache.get(1, 1).is_some() && cache.get(2, 1).is_none());
        cache.put(1, 3, &page(3));
        assert!(cache.get(1, 2).is_none(), "1 was asked for later");
        assert!(cache.get(1, 1).is_some() && cache.get(1, 3).is_some());
        cache.put(1, 3, &page(3));
        assert_eq!(cache.bytes(), 80);
        assert_eq!(cache.get(1, 3).unwrap().csn, 3);
        let none = PageCache::new(39);
        none.put(1, 1, &page(1));
        assert_eq!(none.bytes(), 0);
    }

    fn full() -> Inner {
        let cache = PageCache::new(100);
        cache.put(1, 1, &Arc::new(LengthPage::empty(10)));
        cache.inner.into_inner()
    }

    #[test]
    #[should_panic(expected = "stays for ever")]
    fn a_page_is_in_the_order() {
        let mut inner = full();
        inner.used.clear();
        inner.invariants();
    }

    #[test]
    #[should_panic(expected = "bytes of the pages")]
    fn bytes_are_those_of_the_pages() {
        let mut inner = full();
        inner.bytes += 1;
        inner.invariants();
    }

    #[test]
    #[should_panic(expected = "beyond the budget")]
    fn a_budget_holds() {
        let mut inner = full();
        inner.budget = 0;
        inner.invariants();
    }
}
