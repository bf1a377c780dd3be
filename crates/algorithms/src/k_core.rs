//! Coreness: for each vertex the largest k such that it is in the k-core, the
//! largest subgraph in which every vertex has degree k or more.
//!
//! Idea: peeling. Of the vertices that remain, those of the smallest degree k have
//! coreness k and are removed; a histogram says by how much the degrees of their
//! neighbors fall, but not below k. Vertices wait in buckets by degree.
//!
//! Work O(n + m), depth O(rounds · log n), where each round empties a bucket; DRAM
//! at most 8n words of 8 bytes (degrees, counters, buckets, and the edges of a
//! round being counted). Deterministic. Parallel edges and self-loops count as often as
//! they are stored, a self-loop so twice.
//! Sources: Seidman, "Network Structure and Minimum Degree", 1983; Dhulipala,
//! Blelloch and Shun, "Julienne", SPAA 2017; Dhulipala et al., "Sage", VLDB 2020,
//! section 4.3.4.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Direction, Graph, NeighborReader, VertexId};

use crate::buckets::{BucketQueue, Buckets, Order, SemiEagerBuckets};
use crate::error::compare_exact;
use crate::histogram::Histogram;
use crate::parallel::{Lists, shared_degrees, unshared_u32};
use crate::{Cancelled, Control, Mismatch, RunError};

/// Buckets that are open at a time.
const OPEN_BUCKETS: usize = 16;

/// In which buckets vertices wait; the result is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bucketing {
    /// A few open ones, and one list for all that is later.
    #[default]
    Open,
    /// All at once, packed when a fraction of a bucket is stale.
    SemiEager,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// In which buckets vertices wait.
    pub bucketing: Bucketing,
}

/// The cores of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KCore {
    /// For each vertex its coreness.
    pub coreness: Vec<u32>,
    /// The largest, also known as the degeneracy of the graph.
    pub max_coreness: u32,
    /// Vertices of that coreness.
    pub innermost: usize,
    /// Rounds of peeling.
    pub rounds: u64,
}

/// The coreness of every vertex.
///
/// # Errors
/// [`RunError::NeedsUndirected`] if the graph is directed, or if `control` ends
/// the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<KCore, RunError> {
    if graph.direction() != Direction::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    let n = graph.vertex_count();
    let lists = Lists::outgoing(graph);
    // Among the vertices that remain; of the others their coreness.
    let degrees = shared_degrees(lists, control)?;
    let degree = |v: VertexId| degrees[v as usize].load(Relaxed);
    let (max_coreness, innermost, rounds) = match parameters.bucketing {
        Bucketing::Open => {
            let buckets = Buckets::new(n, Order::Increasing, OPEN_BUCKETS, degree);
            peel(lists, &degrees, buckets, control)?
        }
        Bucketing::SemiEager => {
            let buckets = SemiEagerBuckets::new(n, Order::Increasing, degree);
            peel(lists, &degrees, buckets, control)?
        }
    };
    Ok(KCore {
        coreness: unshared_u32(degrees),
        max_coreness,
        innermost,
        rounds,
    })
}

/// Removes bucket by bucket, and leaves each vertex's coreness in `degrees`. The
/// largest coreness, how many have it, and the rounds.
fn peel<G: Graph>(
    lists: Lists<'_, G>,
    degrees: &[AtomicU32],
    mut buckets: impl BucketQueue,
    control: &Control,
) -> Result<(u32, usize, u64), Cancelled> {
    let n = degrees.len();
    let degree = |v: VertexId| degrees[v as usize].load(Relaxed);
    let mut histogram = Histogram::new(n);
    let (mut max_coreness, mut innermost, mut rounds, mut peeled) = (0, 0, 0, 0);
    while let Some((k, vertices)) = buckets.next() {
        peeled += vertices.len();
        rounds += 1;
        innermost = vertices.len() + if k == max_coreness { innermost } else { 0 };
        max_coreness = k;
        // Whoever remains has a larger degree: all with this one are removed now.
        let remains = |v| degree(v) > k;
        let lower = |v: VertexId, count| {
            let lower = degree(v).saturating_sub(count).max(k);
            degrees[v as usize].store(lower, Relaxed);
            Some(v)
        };
        let lowered = histogram.map(lists, &vertices, remains, lower, control)?;
        buckets.update(&lowered);
        control.report("peeled vertices", peeled as u64, Some(n as u64));
    }
    Ok((max_coreness, innermost, rounds))
}

/// Coreness as the largest numbers such that each vertex has as many neighbors
/// (entries of its list) with at least its number: begins with degrees and lowers
/// them until that holds. Sequential; the slow twin of [`run`].
///
/// Source: Lü, Zhou, Zhang and Stanley, "The H-index of a Network Node and its
/// Relation to Degree and Coreness", 2016.
pub fn reference<G: Graph>(graph: &G) -> Vec<u32> {
    let mut reader = graph.reader();
    let vertices = 0..graph.vertex_count() as VertexId;
    let mut numbers: Vec<u32> = vertices.clone().map(|v| reader.degree(v) as u32).collect();
    let mut at_least = Vec::new();
    loop {
        let mut changed = false;
        for v in vertices.clone() {
            let own = numbers[v as usize];
            at_least.clear();
            at_least.resize(own as usize + 1, 0);
            reader.for_each_neighbor(v, |u| {
                at_least[numbers[u as usize].min(own) as usize] += 1;
            });
            let (mut number, mut neighbors) = (own, at_least[own as usize]);
            while neighbors < number {
                number -= 1;
                neighbors += at_least[number as usize];
            }
            changed |= number != own;
            numbers[v as usize] = number;
        }
        if !changed {
            return numbers;
        }
    }
}

/// Checks every coreness against [`reference()`]. Sequential.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &KCore) -> Result<(), Mismatch> {
    compare_exact("coreness", &result.coreness, &reference(graph))
}
