//! A property graph as a map of maps, and a comparison of the real one with it.

use std::collections::{BTreeMap, BTreeSet};

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Adjacent, Direction, Entity, GraphCounts, NodeId, RelationshipId, Transaction, View,
};

pub const LABELS: [&str; 3] = ["Person", "City", "Admin"];
pub const TYPES: [&str; 3] = ["KNOWS", "LIVES_IN", "LIKES"];
pub const KEYS: [&str; 3] = ["name", "age", "note"];

pub type Values = BTreeMap<String, Value>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelNode {
    pub labels: BTreeSet<String>,
    pub values: Values,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModelRelationship {
    pub kind: String,
    pub source: u32,
    pub target: u32,
    pub values: Values,
}

/// Reference implementation of a graph, in ordered maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    pub nodes: BTreeMap<u32, ModelNode>,
    pub relationships: BTreeMap<u32, ModelRelationship>,
}

impl Model {
    /// Other end, relationship and type of what leaves or enters a node.
    fn neighbors(
        &self,
        node: u32,
        direction: Direction,
        kind: Option<&str>,
    ) -> Vec<(u32, u32, String)> {
        let mut found = Vec::new();
        for (&id, relationship) in &self.relationships {
            if kind.is_some_and(|kind| relationship.kind != kind) {
                continue;
            }
            let leaves = relationship.source == node && direction != Direction::Incoming;
            let enters = relationship.target == node && direction != Direction::Outgoing;
            if leaves {
                found.push((id, relationship.target, relationship.kind.clone()));
            } else if enters {
                found.push((id, relationship.source, relationship.kind.clone()));
            }
        }
        found
    }

    pub fn detach(&mut self, node: u32) {
        self.relationships
            .retain(|_, relationship| relationship.source != node && relationship.target != node);
        self.nodes.remove(&node);
    }

    pub fn is_connected(&self, node: u32) -> bool {
        !self.neighbors(node, Direction::Both, None).is_empty()
    }
}

/// Reads that a view and a transaction both answer.
pub trait Readable {
    fn all_nodes(&self) -> BTreeMap<u32, ModelNode>;
    fn all_relationships(&self) -> BTreeMap<u32, ModelRelationship>;
    fn labelled(&self, label: &str) -> BTreeSet<u32>;
    fn found(&self, label: &str, key: &str, value: &Value) -> BTreeSet<u32>;
    fn found_of_type(&self, kind: &str, key: &str, value: &Value) -> BTreeSet<u32>;
    fn adjacent(&self, node: u32, direction: Direction, types: &[&str]) -> Vec<Adjacent>;
    fn value(&self, entity: Entity, key: &str) -> Option<Value>;
    /// `None` of one that does not count.
    fn counted(&self) -> Option<GraphCounts>;
}

macro_rules! readable {
    ($reader:ty, $counted:expr) => {
        impl Readable for $reader {
            fn all_nodes(&self) -> BTreeMap<u32, ModelNode> {
                let nodes = self.nodes().map(|node| {
                    let node = node.expect("nodes are readable");
                    let again = self.node(node.id()).expect("readable").expect("exists");
                    assert_eq!(
                        again.record(),
                        node.record(),
                        "a scan shows what a lookup shows"
                    );
                    let model = ModelNode {
                        labels: node.labels().iter().map(|l| l.to_string()).collect(),
                        values: node
                            .properties()
                            .map(|(key, value)| (key.to_string(), value.clone()))
                            .collect(),
                    };
                    (node.id().0, model)
                });
                nodes.collect()
            }

            fn all_relationships(&self) -> BTreeMap<u32, ModelRelationship> {
                let relationships = self.relationships().map(|relationship| {
                    let relationship = relationship.expect("relationships are readable");
                    let model = ModelRelationship {
                        kind: relationship.kind().to_string(),
                        source: relationship.source().0,
                        target: relationship.target().0,
                        values: relationship
                            .properties()
                            .map(|(key, value)| (key.to_string(), value.clone()))
                            .collect(),
                    };
                    (relationship.id().0, model)
                });
                relationships.collect()
            }

            fn labelled(&self, label: &str) -> BTreeSet<u32> {
                let nodes = self.nodes_with_label(label);
                nodes.map(|node| node.expect("readable").id().0).collect()
            }

            fn found(&self, label: &str, key: &str, value: &Value) -> BTreeSet<u32> {
                let found = self.find(label, &[(key, value.clone())]);
                found
                    .expect("readable")
                    .iter()
                    .map(|node| node.id().0)
                    .collect()
            }

            fn found_of_type(&self, kind: &str, key: &str, value: &Value) -> BTreeSet<u32> {
                let found = self.find_relationships(kind, &[(key, value.clone())]);
                found
                    .expect("readable")
                    .iter()
                    .map(|relationship| relationship.id().0)
                    .collect()
            }

            fn adjacent(&self, node: u32, direction: Direction, types: &[&str]) -> Vec<Adjacent> {
                let found = self.neighbors(NodeId(node), direction, types);
                found.expect("neighbors are readable")
            }

            fn value(&self, entity: Entity, key: &str) -> Option<Value> {
                self.property(entity, key).expect("readable")
            }

            fn counted(&self) -> Option<GraphCounts> {
                let counted: fn(&$reader) -> Option<GraphCounts> = $counted;
                counted(self)
            }
        }
    };
}

