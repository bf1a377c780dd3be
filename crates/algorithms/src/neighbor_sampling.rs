//! Samples of the neighborhood of some vertices, as graph neural networks are
//! trained on: of each vertex at most so many neighbors, of each of those again,
//! hop by hop.
//!
//! Idea: each vertex that a hop comes to draws from its list with a random stream
//! of its own: some positions (Floyd), or by weight those whose keys, a power of a
//! random number, are largest.
//!
//! Work: what the lists of the vertices met cost to be read at some positions, by
//! weight their degrees; depth O(hops · log n). DRAM: the sample. Deterministic
//! for a seed, any number of threads, and any one order of the lists. A self-loop
//! is a neighbor; parallel edges are drawn each for itself.
//! Sources: Hamilton, Ying and Leskovec, "Inductive Representation Learning on
//! Large Graphs" (GraphSAGE), NeurIPS 2017; Bentley and Floyd, "A sample of
//! brilliance", CACM 1987; Efraimidis and Spirakis, "Weighted random sampling with
//! a reservoir", Information Processing Letters 2006.

use std::collections::HashMap;
use std::ops::ControlFlow;

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};
use rayon::prelude::*;

use crate::edge_map::Lists;
use crate::error::{check_source, compare_exact};
use crate::parallel::CHUNK_LISTED;
use crate::shortest_paths::for_each_weighted;
use crate::{Control, Mismatch, RunError};

/// Parameters of the sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// How many neighbors of each vertex, hop after hop; `u32::MAX` for all.
    pub fan_out: Vec<u32>,
    /// Whether neighbors are drawn with replacement: then always as many as asked
    /// for, unless all are, or there are none.
    pub replace: bool,
    /// Whether neighbors are drawn in proportion to the weights of their edges.
    pub weighted: bool,
    /// Whether in-neighbors are drawn, from which messages come, instead of
    /// out-neighbors.
    pub incoming: bool,
    /// Chooses the neighbors.
    pub seed: u64,
}

/// A sampled part of a graph. Vertices are numbered as they are met; edges name
/// them by these numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeighborSample {
    /// Each vertex once: the seeds in their order, then hop by hop what is new.
    pub vertices: Vec<VertexId>,
    /// How many of `vertices` are known after each hop, the seeds first.
    pub vertices_after: Vec<usize>,
    /// For each sampled edge the number of the vertex that drew,
    pub targets: Vec<u32>,
    /// and of the neighbor that it drew.
    pub neighbors: Vec<u32>,
    /// How many edges there are after each hop, 0 first.
    pub edges_after: Vec<usize>,
}

/// A sample of the neighborhood of `seeds` (repetitions count once).
///
/// # Errors
/// If a seed is out of range, in-neighbors are wanted and the graph keeps only
/// out-lists, a weight met is negative or not finite (if weights count), or
/// `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    seeds: &[VertexId],
    parameters: &Parameters,
    control: &Control,
) -> Result<NeighborSample, RunError> {
    for &seed in seeds {
        check_source(graph, seed)?;
    }
    let lists = match parameters.incoming {
        false => Lists::outgoing(graph),
        true => Lists::incoming(graph).ok_or(RunError::NeedsInLists)?,
    };
    let mut sample = NeighborSample::default();
    let mut numbers = HashMap::new();
    for &seed in seeds {
        sample.number(&mut numbers, seed);
    }
    sample.vertices_after.push(sample.vertices.len());
    sample.edges_after.push(0);
    let mut met = 0;
    for (hop, &wanted) in (1..).zip(&parameters.fan_out) {
        let drawn: Vec<Vec<Vec<VertexId>>> = sample.vertices[met..]
            .par_chunks(CHUNK_LISTED)
            .map(|targets| {
                let mut reader = lists.reader();
                let draw = |&target: &VertexId| {
                    control.check()?;
                    let stream = hop << 32 | u64::from(target);
                    let random = Random::stream(parameters.seed, stream);
                    let replace = parameters.replace && wanted != u32::MAX;
                    let wanted = wanted as usize;
                    match parameters.weighted {
                        true => draw_by_weight(&mut reader, target, wanted, replace, random),
                        false => Ok(draw(&mut reader, target, wanted, replace, random)),
                    }
                };
                targets.iter().map(draw).collect()
            })
            .collect::<Result<_, RunError>>()?;
        let first = met;
        met = sample.vertices.len();
        for (target, neighbors) in (first as u32..).zip(drawn.into_iter().flatten()) {
            for neighbor in neighbors {
                let number = sample.number(&mut numbers, neighbor);
                sample.targets.push(target);
                sample.neighbors.push(number);
            }
        }
        sample.vertices_after.push(sample.vertices.len());
        sample.edges_after.push(sample.targets.len());
        control.report("hops", hop, Some(parameters.fan_out.len() as u64));
    }
    Ok(sample)
}

impl NeighborSample {
    /// The number of `v`, a new one if it has none.
    fn number(&mut self, numbers: &mut HashMap<VertexId, u32>, v: VertexId) -> u32 {
        *numbers.entry(v).or_insert_with(|| {
            self.vertices.push(v);
            self.vertices.len() as u32 - 1
        })
    }
}

