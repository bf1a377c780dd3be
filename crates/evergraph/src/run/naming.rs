//! External names of the vertices of a result.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::property::value::Value;
use crate::property::{self, GraphError, NodeId};
use crate::{Database, Error};

/// External names of the vertices of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Naming {
    /// By the external ids of the database.
    #[default]
    External,
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

/// The property that nodes are named by.
#[derive(Clone)]
struct By {
    view: property::View,
    key: Arc<str>,
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

    /// Named by a property, as of a view.
    pub(super) fn by(mut self, view: &property::View, key: &str) -> Self {
        self.by = Some(By {
            view: view.clone(),
            key: key.into(),
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

    /// The property, as a text; the id where there is none.
    fn name(&self, vertex: u32) -> Result<String, GraphError> {
        let node = self.node(vertex);
        let Some(By { view, key }) = &self.by else {
            return Ok(node.0.to_string());
        };
        let found = view.node(node)?;
        Ok(match found.as_ref().and_then(|node| node.get(key)) {
            None => node.to_string(),
            Some(Value::Text(text)) => text.to_string(),
            Some(value) => value.to_string(),
        })
    }
}

impl Naming {
    /// Name of a vertex, for a message. A node that cannot be read goes by its id.
    pub(super) fn name(&self, db: &Database, vertex: u32) -> String {
        match self {
            Naming::External => db.vertex_name(vertex),
            Naming::Nodes(nodes) => {
                let name = nodes.name(vertex);
                name.unwrap_or_else(|_| nodes.node(vertex).to_string())
            }
        }
    }

    /// Separator of the parts of a line: names may have blanks.
    pub(super) fn separator(&self) -> &'static [u8] {
        match self {
            Naming::Nodes(Nodes { by: Some(_), .. }) => b"\t",
            _ => b" ",
        }
    }

    /// Names many vertices.
    pub(super) fn namer<'a>(&'a self, db: &'a Database) -> Namer<'a> {
        match self {
            Naming::External => Namer::External(db),
            Naming::Nodes(nodes) => Namer::Nodes(nodes, RefCell::default()),
        }
    }

    /// Nodes, if vertices stand for such.
    pub fn nodes(&self) -> Option<&Nodes> {
        match self {
            Naming::External => None,
            Naming::Nodes(nodes) => Some(nodes),
        }
    }
}

/// Names vertices in lines of a file.
pub(super) enum Namer<'a> {
    /// Each name takes the lock of the ids for itself: many lines are written while
    /// others commit.
    External(&'a Database),
    /// And the first node that could not be read.
    Nodes(&'a Nodes, RefCell<Option<Error>>),
}

impl Namer<'_> {
    /// The name; without separators of lines or of their parts, if it is a property.
    pub fn name(&self, vertex: u32) -> String {
        match self {
            Namer::External(db) => db.vertex_name(vertex),
            Namer::Nodes(nodes, failure) => match nodes.name(vertex) {
                Ok(name) => escaped(&name).into_owned(),
                Err(error) => {
                    failure.borrow_mut().get_or_insert(error.into());
                    String::new()
                }
            },
        }
    }

    /// Whether all could be named.
    ///
    /// # Errors
    /// Damage.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Namer::External(_) => Ok(()),
            Namer::Nodes(_, failure) => match failure.into_inner() {
                None => Ok(()),
                Some(error) => Err(io::Error::other(error)),
            },
        }
    }
}

/// With `\t`, `\n`, `\r` and `\\` for the characters that a line cannot hold.
fn escaped(name: &str) -> Cow<'_, str> {
    if !name.contains(['\t', '\n', '\r', '\\']) {
        return Cow::Borrowed(name);
    }
    let mut text = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        match letter {
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\\' => text.push_str("\\\\"),
            other => text.push(other),
        }
    }
    Cow::Owned(text)
}

impl PartialEq for Nodes {
    fn eq(&self, other: &Self) -> bool {
        let by = |nodes: &Nodes| {
            let by = nodes.by.as_ref();
            by.map(|by| (by.view.csn(), Arc::clone(&by.key)))
        };
        self.count == other.count && self.of_vertex == other.of_vertex && by(self) == by(other)
    }
}

impl fmt::Debug for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nodes")
            .field("count", &self.count)
            .field("of_vertex", &self.of_vertex)
            .field("by", &self.by.as_ref().map(|by| &by.key))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_to_their_place_in_a_line() {
        assert_eq!(escaped("Ann Lee"), "Ann Lee");
        assert_eq!(escaped("a\tb\\c\r\n"), "a\\tb\\\\c\\r\\n");
    }

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
