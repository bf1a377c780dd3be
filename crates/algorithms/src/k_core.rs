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

use evergraph_graph::{Column, Graph, NeighborReader, StoredLists, VertexId};

use crate::buckets::{BucketQueue, Buckets, Order, SemiEagerBuckets};
use crate::error::compare_exact;
use crate::histogram::Histogram;
use crate::parallel::{Lists, copied_u32, shared_degrees, sharing_u32, unshared_u32};
use crate::{Control, Mismatch, RunError, Saved};

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
    if graph.stored_lists() != StoredLists::Undirected {
        return Err(RunError::NeedsUndirected);
    }
    let n = graph.vertex_count();
    let lists = Lists::outgoing(graph);
    // Among the vertices that remain; of the others their coreness.
    let mut saved = control.saved();
    let degrees = match &mut saved {
        Some(saved) => sharing_u32(saved.take("degrees", n)?),
        None => shared_degrees(lists, control)?,
    };
    let resumed = saved.map(Peeling::restored).transpose()?;
    let degree = |v: VertexId| degrees[v as usize].load(Relaxed);
    let peeling = match parameters.bucketing {
        Bucketing::Open => {
            let buckets = Buckets::new(n, Order::Increasing, OPEN_BUCKETS, degree);
            peel(lists, &degrees, buckets, resumed, control)?
        }
        Bucketing::SemiEager => {
            let buckets = SemiEagerBuckets::new(n, Order::Increasing, degree);
            peel(lists, &degrees, buckets, resumed, control)?
        }
    };
    Ok(KCore {
        coreness: unshared_u32(degrees),
        max_coreness: peeling.k,
        innermost: peeling.innermost,
        rounds: peeling.rounds,
    })
}

/// How far the peeling is.
#[derive(Default)]
struct Peeling {
    rounds: u64,
    /// The bucket that was peeled last: the largest coreness so far.
    k: u32,
    /// Vertices that have it.
    innermost: usize,
    peeled: usize,
    /// Vertices of bucket `k` that came into it in the last round.
    waiting: Vec<VertexId>,
}

impl Peeling {
    fn restored(mut saved: Saved) -> Result<Self, RunError> {
        let numbers = saved.take::<u64>("numbers", 3)?;
        Ok(Self {
            rounds: saved.step,
            k: numbers[0] as u32,
            innermost: numbers[1] as usize,
            peeled: numbers[2] as usize,
            waiting: saved.take_any("waiting")?,
        })
    }

    /// Offers the state after a round, in which `lowered` got other degrees.
    fn offer(
        &self,
        degrees: &[AtomicU32],
        lowered: &[VertexId],
        control: &Control,
    ) -> Result<(), RunError> {
        if !control.wants(self.rounds) {
            return Ok(());
        }
        let in_bucket = |v: &&VertexId| degrees[**v as usize].load(Relaxed) == self.k;
        let mut waiting: Vec<VertexId> = lowered.iter().filter(in_bucket).copied().collect();
        waiting.sort_unstable();
        let numbers = [self.k.into(), self.innermost as u64, self.peeled as u64];
        let degrees = copied_u32(degrees);
        control.offer(self.rounds, || {
            [
                ("degrees", Column::U32(&degrees)),
                ("numbers", Column::U64(&numbers)),
                ("waiting", Column::U32(&waiting)),
            ]
        })
    }
}

/// Removes bucket by bucket, and leaves each vertex's coreness in `degrees`.
fn peel<G: Graph>(
    lists: Lists<'_, G>,
    degrees: &[AtomicU32],
    mut buckets: impl BucketQueue,
    resumed: Option<Peeling>,
    control: &Control,
) -> Result<Peeling, RunError> {
    let n = degrees.len();
    let degree = |v: VertexId| degrees[v as usize].load(Relaxed);
    let mut histogram = Histogram::new(n, control)?;
    let mut peeling = Peeling::default();
    let mut waiting = None;
    if let Some(mut resumed) = resumed {
        // Up to the bucket that was peeled last, all are gone but those that wait.
        buckets.by_ref().find(|&(k, _)| k >= resumed.k);
        let left = std::mem::take(&mut resumed.waiting);
        waiting = (!left.is_empty()).then_some((resumed.k, left));
        peeling = resumed;
    }
    while let Some((k, vertices)) = waiting.take().or_else(|| buckets.next()) {
        peeling.peeled += vertices.len();
        peeling.rounds += 1;
        let before = if k == peeling.k { peeling.innermost } else { 0 };
        peeling.innermost = before + vertices.len();
        peeling.k = k;
        // The remaining vertices have a larger degree: all with this one are removed now.
        let remains = |v| degree(v) > k;
        let lower = |v: VertexId, count| {
            let lower = degree(v).saturating_sub(count).max(k);
            degrees[v as usize].store(lower, Relaxed);
            Some(v)
        };
        let lowered = histogram.map(lists, &vertices, remains, lower, control)?;
        buckets.update(&lowered);
        control.report("peeled vertices", peeling.peeled as u64, Some(n as u64));
        peeling.offer(degrees, &lowered, control)?;
    }
    Ok(peeling)
}

/// Coreness as the largest numbers such that each vertex has as many neighbors (entries
/// of its list) with at least its number: begins with degrees and lowers them until that
/// holds. Sequential; the reference implementation of [`run`].
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
