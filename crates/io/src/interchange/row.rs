//! Rows as every format gives and takes them.

use std::fmt;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::{InterchangeError, RowBatch};

/// How a file names a node. A number and a text of the same digits differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// A 64-bit integer.
    Integer(i64),
    /// Any text, not empty.
    Text(Arc<str>),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Integer(number) => write!(f, "{number}"),
            Id::Text(text) => f.write_str(text),
        }
    }
}

/// Syntax of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Any texts: `007` and `7` differ.
    Texts,
    /// 64-bit integers.
    Integers,
}

/// An id within its id space: in files that number each kind of node from 0, the
/// space tells them apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalId {
    /// The id space; empty for the one that needs no name.
    pub space: Arc<str>,
    /// The id.
    pub id: Id,
}

impl ExternalId {
    /// An integer of the space without a name.
    pub fn integer(id: i64) -> Self {
        ExternalId {
            space: Arc::from(""),
            id: Id::Integer(id),
        }
    }

    /// A text of the space without a name.
    pub fn text(id: &str) -> Self {
        ExternalId {
            space: Arc::from(""),
            id: Id::Text(id.into()),
        }
    }

    /// The same id in a space.
    pub fn within(mut self, space: &str) -> Self {
        self.space = space.into();
        self
    }
}

impl fmt::Display for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.space {
            "" => write!(f, "{}", self.id),
            space => write!(f, "{} of {space}", self.id),
        }
    }
}

/// A node. Properties have distinct names, in the order of the file, and no nulls.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRow {
    /// Without an id no relationship can name the node.
    pub id: Option<ExternalId>,
    /// Distinct, in the order of the file.
    pub labels: Vec<Arc<str>>,
    /// By name.
    pub properties: Vec<(Arc<str>, Value)>,
}

/// A relationship.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipRow {
    /// Source node.
    pub source: ExternalId,
    /// Target node.
    pub target: ExternalId,
    /// Its type; not empty.
    pub kind: Arc<str>,
    /// By name, as of nodes.
    pub properties: Vec<(Arc<str>, Value)>,
}

/// A row of a file.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the rows say it")]
pub enum Row {
    Node(NodeRow),
    Relationship(RelationshipRow),
}

/// Kinds of rows in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nodes alone.
    Nodes,
    /// Relationships alone.
    Relationships,
    /// Both, in any order, as far as is known.
    Both,
}

/// Context of a row that the row itself does not carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// A node of an id that there is already is no other node, and nothing is wrong.
    pub merges: bool,
    /// A relationship of the node that came last before it: where that was refused,
    /// it is not there either.
    pub is_of_node: bool,
    /// Of the source and the target of a relationship: the file does not say whether such
    /// ids are integers or texts, so that they are what the ids of the nodes are.
    pub follows: [bool; 2],
    /// The columns of the ends of a relationship, if they have names.
    pub ends: Option<Arc<[Arc<str>; 2]>>,
}

/// Gives the rows of one input, and says where they stood. After a
/// [`InterchangeError::BadRow`] it can be asked for more; after another error there
/// is no more.
pub trait RowReader: Iterator<Item = Result<Row, InterchangeError>> {
    /// The caller's name for the input.
    fn file(&self) -> &Arc<str>;

    /// The line on which the last row begins, from 1.
    fn line(&self) -> u64;

    /// Kinds of rows that can come, known before the first row is read.
    fn contents(&self) -> Contents;

    /// Context of the last row.
    fn standing(&self) -> Standing {
        Standing::default()
    }

    /// The next rows by column, at most so many and of so many bytes, but for the last of
    /// them; `None` if the next one has to be taken by itself. Not every format has them.
    fn batch(&mut self, _rows: usize, _bytes: usize) -> Option<RowBatch> {
        None
    }
}

impl<R: RowReader + ?Sized> RowReader for Box<R> {
    fn file(&self) -> &Arc<str> {
        (**self).file()
    }

    fn line(&self) -> u64 {
        (**self).line()
    }

    fn contents(&self) -> Contents {
        (**self).contents()
    }

    fn standing(&self) -> Standing {
        (**self).standing()
    }

    fn batch(&mut self, rows: usize, bytes: usize) -> Option<RowBatch> {
        (**self).batch(rows, bytes)
    }
}
