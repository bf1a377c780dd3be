//! Values of rows as JSON: plain, and with types as Neo4j's Query API v2 has them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{CoordinateSystem, Point};
use serde_json::{Map, Number, Value as Json, json};

use super::cell::{Cell, Node, Path, Relationship};

/// Plain JSON: moments, durations, points and bytes are texts, NaN and the infinities
/// too. Nodes are objects with `elementId`, `labels` and `properties`.
pub fn to_json(cell: &Cell) -> Json {
    match cell {
        Cell::Value(value) => plain(value),
        Cell::Node(node) => plain_node(node),
        Cell::Relationship(relationship) => plain_relationship(relationship),
        Cell::Path(path) => alternately(path, plain_node, plain_relationship),
        Cell::List(cells) => cells.iter().map(to_json).collect(),
        Cell::Map(entries) => object(entries, to_json),
    }
}

/// JSON with types: each value is `{"$type": …, "_value": …}`, and reads back as it was.
pub fn to_typed_json(cell: &Cell) -> Json {
    match cell {
        Cell::Value(value) => typed(value),
        Cell::Node(node) => typed_node(node),
        Cell::Relationship(relationship) => typed_relationship(relationship),
        Cell::Path(path) => tagged("Path", alternately(path, typed_node, typed_relationship)),
        Cell::List(cells) => tagged("List", cells.iter().map(to_typed_json).collect()),
        Cell::Map(entries) => tagged("Map", object(entries, to_typed_json)),
    }
}

/// Parses JSON of values, which are not rounded.
///
/// # Errors
/// Text that is no JSON, or has an integer of more than 64 bits.
pub fn parse(text: &str) -> Result<Json, String> {
    let json = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match large_integer(text) {
        None => Ok(json),
        Some(number) => Err(format!(
            "{number} does not fit into 64 bits (1e20 is a float)"
        )),
    }
}

/// The first integer of JSON that does not fit into 64 bits: the parser makes a float of it.
fn large_integer(json: &str) -> Option<&str> {
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => end_of_text(rest),
            '-' | '0'..='9' => {
                let is_of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
                rest.find(|c| !is_of_number(c)).unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        let is_integer = first.is_ascii_digit() || first == '-';
        if is_integer && !token.contains(['.', 'e', 'E']) && token.parse::<i64>().is_err() {
            return Some(token);
        }
        rest = behind;
    }
    None
}

/// Position behind the text that `json` begins with, its quotes included.
fn end_of_text(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(json.len(), |end| end + 2)
}

/// The value of plain JSON, or of JSON with types, which may be mixed.
///
/// # Errors
/// What it is not: integers of more than 64 bits, unknown types, texts that do not read.
pub fn from_json(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Boolean(*truth),
        Json::String(text) => Value::Text(text.as_str().into()),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None if number.is_f64() => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            None => return Err(format!("{number} does not fit into 64 bits")),
        },
        Json::Array(elements) => {
            let values: Result<Vec<Value>, String> = elements.iter().map(from_json).collect();
            Value::List(values?.into())
        }
        Json::Object(members) => match (members.get("$type"), members.get("_value")) {
            (Some(Json::String(name)), Some(content)) if members.len() == 2 => {
                from_typed(name, content)?
            }
            _ => map(members)?,
        },
    })
}

fn map(members: &Map<String, Json>) -> Result<Value, String> {
    let entries = members.iter();
    let entries: Result<BTreeMap<Arc<str>, Value>, String> = entries
        .map(|(name, json)| Ok((name.as_str().into(), from_json(json)?)))
        .collect();
    Ok(Value::Map(Arc::new(entries?)))
}

