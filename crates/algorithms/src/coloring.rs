//! Coloring: a color for each vertex, none the same as a neighbor's, and few of
//! them: at most one more than the largest degree.
//!
//! Idea: the vertices are in an order, and each takes the smallest color that no
//! earlier neighbor has. Vertices of larger degree, rounded up to a power of two,
//! come earlier (largest log-degree first), those of a class in a random order. A
//! class at a time, all its vertices look at their neighbors at once; one that has
//! an earlier neighbor without a color waits for the last of them. Hubs take
//! their colors one after another, each with all tasks.
//!
//! Work O(m), each list is read once, twice by most vertices that had to wait;
//! depth O(log n + √m log Δ) in expectation; 2.5n words (of 8 bytes) of DRAM.
//! Deterministic for a seed. Self-loops and parallel edges count as degree, and
//! change nothing else.
//! Source: Hasenplaugh, Kaler, Schardl and Leiserson, "Ordering Heuristics for
//! Parallel Graph Coloring", SPAA 2014.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::edge_map::Lists;
use crate::error::{check_undirected, compare_exact, mismatch};
use crate::greedy::{random_bits, until_none_waits};
use crate::parallel::{
    CHUNK_ITEMS, HUB_DEGREE, for_each_chunk, hub_pieces, shared_u32, unshared_u32,
};
use crate::{Cancelled, Control, Mismatch, RunError, UNREACHED};

/// A coloring of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coloring {
    /// For each vertex its color, from 0.
    pub colors: Vec<u32>,
    /// How many colors there are.
    pub color_count: u32,
}

/// A vertex without a color has this bit, five bits of its class and random bits;
/// so that of two such vertices the one with the larger number is earlier.
const UNCOLORED: u32 = 1 << 31;
const CLASS_SHIFT: u32 = 26;

