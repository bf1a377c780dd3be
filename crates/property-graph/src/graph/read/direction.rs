//! Direction of relationships, seen from a node.

/// Direction of a node's relationships, seen from the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Relationships that leave it.
    Outgoing,
    /// Relationships that enter it.
    Incoming,
    /// All; a loop counts once.
    Both,
}

impl Direction {
    /// The same relationships, seen from their other ends.
    pub fn reversed(self) -> Self {
        match self {
            Direction::Outgoing => Direction::Incoming,
            Direction::Incoming => Direction::Outgoing,
            Direction::Both => Direction::Both,
        }
    }

    /// The lists to read: whether it is that of incoming relationships.
    pub(in crate::graph) fn lists(self) -> &'static [bool] {
        match self {
            Direction::Outgoing => &[false],
            Direction::Incoming => &[true],
            Direction::Both => &[false, true],
        }
    }
}
