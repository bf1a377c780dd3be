//! Property values: openCypher's types, with their order, their equality, their
//! literals and their stored form.

mod access;
mod amount;
mod calendar;
mod civil;
pub mod codec;
mod error;
mod iso;
mod literal;
mod order;
mod properties;
mod spatial;
mod temporal;
#[cfg(test)]
pub(crate) mod tests;
mod zone;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use error::ValueError;
pub use properties::Properties;
pub(crate) use properties::encode_entries;
pub use spatial::{CoordinateSystem, Point};
pub use temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
pub use zone::Zone;

/// Counts of an `Arc`.
const SHARED_BYTES: usize = 16;

/// One value. Cloning is cheap: long contents are shared.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Absent. A record never stores it: setting a property to null removes it.
    #[default]
    Null,
    /// True or false.
    Boolean(bool),
    /// 64 bits, signed.
    Integer(i64),
    /// IEEE 754, 64 bits.
    Float(f64),
    /// UTF-8.
    Text(Arc<str>),
    /// Raw bytes.
    Bytes(Arc<[u8]>),
    /// Values of any types, in order.
    List(Arc<[Value]>),
    /// Values by name.
    Map(Arc<BTreeMap<Arc<str>, Value>>),
    /// A day of the calendar.
    Date(Date),
    /// A time of day with its offset from UTC.
    Time(Time),
    /// A time of day.
    LocalTime(LocalTime),
    /// An instant, with the offset or the time zone that it is shown in.
    DateTime(DateTime),
    /// A day and a time of day, in no time zone.
    LocalDateTime(LocalDateTime),
    /// Months, days, seconds and nanoseconds, which do not convert into each
    /// other.
    Duration(Duration),
    /// A place in two or three dimensions.
    Point(Point),
}

impl Value {
    /// Name of the type, as Cypher writes it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "NULL",
            Value::Boolean(_) => "BOOLEAN",
            Value::Integer(_) => "INTEGER",
            Value::Float(_) => "FLOAT",
            Value::Text(_) => "STRING",
            Value::Bytes(_) => "BYTES",
            Value::List(_) => "LIST",
            Value::Map(_) => "MAP",
            Value::Date(_) => "DATE",
            Value::Time(_) => "TIME",
            Value::LocalTime(_) => "LOCAL TIME",
            Value::DateTime(_) => "DATETIME",
            Value::LocalDateTime(_) => "LOCAL DATETIME",
            Value::Duration(_) => "DURATION",
            Value::Point(_) => "POINT",
        }
    }

    /// Whether it is null.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Bytes of DRAM that it holds beside itself, about.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        match self {
            Value::Text(text) => SHARED_BYTES + text.len(),
            Value::Bytes(bytes) => SHARED_BYTES + bytes.len(),
            Value::List(_) | Value::Map(_) => self.heap_bytes_of_elements(),
            _ => 0,
        }
    }

    fn heap_bytes_of_elements(&self) -> usize {
        match self {
            Value::List(values) => {
                let inner: usize = values.iter().map(Value::heap_bytes).sum();
                SHARED_BYTES + size_of_val(&**values) + inner
            }
            Value::Map(entries) => {
                let of_entry = |(name, value): (&Arc<str>, &Value)| {
                    let entry = size_of::<(Arc<str>, Value)>();
                    SHARED_BYTES + name.len() + entry + value.heap_bytes()
                };
                SHARED_BYTES + entries.iter().map(of_entry).sum::<usize>()
            }
            _ => 0,
        }
    }

    /// Whether both are the same text, list, bytes or map in DRAM.
    pub(crate) fn shares(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) => Arc::ptr_eq(one, other),
            (Value::Bytes(one), Value::Bytes(other)) => Arc::ptr_eq(one, other),
            (Value::List(one), Value::List(other)) => Arc::ptr_eq(one, other),
            (Value::Map(one), Value::Map(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}
