//! Random walks along out-lists: uniform, by weight, or with a memory of the last
//! step (node2vec).
//!
//! Idea: each walk has a random stream of its own. A step draws a neighbor and
//! accepts it with a probability, until one is accepted (rejection): for weights
//! in proportion to them, for node2vec as it is near to where the walk came from.
//! A step that is rejected often asks all neighbors instead.
//!
//! Work O(length) expected a walk, times what a list costs to be read at one
//! position; by weight O(m) more before the first walk and, for p or q other than
//! 1, a search in the list of the last vertex each step (binary in sorted lists).
//! DRAM: the walks; by weight 4n bytes more. Deterministic for a seed, any number
//! of threads, and any one order of the lists. A self-loop is a step to where the
//! walk is; parallel edges count as often as they are stored.
//! Sources: Grover and Leskovec, "node2vec", KDD 2016; Yang et al., "KnightKing",
//! SOSP 2019 (rejection).

mod step;

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::error::check_source;
use crate::shortest_paths::for_each_weighted;
use crate::{Control, Mismatch, RunError, UNREACHED};
use step::Stepper;
pub(crate) use step::largest_weight;

/// Walks of one task.
const CHUNK_WALKS: usize = 64;

/// Parameters of the walks.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Vertices at which walks begin; all vertices if `None`.
    pub starts: Option<Vec<VertexId>>,
    /// Walks from each of them.
    pub walks: usize,
    /// Steps of a walk.
    pub length: usize,
    /// Whether an edge is followed in proportion to its weight.
    pub weighted: bool,
    /// Steps back to where the last step came from are 1/`p` times as likely.
    pub p: f64,
    /// Steps to vertices that are no neighbors of where the last step came from
    /// are 1/`q` times as likely.
    pub q: f64,
    /// Chooses the walks.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            starts: None,
            walks: 1,
            length: 80,
            weighted: false,
            p: 1.0,
            q: 1.0,
            seed: 0,
        }
    }
}

/// Walks, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomWalks {
    /// `length + 1` vertices a walk, its start the first; [`UNREACHED`] behind a
    /// vertex that the walk cannot leave. Walk `i` begins at start `i / walks`.
    pub vertices: Vec<VertexId>,
    /// Vertices a walk.
    pub stride: usize,
    /// Steps taken in all walks.
    pub steps: u64,
}

impl RandomWalks {
    /// The walks, without what is behind their ends.
    pub fn walks(&self) -> impl Iterator<Item = &[VertexId]> {
        self.vertices.chunks(self.stride).map(|walk| {
            let end = walk.iter().position(|&v| v == UNREACHED);
            &walk[..end.unwrap_or(walk.len())]
        })
    }
}

/// The walks that `parameters` ask for.
///
/// # Errors
/// If a start is out of range, p or q is not above 0, a weight of an edge is
/// negative or not finite (if weights count), or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<RandomWalks, RunError> {
    for (name, value) in [("p", parameters.p), ("q", parameters.q)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(RunError::InvalidParameter {
                name,
                value,
                expected: "above 0 and finite",
            });
        }
    }
    let starts = parameters.starts.as_deref();
    for &start in starts.unwrap_or_default() {
        check_source(graph, start)?;
    }
    let starts_count = starts.map_or(graph.vertex_count(), <[VertexId]>::len);
    let mut vertices = Vec::new();
    let (count, stride) = reserve(&mut vertices, starts_count, parameters)?;
    vertices.resize(count * stride, UNREACHED);
    let stepper = Stepper::new(graph, parameters, control)?;
    let mut done = 0;
    // Some walks at a time, so that the caller hears of them.
    let batch = (count / 64).max(CHUNK_WALKS * 64);
    for (first, walks) in (0..)
        .step_by(batch)
        .zip(vertices.chunks_mut(batch * stride))
    {
        walks
            .par_chunks_mut(CHUNK_WALKS * stride)
            .enumerate()
            .try_for_each(|(chunk, walks)| {
                let first = first + chunk * CHUNK_WALKS;
                for (number, walk) in (first..).zip(walks.chunks_mut(stride)) {
                    control.check()?;
                    let start = number / parameters.walks;
                    walk[0] = starts.map_or(start as VertexId, |starts| starts[start]);
                    stepper.walk(
                        walk,
                        Random::stream(parameters.seed, number as u64),
                        control,
                    )?;
                }
                Ok::<_, RunError>(())
            })?;
        done += walks.len() / stride;
        control.report("walks", done as u64, Some(count as u64));
    }
    let vertices_met = vertices.par_iter().filter(|&&v| v != UNREACHED).count();
    Ok(RandomWalks {
        steps: (vertices_met - count) as u64,
        vertices,
        stride,
    })
}

