//! O(k)-spanner: few of the edges of a graph, among which the distance of any two
//! vertices is at most O(k) times what it was.
//!
//! Idea: a low-diameter decomposition of rate ln n / k. The spanner has the trees
//! in which the clusters grew, and of the edges from a vertex to each cluster with
//! a smaller center one. An edge inside a cluster is replaced by a way over the
//! center; one between clusters by the edge that was taken to the same cluster and
//! a way inside it.
//!
//! Work O(m), depth O(k log n); at most 5n words of DRAM of 8 bytes beside the
//! result, which has O(n^(1 + 1/k)) edges expected. Stretch at most 2 · radius + 1,
//! with a radius of O(k) with high probability. Deterministic for a seed.
//! Self-loops and parallel edges change nothing.
//! Sources: Miller, Peng, Vladu and Xu, "Improved Parallel Algorithms for Spanners
//! and Hopsets", SPAA 2015; Dhulipala et al., "Sage", VLDB 2020, Table 1.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::low_diameter_decomposition::{Claim, center, decompose, distance, follows};
use crate::parallel::{CHUNK_VERTICES, HUB_DEGREE, Lists, chunk_range, hub_pieces};
use crate::{Control, Mismatch, RunError, UNREACHED};

/// Clusters of a vertex that are searched one by one.
const FEW: usize = 32;

/// Parameters of a spanner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// How much longer distances may be, up to a constant factor; at least 1, and
    /// log2 n, rounded up, if `None`, which leaves O(n) edges.
    pub k: Option<u32>,
    /// Chooses the clusters.
    pub seed: u64,
}

/// Some of the edges of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanner {
    /// Edges, each once, in one of its directions.
    pub edges: Vec<(VertexId, VertexId)>,
    /// The clusters of the decomposition.
    pub clusters: usize,
    /// The largest of their radii.
    pub radius: u32,
    /// No distance is more than so many times what it was.
    pub stretch: u32,
}

/// A spanner of an undirected graph.
///
/// # Errors
/// If the graph is directed, k is 0, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Spanner, RunError> {
    let n = graph.vertex_count();
    let usual = n.max(2).next_power_of_two().trailing_zeros();
    let k = parameters.k.unwrap_or(usual);
    if k == 0 {
        return Err(RunError::InvalidParameter {
            name: "k",
            value: 0.0,
            expected: "1 or more",
        });
    }
    let rate = (n.max(2) as f64).ln() / f64::from(k);
    let claims = decompose(graph, rate, parameters.seed, control)?;
    let radius = |&claim: &Claim| distance(claim, claims[center(claim) as usize]);
    let radius = claims.iter().map(radius).max().unwrap_or(0);
    let centers = (0..).zip(&claims).filter(|&(v, &claim)| center(claim) == v);
    Ok(Spanner {
        clusters: centers.count(),
        radius,
        stretch: 2 * radius + 1,
        edges: choose_edges(graph, &claims, control)?,
    })
}

/// The edges of the trees and those between clusters.
fn choose_edges<G: Graph>(
    graph: &G,
    claims: &[Claim],
    control: &Control,
) -> Result<Vec<(VertexId, VertexId)>, RunError> {
    let lists = Lists::outgoing(graph);
    let n = claims.len();
    let chosen: Vec<Vec<(VertexId, VertexId)>> = (0..n.div_ceil(CHUNK_VERTICES))
        .into_par_iter()
        .with_max_len(4)
        .map(|chunk| {
            control.check()?;
            let mut edges = Vec::new();
            let mut hubs = Vec::new();
            let mut reader = lists.reader();
            let mut choice = Choice::default();
            for v in chunk_range(chunk, n) {
                if reader.degree(v) > HUB_DEGREE {
                    hubs.push(v);
                    continue;
                }
                let _ = reader.for_each_segment(v, |list| {
                    choice.offer(claims, v, list);
                    ControlFlow::Continue(())
                });
                edges.extend(choice.take().map(|u| (v, u)));
            }
            drop(reader);
            for v in hubs {
                let pieces = hub_pieces(lists, v, control, |choice: &mut Choice, list| {
                    choice.offer(claims, v, list);
                    ControlFlow::Continue(())
                })?;
                for mut piece in pieces {
                    let list: Vec<VertexId> = piece.take().collect();
                    choice.offer(claims, v, &list);
                }
                edges.extend(choice.take().map(|u| (v, u)));
            }
            Ok(edges)
        })
        .collect::<Result<_, RunError>>()?;
    Ok(chosen.concat())
}

