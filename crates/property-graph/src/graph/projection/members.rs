//! Nodes of a projection, and the vertices that stand for them.

use std::sync::Arc;

use rayon::prelude::*;

use super::condition::Condition;
use crate::dictionary::{LabelCode, Names};
use crate::expression::Expression;
use crate::graph::error::GraphError;
use crate::graph::view::View;

/// No vertex stands for the node.
const ABSENT: u32 = u32::MAX;

/// The nodes of a projection, ascending by id.
pub(super) enum Members {
    /// The nodes `0..count`, each its own vertex.
    All { count: usize },
    /// Some of them.
    Some {
        nodes: Arc<[u32]>,
        /// The vertex of each node, or [`ABSENT`].
        vertices: Vec<u32>,
    },
}

/// Choice of nodes.
struct Chosen<'e> {
    /// Nodes that have one of these labels; all if `None`.
    labels: Option<Vec<LabelCode>>,
    condition: Option<Condition<'e>>,
}

impl Members {
    /// DRAM that [`Members::of`] takes at most, of node ids below `bound`: the ids as
    /// they are found, those of all chunks together, and the way back.
    pub(super) fn most_bytes(bound: u32) -> u64 {
        3 * size_of::<u32>() as u64 * u64::from(bound)
    }

    /// The nodes that have one of the labels, if any are given, and for which the
    /// condition holds. Reads the chunks of the node table in parallel, and of their
    /// records the 32 bytes that hold the labels and the properties that the condition
    /// names.
    pub(super) fn of<E: From<GraphError> + Send>(
        view: &View,
        (labels, condition): (&[String], Option<&Expression>),
        check: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let chosen = Chosen::of(view, labels, condition);
        let chunks = view.core().state.nodes().chunk_count();
        let found: Vec<Vec<u32>> = (0..chunks)
            .into_par_iter()
            .map(|chunk| {
                check()?;
                Ok(chosen.in_chunk(view, chunk)?)
            })
            .collect::<Result<_, E>>()?;
        let bound = view.node_bound() as usize;
        if found.iter().map(Vec::len).sum::<usize>() == bound {
            return Ok(Members::All { count: bound });
        }
        let nodes: Arc<[u32]> = found.concat().into();
        let mut vertices = vec![ABSENT; bound];
        for (vertex, &node) in (0..).zip(&*nodes) {
            if let Some(place) = vertices.get_mut(node as usize) {
                *place = vertex;
            }
        }
        Ok(Members::Some { nodes, vertices })
    }

    pub(super) fn bytes(&self) -> u64 {
        let entries = match self {
            Members::All { .. } => 0,
            Members::Some { nodes, vertices } => nodes.len() + vertices.len(),
        };
        (entries * size_of::<u32>()) as u64
    }

    /// Whether every node is its own vertex.
    #[inline]
    pub(super) fn are_all(&self) -> bool {
        matches!(self, Members::All { .. })
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Members::All { count } => *count,
            Members::Some { nodes, .. } => nodes.len(),
        }
    }

    /// The node of each vertex; `None` if they are the same.
    pub(super) fn nodes(&self) -> Option<&Arc<[u32]>> {
        match self {
            Members::All { .. } => None,
            Members::Some { nodes, .. } => Some(nodes),
        }
    }

    /// The node of a vertex.
    #[inline]
    pub(super) fn node(&self, vertex: u32) -> u32 {
        match self {
            Members::All { .. } => vertex,
            Members::Some { nodes, .. } => nodes[vertex as usize],
        }
    }

    /// The vertex of a node.
    #[inline]
    pub(super) fn vertex(&self, node: u32) -> Option<u32> {
        match self {
            Members::All { count } => ((node as usize) < *count).then_some(node),
            Members::Some { vertices, .. } => {
                let vertex = *vertices.get(node as usize)?;
                (vertex != ABSENT).then_some(vertex)
            }
        }
    }
}

impl<'e> Chosen<'e> {
    fn of(view: &View, labels: &[String], condition: Option<&'e Expression>) -> Self {
        let code = |label: &String| view.dictionary().code(Names::Labels, label);
        let codes = || labels.iter().filter_map(code).collect();
        Chosen {
            labels: (!labels.is_empty()).then(codes),
            condition: condition.map(|expression| Condition::of(view, expression)),
        }
    }

    /// The chosen nodes of one chunk, ascending.
    fn in_chunk(&self, view: &View, chunk: u32) -> Result<Vec<u32>, GraphError> {
        let mut found = Vec::new();
        let table = view.core().state.nodes();
        table.try_for_each_in_chunk(chunk, view.csn(), |id, record| {
            if let Some(codes) = &self.labels {
                let labels = record.labels()?;
                let has = |code: &LabelCode| labels.binary_search(code).is_ok();
                if !codes.iter().any(has) {
                    return Ok(());
                }
            }
            let holds = match &self.condition {
                None => true,
                Some(condition) => condition.holds_of_node(id, record)?,
            };
            if holds {
                found.push(id);
            }
            Ok::<_, GraphError>(())
        })?;
        Ok(found)
    }
}
