//! Helpers of every read: the node of an id, the one neighbor that there must be,
//! properties that must be there.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph::property::value::Value;
use evergraph::property::{Direction, GraphError, Node, NodeId, View};

/// The node of a label that has an id, if there is one.
pub fn find(view: &View, label: &str, id: i64) -> Result<Option<Node>, GraphError> {
    Ok(view.find(label, &[("id", id.into())])?.pop())
}

/// A node that a relationship leads to.
pub fn node(view: &View, id: NodeId) -> Result<Node, GraphError> {
    let found = view.node(id)?;
    found.ok_or_else(|| missing(format!("{id}, to which a relationship leads")))
}

/// The neighbor by a type of which the schema says that there is one.
pub fn only_neighbor(
    view: &View,
    of: &Node,
    direction: Direction,
    kind: &str,
) -> Result<Node, GraphError> {
    let first = view.for_each_neighbor(of.id(), direction, &[kind], ControlFlow::Break)?;
    let only = first.break_value();
    let only = only.ok_or_else(|| missing(format!("{kind} of {}", of.id())))?;
    node(view, only.neighbor)
}

/// A whole number.
pub fn integer(node: &Node, key: &str) -> Result<i64, GraphError> {
    let found = node.get_as(key)?;
    found.ok_or_else(|| missing(format!("{key} of {}", node.id())))
}

/// A text.
pub fn text(node: &Node, key: &str) -> Result<Arc<str>, GraphError> {
    let found = node.get_as(key)?;
    found.ok_or_else(|| missing(format!("{key} of {}", node.id())))
}

/// A property that every node here has, without the others.
pub fn property(view: &View, node: NodeId, key: &str) -> Result<Value, GraphError> {
    let found = view.property(node, key)?;
    found.ok_or_else(|| missing(format!("{key} of {node}")))
}

/// A moment or a day in milliseconds since 1970, however it was imported.
pub fn milliseconds(value: Option<&Value>) -> Result<i64, GraphError> {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    match value {
        Some(Value::Integer(milliseconds)) => Ok(*milliseconds),
        Some(Value::DateTime(moment)) => Ok(moment.milliseconds()),
        Some(Value::Date(day)) => Ok(day.days() * DAY),
        other => Err(missing(format!("a date: {other:?}"))),
    }
}

pub fn missing(what: String) -> GraphError {
    GraphError::User(format!("the network has no {what}").into())
}
