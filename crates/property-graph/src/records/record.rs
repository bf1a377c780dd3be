//! What a record holds. Which versions of it exist is the table's business.

use crate::dictionary::{LabelCode, TypeCode};
use crate::value::Properties;

/// A node as of some commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeRecord {
    /// Ascending, without duplicates.
    pub labels: Vec<LabelCode>,
    /// Without nulls.
    pub properties: Properties,
}

/// A relationship as of some commit. Its type and end nodes never change.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipRecord {
    /// The type.
    pub kind: TypeCode,
    /// The node it leaves.
    pub source: u32,
    /// The node it enters.
    pub target: u32,
    /// Without nulls.
    pub properties: Properties,
}
