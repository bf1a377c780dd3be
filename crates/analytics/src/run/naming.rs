//! External names of the vertices of a result.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::sync::Arc;

use super::Fact;
use super::values::Cell;
use crate::{Error, Session};
use evergraph_property_graph::graph::{self as property, GraphError, NodeId, NodeNames};
use evergraph_property_graph::value::Value;
use evergraph_topology::ids::IdKind;

/// External names of the vertices of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Naming {
    /// By the external ids of the database.
    #[default]
    External,
    /// By the external ids of these vertices of the database, ascending.
    Vertices(Arc<[u32]>),
    /// By the nodes of a property graph that they stand for.
    Nodes(Nodes),
}

/// The nodes that vertices stand for. If they are named by a property, this keeps
/// the graph readable as it was, as a view does.
#[derive(Clone)]
pub struct Nodes {
    count: u32,
    /// Ascending; `None` if each node is its own vertex.
    of_vertex: Option<Arc<[u32]>>,
    by: Option<By>,
}

/// Names of nodes, as of a view.
#[derive(Clone)]
struct By {
    view: property::View,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    /// Properties that were asked for, a column each.
    Properties(Arc<[String]>),
    /// The keys of imports.
    Keys(NodeNames),
}

impl Nodes {
    /// The nodes `of_vertex`, ascending, or `0..count`.
    pub(super) fn new(count: u32, of_vertex: Option<Arc<[u32]>>) -> Self {
        Nodes {
            count,
            of_vertex,
            by: None,
        }
    }

    /// Named by properties, if any are given, as of a view.
    pub(super) fn by(mut self, view: &property::View, keys: &[String]) -> Self {
        self.by = (!keys.is_empty()).then(|| By {
            view: view.clone(),
            what: What::Properties(keys.into()),
        });
        self
    }

    /// Named by the keys of imports, if there are any, as of a view.
    pub(super) fn by_keys(mut self, view: &property::View, names: &NodeNames) -> Self {
        self.by = (!names.is_empty()).then(|| By {
            view: view.clone(),
            what: What::Keys(names.clone()),
        });
        self
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The node of each vertex; `None` if they are the same.
    pub fn of_vertex(&self) -> Option<&Arc<[u32]>> {
        self.of_vertex.as_ref()
    }

    /// The node that a vertex stands for.
    pub fn node(&self, vertex: u32) -> NodeId {
        NodeId(match &self.of_vertex {
            Some(nodes) => nodes.get(vertex as usize).copied().unwrap_or(u32::MAX),
            None => vertex,
        })
    }

    /// The vertex that stands for a node, if one does. O(log n).
    pub fn vertex(&self, node: NodeId) -> Option<u32> {
        match &self.of_vertex {
            Some(nodes) => nodes.binary_search(&node.0).ok().map(|at| at as u32),
            None => (node.0 < self.count).then_some(node.0),
        }
    }

    /// The properties that a node is named by; of one alone that it does not have, its
    /// id in words. The id as a number where nodes are not named by properties.
    fn names(&self, vertex: u32, into: &mut Vec<Cell>) -> Result<(), GraphError> {
        let node = self.node(vertex);
        let Some(By { view, what }) = &self.by else {
            into.push(Some(Value::Integer(node.0.into())));
            return Ok(());
        };
        let found = view.node(node)?;
        let by_id = || Value::Text(node.to_string().into());
        let value = |key: &String| found.as_ref().and_then(|found| found.get(key)).cloned();
        match what {
            What::Properties(keys) => match &keys[..] {
                [key] => into.push(Some(value(key).unwrap_or_else(by_id))),
                keys => into.extend(keys.iter().map(value)),
            },
            What::Keys(names) => {
                let name = found.as_ref().map(|found| names.name(found));
                into.push(Some(name.unwrap_or_else(by_id)));
            }
        }
        Ok(())
    }

    /// The first of its names that it has.
    fn name(&self, vertex: u32) -> Result<Option<Value>, GraphError> {
        let mut names = Vec::new();
        self.names(vertex, &mut names)?;
        Ok(names.into_iter().flatten().next())
    }
}

impl Naming {
    /// Names of vertices that stand for these of the database, or for themselves.
    pub(super) fn of_vertices(vertices: Option<Arc<[u32]>>) -> Self {
        vertices.map_or(Naming::External, Naming::Vertices)
    }

    /// The vertex of the database, or the node, of each vertex; `None` if they are the
    /// same.
    pub fn of_vertex(&self) -> Option<&Arc<[u32]>> {
        match self {
            Naming::External => None,
            Naming::Vertices(vertices) => Some(vertices),
            Naming::Nodes(nodes) => nodes.of_vertex(),
        }
    }

    /// Name of a vertex, for a message. A node that cannot be read goes by its id.
    pub(super) fn name(&self, session: &Session, vertex: u32) -> String {
        match self {
            Naming::External => session.vertex_name(vertex),
            Naming::Vertices(vertices) => session.vertex_name(vertices[vertex as usize]),
            Naming::Nodes(nodes) => match nodes.name(vertex) {
                Ok(Some(Value::Text(text))) => text.to_string(),
                Ok(Some(value)) => value.to_string(),
                Ok(None) | Err(_) => nodes.node(vertex).to_string(),
            },
        }
    }

