//! Names of nodes: their keys, by which imports tell them apart.

use std::sync::Arc;

use super::PropertyGraph;
use super::entity::Node;
use super::error::GraphError;
use super::ids::NodeId;
use super::import_key::ImportKey;
use super::view::View;
use crate::value::Value;

/// The keys that imports have given to labels; nodes of these labels are named by them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeNames {
    /// Label and property.
    keys: Arc<[(String, String)]>,
}

impl NodeNames {
    /// The keys of a graph, as of now.
    pub fn of(graph: &PropertyGraph) -> Self {
        let keys = ImportKey::all_of(graph).into_iter();
        NodeNames {
            keys: keys.map(|key| (key.label, key.property)).collect(),
        }
    }

    /// Whether no label has a key: then nodes have no names but their ids.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys, as in `Person.id`.
    pub fn texts(&self) -> Vec<String> {
        let keys = self.keys.iter();
        keys.map(|(label, property)| format!("{label}.{property}"))
            .collect()
    }

    /// Value of a node's key; of several that of the first label with one. `None` if it
    /// has none.
    pub fn value<'n>(&self, node: &'n Node) -> Option<&'n Value> {
        let mut keys = self.keys.iter();
        keys.find_map(|(label, property)| match node.has_label(label) {
            true => node.get(property),
            false => None,
        })
    }

    /// Name of a node: the value of its key, or else its id, such as `node 7`, and the
    /// number alone where no label has a key.
    pub fn name(&self, node: &Node) -> Value {
        match self.value(node) {
            Some(value) => value.clone(),
            None if self.is_empty() => Value::Integer(node.id().0.into()),
            None => Value::Text(node.id().to_string().into()),
        }
    }

    /// As [`NodeNames::name`], as a text.
    pub fn text(&self, node: &Node) -> String {
        match self.name(node) {
            Value::Text(text) => text.to_string(),
            other => other.to_string(),
        }
    }

    /// The nodes of a name, ascending: several if labels share a value. A number is a
    /// node's id only where no label has a key. Costs a look-up in the index of each key.
    ///
    /// # Errors
    /// Damage.
    pub fn find(&self, view: &View, name: &str) -> Result<Vec<NodeId>, GraphError> {
        let mut found = Vec::new();
        for (label, property) in self.keys.iter() {
            let number = name.parse().map(Value::Integer);
            for value in [Some(Value::Text(name.into())), number.ok()] {
                let Some(value) = value else { continue };
                let nodes = view.find(label, &[(property, value)])?;
                found.extend(nodes.iter().map(Node::id));
            }
        }
        let id = match self.is_empty() {
            true => Some(name),
            false => name.strip_prefix("node "),
        };
        if let (true, Some(id)) = (found.is_empty(), id.and_then(|id| id.parse().ok())) {
            found.extend(view.node(NodeId(id))?.map(|node| node.id()));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
