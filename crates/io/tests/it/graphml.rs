//! GraphML as several programs write it.

use crate::common::{literal, node, read, relationship, rows};
use evergraph_io::interchange::graphml::{GraphMlOptions, GraphMlReader};
use evergraph_io::interchange::{ExternalId, Ids};

fn reader(text: &str) -> GraphMlReader<&[u8]> {
    GraphMlReader::new("graph.xml", text.as_bytes(), GraphMlOptions::default())
}

#[test]
fn what_apoc_exports_is_read() {
    let rows = rows(reader(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="age" for="node" attr.name="age" attr.type="long"/>
<key id="kids" for="node" attr.name="kids" attr.type="string" attr.list="string"/>
<key id="labels" for="node" attr.name="labels" attr.type="string"/>
<key id="since" for="edge" attr.name="since" attr.type="double"/>
<key id="label" for="edge" attr.name="label" attr.type="string"/>
<graph id="G" edgedefault="directed">
<node id="n0" labels=":Person:User"><data key="labels">:Person:User</data><data key="name">A &lt;&amp;&#x41; <![CDATA[<b>]]></data><data key="age"> 42 </data><data key="kids">["Sam","An,na"]</data></node>
<node id="n1"/>
<edge id="e0" source="n0" target="n1" label="KNOWS"><data key="label">KNOWS</data><data key="since">1993.5</data></edge>
</graph>
</graphml>"#,
    ));
    let person = node(&rows[0]);
    assert_eq!(person.id, Some(ExternalId::text("n0")));
    assert_eq!(*person.labels, ["Person".into(), "User".into()]);
    assert_eq!(literal(&person.properties, "name"), "'A <&A <b>'");
    assert_eq!(literal(&person.properties, "age"), "42");
    assert_eq!(literal(&person.properties, "kids"), "['Sam', 'An,na']");
    assert_eq!(person.properties.len(), 3);
    assert!(node(&rows[1]).properties.is_empty());
    let knows = relationship(&rows[2]);
    assert_eq!(&*knows.kind, "KNOWS");
    assert_eq!(literal(&knows.properties, "since"), "1993.5");
    assert_eq!(knows.properties.len(), 1);
}

#[test]
fn what_tinkerpop_writes_is_read() {
    let rows = rows(reader(
        r#"<graphml><key id="labelV" for="node" attr.name="labelV" attr.type="string"/>
<key id="labelE" for="edge" attr.name="labelE" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="float"/>
<graph id="G" edgedefault="directed">
<node id="1"><data key="labelV">airport</data></node>
<edge id="7" source="1" target="1"><data key="labelE">route</data><data key="weight">0.5</data></edge>
</graph></graphml>"#,
    ));
    assert_eq!(*node(&rows[0]).labels, ["airport".into()]);
    assert_eq!(&*relationship(&rows[1]).kind, "route");
}

#[test]
fn what_networkx_writes_is_read_with_a_type_from_outside() {
    let text = r#"<graphml>
  <key id="d1" for="edge" attr.name="weight" attr.type="double"><default>1.0</default></key>
  <key id="d0" for="node" attr.name="color" attr.type="string"><desc>of the ball</desc><default>yellow</default></key>
  <graph edgedefault="undirected">
    <node id="0"><desc>the first</desc><data key="d0">green</data></node>
    <node id="1"></node>
    <edge source="0" target="1"/>
  </graph>
</graphml>"#;
    let options = GraphMlOptions {
        ids: Ids::Integers,
        labels: vec!["Ball".into()],
        kind: Some("LINK".into()),
    };
    let rows = rows(GraphMlReader::new("f", text.as_bytes(), options));
    assert_eq!(literal(&node(&rows[0]).properties, "color"), "'green'");
    assert_eq!(literal(&node(&rows[1]).properties, "color"), "'yellow'");
    assert_eq!(node(&rows[1]).id, Some(ExternalId::integer(1)));
    assert_eq!(*node(&rows[1]).labels, ["Ball".into()]);
    let link = relationship(&rows[2]);
    assert_eq!(&*link.kind, "LINK");
    assert_eq!(literal(&link.properties, "weight"), "1.0");
}

#[test]
fn bad_elements_are_reported_by_line_and_reading_goes_on() {
    let found = read(reader(
        "<graphml><key id='a' for='node' attr.name='age' attr.type='int'/>\n<graph>\n\
         <node id='1'><data key='a'>x</data></node>\n\
         <node>\n</node><node id='2'><data key='b'>1</data></node>\n\
         <edge source='1' target='2'/>\n\
         <edge source='1' label='X'/>\n\
         <node id='3'><port name='p'/></node>\n\
         <hyperedge><endpoint node='1'/></hyperedge>\n\
         <node id='4'><graph/></node>\n\
         <node id='5'><data key='a'>1</data><data key='a'>2</data></node>\n\
         <node\n id='6'/></graph></graphml>",
    ));
    let expected = [
        "graph.xml:3: age: \"x\" is no integer",
        "graph.xml:4: id: nothing is there",
        "graph.xml:5: no key for such elements has the id \"b\"",
        "graph.xml:6: label: the edge has no type, and none is given for such edges (--type T)",
        "graph.xml:7: target: nothing is there",
        "graph.xml:8: <port> in <node> is not supported",
        "graph.xml:9: <endpoint> in <hyperedge> is not supported",
        "graph.xml:10: <graph> in <node> is not supported",
        "graph.xml:11: age: it is there twice",
    ];
    let bad: Vec<&str> = found
        .iter()
        .filter_map(|row| row.as_ref().err())
        .map(String::as_str)
        .collect();
    assert_eq!(bad, expected);
    assert_eq!(
        node(found.last().unwrap().as_ref().unwrap()).id,
        Some(ExternalId::text("6"))
    );
}

#[test]
fn what_is_no_graphml_is_unreadable_and_ends_reading() {
    for (text, expected) in [
        ("", "graph.xml:1: the file is no GraphML"),
        (
            "<gexf></gexf>",
            "graph.xml:1: the file is no GraphML, it begins with <gexf>",
        ),
        (
            "<graphml>\n<graph>\n",
            "graph.xml:3: the file ends inside of <graph>",
        ),
        (
            "<graphml><graph><node id='1'>\n",
            "graph.xml:2: the file ends inside of <node>",
        ),
        ("<graphml><graph></graphml>", "graph.xml:1: no XML: "),
        (
            "<graphml><graph><node id='1></graph>",
            "graph.xml:1: no XML: ",
        ),
        (
            "<graphml><graph><node id='&what;'/>",
            "graph.xml:1: no XML: ",
        ),
        (
            "<graphml><key id='a' attr.type='colour'/>",
            "graph.xml:1: a: \"colour\" is no type",
        ),
        (
            "<graphml><key id='a' attr.type='int'><default>x</default></key>",
            "graph.xml:1: a: \"x\" is no integer",
        ),
        (
            "<graphml><key id='a'/><key id='a'/>",
            "graph.xml:1: two keys have the id \"a\"",
        ),
    ] {
        let found = read(reader(text));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let found = found[0].as_ref().unwrap_err();
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}
