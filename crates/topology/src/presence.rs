//! Which types of relationships a vertex may have: so that reading all of them
//! costs what there is, and not what there might be.
//!
//! Eight bytes of DRAM a vertex, for sections of vertices that were asked about. A bit
//! stands for an adjacency, or, of more than 32 types, for several. A set bit means that
//! the vertex may have a list there, in any view; a clear one that it has none in any.
//! The lists of a commit are noted before it becomes visible. Deleted ones stay until the
//! store is opened again: they cost a look.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

/// Adjacencies that have a bit of their own: those of 32 types.
pub(crate) const BITS: u32 = 64;
/// Bucket `k` holds the blocks of `2^k` sections.
const BUCKETS: usize = 33;

/// Set of the adjacencies that may have a list of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdjacencySet(u64);

impl AdjacencySet {
    /// No adjacency.
    pub const NONE: AdjacencySet = AdjacencySet(0);
    /// All adjacencies.
    pub const ALL: AdjacencySet = AdjacencySet(u64::MAX);
    /// Adjacencies of out-lists.
    pub const OUT: AdjacencySet = AdjacencySet(u64::MAX / 3);
    /// Adjacencies of in-lists.
    pub const IN: AdjacencySet = AdjacencySet(u64::MAX / 3 * 2);

    /// Whether an adjacency may have a list.
    #[inline(always)]
    pub fn may_contain(self, adjacency: usize) -> bool {
        self.0 & bit_of(adjacency as u32) != 0
    }

    /// The adjacencies that are in both.
    #[inline(always)]
    pub fn and(self, other: AdjacencySet) -> AdjacencySet {
        AdjacencySet(self.0 & other.0)
    }

    /// The adjacencies that are in one of them.
    #[inline(always)]
    pub fn or(self, other: AdjacencySet) -> AdjacencySet {
        AdjacencySet(self.0 | other.0)
    }

    /// Whether no adjacency has a list.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adjacencies that have a bit, at most.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Takes out the lowest adjacency, where those of types below 32 alone are meant.
    #[inline(always)]
    pub fn pop_first(&mut self) -> Option<usize> {
        let adjacency = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (adjacency < BITS).then_some(adjacency as usize)
    }
}

impl FromIterator<usize> for AdjacencySet {
    fn from_iter<I: IntoIterator<Item = usize>>(adjacencies: I) -> Self {
        let bits = adjacencies
            .into_iter()
            .map(|adjacency| bit_of(adjacency as u32));
        AdjacencySet(bits.fold(0, |set, bit| set | bit))
    }
}

#[inline(always)]
fn bit_of(adjacency: u32) -> u64 {
    1 << (adjacency % BITS)
}

const NOT_READ: u8 = 0;
const BEING_READ: u8 = 1;
const READ: u8 = 2;

/// Sets of the vertices of one section.
#[derive(Debug)]
struct Block {
    state: AtomicU8,
    sets: Box<[AtomicU64]>,
}

type Bucket = Box<[OnceLock<Block>]>;

/// Sets of all vertices.
#[derive(Debug)]
pub(crate) struct Presence {
    buckets: [OnceLock<Bucket>; BUCKETS],
}

impl Default for Presence {
    fn default() -> Self {
        Presence {
            buckets: [const { OnceLock::new() }; BUCKETS],
        }
    }
}

/// Bucket of a section's number, and the place there.
#[inline(always)]
fn locate(section: u32) -> (usize, usize) {
    let number = u64::from(section) + 1;
    let bucket = number.ilog2() as usize;
    (bucket, (number - (1 << bucket)) as usize)
}

impl Presence {
    #[inline(always)]
    fn block(&self, section: u32) -> Option<&Block> {
        let (bucket, place) = locate(section);
        self.buckets[bucket].get()?[place].get()
    }

