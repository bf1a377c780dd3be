//! Numbers of nodes that were computed once.

use std::cell::{Cell, RefCell};

/// Nodes of a page: as many as a morsel has.
const PAGE: usize = 2048;
/// In the place of a number that is not known.
const UNKNOWN: i64 = i64::MIN;

/// A number of each node, as far as it is known.
#[derive(Default)]
pub(super) struct Memo {
    pages: RefCell<Vec<Option<Box<[i64; PAGE]>>>>,
    bytes: Cell<usize>,
}

impl Memo {
    /// The number of a node, which is known.
    #[inline(always)]
    pub(super) fn get(&self, node: u32) -> i64 {
        let pages = self.pages.borrow();
        let page = pages.get(node as usize / PAGE).and_then(Option::as_ref);
        let number = page.map_or(UNKNOWN, |page| page[node as usize % PAGE]);
        debug_assert_ne!(number, UNKNOWN, "node {node} was computed before");
        number
    }

    /// The sum of the numbers of those of some nodes that satisfy a condition, all of which
    /// are known; `None` if it is too large.
    pub(super) fn sum(&self, nodes: &[u32], holds: impl Fn(u32) -> bool) -> Option<i64> {
        let pages = self.pages.borrow();
        let mut sum: i64 = 0;
        for &node in nodes.iter().filter(|node| holds(**node)) {
            let page = pages[node as usize / PAGE].as_ref();
            sum = sum.checked_add(page.map_or(0, |page| page[node as usize % PAGE]))?;
        }
        Some(sum)
    }

    /// Bytes that it has taken since the last call.
    pub(super) fn new_bytes(&self) -> usize {
        self.bytes.take()
    }

    /// Those of some nodes whose numbers are not known, each once.
    pub(super) fn unknown(&self, nodes: &[u32]) -> Vec<u32> {
        let mut pages = self.pages.borrow_mut();
        let mut unknown = Vec::new();
        for &node in nodes {
            let number = node as usize / PAGE;
            if pages.len() <= number {
                pages.resize_with(number + 1, || None);
            }
            let page = pages[number].get_or_insert_with(|| {
                self.bytes.set(self.bytes.get() + 8 * PAGE);
                Box::new([UNKNOWN; PAGE])
            });
            let known = &mut page[node as usize % PAGE];
            if *known == UNKNOWN {
                // Until it is computed, so that it comes once.
                *known = 0;
                unknown.push(node);
            }
        }
        unknown
    }

    /// Notes the number of a node that was unknown.
    pub(super) fn set(&self, node: u32, number: i64) {
        let mut pages = self.pages.borrow_mut();
        if let Some(Some(page)) = pages.get_mut(node as usize / PAGE) {
            page[node as usize % PAGE] = number;
        }
    }
}
