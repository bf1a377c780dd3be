//! A way to find a node without a neighbor.

use crate::plan::{Operator, Slot};

/// A way to find a node.
pub(super) struct Start {
    /// The node.
    pub(super) node: Slot,
    /// How it is found.
    pub(super) operator: Operator,
    /// Nodes that are found, about.
    pub(super) rows: f64,
    /// Places of conditions that they satisfy then, ascending.
    pub(super) solved: Vec<usize>,
}
