//! Parquet and Arrow.

use std::io::Cursor;
use std::sync::Arc;

use crate::common::{get, literal, message, node, read, relationship};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, StructArray, TimestampMillisecondArray, UInt64Array,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field};
use evergraph_io::interchange::columnar::{
    ColumnarOptions, ColumnarReader, ColumnarWriter, Format,
};
use evergraph_io::interchange::{
    Columns, ExternalId, Ids, InterchangeError, NodeRow, RelationshipRow, Row,
};
use evergraph_property_graph::Value;
use evergraph_property_graph::value::{Date, DateTime, LocalTime};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

/// A Parquet file of some columns, as another program would write it.
fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn reader(file: Vec<u8>, options: ColumnarOptions) -> Result<ColumnarReader, InterchangeError> {
    ColumnarReader::parquet("file.parquet", bytes::Bytes::from(file), options)
}

#[test]
fn files_of_other_programs_are_read_with_roles() {
    let countries = vec![Some("de"), None, Some("de")].into_iter();
    let countries: DictionaryArray<Int8Type> = countries.collect();
    let lists = vec![Some(vec![Some(1), Some(2)]), None, Some(vec![])];
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
    let inner = Arc::new(Field::new("k", DataType::Int64, true));
    let structs = StructArray::from(vec![(
        inner,
        Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef,
    )]);
    let file = parquet(vec![
        ("user", Arc::new(Int32Array::from(vec![7, 8, 9]))),
        ("kind", Arc::new(StringArray::from(vec!["A;B", "", "A"]))),
        (
            "name",
            Arc::new(StringArray::from(vec![Some("x"), None, Some("")])),
        ),
        ("ratio", Arc::new(Float32Array::from(vec![0.5, 1.0, 2.0]))),
        ("country", Arc::new(countries)),
        ("lists", Arc::new(lists)),
        ("map", Arc::new(structs)),
        (
            "at",
            Arc::new(TimestampMillisecondArray::from(vec![-1, 0, 1]).with_timezone("UTC")),
        ),
        (
            "local",
            Arc::new(TimestampMillisecondArray::from(vec![-1, 0, 1])),
        ),
        ("ns:urn", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        (
            "day:date",
            Arc::new(StringArray::from(vec!["2020-01-01"; 3])),
        ),
    ]);
    let options = ColumnarOptions {
        roles: vec![
            ("user".to_string(), ":ID(User)".to_string()),
            ("kind".to_string(), ":LABEL".to_string()),
        ],
        ..ColumnarOptions::default()
    };
    let rows = crate::common::rows(reader(file, options).unwrap());
    let first = node(&rows[0]);
    assert_eq!(first.id, Some(ExternalId::integer(7).within("User")));
    assert_eq!(*first.labels, ["A".into(), "B".into()]);
    for (name, value) in [
        ("name", "'x'"),
        ("ratio", "0.5"),
        ("country", "'de'"),
        ("lists", "[1, 2]"),
        ("map", "{k: 1}"),
        ("at", "datetime('1969-12-31T23:59:59.999Z')"),
        ("local", "localdatetime('1969-12-31T23:59:59.999')"),
        ("ns:urn", "1"),
        ("day", "date('2020-01-01')"),
    ] {
        assert_eq!(literal(&first.properties, name), value, "{name}");
    }
    let second = node(&rows[1]);
    assert!(second.labels.is_empty());
    for absent in ["name", "country", "lists"] {
        assert_eq!(get(&second.properties, absent), None);
    }
    assert_eq!(literal(&node(&rows[2]).properties, "lists"), "[]");
}

#[test]
fn relationships_and_streams_are_read() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            ":START_ID",
            Arc::new(StringArray::from(vec![Some("a"), None, Some("a")])),
        ),
        (":END_ID", Arc::new(StringArray::from(vec!["b"; 3]))),
        (
            ":TYPE",
            Arc::new(StringArray::from(vec![Some("KNOWS"), Some("X"), None])),
        ),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    // Rows are numbered over the batches.
    writer.write(&batch.slice(0, 1)).unwrap();
    writer.write(&batch.slice(1, 2)).unwrap();
    writer.finish().unwrap();
    let file = Cursor::new(writer.into_inner().unwrap());
    let reader = ColumnarReader::arrow_stream("f", file, ColumnarOptions::default()).unwrap();
    let found = read(reader);
    assert_eq!(&*relationship(found[0].as_ref().unwrap()).kind, "KNOWS");
    assert_eq!(
        found[1],
        Err("f:2: :START_ID: nothing is there".to_string())
    );
    assert_eq!(found[2], Err("f:3: :TYPE: nothing is there".to_string()));
}

