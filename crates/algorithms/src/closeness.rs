//! Closeness and harmonic centrality: how near a vertex is to the others.
//!
//! Idea: breadth-first searches from 256 sources at once. Each vertex has a bit
//! for each source; a level hands the bits of those reached in the last to their
//! neighbors, and the bits that are new to a vertex say how many sources are at
//! the level's distance. A large frontier is gathered from (pull), a small one
//! pushes.
//!
//! Work O(m · levels) at most for each 256 sources, O(m) where their frontiers
//! coincide; depth O(diameter · log n). DRAM 13n words of 8 bytes for the bits, 3n
//! for sums, some n for frontiers and the result.
//! Deterministic. Self-loops and parallel edges change nothing.
//! Sources: Then et al., "The More the Merrier: Efficient Multi-Source Graph
//! Traversal", VLDB 2014; Wasserman and Faust, "Social Network Analysis", 1994;
//! Eppstein and Wang, "Fast Approximation of Centrality", 2004 (sampled sources).

mod batch;

use std::collections::VecDeque;

use evergraph_graph::{Column, Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::edge_map::Lists;
use crate::error::compare_near;
use crate::parallel::CHUNK_ITEMS;
use crate::sampling::sample_vertices;
use crate::{Control, Mismatch, RunError, Saved, UNREACHED};
use batch::{Batch, SOURCES};

/// Distances that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distances {
    /// Those to the vertex, as NetworkX has it.
    #[default]
    Incoming,
    /// Those from the vertex; needs in-lists.
    Outgoing,
}

/// Parameters of the centrality.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The direction of the paths.
    pub distances: Distances,
    /// Distances of only so many vertices, chosen by chance, stand for those of
    /// all; of all if `None`.
    pub samples: Option<usize>,
    /// Chooses the samples.
    pub seed: u64,
    /// Closeness is the inverse of the mean distance alone, as igraph has it.
    pub reached_only: bool,
}

/// The centralities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Closeness {
    /// Vertices connected with a vertex by a path, per sum of their distances,
    /// times the share of all others that they are (Wasserman and Faust), unless
    /// [`Parameters::reached_only`]; 0 for a vertex that none is connected with.
    /// With samples an estimate.
    pub closeness: Vec<f64>,
    /// The sum of 1 / distance over all other vertices, 0 for those without a
    /// path. With samples an estimate of that sum.
    pub harmonic: Vec<f64>,
    /// Sources searched from.
    pub sources: usize,
    /// Distances found, those of sources to themselves not counted.
    pub pairs: u64,
    /// The largest of them.
    pub max_distance: u32,
}

/// Both centralities of every vertex.
///
/// # Errors
/// If distances from vertices are wanted and the graph keeps only out-lists, or
/// `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Closeness, RunError> {
    // A search from the others finds the distances to a vertex.
    let (along, against) = match parameters.distances {
        Distances::Incoming => (Some(Lists::outgoing(graph)), Lists::incoming(graph)),
        Distances::Outgoing => (Lists::incoming(graph), Some(Lists::outgoing(graph))),
    };
    let along = along.ok_or(RunError::NeedsInLists)?;
    let sources = sources(graph, parameters);
    let n = graph.vertex_count();
    let mut batch = Batch::new(along, against, graph.arc_count(), control)?;
    let mut sums = control.array(Sums::default(), n)?;
    let mut max_distance = 0;
    let mut done = 0;
    if let Some(mut saved) = control.saved() {
        max_distance = saved.take("max_distance", 1)?[0];
        done = (saved.step as usize).saturating_mul(SOURCES);
        sums = restored(&mut saved, n)?;
    }
    for chunk in sources.get(done..).unwrap_or_default().chunks(SOURCES) {
        max_distance = max_distance.max(batch.search(chunk, &mut sums, control)?);
        done += chunk.len();
        control.report("sources", done as u64, Some(sources.len() as u64));
        offer(done.div_ceil(SOURCES) as u64, &sums, &max_distance, control)?;
    }
    drop(batch);
    let mut is_source = control.array(false, n)?;
    sources.iter().for_each(|&v| is_source[v as usize] = true);
    // For each vertex the sources that are others.
    let others = |v: usize| (sources.len() - usize::from(is_source[v])) as f64;
    let reached_only = parameters.reached_only;
    let values = |value: &(dyn Fn(&Sums, f64, f64) -> f64 + Sync)| {
        let vertices = sums.par_iter().enumerate().with_min_len(CHUNK_ITEMS);
        let values = vertices.map(|(v, sums)| match sums.reached {
            0 => 0.0,
            _ => value(sums, others(v), (n - 1) as f64),
        });
        values.collect()
    };
    Ok(Closeness {
        closeness: values(&|sums, others, _| {
            let reached = f64::from(sums.reached);
            let share = if reached_only { 1.0 } else { reached / others };
            reached / sums.distances as f64 * share
        }),
        harmonic: values(&|sums, others, all| sums.inverses * (all / others)),
        sources: sources.len(),
        pairs: sums.iter().map(|sums| u64::from(sums.reached)).sum(),
        max_distance,
    })
}

