//! Declarations of a file's `<key>` elements.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use serde_json::Value as Json;

use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{PropertyType, Scalar};

use super::TYPE_ATTRIBUTE;

/// A property that elements may have.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) name: Arc<str>,
    pub(super) kind: PropertyType,
    pub(super) of_nodes: bool,
    pub(super) of_edges: bool,
    /// Of elements without the property.
    pub(super) default: Option<Value>,
}

/// Keys by id.
pub(super) type Keys = BTreeMap<String, Key>;

impl Key {
    /// From the attributes of `<key>`.
    pub(super) fn new(attributes: &BTreeMap<String, String>, id: &str) -> Result<Self, Problem> {
        let attribute = |name: &str| attributes.get(name).map(String::as_str);
        let domain = attribute("for").unwrap_or("all");
        let name = attribute("attr.name").unwrap_or(id);
        if name.is_empty() {
            return Err(Problem::new("a key without a name"));
        }
        let list = attribute("attr.list").filter(|list| !list.is_empty());
        let declared = list.or(attribute("attr.type")).unwrap_or("string");
        let scalar = match attribute(TYPE_ATTRIBUTE) {
            Some(beyond) => beyond,
            None => declared,
        };
        let kind: PropertyType = scalar
            .parse()
            .map_err(|problem: String| Problem::at(name, problem))?;
        Ok(Key {
            name: name.into(),
            kind: PropertyType {
                list: list.is_some(),
                ..kind
            },
            of_nodes: matches!(domain, "node" | "all"),
            of_edges: matches!(domain, "edge" | "all"),
            default: None,
        })
    }

    /// A value from the text of its element.
    pub(super) fn read(&self, text: &str) -> Result<Value, Problem> {
        let value = match self.kind.list {
            true => list(self.kind.scalar, text),
            false => self.kind.scalar.read(text),
        };
        value.map_err(|problem| Problem::at(&self.name, problem))
    }
}

fn list(scalar: Scalar, text: &str) -> Result<Value, String> {
    let json: Vec<Json> =
        serde_json::from_str(text).map_err(|_| format!("{} is no JSON list", shown(text)))?;
    let element = |json: Json| match json {
        Json::String(text) => scalar.read(&text),
        Json::Number(number) => scalar.read(&number.to_string()),
        Json::Bool(value) => scalar.read(&value.to_string()),
        _ => Err(format!(
            "{} holds what is no {}",
            shown(text),
            scalar.name()
        )),
    };
    let elements: Result<Vec<Value>, String> = json.into_iter().map(element).collect();
    Ok(Value::List(elements?.into()))
}
