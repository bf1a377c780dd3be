//! JSON lines.

use crate::common::{literal, node, read, relationship, rows};
use evergraph_io::interchange::ExternalId;
use evergraph_io::interchange::json_lines::JsonLinesReader;

fn reader(text: &str) -> JsonLinesReader<&[u8]> {
    JsonLinesReader::new("graph.jsonl", text.as_bytes())
}

#[test]
fn what_apoc_exports_is_read() {
    let rows = rows(reader(concat!(
        r#"{"type":"node","id":"0","labels":["User"],"properties":{"born":"2015-07-04T19:32:24","name":"Adam","kids":["Sam","Anna"],"male":true,"age":42,"place":{"crs":"wgs-84","latitude":33.4}}}"#,
        "\n\n",
        r#"{"type":"node","id":"1"}"#,
        "\r\n",
        r#"{"id":"0","type":"relationship","label":"KNOWS","properties":{"since":1993,"gone":null},"start":{"id":"0","labels":["User"]},"end":{"id":"1","labels":["User"]}}"#,
    )));
    let user = node(&rows[0]);
    assert_eq!(user.id, Some(ExternalId::text("0")));
    assert_eq!(*user.labels, ["User".into()]);
    assert_eq!(literal(&user.properties, "kids"), "['Sam', 'Anna']");
    assert_eq!(literal(&user.properties, "born"), "'2015-07-04T19:32:24'");
    assert_eq!(
        literal(&user.properties, "place"),
        "{crs: 'wgs-84', latitude: 33.4}"
    );
    assert!(node(&rows[1]).labels.is_empty());
    let knows = relationship(&rows[2]);
    assert_eq!((&*knows.kind, knows.properties.len()), ("KNOWS", 1));
    assert_eq!(
        (&knows.source, &knows.target),
        (&ExternalId::text("0"), &ExternalId::text("1"))
    );
}

#[test]
fn the_short_form_is_read() {
    let rows = rows(reader(concat!(
        r#"{"id": "Keanu", "label": "Person", "props": {"born": 1964}}"#,
        "\n",
        r#"{"from": "Keanu", "type": "ACTED_IN", "to": "Matrix", "props": {"roles": ["Neo"]}}"#,
    )));
    let keanu = node(&rows[0]);
    assert_eq!(keanu.id, Some(ExternalId::text("Keanu")));
    assert_eq!(*keanu.labels, ["Person".into()]);
    assert_eq!(literal(&keanu.properties, "born"), "1964");
    let acted = relationship(&rows[1]);
    assert_eq!(&*acted.kind, "ACTED_IN");
    assert_eq!(acted.target, ExternalId::text("Matrix"));
    assert_eq!(literal(&acted.properties, "roles"), "['Neo']");
}

#[test]
fn what_has_two_ends_is_a_relationship_whatever_its_type_is() {
    let text = concat!(
        r#"{"from":1,"type":"node","to":2}"#,
        "\n",
        r#"{"from":1,"to":2}"#,
        "\n",
        r#"{"type":"relationship","start":{"id":1},"end":{"id":2}}"#,
    );
    let kinds = rows(reader(text).with_type(Some("LINK".into())));
    let kinds: Vec<_> = kinds.iter().map(|row| &*relationship(row).kind).collect();
    assert_eq!(kinds, ["node", "LINK", "LINK"]);
}

#[test]
fn types_that_json_lacks_are_tagged() {
    let rows = rows(reader(
        r#"{"type":"node","id":7,"space":"S","properties":{"d":{"$date":"2020-01-31"},"p":{"$point":"{x: 1.0, y: 2.0, srid: 7203}"},"b":{"$bytes":"00ff"},"n":{"$float":"NaN"},"i":1,"f":1.0,"m":{"$map":{"$date":1}}}}"#,
    ));
    let found = node(&rows[0]);
    assert_eq!(found.id, Some(ExternalId::integer(7).within("S")));
    for (name, value) in [
        ("d", "date('2020-01-31')"),
        ("p", "point({srid: 7203, x: 1.0, y: 2.0})"),
        ("b", "bytes('00ff')"),
        ("i", "1"),
        ("f", "1.0"),
        ("m", "{`$date`: 1}"),
    ] {
        assert_eq!(literal(&found.properties, name), value);
    }
}

