//! A few open buckets and an overflow list.

use evergraph_graph::VertexId;
use rayon::prelude::*;

use super::{BucketQueue, Keys, NONE, Order};
use crate::parallel::CHUNK_ITEMS;

/// Entries that are never worth packing.
const SLACK: usize = 1 << 10;

/// Buckets of which the next few are open; see the [module](super).
pub struct Buckets<F> {
    keys: Keys<F>,
    /// The open buckets, of the keys `first..end`, then the overflow list of the
    /// keys from `end` on.
    lists: Vec<Vec<VertexId>>,
    first: u32,
    end: u32,
    /// In all lists, stale ones too.
    entries: usize,
}

impl<F: Fn(VertexId) -> u32 + Sync> Buckets<F> {
    /// The vertices `0..vertex_count`, each in the bucket that `bucket_of` says
    /// now, or in none ([`NONE`]). `open_buckets` (at least 1) are kept apart:
    /// about as many as a vertex crosses in one update.
    pub fn new(vertex_count: usize, order: Order, open_buckets: usize, bucket_of: F) -> Self {
        let keys = Keys::new(vertex_count, order, bucket_of);
        let mut lists = vec![Vec::new(); open_buckets.max(1)];
        lists.push(keys.placed());
        Self {
            keys,
            entries: lists.last().map_or(0, Vec::len),
            lists,
            first: 0,
            end: 0,
        }
    }

    /// Drops all stale entries.
    fn pack(&mut self) {
        let overflow = self.lists.len() - 1;
        for (at, list) in self.lists.iter_mut().enumerate() {
            let here = |key| key != NONE && slot(key, self.first..self.end, overflow) == at;
            *list = self.keys.live(std::mem::take(list), here);
        }
        self.entries = self.lists.iter().map(Vec::len).sum();
    }

    /// With nothing left in the open buckets: opens those from the first on that
    /// has vertices. False if there is none.
    fn open_next(&mut self) -> bool {
        let overflow = self.lists.len() - 1;
        let waiting = std::mem::take(&mut self.lists[overflow]);
        self.entries -= waiting.len();
        let (keys, end) = (&self.keys, self.end);
        let waits = |key: u32| key != NONE && key >= end;
        let chunks = waiting.par_chunks(CHUNK_ITEMS);
        let lowest = |chunk: &[VertexId]| {
            let keys = chunk.iter().map(|&v| keys.of(v));
            keys.filter(|&key| waits(key)).min()
        };
        let Some(first) = chunks.filter_map(lowest).min() else {
            return false;
        };
        let new_end = first.saturating_add(overflow as u32);
        self.entries += scatter(&mut self.lists, &waiting, &|v| {
            let key = keys.of(v);
            waits(key).then(|| slot(key, first..new_end, overflow))
        });
        (self.first, self.end) = (first, new_end);
        self.keys.current = first;
        true
    }

    /// Entries of all lists.
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        assert_eq!(self.entries, self.lists.iter().map(Vec::len).sum());
        self.entries
    }
}

impl<F: Fn(VertexId) -> u32 + Sync> BucketQueue for Buckets<F> {
    fn update(&mut self, vertices: &[VertexId]) {
        let (keys, first, end) = (&self.keys, self.first, self.end);
        let overflow = self.lists.len() - 1;
        let slot = |key| slot(key, first..end, overflow);
        self.entries += scatter(&mut self.lists, vertices, &|v| {
            let (before, key) = keys.renew(v);
            let stays = before != NONE && slot(before) == slot(key);
            (key != NONE && !stays).then(|| slot(key))
        });
        if self.entries > 2 * self.keys.now.len() + SLACK {
            self.pack();
        }
    }
}

impl<F: Fn(VertexId) -> u32 + Sync> Iterator for Buckets<F> {
    type Item = (u32, Vec<VertexId>);

    /// The next bucket that is not empty and its vertices, which leave it.
    fn next(&mut self) -> Option<(u32, Vec<VertexId>)> {
        loop {
            let overflow = self.lists.len() - 1;
            for at in (self.keys.current - self.first) as usize..overflow {
                let entries = std::mem::take(&mut self.lists[at]);
                if entries.is_empty() {
                    continue;
                }
                self.entries -= entries.len();
                let taken = self.keys.take(self.first + at as u32, entries);
                if taken.is_some() {
                    return taken;
                }
            }
            if !self.open_next() {
                return None;
            }
        }
    }
}

/// Number of the list that holds the vertices of a key.
#[inline]
fn slot(key: u32, open: std::ops::Range<u32>, overflow: usize) -> usize {
    match key < open.end {
        true => (key - open.start) as usize,
        false => overflow,
    }
}

/// Appends each of `vertices` to the list that `slot` says, if any. How many.
fn scatter(
    lists: &mut [Vec<VertexId>],
    vertices: &[VertexId],
    slot: &(dyn Fn(VertexId) -> Option<usize> + Sync),
) -> usize {
    let before: usize = lists.iter().map(Vec::len).sum();
    let into = |lists: &mut [Vec<VertexId>], vertices: &[VertexId]| {
        for &v in vertices {
            if let Some(slot) = slot(v) {
                lists[slot].push(v);
            }
        }
    };
    if vertices.len() <= CHUNK_ITEMS {
        into(lists, vertices);
    } else {
        let scattered: Vec<Vec<Vec<VertexId>>> = vertices
            .par_chunks(CHUNK_ITEMS)
            .map(|chunk| {
                let mut own = vec![Vec::new(); lists.len()];
                into(&mut own, chunk);
                own
            })
            .collect();
        lists.par_iter_mut().enumerate().for_each(|(at, list)| {
            list.reserve(scattered.iter().map(|own| own[at].len()).sum());
            for own in &scattered {
                list.extend_from_slice(&own[at]);
            }
        });
    }
    lists.iter().map(Vec::len).sum::<usize>() - before
}
