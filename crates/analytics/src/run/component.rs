//! The largest weakly connected component, where a run reads nothing else.

use std::sync::Arc;

use evergraph_algorithms::{Control, connected_components};
use evergraph_graph::{Graph, Induced, Subset};

use super::algorithm::Size;
use super::find;
use super::graph::AnyGraph;
use super::stopped::{cancelled, stopped_by};
use crate::Error;

/// The largest weakly connected component of a graph.
pub(super) struct Component {
    pub(super) subset: Subset,
    pub(super) arcs: u64,
}

/// DRAM that [`Component::of`] takes at most.
pub(super) fn most_bytes(size: Size, threads: usize) -> Result<u64, Error> {
    let components = find("connected-components")?;
    let given = components.parse(&[])?;
    let labels = components.dram.bytes(&given, size, threads);
    // Sizes of components, the subset and its inverse.
    Ok(labels + 12 * size.vertices)
}

/// Vertices of the largest weakly connected component; of several as large that of the
/// first vertex.
///
/// # Errors
/// If `control` ends it.
pub fn largest_component(graph: &AnyGraph<'_>, control: &Control<'_>) -> Result<Subset, Error> {
    let found = connected_components::run(graph, control);
    let found = found.map_err(|error| stopped_by(|vertex| vertex.to_string(), error))?;
    let mut sizes = vec![0_u32; found.labels.len()];
    for &label in &found.labels {
        sizes[label as usize] += 1;
    }
    let largest = sizes
        .iter()
        .position(|&size| size as usize == found.largest);
    let is_member = |vertex: u32| Some(found.labels[vertex as usize] as usize) == largest;
    Ok(Subset::of(graph.vertex_count(), is_member))
}

impl Component {
    /// That of `graph`; of several as large the one with the first vertex. Runs in the
    /// caller's thread pool.
    ///
    /// # Errors
    /// If `control` ends it.
    pub(super) fn of(graph: &AnyGraph<'_>, control: &Control<'_>) -> Result<Self, Error> {
        let subset = largest_component(graph, control)?;
        control.check().map_err(cancelled)?;
        let arcs = Induced::of(graph, &subset).arc_count();
        Ok(Component { subset, arcs })
    }

    /// The nodes, of vertices that stand for `nodes`, or are nodes themselves.
    pub(super) fn nodes(&self, nodes: Option<&Arc<[u32]>>) -> Arc<[u32]> {
        let vertices = self.subset.vertices();
        match nodes {
            None => Arc::clone(vertices),
            Some(nodes) => vertices.iter().map(|&v| nodes[v as usize]).collect(),
        }
    }
}
