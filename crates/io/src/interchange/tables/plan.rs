//! Plan of a file: the use of each column.

use std::sync::Arc;

use crate::interchange::PropertyType;

use super::lookup::Texts;
use super::mapping::Format;

/// A file of a mapping, and what its rows are.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// As the mapping names it.
    pub path: String,
    pub(crate) plan: Arc<Plan>,
}

impl TableFile {
    /// The properties of its nodes, in the order of the columns, with their types.
    pub fn properties(&self) -> impl Iterator<Item = (&str, PropertyType)> {
        let node = self.plan.node.iter();
        let properties = node.flat_map(|node| &node.properties);
        properties.map(|property| (&*property.name, property.kind))
    }
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) format: Format,
    pub(crate) columns: Vec<String>,
    pub(crate) node: Option<NodePlan>,
    pub(crate) relationships: Vec<RelationshipPlan>,
}

#[derive(Debug)]
pub(crate) struct NodePlan {
    pub(crate) labels: Vec<NamePlan>,
    /// The id space.
    pub(crate) space: Arc<str>,
    /// Without one, the line is the id.
    pub(crate) key: Option<KeyPlan>,
    pub(crate) merge: bool,
    pub(crate) properties: Vec<PropertyPlan>,
}

#[derive(Debug)]
pub(crate) struct RelationshipPlan {
    pub(crate) name: NamePlan,
    /// `None` is the row's own node.
    pub(crate) source: Option<EndPlan>,
    pub(crate) target: Option<EndPlan>,
    /// The columns of the ends, for messages.
    pub(crate) ends: Arc<[Arc<str>; 2]>,
    pub(crate) properties: Vec<PropertyPlan>,
}

#[derive(Debug)]
pub(crate) struct EndPlan {
    pub(crate) space: Arc<str>,
    pub(crate) key: KeyPlan,
    /// Whether the column holds a list, of whose elements each is an end.
    pub(crate) list: bool,
}

/// Columns that make an id.
#[derive(Debug)]
pub(crate) struct KeyPlan {
    pub(crate) columns: Vec<usize>,
    pub(crate) integers: bool,
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
    pub(crate) at: usize,
    pub(crate) name: Arc<str>,
    pub(crate) kind: PropertyType,
}
