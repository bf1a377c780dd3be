//! Breadth-first searches from many sources at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::Sums;
use crate::edge_map::{Gather, Kernel, Lists, pull, push};
use crate::parallel::{CHUNK_ITEMS, CHUNK_VERTICES, degree_sum, for_each_in, shared, shared_u32};
use crate::{Cancelled, Control};

/// Words of 64 sources each that a vertex has.
const WORDS: usize = 4;
/// Sources of a batch.
pub(super) const SOURCES: usize = 64 * WORDS;
/// Pulls once the frontier has more than 1/20 of all edges, as Ligra does.
const PULL_SHARE: u64 = 20;

/// One bit a source.
type Bits = [u64; WORDS];
type SharedBits = [AtomicU64; WORDS];

pub(super) struct Batch<'g, G> {
    /// The lists that searches follow, and those of the other direction.
    along: Lists<'g, G>,
    against: Option<Lists<'g, G>>,
    arcs: u64,
    /// For each vertex the sources that have reached it,
    seen: Vec<SharedBits>,
    /// those that reached it in the last level,
    now: Vec<SharedBits>,
    /// and in this one.
    next: Vec<SharedBits>,
    /// The last level, of all searches so far, that reached a vertex.
    levels: Vec<AtomicU32>,
    level: u32,
}

impl<'g, G: Graph> Batch<'g, G> {
    pub(super) fn new(
        along: Lists<'g, G>,
        against: Option<Lists<'g, G>>,
        arcs: u64,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = along.vertex_count();
        Ok(Self {
            along,
            against,
            arcs,
            seen: shared_bits(n, control)?,
            now: shared_bits(n, control)?,
            next: shared_bits(n, control)?,
            levels: shared_u32(n, 0, control)?,
            level: 0,
        })
    }

    /// Searches from `sources` and adds the distances to those of each vertex
    /// reached. Returns the largest.
    pub(super) fn search(
        &mut self,
        sources: &[VertexId],
        sums: &mut [Sums],
        control: &Control,
    ) -> Result<u32, Cancelled> {
        self.seen.par_chunks(CHUNK_ITEMS).for_each(|chunk| {
            for bits in chunk {
                store(bits, [0; WORDS]);
            }
        });
        let mut everything = [0; WORDS];
        for (at, &source) in sources.iter().enumerate() {
            let mut bits = [0; WORDS];
            bits[at / 64] = 1 << (at % 64);
            store(&self.seen[source as usize], bits);
            store(&self.now[source as usize], bits);
            everything[at / 64] |= bits[at / 64];
        }
        let mut frontier = sources.to_vec();
        let mut distance = 0;
        loop {
            self.level += 1;
            let kernel = HandOn {
                batch: self,
                everything,
            };
            let reached = match self.against {
                Some(against) if self.is_large(&frontier) => {
                    pull(against, |_| true, &kernel, control)?.into_list()
                }
                _ => push(self.along, &frontier, &kernel, control)?,
            };
            for_each_in(&frontier, |v| store(&self.now[v as usize], [0; WORDS]));
            if reached.is_empty() {
                return Ok(distance);
            }
            distance += 1;
            for_each_in(&reached, |v| {
                let seen = &self.seen[v as usize];
                store(seen, or(load(seen), load(&self.next[v as usize])));
            });
            self.count(&reached, distance, sums);
            std::mem::swap(&mut self.now, &mut self.next);
            frontier = reached;
        }
    }

    fn is_large(&self, frontier: &[VertexId]) -> bool {
        frontier.len() > CHUNK_VERTICES && degree_sum(self.along, frontier) > self.arcs / PULL_SHARE
    }

    /// Adds `distance` to the sums of `reached` for each source that came now.
    fn count(&self, reached: &[VertexId], distance: u32, sums: &mut [Sums]) {
        let add = |sums: &mut Sums, v: VertexId| {
            let sources = load(&self.next[v as usize]);
            let count: u32 = sources.iter().map(|word| word.count_ones()).sum();
            sums.reached += count;
            sums.distances += u64::from(count) * u64::from(distance);
            sums.inverses += f64::from(count) / f64::from(distance);
        };
        if reached.len() <= CHUNK_ITEMS {
            reached.iter().for_each(|&v| add(&mut sums[v as usize], v));
            return;
        }
        // A vertex that was not reached has no bits.
        sums.par_chunks_mut(CHUNK_ITEMS)
            .enumerate()
            .for_each(|(chunk, sums)| {
                let first = (chunk * CHUNK_ITEMS) as VertexId;
                for (sums, v) in sums.iter_mut().zip(first..) {
                    add(sums, v);
                }
            });
    }
}

/// A vertex of the frontier hands its sources to its neighbors.
struct HandOn<'a, 'g, G> {
    batch: &'a Batch<'g, G>,
    everything: Bits,
}

impl<G: Graph> Kernel for HandOn<'_, '_, G> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        load(&self.batch.seen[v as usize]) != self.everything
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId) -> bool {
        let seen = &self.batch.seen[v as usize];
        let next = &self.batch.next[v as usize];
        let mut reached = false;
        for (word, now) in self.batch.now[u as usize].iter().enumerate() {
            let new = now.load(Relaxed) & !seen[word].load(Relaxed);
            if new & !next[word].load(Relaxed) != 0 {
                next[word].fetch_or(new, Relaxed);
                reached = true;
            }
        }
        let level = &self.batch.levels[v as usize];
        reached && level.swap(self.batch.level, Relaxed) != self.batch.level
    }
}

impl<G: Graph> Gather for HandOn<'_, '_, G> {
    type Gathered = Bits;

    #[inline]
    fn gather(&self, gathered: &mut Bits, u: VertexId) -> ControlFlow<()> {
        *gathered = or(*gathered, load(&self.batch.now[u as usize]));
        ControlFlow::Continue(())
    }

    #[inline]
    fn gather_list(
        &self,
        gathered: &mut Bits,
        list: &[VertexId],
        _: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        // Vertices outside the frontier have no bits.
        for &u in list {
            *gathered = or(*gathered, load(&self.batch.now[u as usize]));
        }
        if *gathered == self.everything {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn merge(&self, gathered: &mut Bits, next: Bits) {
        *gathered = or(*gathered, next);
    }

    #[inline]
    fn apply(&self, v: VertexId, gathered: Bits) -> bool {
        let seen = load(&self.batch.seen[v as usize]);
        let new = std::array::from_fn(|word| gathered[word] & !seen[word]);
        store(&self.batch.next[v as usize], new);
        new != [0; WORDS]
    }
}

fn shared_bits(len: usize, control: &Control) -> Result<Vec<SharedBits>, Cancelled> {
    shared(len, SharedBits::default, control)
}

#[inline]
fn load(bits: &SharedBits) -> Bits {
    std::array::from_fn(|word| bits[word].load(Relaxed))
}

#[inline]
fn store(bits: &SharedBits, values: Bits) {
    for (word, value) in bits.iter().zip(values) {
        word.store(value, Relaxed);
    }
}

#[inline]
fn or(a: Bits, b: Bits) -> Bits {
    std::array::from_fn(|word| a[word] | b[word])
}
