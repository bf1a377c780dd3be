//! Keys: the label and property by which a node of an earlier import is found again.

use std::sync::Arc;

use evergraph_io::interchange::{ExternalId, Id, NodeRow};

use super::fault::Why;
use super::ids::NodeIds;
use super::value::Value;
use super::{Definition, GraphError, ImportKey, Node, NodeId, PropertyGraph, Rule, View};
use crate::Error;

/// A key of an import.
#[derive(Debug)]
pub(super) struct Key {
    of: ImportKey,
    label: Arc<str>,
    property: Arc<str>,
    /// Id space of the values of the property, which is none of a file.
    values: Arc<str>,
    /// Whether an index finds the nodes; else they were scanned.
    is_indexed: bool,
}

/// The keys of an import: those that are given, then those of the graph's constraints.
#[derive(Default)]
pub(super) struct Keys {
    all: Vec<Key>,
    /// Nodes of the keys without an index, by the values.
    scanned: NodeIds,
}

/// Names by which a row of a node can be found.
pub(super) struct Called<'k, 'r> {
    pub id: Option<&'r ExternalId>,
    /// Its key, and the value of it as an id.
    pub key: Option<(&'k Key, ExternalId)>,
}

impl Keys {
    /// # Errors
    /// Two keys of one label.
    pub fn of(graph: &PropertyGraph, given: &[ImportKey]) -> Result<Self, Error> {
        let mut keys = Keys::default();
        for key in given {
            if let Some(other) = keys.all.iter().find(|other| *other.label == *key.label) {
                if other.of != *key {
                    return Err(Error::argument(
                        format!("{} and {key} are keys of one label", other.of),
                        "give each label one key",
                    ));
                }
                continue;
            }
            keys.push(key.clone());
        }
        for key in ImportKey::all_of(graph) {
            if keys.all.iter().all(|other| *other.label != *key.label) {
                keys.push(key);
            }
        }
        let definitions = graph.definitions();
        for key in &mut keys.all {
            key.is_indexed = definitions.iter().any(|other| key.of.is_held_by(other));
        }
        Ok(keys)
    }

    fn push(&mut self, of: ImportKey) {
        self.all.push(Key {
            label: of.label.as_str().into(),
            property: of.property.as_str().into(),
            values: format!("\0{}.{}", of.label, of.property).into(),
            of,
            is_indexed: false,
        });
    }

    /// Makes the constraints that are not there: no two nodes of a label have the same key.
    ///
    /// # Errors
    /// If two have; nothing was made then.
    pub fn define(&mut self, graph: &PropertyGraph) -> Result<(), Error> {
        let missing = self.all.iter().filter(|key| !key.is_indexed);
        let missing: Vec<Definition> = missing
            .map(|Key { of, .. }| {
                let name = of.constraint();
                Definition::of_nodes(&name, &of.label, &[&of.property], Rule::Unique)
            })
            .collect();
        if !missing.is_empty() {
            graph.define_all(&missing)?;
        }
        self.all.iter_mut().for_each(|key| key.is_indexed = true);
        Ok(())
    }

    /// Reads the nodes of keys that have no index: for an import that writes nothing, and
    /// so makes none.
    ///
    /// # Errors
    /// Damage.
    pub fn scan(&mut self, graph: &PropertyGraph) -> Result<(), Error> {
        let view = graph.view();
        for key in self.all.iter().filter(|key| !key.is_indexed) {
            for node in view.nodes_with_label(&key.label) {
                let node = node?;
                if let Some(id) = node.get(&key.property).and_then(id_of) {
                    self.scanned.insert(&key.value(id), node.id());
                }
            }
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The key of nodes with these labels.
    pub fn of_labels(&self, labels: &[Arc<str>]) -> Option<&Key> {
        self.all.iter().find(|key| labels.contains(&key.label))
    }

    /// Name of a row in messages; its key is the property, or its id where it has no such
    /// property.
    ///
    /// # Errors
    /// A value that is no key.
    pub fn call<'r>(&self, row: &'r NodeRow) -> Result<Called<'_, 'r>, Why> {
        let id = row.id.as_ref();
        let Some(key) = self.of_labels(&row.labels) else {
            return Ok(Called { id, key: None });
        };
        let mut properties = row.properties.iter();
        let property = properties.find(|(name, _)| *name == key.property);
        let value = match (property, id) {
            (Some((_, value)), _) => id_of(value).ok_or_else(|| {
                let problem = "a key is a 64-bit integer or a text that is not empty";
                Why::of_column(&key.property, problem.to_string())
            })?,
            (None, Some(id)) => id.id.clone(),
            (None, None) => {
                let problem = format!("nothing is there; it is the key of {}", key.label);
                return Err(Why::of_column(&key.property, problem));
            }
        };
        let key = Some((key, key.value(value)));
        Ok(Called { id, key })
    }

    /// The keys that an end of a relationship may mean; any, where it names no space.
    pub fn of_end(&self, space: &str) -> impl Iterator<Item = &Key> {
        let all = self.all.iter();
        all.filter(move |key| space.is_empty() || *key.of.space == *space)
    }

    /// The stored node of a key.
    ///
    /// # Errors
    /// Damage.
    pub fn find(&self, view: &View, key: &Key, id: &Id) -> Result<Option<Node>, GraphError> {
        if !key.is_indexed {
            let known = self.scanned.get(&key.value(id.clone()));
            return known.map_or(Ok(None), |node| view.node(node));
        }
        let found = view.find(&key.label, &[(&key.property, value_of(id))])?;
        Ok(found.into_iter().next())
    }
}

impl Key {
    pub fn label(&self) -> &Arc<str> {
        &self.label
    }

    pub fn property(&self) -> &Arc<str> {
        &self.property
    }

    /// Whether ids of the files in this space or of this key are integers, and texts.
    pub fn kinds(&self, space: &Arc<str>, ids: &NodeIds) -> (bool, bool) {
        let (of_space, of_key) = (ids.kinds(space), ids.kinds(&self.values));
        (of_space.0 || of_key.0, of_space.1 || of_key.1)
    }

    /// The id space of the values of the property.
    pub fn values(&self) -> &Arc<str> {
        &self.values
    }

    /// A value of the property as an id.
    pub fn value(&self, id: Id) -> ExternalId {
        let space = Arc::clone(&self.values);
        ExternalId { space, id }
    }
}

impl Called<'_, '_> {
    /// The node of this import that is called so.
    pub fn known(&self, ids: &NodeIds) -> Option<NodeId> {
        let by_id = self.id.and_then(|id| ids.get(id));
        by_id.or_else(|| ids.get(&self.key.as_ref()?.1))
    }

    pub fn names(&self) -> impl Iterator<Item = &ExternalId> {
        self.id.into_iter().chain(self.key.iter().map(|(_, id)| id))
    }
}

/// A value as a key.
pub(super) fn id_of(value: &Value) -> Option<Id> {
    match value {
        Value::Integer(number) => Some(Id::Integer(*number)),
        Value::Text(text) if !text.is_empty() => Some(Id::Text(text.clone())),
        _ => None,
    }
}

/// The value of a key.
pub(super) fn value_of(id: &Id) -> Value {
    match id {
        Id::Integer(number) => Value::Integer(*number),
        Id::Text(text) => Value::Text(text.clone()),
    }
}
