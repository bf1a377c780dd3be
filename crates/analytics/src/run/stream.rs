//! Results as rows of nodes and values, for the query language: the columns of an
//! algorithm are the same whatever its parameters are.

use evergraph_algorithms::UNREACHED;
use evergraph_property_graph::graph::NodeId;
use evergraph_property_graph::value::Value;

use super::naming::Nodes;
use super::rows::whole;
use super::{Outcome, Values};

/// A column of the rows of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamColumn {
    /// Its name.
    pub name: &'static str,
    /// Its contents.
    pub holds: Holds,
}

/// Contents of a column; at most one of each kind in the rows of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The node that the row is about.
    Node,
    /// A score, distance or count; null where there is none.
    Number,
    /// Whether the node belongs to the result.
    Flag,
    /// The number of a group, such as a community.
    Group,
    /// Another node, such as the one before it on a path.
    Other,
    /// The first end of an edge or a pair.
    Source,
    /// The second end.
    Target,
    /// The place of the node in an order, from 0.
    Position,
    /// Nodes in an order, such as a walk.
    Nodes,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamValue {
    /// A node.
    Node(NodeId),
    /// Nodes in an order.
    Nodes(Vec<NodeId>),
    /// Anything else.
    Value(Value),
}

const fn column(name: &'static str, holds: Holds) -> StreamColumn {
    StreamColumn { name, holds }
}

pub(super) const NODE: StreamColumn = column("node", Holds::Node);
pub(super) const SOURCE: StreamColumn = column("source", Holds::Source);
pub(super) const TARGET: StreamColumn = column("target", Holds::Target);
pub(super) const PARENT: StreamColumn = column("parent", Holds::Other);
pub(super) const POSITION: StreamColumn = column("position", Holds::Position);
pub(super) const NODES: StreamColumn = column("nodes", Holds::Nodes);
pub(super) const MEMBER: StreamColumn = column("member", Holds::Flag);
pub(super) const SCORES: &[StreamColumn] = &[NODE, number("score")];
pub(super) const DISTANCES: &[StreamColumn] = &[NODE, number("distance"), PARENT];
pub(super) const COMPONENTS: &[StreamColumn] = &[NODE, group("componentId")];
pub(super) const COMMUNITIES: &[StreamColumn] = &[NODE, group("communityId")];
pub(super) const EDGES: &[StreamColumn] = &[SOURCE, TARGET];

pub(super) const fn number(name: &'static str) -> StreamColumn {
    column(name, Holds::Number)
}

pub(super) const fn group(name: &'static str) -> StreamColumn {
    column(name, Holds::Group)
}

pub(super) const fn flag(name: &'static str) -> StreamColumn {
    column(name, Holds::Flag)
}

pub(super) const fn other(name: &'static str) -> StreamColumn {
    column(name, Holds::Other)
}

/// Rows of a result on nodes, made as they are asked for.
pub struct Stream {
    values: Values,
    nodes: Nodes,
    columns: &'static [StreamColumn],
    /// Whether values are labels of groups.
    are_groups: bool,
    next: usize,
}

impl Outcome {
    /// Its values under these columns, those of its algorithm; `None` if it is of a graph
    /// without nodes.
    pub fn stream(self, columns: &'static [StreamColumn]) -> Option<Stream> {
        let nodes = self.naming.nodes()?.clone();
        let are_groups = matches!(&*self.column, "component" | "community" | "cluster");
        Some(Stream {
            values: self.values,
            nodes,
            columns,
            are_groups,
            next: 0,
        })
    }
}

impl Stream {
    fn node(&self, vertex: u32) -> StreamValue {
        StreamValue::Node(self.nodes.node(vertex))
    }

    /// Another vertex as the value of one.
    fn vertex(&self, other: u32) -> (Holds, StreamValue) {
        match (self.are_groups, other) {
            (true, UNREACHED) => (Holds::Group, StreamValue::Value(Value::Null)),
            (false, UNREACHED) => (Holds::Other, StreamValue::Value(Value::Null)),
            (true, other) => {
                let id = Value::Integer(self.nodes.node(other).0.into());
                (Holds::Group, StreamValue::Value(id))
            }
            (false, other) => (Holds::Other, self.node(other)),
        }
    }

