//! The properties of one record.

use std::sync::Arc;

use crate::bytes::{Reader, Wrong, put_varint};
use crate::dictionary::KeyCode;
use crate::value::codec::{NoTextCodes, TextCodes, skip, take};
use crate::value::{Value, ValueError, codec};

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

    /// Sets a key and returns its old value; null removes it.
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

    /// Keys whose values do not have the same stored form, ascending.
    pub(crate) fn differences(&self, other: &Properties) -> Vec<KeyCode> {
        let (mut keys, mut others) = (Vec::new(), other.0.iter().peekable());
        for (key, value) in &self.0 {
            while let Some((added, _)) = others.next_if(|entry| entry.0 < *key) {
                keys.push(*added);
            }
            match others.next_if(|entry| entry.0 == *key) {
                Some((_, other)) if is_stored_alike(value, other) => {}
                _ => keys.push(*key),
            }
        }
        keys.extend(others.map(|entry| entry.0));
        keys
    }

    /// Number of properties.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends the stored form, without codes for texts, as commit payloads have it.
    ///
    /// # Errors
    /// [`ValueError::TooDeep`]; `bytes` may then end in a part of it.
    pub fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), ValueError> {
        self.encode_with(&NoTextCodes, bytes)
    }

    /// Decodes the output of [`Properties::encode`], which all of `bytes` has to be.
    ///
    /// # Errors
    /// [`ValueError::Damaged`]; no bytes make it panic.
    pub fn decode(bytes: &[u8]) -> Result<Self, ValueError> {
        Self::decode_with(&NoTextCodes, bytes)
    }

    /// As [`Properties::encode`], with codes for texts that have some. Number of
    /// properties, then for each the growth of the key code and the value.
    pub fn encode_with(
        &self,
        codes: &dyn TextCodes,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ValueError> {
        let entries = self.0.iter().map(|(key, value)| (*key, value));
        encode_with(entries, codes, bytes)
    }

    /// As [`Properties::decode`], with codes for texts.
    pub fn decode_with(codes: &dyn TextCodes, bytes: &[u8]) -> Result<Self, ValueError> {
        let mut reader = Reader::new(bytes);
        Self::take(&mut reader, codes).map_err(|what| ValueError::Damaged {
            at: reader.position(),
            what,
        })
    }

    fn take(reader: &mut Reader<'_>, codes: &dyn TextCodes) -> Result<Self, Wrong> {
        let mut keys = Keys::begin(reader)?;
        let mut entries = Vec::with_capacity(keys.left);
        while let Some(key) = keys.next(reader)? {
            match take(reader, codes, 0)? {
                Value::Null => return Err("a property is null"),
                value => entries.push((key, value)),
            }
        }
        match reader.is_empty() {
            true => Ok(Properties(entries)),
            false => Err("something follows the properties"),
        }
    }

    /// One value of stored properties, without making anything of the others.
    ///
    /// # Errors
    /// As [`Properties::decode`], as far as the bytes are looked at.
    pub fn find(
        bytes: &[u8],
        key: KeyCode,
        codes: &dyn TextCodes,
    ) -> Result<Option<Value>, ValueError> {
        let mut reader = Reader::new(bytes);
        Self::find_in(&mut reader, key, codes).map_err(|what| ValueError::Damaged {
            at: reader.position(),
            what,
        })
    }

    fn find_in(
        reader: &mut Reader<'_>,
        wanted: KeyCode,
        codes: &dyn TextCodes,
    ) -> Result<Option<Value>, Wrong> {
        let mut keys = Keys::begin(reader)?;
        while let Some(key) = keys.next(reader)? {
            if key >= wanted {
                return match key == wanted {
                    true => take(reader, codes, 0).map(Some),
                    false => Ok(None),
                };
            }
            skip(reader)?;
        }
        Ok(None)
    }

    /// Bytes of DRAM that they hold beside themselves, about.
    pub(crate) fn heap_bytes(&self) -> usize {
        let entries = self.0.capacity() * size_of::<(KeyCode, Value)>();
        entries
            + self
                .0
                .iter()
                .map(|(_, value)| value.heap_bytes())
                .sum::<usize>()
    }
}

/// Appends the stored form of properties, ascending by key and without nulls, as
/// [`Properties::encode`] writes it.
///
/// # Errors
/// As [`Properties::encode`].
pub(crate) fn encode_entries<'v>(
    entries: impl Iterator<Item = (KeyCode, &'v Value)> + Clone,
    bytes: &mut Vec<u8>,
) -> Result<(), ValueError> {
    encode_with(entries, &NoTextCodes, bytes)
}

fn encode_with<'v>(
    entries: impl Iterator<Item = (KeyCode, &'v Value)> + Clone,
    codes: &dyn TextCodes,
    bytes: &mut Vec<u8>,
) -> Result<(), ValueError> {
    put_varint(bytes, entries.clone().count() as u64);
    let mut before = 0;
    for (key, value) in entries {
        put_varint(bytes, u64::from(key - before));
        codec::encode(value, codes, bytes)?;
        before = key;
    }
    Ok(())
}

/// Whether two values have the same stored form. Not equality: 1 equals 1.0, and 0.0
/// equals −0.0.
fn is_stored_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => one == other,
        (Value::Text(one), Value::Text(other)) => Arc::ptr_eq(one, other) || one == other,
        (Value::Bytes(one), Value::Bytes(other)) => Arc::ptr_eq(one, other) || one == other,
        (Value::List(one), Value::List(other)) if Arc::ptr_eq(one, other) => true,
        (Value::Map(one), Value::Map(other)) if Arc::ptr_eq(one, other) => true,
        _ => {
            let stored = |value| {
                let mut bytes = Vec::new();
                codec::encode(value, &NoTextCodes, &mut bytes)
                    .ok()
                    .map(|()| bytes)
            };
            // A value that cannot be stored is refused when it is encoded.
            stored(one).is_some_and(|one| stored(other) == Some(one))
        }
    }
}

/// The keys of stored properties, between which the values stand.
struct Keys {
    left: usize,
    last: Option<KeyCode>,
}

impl Keys {
    fn begin(reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        Ok(Keys {
            left: reader.count()?,
            last: None,
        })
    }

    /// The next key; its value comes next in the reader.
    fn next(&mut self, reader: &mut Reader<'_>) -> Result<Option<KeyCode>, Wrong> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let growth = reader.varint_u32()?;
        let key = match self.last {
            None => growth,
            Some(_) if growth == 0 => return Err("a key is there twice"),
            Some(last) => last.checked_add(growth).ok_or("a key is impossible")?,
        };
        self.last = Some(key);
        Ok(Some(key))
    }
}

impl IntoIterator for Properties {
    type Item = (KeyCode, Value);
    type IntoIter = std::vec::IntoIter<(KeyCode, Value)>;

    /// Keys and values, ascending by key.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
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