/// Makes room for all walks; returns their number, and the vertices of each.
fn reserve(
    vertices: &mut Vec<VertexId>,
    starts: usize,
    parameters: &Parameters,
) -> Result<(usize, usize), RunError> {
    let too_many = |name, value: usize| RunError::InvalidParameter {
        name,
        value: value as f64,
        expected: "so small that all walks fit in memory",
    };
    let walks = parameters.walks;
    let count = (starts.checked_mul(walks)).ok_or(too_many("walks", walks))?;
    let too_long = || too_many("length", parameters.length);
    let stride = parameters.length.checked_add(1).ok_or_else(too_long)?;
    let len = count.checked_mul(stride).ok_or_else(too_long)?;
    vertices.try_reserve_exact(len).map_err(|_| too_long())?;
    Ok((count, stride))
}

/// Checks that each step of each walk is an edge that may be taken, and that walks
/// end early only where there is none. Sequential, O((m + steps) log n).
///
/// # Errors
/// The first vertex from which a step is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &RandomWalks,
) -> Result<(), Mismatch> {
    let mut steps: Vec<(VertexId, VertexId)> = Vec::new();
    for walk in result.vertices.chunks(result.stride) {
        let pairs = walk.windows(2).map(|pair| (pair[0], pair[1]));
        steps.extend(pairs.filter(|&(u, _)| u != UNREACHED));
    }
    steps.sort_unstable();
    steps.dedup();
    let mut reader = graph.reader();
    for steps in steps.chunk_by(|a, b| a.0 == b.0) {
        let u = steps[0].0;
        let mut targets = Vec::new();
        for_each_weighted(&mut reader, u, |v, weight| {
            if !parameters.weighted || weight > 0.0 {
                targets.push(v);
            }
        });
        targets.sort_unstable();
        let right = |v: &VertexId| match targets.is_empty() {
            true => *v == UNREACHED,
            false => targets.binary_search(v).is_ok(),
        };
        if let Some(&(_, v)) = steps.iter().find(|(_, v)| !right(v)) {
            return Err(Mismatch {
                vertex: u,
                what: "next vertex of a walk",
                found: f64::from(v),
                expected: f64::from(targets.first().copied().unwrap_or(UNREACHED)),
            });
        }
    }
    Ok(())
}

/// The probability of each step from `u` to the vertices of its list, in the order
/// of the list, if the last step came from `last`; the slow definition. All 0 if
/// the walk ends at `u`.
pub fn probabilities<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    last: Option<VertexId>,
    u: VertexId,
) -> Vec<(VertexId, f64)> {
    let mut near = Vec::new();
    if let Some(last) = last {
        graph.reader().neighbors_into(last, &mut near);
    }
    let mut steps = Vec::new();
    for_each_weighted(&mut graph.reader(), u, |v, weight| {
        let weight = if parameters.weighted {
            f64::from(weight)
        } else {
            1.0
        };
        let bias = match last {
            None => 1.0,
            Some(last) if v == last => 1.0 / parameters.p,
            Some(_) if near.contains(&v) => 1.0,
            Some(_) => 1.0 / parameters.q,
        };
        steps.push((v, weight * bias));
    });
    let sum: f64 = steps.iter().map(|&(_, share)| share).sum();
    if sum > 0.0 {
        steps.iter_mut().for_each(|(_, share)| *share /= sum);
    }
    steps
}
