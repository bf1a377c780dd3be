//! Columns of values as Arrow arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::Array;
use arrow_ipc::reader::StreamReader;
use evergraph_io::arrow::{Kind, batch, schema, write_stream};
use evergraph_property_graph::Value;
use evergraph_property_graph::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalDateTime, LocalTime, Point,
};

fn kind_of(values: &[Value]) -> Kind {
    values.iter().map(Kind::of).fold(Kind::Null, Kind::with)
}

/// Values, the type of their column, and what Arrow shows of them.
fn shown(values: &[Value]) -> String {
    let kind = kind_of(values);
    let texts: Vec<Value> = values
        .iter()
        .map(|value| match (&kind, value) {
            (Kind::Json, value) if !value.is_null() => value.to_string().as_str().into(),
            (_, value) => value.clone(),
        })
        .collect();
    let array = kind.array(&texts);
    assert_eq!(array.len(), values.len());
    for (at, value) in values.iter().enumerate() {
        assert_eq!(
            array.is_null(at) || kind == Kind::Null,
            value.is_null(),
            "{values:?}"
        );
    }
    let field = kind.field("f");
    let json = field.metadata().values().any(|name| name == "arrow.json");
    assert_eq!(json, kind == Kind::Json);
    assert_eq!(field.data_type(), array.data_type());
    let mut written = Vec::new();
    let columns = schema([("f", &kind)]);
    let rows = batch(&columns, vec![Arc::clone(&array)], values.len()).unwrap();
    write_stream(&mut written, &columns, [Ok(rows)]).unwrap();
    let mut read = StreamReader::try_new(written.as_slice(), None).unwrap();
    assert_eq!(read.schema(), columns);
    let read = read.next().unwrap().unwrap();
    assert_eq!(read.column(0), &array);
    field.data_type().to_string()
}

fn moment(seconds: i64, nanoseconds: u32, offset: i32) -> Value {
    Value::DateTime(DateTime::from_seconds(seconds, nanoseconds, offset).unwrap())
}

fn local(seconds: i64, nanoseconds: u32) -> Value {
    Value::LocalDateTime(LocalDateTime::from_seconds(seconds, nanoseconds).unwrap())
}

#[test]
fn columns_have_the_type_of_their_values() {
    let null = Value::Null;
    let far = 300_000_000_000;
    let date = |days: i64| Value::Date(Date::from_days(days).unwrap());
    let time = Value::LocalTime(LocalTime::from_nanoseconds(1_000_000_001).unwrap());
    let duration = |months| Value::Duration(Duration::new(months, -3, 4, 5).unwrap());
    let point = Point::new(CoordinateSystem::Cartesian, &[1.0, 2.0]).unwrap();
    let map = Value::Map(Arc::new(BTreeMap::from([("a".into(), 1.into())])));
    for (values, expected) in [
        (vec![], "Null"),
        (vec![null.clone(), null.clone()], "Null"),
        (vec![1.into(), null.clone(), i64::MIN.into()], "Int64"),
        (
            vec![f64::NAN.into(), (-0.0).into(), 5e-324.into()],
            "Float64",
        ),
        (vec![true.into(), false.into(), null.clone()], "Boolean"),
        (vec!["".into(), "ä".into(), null.clone()], "Utf8"),
        (
            vec![Value::Bytes(vec![1, 0].into()), null.clone()],
            "Binary",
        ),
        (vec![date(-1), date(20_000), null.clone()], "Date32"),
        (vec![time.clone(), null.clone()], "Time64(ns)"),
        (vec![local(0, 1), local(-1, 999_999_999)], "Timestamp(ns)"),
        (vec![local(far, 1000), local(0, 2000)], "Timestamp(\u{b5}s)"),
        // Neither unit has both.
        (vec![local(far, 1000), local(0, 1)], "Utf8"),
        (
            vec![moment(0, 0, 0), moment(far, 0, 0)],
            "Timestamp(\u{b5}s, \"UTC\")",
        ),
        (
            vec![moment(0, 0, 3600), null.clone()],
            "Timestamp(ns, \"+01:00\")",
        ),
        (vec![moment(0, 0, 3600), moment(0, 0, 0)], "Utf8"),
        (vec![moment(0, 0, 61)], "Utf8"),
        (
            vec![duration(1), null.clone(), duration(-7)],
            "Interval(MonthDayNano)",
        ),
        (vec![duration(1 << 40)], "Utf8"),
        (
            vec![vec![1, 2].into(), Value::List([].into()), null.clone()],
            "List(Int64)",
        ),
        (
            vec![vec![vec![1.5]].into(), null.clone()],
            "List(List(Float64))",
        ),
        (vec![vec![1].into(), vec![1.5].into()], "Utf8"),
        (vec![1.into(), 1.5.into()], "Utf8"),
        (vec![1.into(), "a".into(), null.clone()], "Utf8"),
        (vec![map, null.clone()], "Utf8"),
        (vec![Value::Point(point)], "Utf8"),
    ] {
        let shown = shown(&values);
        let plain: String = shown.chars().filter(|c| !c.is_whitespace()).collect();
        let expected: String = expected.chars().filter(|c| !c.is_whitespace()).collect();
        assert_eq!(plain, expected, "{values:?}");
    }
}

/// The type of a column does not depend on the order of its values.
#[test]
fn types_are_joined_in_any_order() {
    let values = [
        Value::Null,
        1.into(),
        1.5.into(),
        local(0, 1),
        local(300_000_000_000, 1000),
        moment(0, 0, 0),
        moment(0, 0, 3600),
        vec![1].into(),
        Value::List([].into()),
        vec![1.5].into(),
    ];
    for a in &values {
        for b in &values {
            for c in &values {
                let one = kind_of(&[a.clone(), b.clone(), c.clone()]);
                let other = kind_of(&[c.clone(), a.clone(), b.clone()]);
                assert_eq!(one, other, "{a} {b} {c}");
            }
        }
    }
}
