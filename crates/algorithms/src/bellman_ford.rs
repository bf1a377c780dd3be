//! Shortest paths from one source, for weights of any sign.
//!
//! Idea: vertices whose distance fell in a round are expanded in the next. A
//! cycle of negative weight would go on for ever: now and then, and ever more
//! seldom, the paths are searched for cycles. What is on one of them, and what it
//! reaches, is at distance minus infinity. After n rounds nothing else is left.
//!
//! Work O(nm) at most, O(m) and some expansions more on usual graphs; depth O(n
//! log n); at most 6n words of DRAM of 8 bytes. Distances are the same for any
//! number of threads as long as sums are exact in `f64`, as they are for whole
//! weights; weights are taken as the `f32` that they are stored as. In an
//! undirected graph an edge of negative weight is a negative cycle, as a self-loop
//! is; of parallel edges the lightest counts.
//! Sources: Bellman, 1958; Ford, 1956; Cherkassky and Goldberg, "Negative-cycle
//! detection algorithms", Mathematical Programming 1999 (cycles among the paths);
//! Dhulipala et al., "Sage", VLDB 2020, Table 1.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId, Weight};

use crate::error::{check_source, compare_near};
use crate::parallel::shared_u32;
use crate::settling::{Labels, settle_in_rounds};
pub use crate::shortest_paths::ShortestPaths;
use crate::shortest_paths::{for_each_weighted, verify_tree};
use crate::{Control, Mismatch, RunError, UNREACHED};

/// Rounds before the first search for cycles; each later one comes after twice as
/// many as the one before.
const FIRST_SEARCH: u64 = 16;

/// The distances from `source` along out-lists, minus infinity for what a
/// reachable negative cycle reaches; and the tree of the finite ones if
/// `wants_parents`, which is one more pass over the edges.
///
/// # Errors
/// If `source` is out of range, a weight on a path from the source is not finite,
/// or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    source: VertexId,
    wants_parents: bool,
    control: &Control,
) -> Result<ShortestPaths, RunError> {
    check_source(graph, source)?;
    let n = graph.vertex_count();
    let sums = SignedSums {
        parents: shared_u32(n, UNREACHED),
    };
    let mut cyclic = Vec::new();
    let revise = |round: u64, labels: &[AtomicU64], frontier: &mut Vec<VertexId>| {
        cyclic.clear();
        if round == n as u64 {
            // What still changes has a path of n edges, thus with a cycle, that is
            // shorter than any with less.
            cyclic.extend_from_slice(frontier);
        } else if searches_after(round) {
            cyclic = negative_cycles(graph, &sums.parents, frontier);
        }
        for &v in &cyclic {
            labels[v as usize].store(label(f64::NEG_INFINITY), Relaxed);
        }
        frontier.append(&mut cyclic);
    };
    let labels = settle_in_rounds(graph, source, label(0.0), &sums, revise, control)?;
    drop(sums);
    let distances = labels.into_iter().map(distance).collect();
    Ok(ShortestPaths::of(
        graph,
        source,
        distances,
        wants_parents,
        control,
    )?)
}

/// Whether paths are searched for cycles after a round. A run that goes on from a
/// state knows no parents from before; cycles show all the same, as their vertices
/// go on improving.
fn searches_after(round: u64) -> bool {
    round.is_multiple_of(FIRST_SEARCH) && (round / FIRST_SEARCH).is_power_of_two()
}

/// Labels of distances of either sign, and where the paths came from last.
struct SignedSums {
    parents: Vec<AtomicU32>,
}

/// A number for each distance, ordered as they are.
#[inline]
fn label(distance: f64) -> u64 {
    let bits = distance.to_bits();
    // All bits turn if the sign is set, else the sign alone.
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}

#[inline]
fn distance(label: u64) -> f64 {
    f64::from_bits(label ^ (!(label as i64 >> 63) as u64 | 1 << 63))
}

impl Labels for SignedSums {
    /// That of infinity.
    const UNREACHED: u64 = f64::INFINITY.to_bits() | 1 << 63;
    const WEIGHTS: &'static str = "finite";

    #[inline]
    fn takes(weight: Weight) -> bool {
        weight.is_finite()
    }

    #[inline]
    fn extend(&self, path: u64, weight: Weight) -> u64 {
        label(distance(path) + f64::from(weight))
    }

    #[inline]
    fn bin(&self, _: u64) -> u64 {
        0
    }

    #[inline]
    fn improved(&self, u: VertexId, v: VertexId) {
        // Two tasks may leave the parent of a path that is not the best, so a cycle
        // of parents is believed only after its weights are added.
        self.parents[v as usize].store(u, Relaxed);
    }
}

/// The vertices of negative cycles among the paths that lead to `frontier`.
fn negative_cycles(
    graph: &impl Graph,
    parents: &[AtomicU32],
    frontier: &[VertexId],
) -> Vec<VertexId> {
    const NOT_SEEN: u32 = u32::MAX;
    let parent = |v: VertexId| parents[v as usize].load(Relaxed);
    // The walk in which a vertex was seen.
    let mut walks = vec![NOT_SEEN; parents.len()];
    let mut found = Vec::new();
    for (walk, &start) in (0..).zip(frontier) {
        let mut v = start;
        while v != UNREACHED && walks[v as usize] == NOT_SEEN {
            walks[v as usize] = walk;
            v = parent(v);
        }
        if v == UNREACHED || walks[v as usize] != walk {
            continue;
        }
        let mut cycle = vec![v];
        let mut weight = lightest(graph, parent(v), v);
        let mut u = parent(v);
        while u != v {
            cycle.push(u);
            weight += lightest(graph, parent(u), u);
            u = parent(u);
        }
        if weight < 0.0 {
            found.append(&mut cycle);
        }
    }
    found
}

/// The least weight of the edges from `u` to `v`.
fn lightest(graph: &impl Graph, u: VertexId, v: VertexId) -> f64 {
    let mut least = f64::INFINITY;
    for_each_weighted(&mut graph.reader(), u, |target, weight| {
        if target == v {
            least = least.min(f64::from(weight));
        }
    });
    least
}

/// Distances by rounds over all edges; the slow twin of [`run`].
///
/// # Panics
/// If `source` is out of range.
pub fn reference<G: Graph>(graph: &G, source: VertexId) -> Vec<f64> {
    let n = graph.vertex_count();
    let mut distances = vec![f64::INFINITY; n];
    distances[source as usize] = 0.0;
    let mut reader = graph.reader();
    // In the second n rounds all that still falls goes to minus infinity.
    for round in 0..2 * n {
        let mut changed = false;
        for u in 0..n as VertexId {
            let from = distances[u as usize];
            if from == f64::INFINITY {
                continue;
            }
            for_each_weighted(&mut reader, u, |v, weight| {
                let through = from + f64::from(weight);
                if through < distances[v as usize] {
                    distances[v as usize] = match round < n {
                        true => through,
                        false => f64::NEG_INFINITY,
                    };
                    changed = true;
                }
            });
        }
        if !changed {
            break;
        }
    }
    distances
}

/// Checks distances against [`reference()`], and that parents are a tree of
/// shortest paths. Sequential, O(nm) at most.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &ShortestPaths) -> Result<(), Mismatch> {
    let distances = reference(graph, result.source);
    compare_near("distance", &result.distances, &distances, 0.0, 0.0)?;
    match &result.parents {
        Some(parents) => verify_tree(graph, result.source, parents, &distances),
        None => Ok(()),
    }
}
