//! A whole graph as sorted lines without the ids of the store, to compare graphs.

use std::collections::BTreeMap;

use evergraph::property::{NodeId, View};

/// Nodes and relationships, ends by label and id.
pub fn dump(view: &View) -> Vec<String> {
    let mut names: BTreeMap<NodeId, String> = BTreeMap::new();
    let mut lines = Vec::new();
    for node in view.nodes() {
        let node = node.unwrap();
        let mut labels = node.labels();
        labels.sort();
        let name = format!("{labels:?} {:?}", node.get("id"));
        let mut properties: Vec<_> = node.properties().collect();
        properties.sort_by_key(|property| property.0.clone());
        lines.push(format!("{name} {properties:?}"));
        names.insert(node.id(), name);
    }
    for relationship in view.relationships() {
        let relationship = relationship.unwrap();
        let (source, target) = (relationship.source(), relationship.target());
        let properties: Vec<_> = relationship.properties().collect();
        lines.push(format!(
            "{} -{}-> {} {properties:?}",
            names[&source],
            relationship.kind(),
            names[&target]
        ));
    }
    lines.sort();
    lines
}

/// The first lines in which they differ.
pub fn difference(one: &[String], other: &[String]) -> String {
    let only = |a: &[String], b: &[String]| {
        let mut missing: Vec<String> = Vec::new();
        for line in a {
            if b.binary_search(line).is_err() && missing.len() < 5 {
                missing.push(line.clone());
            }
        }
        missing.join("\n")
    };
    let (here, there) = (only(one, other), only(other, one));
    format!(
        "{} and {} lines; only in the first:\n{here}\nonly in the second:\n{there}",
        one.len(),
        other.len()
    )
}
