//! Random steps of a transaction, taken on the graph and on the model alike.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphError, Load, NodeId, RelationshipId, Transaction};

use super::model::{KEYS, LABELS, Model, ModelNode, ModelRelationship, TYPES, Values};

/// One step. Numbers choose among what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    CreateNode {
        label: u8,
        value: u8,
    },
    CreateRelationship {
        source: u8,
        kind: u8,
        target: u8,
        value: u8,
    },
    SetOnNode {
        node: u8,
        key: u8,
        value: u8,
    },
    SetOnRelationship {
        relationship: u8,
        key: u8,
        value: u8,
    },
    /// One key of all nodes, in one commit.
    SetOnAllNodes {
        key: u8,
        value: u8,
    },
    AddLabel {
        node: u8,
        label: u8,
    },
    RemoveLabel {
        node: u8,
        label: u8,
    },
    DeleteRelationship {
        relationship: u8,
    },
    DeleteNode {
        node: u8,
    },
    DetachDeleteNode {
        node: u8,
    },
    Savepoint,
    RollBackToSavepoint,
}

/// Values of several types and lengths; 0 is none at all.
pub fn value(number: u8) -> Value {
    match number % 6 {
        0 => Value::Null,
        1 => Value::from(i64::from(number)),
        2 => Value::from(format!("text {number}")),
        3 => Value::from("long ".repeat(usize::from(number) * 3)),
        4 => Value::from(f64::from(number) / 4.0),
        _ => Value::from(number.is_multiple_of(2)),
    }
}

fn pick<K: Copy>(keys: impl ExactSizeIterator<Item = K>, number: u8) -> Option<K> {
    let count = keys.len();
    let mut keys = keys;
    match count {
        0 => None,
        count => keys.nth(usize::from(number) % count),
    }
}

fn name<'a>(names: &[&'a str], number: u8) -> &'a str {
    names[usize::from(number) % names.len()]
}

/// How much is loaded in bulk, and what.
#[derive(Clone, Copy, Debug)]
pub struct Loading {
    pub nodes: u8,
    pub relationships: u8,
    pub seed: u8,
}

/// Gathers nodes and relationships for a bulk load, and makes of the model what the
/// graph is if it is committed.
pub fn gather(loading: Loading, load: &mut Load<'_>, model: &mut Model) -> Result<(), GraphError> {
    let mut number = loading.seed;
    let mut next = || {
        number = number.wrapping_mul(37).wrapping_add(91);
        number
    };
    for _ in 0..loading.nodes {
        let (label, content) = (name(&LABELS, next()), next());
        let values = [("age", value(content)), ("name", value(content / 2))];
        let id = load.create_node(&[label], values.clone())?;
        let node = ModelNode {
            labels: [label.to_string()].into(),
            values: stored(&values),
        };
        model.nodes.insert(id.0, node);
    }
    for _ in 0..loading.relationships {
        let ends = (
            pick(model.nodes.keys().copied(), next()),
            pick(model.nodes.keys().copied(), next()),
        );
        let (Some(source), Some(target)) = ends else {
            continue;
        };
        let (kind, values) = (name(&TYPES, next()), [("note", value(next()))]);
        let id = load.create_relationship(NodeId(source), kind, NodeId(target), values.clone())?;
        let relationship = ModelRelationship {
            kind: kind.to_string(),
            source,
            target,
            values: stored(&values),
        };
        model.relationships.insert(id.0, relationship);
    }
    Ok(())
}

fn stored(values: &[(&str, Value)]) -> Values {
    let values = values.iter().filter(|(_, value)| *value != Value::Null);
    values
        .map(|(key, value)| (key.to_string(), value.clone()))
        .collect()
}

/// Takes steps in a transaction and on a model, which becomes what the graph is
/// if the transaction commits.
pub fn take(
    steps: &[Step],
    transaction: &mut Transaction,
    model: &mut Model,
) -> Result<(), GraphError> {
    let mut savepoints = Vec::new();
    for step in steps {
        match step {
            Step::Savepoint => savepoints.push((transaction.savepoint(), model.clone())),
            Step::RollBackToSavepoint => {
                if let Some((savepoint, before)) = savepoints.pop() {
                    transaction.roll_back_to(savepoint)?;
                    *model = before;
                }
            }
            step => take_one(step, transaction, model)?,
        }
    }
    Ok(())
}