fn sources(graph: &impl Graph, parameters: &Parameters) -> Vec<VertexId> {
    let n = graph.vertex_count();
    sample_vertices(n, parameters.samples.unwrap_or(n), parameters.seed)
}

/// Sums over the sources that have reached a vertex so far, others than itself.
#[derive(Clone, Default)]
struct Sums {
    reached: u32,
    distances: u64,
    inverses: f64,
}

/// Offers the sums after a batch of sources.
fn offer(batch: u64, sums: &[Sums], max_distance: &u32, control: &Control) -> Result<(), RunError> {
    if !control.wants(batch) {
        return Ok(());
    }
    let reached: Vec<u32> = sums.iter().map(|sums| sums.reached).collect();
    let distances: Vec<u64> = sums.iter().map(|sums| sums.distances).collect();
    let inverses: Vec<f64> = sums.iter().map(|sums| sums.inverses).collect();
    control.offer(batch, || {
        [
            ("reached", Column::U32(&reached)),
            ("distances", Column::U64(&distances)),
            ("inverses", Column::F64(&inverses)),
            (
                "max_distance",
                Column::U32(std::slice::from_ref(max_distance)),
            ),
        ]
    })
}

/// The sums as they were offered.
fn restored(saved: &mut Saved, n: usize) -> Result<Vec<Sums>, RunError> {
    let reached = saved.take::<u32>("reached", n)?;
    let distances = saved.take::<u64>("distances", n)?;
    let inverses = saved.take::<f64>("inverses", n)?;
    let all = reached.into_iter().zip(distances).zip(inverses);
    let sums = all.map(|((reached, distances), inverses)| Sums {
        reached,
        distances,
        inverses,
    });
    Ok(sums.collect())
}

/// Closeness and harmonic centrality by a search from each source on its own; the
/// reference implementation of [`run`].
pub fn reference<G: Graph>(graph: &G, parameters: &Parameters) -> (Vec<f64>, Vec<f64>) {
    let n = graph.vertex_count();
    let sources = sources(graph, parameters);
    let mut distances = vec![Vec::new(); n];
    for &source in &sources {
        let mut reader = match parameters.distances {
            Distances::Incoming => graph.reader(),
            Distances::Outgoing => graph.reverse_reader().expect("in-lists"),
        };
        let mut depths = vec![UNREACHED; n];
        let mut queue = VecDeque::from([source]);
        depths[source as usize] = 0;
        while let Some(u) = queue.pop_front() {
            let depth = depths[u as usize];
            if depth > 0 {
                distances[u as usize].push(f64::from(depth));
            }
            reader.for_each_neighbor(u, |v| {
                if depths[v as usize] == UNREACHED {
                    depths[v as usize] = depth + 1;
                    queue.push_back(v);
                }
            });
        }
    }
    let others = |v: usize| {
        let own = sources.contains(&(v as VertexId));
        (sources.len() - usize::from(own)) as f64
    };
    let closeness = |(v, distances): (usize, &Vec<f64>)| {
        let reached = distances.len() as f64;
        let mean = distances.iter().sum::<f64>() / reached;
        match (reached > 0.0, parameters.reached_only) {
            (false, _) => 0.0,
            (true, true) => 1.0 / mean,
            (true, false) => reached / others(v) / mean,
        }
    };
    let harmonic = |(v, distances): (usize, &Vec<f64>)| {
        let sum: f64 = distances.iter().map(|distance| 1.0 / distance).sum();
        if sum > 0.0 {
            sum * (n - 1) as f64 / others(v)
        } else {
            0.0
        }
    };
    (
        distances.iter().enumerate().map(closeness).collect(),
        distances.iter().enumerate().map(harmonic).collect(),
    )
}

/// Checks both centralities against [`reference()`], to 9 digits. Sequential,
/// O(n + m) a source.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &Closeness,
) -> Result<(), Mismatch> {
    let (closeness, harmonic) = reference(graph, parameters);
    compare_near("closeness", &result.closeness, &closeness, 1e-9, 0.0)?;
    compare_near(
        "harmonic centrality",
        &result.harmonic,
        &harmonic,
        1e-9,
        0.0,
    )
}
