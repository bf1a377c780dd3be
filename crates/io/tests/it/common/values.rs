//! Values of all types, and rows of them, for tests of what is written and read again.

use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time,
};
use proptest::prelude::*;

/// Properties of a row.
pub type Properties = Vec<(Arc<str>, Value)>;

fn point() -> impl Strategy<Value = Point> {
    let coordinate = -90.0..90.0_f64;
    (
        0..4_usize,
        [coordinate.clone(), coordinate.clone(), coordinate],
    )
        .prop_map(|(system, at)| {
            let system = [
                CoordinateSystem::Wgs84,
                CoordinateSystem::Wgs84Height,
                CoordinateSystem::Cartesian,
                CoordinateSystem::Cartesian3d,
            ][system];
            Point::new(system, &at[..system.dimensions()]).unwrap()
        })
}

/// A value of one of the types of columns; the number is the type.
pub fn scalar(kind: usize) -> BoxedStrategy<Value> {
    let local_time =
        (0..86_400_000_000_000_u64).prop_map(|n| LocalTime::from_nanoseconds(n).unwrap());
    let seconds = -60_000_000_000..200_000_000_000_i64;
    match kind {
        0 => any::<bool>().prop_map(Value::Boolean).boxed(),
        1 => any::<i64>().prop_map(Value::Integer).boxed(),
        2 => prop_oneof![
            any::<f64>(),
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(-0.0)
        ]
        .prop_map(Value::Float)
        .boxed(),
        3 => text().prop_map(|text| Value::Text(text.into())).boxed(),
        4 => prop::collection::vec(any::<u8>(), 0..5)
            .prop_map(|bytes| Value::Bytes(bytes.into()))
            .boxed(),
        5 => (-700_000..2_900_000_i32)
            .prop_map(|days| Value::Date(Date::from_days(days).unwrap()))
            .boxed(),
        6 => (local_time, -64_000..64_000_i32)
            .prop_map(|(time, offset)| Value::Time(Time::new(time, offset).unwrap()))
            .boxed(),
        7 => local_time.prop_map(Value::LocalTime).boxed(),
        8 => (seconds, 0..1_000_000_000_u32, -64_000..64_000_i32)
            .prop_map(|(s, n, offset)| {
                Value::DateTime(DateTime::from_seconds(s, n, offset).unwrap())
            })
            .boxed(),
        9 => (seconds, 0..1_000_000_000_u32)
            .prop_map(|(s, n)| Value::LocalDateTime(LocalDateTime::from_seconds(s, n).unwrap()))
            .boxed(),
        10 => (
            -10_000..10_000_i64,
            -10_000..10_000_i64,
            -10_000_000..10_000_000_i64,
            0..1_000_000_000_u32,
        )
            .prop_map(|(m, d, s, n)| Value::Duration(Duration::new(m, d, s, n).unwrap()))
            .boxed(),
        _ => point().prop_map(Value::Point).boxed(),
    }
}

/// Texts with all that files treat specially.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé,;|\"'<>&:{}\\\\ \t\n\r]{0,8}",
        "\\PC{0,6}",
        Just("\r\n".to_string()),
        Just("]]>".to_string()),
    ]
}

/// A name of a property, label or type that any header takes.
pub fn name() -> impl Strategy<Value = String> {
    "[a-zA-Zé_][a-zA-Z0-9é_,\"<&.-]{0,6}"
}

/// A typed column and its values in `rows` rows.
fn column(rows: usize) -> impl Strategy<Value = Vec<Option<Value>>> {
    (0..12_usize, any::<bool>()).prop_flat_map(move |(kind, list)| {
        let value = match list {
            true => prop::collection::vec(scalar(kind), 0..4)
                .prop_map(|all| Value::List(all.into()))
                .boxed(),
            false => scalar(kind),
        };
        prop::collection::vec(prop::option::of(value), rows)
    })
}

/// Properties of some rows, of the same types in all.
pub fn table(rows: usize) -> impl Strategy<Value = Vec<Properties>> {
    let names = prop::collection::btree_set(name(), 0..5);
    names.prop_flat_map(move |names| {
        let names: Vec<String> = names.into_iter().collect();
        prop::collection::vec(column(rows), names.len()).prop_map(move |columns| {
            let row = |at: usize| {
                let values = names.iter().zip(&columns);
                values
                    .filter_map(|(name, column)| Some((name.as_str().into(), column[at].clone()?)))
                    .collect()
            };
            (0..rows).map(row).collect()
        })
    })
}
