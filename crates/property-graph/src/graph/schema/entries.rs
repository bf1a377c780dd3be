//! An index or a constraint with what belongs to it.

use super::definition::{Rule, Stored, ValueType};
use super::new_index;
use crate::index::{Index, key};
use crate::records::NodeRecord;
use crate::value::Value;

/// An index or a constraint.
pub(in crate::graph) struct Entry {
    /// Tells it from the others; not given again.
    pub number: u32,
    /// What it says.
    pub stored: Stored,
    /// Its index, if it has one.
    pub index: Option<Index>,
}

impl Entry {
    pub fn new(number: u32, stored: Stored) -> Self {
        Entry {
            number,
            index: stored.rule.has_index().then(|| new_index(number)),
            stored,
        }
    }

    /// Where a property stands in the order of the keys.
    pub fn place_of(&self, key: u32) -> Option<usize> {
        self.stored.keys.iter().position(|&other| other == key)
    }

    /// Whether it is about a node.
    pub fn is_about(&self, record: &NodeRecord) -> bool {
        record.labels.binary_search(&self.stored.label).is_ok()
    }

    /// The key under which an index of these properties has a node; `None` if it
    /// does not have it.
    pub fn key_of(&self, record: &NodeRecord) -> Option<Vec<u8>> {
        match self.is_about(record) {
            true => key_of(record, &self.stored.keys),
            false => None,
        }
    }

    /// What a node lacks, if it does: not said of values that have to be unique.
    pub fn violation(&self, record: &NodeRecord) -> Option<&'static str> {
        if !self.is_about(record) {
            return None;
        }
        let rule = self.stored.rule;
        let mut values = self
            .stored
            .keys
            .iter()
            .map(|&key| record.properties.get(key));
        if rule.is_existence() && values.clone().any(|value| value.is_none()) {
            return Some("a property that has to be there is missing");
        }
        let Rule::Type(wanted) = rule else {
            return None;
        };
        let is_wrong = values.any(|value| value.is_some_and(|value| !is_of(value, wanted)));
        is_wrong.then_some("a property has a value of another type")
    }
}

/// The key of some properties of a node; `None` if one is missing.
pub(in crate::graph) fn key_of(record: &NodeRecord, keys: &[u32]) -> Option<Vec<u8>> {
    let values: Option<Vec<&Value>> = keys.iter().map(|&key| record.properties.get(key)).collect();
    key::encode(values?)
}

fn is_of(value: &Value, wanted: ValueType) -> bool {
    match wanted {
        ValueType::Boolean => matches!(value, Value::Boolean(_)),
        ValueType::Integer => matches!(value, Value::Integer(_)),
        ValueType::Float => matches!(value, Value::Float(_)),
        ValueType::Text => matches!(value, Value::Text(_)),
        ValueType::Bytes => matches!(value, Value::Bytes(_)),
        ValueType::List => matches!(value, Value::List(_)),
        ValueType::Map => matches!(value, Value::Map(_)),
        ValueType::Date => matches!(value, Value::Date(_)),
        ValueType::Time => matches!(value, Value::Time(_)),
        ValueType::LocalTime => matches!(value, Value::LocalTime(_)),
        ValueType::DateTime => matches!(value, Value::DateTime(_)),
        ValueType::LocalDateTime => matches!(value, Value::LocalDateTime(_)),
        ValueType::Duration => matches!(value, Value::Duration(_)),
        ValueType::Point => matches!(value, Value::Point(_)),
    }
}