    /// As [`Naming::name`], a number as such where names are ids or keys.
    pub(super) fn fact(&self, session: &Session, vertex: u32) -> Fact {
        let name = self.name(session, vertex);
        let is_number = match self {
            Naming::External | Naming::Vertices(_) => are_numbers(session),
            Naming::Nodes(nodes) => match &nodes.by {
                None => true,
                Some(by) => {
                    let is_key = matches!(by.what, What::Keys(_));
                    is_key && matches!(nodes.name(vertex), Ok(Some(Value::Integer(_))))
                }
            },
        };
        match is_number {
            true => name.parse().map_or(Fact::Text(name), Fact::Id),
            false => Fact::Text(name),
        }
    }

    /// Whether tabs separate the parts of a line: names may have blanks.
    pub(super) fn has_tabs(&self) -> bool {
        !self.keys().is_empty()
    }

    /// The properties that nodes are named by.
    pub(super) fn keys(&self) -> &[String] {
        match self {
            Naming::Nodes(Nodes {
                by:
                    Some(By {
                        what: What::Properties(keys),
                        ..
                    }),
                ..
            }) => keys,
            _ => &[],
        }
    }

    /// Names many vertices.
    pub(super) fn namer<'a>(&'a self, session: &'a Session) -> Namer<'a> {
        match self {
            Naming::External => Namer::External(session, None, are_numbers(session)),
            Naming::Vertices(vertices) => {
                Namer::External(session, Some(vertices), are_numbers(session))
            }
            Naming::Nodes(nodes) => Namer::Nodes(nodes, RefCell::default()),
        }
    }

    /// Nodes, if vertices stand for such.
    pub fn nodes(&self) -> Option<&Nodes> {
        match self {
            Naming::External | Naming::Vertices(_) => None,
            Naming::Nodes(nodes) => Some(nodes),
        }
    }
}

/// Whether external ids of vertices are numbers.
fn are_numbers(session: &Session) -> bool {
    session.config().ids != IdKind::Texts
}

/// Names vertices in lines of a file.
pub(super) enum Namer<'a> {
    /// Each name takes the lock of the ids for itself: many lines are written while
    /// others commit. And the vertex of the database of each, if it is another, and
    /// whether names are numbers.
    External(&'a Session, Option<&'a [u32]>, bool),
    /// And the first node that could not be read.
    Nodes(&'a Nodes, RefCell<Option<Error>>),
}

impl Namer<'_> {
    /// Appends the cells that name a vertex.
    pub(super) fn push(&self, vertex: u32, into: &mut Vec<Cell>) {
        match self {
            Namer::External(session, vertices, is_by_number) => {
                let vertex = vertices.map_or(vertex, |vertices| vertices[vertex as usize]);
                let name = session.vertex_name(vertex);
                let number = is_by_number.then(|| name.parse().ok()).flatten();
                into.push(Some(
                    number.map_or(Value::Text(name.into()), Value::Integer),
                ));
            }
            Namer::Nodes(nodes, failure) => {
                let before = into.len();
                if let Err(error) = nodes.names(vertex, into) {
                    failure.borrow_mut().get_or_insert(error.into());
                    into.truncate(before);
                }
            }
        }
    }

    /// The first of the cells that name a vertex.
    pub(super) fn one(&self, vertex: u32) -> Value {
        let mut names = Vec::new();
        self.push(vertex, &mut names);
        names.into_iter().next().flatten().unwrap_or(Value::Null)
    }

    /// Whether all could be named.
    ///
    /// # Errors
    /// Damage.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Namer::External(..) => Ok(()),
            Namer::Nodes(_, failure) => match failure.into_inner() {
                None => Ok(()),
                Some(error) => Err(io::Error::other(error)),
            },
        }
    }
}

impl PartialEq for Nodes {
    fn eq(&self, other: &Self) -> bool {
        let by = |nodes: &Nodes| {
            let by = nodes.by.as_ref();
            by.map(|by| (by.view.csn(), by.what.clone()))
        };
        self.count == other.count && self.of_vertex == other.of_vertex && by(self) == by(other)
    }
}

impl fmt::Debug for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nodes")
            .field("count", &self.count)
            .field("of_vertex", &self.of_vertex)
            .field("by", &self.by.as_ref().map(|by| &by.what))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_vertices_lead_to_each_other() {
        let all = Nodes::new(3, None);
        let some = Nodes::new(3, Some([2, 5, 9].into()));
        for (nodes, ids) in [(&all, [0, 1, 2]), (&some, [2, 5, 9])] {
            for (vertex, id) in (0..).zip(ids) {
                assert_eq!(nodes.node(vertex), NodeId(id));
                assert_eq!(nodes.vertex(NodeId(id)), Some(vertex));
            }
        }
        assert_eq!(all.vertex(NodeId(3)), None);
        assert_eq!(some.vertex(NodeId(3)), None);
    }
}
