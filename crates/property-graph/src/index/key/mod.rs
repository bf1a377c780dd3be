//! Keys: tuples of values as bytes that order as the values do.
//!
//! Every value begins with a byte for its class, in openCypher's order of
//! classes, so that a range lies within one class. Integers and floats are one
//! class and compare as numbers. Keys are the same where values are equivalent
//! ([`Value`]'s order), and no key of a whole tuple is the beginning of another.

mod number;
mod range;

use std::borrow::Borrow;

use crate::value::Value;

pub use range::KeyRange;

/// Ends a text or a list.
const END: u8 = 0x00;
/// Stands before a byte of a text that would be taken for [`END`], or for this.
const ESCAPE: u8 = 0x01;

/// The class of a value, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Class {
    Map = 0x10,
    List = 0x14,
    Bytes = 0x16,
    Point = 0x18,
    DateTime = 0x1C,
    LocalDateTime = 0x20,
    Date = 0x24,
    Time = 0x28,
    LocalTime = 0x2C,
    Duration = 0x30,
    Text = 0x34,
    Boolean = 0x3C,
    Number = 0x40,
    /// Only within lists and maps.
    Null = 0x44,
}

impl Class {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Class::Null,
            Value::Boolean(_) => Class::Boolean,
            Value::Integer(_) | Value::Float(_) => Class::Number,
            Value::Text(_) => Class::Text,
            Value::Bytes(_) => Class::Bytes,
            Value::List(_) => Class::List,
            Value::Map(_) => Class::Map,
            Value::Date(_) => Class::Date,
            Value::Time(_) => Class::Time,
            Value::LocalTime(_) => Class::LocalTime,
            Value::DateTime(_) => Class::DateTime,
            Value::LocalDateTime(_) => Class::LocalDateTime,
            Value::Duration(_) => Class::Duration,
            Value::Point(_) => Class::Point,
        }
    }
}

/// The key of a tuple of values; `None` if one of them is null: a record that lacks a
/// property is in no index over it.
pub fn encode<'v>(values: impl IntoIterator<Item = &'v Value>) -> Option<Vec<u8>> {
    encode_found(values.into_iter().map(Some))
}

/// As [`encode`], of values of which some may not be there.
pub fn encode_found<V: Borrow<Value>>(
    values: impl IntoIterator<Item = Option<V>>,
) -> Option<Vec<u8>> {
    let mut key = Vec::with_capacity(24);
    push_found(values, &mut key).then_some(key)
}

/// Puts the key of a tuple behind others; whether it has one. If not, a part of it may be
/// there.
pub fn push_found<V: Borrow<Value>>(
    values: impl IntoIterator<Item = Option<V>>,
    keys: &mut Vec<u8>,
) -> bool {
    for value in values {
        match value.as_ref().map(V::borrow) {
            None | Some(Value::Null) => return false,
            Some(value) => push_value(value, keys),
        }
    }
    true
}

/// The key of all tuples that are equal to one; `None` if none is: nothing equals
/// null or NaN, nor a list or a map that has one.
pub fn encode_equal<'v>(values: impl IntoIterator<Item = &'v Value>) -> Option<Vec<u8>> {
    let equals_itself = |value: &&Value| value.equals(value) == Some(true);
    // One that does not ends the key.
    encode_found(
        values
            .into_iter()
            .map(|value| Some(value).filter(equals_itself)),
    )
}

fn push_value(value: &Value, key: &mut Vec<u8>) {
    key.push(Class::of(value) as u8);
    match value {
        Value::Null => {}
        Value::Boolean(value) => key.push(u8::from(*value)),
        Value::Integer(value) => number::push_integer(*value, key),
        Value::Float(value) => number::push_float(*value, key),
        Value::Text(text) => push_text(text.as_bytes(), key),
        Value::Bytes(bytes) => push_text(bytes, key),
        Value::List(values) => {
            values.iter().for_each(|value| push_value(value, key));
            key.push(END);
        }
        Value::Map(values) => {
            // Smaller ones come first, then names decide, then values.
            key.extend_from_slice(&(values.len() as u32).to_be_bytes());
            values
                .keys()
                .for_each(|name| push_text(name.as_bytes(), key));
            values.values().for_each(|value| push_value(value, key));
        }
        Value::Date(date) => push_signed(date.days(), key),
        Value::Time(time) => {
            push_signed(time.instant(), key);
            push_offset(time.offset(), key);
        }
        Value::LocalTime(time) => key.extend_from_slice(&time.nanoseconds().to_be_bytes()),
        Value::DateTime(moment) => {
            push_moment(moment.seconds(), moment.nanoseconds(), key);
            push_offset(moment.offset(), key);
            if let Some(zone) = moment.zone() {
                // No zone comes before any.
                key.push(ESCAPE);
                push_escaped(zone.as_bytes(), key);
            }
            key.push(END);
        }
        Value::LocalDateTime(moment) => push_moment(moment.seconds(), moment.nanoseconds(), key),
        Value::Duration(duration) => push_duration(*duration, key),
        Value::Point(point) => {
            key.push(point.system() as u8);
            for &coordinate in point.coordinates() {
                number::push_ordered_bits(coordinate, key);
            }
        }
    }
}

/// Bytes with an end that is less than whatever may follow.
fn push_text(text: &[u8], key: &mut Vec<u8>) {
    push_escaped(text, key);
    key.push(END);
}

fn push_escaped(text: &[u8], key: &mut Vec<u8>) {
    for &byte in text {
        if byte <= ESCAPE {
            key.push(ESCAPE);
            key.push(byte + 1);
        } else {
            key.push(byte);
        }
    }
}

/// Eight bytes; the sign bit is turned over, so that negative ones come first.
fn push_signed(value: i64, key: &mut Vec<u8>) {
    key.extend_from_slice(&((value as u64) ^ (1 << 63)).to_be_bytes());
}

fn push_moment(seconds: i64, nanoseconds: u32, key: &mut Vec<u8>) {
    push_signed(seconds, key);
    key.extend_from_slice(&nanoseconds.to_be_bytes());
}

/// Three bytes for seconds of at most a day either way.
fn push_offset(seconds: i32, key: &mut Vec<u8>) {
    let [_, bytes @ ..] = ((seconds as u32) ^ (1 << 23)).to_be_bytes();
    key.extend_from_slice(&bytes);
}

/// By length on average, then by months and days; seconds follow from those.
fn push_duration(duration: crate::value::Duration, key: &mut Vec<u8>) {
    const SECONDS_OF_MONTH: i128 = 2_629_746;
    const SECONDS_OF_DAY: i128 = 86_400;
    let seconds = i128::from(duration.months()) * SECONDS_OF_MONTH
        + i128::from(duration.days()) * SECONDS_OF_DAY
        + i128::from(duration.seconds());
    let nanoseconds = seconds * 1_000_000_000 + i128::from(duration.nanoseconds());
    key.extend_from_slice(&((nanoseconds as u128) ^ (1 << 127)).to_be_bytes());
    push_signed(duration.months(), key);
    push_signed(duration.days(), key);
}
