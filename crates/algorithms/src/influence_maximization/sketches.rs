//! Sketches of influence: for each of many random vertices the set of those from
//! which a cascade would have reached it (reverse reachable sets).
//!
//! A vertex is in as large a share of the sets as it reaches of the graph, so seeds
//! that are in many of them together have a large spread. A set is kept as a sorted
//! list, or as a bitmap where that is smaller: at most n bits.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::cascades::Scratch;
use super::chances::Chances;
use crate::parallel::{CHUNK_ITEMS, shared_u32};
use crate::strips::Strips;
use crate::subset::Bitmap;
use crate::{Cancelled, Control, RunError};

/// Sets that are kept together, as many as a mask has bits.
const GROUP: usize = 32;
/// Bytes that a group takes beside its data: its own, its mask, what the allocator
/// keeps.
const GROUP_BYTES: u64 = 96;

/// A vertex may be in all sets, and is counted with 32 bits.
const MOST_SETS: u32 = u32::MAX;

/// Sets that are kept together.
#[derive(Default)]
struct Group {
    /// The sets one after another, each a sorted list of vertices, or a bitmap,
    /// which has as many words as n bits take and is longer than any list.
    data: Box<[u32]>,
    /// End of each set in `data`.
    ends: Box<[u32]>,
}

/// Sets drawn so far.
pub(super) struct Sketches<'c, 'g, G> {
    chances: &'c Chances<'g, G>,
    seed: u64,
    /// The most bytes that the sets may take.
    limit: u64,
    bytes: AtomicU64,
    groups: Vec<Group>,
    strips: Strips<Scratch>,
}

/// Seeds, and in how many sets each is that has none of those before.
pub(super) struct Coverage {
    pub seeds: Vec<(VertexId, u32)>,
    pub sets: usize,
}

impl Coverage {
    /// The share of the sets that have a seed.
    pub(super) fn share(&self) -> f64 {
        let covered: u64 = self.seeds.iter().map(|&(_, sets)| u64::from(sets)).sum();
        covered as f64 / self.sets as f64
    }
}

