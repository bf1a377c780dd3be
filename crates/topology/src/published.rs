//! The state that every commit publishes beside its CSN.

/// Counts and time of the graph as of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// Vertices are `0..vertex_count`.
    pub vertex_count: u64,
    /// Live entries of the out-lists.
    pub arc_count: u64,
    /// Wall time of the newest commit, microseconds since 1970.
    pub wall_us: i64,
}
