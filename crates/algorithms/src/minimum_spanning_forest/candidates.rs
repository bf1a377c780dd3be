//! Edges collected in DRAM, and their forest.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{VertexId, Weight};
use rayon::prelude::*;

use crate::forest::Forest;
use crate::parallel::{CHUNK_ITEMS, shared_u32};
use crate::subset::SharedBitmap;
use crate::{Cancelled, Control};

/// No edge.
const NONE: u32 = u32::MAX;

/// An edge, ordered by weight and then by ends. 12 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// The weight as a number of the same order.
    key: u32,
    u: VertexId,
    v: VertexId,
}

impl Candidate {
    /// The edge between `u` and `v`; its weight is a number.
    #[inline]
    pub fn new(u: VertexId, v: VertexId, weight: Weight) -> Self {
        Self {
            key: key(weight),
            u,
            v,
        }
    }

    /// A number in the order of weights.
    #[inline]
    pub fn key(&self) -> u32 {
        self.key
    }

    #[inline]
    pub fn ends(&self) -> (VertexId, VertexId) {
        (self.u, self.v)
    }

    pub fn weight(&self) -> Weight {
        let sign = 1 << 31;
        match self.key & sign {
            0 => Weight::from_bits(!self.key),
            _ => Weight::from_bits(self.key ^ sign),
        }
    }
}

/// A number in the order of weights; both zeros are one.
#[inline]
pub(super) fn key(weight: Weight) -> u32 {
    let bits = (weight + 0.0).to_bits();
    match bits >> 31 {
        0 => bits ^ 1 << 31,
        _ => !bits,
    }
}

/// Sorts `candidates`, links those in `forest` (compressed, before and after)
/// that are the lightest ones to join its trees, and moves them to the front, sorted;
/// their number. 2n words of DRAM of 8 bytes and a bit a candidate.
pub(super) fn reduce(
    forest: &Forest,
    candidates: &mut [Candidate],
    control: &Control,
) -> Result<usize, Cancelled> {
    control.check()?;
    candidates.par_sort_unstable();
    // The first candidate out of each tree.
    let first = shared_u32(forest.len(), NONE, control)?;
    let mut is_taken = SharedBitmap::empty(candidates.len());
    let mut chosen = control.room_for(forest.len().min(candidates.len()))?;
    let mut live = candidates.len();
    while live > 0 {
        let candidates_now = &candidates[..live];
        let out_of = |at: u32| {
            let (u, v) = candidates_now[at as usize].ends();
            let (a, b) = (forest.parent(u) as usize, forest.parent(v) as usize);
            (a != b).then_some((a, b))
        };
        for_each_position(live, control, |at| {
            if let Some((a, b)) = out_of(at) {
                lower(&first[a], at);
                lower(&first[b], at);
            }
        })?;
        for_each_position(live, control, |at| {
            if let Some((a, b)) = out_of(at)
                && (first[a].load(Relaxed) == at || first[b].load(Relaxed) == at)
            {
                is_taken.insert(at);
            }
        })?;
        for_each_position(live, control, |at| {
            let (u, v) = candidates_now[at as usize].ends();
            first[forest.parent(u) as usize].store(NONE, Relaxed);
            first[forest.parent(v) as usize].store(NONE, Relaxed);
        })?;
        for_each_position(live, control, |at| {
            if is_taken.contains(at) {
                let (u, v) = candidates_now[at as usize].ends();
                forest.link(u, v);
            }
        })?;
        forest.compress(control)?;
        let mut left = 0;
        for at in 0..live {
            let candidate = candidates[at];
            let (u, v) = candidate.ends();
            if is_taken.contains(at as u32) {
                is_taken.remove_alone(at as u32);
                chosen.push(candidate);
            } else if forest.parent(u) != forest.parent(v) {
                candidates[left] = candidate;
                left += 1;
            }
        }
        live = left;
    }
    chosen.par_sort_unstable();
    candidates[..chosen.len()].copy_from_slice(&chosen);
    Ok(chosen.len())
}

#[inline]
fn lower(first: &AtomicU32, at: u32) {
    if at < first.load(Relaxed) {
        first.fetch_min(at, Relaxed);
    }
}

/// Calls `work` with each of the positions `0..len`.
fn for_each_position(
    len: usize,
    control: &Control,
    work: impl Fn(u32) + Sync,
) -> Result<(), Cancelled> {
    let chunks = (0..len.div_ceil(CHUNK_ITEMS)).into_par_iter();
    chunks.try_for_each(|chunk| {
        control.check()?;
        let start = chunk * CHUNK_ITEMS;
        (start..len.min(start + CHUNK_ITEMS)).for_each(|at| work(at as u32));
        Ok(())
    })
}
