//! Trusses: the largest parts of a graph in which every edge is in many triangles.
//!
//! The k-truss is the largest subgraph each of whose edges is in at least k − 2
//! triangles of it; the trussness of an edge is the largest k such that the edge
//! is in the k-truss.
//!
//! Idea: edges are removed in rounds, always those in the fewest triangles that
//! are left; what that number is says the trussness. An edge that leaves walks the
//! lists of its two ends for its triangles, and takes one from the count of the
//! other two edges of each. Of several edges of a triangle that leave in one round
//! the one with the smallest number does so. Lists are rid of removed edges
//! whenever only half are left.
//!
//! Work O(m^1.5 log n), depth O(rounds · √m) in practice. DRAM: this is the one
//! problem that needs room for edges, as its result is a number for each of them:
//! 8 words an edge beside 3n words, a sorted copy of the graph among them.
//! Deterministic. Self-loops do not matter, parallel edges count once.
//! Sources: Cohen, "Trusses: Cohesive Subgraphs for Social Network Analysis",
//! 2008; Kabir and Madduri, "Parallel k-Truss Decomposition on Multicore Systems",
//! HPEC 2017 (rounds; which of two removed edges takes from the third).

mod lists;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::buckets::{BucketQueue, Buckets, NONE, Order};
use crate::error::{compare_exact, compare_near};
use crate::parallel::{CHUNK_ITEMS, CHUNK_LISTED, shared_u32, unshared_u32};
use crate::{Cancelled, Control, Mismatch, RunError};
use lists::NumberedLists;

/// Buckets of the edges that leave next.
const OPEN_BUCKETS: usize = 16;

/// Of an edge whose trussness is not known yet, in its place.
const THERE: u32 = 0;
/// Of an edge that leaves in this round.
const LEAVING: u32 = 1;

/// The trusses of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KTruss {
    /// The edges, the smaller end first, in ascending order; parallel ones once,
    /// self-loops left out.
    pub edges: Vec<(VertexId, VertexId)>,
    /// For each of `edges` its trussness, at least 2.
    pub trussness: Vec<u32>,
    /// For each vertex the largest trussness of its edges; 0 without edges.
    pub at_vertices: Vec<u32>,
    /// The largest trussness; 0 without edges.
    pub max_trussness: u32,
    /// Edges that have it.
    pub max_edges: usize,
}

/// The trussness of the edges of an undirected graph.
///
/// # Errors
/// If the graph is not undirected, has 2^32 edges or more, or `control` ends the
/// run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<KTruss, RunError> {
    if graph.stored_lists() != StoredLists::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    let n = graph.vertex_count();
    let (mut lists, edges) = NumberedLists::new(graph, control)?;
    let m = edges.len();
    control.report("edges", 0, Some(m as u64));
    let peeling = Peeling {
        trussness: shared_u32(m, THERE, control)?,
        triangles: count_triangles(&lists, &edges, control)?,
        touched: (0..m).map(|_| AtomicBool::new(false)).collect(),
        edges: &edges,
        control,
    };
    let mut buckets = Buckets::new(m, Order::Increasing, OPEN_BUCKETS, |e| peeling.bucket(e));
    let mut removed = 0;
    while let Some((triangles, leaving)) = buckets.next() {
        let touched = peeling.remove(&leaving, triangles, &lists)?;
        buckets.update(&touched);
        removed += leaving.len();
        control.report("edges", removed as u64, Some(m as u64));
        if m - removed < lists.edge_count() / 2 {
            lists.retain(|e| peeling.is_there(e), control)?;
        }
    }
    drop(buckets);
    let trussness = unshared_u32(peeling.trussness);
    let mut at_vertices = control.array(0, n)?;
    for (&(u, v), &trussness) in edges.iter().zip(&trussness) {
        for v in [u, v] {
            at_vertices[v as usize] = trussness.max(at_vertices[v as usize]);
        }
    }
    let max_trussness = trussness.iter().copied().max().unwrap_or(0);
    Ok(KTruss {
        max_edges: trussness.iter().filter(|&&t| t == max_trussness).count(),
        max_trussness,
        at_vertices,
        trussness,
        edges,
    })
}

/// The triangles of each edge.
fn count_triangles(
    lists: &NumberedLists,
    edges: &[(VertexId, VertexId)],
    control: &Control,
) -> Result<Vec<AtomicU32>, Cancelled> {
    edges
        .par_iter()
        .with_min_len(CHUNK_LISTED)
        .map(|&(u, v)| {
            control.check()?;
            let mut triangles = 0;
            lists.for_each_common(u, v, |_, _| triangles += 1);
            Ok(AtomicU32::new(triangles))
        })
        .collect()
}

/// State of the peeling. Arrays are by edge.
struct Peeling<'a> {
    /// [`THERE`], [`LEAVING`], or the trussness of an edge that left.
    trussness: Vec<AtomicU32>,
    /// Triangles of edges that have not left.
    triangles: Vec<AtomicU32>,
    /// Whether a triangle was taken from it in this round.
    touched: Vec<AtomicBool>,
    edges: &'a [(VertexId, VertexId)],
    control: &'a Control<'a>,
}

