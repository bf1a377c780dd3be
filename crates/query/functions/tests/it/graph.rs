//! A graph of two nodes, and an environment whose clock stands still.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::{Clock, Datum, Entities, Environment, Path, ReadError};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Entity, NodeId, RelationshipId};

use crate::query::Row;

/// `(:Person {name: 'Ann'})-[:KNOWS {since: 2015}]->(:Person:Author)`.
pub struct Couple;

impl Entities for Couple {
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, ReadError> {
        let labels: &[&str] = if node.0 == 0 {
            &["Person"]
        } else {
            &["Person", "Author"]
        };
        Ok(labels.iter().map(|label| Arc::from(*label)).collect())
    }

    fn relationship_type(&self, _: RelationshipId) -> Result<Arc<str>, ReadError> {
        Ok("KNOWS".into())
    }

    fn ends(&self, _: RelationshipId) -> Result<(NodeId, NodeId), ReadError> {
        Ok((NodeId(0), NodeId(1)))
    }

    fn property(&self, entity: Entity, key: &str) -> Result<Value, ReadError> {
        Ok(self.properties(entity)?.remove(key).unwrap_or_default())
    }

    fn properties(&self, entity: Entity) -> Result<BTreeMap<Arc<str>, Value>, ReadError> {
        let (key, value): (&str, Value) = match entity {
            Entity::Node(NodeId(0)) => ("name", "Ann".into()),
            Entity::Relationship(_) => ("since", 2015.into()),
            Entity::Node(_) => return Ok(BTreeMap::new()),
        };
        Ok(BTreeMap::from([(key.into(), value)]))
    }
}

pub fn environment() -> Environment<'static> {
    let now = || "2015-07-21T21:40:32.142Z".parse().unwrap();
    let clock = Clock {
        transaction: now(),
        statement: now(),
        realtime: now,
    };
    Environment::new(&Couple, clock, 1)
}

/// The variables that examples have.
pub fn variables() -> Row {
    let path = Path::new(vec![NodeId(0), NodeId(1)], vec![RelationshipId(0)]);
    Row::from([
        ("n".to_string(), Datum::Node(NodeId(0))),
        ("r".to_string(), Datum::Relationship(RelationshipId(0))),
        ("p".to_string(), Datum::Path(Arc::new(path))),
    ])
}
