//! The stored form of values and of properties.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use evergraph_property_graph::index::KeyRange;
use evergraph_property_graph::value::codec::{TextCodes, decode, encode};
use evergraph_property_graph::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time,
};
use evergraph_property_graph::{Properties, Value, ValueError};

/// Every tenth code is that of a text.
struct SomeCodes;

impl TextCodes for SomeCodes {
    fn code(&self, _: &str) -> Option<u32> {
        None
    }

    fn text(&self, code: u32) -> Option<Arc<str>> {
        code.is_multiple_of(10).then(|| "text".into())
    }
}

/// One of each type.
pub fn one_of_each() -> Result<Vec<Value>, ValueError> {
    let time = LocalTime::new(23, 59, 58, 7)?;
    let date = Date::new(2024, 2, 29)?;
    let instant = DateTime::from_seconds(1_700_000_000, 5, 3600)?;
    let list = Value::List([Value::from(1), "two".into(), Value::List([].into())].into());
    let map: BTreeMap<Arc<str>, Value> =
        [("a".into(), list.clone()), ("b".into(), true.into())].into();
    Ok(vec![
        Value::Boolean(true),
        Value::Integer(i64::MIN),
        Value::Float(-0.5),
        Value::from("Zürich"),
        Value::Bytes([0u8, 255, 7].into()),
        list,
        Value::Map(Arc::new(map)),
        Value::Date(date),
        Value::Time(Time::new(time, -3600)?),
        Value::LocalTime(time),
        Value::DateTime(instant.in_zone("Europe/Zurich")?),
        Value::LocalDateTime(LocalDateTime::of(date, time)),
        Value::Duration(Duration::new(1, -2, 3, 4)?),
        Value::Point(Point::new(CoordinateSystem::Wgs84, &[11.5, 48.25])?),
    ])
}

/// One value: what is read has a stored form, which is read as the same.
pub fn value(input: &[u8]) -> bool {
    let Ok(value) = decode(input, &SomeCodes) else {
        return false;
    };
    let stored = bytes_of(&value);
    let again = decode(&stored, &SomeCodes).expect("what was encoded can be read");
    assert_eq!(bytes_of(&again), stored, "{value} of {input:?}");
    assert_eq!(value.cmp(&again), std::cmp::Ordering::Equal, "{value}");
    value.equals(&again);
    value.to_string();
    KeyRange::between(&[], Bound::Included(&value), Bound::Unbounded);
    true
}

fn bytes_of(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(value, &SomeCodes, &mut bytes).expect("no deeper than what was read");
    bytes
}

/// Properties: all of them, and each by its key.
pub fn properties(input: &[u8]) -> bool {
    let Ok(properties) = Properties::decode_with(&SomeCodes, input) else {
        let _ = Properties::find(input, 1, &SomeCodes);
        return false;
    };
    for (key, value) in properties.iter() {
        let found = Properties::find(input, key, &SomeCodes).expect("all of it can be read");
        let found = found.expect("the key is there");
        assert_eq!(bytes_of(&found), bytes_of(value), "key {key}");
    }
    let mut stored = Vec::new();
    properties
        .encode_with(&SomeCodes, &mut stored)
        .expect("no deeper");
    assert!(Properties::decode_with(&SomeCodes, &stored).is_ok());
    true
}