#[test]
fn bad_lines_are_reported_and_reading_goes_on() {
    let lines = [
        (
            "{\"type\":",
            "graph.jsonl:1: no JSON at column 8: EOF while parsing a value",
        ),
        ("[1]", "graph.jsonl:2: the line is no JSON object"),
        (
            "{\"type\":\"edge\"}",
            "graph.jsonl:3: type: neither \"node\" nor \"relationship\"",
        ),
        (
            "{\"type\":\"node\",\"id\":1.5}",
            "graph.jsonl:4: id: an id is a text",
        ),
        (
            "{\"type\":\"node\",\"id\":\"\"}",
            "graph.jsonl:5: id: an id is a text that is not empty",
        ),
        (
            "{\"type\":\"node\",\"labels\":\"A\"}",
            "graph.jsonl:6: labels: no list",
        ),
        (
            "{\"type\":\"node\",\"labels\":[\"\"]}",
            "graph.jsonl:7: labels: a label is a text",
        ),
        (
            "{\"type\":\"relationship\",\"label\":\"X\",\"start\":{\"id\":\"1\"}}",
            "graph.jsonl:8: end: no object with an id",
        ),
        (
            "{\"type\":\"relationship\",\"start\":{\"id\":\"1\"},\"end\":{\"id\":\"1\"}}",
            "graph.jsonl:9: label: no text",
        ),
        (
            "{\"type\":\"node\",\"properties\":{\"n\":18446744073709551615}}",
            "graph.jsonl:10: n: 18446744073709551615 does not fit into 64 bits",
        ),
        (
            "{\"type\":\"node\",\"properties\":{\"d\":{\"$date\":\"soon\"}}}",
            "graph.jsonl:11: d: \"soon\" is not a DATE",
        ),
        (
            "{\"type\":\"node\",\"properties\":{\"d\":{\"$day\":\"x\"}}}",
            "graph.jsonl:12: d: \"$day\" is no type",
        ),
        (
            "{\"type\":\"node\",\"properties\":{\"d\":{\"$date\":5}}}",
            "graph.jsonl:13: d: \"$date\" is not followed by a text",
        ),
        (
            "{\"type\":\"node\",\"properties\":[]}",
            "graph.jsonl:14: properties: no object",
        ),
        (
            "{\"id\":1,\"label\":\"P\",\"name\":\"Ann\"}",
            "graph.jsonl:15: name: rows have no such member",
        ),
        (
            "{\"type\":\"node\",\"id\":\"1\",\"props\":{}}",
            "graph.jsonl:16: props: rows have no such member",
        ),
        (
            "{\"from\":1,\"type\":\"T\",\"to\":2,\"since\":3}",
            "graph.jsonl:17: since: rows have no such member",
        ),
        (
            "{\"id\":1,\"label\":\"P\",\"labels\":[\"Q\"]}",
            "graph.jsonl:18: labels: it is there in the long form, too",
        ),
        ("{\"from\":1,\"to\":2}", "graph.jsonl:19: label: no text"),
        (
            "{\"type\":\"node\",\"properties\":{\"a\":1,\"a\":2}}",
            "graph.jsonl:20: no JSON at column 41: the member \"a\" comes twice",
        ),
    ];
    let text: Vec<&str> = lines
        .iter()
        .map(|line| line.0)
        .chain(["{\"type\":\"node\"}"])
        .collect();
    let found = read(reader(&text.join("\n")));
    assert_eq!(found.len(), lines.len() + 1);
    for (found, (line, expected)) in found.iter().zip(lines) {
        let found = found.as_ref().unwrap_err();
        assert!(found.starts_with(expected), "{line}: {found}");
    }
    assert!(found.last().unwrap().is_ok());
}

#[test]
fn a_line_that_is_deep_or_no_text_is_bad_and_no_panic() {
    let deep = format!(
        "{{\"type\":\"node\",\"properties\":{{\"d\":{}1{}}}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert!(read(reader(&deep))[0].is_err());
    let mut found = JsonLinesReader::new("f", &b"{\"type\":\"\xff\"}\n"[..]);
    assert!(found.next().unwrap().is_err());
    assert!(found.next().is_none());
}
