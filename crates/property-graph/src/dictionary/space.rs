//! One kind of strings with their codes.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use evergraph_storage::Blob;
use evergraph_storage::layout::WALKED_AT_MOST;
use foldhash::fast::RandomState;

pub(super) trait Item: Hash + Eq {
    fn share(&self) -> Arc<Self>;
    fn bytes(&self) -> usize;
}

impl Item for str {
    fn share(&self) -> Arc<Self> {
        Arc::from(self)
    }

    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Item for [u32] {
    fn share(&self) -> Arc<Self> {
        Arc::from(self)
    }

    fn bytes(&self) -> usize {
        size_of_val(self)
    }
}

/// Strings, their codes, and how far they are stored.
pub(super) struct Space<T: Item + ?Sized> {
    by_code: Vec<Option<Arc<T>>>,
    codes: HashMap<Arc<T>, u32, RandomState>,
    /// Codes below the highest that nothing has. No record names one, so that they are
    /// given before new ones.
    free: BTreeSet<u32>,
    /// Number of promises of each code that no commit has assigned.
    promised: HashMap<u32, usize>,
    /// Assigned codes, in the order of assignment.
    pub(super) order: Vec<u32>,
    /// Whether a code is in `order`.
    is_assigned: Vec<bool>,
    /// The commits of the last codes in `order`, those that no page has.
    pub(super) unstored: VecDeque<u64>,
    /// The pages, and where each begins in `order`.
    pub(super) pages: Vec<(usize, Blob)>,
    pub(super) pending: Option<Pending>,
}

/// Pages that are written, before a superblock names them.
pub(super) struct Pending {
    /// Number of the first page that is new.
    pub(super) first: usize,
    /// The new pages, and where each begins in the order.
    pub(super) pages: Vec<(usize, Blob)>,
    /// Codes that all pages have then.
    pub(super) stored: usize,
}

impl<T: Item + ?Sized> Default for Space<T> {
    fn default() -> Self {
        Space {
            by_code: Vec::new(),
            codes: HashMap::default(),
            free: BTreeSet::new(),
            promised: HashMap::new(),
            order: Vec::new(),
            is_assigned: Vec::new(),
            unstored: VecDeque::new(),
            pages: Vec::new(),
            pending: None,
        }
    }
}

impl<T: Item + ?Sized> Space<T> {
    /// The code of an item, if it is assigned. One that is only promised may become
    /// that of another.
    pub(super) fn code(&self, item: &T) -> Option<u32> {
        let code = self.codes.get(item).copied();
        code.filter(|&code| self.is_assigned(code))
    }

    pub(super) fn get(&self, code: u32) -> Option<Arc<T>> {
        self.by_code.get(code as usize)?.clone()
    }

    /// The code of an item, the lowest that is free if it has none; `None` if `most`
    /// are taken.
    fn intern(&mut self, item: &T, most: u32) -> Option<u32> {
        if let Some(&code) = self.codes.get(item) {
            return Some(code);
        }
        let next = u32::try_from(self.by_code.len()).ok()?;
        let code = self.free.first().copied().unwrap_or(next);
        if code >= most {
            return None;
        }
        self.put(code, item);
        Some(code)
    }

    /// Promises a code to an item; `None` if `most` are taken. One that is not assigned
    /// is kept for it until as many promises of it are released.
    pub(super) fn promise(&mut self, item: &T, most: u32) -> Option<u32> {
        let code = self.intern(item, most)?;
        if !self.is_assigned(code) {
            *self.promised.entry(code).or_default() += 1;
        }
        self.invariants();
        Some(code)
    }

    /// Ends a promise of a code that was not assigned then. Without any left the code
    /// is free, unless a commit has assigned it.
    pub(super) fn release(&mut self, code: u32) {
        let Some(promises) = self.promised.get_mut(&code) else {
            return;
        };
        *promises -= 1;
        if *promises > 0 {
            return;
        }
        self.promised.remove(&code);
        if let Some(item) = self.by_code[code as usize].take() {
            self.codes.remove(&item);
        }
        self.free.insert(code);
        while let Some(None) = self.by_code.last() {
            self.by_code.pop();
            self.is_assigned.pop();
            self.free.remove(&(self.by_code.len() as u32));
        }
        self.invariants();
    }

    /// Codes that are assigned or promised.
    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.codes.len()
    }

    fn put(&mut self, code: u32, item: &T) {
        let at = code as usize;
        if self.by_code.len() <= at {
            self.free.extend(self.by_code.len() as u32..code);
            self.by_code.resize(at + 1, None);
            self.is_assigned.resize(at + 1, false);
        }
        self.free.remove(&code);
        let item = item.share();
        debug_assert!(
            self.by_code[at].is_none() && !self.codes.contains_key(&item),
            "code {code} is taken, or what it names has another: no assigned code is taken back"
        );
        self.by_code[at] = Some(Arc::clone(&item));
        self.codes.insert(item, code);
    }

