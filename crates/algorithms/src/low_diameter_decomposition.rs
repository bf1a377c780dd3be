//! Low-diameter decomposition: clusters of small diameter, with few edges between.
//!
//! Idea: each vertex draws when it starts a cluster, at times that are exponential
//! backwards from a common end: few early, most late. A cluster grows by one edge
//! in a unit of time. Each vertex belongs to the cluster that reaches it first, or
//! to its own if none has when it starts. An edge is cut only if two clusters
//! reach its ends at about the same time, with probability O(beta); no cluster
//! grows longer than from the first start to the last, O(log n / beta) with high
//! probability.
//!
//! Work O(m), depth O(log² n / beta); at most 5n words of DRAM of 8 bytes.
//! Deterministic for a seed: times are numbers with 8 binary digits behind the
//! point, and of clusters that come at one time that of the smallest center wins.
//! Self-loops and parallel edges change nothing.
//! Sources: Miller, Peng and Xu, "Parallel Graph Decompositions Using Random
//! Shifts", SPAA 2013; Dhulipala et al., "Sage", VLDB 2020, Table 1; directions
//! after Beamer et al.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};

use crate::edge_map::{Gather, Kernel, Switch, edge_map};
use crate::error::compare_exact;
use crate::parallel::{CHUNK_ITEMS, shared_u64, unshared_u64};
use crate::sampling::RandomOrder;
use crate::{Control, Mismatch, RunError, VertexSubset};

const ALPHA: u64 = 15;
const BETA: usize = 18;

/// How to decompose.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The rate of the starting times, from 0.0001 to 1: clusters have diameter
    /// O(log n / beta), and an edge is cut with probability O(beta).
    pub beta: f64,
    /// Chooses the starting times.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { beta: 0.2, seed: 0 }
    }
}

/// The clusters of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowDiameterDecomposition {
    /// For each vertex the center of its cluster, itself a member.
    pub clusters: Vec<VertexId>,
    /// Clusters.
    pub count: usize,
    /// Vertices of the largest.
    pub largest: usize,
    /// The most edges on a shortest path inside a cluster from its center.
    pub radius: u32,
}

/// The clusters of an undirected graph.
///
/// # Errors
/// If the graph is directed, beta is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<LowDiameterDecomposition, RunError> {
    let beta = parameters.beta;
    if !(0.0001..=1.0).contains(&beta) {
        return Err(RunError::InvalidParameter {
            name: "beta",
            value: beta,
            expected: "from 0.0001 to 1",
        });
    }
    let claims = decompose(graph, beta, parameters.seed, control)?;
    let mut sizes = control.array(0_u32, claims.len())?;
    for &claim in &claims {
        sizes[center(claim) as usize] += 1;
    }
    Ok(LowDiameterDecomposition {
        count: sizes.iter().filter(|&&size| size > 0).count(),
        largest: sizes.into_iter().max().unwrap_or(0) as usize,
        radius: (claims.iter())
            .map(|&claim| distance(claim, claims[center(claim) as usize]))
            .max()
            .unwrap_or(0),
        clusters: claims.into_iter().map(center).collect(),
    })
}

/// When a cluster reached a vertex, and its center: the time with 8 binary digits
/// behind the point in the upper half, the center in the lower.
pub(crate) type Claim = u64;

const NONE: Claim = Claim::MAX;
/// One unit of time.
const UNIT: Claim = 1 << 40;

/// The center of the cluster.
pub(crate) fn center(claim: Claim) -> VertexId {
    claim as VertexId
}

/// Edges from the center, which has claim `first`.
pub(crate) fn distance(claim: Claim, first: Claim) -> u32 {
    ((claim - first) / UNIT) as u32
}

/// Whether `claim` was made from a vertex with claim `before`.
#[inline]
pub(crate) fn follows(claim: Claim, before: Claim) -> bool {
    claim == before.wrapping_add(UNIT)
}

