//! From numbers to vertices, in DRAM.

use evergraph_storage::prefetch_for_read;

use super::sparse::{NO_VERTEX, SparseIndex};

/// Ids of a page: 16 KiB of vertices.
const PAGE_SHIFT: u32 = 12;
const PAGE: usize = 1 << PAGE_SHIFT;

/// Pages that there can be: they reach the ids below 2^32.
const MOST_PAGES: u64 = 1 << 20;

/// Pages that there may be whatever the ids, and ids of pages for each one that is
/// used: 32 bytes a vertex at most.
const FREE_PAGES: usize = 16;
const SPREAD: usize = 8;

/// How many ids ahead of the one that is read an entry is fetched: about as many as wait
/// for memory at once.
const FETCHED_AHEAD: usize = 32;

/// The vertex of each number. Numbers that lie close together, as most graphs have
/// them, are found by two array accesses, which do not wait for those of other numbers;
/// the rest by hashing, until there are enough of them for pages.
#[derive(Debug, Default)]
pub struct NumberIndex {
    /// By id / 4096.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    used_pages: usize,
    /// Ids without a page when they came.
    far: SparseIndex,
    /// Some of those are small enough for a page.
    far_fit_pages: bool,
    inserted: usize,
}

impl NumberIndex {
    /// The index of vertices 0, 1, … with these ids.
    pub fn of(ids: &[u64]) -> Self {
        let mut index = NumberIndex {
            // From the first on as many pages as for all of them.
            inserted: ids.len(),
            ..NumberIndex::default()
        };
        for (vertex, &id) in ids.iter().enumerate() {
            if let Some(&ahead) = ids.get(vertex + FETCHED_AHEAD) {
                index.fetch(ahead);
            }
            index.place(id, vertex as u32);
        }
        index
    }

    /// The vertex of an id.
    #[inline]
    pub fn get(&self, id: u64) -> Option<u32> {
        self.get_paged(id).or_else(|| self.far.get(id))
    }

    #[inline]
    fn get_paged(&self, id: u64) -> Option<u32> {
        let page = self.pages.get((id >> PAGE_SHIFT) as usize)?.as_deref()?;
        let vertex = page[id as usize % PAGE];
        (vertex != NO_VERTEX).then_some(vertex)
    }

    /// Appends the vertex of each id, or [`NO_VERTEX`]. An id costs a fraction of what
    /// [`NumberIndex::get`] does: those behind it are fetched from memory meanwhile.
    pub fn get_all(&self, ids: &[u64], vertices: &mut Vec<u32>) {
        vertices.reserve(ids.len());
        for (at, &id) in ids.iter().enumerate() {
            if let Some(&ahead) = ids.get(at + FETCHED_AHEAD) {
                self.fetch(ahead);
            }
            vertices.push(self.get(id).unwrap_or(NO_VERTEX));
        }
    }

    /// Has the processor fetch the entry of an id from memory.
    #[inline]
    fn fetch(&self, id: u64) {
        match self.pages.get((id >> PAGE_SHIFT) as usize) {
            Some(Some(page)) => {
                prefetch_for_read(std::ptr::from_ref(&page[id as usize % PAGE]).cast());
            }
            _ => self.far.fetch(id),
        }
    }

    /// Has the id lead to this vertex, and to no other any more.
    pub fn insert(&mut self, id: u64, vertex: u32) {
        self.inserted += 1;
        self.place(id, vertex);
        if self.inserted.is_power_of_two() && self.far_fit_pages {
            self.replace_far();
        }
    }

    fn place(&mut self, id: u64, vertex: u32) {
        match self.page_of(id) {
            Some(page) => page[id as usize % PAGE] = vertex,
            None => {
                self.far.insert(id, vertex);
                self.far_fit_pages |= id >> PAGE_SHIFT < MOST_PAGES;
            }
        }
    }

    /// Gives ids the pages that there may be by now: the first ids of a graph came when
    /// there were too few for pages, and they are those that are looked up most.
    fn replace_far(&mut self) {
        self.far_fit_pages = false;
        for (id, vertex) in std::mem::take(&mut self.far).into_entries() {
            // Else it came again when it had a page, and that vertex holds.
            if self.get_paged(id).is_none() {
                self.place(id, vertex);
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
            let empty: Box<[u32]> = vec![NO_VERTEX; PAGE].into();
            self.pages[number] = Some(empty.try_into().expect("of the length of a page"));
            self.used_pages += 1;
        }
        self.pages[number].as_deref_mut()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

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
            let ids: Vec<u64> = reference
                .keys()
                .flat_map(|&id| [id, id ^ 1, id ^ 1 << 39])
                .collect();
            let expected = ids.iter().map(|id| reference.get(id).copied());
            assert!(ids.iter().map(|&id| index.get(id)).eq(expected.clone()));
            let mut vertices = vec![5];
            index.get_all(&ids, &mut vertices);
            let expected = expected.map(|vertex| vertex.unwrap_or(NO_VERTEX));
            assert!(vertices.into_iter().skip(1).eq(expected), "{seed}");
        }
    }

    /// Against an ordinary map, and further ids behind the first.
    #[test]
    fn an_index_of_many_ids_is_as_one_that_grew() {
        for (seed, stride) in [(1, 1), (2, 100), (3, 4096), (4, 1 << 40)] {
            let mut random = Random::new(seed);
            let mut ids: Vec<u64> = (0..40_000)
                .map(|_| (random.next_u64() % 30_000).wrapping_mul(stride))
                .collect();
            let mut index = NumberIndex::of(&ids);
            for vertex in 40_000..80_000 {
                ids.push((random.next_u64() % 60_000).wrapping_mul(stride));
                index.insert(ids[vertex as usize], vertex);
            }
            let reference: HashMap<u64, u32> = ids.iter().copied().zip(0..).collect();
            for id in (0..60_000).map(|id| id * stride) {
                assert_eq!(index.get(id), reference.get(&id).copied(), "{id}");
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

    /// Those came when there were too few of them.
    #[test]
    fn the_first_ids_of_a_graph_get_pages_later() {
        let mut index = NumberIndex::default();
        let ids = 1_u32 << 17;
        for vertex in 0..ids {
            // All over the pages from the first on.
            index.insert(u64::from(vertex.reverse_bits() >> 15), vertex);
        }
        assert!(index.far.is_empty());
        assert_eq!(index.get(1 << 16), Some(1));
    }
}
