//! What the planner is told of a graph.

use evergraph_planner::{Catalog, Index};
use evergraph_property_graph::graph::{Definition, GraphError, PropertyGraph, Subject, View};
use evergraph_syntax::scope::Signature;

use crate::procedures::Procedures;

/// Counts and indexes of a graph, as of the planning, and procedures.
pub(crate) struct GraphCatalog<'a> {
    view: View,
    definitions: Vec<Definition>,
    procedures: &'a Procedures,
}

impl<'a> GraphCatalog<'a> {
    pub(crate) fn new(graph: &PropertyGraph, procedures: &'a Procedures) -> Self {
        GraphCatalog {
            view: graph.view(),
            definitions: graph.definitions(),
            procedures,
        }
    }
}

/// A count; a large one where it cannot be read, which the run will say.
fn count(count: Result<u64, GraphError>) -> f64 {
    count.map_or(1e9, |count| count as f64)
}

impl Catalog for GraphCatalog<'_> {
    fn nodes(&self, label: Option<&str>) -> f64 {
        count(match label {
            Some(label) => self.view.count_with_label(label),
            None => self.view.node_count(),
        })
    }

    fn relationships(&self, kind: Option<&str>) -> f64 {
        count(match kind {
            Some(kind) => self.view.count_of_type(kind),
            None => self.view.relationship_count(),
        })
    }

    fn indexes(&self, label: &str) -> Vec<Index> {
        let is_of = |one: &&Definition| {
            one.rule.has_index() && one.subject == Subject::Nodes(label.to_string())
        };
        let found = self.definitions.iter().filter(is_of);
        found
            .map(|one| Index {
                keys: one.keys.clone(),
                unique: one.rule.is_unique(),
            })
            .collect()
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        Some(self.procedures.find(name)?.signature.clone())
    }
}