    /// Panics in debug builds if both directions, the order of assignment and the
    /// pages contradict each other, as far as it is cheap to see.
    pub(super) fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert_eq!(
            self.by_code.len(),
            self.is_assigned.len(),
            "a mark for each code"
        );
        assert!(
            self.codes.len() <= self.by_code.len() && self.order.len() <= self.codes.len(),
            "{} codes are assigned, {} items have one of {}",
            self.order.len(),
            self.codes.len(),
            self.by_code.len()
        );
        assert!(
            self.unstored.len() <= self.order.len(),
            "{} of {} assignments are not stored",
            self.unstored.len(),
            self.order.len()
        );
        let mut begins = self.pages.iter().map(|page| page.0);
        assert!(
            begins.clone().is_sorted_by(|a, b| a < b)
                && begins
                    .next_back()
                    .is_none_or(|last| last < self.order.len()),
            "each page begins behind the one before"
        );
        if self.by_code.len() <= WALKED_AT_MOST {
            let marked = self.is_assigned.iter().filter(|&&marked| marked).count();
            assert_eq!(marked, self.order.len(), "a code is assigned once");
            let free = self.by_code.iter().filter(|item| item.is_none()).count();
            assert_eq!(free, self.free.len(), "codes that nothing has are free");
            let promised = self.promised.keys();
            assert!(
                promised.clone().all(|&code| !self.is_assigned(code))
                    && marked + self.promised.len() == self.codes.len(),
                "each code is assigned or promised"
            );
            for (code, item) in self.by_code.iter().enumerate() {
                let same = item
                    .as_ref()
                    .is_none_or(|item| self.codes.get(item).copied() == u32::try_from(code).ok());
                assert!(same, "what code {code} stands for has another");
            }
        }
    }

    /// Whether a code counts, and is not only a promise.
    pub(super) fn is_assigned(&self, code: u32) -> bool {
        self.is_assigned.get(code as usize).copied() == Some(true)
    }

    pub(super) fn uncommitted(&self, code: u32) -> Option<Arc<T>> {
        let is_assigned = *self.is_assigned.get(code as usize)?;
        (!is_assigned).then(|| self.get(code)).flatten()
    }

    pub(super) fn committed(&self) -> Vec<(u32, Arc<T>)> {
        let item = |&code: &u32| Some((code, self.get(code)?));
        self.order.iter().filter_map(item).collect()
    }

    /// Assigns a code by commit `csn`.
    pub(super) fn assign(&mut self, csn: u64, code: u32, item: &T) -> Result<(), &'static str> {
        if self.assign_stored(code, item)? {
            self.unstored.push_back(csn);
        }
        self.invariants();
        Ok(())
    }

    /// Assigns a code; whether it was not assigned before.
    pub(super) fn assign_stored(&mut self, code: u32, item: &T) -> Result<bool, &'static str> {
        match (self.get(code), self.codes.get(item)) {
            (Some(known), _) if *known != *item => return Err("it is that of another already"),
            (None, Some(_)) => return Err("what it names has another already"),
            (None, None) => self.put(code, item),
            (Some(_), _) => {}
        }
        let is_assigned = &mut self.is_assigned[code as usize];
        if *is_assigned {
            return Ok(false);
        }
        *is_assigned = true;
        self.promised.remove(&code);
        self.order.push(code);
        Ok(true)
    }

    /// Gives an item the next code without a commit.
    pub(super) fn assign_next(&mut self, item: &T, most: u32) -> Option<u32> {
        let code = self.intern(item, most)?;
        match self.assign(0, code, item) {
            Ok(()) => Some(code),
            Err(what) => unreachable!("a code that was just given: {what}"),
        }
    }

    /// Codes of `order` that pages have.
    pub(super) fn stored(&self) -> usize {
        self.order.len() - self.unstored.len()
    }

    /// Bytes of DRAM of items that no page has.
    pub(super) fn unstored_bytes(&self) -> usize {
        let unstored = &self.order[self.stored()..];
        let bytes = |&code: &u32| {
            self.by_code[code as usize]
                .as_ref()
                .map_or(0, |i| i.bytes())
        };
        unstored.iter().map(bytes).sum::<usize>() + unstored.len() * 48
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::Space;

    fn space() -> Space<str> {
        let mut space = Space::default();
        space.assign(1, 0, "a").unwrap();
        space.assign(2, 1, "b").unwrap();
        space
    }

    #[test]
    #[should_panic(expected = "what code 1 stands for has another")]
    fn both_directions_agree() {
        let mut space = space();
        *space.codes.get_mut("b").unwrap() = 7;
        space.invariants();
    }

    #[test]
    #[should_panic(expected = "a code is assigned once")]
    fn a_code_in_the_order_is_marked() {
        let mut space = space();
        space.is_assigned[1] = false;
        space.invariants();
    }

    #[test]
    #[should_panic(expected = "are not stored")]
    fn no_more_wait_than_there_are() {
        let mut space = space();
        space.unstored.push_back(3);
        space.invariants();
    }

    #[test]
    #[should_panic(expected = "2 codes are assigned, 1 items")]
    fn an_assigned_code_has_an_item() {
        let mut space = space();
        space.codes.remove("a");
        space.invariants();
    }
}