impl<'c, 'g, G: Graph> Sketches<'c, 'g, G> {
    pub(super) fn new(
        chances: &'c Chances<'g, G>,
        seed: u64,
        limit: u64,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = chances.graph.vertex_count();
        Ok(Self {
            chances,
            seed,
            limit,
            bytes: AtomicU64::new(0),
            groups: Vec::new(),
            strips: Strips::new(|| Scratch::new(n, control))?,
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len() * GROUP
    }

    /// Draws sets until there are `wanted`, rounded up to whole groups. The sets
    /// are the same however often this was called.
    pub(super) fn draw_up_to(&mut self, wanted: f64, control: &Control) -> Result<(), RunError> {
        let before = self.groups.len();
        let groups = (wanted / GROUP as f64).ceil().max(before as f64);
        let too_many = RunError::TooManySketches {
            limit: self.limit,
            wanted: wanted.ceil() as u64,
        };
        let (bytes, sets) = (groups * GROUP_BYTES as f64, groups * GROUP as f64);
        if bytes > self.limit as f64 || sets > f64::from(MOST_SETS) {
            return Err(too_many);
        }
        let groups = groups as usize;
        if self.groups.try_reserve_exact(groups - before).is_err() {
            return Err(too_many);
        }
        self.groups.resize_with(groups, Group::default);
        let Self {
            chances,
            seed,
            limit,
            bytes,
            groups,
            strips,
        } = self;
        strips.each(&mut groups[before..], |scratch, number, group| {
            let random = Random::stream(*seed, (before + number) as u64);
            *group = draw_group(chances, random, scratch, control)?;
            let own = 4 * (group.data.len() + group.ends.len()) as u64 + GROUP_BYTES;
            match bytes.fetch_add(own, Relaxed) + own > *limit {
                true => Err(too_many.clone()),
                false => Ok(()),
            }
        })
    }

    /// Of all vertices, one after another, the one in most of the sets that have
    /// none of those chosen yet, the first of several; `k` of them. O(k) looks at
    /// each set, and one pass over all.
    pub(super) fn cover(&self, k: usize, control: &Control) -> Result<Coverage, Cancelled> {
        let n = self.chances.graph.vertex_count();
        let counts = shared_u32(n, 0, control)?;
        self.groups.par_iter().try_for_each(|group| {
            control.check()?;
            for set in group.sets(n) {
                set.for_each(|v| {
                    counts[v as usize].fetch_add(1, Relaxed);
                });
            }
            Ok::<_, Cancelled>(())
        })?;
        let mut uncovered = control.array(u32::MAX, self.groups.len())?;
        let mut chosen = Bitmap::empty(n);
        let mut seeds = Vec::with_capacity(k);
        while seeds.len() < k {
            control.check()?;
            let (v, count) = most_counted(&counts, &chosen);
            if count == 0 {
                // All sets are covered, so that no further seed adds anything.
                let rest = (0..n as VertexId).filter(|&v| !chosen.contains(v));
                seeds.extend(rest.take(k - seeds.len()).map(|v| (v, 0)));
                break;
            }
            chosen.insert(v);
            seeds.push((v, count));
            let pairs = self.groups.par_iter().zip(&mut uncovered);
            pairs.with_min_len(16).try_for_each(|(group, uncovered)| {
                control.check()?;
                group.cover(v, uncovered, n, |u| {
                    counts[u as usize].fetch_sub(1, Relaxed);
                });
                Ok::<_, Cancelled>(())
            })?;
        }
        Ok(Coverage {
            seeds,
            sets: self.len(),
        })
    }
}

/// The vertex with the largest count that is not chosen, the first of several.
fn most_counted(counts: &[AtomicU32], chosen: &Bitmap) -> (VertexId, u32) {
    let chunks = counts.par_chunks(CHUNK_ITEMS).enumerate();
    let best = chunks.map(|(chunk, counts)| {
        let start = (chunk * CHUNK_ITEMS) as VertexId;
        let mut best = (0, std::cmp::Reverse(VertexId::MAX));
        for (v, count) in (start..).zip(counts) {
            let candidate = (count.load(Relaxed), std::cmp::Reverse(v));
            if candidate > best && !chosen.contains(v) {
                best = candidate;
            }
        }
        best
    });
    let (count, v) = best.max().expect("a graph has vertices");
    (v.0, count)
}

fn draw_group<G: Graph>(
    chances: &Chances<'_, G>,
    mut random: Random,
    scratch: &mut Scratch,
    control: &Control,
) -> Result<Group, Cancelled> {
    let n = chances.graph.vertex_count();
    let mut data = Vec::new();
    let mut ends = Vec::with_capacity(GROUP);
    for _ in 0..GROUP {
        scratch.begin();
        scratch.reach(random.below(n as u64) as VertexId);
        let reader = || chances.graph.reverse_reader().expect("in-lists");
        scratch.spread(reader, control, |scratch, reader, v| {
            chances.live_into(reader, v, &mut random, |u| scratch.reach(u));
        })?;
        append_set(&mut data, scratch.reached_mut(), n);
        ends.push(data.len() as u32);
    }
    Ok(Group {
        data: data.into_boxed_slice(),
        ends: ends.into_boxed_slice(),
    })
}

fn append_set(data: &mut Vec<u32>, set: &mut [VertexId], vertex_count: usize) {
    let words = vertex_count.div_ceil(32);
    if set.len() < words {
        set.sort_unstable();
        data.extend_from_slice(set);
    } else {
        let start = data.len();
        data.resize(start + words, 0);
        let bits = &mut data[start..];
        set.iter()
            .for_each(|&v| bits[v as usize / 32] |= 1 << (v % 32));
    }
}

/// One set.
enum Set<'s> {
    List(&'s [VertexId]),
    Bits(&'s [u32]),
}

impl Set<'_> {
    fn contains(&self, v: VertexId) -> bool {
        match self {
            Set::List(list) => list.binary_search(&v).is_ok(),
            Set::Bits(bits) => bits[v as usize / 32] >> (v % 32) & 1 != 0,
        }
    }

    fn for_each(&self, mut act: impl FnMut(VertexId)) {
        match self {
            Set::List(list) => list.iter().for_each(|&v| act(v)),
            Set::Bits(bits) => {
                for (at, &word) in (0..).zip(*bits) {
                    let mut left = word;
                    while left != 0 {
                        act(at * 32 + left.trailing_zeros());
                        left &= left - 1;
                    }
                }
            }
        }
    }
}

impl Group {
    fn set(&self, number: usize, vertex_count: usize) -> Set<'_> {
        let start = number.checked_sub(1).map_or(0, |last| self.ends[last]);
        let words = &self.data[start as usize..self.ends[number] as usize];
        match words.len() == vertex_count.div_ceil(32) {
            true => Set::Bits(words),
            false => Set::List(words),
        }
    }

    fn sets(&self, vertex_count: usize) -> impl Iterator<Item = Set<'_>> {
        (0..self.ends.len()).map(move |number| self.set(number, vertex_count))
    }

    /// Marks the uncovered sets that have `v` as covered, and calls `forget` with
    /// each of their vertices.
    fn cover(
        &self,
        v: VertexId,
        uncovered: &mut u32,
        vertex_count: usize,
        forget: impl Fn(VertexId),
    ) {
        let mut left = *uncovered;
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            let set = self.set(number, vertex_count);
            if set.contains(v) {
                *uncovered &= !(1 << number);
                set.for_each(&forget);
            }
        }
    }
}