fn from_typed(name: &str, content: &Json) -> Result<Value, String> {
    match (name, content) {
        ("Null", Json::Null) => return Ok(Value::Null),
        ("Boolean", Json::Bool(truth)) => return Ok(Value::Boolean(*truth)),
        ("List", Json::Array(_)) => return from_json(content),
        ("Map", Json::Object(members)) => return map(members),
        _ => {}
    }
    let Json::String(text) = content else {
        return Err(format!("the _value of a {name} cannot be {content}"));
    };
    let wrong = |error: &dyn std::fmt::Display| format!("{text:?} is no {name}: {error}");
    macro_rules! read {
        ($variant:path) => {
            text.parse().map($variant).map_err(|error| wrong(&error))
        };
    }
    match name {
        "String" => Ok(Value::Text(text.as_str().into())),
        "Integer" => read!(Value::Integer),
        "Float" => match text.as_str() {
            "NaN" | "-NaN" => Ok(Value::Float(f64::NAN)),
            "Infinity" => Ok(Value::Float(f64::INFINITY)),
            "-Infinity" => Ok(Value::Float(f64::NEG_INFINITY)),
            _ => read!(Value::Float),
        },
        "Base64" => Ok(Value::Bytes(
            bytes_of(text)
                .ok_or_else(|| wrong(&"bad characters"))?
                .into(),
        )),
        "Date" => read!(Value::Date),
        "Time" => read!(Value::Time),
        "LocalTime" => read!(Value::LocalTime),
        "OffsetDateTime" | "ZonedDateTime" => read!(Value::DateTime),
        "LocalDateTime" => read!(Value::LocalDateTime),
        "Duration" => read!(Value::Duration),
        "Point" => point_of(text)
            .map(Value::Point)
            .ok_or_else(|| wrong(&"write SRID=7203;POINT (1.2 3.4)")),
        _ => Err(format!("there is no type {name:?}")),
    }
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(truth) => Json::Bool(*truth),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => match Number::from_f64(*number) {
            Some(number) => Json::Number(number),
            None => Json::String(float(*number)),
        },
        Value::List(values) => values.iter().map(plain).collect(),
        Value::Map(entries) => object(entries, plain),
        other => Json::String(text(other)),
    }
}

fn typed(value: &Value) -> Json {
    let name = match value {
        Value::Null => return tagged("Null", Json::Null),
        Value::Boolean(truth) => return tagged("Boolean", Json::Bool(*truth)),
        Value::List(values) => return tagged("List", values.iter().map(typed).collect()),
        Value::Map(entries) => return tagged("Map", object(entries, typed)),
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Text(_) => "String",
        Value::Bytes(_) => "Base64",
        Value::Date(_) => "Date",
        Value::Time(_) => "Time",
        Value::LocalTime(_) => "LocalTime",
        Value::DateTime(moment) if moment.zone().is_some() => "ZonedDateTime",
        Value::DateTime(_) => "OffsetDateTime",
        Value::LocalDateTime(_) => "LocalDateTime",
        Value::Duration(_) => "Duration",
        Value::Point(_) => "Point",
    };
    tagged(name, Json::String(text(value)))
}

/// A value that is no list and no map, as a text.
fn text(value: &Value) -> String {
    match value {
        Value::Float(number) => float(*number),
        Value::Text(text) => text.to_string(),
        Value::Bytes(bytes) => base64(bytes),
        Value::Date(value) => value.to_string(),
        Value::Time(value) => value.to_string(),
        Value::LocalTime(value) => value.to_string(),
        Value::DateTime(value) => value.to_string(),
        Value::LocalDateTime(value) => value.to_string(),
        // In years, months and hours, as everyone else writes it.
        Value::Duration(_) => value.temporal_text().unwrap_or_default(),
        Value::Point(point) => well_known_text(point),
        other => other.to_string(),
    }
}

