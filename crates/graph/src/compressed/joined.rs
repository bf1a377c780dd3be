//! The coded lists of a whole direction in a few arrays, as they are stored.

use super::chunk::CompressedChunk;
use crate::seal::CHUNK_VERTICES;
use crate::{Array, Weight};

/// The chunks of one direction joined: each array is that of all chunks, one after
/// another.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedLists {
    /// Of each chunk [`CompressedLists::PLACE_WORDS`] numbers: where it starts in
    /// `bytes`, where in `weights` (counted also where there are none), and its
    /// shift; and at last those of the chunk that would follow, with a shift of 0.
    pub places: Array<u64>,
    /// Start of each list, counted from its chunk; see [`CompressedChunk::starts`].
    pub starts: Array<u32>,
    /// The lists.
    pub bytes: Array<u8>,
    /// Start of each list's weights, counted from its chunk, or empty.
    pub weight_starts: Array<u64>,
    /// One for each entry, or empty.
    pub weights: Array<Weight>,
}

/// The same, read in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined<'a> {
    pub(super) places: &'a [[u64; CompressedLists::PLACE_WORDS]],
    pub(super) starts: &'a [u32],
    pub(super) bytes: &'a [u8],
    pub(super) weight_starts: &'a [u64],
    pub(super) weights: &'a [Weight],
}

impl CompressedLists {
    /// Numbers that say where a chunk is.
    pub const PLACE_WORDS: usize = 3;

    pub(super) fn size_bytes(&self) -> usize {
        let coded = self.starts.size_bytes() + self.bytes.size_bytes();
        let weights = self.weight_starts.size_bytes() + self.weights.size_bytes();
        self.places.size_bytes() + coded + weights
    }

    pub(super) fn view(&self) -> Joined<'_> {
        Joined {
            places: self.places.as_chunks().0,
            starts: &self.starts,
            bytes: &self.bytes,
            weight_starts: &self.weight_starts,
            weights: &self.weights,
        }
    }
}

impl<'a> Joined<'a> {
    #[inline]
    pub(super) fn chunk(&self, number: usize) -> CompressedChunk<'a> {
        let [start, arc_start, shift] = self.places[number];
        let [end, arc_end, _] = self.places[number + 1];
        let first = number * CHUNK_VERTICES;
        let vertices = first..self.starts.len().min(first + CHUNK_VERTICES);
        let weights = arc_start as usize..arc_end as usize;
        CompressedChunk {
            shift: shift as u32,
            arc_count: arc_end - arc_start,
            starts: &self.starts[vertices.clone()],
            bytes: &self.bytes[start as usize..end as usize],
            weight_starts: self.weight_starts.get(vertices).unwrap_or_default(),
            weights: self.weights.get(weights).unwrap_or_default(),
        }
    }
}
