//! Seeds that are made of golden databases and of values, for `fuzz/seeds`.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::value::codec::{NoTextCodes, encode};
use evergraph_property_graph::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time,
};
use evergraph_property_graph::{Properties, Value, ValueError};

use crate::databases;

/// By the target's name.
///
/// # Panics
/// Never: the values are some.
pub fn generated_seeds() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let unchanged = |goldens: u8| (0..2 * goldens).map(|first| vec![first]).collect();
    let values = values().expect("values");
    let mut all = Properties::new();
    let stored = |value: &Value| {
        let mut bytes = Vec::new();
        encode(value, &NoTextCodes, &mut bytes).expect("not deep");
        bytes
    };
    let each: Vec<Vec<u8>> = values.iter().map(stored).collect();
    values.into_iter().zip(1..).for_each(|(value, key)| {
        all.set(key, value);
    });
    let mut properties = Vec::new();
    all.encode(&mut properties).expect("not deep");
    vec![
        ("store", unchanged(5)),
        ("direct", unchanged(3)),
        ("property-graph", unchanged(1)),
        ("results", unchanged(2)),
        ("log", databases::payloads()),
        ("value", each),
        ("properties", vec![properties]),
    ]
}

/// One of each type.
pub fn values() -> Result<Vec<Value>, ValueError> {
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
