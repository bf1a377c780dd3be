//! From ids to what they stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_interpreter::{Datum, Path as IdPath};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    GraphError, Node as StoredNode, NodeId, Relationship as StoredRelationship, RelationshipId,
    Transaction, View,
};

use super::cell::{Cell, Node, Path, Relationship};

/// Reads nodes and relationships of the graph that a query saw.
pub(super) trait Reader {
    fn node(&self, id: NodeId) -> Result<Option<StoredNode>, GraphError>;

    fn relationship(&self, id: RelationshipId) -> Result<Option<StoredRelationship>, GraphError>;

    /// A relationship as it was before a transaction deleted it.
    fn deleted(&self, id: RelationshipId) -> Result<Option<StoredRelationship>, GraphError>;
}

impl Reader for View {
    fn node(&self, id: NodeId) -> Result<Option<StoredNode>, GraphError> {
        View::node(self, id)
    }

    fn relationship(&self, id: RelationshipId) -> Result<Option<StoredRelationship>, GraphError> {
        View::relationship(self, id)
    }

    fn deleted(&self, _: RelationshipId) -> Result<Option<StoredRelationship>, GraphError> {
        Ok(None)
    }
}

impl Reader for Transaction {
    fn node(&self, id: NodeId) -> Result<Option<StoredNode>, GraphError> {
        Transaction::node(self, id)
    }

    fn relationship(&self, id: RelationshipId) -> Result<Option<StoredRelationship>, GraphError> {
        Transaction::relationship(self, id)
    }

    fn deleted(&self, id: RelationshipId) -> Result<Option<StoredRelationship>, GraphError> {
        self.deleted_relationship(id)
    }
}

/// A row of ids with what they stand for.
pub(super) fn row(data: Vec<Datum>, reader: &dyn Reader) -> Result<Vec<Cell>, GraphError> {
    data.into_iter().map(|datum| cell(datum, reader)).collect()
}

pub(super) fn cell(datum: Datum, reader: &dyn Reader) -> Result<Cell, GraphError> {
    Ok(match datum {
        Datum::Value(value) => Cell::Value(value),
        Datum::Node(id) => Cell::Node(node(id, reader)?),
        Datum::Relationship(id) => Cell::Relationship(relationship(id, reader)?),
        Datum::Path(ids) => Cell::Path(path(&ids, reader)?),
        Datum::List(data) => {
            let cells = data.iter().map(|datum| cell(datum.clone(), reader));
            Cell::List(cells.collect::<Result<_, _>>()?)
        }
        Datum::Map(entries) => {
            let entries = entries.iter().map(|(key, datum)| {
                Ok::<_, GraphError>((Arc::clone(key), cell(datum.clone(), reader)?))
            });
            Cell::Map(entries.collect::<Result<_, _>>()?)
        }
    })
}

fn path(ids: &IdPath, reader: &dyn Reader) -> Result<Path, GraphError> {
    let nodes = ids.nodes().iter().map(|&id| node(id, reader));
    let relationships = ids.relationships().iter();
    let relationships = relationships.map(|&id| relationship(id, reader));
    Ok(Path {
        nodes: nodes.collect::<Result<_, _>>()?,
        relationships: relationships.collect::<Result<_, _>>()?,
    })
}

fn node(id: NodeId, reader: &dyn Reader) -> Result<Node, GraphError> {
    let found = reader.node(id)?;
    let owned = |(key, value): (Arc<str>, &Value)| (key, value.clone());
    Ok(match found {
        Some(node) => Node {
            id,
            labels: node.labels(),
            properties: node.properties().map(owned).collect(),
        },
        None => Node {
            id,
            labels: Vec::new(),
            properties: BTreeMap::new(),
        },
    })
}

fn relationship(id: RelationshipId, reader: &dyn Reader) -> Result<Relationship, GraphError> {
    let owned = |(key, value): (Arc<str>, &Value)| (key, value.clone());
    if let Some(found) = reader.relationship(id)? {
        return Ok(Relationship {
            id,
            kind: found.kind(),
            source: found.source(),
            target: found.target(),
            properties: found.properties().map(owned).collect(),
        });
    }
    match reader.deleted(id)? {
        Some(found) => Ok(Relationship {
            id,
            kind: found.kind(),
            source: found.source(),
            target: found.target(),
            properties: BTreeMap::new(),
        }),
        None => Err(GraphError::User(
            format!("relationship {} has been deleted by this query", id.0).into(),
        )),
    }
}
