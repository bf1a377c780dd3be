//! From ids to vertices, in DRAM.

use std::collections::HashMap;

use super::hash::Seed;

/// Ids of a page: 16 KiB of vertices.
const PAGE_SHIFT: u32 = 12;
const PAGE: usize = 1 << PAGE_SHIFT;

/// Pages that there can be: they reach the ids below 2^32.
const MOST_PAGES: u64 = 1 << 20;

/// Pages that there may be whatever the ids, and ids of pages for each one that is
/// used: 32 bytes a vertex at most.
const FREE_PAGES: usize = 16;
const SPREAD: usize = 8;

/// No vertex has it.
const NONE: u32 = u32::MAX;

/// The vertex of each number. Numbers that lie close together, as most graphs have
/// them, are found by two array accesses, which do not wait for those of other numbers;
/// the rest by hashing.
#[derive(Debug, Default)]
pub struct NumberIndex {
    /// By id / 4096.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    used_pages: usize,
    /// Ids without a page when they came.
    far: HashMap<u64, u32, Seed>,
    inserted: usize,
}

impl NumberIndex {
    /// The index of vertices 0, 1, … with these ids.
    pub fn of(ids: &[u64]) -> Self {
        let mut index = NumberIndex::default();
        for (&id, vertex) in ids.iter().zip(0..) {
            index.insert(id, vertex);
        }
        index
    }

    /// The vertex of an id.
    #[inline]
    pub fn get(&self, id: u64) -> Option<u32> {
        if let Some(Some(page)) = self.pages.get((id >> PAGE_SHIFT) as usize) {
            let vertex = page[id as usize % PAGE];
            if vertex != NONE {
                return Some(vertex);
            }
        }
        match self.far.is_empty() {
            true => None,
            false => self.far.get(&id).copied(),
        }
    }

    /// Has the id lead to this vertex, and to no other any more.
    pub fn insert(&mut self, id: u64, vertex: u32) {
        self.inserted += 1;
        match self.page_of(id) {
            Some(page) => page[id as usize % PAGE] = vertex,
            None => {
                self.far.insert(id, vertex);
            }
        }
    }

    /// The page of an id, which is made if the ids are close enough together.
    fn page_of(&mut self, id: u64) -> Option<&mut [u32; PAGE]> {
        let number = id >> PAGE_SHIFT;
        if number >= MOST_PAGES {
            return None;
        }
        let number = number as usize;
        let exists = matches!(self.pages.get(number), Some(Some(_)));
        if !exists {
            if self.used_pages >= FREE_PAGES + self.inserted * SPREAD / PAGE {
                return None;
            }
            if self.pages.len() <= number {
                self.pages.resize_with(number + 1, || None);
            }
            let empty: Box<[u32]> = vec![NONE; PAGE].into();
            self.pages[number] = Some(empty.try_into().expect("of the length of a page"));
            self.used_pages += 1;
        }
        self.pages[number].as_deref_mut()
    }
}

/// The vertex of each text.
pub type TextIndex = HashMap<Box<[u8]>, u32, Seed>;

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::random::Random;

    /// Against an ordinary map: ids close together, far apart, at the ends of pages and
    /// of what pages reach, and ids that come again.
    #[test]
    fn numbers_lead_to_the_vertex_that_they_got_last() {
        for (seed, stride) in [(1, 1), (2, 7), (3, 4096), (4, 4095), (5, 1 << 40)] {
            let mut random = Random::new(seed);
            let mut index = NumberIndex::default();
            let mut reference = HashMap::new();
            for vertex in 0..60_000 {
                let id = match random.next_u64() % 64 {
                    0 => u64::MAX - random.next_u64() % 9,
                    1 => (1 << 32) - 5 + random.next_u64() % 9,
                    _ => (random.next_u64() % 50_000).wrapping_mul(stride),
                };
                assert_eq!(index.get(id), reference.get(&id).copied(), "{id}");
                index.insert(id, vertex);
                reference.insert(id, vertex);
            }
            for (&id, &vertex) in &reference {
                assert_eq!(index.get(id), Some(vertex), "{id}");
                assert_eq!(
                    index.get(id ^ 1 << 39),
                    reference.get(&(id ^ 1 << 39)).copied()
                );
            }
        }
    }

    #[test]
    fn ids_far_apart_take_no_page_each() {
        let mut index = NumberIndex::default();
        for vertex in 0..10_000 {
            index.insert(u64::from(vertex) << PAGE_SHIFT, vertex);
        }
        assert!(index.used_pages <= FREE_PAGES + 10_000 * SPREAD / PAGE + 1);
        assert_eq!(index.get(9_999 << PAGE_SHIFT), Some(9_999));
    }
}
