//! A node of a property graph.

use std::sync::Arc;

use evergraph::interchange::json_lines::to_json;
use evergraph::property::value::Value as Property;
use evergraph::property::{
    Direction, Expression, Node, NodeNames, View, known_keys, known_label, known_properties,
    known_types,
};
use evergraph::{Database, Error};
use serde_json::{Map, Value, json};

use super::{NeighborsArgs, NodeArgs, Way};
use crate::projection::read;
use crate::report::{Failure, Report, aligned_by, count, table};

/// Letters of a value in a table.
const CELL: usize = 60;

pub fn show(db: &Database, args: &NodeArgs) -> Result<Report, Failure> {
    let (view, names) = (view(db, args)?, names(db, args)?);
    let (total, nodes) = found(&view, &names, args)?;
    let mut all = Vec::new();
    let mut texts = Vec::new();
    for node in &nodes {
        let degree = |direction| view.degree(node.id(), direction, &[]).map_err(Error::from);
        let (out, incoming) = (degree(Direction::Outgoing)?, degree(Direction::Incoming)?);
        let mut json = described(node, &names);
        json["out"] = json!(out);
        json["in"] = json!(incoming);
        all.push(json);
        let mut rows = vec![
            ("node", names.text(node)),
            ("labels", labels(node)),
            ("relationships", format!("{out} out, {incoming} in")),
        ];
        let properties: Vec<(Arc<str>, &Property)> = node.properties().collect();
        rows.extend(properties.iter().map(|(key, value)| (&**key, cell(value))));
        texts.push(table(&rows));
    }
    let json = json!({ "csn": view.csn(), "total": total, "nodes": all });
    let text = texts.join("\n") + &rest(total, nodes.len());
    Ok(Report::new(json, text))
}

pub fn neighbors(db: &Database, args: &NeighborsArgs) -> Result<Report, Failure> {
    let (view, names) = (view(db, &args.node)?, names(db, &args.node)?);
    known_types(&view, &args.types)?;
    let node = meant(&view, &names, &args.node)?;
    let direction: &[(Direction, &str)] = match args.direction {
        Way::Out => &[(Direction::Outgoing, "out")],
        Way::In => &[(Direction::Incoming, "in")],
        Way::Both => &[(Direction::Outgoing, "out"), (Direction::Incoming, "in")],
    };
    let types: Vec<&str> = args.types.iter().map(String::as_str).collect();
    let head = ["DIRECTION", "TYPE", "NODE", "LABELS", "PROPERTIES"];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    let (mut all, mut total) = (Vec::new(), 0);
    for &(direction, way) in direction {
        let adjacent = view.neighbors(node.id(), direction, &types);
        for adjacent in adjacent.map_err(Error::from)? {
            total += 1;
            if all.len() >= args.node.limit {
                continue;
            }
            let relationship = view.relationship(adjacent.relationship);
            let neighbor = view.node(adjacent.neighbor).map_err(Error::from)?;
            let (Some(relationship), Some(neighbor)) =
                (relationship.map_err(Error::from)?, neighbor)
            else {
                continue;
            };
            rows.push(vec![
                way.to_string(),
                relationship.kind().to_string(),
                names.text(&neighbor),
                labels(&neighbor),
                in_words(neighbor.properties()),
            ]);
            all.push(json!({
                "direction": way,
                "type": relationship.kind().as_ref(),
                "relationship": relationship.id().0,
                "properties": properties(relationship.properties()),
                "node": described(&neighbor, &names),
            }));
        }
    }
    let text = match total {
        0 => format!("node {} has no such neighbors\n", names.text(&node)),
        _ => aligned_by(&rows, |_| false),
    };
    let text = text + &rest(total, all.len());
    let json = json!({
        "csn": view.csn(),
        "node": to_json(&names.name(&node)),
        "total": total,
        "neighbors": all,
    });
    Ok(Report::new(json, text))
}

/// That there are more than are shown.
pub fn rest(total: u64, shown: usize) -> String {
    match total.saturating_sub(shown as u64) {
        0 => String::new(),
        left => format!("… and {} more; --limit {total} shows all\n", count(left)),
    }
}

fn view(db: &Database, args: &NodeArgs) -> Result<View, Failure> {
    let csn = db.moment(&args.at())?.csn;
    Ok(db
        .property_graph()?
        .as_of_commit(csn)
        .map_err(Error::from)?)
}

/// Names of nodes.
fn names(db: &Database, args: &NodeArgs) -> Result<NodeNames, Failure> {
    Ok(match args.numbers {
        true => NodeNames::default(),
        false => NodeNames::of(db.property_graph()?),
    })
}

/// The one node of a name.
pub fn the_one(view: &View, names: &NodeNames, name: &str) -> Result<Node, Failure> {
    let found = named(view, names, name, "")?;
    match <[Node; 1]>::try_from(found) {
        Ok([node]) => Ok(node),
        Err(several) => Err(Failure::usage(
            format!("{} nodes are called {name:?}", several.len()),
            "give the internal number of one with --numbers, which `show DB node --numbers` has",
        )),
    }
}

