//! Round trips: rows that are written read as the same rows, in every format and for any
//! values; values that a format cannot hold are refused and never written as something
//! else.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::message;
use crate::common::values::{Properties, name, scalar, table, text};
use evergraph_io::interchange::csv::{
    LdbcName, LdbcReader, LdbcWriter, Naming, Neo4jOptions, Neo4jReader, Neo4jWriter,
};
use evergraph_io::interchange::graphml::{GraphMlOptions, GraphMlReader, GraphMlWriter};
use evergraph_io::interchange::json_lines::{JsonLinesReader, JsonLinesWriter};
use evergraph_io::interchange::{
    Columns, ExternalId, Ids, InterchangeError, NodeRow, RelationshipRow, Row,
};
use evergraph_property_graph::Value;
use proptest::prelude::*;

fn columns(rows: &[Properties]) -> Columns {
    let mut columns = Columns::new();
    rows.iter()
        .for_each(|properties| columns.observe(properties).unwrap());
    columns
}

fn nodes(rows: &[Properties], labels: &[String]) -> Vec<Row> {
    let mut distinct: Vec<Arc<str>> = labels.iter().map(|label| label.as_str().into()).collect();
    distinct.dedup();
    let node = |(i, properties): (usize, &Properties)| {
        Row::Node(NodeRow {
            id: Some(ExternalId::text(&format!("n\"{i}"))),
            labels: distinct.clone(),
            properties: properties.clone(),
        })
    };
    rows.iter().enumerate().map(node).collect()
}

fn relationships(rows: &[Properties], kind: &str) -> Vec<Row> {
    let relationship = |properties: &Properties| {
        Row::Relationship(RelationshipRow {
            source: ExternalId::text("a,b"),
            target: ExternalId::text("c"),
            kind: kind.into(),
            properties: properties.clone(),
        })
    };
    rows.iter().map(relationship).collect()
}

/// The rows that could be written.
fn written(rows: &[Row], mut write: impl FnMut(&Row) -> Result<(), InterchangeError>) -> Vec<Row> {
    let is_written = |row: &&Row| match write(row) {
        Ok(()) => true,
        Err(InterchangeError::Unwritable { .. }) => false,
        Err(other) => panic!("{other}"),
    };
    rows.iter().filter(is_written).cloned().collect()
}

/// Equal to the bit: NaN is itself, and 0.0 is not -0.0.
fn same(a: &[Row], b: &[Row]) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

fn neo4j(rows: &[Row], columns: &Columns, is_nodes: bool) -> (Vec<Row>, Vec<Row>) {
    let mut writer = match is_nodes {
        true => Neo4jWriter::nodes(Vec::new(), "", Ids::Texts, columns),
        false => Neo4jWriter::relationships(Vec::new(), "", "", Ids::Texts, columns),
    }
    .unwrap();
    let expected = written(rows, |row| writer.write(row));
    let file = writer.finish().unwrap();
    let reader = Neo4jReader::new("f", &file[..], Neo4jOptions::default()).unwrap();
    (expected, crate::common::rows(reader))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn neo4j_files_read_as_they_were_written(
        rows in (1..5_usize).prop_flat_map(table),
        labels in prop::collection::vec(name(), 0..3),
        kind in name(),
    ) {
        let columns = columns(&rows);
        for (rows, is_nodes) in [(nodes(&rows, &labels), true), (relationships(&rows, &kind), false)] {
            let (expected, found) = neo4j(&rows, &columns, is_nodes);
            prop_assert!(same(&expected, &found), "{expected:?}\n{found:?}");
        }
    }

    #[test]
    fn json_lines_read_as_they_were_written(
        rows in (1..5_usize).prop_flat_map(table),
        maps in prop::collection::vec((text(), scalar(3)), 0..3),
        labels in prop::collection::vec(name(), 0..3),
        kind in name(),
    ) {
        let mut rows: Vec<Row> = [nodes(&rows, &labels), relationships(&rows, &kind)].concat();
        let map: BTreeMap<Arc<str>, Value> = maps.into_iter().map(|(name, value)| (format!("${name}").into(), value)).collect();
        rows.push(Row::Node(NodeRow {
            id: None,
            labels: Vec::new(),
            properties: vec![("m".into(), Value::Map(Arc::new(map)))],
        }));
        let mut writer = JsonLinesWriter::new(Vec::new());
        rows.iter().for_each(|row| writer.write(row).unwrap());
        let file = writer.finish().unwrap();
        let mut found = crate::common::rows(JsonLinesReader::new("f", &file[..]));
        // Members of an object have no order; serde_json sorts them by name.
        for row in rows.iter_mut().chain(&mut found) {
            match row {
                Row::Node(node) => node.properties.sort_by(|a, b| a.0.cmp(&b.0)),
                Row::Relationship(row) => row.properties.sort_by(|a, b| a.0.cmp(&b.0)),
            }
        }
        prop_assert!(same(&rows, &found), "{rows:?}\n{found:?}");
    }

    #[test]
    fn graphml_reads_as_it_was_written(
        rows in (1..5_usize).prop_flat_map(table),
        labels in prop::collection::vec(name(), 0..3),
        kind in name(),
    ) {
        let columns = columns(&rows);
        let rows: Vec<Row> = [nodes(&rows, &labels), relationships(&rows, &kind)].concat();
        let mut writer = GraphMlWriter::new(Vec::new(), &columns, &columns).unwrap();
        let expected = written(&rows, |row| writer.write(row));
        let file = writer.finish().unwrap();
        let found = crate::common::rows(GraphMlReader::new("f", &file[..], GraphMlOptions::default()));
        prop_assert!(same(&expected, &found), "{expected:?}\n{found:?}");
    }

    #[test]
    fn readers_survive_any_bytes(bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"\",;|\n\r<>/&:{}[]()= aD1'".to_vec())], 0..200)) {
        let csv = [&b":ID,a:int[],p:point,:LABEL\n"[..], &bytes].concat();
        let _ = Neo4jReader::new("f", &csv[..], Neo4jOptions::default()).unwrap().count();
        let _ = Neo4jReader::new("f", &bytes[..], Neo4jOptions::default()).map(Iterator::count);
        let _ = JsonLinesReader::new("f", &bytes[..]).count();
        let _ = GraphMlReader::new("f", &bytes[..], GraphMlOptions::default()).count();
        let xml = [&b"<graphml><graph><node id='1'>"[..], &bytes].concat();
        let _ = GraphMlReader::new("f", &xml[..], GraphMlOptions::default()).count();
        let ldbc = [&b"id|creationDate|email\n"[..], &bytes].concat();
        let name = LdbcName::of("person.csv").unwrap();
        let _ = LdbcReader::new("f", &ldbc[..], &name, Naming::Cypher).unwrap().count();
    }
}

