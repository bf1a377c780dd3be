//! Readers and writers of files with rare contents.

use std::io::{self, Write};

use crate::common::{literal, node, relationship, rows};
use evergraph_io::formats::seconds_since_1970;
use evergraph_io::interchange::csv::{CsvReader, Neo4jOptions, Neo4jReader, Neo4jWriter};
use evergraph_io::interchange::graphml::{GraphMlOptions, GraphMlReader};
use evergraph_io::interchange::{Columns, Contents, ExternalId, Ids, Inference, NodeRow, Row};
use evergraph_property_graph::Value;

#[test]
fn times_are_rounded_down_and_have_leap_seconds() {
    let time = |text: &str| seconds_since_1970(text.as_bytes());
    assert_eq!(time("-1.2"), Some(-2));
    assert_eq!(time("-1.00"), Some(-1));
    assert_eq!(time("2016-12-31T23:59:60Z"), time("2017-01-01T00:00:00Z"));
    assert_eq!(time("2016-12-31T23:59:61Z"), None);
    assert_eq!(time("2017-01-01T00:00+01:60"), None);
    assert_eq!(time("2017-01-01T00:00+24:00"), None);
}

#[test]
fn fields_of_plain_csv_are_null_or_empty_texts() {
    let text = "a,,\"\"\n\"never ends\nb";
    let mut reader = CsvReader::new("file.csv", text.as_bytes(), b',');
    let (line, fields) = reader.next().unwrap().unwrap();
    assert_eq!(line, 1);
    assert_eq!(fields, [Value::from("a"), Value::Null, Value::from("")]);
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none(), "nothing comes behind it");
}

#[test]
fn a_header_has_one_type() {
    let header = ":START_ID,:END_ID,:TYPE,:TYPE\n";
    let options = Neo4jOptions::default();
    let error = Neo4jReader::new("file.csv", header.as_bytes(), options).err();
    let error = error.expect("two types").to_string();
    assert!(error.contains("the header is not clear"), "{error}");
}

#[test]
fn each_end_of_a_plain_header_has_its_id_space() {
    let options = Neo4jOptions {
        assumed: Some(Contents::Relationships),
        kind: Some("T".into()),
        spaces: vec!["A".into(), "B".into()],
        ..Neo4jOptions::default()
    };
    let found = rows(Neo4jReader::new("file.csv", "a,b\n1,2\n".as_bytes(), options).unwrap());
    let row = relationship(&found[0]);
    assert_eq!(row.source, ExternalId::text("1").within("A"));
    assert_eq!(row.target, ExternalId::text("2").within("B"));
}

#[test]
fn types_are_inferred_behind_a_row_that_is_bad() {
    let options = Neo4jOptions {
        assumed: Some(Contents::Nodes),
        ..Neo4jOptions::default()
    };
    let text = "id,n\n1,2\nshort\n2,x\n";
    let mut inference = Inference::default();
    let part = Neo4jReader::new("file.csv", text.as_bytes(), options).unwrap();
    inference.take::<_, ()>(part, &|| Ok(())).unwrap();
    let types: Vec<String> = inference.types().iter().map(ToString::to_string).collect();
    assert_eq!(types, ["long", "string"]);
}

/// Bytes that were written, once they are flushed.
#[derive(Default)]
struct Waiting {
    is_flushed: bool,
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_flushed = false;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.is_flushed = true;
        Ok(())
    }
}

#[test]
fn a_file_that_is_finished_is_flushed() {
    let columns = Columns::new();
    let writer = Neo4jWriter::nodes(Waiting::default(), "", Ids::Integers, &columns).unwrap();
    assert!(writer.finish().unwrap().is_flushed);
}

/// Others take one for the end of a line.
#[test]
fn a_return_within_a_text_is_written_in_quotes() {
    let properties = vec![("t".into(), Value::from("a\rb"))];
    let mut columns = Columns::new();
    columns.observe(&properties).unwrap();
    let node = NodeRow {
        id: Some(ExternalId::integer(1)),
        labels: Vec::new(),
        properties,
    };
    let mut writer = Neo4jWriter::nodes(Vec::new(), "", Ids::Integers, &columns).unwrap();
    writer.write(&Row::Node(node)).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(text.contains("1,\"a\rb\","), "{text:?}");
}

#[test]
fn defaults_of_graphml_are_of_what_is_absent() {
    let text = "<graphml><key id='labels' for='node'><default>:X</default></key>\
                <key id='c' for='node' attr.name='color'><default>red</default></key>\
                <graph edgedefault='directed'>\
                <node id='1'><data key='c'>blue</data></node><node id='2'/></graph></graphml>";
    let mut reader = GraphMlReader::new("f.xml", text.as_bytes(), GraphMlOptions::default());
    let found: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    let properties = |at: usize| &node(&found[at]).properties;
    assert_eq!(properties(0).len(), 1, "one value of a property");
    assert_eq!(literal(properties(0), "color"), "'blue'");
    // Labels are no property.
    assert_eq!(properties(1).len(), 1);
    assert_eq!(literal(properties(1), "color"), "'red'");
    assert!(!reader.is_undirected());
}
