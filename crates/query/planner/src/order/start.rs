//! A way to begin a pattern: with a node or a relationship that is found without a neighbor.

use super::seek::SCANNED;
use crate::plan::{Operator, Slot};

/// A way to begin a pattern.
pub(super) struct Start {
    /// The node or relationship.
    pub(super) found: Found,
    /// How it is found.
    pub(super) operator: Operator,
    /// Rows, about.
    pub(super) rows: f64,
    /// Relationships that are looked at for them, about.
    pub(super) scanned: f64,
    /// Places of conditions that they satisfy then, ascending.
    pub(super) solved: Vec<usize>,
}

/// The first that is found of a pattern.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// A node.
    Node(Slot),
    /// A relationship with its ends, by place.
    Relationship(usize),
}

impl Start {
    /// Its cost, in rows.
    pub(super) fn cost(&self) -> f64 {
        self.rows + SCANNED * self.scanned
    }
}