impl Peeling<'_> {
    fn is_there(&self, e: u32) -> bool {
        self.trussness[e as usize].load(Relaxed) == THERE
    }

    fn bucket(&self, e: u32) -> u32 {
        match self.is_there(e) {
            true => self.triangles[e as usize].load(Relaxed),
            false => NONE,
        }
    }

    /// Removes the edges `leaving`, which are in `triangles` or fewer; returns the
    /// edges that are now in fewer triangles than before.
    fn remove(
        &self,
        leaving: &[u32],
        triangles: u32,
        lists: &NumberedLists,
    ) -> Result<Vec<u32>, Cancelled> {
        let set = |to: u32| for_each(leaving, |e| self.trussness[e as usize].store(to, Relaxed));
        set(LEAVING);
        let take = |leaving: &[u32]| {
            let mut touched = Vec::new();
            for &e in leaving {
                self.control.check()?;
                self.take_triangles(e, lists, &mut touched);
            }
            Ok(touched)
        };
        let touched = if leaving.len() <= CHUNK_LISTED {
            take(leaving)?
        } else {
            let parts: Vec<Vec<u32>> =
                (leaving.par_chunks(CHUNK_LISTED).map(take)).collect::<Result<_, Cancelled>>()?;
            parts.concat()
        };
        set(triangles + 2);
        for_each(&touched, |e| self.touched[e as usize].store(false, Relaxed));
        Ok(touched)
    }

    /// Takes the triangles of `e` from their other edges; appends the edges that
    /// are touched for the first time.
    fn take_triangles(&self, e: u32, lists: &NumberedLists, touched: &mut Vec<u32>) {
        let (u, v) = self.edges[e as usize];
        let state = |f: u32| self.trussness[f as usize].load(Relaxed);
        let mut take_from = |f: u32| {
            self.triangles[f as usize].fetch_sub(1, Relaxed);
            if !self.touched[f as usize].swap(true, Relaxed) {
                touched.push(f);
            }
        };
        lists.for_each_common(u, v, |f, g| match (state(f), state(g)) {
            (THERE, THERE) => {
                take_from(f);
                take_from(g);
            }
            (THERE, LEAVING) if e < g => take_from(f),
            (LEAVING, THERE) if e < f => take_from(g),
            _ => {}
        });
    }
}

/// Calls `work` with each of `edges`, in parallel if they are many.
fn for_each(edges: &[u32], work: impl Fn(u32) + Sync) {
    if edges.len() <= CHUNK_ITEMS {
        edges.iter().for_each(|&e| work(e));
    } else {
        (edges.par_chunks(CHUNK_ITEMS)).for_each(|edges| edges.iter().for_each(|&e| work(e)));
    }
}

/// Trussness by removing, for one k after the other, all edges in too few triangles until
/// none is left; the reference implementation of [`run`].
pub fn reference<G: Graph>(graph: &G) -> BTreeMap<(VertexId, VertexId), u32> {
    let mut sets = vec![BTreeSet::new(); graph.vertex_count()];
    let mut left = BTreeSet::new();
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        reader.for_each_neighbor(u, |v| {
            if u != v {
                sets[u as usize].insert(v);
                left.insert((u.min(v), u.max(v)));
            }
        });
    }
    let mut trussness = BTreeMap::new();
    let mut k = 2;
    while !left.is_empty() {
        let few = |&&(u, v): &&(VertexId, VertexId)| {
            let (a, b) = (&sets[u as usize], &sets[v as usize]);
            a.intersection(b).count() < k as usize - 1
        };
        // Not in the (k + 1)-truss.
        let leaving: Vec<_> = left.iter().filter(few).copied().collect();
        if leaving.is_empty() {
            k += 1;
        }
        for (u, v) in leaving {
            trussness.insert((u, v), k);
            left.remove(&(u, v));
            sets[u as usize].remove(&v);
            sets[v as usize].remove(&u);
        }
    }
    trussness
}

/// Checks edges, trussness and vertices against [`reference()`]. Sequential.
///
/// # Errors
/// The first edge that is wrong, by its number, or the first vertex.
pub fn verify<G: Graph>(graph: &G, result: &KTruss) -> Result<(), Mismatch> {
    let expected = reference(graph);
    let ends = |edges: &mut dyn Iterator<Item = (VertexId, VertexId)>| -> Vec<u32> {
        edges.flat_map(|(u, v)| [u, v]).collect()
    };
    let count = |count: usize| [count as f64];
    let (found_count, expected_count) = (count(result.edges.len()), count(expected.len()));
    compare_near("edge count", &found_count, &expected_count, 0.0, 0.0)?;
    compare_exact(
        "end of edge",
        &ends(&mut result.edges.iter().copied()),
        &ends(&mut expected.keys().copied()),
    )?;
    let trussness: Vec<u32> = expected.values().copied().collect();
    compare_exact("trussness", &result.trussness, &trussness)?;
    let mut at_vertices = vec![0; graph.vertex_count()];
    for (&(u, v), &trussness) in &expected {
        for end in [u, v] {
            at_vertices[end as usize] = trussness.max(at_vertices[end as usize]);
        }
    }
    compare_exact("trussness at vertices", &result.at_vertices, &at_vertices)
}
