//! The vertices most alike to one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};
use rayon::prelude::*;

use super::{Measure, Scorer, Similarity, reference, run};
use crate::edge_map::{Lists, WeightedKernel, push_weighted};
use crate::error::check_source;
use crate::parallel::{CHUNK_ITEMS, HUB_DEGREE};
use crate::{Control, Mismatch, RunError};

/// One in the integers that worths are added as, so that sums do not depend on the
/// order of additions.
const FIXED_ONE: f64 = (1_u64 << 32) as f64;

/// The vertices most alike to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// The vertex that all are compared with.
    pub source: VertexId,
    /// Vertices, best first and of equal ones the smallest first, and their scores.
    pub best: Vec<(VertexId, f64)>,
    /// Other vertices that have a neighbor in common with the source.
    pub candidates: usize,
}

/// The `count` vertices with the highest scores among those that have a neighbor in
/// common with `source`, without itself.
///
/// # Errors
/// As [`run`]; and if the graph keeps only out-lists.
pub fn top<G: Graph>(
    graph: &G,
    source: VertexId,
    count: usize,
    measure: Measure,
    control: &Control,
) -> Result<Top, RunError> {
    check_source(graph, source)?;
    let scorer = Scorer::new(graph, measure)?;
    let incoming = Lists::incoming(graph).ok_or(RunError::NeedsInLists)?;
    let mut neighbors = Vec::new();
    graph.reader().neighbors_into(source, &mut neighbors);
    let mut worths = control.array(0, graph.vertex_count())?;
    for neighbors in neighbors.chunks(HUB_DEGREE) {
        control.check()?;
        for &w in neighbors {
            worths[w as usize] = (scorer.worth(w) * FIXED_ONE) as u64;
        }
    }
    let collect = Collect {
        worths,
        sums: std::iter::repeat_with(AtomicU64::default)
            .take(graph.vertex_count())
            .collect(),
        source,
    };
    let candidates = push_weighted(incoming, &neighbors, &collect, control)?;
    control.report("phases", 1, Some(2));
    let degree = neighbors.len();
    let mut rated: Vec<(VertexId, f64)> = candidates
        .par_chunks(CHUNK_ITEMS)
        .flat_map_iter(|candidates| {
            let mut reader = graph.reader();
            let scorer = &scorer;
            let sums = &collect.sums;
            candidates.iter().map(move |&v| {
                let common = sums[v as usize].load(Relaxed) as f64 / FIXED_ONE;
                (v, scorer.combine(common, degree, reader.degree(v)))
            })
        })
        .collect();
    rated.par_sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    rated.truncate(count);
    let pairs: Vec<_> = rated.iter().map(|&(v, _)| (source, v)).collect();
    let Similarity { scores } = run(graph, &pairs, measure, control)?;
    let mut best: Vec<_> = pairs.iter().map(|pair| pair.1).zip(scores).collect();
    best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(Top {
        source,
        best,
        candidates: candidates.len(),
    })
}

/// A neighbor of the source tells what it is worth to those that have it too.
struct Collect {
    /// Of the source's neighbors.
    worths: Vec<u64>,
    /// Above 0 where there is a common neighbor, as it is one of two vertices then.
    sums: Vec<AtomicU64>,
    source: VertexId,
}

impl WeightedKernel for Collect {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        v != self.source
    }

    #[inline]
    fn push(&self, w: VertexId, v: VertexId, _: Weight) -> bool {
        self.sums[v as usize].fetch_add(self.worths[w as usize], Relaxed) == 0
    }
}

/// Checks the scores against [`reference()`], their order, and that no other vertex
/// with a neighbor in common has a higher one.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify_top<G: Graph>(
    graph: &G,
    count: usize,
    measure: Measure,
    result: &Top,
) -> Result<(), Mismatch> {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs() + 1e-12;
    let mut others: Vec<(VertexId, f64)> = (0..graph.vertex_count() as VertexId)
        .filter(|&v| {
            let common = || reference(graph, result.source, v, Measure::CommonNeighbors);
            v != result.source && common() > 0.0
        })
        .map(|v| (v, reference(graph, result.source, v, measure)))
        .collect();
    let complain = |vertex, what, found: f64, expected: f64| {
        Err(Mismatch {
            vertex,
            what,
            found,
            expected,
        })
    };
    let (found, all) = (result.candidates as f64, others.len() as f64);
    if found != all {
        return complain(result.source, "number of candidates", found, all);
    }
    others.sort_by(|a, b| b.1.total_cmp(&a.1));
    let expected = &others[..count.min(others.len())];
    if result.best.len() != expected.len() {
        let (found, expected) = (result.best.len() as f64, expected.len() as f64);
        return complain(result.source, "number of vertices", found, expected);
    }
    for (&(v, score), &(_, by_rank)) in result.best.iter().zip(expected) {
        let own = reference(graph, result.source, v, measure);
        if !near(score, own) {
            return complain(v, "score", score, own);
        }
        if !near(score, by_rank) {
            return complain(v, "score at its rank", score, by_rank);
        }
    }
    Ok(())
}
