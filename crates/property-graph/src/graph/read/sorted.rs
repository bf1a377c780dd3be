//! Lists in the order of their neighbors.
//!
//! Stored lists are in the order of commits. Intersections want them sorted, so copies are
//! kept by section, for the types and the direction that were asked for. A copy says by
//! which commits the lists that it was made of were last changed: a view whose lists were
//! changed by the same ones uses it, so that a commit makes no other copies old than those
//! of the sections that it changed. All copies together take no more than a budget; the
//! ones that were used longest ago go first.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::direction::Direction;
use crate::dictionary::TypeCode;
use crate::graph::PropertyGraph;

/// DRAM of the copies of a graph, unless told otherwise.
const BUDGET: usize = 256 << 20;

/// The lists of one section, sorted by neighbor and then by relationship.
#[derive(Debug)]
pub(in crate::graph) struct SortedSection {
    /// Commits that changed the lists last, by adjacency.
    made_of: Box<[u64]>,
    ends: Box<[u32]>,
    neighbors: Box<[u32]>,
    ids: Box<[u32]>,
}

impl SortedSection {
    /// Sorts lists that end at `ends`.
    pub(in crate::graph) fn sorted(
        made_of: Vec<u64>,
        ends: &[usize],
        neighbors: Vec<u32>,
        ids: Vec<u32>,
    ) -> Self {
        let mut sorted = SortedSection {
            made_of: made_of.into(),
            ends: ends.iter().map(|&end| end as u32).collect(),
            neighbors: neighbors.into(),
            ids: ids.into(),
        };
        let (mut start, mut pairs) = (0, Vec::new());
        for &end in ends {
            sort(
                &mut sorted.neighbors[start..end],
                &mut sorted.ids[start..end],
                &mut pairs,
            );
            start = end;
        }
        sorted
    }

    /// Neighbors of a list, and ids of relationships beside them.
    #[inline(always)]
    pub(in crate::graph) fn list(&self, list: usize) -> (&[u32], &[u32]) {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        let place = start as usize..self.ends[list] as usize;
        (&self.neighbors[place.clone()], &self.ids[place])
    }

    fn bytes(&self) -> usize {
        8 * self.made_of.len() + 4 * self.ends.len() + 8 * self.neighbors.len()
    }
}

/// Sorts a list by neighbor and then by relationship.
pub(in crate::graph) fn sort(neighbors: &mut [u32], ids: &mut [u32], pairs: &mut Vec<u64>) {
    let both = neighbors.iter().zip(&*ids);
    pairs.clear();
    pairs.extend(both.map(|(&neighbor, &id)| u64::from(neighbor) << 32 | u64::from(id)));
    pairs.sort_unstable();
    for (at, pair) in pairs.iter().enumerate() {
        neighbors[at] = (pair >> 32) as u32;
        ids[at] = *pair as u32;
    }
}

/// Types, direction and section of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::graph) struct SortedKey {
    pub(in crate::graph) types: Arc<[TypeCode]>,
    pub(in crate::graph) direction: Direction,
    pub(in crate::graph) section: u32,
}

/// The copies of a graph.
#[derive(Debug)]
pub(in crate::graph) struct SortedLists {
    copies: Mutex<HashMap<SortedKey, Copy>>,
    clock: AtomicU64,
    bytes: AtomicUsize,
    budget: AtomicUsize,
}

#[derive(Debug)]
struct Copy {
    section: Arc<SortedSection>,
    used: u64,
}

impl Default for SortedLists {
    fn default() -> Self {
        SortedLists {
            copies: Mutex::default(),
            clock: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            budget: AtomicUsize::new(BUDGET),
        }
    }
}

impl SortedLists {
    /// DRAM of the copies.
    pub(in crate::graph) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// DRAM that the copies may take.
    pub(in crate::graph) fn budget(&self) -> usize {
        self.budget.load(Ordering::Relaxed)
    }

    /// Copies take at most so many bytes from now on.
    pub(in crate::graph) fn set_budget(&self, bytes: usize) {
        self.budget.store(bytes, Ordering::Relaxed);
        self.make_room(&mut self.copies.lock(), 0);
    }