/// The nodes of a name, at least one; how else they can be named is part of a hint.
fn named(
    view: &View,
    names: &NodeNames,
    name: &str,
    otherwise: &str,
) -> Result<Vec<Node>, Failure> {
    let mut nodes = Vec::new();
    for id in names.find(view, name).map_err(Error::from)? {
        nodes.extend(view.node(id).map_err(Error::from)?);
    }
    match (nodes.is_empty(), names.is_empty()) {
        (false, _) => Ok(nodes),
        (true, true) => Err(Failure::new(
            format!("there is no node {name:?}"),
            format!("give the id of a node, as results have it{otherwise}"),
        )),
        (true, false) => Err(Failure::new(
            format!("there is no node {name:?}"),
            format!("give a value of {}{otherwise}", names.texts().join(" or ")),
        )),
    }
}

/// The one node that is meant.
fn meant(view: &View, names: &NodeNames, args: &NodeArgs) -> Result<Node, Failure> {
    let (total, mut nodes) = found(view, names, args)?;
    match nodes.pop() {
        Some(node) if total == 1 => Ok(node),
        _ => Err(Failure::usage(
            format!("{total} nodes have this value"),
            "name the label with --label, or give the id of one, which `show DB node` has",
        )),
    }
}

/// How many nodes are meant, and the first of them.
fn found(view: &View, names: &NodeNames, args: &NodeArgs) -> Result<(u64, Vec<Node>), Failure> {
    if let Some((key, value)) = &args.by {
        return by_property(view, args, (key, value));
    }
    if let Some(condition) = read("--where", args.condition.as_deref())? {
        return by_condition(view, args, &condition);
    }
    let name = args.key.as_deref().unwrap_or_default();
    let nodes = named(view, names, name, ", or a property: --by name=VALUE")?;
    Ok((nodes.len() as u64, nodes))
}

/// The nodes with a value that reads so.
fn by_property(
    view: &View,
    args: &NodeArgs,
    (key, text): (&str, &str),
) -> Result<(u64, Vec<Node>), Failure> {
    known_keys(view, &[key.to_string()])?;
    let (mut total, mut nodes) = (0, Vec::new());
    let mut take = |node: Node| {
        total += 1;
        if nodes.len() < args.limit.max(1) {
            nodes.push(node);
        }
    };
    match &args.label {
        Some(label) => {
            known_label(view, label)?;
            for value in readings(text) {
                let found = view.find(label, &[(key, value)]).map_err(Error::from)?;
                found.into_iter().for_each(&mut take);
            }
        }
        None => {
            let readings = readings(text);
            for node in view.nodes() {
                let node = node.map_err(Error::from)?;
                if node.get(key).is_some_and(|value| readings.contains(value)) {
                    take(node);
                }
            }
        }
    }
    match total {
        0 => Err(Failure::new(
            format!("no node has {key}={text}"),
            "values are compared as they are written, with capitals",
        )),
        _ => Ok((total, nodes)),
    }
}

/// The nodes for which a condition holds.
fn by_condition(
    view: &View,
    args: &NodeArgs,
    condition: &Expression,
) -> Result<(u64, Vec<Node>), Failure> {
    known_properties(view, condition)?;
    if let Some(label) = &args.label {
        known_label(view, label)?;
    }
    let (mut total, mut nodes) = (0, Vec::new());
    for node in view.nodes() {
        let node = node.map_err(Error::from)?;
        let has_label = args
            .label
            .as_ref()
            .is_none_or(|label| node.has_label(label));
        if has_label && node.satisfies(condition).map_err(Error::from)? {
            total += 1;
            if nodes.len() < args.limit.max(1) {
                nodes.push(node);
            }
        }
    }
    match total {
        0 => Err(Failure::new(
            format!("there is no node where {condition}"),
            "texts are compared with capitals; what a node lacks is null, and no comparison \
             with that is true",
        )),
        _ => Ok((total, nodes)),
    }
}

/// The values that a text may stand for.
fn readings(text: &str) -> Vec<Property> {
    let mut values = vec![Property::Text(text.into())];
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(number), _) => values.push(Property::Integer(number)),
        (_, Ok(number)) => values.push(Property::Float(number)),
        _ => {}
    }
    values.extend(text.parse().ok().map(Property::Boolean));
    values
}

fn described(node: &Node, names: &NodeNames) -> Value {
    json!({
        "node": to_json(&names.name(node)),
        "labels": node.labels().iter().map(AsRef::as_ref).collect::<Vec<&str>>(),
        "properties": properties(node.properties()),
    })
}

fn properties<'a>(all: impl Iterator<Item = (Arc<str>, &'a Property)>) -> Value {
    let fields = all.map(|(key, value)| (key.to_string(), to_json(value)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn labels(node: &Node) -> String {
    node.labels().join(", ")
}

fn in_words<'a>(all: impl Iterator<Item = (Arc<str>, &'a Property)>) -> String {
    let parts: Vec<String> = all
        .map(|(key, value)| format!("{key}={}", cell(value)))
        .collect();
    shortened(&parts.join(", "))
}

/// A value on one line.
fn cell(value: &Property) -> String {
    let text = match value {
        Property::Text(text) => text.to_string(),
        other => other.to_string(),
    };
    shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
