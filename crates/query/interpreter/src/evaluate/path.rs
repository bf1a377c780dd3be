//! Paths of nodes and relationships.

use std::sync::Arc;

use evergraph_functions::{Datum, Path};
use evergraph_planner::Slot;
use evergraph_property_graph::graph::{NodeId, RelationshipId};

use super::{Result, Row};
use crate::QueryError;
use crate::run::Run;

impl Run<'_, '_> {
    /// The path along the nodes, relationships and lists of relationships in slots; null
    /// if one of them is.
    pub(crate) fn path(&self, slots: &[Slot], row: &mut Row<'_>) -> Result<Datum> {
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut relationships: Vec<RelationshipId> = Vec::new();
        for (place, &slot) in slots.iter().enumerate() {
            let datum = row.get(slot);
            match datum {
                Datum::Node(node) => {
                    // A list before has come here already.
                    if nodes.len() == relationships.len() {
                        nodes.push(node);
                    }
                }
                Datum::Relationship(relationship) => relationships.push(relationship),
                datum if datum.is_null() => return Ok(Datum::NULL),
                datum => {
                    let Some(elements) = datum.elements() else {
                        return Err(QueryError::type_error(
                            "a path is of nodes and relationships",
                        ));
                    };
                    let Some(mut at) = nodes.last().copied() else {
                        return Err(QueryError::type_error("a path begins with a node"));
                    };
                    for element in elements.iter() {
                        let Datum::Relationship(relationship) = element else {
                            let message = "a path is of nodes and relationships";
                            return Err(QueryError::type_error(message));
                        };
                        let (source, target) = self.environment.entities.ends(relationship)?;
                        at = if source == at { target } else { source };
                        relationships.push(relationship);
                        nodes.push(at);
                    }
                    debug_assert!(place > 0, "a list stands behind a node");
                }
            }
        }
        if nodes.len() != relationships.len() + 1 {
            return Err(QueryError::type_error(
                "a path has a node more than relationships",
            ));
        }
        Ok(Datum::Path(Arc::new(Path::new(nodes, relationships))))
    }
}