readable!(View, |view| Some(view.counts().expect("known")));
readable!(Transaction, |_| None);

/// Content of a view, as a model.
pub fn model_of(view: &View) -> Model {
    Model {
        nodes: view.all_nodes(),
        relationships: view.all_relationships(),
    }
}

/// Holds everything that can be read against the model.
pub fn compare(reader: &impl Readable, model: &Model) -> Result<(), String> {
    let nodes = reader.all_nodes();
    if nodes != model.nodes {
        return Err(format!(
            "nodes are {nodes:?} and should be {:?}",
            model.nodes
        ));
    }
    let relationships = reader.all_relationships();
    if relationships != model.relationships {
        return Err(format!(
            "relationships are {relationships:?} and should be {:?}",
            model.relationships
        ));
    }
    for label in LABELS {
        let with = |(&id, node): (&u32, &ModelNode)| node.labels.contains(label).then_some(id);
        let expected: BTreeSet<u32> = model.nodes.iter().filter_map(with).collect();
        let found = reader.labelled(label);
        if found != expected {
            return Err(format!("{label} are {found:?} and should be {expected:?}"));
        }
    }
    compare_counts(reader, model)?;
    compare_found(reader, model)?;
    compare_values(reader, model)?;
    for &node in model.nodes.keys() {
        for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
            compare_lists(reader, model, node, direction, None)?;
            for kind in TYPES {
                compare_lists(reader, model, node, direction, Some(kind))?;
            }
        }
    }
    Ok(())
}

fn compare_counts(reader: &impl Readable, model: &Model) -> Result<(), String> {
    let mut expected = GraphCounts {
        nodes: model.nodes.len() as u64,
        ..GraphCounts::default()
    };
    for label in model.nodes.values().flat_map(|node| &node.labels) {
        *expected.labels.entry(label.as_str().into()).or_default() += 1;
    }
    for relationship in model.relationships.values() {
        let kind = relationship.kind.as_str().into();
        *expected.types.entry(kind).or_default() += 1;
    }
    match reader.counted().filter(|counted| *counted != expected) {
        None => Ok(()),
        Some(other) => Err(format!("counts are {other:?} and should be {expected:?}")),
    }
}

fn compare_found(reader: &impl Readable, model: &Model) -> Result<(), String> {
    for node in model.nodes.values() {
        let labels = node.labels.iter();
        let asked = labels.flat_map(|label| node.values.iter().map(move |of| (label, of)));
        for (label, (key, value)) in asked {
            let has = |(&id, node): (&u32, &ModelNode)| {
                let has = node.labels.contains(label) && node.values.get(key) == Some(value);
                has.then_some(id)
            };
            let expected: BTreeSet<u32> = model.nodes.iter().filter_map(has).collect();
            let found = reader.found(label, key, value);
            if found != expected {
                return Err(format!(
                    "{label} with {key} {value} are {found:?} and should be {expected:?}"
                ));
            }
        }
    }
    for relationship in model.relationships.values() {
        let kind = &relationship.kind;
        for (key, value) in &relationship.values {
            let has = |(&id, other): (&u32, &ModelRelationship)| {
                let has = other.kind == *kind && other.values.get(key) == Some(value);
                has.then_some(id)
            };
            let expected: BTreeSet<u32> = model.relationships.iter().filter_map(has).collect();
            let found = reader.found_of_type(kind, key, value);
            if found != expected {
                return Err(format!(
                    "{kind} with {key} {value} are {found:?} and should be {expected:?}"
                ));
            }
        }
    }
    Ok(())
}

/// Each property for itself.
fn compare_values(reader: &impl Readable, model: &Model) -> Result<(), String> {
    let nodes = model.nodes.iter();
    let nodes = nodes.map(|(&id, node)| (Entity::Node(NodeId(id)), &node.values));
    let relationships = model.relationships.iter();
    let relationships =
        relationships.map(|(&id, own)| (Entity::Relationship(RelationshipId(id)), &own.values));
    let none = Values::new();
    let nowhere = [
        (Entity::Node(NodeId(u32::MAX)), &none),
        (Entity::Relationship(RelationshipId(u32::MAX)), &none),
    ];
    for (entity, values) in nodes.chain(relationships).chain(nowhere) {
        for key in KEYS.iter().chain(&["never used"]) {
            let (found, expected) = (reader.value(entity, key), values.get(*key));
            if found.as_ref() != expected {
                return Err(format!(
                    "{key} of {entity:?} is {found:?} and should be {expected:?}"
                ));
            }
        }
    }
    Ok(())
}

fn compare_lists(
    reader: &impl Readable,
    model: &Model,
    node: u32,
    direction: Direction,
    kind: Option<&str>,
) -> Result<(), String> {
    let types: Vec<&str> = kind.into_iter().collect();
    let mut found: Vec<(u32, u32)> = reader
        .adjacent(node, direction, &types)
        .iter()
        .map(|adjacent| (adjacent.relationship.0, adjacent.neighbor.0))
        .collect();
    found.sort_unstable();
    let expected: Vec<(u32, u32)> = model
        .neighbors(node, direction, kind)
        .into_iter()
        .map(|(id, other, _)| (id, other))
        .collect();
    if found != expected {
        return Err(format!(
            "{direction:?} {kind:?} of node {node} are {found:?} and should be {expected:?}"
        ));
    }
    Ok(())
}
