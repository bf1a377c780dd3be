//! Vertices in buckets by a value that changes, taken bucket by bucket.
//!
//! [`Buckets`] keeps a few open buckets and everything later in one overflow list;
//! moving a vertex leaves a stale entry behind. [`SemiEagerBuckets`] keeps every
//! bucket, each with counters of live and stale entries, and so does not look at
//! a vertex again until its turn, however far apart values are. Both are iterators
//! of buckets with an `update` for vertices whose value changed.
//!
//! Buckets come in order, each with its vertices ascending, so that what comes out
//! does not depend on threads or on the order of updates. A vertex whose bucket
//! would come before the bucket taken last comes with that one.
//!
//! Work O(1) an update amortized (the sorting of a bucket that is taken aside, and a look
//! at the overflow list whenever the open buckets run empty). Memory: n words of
//! keys, and entries that are packed before they exceed 2n + O(1), so O(n) words.
//! Sources: Dhulipala, Blelloch and Shun, "Julienne", SPAA 2017; Dhulipala et al.,
//! "Sage", VLDB 2020, appendix B (the semi-eager variant, and the bound).

mod open;
mod semi_eager;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::VertexId;
use rayon::prelude::*;

pub use self::open::Buckets;
pub use self::semi_eager::SemiEagerBuckets;
use crate::Bitmap;
use crate::parallel::CHUNK_ITEMS;

/// The bucket of a vertex that is in none.
pub const NONE: u32 = u32::MAX;

/// Order of the buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The lowest.
    Increasing,
    /// The highest.
    Decreasing,
}

impl Order {
    /// A number that rises in this order; [`NONE`] stays. Its own inverse.
    #[inline]
    fn key(self, bucket: u32) -> u32 {
        match self {
            Self::Decreasing if bucket != NONE => NONE - 1 - bucket,
            _ => bucket,
        }
    }
}

/// Buckets of either kind: an iterator of (bucket, its vertices).
pub trait BucketQueue: Iterator<Item = (u32, Vec<VertexId>)> {
    /// Moves each of `vertices` to the bucket that it belongs to now. Those that
    /// were taken, or in none, may so come back.
    fn update(&mut self, vertices: &[VertexId]);
}

/// Bucket of each vertex, now and wanted.
struct Keys<F> {
    order: Order,
    bucket_of: F,
    /// The key of the bucket that holds a vertex, [`NONE`] outside all.
    now: Vec<AtomicU32>,
    /// The key of the bucket taken last; there is no earlier one any more.
    current: u32,
}

impl<F: Fn(VertexId) -> u32 + Sync> Keys<F> {
    fn new(vertex_count: usize, order: Order, bucket_of: F) -> Self {
        let now = keys_of(vertex_count, &|v| order.key(bucket_of(v)));
        Self {
            order,
            bucket_of,
            now,
            current: 0,
        }
    }

    #[inline]
    fn of(&self, v: VertexId) -> u32 {
        self.now[v as usize].load(Relaxed)
    }

    /// Moves `v` to where it belongs. The keys before and after.
    #[inline]
    fn renew(&self, v: VertexId) -> (u32, u32) {
        let key = self.order.key((self.bucket_of)(v)).max(self.current);
        (self.now[v as usize].swap(key, Relaxed), key)
    }

    /// All vertices that are in a bucket.
    fn placed(&self) -> Vec<VertexId> {
        placed(&self.now)
    }

    /// Takes the bucket of `key` out of `entries`, stale ones among them.
    fn take(&mut self, key: u32, entries: Vec<VertexId>) -> Option<(u32, Vec<VertexId>)> {
        let members = self.live(entries, |now| now == key);
        if members.is_empty() {
            return None;
        }
        remove(&self.now, &members);
        self.current = key;
        Some((self.order.key(key), members))
    }

    /// The vertices of `entries` whose key `keep` accepts, ascending, each once.
    fn live(&self, entries: Vec<VertexId>, keep: impl Fn(u32) -> bool + Sync) -> Vec<VertexId> {
        live(&self.now, entries, &keep)
    }
}

// Apart from the function that tells a vertex's bucket, so that these are compiled once.

/// The key of each vertex.
fn keys_of(vertex_count: usize, key: &(dyn Fn(VertexId) -> u32 + Sync)) -> Vec<AtomicU32> {
    let vertices = (0..vertex_count as VertexId).into_par_iter();
    let keys = vertices.with_min_len(CHUNK_ITEMS).map(key);
    keys.map(AtomicU32::new).collect()
}

/// The vertices with a key.
fn placed(now: &[AtomicU32]) -> Vec<VertexId> {
    let vertices = (0..now.len() as VertexId).into_par_iter();
    let has_key = |&v: &VertexId| now[v as usize].load(Relaxed) != NONE;
    let placed = vertices.with_min_len(CHUNK_ITEMS).filter(has_key);
    placed.collect()
}

/// Takes the keys of vertices away.
fn remove(now: &[AtomicU32], vertices: &[VertexId]) {
    let remove = |vertices: &[VertexId]| {
        let keys = vertices.iter().map(|&v| &now[v as usize]);
        keys.for_each(|key| key.store(NONE, Relaxed));
    };
    match vertices.len() <= CHUNK_ITEMS {
        true => remove(vertices),
        false => vertices.par_chunks(CHUNK_ITEMS).for_each(remove),
    }
}

/// As [`Keys::live`].
fn live(
    now: &[AtomicU32],
    mut entries: Vec<VertexId>,
    keep: &(dyn Fn(u32) -> bool + Sync),
) -> Vec<VertexId> {
    let is_kept = |v: VertexId| keep(now[v as usize].load(Relaxed));
    if entries.len() <= CHUNK_ITEMS {
        entries.retain(|&v| is_kept(v));
        entries.sort_unstable();
        entries.dedup();
        return entries;
    }
    let kept = entries.into_par_iter().filter(|&v| is_kept(v));
    let mut entries: Vec<VertexId> = kept.collect();
    if entries.len() > now.len() / 64 {
        return Bitmap::of(now.len(), &entries).to_list();
    }
    entries.par_sort_unstable();
    entries.dedup();
    entries
}
