//! How alike the neighborhoods of two vertices are.
//!
//! [`run`] scores given pairs: the shorter list is copied, and the longer one passes
//! by it in its segments, by steps that double where it is much longer. [`top`] finds
//! the vertices most alike to one: each vertex that has a neighbor in common collects
//! what that neighbor is worth, and the best are scored as pairs.
//!
//! Neighbors are out-neighbors; a common neighbor's degree, for Adamic and Adar, is
//! the number of vertices that have it as neighbor. Needs sorted simple lists.
//!
//! Work of a pair: the shorter degree times the logarithm of the longer, or their sum
//! where that is less; DRAM the shorter degree a task. Work of the top: the degrees of
//! the neighbors; DRAM 4n words of 4 bytes and 16 bytes for each vertex with a
//! neighbor in common. Pairs are shared among tasks, as are the neighbors' lists.
//!
//! Deterministic: the same for any number of threads, on every layout.
//! Sources: Liben-Nowell and Kleinberg, "The Link-Prediction Problem for Social
//! Networks", 2007; Adamic and Adar, "Friends and Neighbors on the Web", 2003.

mod intersection;
mod top;

use std::collections::BTreeSet;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use self::intersection::for_each_common;
pub use self::top::{Top, top, verify_top};
use crate::edge_map::Lists;
use crate::error::{check_source, compare_near};
use crate::parallel::CHUNK_LISTED;
use crate::{Cancelled, Control, Mismatch, RunError};

/// Measure of the similarity of two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How many neighbors they have in common.
    CommonNeighbors,
    /// That, divided by how many neighbors they have together; 0 if none.
    Jaccard,
    /// That, divided by the geometric mean of their degrees; 0 if that is 0.
    Cosine,
    /// For each common neighbor 1 / ln(its degree); a neighbor of only one vertex,
    /// which that has in common with itself, is worth nothing.
    AdamicAdar,
    /// The product of their degrees.
    PreferentialAttachment,
}

/// The scores of some pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    /// In the order of the pairs.
    pub scores: Vec<f64>,
}

/// The scores of `pairs`.
///
/// # Errors
/// If the lists are not sorted and simple, a vertex is out of range, degrees of common
/// neighbors are wanted of a directed graph without in-lists, or `control` ends the
/// run.
pub fn run<G: Graph>(
    graph: &G,
    pairs: &[(VertexId, VertexId)],
    measure: Measure,
    control: &Control,
) -> Result<Similarity, RunError> {
    let scorer = Scorer::new(graph, measure)?;
    for &(u, v) in pairs {
        check_source(graph, u)?;
        check_source(graph, v)?;
    }
    let chunks: Vec<Vec<f64>> = pairs
        .par_chunks(CHUNK_LISTED)
        .map_init(Vec::new, |buffer, pairs| {
            let scores = pairs
                .iter()
                .map(|&(u, v)| scorer.score(u, v, buffer, control));
            scores.collect()
        })
        .collect::<Result<_, Cancelled>>()?;
    control.report("pairs", pairs.len() as u64, Some(pairs.len() as u64));
    Ok(Similarity {
        scores: chunks.concat(),
    })
}

/// Scores pairs by one measure.
struct Scorer<'g, G> {
    graph: &'g G,
    /// Lists of the vertices that have a vertex in theirs: degrees of common neighbors
    /// come from them.
    incoming: Option<Lists<'g, G>>,
    measure: Measure,
}

impl<'g, G: Graph> Scorer<'g, G> {
    fn new(graph: &'g G, measure: Measure) -> Result<Self, RunError> {
        if !(graph.is_sorted() && graph.is_simple()) {
            return Err(RunError::NeedsSorted);
        }
        let incoming = Lists::incoming(graph);
        if measure == Measure::AdamicAdar && incoming.is_none() {
            return Err(RunError::NeedsInLists);
        }
        Ok(Self {
            graph,
            incoming,
            measure,
        })
    }

    /// Contribution of a common neighbor to the score.
    fn worth(&self, common: VertexId) -> f64 {
        match (self.measure, &self.incoming) {
            (Measure::AdamicAdar, Some(lists)) => match lists.reader().degree(common) {
                0 | 1 => 0.0,
                degree => 1.0 / (degree as f64).ln(),
            },
            _ => 1.0,
        }
    }

    fn score(
        &self,
        u: VertexId,
        v: VertexId,
        buffer: &mut Vec<VertexId>,
        control: &Control,
    ) -> Result<f64, Cancelled> {
        control.check()?;
        let mut reader = self.graph.reader();
        let (a, b) = (reader.degree(u), reader.degree(v));
        let mut common = 0.0;
        if self.measure != Measure::PreferentialAttachment {
            let (shorter, longer) = if a <= b { (u, v) } else { (v, u) };
            buffer.clear();
            reader.neighbors_into(shorter, buffer);
            for_each_common(buffer, &mut reader, longer, control, |w| {
                common += self.worth(w);
            })?;
        }
        Ok(self.combine(common, a, b))
    }

    /// The score of two vertices with degrees `a` and `b`.
    fn combine(&self, common: f64, a: usize, b: usize) -> f64 {
        let (a, b) = (a as f64, b as f64);
        let ratio = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        match self.measure {
            Measure::CommonNeighbors | Measure::AdamicAdar => common,
            Measure::Jaccard => ratio(common, a + b - common),
            Measure::Cosine => ratio(common, (a * b).sqrt()),
            Measure::PreferentialAttachment => a * b,
        }
    }
}

/// The score of a pair by ordered sets; the reference implementation of [`run`]. Reads
/// the whole graph for the degrees of common neighbors.
///
/// # Panics
/// If a vertex is out of range.
pub fn reference<G: Graph>(graph: &G, u: VertexId, v: VertexId, measure: Measure) -> f64 {
    let mut reader = graph.reader();
    let mut set = |v| {
        let mut set = BTreeSet::new();
        reader.for_each_neighbor(v, |u| {
            set.insert(u);
        });
        set
    };
    let (a, b) = (set(u), set(v));
    let common: Vec<VertexId> = a.intersection(&b).copied().collect();
    match measure {
        Measure::CommonNeighbors => common.len() as f64,
        Measure::Jaccard => common.len() as f64 / (a.union(&b).count().max(1) as f64),
        Measure::Cosine if common.is_empty() => 0.0,
        Measure::Cosine => common.len() as f64 / (a.len() as f64).sqrt() / (b.len() as f64).sqrt(),
        Measure::PreferentialAttachment => a.len() as f64 * b.len() as f64,
        Measure::AdamicAdar => {
            let mut sum = 0.0;
            for &w in &common {
                let all = 0..graph.vertex_count() as VertexId;
                let degree = all.filter(|&x| set(x).contains(&w)).count();
                if degree > 1 {
                    sum += 1.0 / (degree as f64).ln();
                }
            }
            sum
        }
    }
}

/// Checks every score against [`reference()`], to 9 digits.
///
/// # Errors
/// The first vertex of the first pair that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    pairs: &[(VertexId, VertexId)],
    measure: Measure,
    result: &Similarity,
) -> Result<(), Mismatch> {
    let scores = pairs.iter().map(|&(u, v)| reference(graph, u, v, measure));
    let expected: Vec<f64> = scores.collect();
    compare_near("score", &result.scores, &expected, 1e-9, 1e-12).map_err(|mismatch| Mismatch {
        vertex: pairs[mismatch.vertex as usize].0,
        ..mismatch
    })
}
