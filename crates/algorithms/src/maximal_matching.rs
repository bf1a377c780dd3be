//! A maximal matching: edges no two of which share an end, and to which no edge
//! can be added.
//!
//! Idea: random greedy. A random order of all edges decides: an edge is matched if
//! none before it takes one of its ends. An edge that is the first of those left at
//! both its ends can be matched at once, so rounds match many, and few are needed.
//! Phases keep memory low: each takes the next edges of the order, about 3n/2, out
//! of the lists of vertices that are still free, and settles them; a
//! [`GraphFilter`] forgets the edges of vertices that are taken.
//!
//! Work O(m) expected, depth O(log³ m) with high probability; DRAM at most 15n words of 8
//! bytes and 2m bits. Deterministic for a seed: the matching of the
//! sequential greedy algorithm in the same order. Self-loops match nothing; parallel
//! edges are one.
//! Sources: Blelloch, Fineman and Shun, "Greedy Sequential Maximal Independent Set
//! and Matching are Parallel on Average", SPAA 2012; Dhulipala et al., "Sage", VLDB
//! 2020, appendix C.3.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use evergraph_graph::random::split_mix;
use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::error::compare_exact;
use crate::filter::{BlockSize, GraphFilter, Keep};
use crate::groups::{Groups, for_each_in_part};
use crate::parallel::{CHUNK_ITEMS, Lists, shared_u32, unshared_u32};
use crate::{Cancelled, Control, Mismatch, RunError, UNREACHED};

/// Edges of a phase are at least so many.
const MIN_PHASE: u64 = 1 << 12;
/// Edges whose lists one task reads.
const GROUP_EDGES: u64 = 1 << 16;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Of the random order of edges.
    pub seed: u64,
}

/// A maximal matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaximalMatching {
    /// For each vertex the other end of its edge, [`UNREACHED`] if it is free.
    pub mates: Vec<VertexId>,
    /// Matched edges.
    pub pairs: usize,
    /// Phases.
    pub phases: u32,
}

/// The matching that the random order of `parameters.seed` gives.
///
/// # Errors
/// [`RunError::NeedsUndirected`] if the graph is directed, or if `control` ends
/// the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<MaximalMatching, RunError> {
    let n = graph.vertex_count();
    let mut filter = match graph.stored_lists() {
        StoredLists::Undirected => {
            GraphFilter::new(graph, Keep::Out, BlockSize::default(), control)?
        }
        _ => return Err(RunError::NeedsUndirected),
    };
    let order = Order::new(parameters.seed);
    let matching = Matching {
        mates: shared_u32(n, UNREACHED, control)?,
        first: (0..n)
            .into_par_iter()
            .with_min_len(CHUNK_ITEMS)
            .map(|_| AtomicU64::new(u64::MAX))
            .collect(),
    };
    let at_once = (3 * n as u64 / 2).max(MIN_PHASE);
    let mut free: Vec<VertexId> = (0..n as VertexId).collect();
    let mut arcs = graph.arc_count();
    let (mut settled, mut phases) = (0, 0);
    loop {
        // Ranks are spread evenly over what is not settled.
        let share = at_once as f64 / (arcs as f64 / 2.0).max(1.0);
        let until = match share < 1.0 {
            true => settled + ((u64::MAX - settled) as f64 * share) as u64,
            false => u64::MAX,
        };
        let edges = matching.take_edges(&filter, &free, order, settled..until, control)?;
        matching.settle(edges, control)?;
        phases += 1;
        free = (free.into_par_iter().with_min_len(CHUNK_ITEMS))
            .filter(|&v| matching.is_free(v))
            .collect();
        control.report("matched vertices", (n - free.len()) as u64, Some(n as u64));
        if until == u64::MAX {
            break;
        }
        let both_free = |_, v| matching.is_free(v);
        let degrees = filter.edge_map_pack(&free, both_free, control)?;
        arcs = degrees.iter().map(|&(_, degree)| u64::from(degree)).sum();
        settled = until;
    }
    Ok(MaximalMatching {
        pairs: (n - free.len()) / 2,
        mates: unshared_u32(matching.mates),
        phases,
    })
}

/// A random order of all possible edges.
#[derive(Clone, Copy)]
struct Order {
    mask: u64,
}

impl Order {
    fn new(mut seed: u64) -> Self {
        Self {
            mask: split_mix(&mut seed),
        }
    }

    /// The place of an edge, another one for every pair of vertices.
    #[inline]
    fn rank(self, u: VertexId, v: VertexId) -> u64 {
        split_mix(&mut ((u64::from(u.min(v)) << 32 | u64::from(u.max(v))) ^ self.mask))
    }
}

