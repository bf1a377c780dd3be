//! Which nodes a projection has, and what vertices stand for them.

use crate::dictionary::Names;
use crate::graph::error::GraphError;
use crate::graph::view::View;

/// No vertex stands for the node.
const ABSENT: u32 = u32::MAX;

/// The nodes of a projection, ascending by id.
pub(super) enum Members {
    /// The nodes `0..count`, each its own vertex.
    All {
        /// How many.
        count: usize,
    },
    /// Some of them.
    Some {
        /// The node of each vertex.
        nodes: Vec<u32>,
        /// The vertex of each node, or [`ABSENT`].
        vertices: Vec<u32>,
    },
}

impl Members {
    /// The nodes that have one of the labels, or all.
    pub fn of(view: &View, labels: &[String]) -> Result<Self, GraphError> {
        let codes: Vec<u32> = labels
            .iter()
            .filter_map(|label| view.dictionary().code(Names::Labels, label))
            .collect();
        let mut nodes = Vec::new();
        for node in view.nodes() {
            let node = node?;
            let has = |code: &u32| node.record().labels.binary_search(code).is_ok();
            if labels.is_empty() || codes.iter().any(has) {
                nodes.push(node.id().0);
            }
        }
        let bound = view.node_bound() as usize;
        if nodes.len() == bound {
            return Ok(Members::All { count: bound });
        }
        let mut vertices = vec![ABSENT; bound];
        for (vertex, &node) in nodes.iter().enumerate() {
            if let Some(place) = vertices.get_mut(node as usize) {
                *place = vertex as u32;
            }
        }
        Ok(Members::Some { nodes, vertices })
    }

    /// Whether every node is its own vertex.
    #[inline]
    pub fn are_all(&self) -> bool {
        matches!(self, Members::All { .. })
    }

    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Members::All { count } => *count,
            Members::Some { nodes, .. } => nodes.len(),
        }
    }

    /// The node of a vertex.
    #[inline]
    pub fn node(&self, vertex: u32) -> u32 {
        match self {
            Members::All { .. } => vertex,
            Members::Some { nodes, .. } => nodes[vertex as usize],
        }
    }

    /// The vertex of a node.
    #[inline]
    pub fn vertex(&self, node: u32) -> Option<u32> {
        match self {
            Members::All { count } => ((node as usize) < *count).then_some(node),
            Members::Some { vertices, .. } => {
                let vertex = *vertices.get(node as usize)?;
                (vertex != ABSENT).then_some(vertex)
            }
        }
    }
}
