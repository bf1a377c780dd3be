//! Choice of the edges of hot vertices that are worth fast memory, too.
//!
//! NVGraph, section III-C, step 2: of each hot vertex a few edges, drawn by the
//! centrality of their targets; of these the ones within communities. The section
//! takes edges with many common neighbors for important, and then keeps those with a
//! large *inverse* of the Jaccard coefficient, which is small for them. Both are here;
//! `docs/placement.md` says what each is worth.

use std::cmp::Reverse;

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId};

use crate::sampling::RandomOrder;
use crate::similarity::{self, Measure};
use crate::{Control, RunError};

/// An edge by its ends.
pub type Edge = (VertexId, VertexId);

/// By what drawn edges are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Those with the largest Jaccard coefficient of their ends' neighborhoods.
    #[default]
    Jaccard,
    /// Those with the smallest, as the paper's formula has it.
    InverseJaccard,
    /// Any of them.
    Chance,
}

/// Parameters of the choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Edges drawn of each hot vertex, at most.
    pub drawn: usize,
    /// The share of the drawn edges that is kept, from 0 to 1.
    pub kept: f64,
    /// Edges that are kept.
    pub keep: Keep,
    /// Chooses the draws.
    pub seed: u64,
}

/// Edges of the vertices `hot`, the first to be kept first; `scores` are the
/// centralities of all vertices.
///
/// Work of the hot vertices' lists, and of a similarity of each drawn edge.
/// Deterministic for a seed.
///
/// # Errors
/// If the lists are not sorted and simple, or `control` ends the run.
pub fn choose<G: Graph>(
    graph: &G,
    hot: &[VertexId],
    scores: &[f64],
    parameters: &Parameters,
    control: &Control,
) -> Result<Vec<Edge>, RunError> {
    let drawn = draw(graph, hot, scores, parameters, control)?;
    let kept = (parameters.kept.clamp(0.0, 1.0) * drawn.len() as f64).round() as usize;
    let jaccard = similarity::run(graph, &drawn, Measure::Jaccard, control)?.scores;
    let by_chance = RandomOrder::new(drawn.len(), parameters.seed);
    let order = (0..drawn.len()).map(|at| by_chance.vertex_at(at) as usize);
    let mut order: Vec<usize> = order.collect();
    match parameters.keep {
        Keep::Jaccard => order.sort_by(|&a, &b| jaccard[b].total_cmp(&jaccard[a])),
        Keep::InverseJaccard => order.sort_by(|&a, &b| jaccard[a].total_cmp(&jaccard[b])),
        Keep::Chance => {}
    }
    order.truncate(kept);
    Ok(order.into_iter().map(|at| drawn[at]).collect())
}

/// A few edges of each hot vertex, each as likely to be drawn next as its target is
/// central (Efraimidis and Spirakis, 2006).
fn draw<G: Graph>(
    graph: &G,
    hot: &[VertexId],
    scores: &[f64],
    parameters: &Parameters,
    control: &Control,
) -> Result<Vec<Edge>, RunError> {
    let mut edges = Vec::new();
    for &u in hot {
        control.check()?;
        let mut random = Random::stream(parameters.seed, u.into());
        let mut keys: Vec<(Reverse<u64>, VertexId)> = Vec::new();
        graph.reader().for_each_neighbor(u, |v| {
            // Exponential waiting times; what has no score waits for ever.
            let waits = -(1.0 - random.next_f64()).ln() / scores[v as usize];
            keys.push((Reverse(waits.to_bits()), v));
        });
        keys.sort_unstable_by(|a, b| b.cmp(a));
        keys.truncate(parameters.drawn);
        edges.extend(keys.into_iter().map(|(_, v)| (u, v)));
    }
    Ok(edges)
}
