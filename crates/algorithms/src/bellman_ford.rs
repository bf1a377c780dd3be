//! Shortest paths from one source, for weights of any sign.
//!
//! Idea: the vertices whose distance fell in a round are expanded in the next, each
//! once. A cycle of negative weight would go on for ever: after every n expansions,
//! and up to 16n while none is found, the paths are searched for cycles, in O(n). So
//! one is found at most so much later than it appears, and searching costs less than
//! expanding. What is on such a cycle, and what it reaches, is at distance minus
//! infinity. After n rounds nothing else is left.
//!
//! Work O(nm) at most, O(m) and some expansions more on usual graphs; depth O(n
//! log n); at most 6n words of DRAM of 8 bytes. Distances are the same for any
//! number of threads as long as sums are exact in `f64`, as they are for whole
//! weights; weights are taken as the `f32` that they are stored as. In an
//! undirected graph an edge of negative weight is a negative cycle, as a self-loop
//! is; of parallel edges the lightest counts.
//! Sources: Bellman, 1958; Ford, 1956; Cherkassky and Goldberg, "Negative-cycle
//! detection algorithms", Mathematical Programming 1999 (cycles among the paths, and
//! when to search for them: amortized search);
//! Dhulipala et al., "Sage", VLDB 2020, Table 1.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId, Weight};

use crate::error::{check_source, compare_near};
use crate::parallel::{CHUNK_ITEMS, shared_u32};
use crate::settling::{Labels, Progress, settle_in_rounds};
pub use crate::shortest_paths::ShortestPaths;
use crate::shortest_paths::{for_each_weighted, verify_tree};
use crate::{Bitmap, Cancelled, Control, Mismatch, RunError, UNREACHED};

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
        parents: shared_u32(n, UNREACHED, control)?,
    };
    let first_pause = n as u64;
    let mut pause = first_pause;
    let mut searched_at = 0;
    let revise = |progress: &Progress, labels: &[AtomicU64], frontier: &mut Vec<VertexId>| {
        if progress.rounds == n as u64 {
            // A label that still changes has a path of n edges, thus with a cycle, that is
            // shorter than any with less.
            for &v in &*frontier {
                labels[v as usize].store(MINUS_INFINITY, Relaxed);
            }
        } else if progress.expanded - searched_at >= pause {
            searched_at = progress.expanded;
            let paths = Paths {
                graph,
                parents: &sums.parents,
                labels,
            };
            pause = match paths.lower_negative_cycles(frontier, control)? {
                true => first_pause,
                false => (2 * pause).min(LONGEST_PAUSE * first_pause),
            };
        }
        Ok(())
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

/// Expansions from one search for cycles to the next while none is found, at most, in
/// multiples of n.
const LONGEST_PAUSE: u64 = 16;

/// The label of what a negative cycle reaches.
const MINUS_INFINITY: u64 = !f64::NEG_INFINITY.to_bits();

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
    /// Label of infinity.
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

/// The paths that have been found. A run that goes on from a state knows no parents
/// from before; cycles show all the same, as their vertices go on improving.
struct Paths<'a, G> {
    graph: &'a G,
    parents: &'a [AtomicU32],
    labels: &'a [AtomicU64],
}

impl<G: Graph> Paths<'_, G> {
    /// Lowers the vertices of the negative cycles that lead to `frontier` to minus
    /// infinity, and adds them to it. Returns whether there are any. Sequential, O(n) and
    /// the lists of the vertices of cycles, each of which is lowered once in a run.
    fn lower_negative_cycles(
        &self,
        frontier: &mut Vec<VertexId>,
        control: &Control,
    ) -> Result<bool, Cancelled> {
        let mut found = Vec::new();
        self.for_each_cycle(frontier, control, |cycle| {
            let edges = cycle.iter().map(|&v| (self.parent(v), v));
            let weight: f64 = edges.map(|(u, v)| lightest(self.graph, u, v)).sum();
            if weight < 0.0 {
                found.extend_from_slice(cycle);
            }
        })?;
        if found.is_empty() {
            return Ok(false);
        }
        let waiting = Bitmap::of(self.parents.len(), frontier);
        for v in found {
            self.labels[v as usize].store(MINUS_INFINITY, Relaxed);
            // No path to it is the best, so that none is followed through it.
            self.parents[v as usize].store(UNREACHED, Relaxed);
            if !waiting.contains(v) {
                frontier.push(v);
            }
        }
        Ok(true)
    }

    /// Calls `act` once with each cycle of parents from which a path leads to one of
    /// `starts`.
    fn for_each_cycle(
        &self,
        starts: &[VertexId],
        control: &Control,
        mut act: impl FnMut(&[VertexId]),
    ) -> Result<(), Cancelled> {
        const NOT_SEEN: u32 = u32::MAX;
        // The walk in which a vertex was seen.
        let mut walks = control.array(NOT_SEEN, self.parents.len())?;
        let mut cycle = Vec::new();
        let mut steps = 0;
        for (walk, &start) in (0..).zip(starts) {
            let mut v = start;
            while v != UNREACHED && walks[v as usize] == NOT_SEEN {
                walks[v as usize] = walk;
                v = self.parent(v);
                steps += 1;
                if steps % CHUNK_ITEMS == 0 {
                    control.check()?;
                }
            }
            if v == UNREACHED || walks[v as usize] != walk {
                continue;
            }
            cycle.clear();
            cycle.push(v);
            let mut u = self.parent(v);
            while u != v {
                cycle.push(u);
                u = self.parent(u);
            }
            control.check()?;
            act(&cycle);
        }
        Ok(())
    }

    /// The vertex before `v` on its path.
    fn parent(&self, v: VertexId) -> VertexId {
        self.parents[v as usize].load(Relaxed)
    }
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

/// Distances by rounds over all edges; the reference implementation of [`run`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::{Csr, StoredLists};

    #[test]
    fn cycles_of_weight_zero_are_not_lowered() {
        // Two cycles of parents, of weight 0 and of weight -1.
        let edges = [(0, 1, 2.0), (1, 0, -2.0), (2, 3, 1.0), (3, 2, -2.0)];
        let graph = Csr::from_weighted_edges(4, &edges, StoredLists::Out);
        let labels = [0.0, 2.0, 0.0, 1.0].map(|at| AtomicU64::new(label(at)));
        let paths = Paths {
            graph: &graph,
            parents: &[1, 0, 3, 2].map(AtomicU32::new),
            labels: &labels,
        };
        let mut frontier = vec![0, 3];
        let lowered = paths.lower_negative_cycles(&mut frontier, &Control::new());
        assert_eq!(lowered, Ok(true));
        // Each vertex once.
        assert_eq!(frontier, [0, 3, 2]);
        let none = f64::NEG_INFINITY;
        let found = labels.each_ref().map(|label| distance(label.load(Relaxed)));
        assert_eq!(found, [0.0, 2.0, none, none]);
        let lowered = paths.lower_negative_cycles(&mut vec![1], &Control::new());
        assert_eq!(lowered, Ok(false));
    }
}
