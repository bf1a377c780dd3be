//! A minimum spanning forest: of all spanning forests one whose edges weigh least
//! together.
//!
//! Idea: some of the lightest edges, about one for each vertex, are collected
//! first, and their forest is found; it joins most vertices. Of the heavier edges
//! only those between different trees are collected then. Whenever there is no
//! room for more edges, those collected are reduced to their forest, as no other
//! of them can be in the result. The forest of collected edges is found by
//! sorting them and Borůvka's rounds: each tree takes its first edge to another.
//!
//! Work O(m log n), mostly two passes over the graph and sorting some n edges;
//! depth O(m / n · log² n); 10n words (of 8 bytes) of DRAM. Deterministic: of
//! equal weights the edge with the smaller ends is lighter. Self-loops change
//! nothing; of parallel edges the lightest counts. Graphs without weights read
//! as weight 1.
//! Sources: Borůvka 1926; Osipov, Sanders and Singler, "The Filter-Kruskal
//! Minimum Spanning Tree Algorithm", ALENEX 2009 (light edges first); Dhulipala,
//! Blelloch and Shun, "Theoretically Efficient Parallel Graph Algorithms Can Be
//! Fast and Scalable", SPAA 2018.

mod candidates;
mod collect;

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};
use rayon::prelude::*;

use crate::error::{check_undirected, mismatch};
use crate::forest::{Forest, SequentialForest};
use crate::{Control, Mismatch, RunError};
use candidates::Candidate;
use collect::{Collector, light_limit};

/// A minimum spanning forest of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct MinimumSpanningForest {
    /// Its edges with their weights, the smaller end first, ascending by ends.
    pub edges: Vec<(VertexId, VertexId, Weight)>,
    /// The sum of their weights.
    pub weight: f64,
    /// Its trees: the components of the graph, isolated vertices included.
    pub components: usize,
}

/// The minimum spanning forest of `graph`. Weights may be negative.
///
/// # Errors
/// If `graph` is directed, a weight is not a finite number, or `control` ends the
/// run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<MinimumSpanningForest, RunError> {
    check_undirected(graph)?;
    let forest = Forest::new(graph.vertex_count(), control)?;
    let limit = light_limit(graph);
    let light = |candidate: &Candidate| candidate.key() <= limit;
    let mut chosen = Collector::new(graph, &forest, control)?.forest_of(light)?;
    control.report("phases", 1, Some(2));
    if limit < u32::MAX {
        let heavy = |candidate: &Candidate| {
            let (u, v) = candidate.ends();
            candidate.key() > limit && forest.parent(u) != forest.parent(v)
        };
        chosen.append(&mut Collector::new(graph, &forest, control)?.forest_of(heavy)?);
    }
    control.report("phases", 2, Some(2));
    Ok(result(graph, chosen))
}

fn result(graph: &impl Graph, mut chosen: Vec<Candidate>) -> MinimumSpanningForest {
    chosen.par_sort_unstable_by_key(Candidate::ends);
    let edges: Vec<_> = chosen
        .into_iter()
        .map(|candidate| {
            let (u, v) = candidate.ends();
            (u, v, candidate.weight())
        })
        .collect();
    let weights = edges.iter().map(|&(_, _, weight)| f64::from(weight));
    MinimumSpanningForest {
        // The sum of no numbers would be -0.
        weight: weights.fold(0.0, |sum, weight| sum + weight),
        components: graph.vertex_count() - edges.len(),
        edges,
    }
}

/// The forest by one sort of all edges, of which each is taken unless it closes a cycle;
/// the reference implementation of [`run`]. Copies the edges.
///
/// Source: Kruskal, "On the Shortest Spanning Subtree of a Graph and the Traveling
/// Salesman Problem", 1956.
pub fn reference<G: Graph>(graph: &G) -> Vec<(VertexId, VertexId, Weight)> {
    let n = graph.vertex_count();
    let mut edges = Vec::new();
    let mut reader = graph.reader();
    for u in 0..n as VertexId {
        let _ = reader.for_each_weighted_segment(u, |list, weights| {
            for (at, &v) in list.iter().enumerate() {
                if u < v {
                    edges.push((u, v, weights.get(at).map_or(1.0, |&weight| weight)));
                }
            }
            std::ops::ControlFlow::Continue(())
        });
    }
    let lighter = |a: &(u32, u32, f32), b: &(u32, u32, f32)| {
        let ends = (a.0, a.1).cmp(&(b.0, b.1));
        a.2.partial_cmp(&b.2)
            .unwrap_or(std::cmp::Ordering::Equal)
            .then(ends)
    };
    edges.sort_unstable_by(lighter);
    let mut forest = SequentialForest::new(n);
    edges.retain(|&(u, v, _)| forest.link(u, v));
    edges.sort_unstable_by_key(|&(u, v, _)| (u, v));
    edges
}

/// Checks every edge against [`reference()`], and what follows from them.
/// Sequential, O(m log m) and a copy of the edges.
///
/// # Errors
/// The smaller end of the first edge that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &MinimumSpanningForest) -> Result<(), Mismatch> {
    let expected = reference(graph);
    let wrong = result.edges.iter().zip(&expected).find(|(a, b)| a != b);
    if let Some((&(u, v, weight), &(from, to, best))) = wrong {
        return Err(match (u, v) == (from, to) {
            true => mismatch(u, "weight of an edge", f64::from(weight), f64::from(best)),
            false => mismatch(u.min(from), "larger end", f64::from(v), f64::from(to)),
        });
    }
    let weight: f64 = expected
        .iter()
        .map(|&(_, _, weight)| f64::from(weight))
        .sum();
    let trees = graph.vertex_count() - expected.len();
    for (what, found, expected) in [
        ("edges", result.edges.len() as f64, expected.len() as f64),
        ("total weight", result.weight, weight),
        ("trees", result.components as f64, trees as f64),
    ] {
        if found != expected {
            return Err(mismatch(0, what, found, expected));
        }
    }
    Ok(())
}