fn take_one(
    step: &Step,
    transaction: &mut Transaction,
    model: &mut Model,
) -> Result<(), GraphError> {
    let node = |model: &Model, number| pick(model.nodes.keys().copied(), number);
    let relationship = |model: &Model, number| pick(model.relationships.keys().copied(), number);
    match *step {
        Step::CreateNode {
            label,
            value: number,
        } => {
            let labels: Vec<&str> = match label % 4 {
                3 => vec![],
                label => vec![name(&LABELS, label)],
            };
            let id = transaction.create_node(&labels, [("name", value(number))])?;
            let mut made = ModelNode {
                labels: labels.iter().map(|label| label.to_string()).collect(),
                ..ModelNode::default()
            };
            put(&mut made.values, "name", number);
            let before = model.nodes.insert(id.0, made);
            assert_eq!(before, None, "an id in use was given away");
        }
        Step::CreateRelationship {
            source,
            kind,
            target,
            value: number,
        } => {
            let (Some(source), Some(target)) = (node(model, source), node(model, target)) else {
                return Ok(());
            };
            let kind = name(&TYPES, kind);
            let (from, to) = (NodeId(source), NodeId(target));
            let id = transaction.create_relationship(from, kind, to, [("note", value(number))])?;
            let mut made = ModelRelationship {
                kind: kind.to_string(),
                source,
                target,
                values: Default::default(),
            };
            put(&mut made.values, "note", number);
            let before = model.relationships.insert(id.0, made);
            assert_eq!(before, None, "an id in use was given away");
        }
        Step::SetOnNode {
            node: at,
            key,
            value: number,
        } => {
            if let Some(id) = node(model, at) {
                let key = name(&KEYS, key);
                transaction.set(NodeId(id), key, value(number))?;
                put(&mut node_of(model, id).values, key, number);
            }
        }
        Step::SetOnRelationship {
            relationship: at,
            key,
            value: number,
        } => {
            if let Some(id) = relationship(model, at) {
                let key = name(&KEYS, key);
                transaction.set(RelationshipId(id), key, value(number))?;
                let found = model.relationships.get_mut(&id).expect("picked");
                put(&mut found.values, key, number);
            }
        }
        Step::SetOnAllNodes { key, value: number } => {
            let key = name(&KEYS, key);
            for (&id, node) in &mut model.nodes {
                transaction.set(NodeId(id), key, value(number))?;
                put(&mut node.values, key, number);
            }
        }
        Step::AddLabel { node: at, label } => {
            if let Some(id) = node(model, at) {
                let label = name(&LABELS, label);
                transaction.add_label(NodeId(id), label)?;
                node_of(model, id).labels.insert(label.to_string());
            }
        }
        Step::RemoveLabel { node: at, label } => {
            if let Some(id) = node(model, at) {
                let label = name(&LABELS, label);
                transaction.remove_label(NodeId(id), label)?;
                node_of(model, id).labels.remove(label);
            }
        }
        Step::DeleteRelationship { relationship: at } => {
            if let Some(id) = relationship(model, at) {
                transaction.delete_relationship(RelationshipId(id))?;
                model.relationships.remove(&id);
            }
        }
        Step::DeleteNode { node: at } => {
            if let Some(id) = node(model, at) {
                let deleted = transaction.delete_node(NodeId(id));
                match model.is_connected(id) {
                    true => assert!(deleted.is_err(), "a node with relationships went"),
                    false => {
                        deleted?;
                        model.nodes.remove(&id);
                    }
                }
            }
        }
        Step::DetachDeleteNode { node: at } => {
            if let Some(id) = node(model, at) {
                transaction.detach_delete_node(NodeId(id))?;
                model.detach(id);
            }
        }
        Step::Savepoint | Step::RollBackToSavepoint => {}
    }
    Ok(())
}

fn node_of(model: &mut Model, id: u32) -> &mut ModelNode {
    model
        .nodes
        .get_mut(&id)
        .expect("picked among those that exist")
}

fn put(values: &mut super::model::Values, key: &str, number: u8) {
    match value(number) {
        Value::Null => values.remove(key),
        value => values.insert(key.to_string(), value),
    };
}
