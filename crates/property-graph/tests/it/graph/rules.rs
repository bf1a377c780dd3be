//! Indexes and constraints that tests make and drop, and their checks against a model.

use std::collections::BTreeMap;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Definition, Rule, Subject, ValueType};

use super::model::{Model, Values};

/// How many there are.
pub const RULES: u8 = 12;

/// One of them, by number.
pub fn rule(number: u8) -> Definition {
    let name = format!("rule{}", number % RULES);
    let nodes = |label, keys: &[&str], rule| Definition::of_nodes(&name, label, keys, rule);
    let of_type = |kind, keys: &[&str], rule| Definition::of_relationships(&name, kind, keys, rule);
    match number % RULES {
        0 => nodes("Person", &["note"], Rule::Index),
        1 => nodes("Admin", &["name"], Rule::Unique),
        2 => nodes("City", &["name"], Rule::Exists),
        3 => nodes("Admin", &["name", "age"], Rule::Key),
        4 => nodes("City", &["age"], Rule::Type(ValueType::Integer)),
        5 => nodes("City", &["age", "name"], Rule::Index),
        6 => of_type("KNOWS", &["age"], Rule::Index),
        7 => of_type("LIKES", &["note"], Rule::Unique),
        8 => of_type("LIVES_IN", &["note"], Rule::Exists),
        9 => of_type("LIKES", &["note", "name"], Rule::Key),
        10 => of_type("LIVES_IN", &["age"], Rule::Type(ValueType::Text)),
        _ => of_type("LIKES", &["name", "note"], Rule::Index),
    }
}

/// Whether a model is as a definition says.
pub fn holds(model: &Model, definition: &Definition) -> bool {
    let records: Vec<&Values> = match &definition.subject {
        Subject::Nodes(label) => {
            let nodes = model.nodes.values();
            let its = nodes.filter(|node| node.labels.contains(label));
            its.map(|node| &node.values).collect()
        }
        Subject::Relationships(kind) => {
            let its = model.relationships.values().filter(|r| r.kind == *kind);
            its.map(|relationship| &relationship.values).collect()
        }
    };
    let keys = |values: &&Values| -> Option<Vec<Value>> {
        let values = definition.keys.iter().map(|key| values.get(key).cloned());
        values.collect()
    };
    let is_unique = || {
        let found: Vec<Vec<Value>> = records.iter().filter_map(keys).collect();
        let is_first = |at: usize| !found[..at].contains(&found[at]);
        (0..found.len()).all(is_first)
    };
    let is_there = || records.iter().all(|values| keys(values).is_some());
    match definition.rule {
        Rule::Index => true,
        Rule::Unique => is_unique(),
        Rule::Exists => is_there(),
        Rule::Key => is_there() && is_unique(),
        Rule::Type(wanted) => records.iter().all(|values| {
            let mut values = definition.keys.iter().filter_map(|key| values.get(key));
            values.all(|value| match wanted {
                ValueType::Integer => matches!(value, Value::Integer(_)),
                ValueType::Text => matches!(value, Value::Text(_)),
                other => unreachable!("no rule asks for {other:?}"),
            })
        }),
    }
}

/// Rules in force, by name.
pub type Rules = BTreeMap<String, u8>;

/// Whether a model is as all of them say.
pub fn all_hold(model: &Model, rules: &Rules) -> bool {
    rules.values().all(|&number| holds(model, &rule(number)))
}
