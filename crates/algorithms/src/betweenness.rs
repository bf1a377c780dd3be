//! Betweenness: on how many shortest paths a vertex lies.
//!
//! Idea: a search from each source counts shortest paths level by level; then,
//! from the deepest level up, each vertex's dependency is the sum over its
//! successors of (paths to it / paths to the successor) · (1 + the successor's
//! dependency). Both are sums over a list of values that are 0 outside one
//! level, so a pull needs no test of membership and no atomic operation; only
//! small levels of the search push.
//!
//! For each source: work O(n + m), depth O(diameter · log n); DRAM 6n words.
//! Sources: Brandes, "A Faster Algorithm for Betweenness Centrality", 2001;
//! Dhulipala et al., "Sage", VLDB 2020, Table 1; directions after Beamer et al.

mod search;

use std::collections::VecDeque;

use evergraph_graph::{Column, Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::error::{check_source, compare_near};
use crate::parallel::CHUNK_ITEMS;
use crate::{Control, Mismatch, RunError, UNREACHED};

/// Divisor of the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normalization {
    /// Nothing: sums of dependencies.
    #[default]
    None,
    /// The largest score, if it is not 0 (as the GAP Benchmark Suite does).
    Maximum,
    /// The pairs of other vertices, as if all vertices were sources: sources times
    /// (n - 1)(n - 2) / n. The share of all shortest paths that lead over a vertex,
    /// estimated if the sources are a sample; as NetworkX normalizes.
    Pairs,
    /// The share of the vertices that are sources, and 2 in an undirected graph: the
    /// sum over all pairs of vertices, each once, estimated if the sources are a
    /// sample; as igraph and, unnormalized, NetworkX have it.
    AllPairs,
}

impl Normalization {
    /// Divisor of the scores of `graph` from so many sources; `None` for 1.
    fn divisor(self, graph: &impl Graph, sources: usize, max_score: f64) -> Option<f64> {
        let n = graph.vertex_count() as f64;
        let times_counted = match graph.stored_lists() {
            StoredLists::Undirected => 2.0,
            StoredLists::Out | StoredLists::Both => 1.0,
        };
        let divisor = match self {
            Normalization::None => return None,
            Normalization::Maximum => max_score,
            Normalization::Pairs => sources as f64 * (n - 1.0) * (n - 2.0) / n,
            Normalization::AllPairs => times_counted * sources as f64 / n,
        };
        (divisor > 0.0).then_some(divisor)
    }
}

/// The scores of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Betweenness {
    /// For each vertex the sum over the sources s and all vertices t of the share
    /// of the shortest s-t paths on which it lies, ends not counted. From all
    /// sources of an undirected graph, each pair counts twice.
    pub scores: Vec<f64>,
    /// Searches done.
    pub sources: usize,
    /// Vertices reached, summed over the searches.
    pub reached: u64,
    /// The deepest level of all searches.
    pub max_depth: u32,
    /// The largest score before normalization.
    pub max_score: f64,
}

/// The scores of paths from `sources` (each counts as often as it is given).
///
/// Sources that [`sample_vertices`](crate::sampling::sample_vertices) chose give an
/// estimate: scores times n / sources estimate those from all vertices.
///
/// Parallel edges are distinct paths. The result is the same for any number of
/// threads as long as no vertex has more than 2^53 shortest paths; path counts
/// beyond the range of `f64` are scaled, so scores stay finite unless the counts
/// in one level span a factor of 2^1000.
///
/// # Errors
/// If a source is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    sources: &[VertexId],
    normalization: Normalization,
    control: &Control,
) -> Result<Betweenness, RunError> {
    for &source in sources {
        check_source(graph, source)?;
    }
    let mut search = search::Search::new(graph, control)?;
    let mut result = Betweenness {
        scores: control.array(0.0, graph.vertex_count())?,
        sources: sources.len(),
        reached: 0,
        max_depth: 0,
        max_score: 0.0,
    };
    let mut first = 0;
    if let Some(mut saved) = control.saved() {
        first = saved.step as usize;
        result.scores = saved.take("scores", graph.vertex_count())?;
        let totals = saved.take::<u64>("totals", 2)?;
        (result.reached, result.max_depth) = (totals[0], totals[1] as u32);
    }
    let left = sources.get(first..).unwrap_or_default();
    for (done, &source) in (first as u64 + 1..).zip(left) {
        search.count_paths(source, control)?;
        search.sum_dependencies(control)?;
        result.reached += search.reached() as u64;
        result.max_depth = result.max_depth.max(search.max_depth());
        search.add_to(&mut result.scores);
        let totals = [result.reached, result.max_depth.into()];
        control.report("sources", done, Some(sources.len() as u64));
        control.offer(done, || {
            [
                ("scores", Column::F64(&result.scores)),
                ("totals", Column::U64(&totals)),
            ]
        })?;
    }
    result.max_score = result.scores.par_iter().copied().reduce(|| 0.0, f64::max);
    if let Some(divisor) = normalization.divisor(graph, sources.len(), result.max_score) {
        let scores = result.scores.par_iter_mut().with_min_len(CHUNK_ITEMS);
        scores.for_each(|score| *score /= divisor);
    }
    Ok(result)
}

/// Unnormalized scores by Brandes' sequential algorithm with lists of predecessors; the
/// reference implementation of [`run`]. Path counts must fit a `f64`.
///
/// # Panics
/// If a source is out of range.
pub fn reference<G: Graph>(graph: &G, sources: &[VertexId]) -> Vec<f64> {
    let n = graph.vertex_count();
    let mut scores = vec![0.0; n];
    let mut reader = graph.reader();
    for &source in sources {
        let mut depths = vec![UNREACHED; n];
        let mut paths = vec![0.0; n];
        let mut predecessors = vec![Vec::new(); n];
        let mut order = Vec::new();
        let mut queue = VecDeque::from([source]);
        depths[source as usize] = 0;
        paths[source as usize] = 1.0;
        while let Some(u) = queue.pop_front() {
            order.push(u);
            reader.for_each_neighbor(u, |v| {
                if depths[v as usize] == UNREACHED {
                    depths[v as usize] = depths[u as usize] + 1;
                    queue.push_back(v);
                }
                if depths[v as usize] == depths[u as usize] + 1 {
                    paths[v as usize] += paths[u as usize];
                    predecessors[v as usize].push(u);
                }
            });
        }
        let mut dependencies = vec![0.0; n];
        for &v in order.iter().rev() {
            let share = (1.0 + dependencies[v as usize]) / paths[v as usize];
            for &u in &predecessors[v as usize] {
                dependencies[u as usize] += paths[u as usize] * share;
            }
            if v != source {
                scores[v as usize] += dependencies[v as usize];
            }
        }
    }
    scores
}

/// Checks every score against [`reference()`], to 9 digits. Sequential, O(n + m) a
/// source.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    sources: &[VertexId],
    normalization: Normalization,
    result: &Betweenness,
) -> Result<(), Mismatch> {
    let mut expected = reference(graph, sources);
    let max = expected.iter().copied().fold(0.0, f64::max);
    if let Some(divisor) = normalization.divisor(graph, sources.len(), max) {
        expected.iter_mut().for_each(|score| *score /= divisor);
    }
    compare_near("score", &result.scores, &expected, 1e-9, 1e-12)
}
