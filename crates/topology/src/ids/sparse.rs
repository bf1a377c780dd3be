//! From numbers far apart to vertices, in DRAM.

use std::hash::BuildHasher;

use evergraph_storage::prefetch_for_read;

use super::hash::Seed;

/// Stands for the vertex of an id that has none.
pub const NO_VERTEX: u32 = u32::MAX;

/// Slots of the smallest table.
const LEAST_SLOTS: usize = 16;

/// A hash table of open addressing: an id is in the first slot that was empty from its
/// home on. The standard library's cannot fetch a slot ahead of its use, and needs two
/// cache lines for each id.
#[derive(Debug, Default)]
pub(super) struct SparseIndex {
    /// A power of two of them, or none; at most three quarters are used.
    slots: Vec<Slot>,
    used: usize,
    seed: Seed,
}

/// Empty if it has no vertex.
#[derive(Clone, Copy, Debug)]
struct Slot {
    id: u64,
    vertex: u32,
}

const EMPTY: Slot = Slot {
    id: 0,
    vertex: NO_VERTEX,
};

impl SparseIndex {
    /// An empty one that does not grow before it has so many ids.
    pub(super) fn with_room(ids: usize) -> Self {
        let slots = (4 * ids).div_ceil(3).next_power_of_two();
        SparseIndex {
            slots: vec![EMPTY; slots.max(LEAST_SLOTS)],
            ..SparseIndex::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The vertex of an id.
    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let slot = self.slots[self.slot_of(id)];
        (slot.vertex != NO_VERTEX).then_some(slot.vertex)
    }

    /// Has the processor fetch the slot of an id from memory.
    #[inline]
    pub(super) fn fetch(&self, id: u64) {
        if let Some(slot) = self.slots.get(self.home(id)) {
            prefetch_for_read(std::ptr::from_ref(slot).cast());
        }
    }

    /// Has the id lead to this vertex, and to no other any more.
    pub(super) fn insert(&mut self, id: u64, vertex: u32) {
        debug_assert!(vertex != NO_VERTEX, "no vertex has it");
        if 4 * (self.used + 1) > 3 * self.slots.len() {
            self.grow();
        }
        let at = self.slot_of(id);
        self.used += usize::from(self.slots[at].vertex == NO_VERTEX);
        self.slots[at] = Slot { id, vertex };
    }

    /// All ids with their vertices.
    pub(super) fn into_entries(self) -> impl Iterator<Item = (u64, u32)> {
        let used = self.slots.into_iter();
        used.filter(|slot| slot.vertex != NO_VERTEX)
            .map(|slot| (slot.id, slot.vertex))
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(LEAST_SLOTS);
        let smaller = std::mem::replace(&mut self.slots, vec![EMPTY; slots]);
        for slot in smaller {
            if slot.vertex != NO_VERTEX {
                let at = self.slot_of(slot.id);
                self.slots[at] = slot;
            }
        }
    }

    /// The slot that has the id, or that it would take. There must be slots.
    #[inline]
    fn slot_of(&self, id: u64) -> usize {
        let mut at = self.home(id);
        loop {
            let slot = self.slots[at];
            if slot.id == id || slot.vertex == NO_VERTEX {
                return at;
            }
            at = (at + 1) % self.slots.len();
        }
    }

    /// Where the search for an id begins.
    #[inline]
    fn home(&self, id: u64) -> usize {
        self.seed.hash_one(id) as usize & self.slots.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use evergraph_graph::random::Random;

    /// Against an ordinary map: ids that come again, 0 and the largest, in tables of every
    /// size.
    #[test]
    fn ids_lead_to_the_vertex_that_they_got_last() {
        leads_to_the_last(SparseIndex::default());
        let index = leads_to_the_last(SparseIndex::with_room(12_000));
        assert_eq!(index.slots.len(), 16_384);
        for ids in 0..100 {
            let mut index = SparseIndex::with_room(ids);
            let slots = index.slots.len();
            (0..ids).for_each(|id| index.insert(id as u64, 0));
            assert_eq!(index.slots.len(), slots, "{ids}");
        }
    }

    fn leads_to_the_last(mut index: SparseIndex) -> SparseIndex {
        let mut random = Random::new(7);
        let mut reference = HashMap::new();
        for vertex in 0..20_000 {
            let id = match random.next_u64() % 64 {
                0 => random.next_u64() % 3,
                1 => u64::MAX - random.next_u64() % 3,
                _ => (random.next_u64() % 12_000) << 40,
            };
            index.fetch(id);
            assert_eq!(index.get(id), reference.get(&id).copied(), "{id}");
            index.insert(id, vertex);
            reference.insert(id, vertex);
            assert_eq!(index.used, reference.len());
        }
        let entries = index.slots.iter().filter(|slot| slot.vertex != NO_VERTEX);
        let entries: HashMap<u64, u32> = entries.map(|slot| (slot.id, slot.vertex)).collect();
        assert_eq!(entries, reference);
        index
    }
}
