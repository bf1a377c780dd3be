//! Best paths from one source, settled bin by bin: what delta-stepping, weighted
//! breadth-first search and widest paths have in common.
//!
//! A label says how good the best path to a vertex is that was found so far;
//! smaller is better, and an edge never improves a label that it extends. Labels
//! are cut into [`bins`]. The vertices of the first bin are expanded until it
//! stays empty: their labels are then final, as nothing behind leads back.
//!
//! Work O(m) and what vertices cost that are expanded more than once within a
//! bin; 2n words of DRAM of 8 bytes, and at most 3n for the bins. Labels are the same for any
//! number of threads: those of the best paths.
//! Sources: Meyer and Sanders, "Δ-stepping", Journal of Algorithms 2003;
//! Dhulipala, Blelloch and Shun, "Julienne", SPAA 2017 (open bins and the rest).

mod bins;
mod search;

use std::sync::atomic::AtomicU64;

use evergraph_graph::{Graph, VertexId, Weight};

use crate::{Control, RunError};
use bins::{Bins, Place};
pub(crate) use search::Progress;
use search::Search;

/// How paths are labelled.
pub(crate) trait Labels: Sync {
    /// The label of a vertex without a path; above all others.
    const UNREACHED: u64;
    /// The weights that [`Labels::extend`] takes, in words.
    const WEIGHTS: &'static str;

    /// Whether [`Labels::extend`] takes `weight`.
    fn takes(weight: Weight) -> bool;

    /// The label of a path of this label and one more edge, not below it; any
    /// number for a weight that it does not take.
    fn extend(&self, label: u64, weight: Weight) -> u64;

    /// The bin of a label; never falls as labels rise.
    fn bin(&self, label: u64) -> u64;

    /// Is told that the path over `u` became the best to `v`.
    fn improved(&self, _u: VertexId, _v: VertexId) {}
}

/// The labels of the best paths to all vertices; `first` is that of the path
/// without edges.
pub(crate) fn settle<G: Graph, L: Labels>(
    graph: &G,
    source: VertexId,
    first: u64,
    labels: &L,
    control: &Control,
) -> Result<Vec<u64>, RunError> {
    let mut search = Search::new(graph, source, first, labels, control)?;
    let mut progress = search.resume(control)?;
    let waiting = match progress.rounds {
        0 => vec![source],
        _ => search.waiting(),
    };
    let mut bins = Bins::new(waiting, graph.vertex_count());
    let mut improved = Vec::new();
    while let Some((place, frontier)) = bins.next(|v| search.pending(v)) {
        progress.rounds += 1;
        progress.expanded += search.expand(&frontier, place, &mut improved, control)?;
        drop(frontier);
        search.end_round(&improved);
        search.put(&improved, place, &mut bins.slots);
        improved.clear();
        control.report("expanded vertices", progress.expanded, None);
        search.offer(&progress, control)?;
    }
    Ok(search.into_labels())
}

/// As [`settle`], with all labels in one bin, so that edges may improve the
/// labels that they extend. After each round `revise` is told how far the search is
/// and the vertices that come next, each once; it may lower labels and add vertices.
pub(crate) fn settle_in_rounds<G: Graph, L: Labels>(
    graph: &G,
    source: VertexId,
    first: u64,
    labels: &L,
    mut revise: impl FnMut(&Progress, &[AtomicU64], &mut Vec<VertexId>) -> Result<(), RunError>,
    control: &Control,
) -> Result<Vec<u64>, RunError> {
    let mut search = Search::new(graph, source, first, labels, control)?;
    let mut progress = search.resume(control)?;
    let mut frontier = match progress.rounds {
        0 => vec![source],
        _ => search.waiting(),
    };
    while !frontier.is_empty() {
        let mut next = Vec::new();
        progress.rounds += 1;
        progress.expanded += search.expand(&frontier, Place::ONLY, &mut next, control)?;
        search.end_round(&next);
        control.report("expanded vertices", progress.expanded, None);
        frontier = next;
        revise(&progress, search.labels_now(), &mut frontier)?;
        search.offer(&progress, control)?;
    }
    Ok(search.into_labels())
}