/// The claim that stands for each vertex, for any positive rate.
pub(crate) fn decompose<G: Graph>(
    graph: &G,
    rate: f64,
    seed: u64,
    control: &Control,
) -> Result<Vec<Claim>, RunError> {
    if graph.stored_lists() != StoredLists::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    let n = graph.vertex_count();
    let claims = shared_u64(n, NONE, control)?;
    let mut starts = Starts::new(n, rate, seed).peekable();
    let mut switch = Switch::new(graph, ALPHA, BETA);
    let mut frontier = VertexSubset::Sparse(Vec::new());
    let mut now = 0;
    let mut claimed = 0;
    loop {
        let kernel = Claims {
            claims: &claims,
            now: now * UNIT,
        };
        frontier = match frontier.is_empty() {
            true => VertexSubset::Sparse(Vec::new()),
            false => edge_map(graph, frontier, &kernel, &mut switch, control)?,
        };
        let mut centers = Vec::new();
        loop {
            let starting = std::iter::from_fn(|| starts.next_if(|start| start / UNIT == now));
            let starting: Vec<Claim> = starting.take(CHUNK_ITEMS).collect();
            control.check()?;
            start_clusters(&claims, &starting, &mut centers);
            if starting.len() < CHUNK_ITEMS {
                break;
            }
        }
        frontier = join(frontier, centers);
        claimed += frontier.len();
        control.report("vertices in clusters", claimed as u64, Some(n as u64));
        if claimed == n {
            return Ok(unshared_u64(claims));
        }
        now = match (frontier.is_empty(), starts.peek()) {
            (true, Some(start)) => start / UNIT,
            _ => now + 1,
        };
    }
}

/// Lets the vertices of `starting` claim themselves; those that no cluster has
/// claimed become centers. No task may run beside.
fn start_clusters(claims: &[AtomicU64], starting: &[Claim], centers: &mut Vec<VertexId>) {
    const GROUP: usize = 64;
    for group in starting.chunks(GROUP) {
        // All loads before the first decision, so that they need not wait for it.
        let mut standing = [NONE; GROUP];
        for (stands, &start) in standing.iter_mut().zip(group) {
            *stands = claims[center(start) as usize].load(Relaxed);
        }
        for (&stands, &start) in standing.iter().zip(group) {
            if start < stands {
                claims[center(start) as usize].store(start, Relaxed);
            }
            if stands == NONE {
                centers.push(center(start));
            }
        }
    }
}

fn join(frontier: VertexSubset, centers: Vec<VertexId>) -> VertexSubset {
    match frontier {
        VertexSubset::Sparse(mut list) => {
            list.extend(centers);
            VertexSubset::Sparse(list)
        }
        VertexSubset::Dense(mut bitmap, len) => {
            centers.iter().for_each(|&v| bitmap.insert(v));
            VertexSubset::Dense(bitmap, len + centers.len())
        }
    }
}

/// The claims of all vertices on themselves, in the order of time.
///
/// The i-th of n exponential times comes behind the one before by an exponential
/// time of i times the rate (Rényi), so they are drawn in order, for vertices in
/// a random order.
struct Starts {
    order: RandomOrder,
    random: Random,
    rate: f64,
    time: f64,
    position: usize,
    count: usize,
}

impl Starts {
    fn new(n: usize, rate: f64, seed: u64) -> Self {
        Self {
            order: RandomOrder::new(n, seed),
            random: Random::new(seed),
            rate,
            time: 0.0,
            position: 0,
            count: n,
        }
    }
}

impl Iterator for Starts {
    type Item = Claim;

    fn next(&mut self) -> Option<Claim> {
        if self.position == self.count {
            return None;
        }
        if self.position > 0 {
            let gap = -(1.0 - self.random.next_f64()).ln();
            self.time += gap / (self.rate * self.position as f64);
        }
        let vertex = self.order.vertex_at(self.position);
        self.position += 1;
        Some(((self.time * 256.0) as u64) << 32 | u64::from(vertex))
    }
}

/// The clusters of the frontier claim their neighbors one unit of time later.
struct Claims<'a> {
    claims: &'a [AtomicU64],
    /// The time at which this unit begins.
    now: Claim,
}

impl Kernel for Claims<'_> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        self.claims[v as usize].load(Relaxed) >= self.now
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId) -> bool {
        let claim = self.claims[u as usize].load(Relaxed) + UNIT;
        let stands = &self.claims[v as usize];
        claim < stands.load(Relaxed) && stands.fetch_min(claim, Relaxed) == NONE
    }
}