#[test]
fn ldbc_files_read_as_they_were_written() {
    let text = "id|firstName|birthday|creationDate|email\n1|Ada|5|2010-02-14T15:32:10.447Z|a@b;c@d\n2||||\n";
    let name = LdbcName::of("person_0_0.csv").unwrap();
    let read = |text: &[u8]| {
        crate::common::rows(LdbcReader::new("f", text, &name, Naming::Cypher).unwrap())
    };
    let rows = read(text.as_bytes());
    let mut columns = Columns::new();
    rows.iter().for_each(|row| {
        columns
            .observe(&crate::common::node(row).properties)
            .unwrap()
    });
    let mut writer = LdbcWriter::nodes(Vec::new(), "Person", &columns).unwrap();
    rows.iter().for_each(|row| writer.write(row).unwrap());
    let file = writer.finish().unwrap();
    let mut found = read(&file);
    // Columns are written by name.
    for row in &mut found {
        let Row::Node(node) = row else { unreachable!() };
        let order = ["id", "firstName", "birthday", "creationDate", "email"];
        node.properties
            .sort_by_key(|property| order.iter().position(|name| *name == &*property.0));
    }
    assert!(same(&rows, &found), "{rows:?}\n{found:?}");
    let bad = Row::Node(NodeRow {
        id: Some(ExternalId::integer(3).within("Person")),
        labels: Vec::new(),
        properties: vec![("firstName".into(), "a|b".into())],
    });
    let mut writer = LdbcWriter::nodes(Vec::new(), "Person", &columns).unwrap();
    assert!(
        message(writer.write(&bad))
            .contains("firstName cannot be written as CSV with LDBC's header")
    );
}

#[test]
fn one_type_a_column() {
    let mut columns = Columns::new();
    let of = |value: Value| vec![("age".into(), value)];
    columns.observe(&of(Value::Integer(1))).unwrap();
    let error = message(columns.observe(&of("old".into())));
    let expected = "age cannot be written as a typed column: it is a long in one row and a string in another; JSON lines hold everything";
    assert_eq!(error, expected);
    let mixed = Value::List([Value::Integer(1), "x".into()].into());
    assert!(message(Columns::new().observe(&of(mixed))).contains("several types"));
    // An empty list goes with any list, and with no scalar.
    let mut columns = Columns::new();
    let empty = || of(Value::List([].into()));
    columns.observe(&empty()).unwrap();
    columns
        .observe(&of(Value::List([Value::Integer(1)].into())))
        .unwrap();
    columns.observe(&empty()).unwrap();
    assert_eq!(columns.iter().next().unwrap().1.to_string(), "long[]");
    let mut columns = Columns::new();
    columns.observe(&of(Value::Integer(1))).unwrap();
    assert!(columns.observe(&empty()).is_err());
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let mut columns = Columns::new();
    let list: Properties = vec![("l".into(), Value::List(["a;b".into()].into()))];
    columns.observe(&list).unwrap();
    let mut writer = Neo4jWriter::nodes(Vec::new(), "", Ids::Texts, &columns).unwrap();
    let row = |id: ExternalId, labels: Vec<Arc<str>>, properties: Properties| {
        Row::Node(NodeRow {
            id: Some(id),
            labels,
            properties,
        })
    };
    let a = || ExternalId::text("a");
    for bad in [
        row(a(), vec![], list),
        row(a(), vec!["A;B".into()], vec![]),
        row(a().within("S"), vec![], vec![]),
        row(ExternalId::integer(1), vec![], vec![]),
        row(a(), vec![], vec![("other".into(), Value::Integer(1))]),
        row(a(), vec![], vec![("l".into(), Value::Integer(1))]),
    ] {
        assert!(
            matches!(writer.write(&bad), Err(InterchangeError::Unwritable { .. })),
            "{bad:?}"
        );
    }
    assert_eq!(writer.finish().unwrap(), b":ID,l:string[],:LABEL\n");
    let mut writer = GraphMlWriter::new(Vec::new(), &Columns::new(), &Columns::new()).unwrap();
    let error = message(writer.write(&row(ExternalId::text("\u{1}"), vec![], vec![])));
    assert!(error.contains("XML has no character U+0001"), "{error}");
}