    /// What the row of a number has; `None` behind the last.
    fn parts(&self, at: usize) -> Option<Vec<(Holds, StreamValue)>> {
        let node = || (Holds::Node, self.node(at as u32));
        let value = |holds, value| (holds, StreamValue::Value(value));
        let ends = |u, v| [(Holds::Source, self.node(u)), (Holds::Target, self.node(v))];
        let with = |u, v, number| {
            let [source, target] = ends(u, v);
            vec![source, target, value(Holds::Number, number)]
        };
        Some(match &self.values {
            Values::Reals(all) => vec![node(), value(Holds::Number, real(*all.get(at)?))],
            Values::Depths(all) => {
                let depth = *all.get(at)?;
                let known = (depth != UNREACHED).then_some(i64::from(depth));
                vec![node(), value(Holds::Number, known.into())]
            }
            Values::Counts(all) => {
                let holds = match self.are_groups {
                    true => Holds::Group,
                    false => Holds::Number,
                };
                let count = match *all.get(at)? {
                    u64::MAX => Value::Null,
                    count => whole(count),
                };
                vec![node(), value(holds, count)]
            }
            Values::Vertices(all) | Values::Headed(all, _) => {
                vec![node(), self.vertex(*all.get(at)?)]
            }
            Values::Members(all) => vec![node(), value(Holds::Flag, (*all.get(at)?).into())],
            Values::Ranked(all) => {
                let &(vertex, score) = all.get(at)?;
                let node = (Holds::Node, self.node(vertex));
                vec![node, value(Holds::Number, real(score))]
            }
            Values::Edges(all) => all.get(at).map(|&(u, v)| ends(u, v))?.into(),
            Values::EdgeReals(all) => all.get(at).map(|&(u, v, x)| with(u, v, real(x)))?,
            Values::EdgeCounts(all) => {
                all.get(at).map(|&(u, v, count)| with(u, v, whole(count)))?
            }
            Values::Lists(lists) if self.columns.contains(&NODES) => {
                let end = *lists.ends.get(at)?;
                let begin = at.checked_sub(1).map_or(0, |before| lists.ends[before]);
                let nodes = lists.vertices[begin..end].iter();
                let nodes = nodes.map(|&vertex| self.nodes.node(vertex)).collect();
                vec![(Holds::Nodes, StreamValue::Nodes(nodes))]
            }
            Values::Lists(lists) => {
                let node = (Holds::Node, self.node(*lists.vertices.get(at)?));
                vec![node, value(Holds::Position, whole(at as u64))]
            }
            Values::Nothing => return None,
        })
    }
}

impl Iterator for Stream {
    type Item = Vec<StreamValue>;

    fn next(&mut self) -> Option<Vec<StreamValue>> {
        let mut parts = self.parts(self.next)?;
        self.next += 1;
        let columns = self.columns.iter().map(|column| {
            let at = parts.iter().position(|(holds, _)| *holds == column.holds);
            at.map_or(StreamValue::Value(Value::Null), |at| {
                parts.swap_remove(at).1
            })
        });
        Some(columns.collect())
    }
}

/// Infinity is the distance of what is not reached.
fn real(value: f64) -> Value {
    match value == f64::INFINITY {
        true => Value::Null,
        false => Value::Float(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::algorithms;

    #[test]
    fn columns_are_distinct_and_about_nodes() {
        for algorithm in algorithms() {
            let columns = algorithm.columns;
            assert!(!columns.is_empty(), "{}", algorithm.name);
            for (at, column) in columns.iter().enumerate() {
                let is_twice = columns[..at]
                    .iter()
                    .any(|other| other.name == column.name || other.holds == column.holds);
                assert!(!is_twice, "{}: {}", algorithm.name, column.name);
            }
        }
    }
}