/// An edge and its rank.
#[derive(Clone, Copy)]
struct Edge {
    rank: u64,
    u: VertexId,
    v: VertexId,
}

struct Matching {
    mates: Vec<AtomicU32>,
    /// The lowest rank of the edges at a vertex; the largest number between phases.
    first: Vec<AtomicU64>,
}

impl Matching {
    #[inline]
    fn is_free(&self, v: VertexId) -> bool {
        self.mates[v as usize].load(Relaxed) == UNREACHED
    }

    /// The edges between `free` vertices with these ranks, each once if it is
    /// stored once.
    fn take_edges<G: Graph>(
        &self,
        filter: &GraphFilter<'_, G>,
        free: &[VertexId],
        order: Order,
        ranks: std::ops::Range<u64>,
        control: &Control,
    ) -> Result<Vec<Edge>, Cancelled> {
        let lists = Lists::outgoing(filter);
        let groups = Groups::new(lists, free, |_| GROUP_EDGES);
        let taken: Vec<Vec<Edge>> = (0..groups.len())
            .into_par_iter()
            .with_max_len(1)
            .map(|group| {
                control.check()?;
                let mut edges = Vec::new();
                let mut reader = lists.reader();
                groups.for_each_list(group, |u, part| {
                    for_each_in_part(&mut reader, u, part, |v| {
                        if u < v {
                            let rank = order.rank(u, v);
                            // The last rank of all belongs to the last phase.
                            if ranks.contains(&rank) || rank == u64::MAX && ranks.end == rank {
                                edges.push(Edge { rank, u, v });
                            }
                        }
                    });
                });
                Ok(edges)
            })
            .collect::<Result<_, Cancelled>>()?;
        Ok(taken.concat())
    }

    /// Matches edges until each has an end that is taken: again and again those
    /// that are the first at both ends.
    fn settle(&self, mut edges: Vec<Edge>, control: &Control) -> Result<(), Cancelled> {
        while !edges.is_empty() {
            in_chunks(&edges, control, |edge| {
                for end in [edge.u, edge.v] {
                    let first = &self.first[end as usize];
                    if edge.rank < first.load(Relaxed) {
                        first.fetch_min(edge.rank, Relaxed);
                    }
                }
            })?;
            in_chunks(&edges, control, |edge| {
                let first = |end: VertexId| self.first[end as usize].load(Relaxed) == edge.rank;
                if first(edge.u) && first(edge.v) {
                    self.mates[edge.u as usize].store(edge.v, Relaxed);
                    self.mates[edge.v as usize].store(edge.u, Relaxed);
                }
            })?;
            in_chunks(&edges, control, |edge| {
                for end in [edge.u, edge.v] {
                    self.first[end as usize].store(u64::MAX, Relaxed);
                }
            })?;
            let left = |edge: &Edge| self.is_free(edge.u) && self.is_free(edge.v);
            if edges.len() <= CHUNK_ITEMS {
                edges.retain(left);
            } else {
                edges = (edges.into_par_iter().with_min_len(CHUNK_ITEMS))
                    .filter(left)
                    .collect();
            }
        }
        Ok(())
    }
}

/// Calls `work` with each edge.
fn in_chunks(
    edges: &[Edge],
    control: &Control,
    work: impl Fn(&Edge) + Sync,
) -> Result<(), Cancelled> {
    if edges.len() <= CHUNK_ITEMS {
        control.check()?;
        edges.iter().for_each(work);
        return Ok(());
    }
    edges.par_chunks(CHUNK_ITEMS).try_for_each(|edges| {
        control.check()?;
        edges.iter().for_each(&work);
        Ok(())
    })
}

/// Mates by going through all edges in their order. Sequential, O(m log m) and memory for
/// all edges; the reference implementation of [`run`].
pub fn reference<G: Graph>(graph: &G, parameters: &Parameters) -> Vec<VertexId> {
    let order = Order::new(parameters.seed);
    let mut edges = Vec::new();
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        reader.for_each_neighbor(u, |v| {
            if u < v {
                edges.push((order.rank(u, v), u, v));
            }
        });
    }
    edges.sort_unstable();
    let mut mates = vec![UNREACHED; graph.vertex_count()];
    for (_, u, v) in edges {
        if mates[u as usize] == UNREACHED && mates[v as usize] == UNREACHED {
            mates[u as usize] = v;
            mates[v as usize] = u;
        }
    }
    mates
}

/// Checks every mate against [`reference()`]. Sequential.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &MaximalMatching,
) -> Result<(), Mismatch> {
    compare_exact("mate", &result.mates, &reference(graph, parameters))
}
