//! Influence maximization: the k vertices from which a cascade reaches most.
//!
//! In the independent cascade model a vertex that is reached has one chance, for
//! each entry of its list, to reach the neighbor: with a probability that follows
//! from the neighbor's in-degree, is the edge's weight, or is the same everywhere.
//! The spread of a set of seeds is the mean number of vertices reached, the seeds
//! included. To find the best k is NP-hard; both methods come as near as
//! 1 − 1/e − ε of the largest spread, and usually nearer.
//!
//! [`Method::Greedy`], the reference: adds the vertex that adds most, in a common set
//! of random worlds, lazily (CELF). Work O(n + m) a world before the first seed, and
//! a cascade in each world for every vertex that is asked. DRAM 5n words of 8 bytes,
//! n bits a world, and 3n words a thread.
//! [`Method::Imm`], the fast one: sketches, so many that the bound holds with
//! probability 1 − 1/n, and the seeds that are in most of them. Work O((k + 1)
//! (n + m) ln n / ε²) expected. DRAM 2n words, the sketches, and 3n words a thread.
//!
//! The spread of the result is estimated by cascades of their own in the end.
//! Deterministic for a seed, any number of threads, and any one order of the lists.
//! A self-loop passes nothing on; parallel edges are as many chances.
//! Sources: Kempe, Kleinberg and Tardos, KDD 2003 (model, greedy); Leskovec et al.,
//! KDD 2007 (CELF); Tang, Shi and Xiao, "Influence Maximization in Near-Linear Time:
//! A Martingale Approach", SIGMOD 2015 (IMM); Chen, "An Issue in the Martingale
//! Analysis of the Influence Maximization Algorithm IMM", 2018 (the corrected bound).

mod cascades;
mod chances;
mod greedy;
mod imm;
mod reference;
mod sketches;

use evergraph_graph::{Graph, VertexId};

use crate::{Control, RunError};
use chances::Chances;
pub use reference::{exact_spread, plain_greedy, verify};

/// With what probability an edge from u to v passes a cascade on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Probabilities {
    /// 1 / in-degree of v, entries counted as often as they are stored.
    #[default]
    WeightedCascade,
    /// The edge's weight, from 0 to 1; 1 in a graph without.
    Weights,
    /// The same everywhere.
    Uniform(f64),
}

/// How seeds are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// One by one, each the best in the random worlds. For fewer than 2^31 vertices.
    Greedy,
    /// By sketches.
    Imm {
        /// How far from 1 − 1/e of the largest spread the result may be; above 0
        /// and below 1. Work and sketches grow with 1/ε².
        epsilon: f64,
        /// Bytes that sketches may take.
        sketch_bytes: u64,
    },
}

/// Parameters of the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How many, from 1 to the number of vertices.
    pub seeds: usize,
    /// The chances of edges.
    pub probabilities: Probabilities,
    /// How they are found.
    pub method: Method,
    /// Random worlds: of greedy, and of the estimate in the end. From 2 on.
    pub simulations: usize,
    /// Chooses the worlds and sketches.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            seeds: 50,
            probabilities: Probabilities::default(),
            method: Method::Imm {
                epsilon: 0.3,
                sketch_bytes: 1 << 29,
            },
            simulations: 1000,
            seed: 0,
        }
    }
}

/// An estimate of a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean number of vertices reached.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl Spread {
    /// Of the sizes of at least two cascades. Sums are whole numbers, so exact.
    fn of(sizes: &[u32]) -> Self {
        let count = sizes.len() as f64;
        let sum: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        let mean = sum as f64 / count;
        let squares = sizes.iter().map(|&size| (f64::from(size) - mean).powi(2));
        let variance = squares.sum::<f64>() / (count - 1.0);
        Self {
            mean,
            standard_error: (variance / count).sqrt(),
        }
    }
}

/// Seeds and what they reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The seeds in the order in which they were chosen, each with the spread that
    /// it adds to those before, as the method estimates it.
    pub seeds: Vec<(VertexId, f64)>,
    /// Spread of all seeds, estimated independently of the method.
    pub spread: Spread,
    /// Sketches drawn; 0 of greedy, and of a graph of one vertex.
    pub sketches: u64,
}

/// The seeds that `parameters` ask for.
///
/// # Errors
/// If the graph keeps only out-lists, there are fewer vertices than seeds wanted, or too
/// many for greedy, a parameter or a weight that counts is out of range, sketches take
/// more than they may or are too many, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Influence, RunError> {
    check(graph, parameters)?;
    let chances = Chances::new(graph, parameters.probabilities, control)?;
    let (k, worlds, seed) = (parameters.seeds, parameters.simulations, parameters.seed);
    let (seeds, sketches) = match parameters.method {
        Method::Greedy => (greedy::choose(&chances, k, worlds, seed, control)?, 0),
        Method::Imm {
            epsilon,
            sketch_bytes,
        } => imm::choose(&chances, k, epsilon, seed, sketch_bytes, control)?,
    };
    let vertices: Vec<VertexId> = seeds.iter().map(|&(v, _)| v).collect();
    // Other worlds than those in which the seeds are good.
    let spread = cascades::estimate(&chances, &vertices, worlds, !seed, control)?;
    Ok(Influence {
        seeds,
        spread,
        sketches,
    })
}

fn check(graph: &impl Graph, parameters: &Parameters) -> Result<(), RunError> {
    let out_of_range = |name, value, expected| {
        Err(RunError::InvalidParameter {
            name,
            value,
            expected,
        })
    };
    if parameters.seeds == 0 {
        return out_of_range("seeds", 0.0, "at least 1");
    }
    if parameters.seeds > graph.vertex_count() {
        return Err(RunError::TooFewVertices {
            what: "seeds",
            wanted: parameters.seeds,
            available: graph.vertex_count(),
        });
    }
    if parameters.simulations < 2 {
        return out_of_range("simulations", parameters.simulations as f64, "at least 2");
    }
    match parameters.method {
        Method::Greedy if graph.vertex_count() > greedy::MOST_VERTICES => {
            Err(RunError::TooManyVertices {
                limit: greedy::MOST_VERTICES,
                vertex_count: graph.vertex_count(),
            })
        }
        Method::Imm { epsilon, .. } if !(epsilon > 0.0 && epsilon < 1.0) => {
            out_of_range("epsilon", epsilon, "above 0 and below 1")
        }
        _ => Ok(()),
    }
}
