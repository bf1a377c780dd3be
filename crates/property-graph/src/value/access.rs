//! From Rust's types to values and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time, Value, ValueError,
};

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr;)*) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

from! {
    bool => |value| Value::Boolean(value);
    i64 => |value| Value::Integer(value);
    i32 => |value| Value::Integer(value.into());
    i16 => |value| Value::Integer(value.into());
    u32 => |value| Value::Integer(value.into());
    u16 => |value| Value::Integer(value.into());
    u8 => |value| Value::Integer(value.into());
    f64 => |value| Value::Float(value);
    f32 => |value| Value::Float(value.into());
    &str => |value| Value::Text(value.into());
    String => |value| Value::Text(value.into());
    Arc<str> => |value| Value::Text(value);
    Arc<[u8]> => |value| Value::Bytes(value);
    &[u8] => |value| Value::Bytes(value.into());
    Date => |value| Value::Date(value);
    Time => |value| Value::Time(value);
    LocalTime => |value| Value::LocalTime(value);
    DateTime => |value| Value::DateTime(value);
    LocalDateTime => |value| Value::LocalDateTime(value);
    Duration => |value| Value::Duration(value);
    Point => |value| Value::Point(value);
}

/// A list. Bytes are made from slices: `Value::from(&bytes[..])`.
impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

/// Null, if there is nothing.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>> From<BTreeMap<K, V>> for Value {
    fn from(entries: BTreeMap<K, V>) -> Self {
        let entries = entries.into_iter();
        Value::Map(Arc::new(
            entries
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        ))
    }
}

/// A list.
impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

/// Typed access: the content of a value of that type; `None` for any other, null among
/// them.
impl Value {
    /// Of a boolean.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Value::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Of an integer.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Of a float, and the nearest float of an integer.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(number) => Some(*number),
            Value::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }

    /// Of a text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Of bytes.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Of a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(values) => Some(values),
            _ => None,
        }
    }

    /// Of a map.
    pub fn as_map(&self) -> Option<&BTreeMap<Arc<str>, Value>> {
        match self {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }
}

macro_rules! try_from {
    ($($type:ty, $expected:literal, $pattern:pat => $made:expr;)*) => {
        $(impl TryFrom<Value> for $type {
            type Error = ValueError;

            #[inline]
            fn try_from(value: Value) -> Result<Self, ValueError> {
                match value {
                    $pattern => Ok($made),
                    other => Err(ValueError::WrongType {
                        expected: $expected,
                        found: other.type_name(),
                    }),
                }
            }
        })*
    };
}

try_from! {
    bool, "BOOLEAN", Value::Boolean(value) => value;
    i64, "INTEGER", Value::Integer(number) => number;
    Arc<str>, "STRING", Value::Text(text) => text;
    String, "STRING", Value::Text(text) => text.to_string();
    Arc<[u8]>, "BYTES", Value::Bytes(bytes) => bytes;
    Arc<[Value]>, "LIST", Value::List(values) => values;
    Arc<BTreeMap<Arc<str>, Value>>, "MAP", Value::Map(entries) => entries;
    Date, "DATE", Value::Date(value) => value;
    Time, "TIME", Value::Time(value) => value;
    LocalTime, "LOCAL TIME", Value::LocalTime(value) => value;
    DateTime, "DATETIME", Value::DateTime(value) => value;
    LocalDateTime, "LOCAL DATETIME", Value::LocalDateTime(value) => value;
    Duration, "DURATION", Value::Duration(value) => value;
    Point, "POINT", Value::Point(value) => value;
}

/// An integer becomes the nearest float.
impl TryFrom<Value> for f64 {
    type Error = ValueError;

    fn try_from(value: Value) -> Result<Self, ValueError> {
        value.as_float().ok_or(ValueError::WrongType {
            expected: "FLOAT",
            found: value.type_name(),
        })
    }
}
