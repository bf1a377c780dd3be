//! Nodes by a key.

use std::collections::HashMap;

use evergraph_io::interchange::Id;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphError, NodeId, PropertyGraph, Subject, Transaction};

/// The nodes of a label by one of their properties: by an index over it, or else by a table
/// that is made of all of them.
pub(super) struct Lookup {
    pub(super) label: String,
    pub(super) key: String,
    /// `None` if there is an index.
    scanned: Option<HashMap<Id, NodeId>>,
    /// A key that the graph had before, if any: others are of its type.
    example: Option<Id>,
}

impl Lookup {
    /// O(1) with an index, else O(nodes with the label) in time and memory.
    ///
    /// # Errors
    /// Damage.
    pub(super) fn of(
        graph: &PropertyGraph,
        transaction: &Transaction,
        label: &str,
        key: &str,
    ) -> Result<Self, GraphError> {
        let is_indexed = graph.definitions().iter().any(|one| {
            one.rule.has_index()
                && one.subject == Subject::Nodes(label.to_string())
                && one.keys == [key]
        });
        let mut lookup = Lookup {
            label: label.to_string(),
            key: key.to_string(),
            scanned: (!is_indexed).then(HashMap::new),
            example: None,
        };
        for node in transaction.nodes_with_label(label) {
            let node = node?;
            let Some(id) = node.get(key).and_then(id_of) else {
                continue;
            };
            lookup.example.get_or_insert_with(|| id.clone());
            match &mut lookup.scanned {
                Some(scanned) => scanned.insert(id, node.id()),
                None => break,
            };
        }
        Ok(lookup)
    }

    /// Name of the type that keys have in the graph; `None` if it has none.
    pub(super) fn type_name(&self) -> Option<&'static str> {
        self.example.as_ref().map(|id| match id {
            Id::Integer(_) => "INTEGER",
            Id::Text(_) => "STRING",
        })
    }

    /// A value of a column whose type was told from its values, as the graph has keys: a bad
    /// row may have made all of them texts, or one without any texts numbers.
    pub(super) fn as_key(&self, value: &Value) -> Option<Value> {
        match (&self.example, value) {
            (Some(Id::Integer(_)), Value::Text(text)) => {
                let number = text.parse::<i64>().ok();
                let number = number.filter(|number| number.to_string() == **text);
                number.map(Value::Integer)
            }
            (Some(Id::Text(_)), Value::Integer(number)) => {
                Some(Value::Text(number.to_string().into()))
            }
            _ => Some(value.clone()),
        }
    }

    /// The node with this value, also one that the transaction has made.
    ///
    /// # Errors
    /// Damage.
    pub(super) fn find(
        &self,
        transaction: &Transaction,
        value: &Value,
    ) -> Result<Option<NodeId>, GraphError> {
        if let Some(scanned) = &self.scanned {
            return Ok(id_of(value).and_then(|id| scanned.get(&id).copied()));
        }
        let found = transaction.find(&self.label, &[(&self.key, value.clone())])?;
        Ok(found.first().map(|node| node.id()))
    }

    /// Notes a node that the transaction has made.
    pub(super) fn add(&mut self, value: &Value, node: NodeId) {
        if let (Some(scanned), Some(id)) = (&mut self.scanned, id_of(value)) {
            scanned.insert(id, node);
        }
    }
}

/// A value as a key, if it can be one.
pub(super) fn id_of(value: &Value) -> Option<Id> {
    match value {
        Value::Integer(number) => Some(Id::Integer(*number)),
        Value::Text(text) if !text.is_empty() => Some(Id::Text(text.clone())),
        _ => None,
    }
}
