//! Edges collected in DRAM, and their forest.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{VertexId, Weight};
use rayon::prelude::*;

use crate::forest::Forest;
use crate::parallel::{CHUNK_ITEMS, shared_u32};
use crate::{Cancelled, Control};

/// No edge.
const NONE: u32 = u32::MAX;

/// An edge, ordered by weight and then by ends. 12 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
/// that are the lightest ones to join its trees, and keeps only them.
pub(super) fn reduce(
    forest: &Forest,
    candidates: &mut Vec<Candidate>,
    control: &Control,
) -> Result<(), Cancelled> {
    candidates.par_sort_unstable();
    let candidates_now = &candidates[..];
    let roots = |at: u32| {
        let (u, v) = candidates_now[at as usize].ends();
        (forest.parent(u) as usize, forest.parent(v) as usize)
    };
    // The first candidate out of each tree.
    let first = shared_u32(forest.len(), NONE);
    let joins = |&at: &u32| {
        let (a, b) = roots(at);
        a != b
    };
    let all = (0..candidates_now.len() as u32)
        .into_par_iter()
        .with_min_len(CHUNK_ITEMS);
    let mut live: Vec<u32> = all.filter(joins).collect();
    let mut chosen: Vec<u32> = Vec::new();
    while !live.is_empty() {
        in_chunks(&live, control, |at| {
            let (a, b) = roots(at);
            lower(&first[a], at);
            lower(&first[b], at);
        })?;
        let is_first = |&&at: &&u32| {
            let (a, b) = roots(at);
            first[a].load(Relaxed) == at || first[b].load(Relaxed) == at
        };
        let taken: Vec<u32> = live
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .filter(is_first)
            .copied()
            .collect();
        in_chunks(&live, control, |at| {
            let (a, b) = roots(at);
            first[a].store(NONE, Relaxed);
            first[b].store(NONE, Relaxed);
        })?;
        in_chunks(&taken, control, |at| {
            let (u, v) = candidates_now[at as usize].ends();
            forest.link(u, v);
        })?;
        forest.compress(control)?;
        chosen.extend(taken);
        live.retain(|at| joins(at));
    }
    chosen.par_sort_unstable();
    for (to, &from) in chosen.iter().enumerate() {
        candidates[to] = candidates[from as usize];
    }
    candidates.truncate(chosen.len());
    Ok(())
}

#[inline]
fn lower(first: &AtomicU32, at: u32) {
    if at < first.load(Relaxed) {
        first.fetch_min(at, Relaxed);
    }
}

fn in_chunks(list: &[u32], control: &Control, work: impl Fn(u32) + Sync) -> Result<(), Cancelled> {
    list.par_chunks(CHUNK_ITEMS).try_for_each(|list| {
        control.check()?;
        list.iter().for_each(|&at| work(at));
        Ok(())
    })
}