/// A coloring of `graph`; `seed` is that of the order within a class.
///
/// # Errors
/// If `graph` is directed, or `control` ends the run.
pub fn run<G: Graph>(graph: &G, seed: u64, control: &Control) -> Result<Coloring, RunError> {
    check_undirected(graph)?;
    let n = graph.vertex_count();
    let states = shared_u32(n, 0, control)?;
    for_each_chunk(n, |vertices| {
        control.check()?;
        let mut reader = graph.reader();
        for v in vertices {
            let state = priority(seed, v, reader.degree(v));
            states[v as usize].store(state, Relaxed);
        }
        Ok::<(), Cancelled>(())
    })?;
    let all = || (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let mut colored = 0;
    for class in (0..=class_of(usize::MAX)).rev() {
        let first_bits = UNCOLORED >> CLASS_SHIFT | class;
        let is_in = |v: &VertexId| states[*v as usize].load(Relaxed) >> CLASS_SHIFT == first_bits;
        let members: Vec<VertexId> = all().filter(is_in).collect();
        colored += members.len();
        match class > class_of(HUB_DEGREE) {
            true => color_hubs(graph, members, &states, control)?,
            false => color_class(graph, members, &states, control)?,
        }
        control.report("colored vertices", colored as u64, Some(n as u64));
    }
    let colors = unshared_u32(states);
    Ok(Coloring {
        color_count: colors.par_iter().max().map_or(0, |&color| color + 1),
        colors,
    })
}

/// The class of a degree: its logarithm, rounded up.
fn class_of(degree: usize) -> u32 {
    match degree {
        0 | 1 => 0,
        _ => ((degree - 1).ilog2() + 1).min(31),
    }
}

/// The order of the vertices: larger first, of equals the larger vertex.
#[inline]
fn priority(seed: u64, v: VertexId, degree: usize) -> u32 {
    UNCOLORED | class_of(degree) << CLASS_SHIFT | random_bits(seed, v) >> (32 - CLASS_SHIFT)
}

/// Colors the vertices of a class of hubs.
fn color_hubs<G: Graph>(
    graph: &G,
    mut hubs: Vec<VertexId>,
    states: &[AtomicU32],
    control: &Control,
) -> Result<(), Cancelled> {
    hubs.sort_unstable_by_key(|&v| Reverse((states[v as usize].load(Relaxed), v)));
    for v in hubs {
        let pieces = hub_pieces(
            Lists::outgoing(graph),
            v,
            control,
            |used: &mut Used, list| {
                for &u in list {
                    let state = states[u as usize].load(Relaxed);
                    if state < UNCOLORED {
                        used.insert(state);
                    }
                }
                ControlFlow::Continue(())
            },
        )?;
        let mut used = Used::default();
        pieces.iter().for_each(|piece| used.include(piece));
        states[v as usize].store(used.smallest_free(), Relaxed);
    }
    Ok(())
}

/// Colors the vertices of a class, none of them a hub.
fn color_class<G: Graph>(
    graph: &G,
    members: Vec<VertexId>,
    states: &[AtomicU32],
    control: &Control,
) -> Result<(), Cancelled> {
    let waiting = members.into_par_iter().with_min_len(CHUNK_ITEMS);
    let waiting = waiting.map(|v| Waiting { v, on: UNREACHED }).collect();
    let step = |waiting: &mut [Waiting]| {
        control.check()?;
        let mut reader = graph.reader();
        let mut used = Used::default();
        let mut kept = 0;
        for at in 0..waiting.len() {
            if let Some(still) = color(&mut reader, waiting[at], states, &mut used) {
                waiting[kept] = still;
                kept += 1;
            }
        }
        Ok(kept)
    };
    until_none_waits(waiting, step, |_| ())
}

/// A vertex without a color.
#[derive(Clone, Copy)]
struct Waiting {
    v: VertexId,
    /// The last earlier neighbor that had no color either; [`UNREACHED`] if there
    /// is none.
    on: VertexId,
}

/// Colors a vertex, or says what it waits for.
#[inline]
fn color(
    reader: &mut impl NeighborReader,
    waiting: Waiting,
    states: &[AtomicU32],
    used: &mut Used,
) -> Option<Waiting> {
    let Waiting { v, on } = waiting;
    if on != UNREACHED && states[on as usize].load(Relaxed) >= UNCOLORED {
        return Some(waiting);
    }
    let own = (states[v as usize].load(Relaxed), v);
    let mut last: Option<(u32, VertexId)> = None;
    used.clear();
    reader.for_each_neighbor(v, |u| {
        let state = states[u as usize].load(Relaxed);
        if state < UNCOLORED {
            used.insert(state);
        } else if (state, u) > own && last.is_none_or(|last| (state, u) < last) {
            last = Some((state, u));
        }
    });
    match last {
        Some((_, on)) => Some(Waiting { v, on }),
        None => {
            states[v as usize].store(used.smallest_free(), Relaxed);
            None
        }
    }
}

/// The colors of neighbors, a bit each.
#[derive(Default)]
struct Used(Vec<u64>);

impl Used {
    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    fn insert(&mut self, color: u32) {
        let word = color as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (color % 64);
    }

    fn include(&mut self, other: &Self) {
        let len = self.0.len().max(other.0.len());
        self.0.resize(len, 0);
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    #[inline]
    fn smallest_free(&self) -> u32 {
        let full = self.0.iter().take_while(|&&word| word == u64::MAX).count();
        let next = self.0.get(full).map_or(0, |word| word.trailing_ones());
        full as u32 * 64 + next
    }
}

/// Colors by one pass in the order of [`run`]; the reference implementation.
pub fn reference<G: Graph>(graph: &G, seed: u64) -> Vec<u32> {
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let mut order: Vec<VertexId> = (0..n as VertexId).collect();
    order.sort_by_cached_key(|&v| Reverse((priority(seed, v, reader.degree(v)), v)));
    let mut colors = vec![UNREACHED; n];
    for v in order {
        let mut taken = Vec::new();
        reader.for_each_neighbor(v, |u| taken.push(colors[u as usize]));
        taken.sort_unstable();
        taken.dedup();
        let free = taken.iter().zip(0..).find(|&(&color, at)| color != at);
        colors[v as usize] = free.map_or(taken.len() as u32, |(_, at)| at);
    }
    colors
}

/// Checks that neighbors have different colors, that these are at most one more
/// than the largest degree, and each against [`reference()`]. Sequential,
/// O(n log n + m log Δ).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, seed: u64, result: &Coloring) -> Result<(), Mismatch> {
    let colors = &result.colors;
    let mut reader = graph.reader();
    let mut largest = 0;
    for v in 0..graph.vertex_count() as VertexId {
        let own = colors[v as usize];
        let mut same = 0;
        reader.for_each_neighbor(v, |u| {
            same += usize::from(u != v && colors[u as usize] == own)
        });
        if same > 0 {
            return Err(mismatch(v, "neighbors of the same color", same as f64, 0.0));
        }
        largest = largest.max(reader.degree(v));
    }
    let expected = colors.iter().max().map_or(0, |&color| color + 1);
    if result.color_count != expected || expected as usize > largest + 1 {
        let found = f64::from(result.color_count);
        return Err(mismatch(0, "number of colors", found, f64::from(expected)));
    }
    compare_exact("color", colors, &reference(graph, seed))
}
