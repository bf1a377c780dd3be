//! The text of a node, and the number that stands for it.

use std::net::Ipv6Addr;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::Node;
use siphasher::sip128::SipHasher13;

use crate::fulltext::definition::TextDefinition;

/// One text that a node had, has or will have: 128 bits of a keyed hash of node and
/// text. The library's only type of so many bits is that of addresses.
pub(crate) type Version = Ipv6Addr;

/// The texts of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) node: u32,
    pub(crate) version: Version,
    pub(crate) values: Vec<String>,
}

/// Knows texts of one index.
pub(crate) struct Texts {
    definition: TextDefinition,
    key: [u8; 16],
}

impl Texts {
    /// `key` is that of the database: without knowing it, two texts with the same number
    /// cannot be constructed.
    pub(crate) fn new(definition: TextDefinition, key: [u8; 16]) -> Self {
        Texts { definition, key }
    }

    pub(crate) fn definition(&self) -> &TextDefinition {
        &self.definition
    }

    /// The text of a node; `None` if it has none of the labels, or of the properties.
    pub(crate) fn of(&self, node: &Node) -> Option<Text> {
        let mut labels = self.definition.labels.iter();
        if !labels.any(|label| node.has_label(label)) {
            return None;
        }
        let mut values = Vec::new();
        for key in &self.definition.keys {
            add(node.get(key), &mut values);
        }
        let id = node.id().0;
        (!values.is_empty()).then(|| Text {
            node: id,
            version: self.version(id, &values),
            values,
        })
    }

    fn version(&self, node: u32, values: &[String]) -> Version {
        let mut bytes = node.to_le_bytes().to_vec();
        for value in values {
            bytes.extend((value.len() as u64).to_le_bytes());
            bytes.extend(value.as_bytes());
        }
        let hasher = SipHasher13::new_with_key(&self.key);
        Version::from(hasher.hash(&bytes).as_u128())
    }
}

/// Adds what a property has of text.
fn add(value: Option<&Value>, values: &mut Vec<String>) {
    match value {
        Some(Value::Text(text)) => values.push(text.to_string()),
        Some(Value::List(list)) => {
            for value in list.iter() {
                if let Value::Text(text) = value {
                    values.push(text.to_string());
                }
            }
        }
        _ => {}
    }
}
