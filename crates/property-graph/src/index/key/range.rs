//! Ranges of keys.

use std::ops::Bound;

use super::{Class, encode_equal, push_escaped, push_value};
use crate::value::Value;

/// Keys from one on, up to another exclusively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The first.
    pub(in crate::index) from: Vec<u8>,
    /// The first behind it; `None` if there is no end.
    pub(in crate::index) to: Option<Vec<u8>>,
}

impl KeyRange {
    /// One key, as [`super::encode`] gives it.
    pub fn exactly(key: &[u8]) -> Self {
        KeyRange {
            from: key.to_vec(),
            // The first behind it.
            to: Some([key, &[0]].concat()),
        }
    }

    /// All keys from one to another, both included.
    pub fn within(least: &[u8], most: &[u8]) -> Self {
        KeyRange {
            from: least.to_vec(),
            ..Self::exactly(most)
        }
    }

    /// The key, if it is only one.
    pub fn only_key(&self) -> Option<&[u8]> {
        let (last, beginning) = self.to.as_deref()?.split_last()?;
        (*last == 0 && *beginning == *self.from).then_some(&*self.from)
    }

    /// First key of the range.
    pub fn from(&self) -> &[u8] {
        &self.from
    }

    /// The first key behind it; `None` if there is no end.
    pub fn to(&self) -> Option<&[u8]> {
        self.to.as_deref()
    }

    /// Whether a key, not cut, lies in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.from <= *key && self.to.as_deref().is_none_or(|to| key < to)
    }

    /// All keys: of the records that have all properties of the index.
    pub fn all() -> Self {
        KeyRange {
            from: Vec::new(),
            to: None,
        }
    }

    /// No key.
    pub fn nothing() -> Self {
        KeyRange {
            from: Vec::new(),
            to: Some(Vec::new()),
        }
    }

    /// The keys whose first values are these: all of them for a lookup, some for
    /// a part of a composite key. Nothing equals null or NaN ([`Value::equals`]).
    pub fn equal<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        match encode_equal(values) {
            Some(beginning) => Self::beginning(beginning),
            None => Self::nothing(),
        }
    }

    /// The keys whose first values are `leading`, and the next of which lies
    /// between two bounds. Values of another class than the bounds' are not in
    /// it; NaN is neither less nor greater than any number, so that it is in none,
    /// and nothing is between NaN and anything. With no bound at all it is whatever
    /// begins with `leading`, NaN as well. Lists, maps, durations and points lie
    /// between others as they are sorted.
    pub fn between(leading: &[Value], lower: Bound<&Value>, upper: Bound<&Value>) -> Self {
        let Some(leading) = encode_equal(leading) else {
            return Self::nothing();
        };
        let class = match (of_bound(lower), of_bound(upper)) {
            (None, None) => return Self::beginning(leading),
            (Some(Class::Null), _) | (_, Some(Class::Null)) => return Self::nothing(),
            _ if is_nan(lower) || is_nan(upper) => return Self::nothing(),
            (Some(lower), Some(upper)) if lower != upper => return Self::nothing(),
            (Some(class), _) | (None, Some(class)) => class,
        };
        let key = |value: &Value| {
            let mut key = leading.clone();
            push_value(value, &mut key);
            key
        };
        let mut whole_class = leading.clone();
        whole_class.push(class as u8);
        let from = match lower {
            Bound::Included(value) => key(value),
            // Keys with this prefix are equal in this value.
            Bound::Excluded(value) => match successor(key(value)) {
                Some(behind) => behind,
                None => return Self::nothing(),
            },
            Bound::Unbounded => whole_class.clone(),
        };
        let to = match upper {
            Bound::Included(value) => successor(key(value)),
            Bound::Excluded(value) => Some(key(value)),
            // NaN is the last of the numbers.
            Bound::Unbounded if class == Class::Number => Some(key(&Value::Float(f64::NAN))),
            Bound::Unbounded => successor(whole_class),
        };
        KeyRange { from, to }
    }

    /// The keys whose first values are `leading`, and the next of which is a text
    /// that begins with `prefix`.
    pub fn starting_with(leading: &[Value], prefix: &str) -> Self {
        let Some(mut beginning) = encode_equal(leading) else {
            return Self::nothing();
        };
        beginning.push(Class::Text as u8);
        push_escaped(prefix.as_bytes(), &mut beginning);
        Self::beginning(beginning)
    }

    /// The range of keys that were cut to `len` bytes; it may hold more.
    pub(in crate::index) fn cut(&self, len: usize) -> Self {
        let from = self.from[..self.from.len().min(len)].to_vec();
        let to = self.to.as_ref().map(|to| match to.get(..len) {
            Some(beginning) if to.len() > len => [beginning, &[0]].concat(),
            _ => to.clone(),
        });
        KeyRange { from, to }
    }

    fn beginning(beginning: Vec<u8>) -> Self {
        KeyRange {
            to: successor(beginning.clone()),
            from: beginning,
        }
    }
}

fn of_bound(bound: Bound<&Value>) -> Option<Class> {
    match bound {
        Bound::Included(value) | Bound::Excluded(value) => Some(Class::of(value)),
        Bound::Unbounded => None,
    }
}

fn is_nan(bound: Bound<&Value>) -> bool {
    match bound {
        Bound::Included(Value::Float(number)) | Bound::Excluded(Value::Float(number)) => {
            number.is_nan()
        }
        _ => false,
    }
}

/// The first key behind all that begin with these bytes.
fn successor(mut key: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = key.pop() {
        if last < u8::MAX {
            key.push(last + 1);
            return Some(key);
        }
    }
    None
}