/// The neighbors that one vertex chooses.
#[derive(Default)]
struct Choice {
    /// The smallest of those from which its cluster reached it.
    parent: Option<VertexId>,
    /// For clusters with smaller centers these and the smallest neighbor there.
    /// With more than [`FEW`], there may be repetitions behind the first `distinct`.
    others: Vec<(VertexId, VertexId)>,
    distinct: usize,
}

impl Choice {
    #[inline]
    fn offer(&mut self, claims: &[Claim], v: VertexId, list: &[VertexId]) {
        let own = claims[v as usize];
        for &u in list {
            let claim = claims[u as usize];
            if center(claim) < center(own) {
                self.add(center(claim), u);
            } else if follows(own, claim) {
                self.parent = Some(self.parent.map_or(u, |parent| parent.min(u)));
            }
        }
    }

    fn add(&mut self, cluster: VertexId, u: VertexId) {
        let few = self.others.len().min(FEW);
        let mut known = self.others[..few].iter_mut();
        if let Some((_, smallest)) = known.find(|(other, _)| *other == cluster) {
            *smallest = u.min(*smallest);
            return;
        }
        self.others.push((cluster, u));
        if self.others.len() >= 2 * self.distinct.max(FEW) {
            self.leave_smallest();
        }
    }

    /// Leaves the smallest neighbor in each cluster, in the order of clusters.
    fn leave_smallest(&mut self) {
        self.others.sort_unstable();
        self.others.dedup_by_key(|&mut (cluster, _)| cluster);
        self.distinct = self.others.len();
    }

    /// Takes the chosen neighbors out; the choice is empty afterwards.
    fn take(&mut self) -> impl Iterator<Item = VertexId> {
        self.leave_smallest();
        self.distinct = 0;
        let others = self.others.drain(..).map(|(_, u)| u);
        self.parent.take().into_iter().chain(others)
    }
}

/// The distances in a graph of `n` vertices with these lists, from `source`.
fn depths(lists: &[Vec<VertexId>], source: VertexId) -> Vec<u32> {
    let mut depths = vec![UNREACHED; lists.len()];
    let mut queue = VecDeque::from([source]);
    depths[source as usize] = 0;
    while let Some(u) = queue.pop_front() {
        for &v in &lists[u as usize] {
            if depths[v as usize] == UNREACHED {
                depths[v as usize] = depths[u as usize] + 1;
                queue.push_back(v);
            }
        }
    }
    depths
}

/// Checks that the edges are edges of the graph, each once, and that the ends of
/// every edge are within the stretch. Sequential, O(n (n + m)): for small graphs.
///
/// # Errors
/// The first vertex with an edge that is wrong or stretched too far.
pub fn verify<G: Graph>(graph: &G, result: &Spanner) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let mut reader = graph.reader();
    let mut all = vec![Vec::new(); n];
    for u in 0..n as VertexId {
        reader.neighbors_into(u, &mut all[u as usize]);
    }
    let mut lists = vec![Vec::new(); n];
    for &(u, v) in &result.edges {
        let wrong = u == v || !all[u as usize].contains(&v) || lists[u as usize].contains(&v);
        if wrong {
            return Err(Mismatch {
                vertex: u,
                what: "an edge of the spanner",
                found: f64::from(v),
                expected: f64::NAN,
            });
        }
        lists[u as usize].push(v);
        lists[v as usize].push(u);
    }
    for u in 0..n as VertexId {
        let depths = depths(&lists, u);
        let far = |&&v: &&VertexId| depths[v as usize] > result.stretch;
        if let Some(&v) = all[u as usize].iter().find(far) {
            return Err(Mismatch {
                vertex: u,
                what: "distance in the spanner to the other end of an edge",
                found: f64::from(depths[v as usize]),
                expected: f64::from(result.stretch),
            });
        }
    }
    Ok(())
}
