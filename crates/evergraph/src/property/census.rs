//! How many nodes have each label, how many relationships each type.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::View;
use crate::Error;

/// Counts of one view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Nodes.
    pub nodes: u64,
    /// Relationships.
    pub relationships: u64,
    /// Nodes by label; a node of several counts in each.
    pub labels: BTreeMap<Arc<str>, u64>,
    /// Relationships by type.
    pub types: BTreeMap<Arc<str>, u64>,
    /// Values of nodes and relationships by key.
    pub keys: BTreeMap<Arc<str>, u64>,
}

impl Census {
    /// Reads every record of the view.
    ///
    /// # Errors
    /// Damage.
    pub fn of(view: &View) -> Result<Self, Error> {
        let mut census = Census::default();
        for node in view.nodes() {
            let node = node?;
            census.nodes += 1;
            for label in node.labels() {
                *census.labels.entry(label).or_default() += 1;
            }
            for (key, _) in node.properties() {
                *census.keys.entry(key).or_default() += 1;
            }
        }
        for relationship in view.relationships() {
            let relationship = relationship?;
            census.relationships += 1;
            *census.types.entry(relationship.kind()).or_default() += 1;
            for (key, _) in relationship.properties() {
                *census.keys.entry(key).or_default() += 1;
            }
        }
        Ok(census)
    }
}
