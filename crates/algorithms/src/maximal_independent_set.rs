//! A maximal independent set: vertices none of which are neighbors, and to which
//! no other can be added.
//!
//! Idea: the vertices are in a random order, and the set is the one that a greedy
//! pass in this order finds: each vertex joins unless an earlier neighbor has. All
//! vertices look at their neighbors at once; one that meets an earlier neighbor
//! which is not decided waits for it, and goes on from there when it is. The chains
//! of vertices that wait for each other are short, as the order is random.
//!
//! Work O(m), each list entry is read once or twice and of most lists only the
//! beginning; depth O(log² n) with high probability, times the longest list;
//! 3n words (of 8 bytes) of DRAM. Deterministic for a seed. Self-loops and
//! parallel edges change nothing.
//! Sources: Blelloch, Fineman and Shun, "Greedy Sequential Maximal Independent
//! Set and Matching are Parallel on Average", SPAA 2012; Fischer and Noever,
//! "Tight Analysis of Parallel Randomized Greedy MIS", SODA 2018 (the depth).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::error::{check_undirected, mismatch};
use crate::greedy::{random_bits, until_none_waits};
use crate::parallel::{CHUNK_ITEMS, HUB_DEGREE};
use crate::{Control, Mismatch, RunError, UNREACHED};

/// A maximal independent set of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaximalIndependentSet {
    /// Its vertices, ascending.
    pub members: Vec<VertexId>,
}

/// States: everything between is the priority of a vertex that is not decided, so that a
/// vertex with a larger number is an earlier neighbor or a member.
const OUTSIDE: u32 = 0;
const MEMBER: u32 = u32::MAX;

/// Vertices whose lists are loaded at once, so that the cache misses overlap.
const TOUCHED: usize = 64;

