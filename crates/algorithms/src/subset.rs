//! Sets of vertices: a list while few, a bitmap when many.

use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_graph::VertexId;
use rayon::prelude::*;

use crate::parallel::{CHUNK_ITEMS, CHUNK_VERTICES};

/// Words of a bitmap that cover one chunk of vertices.
pub(crate) const CHUNK_WORDS: usize = CHUNK_VERTICES / 64;

/// One bit a vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// No vertex of `0..vertex_count`.
    pub fn empty(vertex_count: usize) -> Self {
        Self {
            words: vec![0; vertex_count.div_ceil(64)],
        }
    }

    /// The vertices of `list`, repetitions allowed. Parallel.
    ///
    /// # Panics
    /// If one is not below `vertex_count` rounded up to a multiple of 64.
    pub fn of(vertex_count: usize, list: &[VertexId]) -> Self {
        if list.len() <= CHUNK_ITEMS {
            let mut bitmap = Self::empty(vertex_count);
            list.iter().for_each(|&v| bitmap.insert(v));
            return bitmap;
        }
        let shared = SharedBitmap::empty(vertex_count);
        list.par_chunks(CHUNK_ITEMS).for_each(|list| {
            list.iter().for_each(|&v| shared.insert(v));
        });
        shared.into_bitmap()
    }

    /// Adds `v`.
    #[inline]
    pub fn insert(&mut self, v: VertexId) {
        self.words[v as usize / 64] |= 1 << (v % 64);
    }

    /// Whether `v` is in the set.
    #[inline]
    pub fn contains(&self, v: VertexId) -> bool {
        self.words[v as usize / 64] >> (v % 64) & 1 != 0
    }

    /// The members in ascending order. Parallel, O(n / 64 + members).
    pub fn to_list(&self) -> Vec<VertexId> {
        self.words
            .par_chunks(CHUNK_WORDS)
            .enumerate()
            .flat_map_iter(|(chunk, words)| Self::members_of(chunk * CHUNK_WORDS, words))
            .collect()
    }

    /// The members in `words`, of which the first is the word at `first`. Ascending.
    #[inline]
    pub(crate) fn members_of(first: usize, words: &[u64]) -> impl Iterator<Item = VertexId> {
        words
            .iter()
            .zip(first as VertexId..)
            .flat_map(|(&word, at)| {
                std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)))
                    .take_while(|&w| w != 0)
                    .map(move |w| at * 64 + w.trailing_zeros())
            })
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words in chunks of one task each.
    pub(crate) fn chunks_mut(&mut self) -> rayon::slice::ChunksMut<'_, u64> {
        self.words.par_chunks_mut(CHUNK_WORDS)
    }
}

/// A bitmap that several tasks write.
pub(crate) struct SharedBitmap(Vec<AtomicU64>);

impl SharedBitmap {
    /// No vertex of `0..vertex_count`.
    pub(crate) fn empty(vertex_count: usize) -> Self {
        let words = 0..vertex_count.div_ceil(64);
        Self(words.map(|_| AtomicU64::new(0)).collect())
    }

    /// Adds `v`.
    #[inline]
    pub(crate) fn insert(&self, v: VertexId) {
        let (word, bit) = (&self.0[v as usize / 64], 1 << (v % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Adds `v`; whether it was not there.
    #[inline]
    pub(crate) fn claim(&self, v: VertexId) -> bool {
        let (word, bit) = (&self.0[v as usize / 64], 1 << (v % 64));
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// Removes `v`, when no other task has the set.
    #[inline]
    pub(crate) fn remove_alone(&mut self, v: VertexId) {
        *self.0[v as usize / 64].get_mut() &= !(1 << (v % 64));
    }

    /// Removes `v`.
    #[inline]
    pub(crate) fn remove(&self, v: VertexId) {
        self.0[v as usize / 64].fetch_and(!(1 << (v % 64)), Ordering::Relaxed);
    }

    /// Whether `v` is in the set.
    #[inline]
    pub(crate) fn contains(&self, v: VertexId) -> bool {
        self.0[v as usize / 64].load(Ordering::Relaxed) >> (v % 64) & 1 != 0
    }

    pub(crate) fn into_bitmap(self) -> Bitmap {
        let words = self.0.into_iter().map(AtomicU64::into_inner).collect();
        Bitmap { words }
    }

    /// The members as a set of its own; this one is empty then.
    pub(crate) fn take(&mut self) -> Bitmap {
        let words = self.0.iter_mut().map(|word| std::mem::take(word.get_mut()));
        Bitmap {
            words: words.collect(),
        }
    }

    /// Memory of the words, as allocated.
    pub(crate) fn size_bytes(&self) -> usize {
        8 * self.0.capacity()
    }
}

/// A set of vertices, such as the frontier of a traversal.
#[derive(Clone, Debug)]
pub enum VertexSubset {
    /// Each member once, in any order.
    Sparse(Vec<VertexId>),
    /// A bitmap and how many bits it has set.
    Dense(Bitmap, usize),
}

impl VertexSubset {
    /// The set of one vertex.
    pub fn single(v: VertexId) -> Self {
        Self::Sparse(vec![v])
    }

    /// Members.
    pub fn len(&self) -> usize {
        match self {
            Self::Sparse(list) => list.len(),
            Self::Dense(_, len) => *len,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members as a list.
    pub fn into_list(self) -> Vec<VertexId> {
        match self {
            Self::Sparse(list) => list,
            Self::Dense(bitmap, _) => bitmap.to_list(),
        }
    }

    /// The members as a bitmap over `vertex_count` vertices.
    pub fn into_bitmap(self, vertex_count: usize) -> Bitmap {
        match self {
            Self::Sparse(list) => Bitmap::of(vertex_count, &list),
            Self::Dense(bitmap, _) => bitmap,
        }
    }
}