impl Gather for Claims<'_> {
    /// How much earlier than [`NONE`] the first claim is.
    type Gathered = Claim;

    #[inline]
    fn gather(&self, first: &mut Claim, u: VertexId) -> ControlFlow<()> {
        *first = (*first).max(NONE - self.claims[u as usize].load(Relaxed));
        ControlFlow::Continue(())
    }

    #[inline]
    fn gather_list(
        &self,
        first: &mut Claim,
        list: &[VertexId],
        _: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        // Those claimed in this unit of time are later than the frontier, and
        // neighbors from before the frontier would have claimed the vertex.
        for &u in list {
            *first = (*first).max(NONE - self.claims[u as usize].load(Relaxed));
        }
        ControlFlow::Continue(())
    }

    fn merge(&self, first: &mut Claim, next: Claim) {
        *first = (*first).max(next);
    }

    #[inline]
    fn apply(&self, v: VertexId, first: Claim) -> bool {
        let claim = NONE - first;
        let claims = claim < self.now;
        if claims {
            self.claims[v as usize].store(claim + UNIT, Relaxed);
        }
        claims
    }
}

/// The claims by Dijkstra's algorithm from all starts at once; the reference
/// implementation of the decomposition.
fn reference_claims<G: Graph>(graph: &G, rate: f64, seed: u64) -> Vec<Claim> {
    let mut claims = vec![NONE; graph.vertex_count()];
    let mut reader = graph.reader();
    let mut heap = BinaryHeap::new();
    for start in Starts::new(claims.len(), rate, seed) {
        claims[center(start) as usize] = start;
        heap.push(Reverse((start, center(start))));
    }
    while let Some(Reverse((claim, u))) = heap.pop() {
        if claim > claims[u as usize] {
            continue;
        }
        reader.for_each_neighbor(u, |v| {
            if claim + UNIT < claims[v as usize] {
                claims[v as usize] = claim + UNIT;
                heap.push(Reverse((claim + UNIT, v)));
            }
        });
    }
    claims
}

/// Centers by Dijkstra's algorithm from the starting times; the reference implementation
/// of [`run`].
pub fn reference<G: Graph>(graph: &G, parameters: &Parameters) -> Vec<VertexId> {
    let claims = reference_claims(graph, parameters.beta, parameters.seed);
    claims.into_iter().map(center).collect()
}

/// Edges between clusters, of all edges (self-loops left out). Sequential, O(m).
pub fn cut_edges<G: Graph>(graph: &G, clusters: &[VertexId]) -> (u64, u64) {
    let mut reader = graph.reader();
    let (mut cut, mut all) = (0, 0);
    for u in 0..graph.vertex_count() as VertexId {
        reader.for_each_neighbor(u, |v| {
            if u < v {
                all += 1;
                cut += u64::from(clusters[u as usize] != clusters[v as usize]);
            }
        });
    }
    (cut, all)
}

/// Checks every cluster against [`reference()`], and that from each center all of
/// its cluster is within the radius without leaving it. Sequential, O(m log n).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &LowDiameterDecomposition,
) -> Result<(), Mismatch> {
    compare_exact("center", &result.clusters, &reference(graph, parameters))?;
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let mut reached = vec![false; n];
    for v in 0..n as VertexId {
        if result.clusters[v as usize] != v {
            continue;
        }
        reached[v as usize] = true;
        let mut level = vec![v];
        for _ in 0..result.radius {
            let mut next = Vec::new();
            for &u in &level {
                reader.for_each_neighbor(u, |w| {
                    if result.clusters[w as usize] == v && !reached[w as usize] {
                        reached[w as usize] = true;
                        next.push(w);
                    }
                });
            }
            level = next;
        }
    }
    match reached.iter().position(|&reached| !reached) {
        None => Ok(()),
        Some(v) => Err(Mismatch {
            vertex: v as VertexId,
            what: "edges from the center inside the cluster",
            found: f64::INFINITY,
            expected: f64::from(result.radius),
        }),
    }
}
