//! Words of a neighbor list: 30 bits of neighbor id, two tags.
//!
//! | bits 31–30 | meaning |
//! |---|---|
//! | `00` | an edge to the vertex in the low bits |
//! | `10` | tombstone: cancels the latest earlier live edge to that vertex |
//! | `01` | pivot: the list of that vertex begins here (direct mode) |
//! | all ones | gap (direct mode) |
//!
//! So vertex 0, a gap and a deletion cannot be confused, as they can be where a
//! sign bit stands for all three.

/// Number of distinct vertices: ids are below it.
pub const MAX_VERTICES: u64 = (1 << 30) - 1;

/// Marks a deletion.
pub const TOMBSTONE: u32 = 1 << 31;

/// Marks the head of a list in direct mode.
pub(crate) const PIVOT: u32 = 1 << 30;

/// An empty slot in direct mode.
pub(crate) const GAP: u32 = u32::MAX;

const _: () = assert!(
    MAX_VERTICES <= PIVOT as u64 && TOMBSTONE & PIVOT == 0,
    "a vertex has no tag"
);
const _: () = assert!(
    GAP & !(TOMBSTONE | PIVOT) == MAX_VERTICES as u32,
    "no entry is a gap: its vertex does not exist"
);

/// The earlier entry of its list that a tombstone cancels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cancels {
    /// The latest live one to its neighbor.
    #[default]
    Latest,
    /// The live one to its neighbor that has the same relationship id: both carry
    /// it in the place of a weight.
    Named,
}

impl Cancels {
    /// Key that an entry and the tombstone that cancels it have in common.
    #[inline(always)]
    pub fn key(self, word: u32, second: Option<&u32>) -> u64 {
        let id = match self {
            Cancels::Latest => 0,
            Cancels::Named => second.copied().unwrap_or(0),
        };
        u64::from(neighbor(word)) << 32 | u64::from(id)
    }
}

/// Whether the word cancels an edge.
#[inline(always)]
pub(crate) fn is_tombstone(word: u32) -> bool {
    word & TOMBSTONE != 0
}

/// The neighbor that the word is about.
#[inline(always)]
pub(crate) fn neighbor(word: u32) -> u32 {
    word & !(TOMBSTONE | PIVOT)
}
