//! Direct mode: DGAP as published, completed. Byte-addressed media only.
//!
//! An edge goes straight to its place: into the gap behind its list or, where
//! that is full, into its section's edge log. The one store, flushed and
//! fenced, is its commit record; there are no multi-edge transactions. When the
//! edge log is nearly full the section is rewritten out of place with new gaps
//! and published by one durable word (DGAP rebalances in place under an undo
//! log; docs/durability.md says why this is better and what it costs).
//!
//! The packed-memory array of the paper is one array whose windows are
//! rebalanced; here each section is a relocatable extent, so that a leaf that
//! outgrows its bounds moves to a larger extent and no window above it exists.

mod format;
mod intents;
mod pair;
mod recover;
mod rewrites;
mod section;
mod slots;

pub(crate) use format::{DirectEntry, DirectState, ListPlace, MAX_SECTION_SHIFT};
pub(crate) use intents::{Claim, Intent, Intents};
pub(crate) use pair::{Half, Pair};
pub(crate) use recover::open_extent;
pub use rewrites::{Rewrite, Rewrites};
pub(crate) use section::{DirectInsert, DirectShared};
pub(crate) use slots::Slots;

/// Density bounds and geometry of sections in direct mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectParameters {
    /// Bytes of a section's edge log; 0 for none (ablation "no EL").
    pub edge_log_bytes: u32,
    /// A rewritten section is this full at most (upper bound τ).
    pub upper_density: f64,
    /// ... and this full at least (lower bound ρ), or it gets a new capacity.
    pub lower_density: f64,
    /// Density that a new capacity is chosen for.
    pub target_density: f64,
    /// Keep a copy of each vertex's degree on the medium, flushed with every
    /// edge (ablation "no DP").
    pub vertices_on_medium: bool,
}

impl Default for DirectParameters {
    /// DGAP's edge log of 2 KiB; the bounds are between its leaf's and its
    /// root's.
    fn default() -> Self {
        DirectParameters {
            edge_log_bytes: 2048,
            upper_density: 0.85,
            lower_density: 0.30,
            target_density: 0.40,
            vertices_on_medium: false,
        }
    }
}

impl DirectParameters {
    /// Entries in an edge log: of eight bytes, or sixteen with weights.
    pub fn log_slots(&self, columns: usize) -> usize {
        self.edge_log_bytes as usize / (8 * columns)
    }
}