/// The maximal independent set of `graph` that is first in the random order of
/// `seed`.
///
/// # Errors
/// If `graph` is directed, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    seed: u64,
    control: &Control,
) -> Result<MaximalIndependentSet, RunError> {
    check_undirected(graph)?;
    let n = graph.vertex_count();
    let all = || (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let states: Vec<AtomicU32> = all().map(|v| AtomicU32::new(priority(seed, v))).collect();
    let waiting = all().map(|v| Waiting {
        v,
        on: UNREACHED,
        position: 0,
    });
    let step = |waiting: &mut [Waiting]| {
        control.check()?;
        let mut reader = graph.reader();
        let mut kept = 0;
        for start in (0..waiting.len()).step_by(TOUCHED) {
            let group = start..waiting.len().min(start + TOUCHED);
            for waiting in &waiting[group.clone()] {
                touch(&mut reader, waiting, &states);
            }
            for at in group {
                if let Some(still) = decide(&mut reader, waiting[at], &states) {
                    waiting[kept] = still;
                    kept += 1;
                }
            }
        }
        Ok(kept)
    };
    let report = |waiting| {
        let decided = n - waiting;
        control.report("decided vertices", decided as u64, Some(n as u64));
    };
    until_none_waits(waiting.collect(), step, report)?;
    report(0);
    let is_member = |v: &VertexId| states[*v as usize].load(Relaxed) == MEMBER;
    Ok(MaximalIndependentSet {
        members: all().filter(is_member).collect(),
    })
}

/// The order of the vertices: larger first, of equals the larger vertex.
#[inline]
fn priority(seed: u64, v: VertexId) -> u32 {
    random_bits(seed, v).clamp(OUTSIDE + 1, MEMBER - 1)
}

/// A vertex that is not decided.
#[derive(Clone, Copy)]
struct Waiting {
    v: VertexId,
    /// An earlier neighbor that was not decided either; [`UNREACHED`] if there is
    /// none up to `position`.
    on: VertexId,
    /// Position in the list at which to go on.
    position: usize,
}

/// Loads where the list of a vertex is gone on with, if it need not wait any more.
#[inline]
fn touch(reader: &mut impl NeighborReader, waiting: &Waiting, states: &[AtomicU32]) {
    let Waiting { v, on, position } = *waiting;
    if on == UNREACHED || states[on as usize].load(Relaxed) == OUTSIDE {
        let _ = reader.for_each_segment_in(v, position..position + 1, |segment| {
            std::hint::black_box(segment.first().copied());
            ControlFlow::Break(())
        });
    }
}

/// Decides a vertex, or says what it waits for.
#[inline]
fn decide(
    reader: &mut impl NeighborReader,
    waiting: Waiting,
    states: &[AtomicU32],
) -> Option<Waiting> {
    let Waiting { v, on, position } = waiting;
    let set = |state| {
        states[v as usize].store(state, Relaxed);
        None
    };
    if on != UNREACHED {
        match states[on as usize].load(Relaxed) {
            MEMBER => return set(OUTSIDE),
            OUTSIDE => {}
            _ => return Some(waiting),
        }
    }
    let own = states[v as usize].load(Relaxed);
    let mut read = 0;
    let mut earlier = None;
    let window = position..position + HUB_DEGREE;
    let _ = reader.for_each_segment_in(v, window, |segment| {
        for &u in segment {
            let state = states[u as usize].load(Relaxed);
            if state > own || (state == own && u > v) {
                earlier = Some((u, state));
                return ControlFlow::Break(());
            }
            read += 1;
        }
        ControlFlow::Continue(())
    });
    let position = position + read;
    match earlier {
        Some((_, MEMBER)) => set(OUTSIDE),
        Some((on, _)) => Some(Waiting { v, on, position }),
        None if read < HUB_DEGREE => set(MEMBER),
        None => Some(Waiting {
            v,
            on: UNREACHED,
            position,
        }),
    }
}

/// The members by one pass in the random order; the reference implementation of [`run`].
pub fn reference<G: Graph>(graph: &G, seed: u64) -> Vec<VertexId> {
    let n = graph.vertex_count();
    let mut order: Vec<VertexId> = (0..n as VertexId).collect();
    order.sort_unstable_by_key(|&v| std::cmp::Reverse((priority(seed, v), v)));
    let mut covered = vec![false; n];
    let mut members = Vec::new();
    let mut reader = graph.reader();
    for v in order {
        if !covered[v as usize] {
            members.push(v);
            reader.for_each_neighbor(v, |u| covered[u as usize] = true);
        }
    }
    members.sort_unstable();
    members
}

/// Checks that no members are neighbors, that every other vertex has one as a
/// neighbor, and the members against [`reference()`]. Sequential, O(n log n + m).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    seed: u64,
    result: &MaximalIndependentSet,
) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let mut is_member = vec![false; n];
    for &v in &result.members {
        is_member[v as usize] = true;
    }
    let mut reader = graph.reader();
    for v in 0..n as VertexId {
        let mut members = 0;
        reader.for_each_neighbor(v, |u| {
            members += usize::from(u != v && is_member[u as usize])
        });
        if is_member[v as usize] && members > 0 {
            return Err(mismatch(v, "members beside a member", members as f64, 0.0));
        }
        if !is_member[v as usize] && members == 0 {
            return Err(mismatch(v, "members beside a vertex outside", 0.0, 1.0));
        }
    }
    let expected = reference(graph, seed);
    let wrong = result.members.iter().zip(&expected).find(|(a, b)| a != b);
    match wrong {
        Some((&a, &b)) => Err(mismatch(
            a.min(b),
            "next member",
            f64::from(a),
            f64::from(b),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::{Csr, StoredLists};

    #[test]
    fn of_equals_the_larger_vertex_comes_first() {
        // Of so many vertices some have the same random bits.
        let n = 400_000;
        let mut order: Vec<_> = (0..n).map(|v| (priority(1, v), v)).collect();
        order.sort_unstable();
        let equals = order.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let edges: Vec<_> = equals.map(|pair| (pair[0].1, pair[1].1)).collect();
        assert!(!edges.is_empty());
        let graph = Csr::from_edges(n as usize, &edges, StoredLists::Undirected);
        let found = run(&graph, 1, &Control::new()).unwrap();
        verify(&graph, 1, &found).unwrap();
        for (smaller, larger) in edges {
            let is_member = |v| found.members.binary_search(&v).is_ok();
            assert!(is_member(larger) && !is_member(smaller), "{larger}");
        }
    }
}
