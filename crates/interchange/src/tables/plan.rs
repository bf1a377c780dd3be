//! Plan of a file: the use of each column.

use std::sync::Arc;

use crate::PropertyType;

use super::lookup::Texts;
use super::mapping::Format;

/// A file of a mapping, and what its rows are.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// As the mapping names it.
    pub path: String,
    pub(crate) plan: Arc<Plan>,
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub format: Format,
    pub columns: Vec<String>,
    pub node: Option<NodePlan>,
    pub relationships: Vec<RelationshipPlan>,
}

#[derive(Debug)]
pub(crate) struct NodePlan {
    pub labels: Vec<NamePlan>,
    /// The id space.
    pub space: Arc<str>,
    /// Without one, the line is the id.
    pub key: Option<KeyPlan>,
    pub merge: bool,
    pub properties: Vec<PropertyPlan>,
}

#[derive(Debug)]
pub(crate) struct RelationshipPlan {
    pub name: NamePlan,
    /// `None` is the row's own node.
    pub source: Option<EndPlan>,
    pub target: Option<EndPlan>,
    /// The columns of the ends, for messages.
    pub ends: Arc<[Arc<str>; 2]>,
    pub properties: Vec<PropertyPlan>,
}

#[derive(Debug)]
pub(crate) struct EndPlan {
    pub space: Arc<str>,
    pub key: KeyPlan,
    /// Whether the column holds a list, of whose elements each is an end.
    pub list: bool,
}

/// Columns that make an id.
#[derive(Debug)]
pub(crate) struct KeyPlan {
    pub columns: Vec<usize>,
    pub integers: bool,
}

#[derive(Debug)]
pub(crate) enum NamePlan {
    Fixed(Arc<str>),
    Column {
        at: usize,
        list: bool,
        /// Translation of its texts; `None` if they stand for themselves.
        texts: Option<Arc<Texts>>,
    },
}

#[derive(Debug)]
pub(crate) struct PropertyPlan {
    pub at: usize,
    pub name: Arc<str>,
    pub kind: PropertyType,
}
