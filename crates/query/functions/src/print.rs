//! Data as text, in the form of literals.

use std::fmt::Write;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Entity, NodeId, RelationshipId};

use crate::datum::{Datum, Path};
use crate::environment::Entities;
use crate::error::ReadError;

/// A value as Cypher writes it: `(:Person {name: 'Ann'})`, `[:KNOWS {since: 2015}]`,
/// `<(:A)-[:T]->(:B)>`, and literals.
///
/// # Errors
/// Nodes and relationships that cannot be read.
pub fn print(datum: &Datum, entities: &dyn Entities) -> Result<String, ReadError> {
    let mut text = String::new();
    push(datum, entities, &mut text)?;
    Ok(text)
}

/// A float as `toString` gives it, and as Neo4j does: `100.0`, `1.0E10`, `NaN`.
pub(crate) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_string();
    }
    if number == 0.0 || (1e-3..1e7).contains(&number.abs()) {
        return format!("{number:?}");
    }
    let text = format!("{number:E}");
    match text.contains('.') {
        true => text,
        false => text.replace('E', ".0E"),
    }
}

fn push(datum: &Datum, entities: &dyn Entities, text: &mut String) -> Result<(), ReadError> {
    match datum {
        Datum::Value(value) => write!(text, "{value}")?,
        Datum::Node(node) => push_node(*node, entities, text)?,
        Datum::Relationship(relationship) => push_relationship(*relationship, entities, text)?,
        Datum::Path(path) => push_path(path, entities, text)?,
        Datum::List(data) => {
            let mut before = "[";
            for datum in data.iter() {
                text.push_str(before);
                push(datum, entities, text)?;
                before = ", ";
            }
            text.push(']');
        }
        Datum::Map(entries) => {
            let mut before = "{";
            for (key, datum) in entries.iter() {
                write!(text, "{before}{}: ", Name(key))?;
                push(datum, entities, text)?;
                before = ", ";
            }
            text.push('}');
        }
    }
    Ok(())
}

fn push_node(node: NodeId, entities: &dyn Entities, text: &mut String) -> Result<(), ReadError> {
    text.push('(');
    for label in entities.labels(node)? {
        write!(text, ":{}", Name(&label))?;
    }
    let has_labels = !text.ends_with('(');
    push_properties(Entity::Node(node), has_labels, entities, text)?;
    text.push(')');
    Ok(())
}

fn push_relationship(
    relationship: RelationshipId,
    entities: &dyn Entities,
    text: &mut String,
) -> Result<(), ReadError> {
    let name = entities.relationship_type(relationship)?;
    write!(text, "[:{}", Name(&name))?;
    push_properties(Entity::Relationship(relationship), true, entities, text)?;
    text.push(']');
    Ok(())
}

fn push_properties(
    entity: Entity,
    has_name: bool,
    entities: &dyn Entities,
    text: &mut String,
) -> Result<(), ReadError> {
    let properties = entities.properties(entity)?;
    if !properties.is_empty() {
        let before = if has_name { " " } else { "" };
        write!(text, "{before}{}", Value::Map(Arc::new(properties)))?;
    }
    Ok(())
}

fn push_path(path: &Path, entities: &dyn Entities, text: &mut String) -> Result<(), ReadError> {
    text.push('<');
    for (at, node) in path.nodes().iter().enumerate() {
        if let Some(before) = at.checked_sub(1) {
            let relationship = path.relationships()[before];
            let (source, _) = entities.ends(relationship)?;
            let forward = source == path.nodes()[before];
            text.push_str(if forward { "-" } else { "<-" });
            push_relationship(relationship, entities, text)?;
            text.push_str(if forward { "->" } else { "-" });
        }
        push_node(*node, entities, text)?;
    }
    text.push('>');
    Ok(())
}

/// A name, in backticks where it is no plain one.
struct Name<'a>(&'a str);

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let begins = |c: char| c.is_alphabetic() || c == '_';
        let is_plain =
            self.0.starts_with(begins) && self.0.chars().all(|c| begins(c) || c.is_numeric());
        match is_plain {
            true => f.write_str(self.0),
            false => write!(f, "`{}`", self.0.replace('`', "``")),
        }
    }
}