/// `wanted` neighbors of `u`, in the order of its list unless with replacement.
fn draw(
    reader: &mut impl NeighborReader,
    u: VertexId,
    wanted: usize,
    replace: bool,
    mut random: Random,
) -> Vec<VertexId> {
    let degree = reader.degree(u);
    if degree == 0 || wanted == 0 {
        return Vec::new();
    }
    let positions = match replace {
        true => (0..wanted)
            .map(|_| random.below(degree as u64) as usize)
            .collect(),
        false => distinct_positions(degree, wanted, &mut random),
    };
    let mut drawn = Vec::with_capacity(positions.len());
    if positions.len() == degree && !replace {
        reader.neighbors_into(u, &mut drawn);
        return drawn;
    }
    for position in positions {
        let _ = reader.for_each_segment_in(u, position..position + 1, |list| {
            drawn.extend_from_slice(list);
            ControlFlow::Continue(())
        });
    }
    drawn
}

/// `wanted` of the positions `0..degree`, all if there are no more, ascending.
fn distinct_positions(degree: usize, wanted: usize, random: &mut Random) -> Vec<usize> {
    let mut positions = Vec::with_capacity(wanted.min(degree));
    if wanted >= degree {
        positions.extend(0..degree);
        return positions;
    }
    // Kept sorted: each position is searched for.
    for end in degree - wanted..degree {
        let position = random.below(end as u64 + 1) as usize;
        match positions.binary_search(&position) {
            Err(at) => positions.insert(at, position),
            Ok(_) => positions.push(end),
        }
    }
    positions
}

fn draw_by_weight(
    reader: &mut impl NeighborReader,
    u: VertexId,
    wanted: usize,
    replace: bool,
    mut random: Random,
) -> Result<Vec<VertexId>, RunError> {
    let mut edges: Vec<(VertexId, f64)> = Vec::new();
    let mut wrong = None;
    for_each_weighted(reader, u, |v, weight: Weight| {
        if !(weight >= 0.0 && weight.is_finite()) {
            wrong = Some((v, weight));
        } else if weight > 0.0 {
            edges.push((v, f64::from(weight)));
        }
    });
    if let Some((to, weight)) = wrong {
        return Err(RunError::InvalidWeight {
            from: u,
            to,
            weight,
            expected: "0 or more, and finite",
        });
    }
    if edges.is_empty() {
        return Ok(Vec::new());
    }
    if replace {
        let mut sum = 0.0;
        for (_, weight) in &mut edges {
            sum += *weight;
            *weight = sum;
        }
        let last = edges.len() - 1;
        let drawn = (0..wanted).map(|_| {
            let mark = random.next_f64() * sum;
            edges[edges.partition_point(|&(_, end)| end <= mark).min(last)].0
        });
        return Ok(drawn.collect());
    }
    // The logarithm of a random number to the power of 1 / weight, by list order.
    let mut keys: Vec<(f64, usize)> = (edges.iter().enumerate())
        .map(|(at, &(_, weight))| ((1.0 - random.next_f64()).ln() / weight, at))
        .collect();
    if wanted < keys.len() {
        keys.select_nth_unstable_by(wanted, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        keys.truncate(wanted);
    }
    keys.sort_unstable_by_key(|&(_, at)| at);
    Ok(keys.into_iter().map(|(_, at)| edges[at].0).collect())
}

/// Checks numbers, edges and how many of them there are. Sequential, O(degrees of
/// the vertices that drew).
///
/// # Errors
/// The first vertex with a wrong number of neighbors, or a neighbor that is none.
pub fn verify<G: Graph>(
    graph: &G,
    seeds: &[VertexId],
    parameters: &Parameters,
    result: &NeighborSample,
) -> Result<(), Mismatch> {
    let mut met = vec![false; graph.vertex_count()];
    let numbered = |&number: &u32| result.vertices[number as usize];
    let drawn = result.neighbors.iter().map(numbered);
    let mut first_seen: Vec<VertexId> = seeds.iter().copied().chain(drawn).collect();
    first_seen.retain(|&v| !std::mem::replace(&mut met[v as usize], true));
    compare_exact("vertex of a number", &result.vertices, &first_seen)?;
    let mut reader = match parameters.incoming {
        false => graph.reader(),
        true => graph.reverse_reader().expect("in-lists"),
    };
    for (hop, &wanted) in parameters.fan_out.iter().enumerate() {
        let targets = match hop {
            0 => 0..result.vertices_after[0],
            _ => result.vertices_after[hop - 1]..result.vertices_after[hop],
        };
        let edges = result.edges_after[hop]..result.edges_after[hop + 1];
        for target in targets {
            let u = result.vertices[target];
            let mut list = Vec::new();
            for_each_weighted(&mut reader, u, |v, weight| {
                if !parameters.weighted || weight > 0.0 {
                    list.push(v);
                }
            });
            let replace = parameters.replace && wanted != u32::MAX;
            let expected = match (replace, list.len()) {
                (true, 1..) => wanted as usize,
                (_, len) => len.min(wanted as usize),
            };
            let mut found = 0;
            for edge in edges.clone() {
                if result.targets[edge] as usize != target {
                    continue;
                }
                found += 1;
                let neighbor = result.vertices[result.neighbors[edge] as usize];
                let at = list.iter().position(|&v| v == neighbor).ok_or(Mismatch {
                    vertex: u,
                    what: "sampled neighbor",
                    found: f64::from(neighbor),
                    expected: f64::NAN,
                })?;
                if !replace {
                    list.swap_remove(at);
                }
            }
            if found != expected {
                return Err(Mismatch {
                    vertex: u,
                    what: "number of sampled neighbors",
                    found: found as f64,
                    expected: expected as f64,
                });
            }
        }
    }
    Ok(())
}
