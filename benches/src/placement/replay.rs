//! Accesses of algorithms to the state of vertices: each list that is read, each state
//! that is read or written, in the order of one thread.

use evergraph_algorithms::UNREACHED;
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Graph, VertexId};

/// Is told of every access.
pub trait Accesses {
    /// The list of `u` is read.
    fn list(&mut self, u: VertexId);
    /// The state of `v` is read.
    fn read(&mut self, v: VertexId);
    /// The state of `v` is written, because of its edge from (or to) `u`, or of
    /// itself.
    fn write(&mut self, u: VertexId, v: VertexId);
    /// An iteration, level, cascade or search ended.
    fn step(&mut self);
}

/// An algorithm whose accesses can be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// PageRank where every vertex sums up its in-neighbors and writes once.
    PagerankPull,
    /// PageRank where every edge adds to its target.
    PagerankPush,
    /// Breadth-first search from the vertex with the most out-neighbors.
    Bfs,
    /// Cascades of the weighted cascade model, each from a random vertex.
    Influence,
    /// Greedy choice of three sources of a rumor that 64 random vertices have.
    Rumor,
}

/// Iterations of PageRank.
const ITERATIONS: usize = 5;
/// Cascades for each thousand vertices.
const CASCADES: usize = 100;
const INFECTED: usize = 64;
const SOURCES: usize = 3;

impl Algorithm {
    pub const ALL: [Self; 5] = [
        Self::PagerankPull,
        Self::PagerankPush,
        Self::Bfs,
        Self::Influence,
        Self::Rumor,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::PagerankPull => "pagerank-pull",
            Algorithm::PagerankPush => "pagerank-push",
            Algorithm::Bfs => "bfs",
            Algorithm::Influence => "influence",
            Algorithm::Rumor => "rumor",
        }
    }

    /// Runs it on a graph with in-lists.
    pub fn replay(self, graph: &Csr, seed: u64, accesses: &mut impl Accesses) {
        let mut random = Random::new(seed);
        match self {
            Algorithm::PagerankPull => pull(graph, accesses),
            Algorithm::PagerankPush => push(graph, accesses),
            Algorithm::Bfs => {
                let busiest = vertices(graph).max_by_key(|&v| graph.neighbors(v).len());
                bfs(graph, busiest.unwrap_or(0), accesses);
            }
            Algorithm::Influence => cascades(graph, &mut random, accesses),
            Algorithm::Rumor => rumor(graph, &mut random, accesses),
        }
    }
}

fn vertices(graph: &Csr) -> std::ops::Range<VertexId> {
    0..graph.vertex_count() as VertexId
}

fn in_list(graph: &Csr, v: VertexId) -> &[VertexId] {
    graph.in_neighbors(v).expect("the graph has in-lists")
}

fn pull(graph: &Csr, accesses: &mut impl Accesses) {
    for _ in 0..ITERATIONS {
        for v in vertices(graph) {
            accesses.list(v);
            in_list(graph, v).iter().for_each(|&u| accesses.read(u));
            accesses.write(v, v);
        }
        accesses.step();
    }
}

fn push(graph: &Csr, accesses: &mut impl Accesses) {
    for _ in 0..ITERATIONS {
        for u in vertices(graph) {
            accesses.list(u);
            accesses.read(u);
            for &v in graph.neighbors(u) {
                accesses.read(v);
                accesses.write(u, v);
            }
        }
        accesses.step();
    }
}

fn bfs(graph: &Csr, source: VertexId, accesses: &mut impl Accesses) {
    let mut reached = vec![false; vertices(graph).len()];
    reached[source as usize] = true;
    accesses.write(source, source);
    let mut frontier = vec![source];
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for u in frontier {
            accesses.list(u);
            for &v in graph.neighbors(u) {
                accesses.read(v);
                if !std::mem::replace(&mut reached[v as usize], true) {
                    accesses.write(u, v);
                    next.push(v);
                }
            }
        }
        accesses.step();
        frontier = next;
    }
}

fn cascades(graph: &Csr, random: &mut Random, accesses: &mut impl Accesses) {
    let n = vertices(graph).len();
    let mut reached_by = vec![0_usize; n];
    for cascade in 1..=(n * CASCADES).div_ceil(1000) {
        let seed = random.below(n as u64) as VertexId;
        reached_by[seed as usize] = cascade;
        accesses.write(seed, seed);
        let mut waiting = vec![seed];
        while let Some(u) = waiting.pop() {
            accesses.list(u);
            for &v in graph.neighbors(u) {
                accesses.read(v);
                let chance = 1.0 / in_list(graph, v).len() as f64;
                if reached_by[v as usize] != cascade && random.next_f64() < chance {
                    reached_by[v as usize] = cascade;
                    accesses.write(u, v);
                    waiting.push(v);
                }
            }
        }
        accesses.step();
    }
}

/// As the library does it: bounded searches backwards from each infected vertex tell
/// what every candidate saves.
fn rumor(graph: &Csr, random: &mut Random, accesses: &mut impl Accesses) {
    let n = vertices(graph).len();
    let infected: Vec<VertexId> = (0..INFECTED)
        .map(|_| random.below(n as u64) as VertexId)
        .collect();
    let mut nearest = vec![n as u64; INFECTED];
    for _ in 0..SOURCES {
        let mut saved = vec![0_u64; n];
        for (&start, &radius) in infected.iter().zip(&nearest) {
            let found = within(graph, start, radius, accesses);
            for (v, distance) in found {
                saved[v as usize] += radius - distance;
            }
            accesses.step();
        }
        let best = vertices(graph).max_by_key(|&v| saved[v as usize]);
        let best = best.unwrap_or(0);
        for (&v, nearest) in infected.iter().zip(&mut nearest) {
            let distance = within(graph, v, *nearest, &mut Unseen)
                .into_iter()
                .find(|&(u, _)| u == best);
            *nearest = distance.map_or(*nearest, |(_, distance)| distance);
        }
    }
}

/// Vertices from which `start` is less than `radius` away.
fn within(
    graph: &Csr,
    start: VertexId,
    radius: u64,
    accesses: &mut impl Accesses,
) -> Vec<(VertexId, u64)> {
    if radius == 0 {
        return Vec::new();
    }
    let mut parent = vec![UNREACHED; vertices(graph).len()];
    parent[start as usize] = start;
    accesses.write(start, start);
    let mut found = vec![(start, 0)];
    let mut at = 0;
    while let Some(&(v, distance)) = found.get(at) {
        at += 1;
        if distance + 1 >= radius {
            continue;
        }
        accesses.list(v);
        for &u in in_list(graph, v) {
            accesses.read(u);
            if parent[u as usize] == UNREACHED {
                parent[u as usize] = v;
                accesses.write(v, u);
                found.push((u, distance + 1));
            }
        }
    }
    found
}

/// For what is done twice, but happens once.
struct Unseen;

impl Accesses for Unseen {
    fn list(&mut self, _: VertexId) {}
    fn read(&mut self, _: VertexId) {}
    fn write(&mut self, _: VertexId, _: VertexId) {}
    fn step(&mut self) {}
}