#[test]
fn bad_cells_and_files_are_reported() {
    let file = parquet(vec![
        (
            ":ID",
            Arc::new(StringArray::from(vec!["a", "b", "c"])) as ArrayRef,
        ),
        ("big", Arc::new(UInt64Array::from(vec![1, u64::MAX, 2]))),
        (
            "day:date",
            Arc::new(StringArray::from(vec!["2020-01-01", "2020-01-01", "soon"])),
        ),
    ]);
    let found = read(reader(file.clone(), ColumnarOptions::default()).unwrap());
    assert!(found[0].is_ok());
    let expected = "file.parquet:2: big: the integer is above 2^63 - 1";
    assert_eq!(found[1], Err(expected.to_string()));
    let bad = found[2].as_ref().unwrap_err();
    assert!(
        bad.starts_with("file.parquet:3: day: \"soon\" is not a DATE"),
        "{bad}"
    );

    let error = message(reader(
        b"no parquet at all".to_vec(),
        ColumnarOptions::default(),
    ));
    assert!(error.starts_with("file.parquet:0: "), "{error}");
    let options = ColumnarOptions {
        roles: vec![("who".to_string(), ":ID".to_string())],
        ..ColumnarOptions::default()
    };
    let error = message(reader(file.clone(), options));
    assert_eq!(error, "file.parquet:0: there is no column \"who\"");
    // A damaged file is an error, in whatever byte.
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        if let Ok(reader) = reader(damaged, ColumnarOptions::default()) {
            let _ = reader.count();
        }
    }
}