    /// The block of a section, made if need be, for `lists` vertices.
    fn reach(&self, section: u32, lists: usize) -> &Block {
        let (bucket, place) = locate(section);
        let places = || (0..1usize << bucket).map(|_| OnceLock::new()).collect();
        let bucket = self.buckets[bucket].get_or_init(places);
        bucket[place].get_or_init(|| Block {
            state: AtomicU8::new(NOT_READ),
            sets: (0..lists).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Entries that an adjacency's section has got; called after they are in it, and
    /// before a view can show them. `arcs` are `vertex << 32 | word`.
    pub(crate) fn note(&self, adjacency: u32, section: u32, arcs: &[u64]) {
        // Dekker's pattern, with the fence of the first reader: either that reader finds
        // the entries in the section, or the committer finds the block here. Without the
        // fences both could miss.
        fence(Ordering::SeqCst);
        let Some(block) = self.block(section) else {
            return;
        };
        let mask = block.sets.len() - 1;
        for &arc in arcs {
            block.add((arc >> 32) as usize & mask, bit_of(adjacency));
        }
    }

    /// Returns the adjacencies that may have a list of a vertex. The first to ask about a
    /// section, which `exists`, notes what `read` finds there: numbers of adjacencies and
    /// lists. Callers meanwhile do not wait and get all adjacencies.
    pub(crate) fn of(
        &self,
        vertex: u32,
        section_shift: u32,
        exists: impl FnOnce() -> bool,
        read: impl FnOnce(&dyn Fn(u32, usize)),
    ) -> AdjacencySet {
        let section = vertex >> section_shift;
        let block = match self.block(section) {
            Some(block) => block,
            // No view of today shows anything there, however large the number is.
            None if !exists() => return AdjacencySet::NONE,
            None => self.reach(section, 1 << section_shift),
        };
        if block.state.load(Ordering::Acquire) != READ && !block.read(read) {
            return AdjacencySet::ALL;
        }
        let list = vertex as usize & (block.sets.len() - 1);
        AdjacencySet(block.sets[list].load(Ordering::Relaxed))
    }

    /// DRAM in use.
    pub(crate) fn heap_bytes(&self) -> usize {
        let buckets = self.buckets.iter().filter_map(OnceLock::get);
        buckets
            .map(|bucket| {
                let blocks = bucket.iter().filter_map(OnceLock::get);
                let sets: usize = blocks.map(|block| 8 * block.sets.len()).sum();
                size_of_val(&bucket[..]) + sets
            })
            .sum()
    }
}

impl Block {
    #[inline(always)]
    fn add(&self, list: usize, bit: u64) {
        let set = &self.sets[list];
        if set.load(Ordering::Relaxed) & bit == 0 {
            set.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Notes which lists there are, unless another thread does. Returns whether it is
    /// done.
    fn read(&self, read: impl FnOnce(&dyn Fn(u32, usize))) -> bool {
        let (from, to) = (Ordering::AcqRel, Ordering::Acquire);
        match (self.state).compare_exchange(NOT_READ, BEING_READ, from, to) {
            Ok(_) => {}
            Err(state) => return state == READ,
        }
        fence(Ordering::SeqCst);
        read(&|adjacency, list| self.add(list, bit_of(adjacency)));
        self.state.store(READ, Ordering::Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_places_of_their_own() {
        let mut seen = std::collections::BTreeSet::new();
        for section in (0..70).chain([u32::MAX - 1, u32::MAX]) {
            let (bucket, place) = locate(section);
            assert!(bucket < BUCKETS && place < 1 << bucket);
            assert!(seen.insert((bucket, place)));
        }
    }

    #[test]
    fn directions_and_types_are_told_apart() {
        let set: AdjacencySet = [5, 0, 63].into_iter().collect();
        assert!(set.may_contain(5) && !set.may_contain(4) && set.len() == 3);
        // Of more types than 32, some have one bit.
        assert!(set.may_contain(64));
        let wanted: AdjacencySet = [63, 4, 5].into_iter().collect();
        let adjacencies = |mut set: AdjacencySet| std::iter::from_fn(move || set.pop_first());
        assert!(adjacencies(set.and(wanted)).eq([5, 63]));
        assert!(adjacencies(AdjacencySet::ALL).eq(0..64));
        assert!(adjacencies(AdjacencySet::OUT).eq((0..64).step_by(2)));
        assert!(adjacencies(AdjacencySet::IN).eq((1..64).step_by(2)));
    }
}
