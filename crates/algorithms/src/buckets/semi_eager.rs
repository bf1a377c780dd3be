//! All buckets, each with counters of live and stale entries.

use std::collections::BTreeMap;

use evergraph_graph::VertexId;
use rayon::prelude::*;

use super::{BucketQueue, Keys, NONE, Order};
use crate::parallel::CHUNK_ITEMS;

/// Stale entries of one bucket that are never worth packing.
const SLACK: usize = 16;

/// Buckets that are all kept, and packed one by one; see the [module](super).
///
/// Never more stale than live entries in a bucket, but for a few.
pub struct SemiEagerBuckets<F> {
    keys: Keys<F>,
    /// By key; none without live entries.
    buckets: BTreeMap<u32, Bucket>,
}

#[derive(Default)]
struct Bucket {
    entries: Vec<VertexId>,
    live: usize,
}

impl<F: Fn(VertexId) -> u32 + Sync> SemiEagerBuckets<F> {
    /// The vertices `0..vertex_count`, each in the bucket that `bucket_of` says
    /// now, or in none ([`NONE`]).
    pub fn new(vertex_count: usize, order: Order, bucket_of: F) -> Self {
        let keys = Keys::new(vertex_count, order, bucket_of);
        let placed = keys.placed();
        let arrivals = placed.into_par_iter().map(|v| (keys.of(v), v)).collect();
        let mut buckets = Self {
            keys,
            buckets: BTreeMap::new(),
        };
        buckets.arrive(arrivals);
        buckets
    }

    fn arrive(&mut self, mut arrivals: Vec<(u32, VertexId)>) {
        arrivals.par_sort_unstable();
        for group in arrivals.chunk_by(|a, b| a.0 == b.0) {
            let bucket = self.buckets.entry(group[0].0).or_default();
            bucket.entries.extend(group.iter().map(|&(_, v)| v));
            bucket.live += group.len();
        }
    }

    /// Of the keys of buckets, each as often as a vertex left it.
    fn depart(&mut self, mut departures: Vec<u32>) {
        departures.par_sort_unstable();
        for group in departures.chunk_by(|a, b| a == b) {
            let key = group[0];
            let Some(bucket) = self.buckets.get_mut(&key) else {
                debug_assert!(false, "a vertex was in a bucket that is not there");
                continue;
            };
            bucket.live -= group.len();
            if bucket.live == 0 {
                self.buckets.remove(&key);
            } else if bucket.entries.len() > 2 * bucket.live + SLACK {
                let entries = std::mem::take(&mut bucket.entries);
                bucket.entries = self.keys.live(entries, |now| now == key);
            }
        }
    }

    /// Entries of all buckets.
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.buckets
            .values()
            .map(|bucket| bucket.entries.len())
            .sum()
    }
}

impl<F: Fn(VertexId) -> u32 + Sync> BucketQueue for SemiEagerBuckets<F> {
    fn update(&mut self, vertices: &[VertexId]) {
        let keys = &self.keys;
        let moves = |chunk: &[VertexId]| {
            let (mut departures, mut arrivals) = (Vec::new(), Vec::new());
            for &v in chunk {
                let (before, key) = keys.renew(v);
                if before != key {
                    departures.extend((before != NONE).then_some(before));
                    arrivals.extend((key != NONE).then_some((key, v)));
                }
            }
            (departures, arrivals)
        };
        let (departures, arrivals) = if vertices.len() <= CHUNK_ITEMS {
            moves(vertices)
        } else {
            vertices.par_chunks(CHUNK_ITEMS).map(moves).reduce(
                || (Vec::new(), Vec::new()),
                |(mut departures, mut arrivals), (more, others)| {
                    departures.extend(more);
                    arrivals.extend(others);
                    (departures, arrivals)
                },
            )
        };
        self.arrive(arrivals);
        self.depart(departures);
    }
}

impl<F: Fn(VertexId) -> u32 + Sync> Iterator for SemiEagerBuckets<F> {
    type Item = (u32, Vec<VertexId>);

    /// The next bucket that is not empty and its vertices, which leave it.
    fn next(&mut self) -> Option<(u32, Vec<VertexId>)> {
        let (key, bucket) = self.buckets.pop_first()?;
        self.keys.take(key, bucket.entries)
    }
}
