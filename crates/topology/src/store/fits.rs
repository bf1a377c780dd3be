//! Whether edges and vertices are some that a store takes.

use crate::entry::MAX_VERTICES;
use crate::error::TopologyError;
use crate::record::{Edges, Op, Relationships};
use crate::store::config::Config;

/// Whether the edges and vertices of an operation are some that a store of this
/// configuration takes: of a commit, and of a log, which may be damaged.
pub(in crate::store) fn fits(config: &Config, op: &Op) -> Result<(), TopologyError> {
    match op {
        Op::Insert(edges) => validate_edges(config, edges, config.weighted),
        Op::Delete(edges) => validate_edges(config, edges, false),
        Op::InsertRelationships(some) | Op::DeleteRelationships(some) => {
            validate_relationships(config, some)
        }
        Op::Vertices(count) => check_vertex(count.saturating_sub(1)),
        _ => Ok(()),
    }
}

fn validate_edges(config: &Config, edges: &Edges, weighted: bool) -> Result<(), TopologyError> {
    if config.relationships {
        return Err(TopologyError::WrongGraphKind(
            "edges of this graph are relationships: give each a type and an id",
        ));
    }
    if edges.sources.len() != edges.targets.len() {
        return Err(TopologyError::Columns(
            "sources and targets differ in number",
        ));
    }
    if weighted == edges.weights.is_empty() && !edges.sources.is_empty() {
        return Err(TopologyError::Weights(if weighted {
            "this graph has weights: give each edge one"
        } else {
            "this graph has no weights"
        }));
    }
    if weighted && edges.weights.len() != edges.sources.len() {
        return Err(TopologyError::Weights("weights and edges differ in number"));
    }
    check_vertices(&edges.sources, &edges.targets)
}

fn validate_relationships(config: &Config, some: &Relationships) -> Result<(), TopologyError> {
    let count = some.sources.len();
    if !config.relationships {
        let problem = "edges of this graph have no types and no ids";
        return Err(TopologyError::WrongGraphKind(problem));
    }
    if some.targets.len() != count || some.ids.len() != count {
        let problem = "sources, targets and ids differ in number";
        return Err(TopologyError::Columns(problem));
    }
    check_vertices(&some.sources, &some.targets)
}

fn check_vertices(sources: &[u32], targets: &[u32]) -> Result<(), TopologyError> {
    // One column after the other, and `u32::max` for `Iterator::max`: so the
    // compiler uses vector instructions, and recovery does not wait for it.
    let largest = |ids: &[u32]| ids.iter().copied().fold(0, u32::max);
    check_vertex(u64::from(largest(sources).max(largest(targets))))
}

pub(in crate::store) fn check_vertex(id: u64) -> Result<(), TopologyError> {
    if id >= MAX_VERTICES {
        return Err(TopologyError::VertexOutOfRange {
            id,
            max: MAX_VERTICES - 1,
        });
    }
    Ok(())
}
