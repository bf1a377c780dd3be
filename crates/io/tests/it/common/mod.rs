//! Helpers that the tests of all formats share.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod values;

use std::sync::Arc;

use evergraph_io::interchange::{InterchangeError, NodeRow, RelationshipRow, Row, RowReader};
use evergraph_property_graph::Value;

/// A good row as its parts, or the message of a bad one.
pub fn read(reader: impl RowReader) -> Vec<Result<Row, String>> {
    reader
        .map(|row| row.map_err(|error| error.to_string()))
        .collect()
}

/// All rows, none of which is bad.
pub fn rows(reader: impl RowReader) -> Vec<Row> {
    reader.map(|row| row.unwrap()).collect()
}

pub fn node(row: &Row) -> &NodeRow {
    match row {
        Row::Node(node) => node,
        other => panic!("{other:?}"),
    }
}

pub fn relationship(row: &Row) -> &RelationshipRow {
    match row {
        Row::Relationship(relationship) => relationship,
        other => panic!("{other:?}"),
    }
}

pub fn get<'a>(properties: &'a [(Arc<str>, Value)], name: &str) -> Option<&'a Value> {
    properties
        .iter()
        .find(|property| &*property.0 == name)
        .map(|property| &property.1)
}

/// A property as Cypher writes it.
pub fn literal(properties: &[(Arc<str>, Value)], name: &str) -> String {
    get(properties, name).map_or("absent".to_string(), Value::to_string)
}

pub fn message<T>(result: Result<T, InterchangeError>) -> String {
    match result {
        Ok(_) => panic!("it should have failed"),
        Err(error) => error.to_string(),
    }
}