/// Values of columns, by their numbers.
fn value(kind: usize, seed: i64) -> Value {
    let scalar = |kind| match kind {
        0 => Value::Boolean(seed % 2 == 0),
        1 => Value::Integer(seed),
        2 => Value::Float(seed as f64 / 3.0),
        3 => Value::Text(format!("t{seed}").into()),
        4 => Value::Bytes(seed.to_le_bytes().into()),
        5 => Value::Date(Date::from_days((seed % 1_000_000) as i32).unwrap()),
        6 => Value::LocalTime(
            LocalTime::from_nanoseconds(seed.unsigned_abs() % 86_400_000_000_000).unwrap(),
        ),
        _ => Value::DateTime(DateTime::from_seconds(seed % 1_000_000_000, 5, 3600).unwrap()),
    };
    match kind >= 8 {
        true => {
            let count = seed.unsigned_abs() % 3;
            Value::List((0..count).map(|_| scalar(kind - 8)).collect())
        }
        false => scalar(kind),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn files_read_as_they_were_written(
        kinds in prop::collection::vec(0..16_usize, 0..6),
        seeds in prop::collection::vec(prop::collection::vec(prop::option::of(any::<i64>()), 6), 1..6),
        names_have_colons: bool,
    ) {
        let name = |i: usize| -> Arc<str> {
            if names_have_colons { format!("a:{i}").into() } else { format!("a{i}").into() }
        };
        let properties: Vec<Vec<(Arc<str>, Value)>> = seeds.iter().map(|seeds| {
            let columns = kinds.iter().zip(seeds).enumerate();
            columns.filter_map(|(i, (kind, seed))| Some((name(i), value(*kind, (*seed)?)))).collect()
        }).collect();
        let mut columns = Columns::new();
        properties.iter().for_each(|properties| columns.observe(properties).unwrap());
        let nodes: Vec<Row> = properties.iter().enumerate().map(|(i, properties)| Row::Node(NodeRow {
            id: (i != 1).then(|| ExternalId::integer(i as i64).within("S")),
            labels: vec!["L;1".into(); usize::from(i.is_multiple_of(2))],
            properties: properties.clone(),
        })).collect();
        let relationships: Vec<Row> = properties.iter().map(|properties| Row::Relationship(RelationshipRow {
            source: ExternalId::text("a"),
            target: ExternalId::text("b").within("T"),
            kind: "K".into(),
            properties: properties.clone(),
        })).collect();
        for format in [Format::Parquet, Format::ArrowFile] {
            let mut writer = ColumnarWriter::nodes(Vec::new(), format, "S", Ids::Integers, &columns).unwrap();
            nodes.iter().for_each(|row| writer.write(row).unwrap());
            let found = again(writer.finish().unwrap(), format);
            prop_assert_eq!(format!("{:?}", nodes), format!("{:?}", found));
            let writer = ColumnarWriter::relationships(Vec::new(), format, "", "T", Ids::Texts, &columns);
            let mut writer = writer.unwrap();
            relationships.iter().for_each(|row| writer.write(row).unwrap());
            let found = again(writer.finish().unwrap(), format);
            prop_assert_eq!(format!("{:?}", relationships), format!("{:?}", found));
        }
    }
}

fn again(file: Vec<u8>, format: Format) -> Vec<Row> {
    let options = ColumnarOptions::default();
    match format {
        Format::Parquet => crate::common::rows(reader(file, options).unwrap()),
        Format::ArrowFile => crate::common::rows(
            ColumnarReader::arrow_file("f", Cursor::new(file), options).unwrap(),
        ),
    }
}

#[test]
fn days_that_the_formats_cannot_hold_are_refused() {
    let far = Value::Date("+999999999-12-31".parse().unwrap());
    for value in [far.clone(), Value::from_iter([far])] {
        let properties = vec![(Arc::from("day"), value)];
        let mut columns = Columns::new();
        columns.observe(&properties).unwrap();
        let writer =
            ColumnarWriter::nodes(Vec::new(), Format::Parquet, "", Ids::Integers, &columns);
        let row = Row::Node(NodeRow {
            id: Some(ExternalId::integer(1)),
            labels: Vec::new(),
            properties,
        });
        let refused = writer.unwrap().write(&row).unwrap_err().to_string();
        assert!(refused.contains("2^31 days"), "{refused}");
    }
}

#[test]
fn many_rows_go_over_several_batches() {
    let mut writer = ColumnarWriter::nodes(
        Vec::new(),
        Format::Parquet,
        "",
        Ids::Integers,
        &Columns::new(),
    )
    .unwrap();
    for id in 0..20_000 {
        let row = Row::Node(NodeRow {
            id: Some(ExternalId::integer(id)),
            labels: Vec::new(),
            properties: Vec::new(),
        });
        writer.write(&row).unwrap();
    }
    let found = again(writer.finish().unwrap(), Format::Parquet);
    assert_eq!(found.len(), 20_000);
    assert_eq!(node(&found[19_999]).id, Some(ExternalId::integer(19_999)));
}

#[test]
fn a_file_that_does_not_say_what_it_holds_is_refused() {
    let ids = || Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef;
    let file = || parquet(vec![("src", ids()), ("dst", ids())]);
    let refused = message(reader(file(), ColumnarOptions::default()));
    assert!(refused.contains("no column is called :ID"), "{refused}");
    let roles = [("src", ":START_ID"), ("dst", ":END_ID")];
    let options = ColumnarOptions {
        roles: roles.map(|(a, b)| (a.to_string(), b.to_string())).into(),
        kind: Some("KNOWS".into()),
        ..ColumnarOptions::default()
    };
    let rows = read(reader(file(), options).unwrap());
    assert_eq!(rows.len(), 2);
    let nameless = parquet(vec![(":ID", ids()), ("", ids())]);
    let refused = message(reader(nameless, ColumnarOptions::default()));
    assert!(refused.contains("none of :ID"), "{refused}");
}
