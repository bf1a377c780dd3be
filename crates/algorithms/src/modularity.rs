//! Modularity of given communities: how much more weight lies inside them than a
//! random graph with the same degrees would have there.
//!
//! With A the weights of the list entries, k the sums of its rows and M the sum of
//! all: the sum over all communities C of A(C, C) / M − γ (k(C) / M)². A self-loop
//! counts as often as its list has it, as does each of parallel edges. 0 without
//! edges.
//!
//! Work O(n + m) in parallel, DRAM 5n words of 4 bytes. The same for any number of
//! threads.
//! Sources: Newman and Girvan, 2004; Reichardt and Bornholdt, 2006 (resolution γ).

use std::collections::HashMap;
use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId};

use crate::clustering::{Level, Objective, Partition, check, modularity, strengths};
use crate::{Control, Mismatch, RunError};

/// The modularity of the communities `labels`, one a vertex, each the number of a
/// vertex.
///
/// # Errors
/// If the graph is not undirected, a weight is negative or not finite, the labels are
/// not one a vertex and below the vertex count, the resolution is out of range, or
/// `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    labels: &[VertexId],
    resolution: f64,
    control: &Control,
) -> Result<f64, RunError> {
    check(graph, resolution)?;
    let n = graph.vertex_count();
    if labels.len() != n {
        return Err(RunError::InvalidParameter {
            name: "labels",
            value: labels.len() as f64,
            expected: "as many as vertices",
        });
    }
    if let Some(&label) = labels.iter().find(|&&label| label as usize >= n) {
        return Err(RunError::InvalidParameter {
            name: "labels",
            value: label.into(),
            expected: "numbers of vertices",
        });
    }
    let strengths = strengths(graph, control)?;
    let objective = Objective::new(&strengths, resolution, control);
    let partition = Partition::new(labels.to_vec(), &strengths, control)?;
    Ok(modularity(&Level::Graph(graph), &partition, &objective)?)
}

/// The weights that a verifier looks at.
struct Weights {
    /// Of each vertex.
    strengths: Vec<f64>,
    /// Of each community.
    totals: Vec<f64>,
    /// Of each pair of neighboring communities, and inside each.
    between: HashMap<(VertexId, VertexId), f64>,
    total: f64,
}

fn weights<G: Graph>(graph: &G, labels: &[VertexId]) -> Weights {
    let n = labels.len();
    let mut weights = Weights {
        strengths: vec![0.0; n],
        totals: vec![0.0; n],
        between: HashMap::new(),
        total: 0.0,
    };
    let mut reader = graph.reader();
    for v in 0..n as VertexId {
        let own = labels[v as usize];
        for_each_arc(&mut reader, v, |u, weight| {
            weights.strengths[v as usize] += weight;
            weights.totals[own as usize] += weight;
            weights.total += weight;
            let pair = (own, labels[u as usize]);
            *weights.between.entry(pair).or_default() += weight;
        });
    }
    weights
}

pub(crate) fn for_each_arc(
    reader: &mut impl NeighborReader,
    v: VertexId,
    mut visit: impl FnMut(VertexId, f64),
) {
    let _ = reader.for_each_weighted_segment(v, |segment, weights| {
        for (at, &u) in segment.iter().enumerate() {
            visit(u, weights.get(at).map_or(1.0, |&weight| f64::from(weight)));
        }
        ControlFlow::Continue(())
    });
}

/// The modularity by the sum over pairs of neighboring communities; the reference
/// implementation of [`run`]. The labels must be below the vertex count.
pub fn reference<G: Graph>(graph: &G, labels: &[VertexId], resolution: f64) -> f64 {
    let weights = weights(graph, labels);
    if weights.total == 0.0 {
        return 0.0;
    }
    let inside = weights.between.iter().filter(|((a, b), _)| a == b);
    let inside: f64 = inside.map(|(_, weight)| weight).sum();
    let squares: f64 = weights.totals.iter().map(|total| total * total).sum();
    inside / weights.total - resolution * squares / weights.total.powi(2)
}

/// Checks that each label is the smallest vertex of its community, and the
/// modularity against [`reference()`].
pub(crate) fn verify<G: Graph>(
    graph: &G,
    resolution: f64,
    labels: &[VertexId],
    modularity: f64,
) -> Result<(), Mismatch> {
    assert_eq!(labels.len(), graph.vertex_count(), "one label a vertex");
    for (vertex, &label) in (0..).zip(labels) {
        if label > vertex || labels[label as usize] != label {
            return Err(Mismatch {
                vertex,
                what: "label, the smallest vertex of a community,",
                found: label.into(),
                expected: vertex.into(),
            });
        }
    }
    let expected = reference(graph, labels, resolution);
    if (modularity - expected).abs() <= 1e-9 * (1.0 + resolution) {
        return Ok(());
    }
    Err(Mismatch {
        vertex: 0,
        what: "modularity of the communities, the first of which",
        found: modularity,
        expected,
    })
}

/// The most that the modularity gains when two communities become one, and the
/// smaller of their labels; `None` without neighboring communities.
pub(crate) fn best_merge<G: Graph>(
    graph: &G,
    resolution: f64,
    labels: &[VertexId],
) -> Option<(VertexId, f64)> {
    let weights = weights(graph, labels);
    let gains = weights.between.iter().filter(|((a, b), _)| a < b);
    let gains = gains.map(|(&(a, b), weight)| {
        let expected = weights.totals[a as usize] * weights.totals[b as usize] / weights.total;
        (a, 2.0 * (weight - resolution * expected) / weights.total)
    });
    gains.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The most that the modularity gains when one vertex moves to a neighbor's
/// community or alone, and that vertex; `None` without edges.
pub(crate) fn best_move<G: Graph>(
    graph: &G,
    resolution: f64,
    labels: &[VertexId],
) -> Option<(VertexId, f64)> {
    let weights = weights(graph, labels);
    if weights.total == 0.0 {
        return None;
    }
    let mut reader = graph.reader();
    let mut best: Option<(VertexId, f64)> = None;
    for v in 0..labels.len() as VertexId {
        let own = labels[v as usize];
        let strength = weights.strengths[v as usize];
        let mut links = HashMap::from([(own, 0.0)]);
        for_each_arc(&mut reader, v, |u, weight| {
            if u != v {
                *links.entry(labels[u as usize]).or_default() += weight;
            }
        });
        let worth = |community: VertexId, link: f64| {
            let present = if community == own { strength } else { 0.0 };
            let total = weights.totals[community as usize] - present;
            link - resolution * strength * total / weights.total
        };
        let staying = worth(own, links[&own]);
        let going = links
            .iter()
            .map(|(&community, &link)| worth(community, link));
        let gain = 2.0 * (going.fold(0.0, f64::max) - staying) / weights.total;
        if best.is_none_or(|(_, most)| gain > most) {
            best = Some((v, gain));
        }
    }
    best
}
