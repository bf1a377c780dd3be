//! The properties of one record.

use crate::dictionary::KeyCode;
use crate::value::Value;

/// Values by key code, ascending by key, without nulls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties(Vec<(KeyCode, Value)>);

impl Properties {
    /// No properties.
    pub fn new() -> Self {
        Properties::default()
    }

    /// The value of a key.
    pub fn get(&self, key: KeyCode) -> Option<&Value> {
        let at = self.0.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(&self.0[at].1)
    }

    /// Sets a key and gives what it was before; null removes it.
    pub fn set(&mut self, key: KeyCode, value: Value) -> Option<Value> {
        match (self.0.binary_search_by_key(&key, |entry| entry.0), value) {
            (Ok(at), Value::Null) => Some(self.0.remove(at).1),
            (Ok(at), value) => Some(std::mem::replace(&mut self.0[at].1, value)),
            (Err(_), Value::Null) => None,
            (Err(at), value) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes a key and gives its value.
    pub fn remove(&mut self, key: KeyCode) -> Option<Value> {
        self.set(key, Value::Null)
    }

    /// Keys and values, ascending by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyCode, &Value)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }

    /// Number of properties.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The last value of a key counts.
impl FromIterator<(KeyCode, Value)> for Properties {
    fn from_iter<I: IntoIterator<Item = (KeyCode, Value)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        // Stable: of equal keys the last given is the last.
        entries.sort_by_key(|entry| entry.0);
        let mut properties = Properties(Vec::with_capacity(entries.len()));
        for (key, value) in entries {
            match properties.0.last_mut() {
                Some(last) if last.0 == key => last.1 = value,
                _ => properties.0.push((key, value)),
            }
        }
        properties
            .0
            .retain(|(_, value)| !matches!(value, Value::Null));
        properties
    }
}