/// Decimal between 10⁻³ and 10⁷, else with an exponent: `4.56`, `3.2E9`.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_string();
    }
    if number.is_infinite() {
        return if number < 0.0 {
            "-Infinity"
        } else {
            "Infinity"
        }
        .to_string();
    }
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{number:?}");
    }
    let text = format!("{number:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

fn well_known_text(point: &Point) -> String {
    let dimensions = if point.system().dimensions() == 3 {
        " Z"
    } else {
        ""
    };
    let coordinates = point.coordinates().iter().map(|&number| float(number));
    let coordinates: Vec<String> = coordinates.collect();
    format!(
        "SRID={};POINT{dimensions} ({})",
        point.system().srid(),
        coordinates.join(" ")
    )
}

fn point_of(text: &str) -> Option<Point> {
    let (srid, rest) = text.trim().strip_prefix("SRID=")?.split_once(';')?;
    let system = CoordinateSystem::from_srid(srid.trim().parse().ok()?)?;
    let rest = rest.trim().strip_prefix("POINT")?.trim_start();
    let rest = rest.strip_prefix('Z').unwrap_or(rest).trim_start();
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    let numbers = inner.split_whitespace().map(|number| number.parse().ok());
    Point::new(system, &numbers.collect::<Option<Vec<f64>>>()?).ok()
}

fn tagged(name: &str, content: Json) -> Json {
    json!({ "$type": name, "_value": content })
}

fn object<V>(entries: &BTreeMap<Arc<str>, V>, of: impl Fn(&V) -> Json) -> Json {
    let entries = entries.iter();
    Json::Object(
        entries
            .map(|(name, value)| (name.to_string(), of(value)))
            .collect(),
    )
}

fn alternately(
    path: &Path,
    of_node: impl Fn(&Node) -> Json,
    of_relationship: impl Fn(&Relationship) -> Json,
) -> Json {
    let mut parts = Vec::with_capacity(path.nodes.len() + path.relationships.len());
    for (at, node) in path.nodes.iter().enumerate() {
        if let Some(before) = at.checked_sub(1) {
            parts.push(of_relationship(&path.relationships[before]));
        }
        parts.push(of_node(node));
    }
    Json::Array(parts)
}

fn names(labels: &[Arc<str>]) -> Vec<&str> {
    labels.iter().map(|label| &**label).collect()
}

fn plain_node(node: &Node) -> Json {
    json!({
        "elementId": node.id.0.to_string(),
        "labels": names(&node.labels),
        "properties": object(&node.properties, plain),
    })
}

fn plain_relationship(relationship: &Relationship) -> Json {
    json!({
        "elementId": relationship.id.0.to_string(),
        "startNodeElementId": relationship.source.0.to_string(),
        "endNodeElementId": relationship.target.0.to_string(),
        "type": &*relationship.kind,
        "properties": object(&relationship.properties, plain),
    })
}

fn typed_node(node: &Node) -> Json {
    let content = json!({
        "_element_id": node.id.0.to_string(),
        "_labels": names(&node.labels),
        "_properties": object(&node.properties, typed),
    });
    tagged("Node", content)
}

fn typed_relationship(relationship: &Relationship) -> Json {
    let content = json!({
        "_element_id": relationship.id.0.to_string(),
        "_start_node_element_id": relationship.source.0.to_string(),
        "_end_node_element_id": relationship.target.0.to_string(),
        "_type": &*relationship.kind,
        "_properties": object(&relationship.properties, typed),
    });
    tagged("Relationship", content)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(group.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            let is_there = at <= group.len();
            let _ = text.write_char(if is_there { char::from(digit) } else { '=' });
        }
    }
    text
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for at in 0..4 {
            let digit = match group.get(at) {
                Some(digit) => DIGITS.iter().position(|known| known == digit)?,
                None => 0,
            };
            bits = bits << 6 | digit as u32;
        }
        let [_, content @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(content.get(..group.len().checked_sub(1)?)?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_property_graph::graph::{NodeId, RelationshipId};

    fn back(value: Value) {
        let json = typed(&value);
        let read = from_json(&json).unwrap();
        assert_eq!(typed(&read), json, "{value}");
    }

    #[test]
    fn types_are_those_of_the_query_api() {
        let value = |value: Value| to_typed_json(&Cell::Value(value)).to_string();
        assert_eq!(
            value(Value::Integer(123)),
            r#"{"$type":"Integer","_value":"123"}"#
        );
        assert_eq!(
            value(Value::Float(4.56)),
            r#"{"$type":"Float","_value":"4.56"}"#
        );
        assert_eq!(
            value(Value::Float(3.2e9)),
            r#"{"$type":"Float","_value":"3.2E9"}"#
        );
        assert_eq!(
            value(Value::Float(2e-7)),
            r#"{"$type":"Float","_value":"2.0E-7"}"#
        );
        for (number, text) in [
            (1e-3, "0.001"),
            (9.9e-4, "9.9E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
        ] {
            assert_eq!(float(number), text);
        }
        assert_eq!(
            value(Value::Float(f64::NAN)),
            r#"{"$type":"Float","_value":"NaN"}"#
        );
        assert_eq!(value(Value::Null), r#"{"$type":"Null","_value":null}"#);
        let bytes = Value::Bytes([3, 111, 191].as_slice().into());
        assert_eq!(value(bytes), r#"{"$type":"Base64","_value":"A2+/"}"#);
        let point = Point::new(CoordinateSystem::from_srid(7203).unwrap(), &[1.2, 3.4]).unwrap();
        assert_eq!(
            value(Value::Point(point)),
            r#"{"$type":"Point","_value":"SRID=7203;POINT (1.2 3.4)"}"#
        );
        let zoned = "2015-11-21T21:40:32.142+00:00[Antarctica/Troll]";
        assert_eq!(
            value(Value::DateTime(zoned.parse().unwrap())),
            r#"{"$type":"ZonedDateTime","_value":"2015-11-21T21:40:32.142Z[Antarctica/Troll]"}"#
        );
    }

    #[test]
    fn typed_values_read_back() {
        for length in 0..7_u8 {
            let bytes: Vec<u8> = (0..length)
                .map(|at| at.wrapping_mul(41).wrapping_add(200))
                .collect();
            back(Value::Bytes(bytes.into()));
        }
        for number in [
            0.0,
            -0.0,
            0.1,
            1e300,
            5e-324,
            -1234567.5,
            1e7,
            1e-3,
            f64::INFINITY,
        ] {
            back(Value::Float(number));
        }
        back(Value::Integer(i64::MIN));
        back(Value::List(
            [Value::Null, Value::Boolean(true)].as_slice().into(),
        ));
        back(Value::Date("-0044-03-15".parse().unwrap()));
        back(Value::Time("12:50:35.556+01:00".parse().unwrap()));
        back(Value::LocalTime("12:50:35.556".parse().unwrap()));
        back(Value::DateTime("2015-11-21T21:40:32.142Z".parse().unwrap()));
        back(Value::LocalDateTime("2015-07-04T19:32:24".parse().unwrap()));
        back(Value::Duration("P14DT16H12M".parse().unwrap()));
        let system = CoordinateSystem::from_srid(9157).unwrap();
        back(Value::Point(
            Point::new(system, &[1.0, -2.5, 3e20]).unwrap(),
        ));
    }

    #[test]
    fn maps_that_look_typed_are_told_apart() {
        let map = BTreeMap::from([
            (Arc::from("$type"), Value::from("Date")),
            (Arc::from("_value"), Value::from("x")),
        ]);
        back(Value::Map(Arc::new(map)));
    }

    #[test]
    fn types_stand_beside_their_values_only() {
        let json = json!({"$type": "Date", "_value": "x", "more": 1});
        let Value::Map(map) = from_json(&json).unwrap() else {
            panic!("it is a map");
        };
        assert_eq!(map.len(), 3);
    }

    #[test]
    fn integers_are_not_rounded() {
        for (text, is_read) in [
            ("9223372036854775807", true),
            ("9223372036854775808", false),
            ("[1, -9223372036854775809]", false),
            ("[1e20, 99999999999999999999.0]", true),
            (r#"["99999999999999999999"]"#, true),
            (r#"["\"99999999999999999999"]"#, true),
            (r#"["\\", 99999999999999999999]"#, false),
        ] {
            assert_eq!(parse(text).is_ok(), is_read, "{text}");
        }
    }

    #[test]
    fn bad_json_is_refused() {
        for bad in [
            r#"{"$type":"Date","_value":"tomorrow"}"#,
            r#"{"$type":"Date","_value":7}"#,
            r#"{"$type":"Base64","_value":"A"}"#,
            r#"{"$type":"Base64","_value":"A==="}"#,
            r#"{"$type":"Base64","_value":"A2+?"}"#,
            r#"{"$type":"Point","_value":"POINT (1 2)"}"#,
            r#"{"$type":"Strange","_value":"x"}"#,
            "18446744073709551615",
        ] {
            let json = serde_json::from_str(bad).unwrap();
            assert!(from_json(&json).is_err(), "{bad}");
        }
    }

    #[test]
    fn paths_alternate() {
        let node = |id| Node {
            id: NodeId(id),
            labels: vec!["A".into()],
            properties: BTreeMap::from([("x".into(), Value::Integer(1))]),
        };
        let path = Path {
            nodes: vec![node(1), node(2)],
            relationships: vec![Relationship {
                id: RelationshipId(9),
                kind: "T".into(),
                source: NodeId(2),
                target: NodeId(1),
                properties: BTreeMap::new(),
            }],
        };
        assert_eq!(path.to_string(), "(:A {x: 1})<-[:T]-(:A {x: 1})");
        let plain = to_json(&Cell::Path(path.clone()));
        assert_eq!(plain[1]["startNodeElementId"], "2");
        assert_eq!(plain[2]["properties"]["x"], 1);
        let typed = to_typed_json(&Cell::Path(path));
        assert_eq!(typed["$type"], "Path");
        assert_eq!(
            typed["_value"][0]["_value"]["_properties"]["x"]["_value"],
            "1"
        );
        assert_eq!(typed["_value"][1]["_value"]["_start_node_element_id"], "2");
    }
}
