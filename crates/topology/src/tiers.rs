//! Tiers of a list, and what is in one of them.

/// Tiers of a list, which an entry passes on its way to the medium. It is in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListTier {
    /// The append buffer of its section: committed, and no reader has asked for it.
    Append,
    /// Its vertex buffer (direct mode: the section's edge log).
    Vertex,
    /// The base extent of its section.
    Base,
}

impl ListTier {
    /// All, from the newest entries of a list to the oldest.
    pub const ALL: [ListTier; 3] = [ListTier::Append, ListTier::Vertex, ListTier::Base];
}

/// An entry as it is stored, deletions among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierEntry {
    /// The other end.
    pub neighbor: u32,
    /// Weight of the edge; 1 in a graph without weights, and of a deletion.
    pub weight: f32,
    /// The entry deletes the latest earlier live edge to the neighbor. Never in
    /// [`ListTier::Append`]: a deletion has to know whether there is such an edge, so
    /// it moves what is before it to the vertex buffers.
    pub deletes: bool,
}