    /// The copy that was made of lists with these last changes.
    pub(in crate::graph) fn get(
        &self,
        key: &SortedKey,
        made_of: &[u64],
    ) -> Option<Arc<SortedSection>> {
        let mut copies = self.copies.lock();
        let copy = copies.get_mut(key)?;
        copy.used = self.clock.fetch_add(1, Ordering::Relaxed);
        (*copy.section.made_of == *made_of).then(|| Arc::clone(&copy.section))
    }

    /// Keeps a copy in the place of an older one, if the budget allows it.
    pub(in crate::graph) fn keep(&self, key: SortedKey, section: &Arc<SortedSection>) {
        let bytes = section.bytes();
        let mut copies = self.copies.lock();
        if let Some(old) = copies.remove(&key) {
            self.bytes.fetch_sub(old.section.bytes(), Ordering::Relaxed);
        }
        if bytes > self.budget() {
            return;
        }
        self.make_room(&mut copies, bytes);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let copy = Copy {
            section: Arc::clone(section),
            used: self.clock.fetch_add(1, Ordering::Relaxed),
        };
        copies.insert(key, copy);
    }

    fn make_room(&self, copies: &mut HashMap<SortedKey, Copy>, bytes: usize) {
        while self.bytes() + bytes > self.budget()
            && let Some(oldest) = copies.iter().min_by_key(|(_, copy)| copy.used)
        {
            let key = oldest.0.clone();
            let bytes = copies.remove(&key).map_or(0, |copy| copy.section.bytes());
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl PropertyGraph {
    /// DRAM of the sorted copies of lists that reading common neighbors has made, bytes.
    pub fn sorted_bytes(&self) -> usize {
        self.core.sorted.bytes()
    }

    /// Sorted copies of lists take at most so many bytes of DRAM from now on; 256 MiB
    /// unless told otherwise.
    pub fn set_sorted_bytes(&self, most: usize) {
        self.core.sorted.set_budget(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(section: u32) -> SortedKey {
        SortedKey {
            types: [0].into(),
            direction: Direction::Outgoing,
            section,
        }
    }

    fn copy(made_of: u64) -> Arc<SortedSection> {
        let (neighbors, ids) = (vec![3, 1, 1, 9, 2], vec![10, 12, 11, 13, 14]);
        Arc::new(SortedSection::sorted(
            vec![made_of],
            &[4, 4, 5],
            neighbors,
            ids,
        ))
    }

    #[test]
    fn lists_are_sorted_one_by_one() {
        let copy = copy(1);
        assert_eq!(copy.list(0), (&[1, 1, 3, 9][..], &[11, 12, 10, 13][..]));
        assert_eq!(copy.list(1), (&[][..], &[][..]));
        assert_eq!(copy.list(2), (&[2][..], &[14][..]));
    }

    #[test]
    fn a_copy_is_of_what_it_was_made_of() {
        let kept = SortedLists::default();
        kept.keep(key(7), &copy(1));
        assert!(kept.get(&key(7), &[1]).is_some());
        assert!(kept.get(&key(7), &[2]).is_none() && kept.get(&key(8), &[1]).is_none());
        let before = kept.bytes();
        kept.keep(key(7), &copy(2));
        assert!(kept.get(&key(7), &[2]).is_some() && kept.get(&key(7), &[1]).is_none());
        assert_eq!(kept.bytes(), before, "one copy in the place of another");
    }

    #[test]
    fn copies_that_were_used_longest_ago_make_room() {
        let kept = SortedLists::default();
        let bytes = copy(1).bytes();
        kept.set_budget(2 * bytes);
        kept.keep(key(0), &copy(1));
        kept.keep(key(1), &copy(1));
        assert!(kept.get(&key(0), &[1]).is_some());
        kept.keep(key(2), &copy(1));
        let there = [0, 1, 2].map(|section| kept.get(&key(section), &[1]).is_some());
        assert_eq!((there, kept.bytes()), ([true, false, true], 2 * bytes));
        kept.set_budget(bytes - 1);
        assert_eq!(kept.bytes(), 0);
        kept.keep(key(0), &copy(1));
        assert_eq!(kept.bytes(), 0, "it is larger than the budget");
    }
}
