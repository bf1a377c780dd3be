//! Adjacency stores: how edges get in, where they lie, and how they are read.
//!
//! A neighbor list is append-only: an insertion goes to its end, a deletion
//! appends a tombstone. So the list of a vertex as of any commit is a prefix,
//! and a view is nothing but lengths. [`Store`] is the engine: commit log →
//! the front end in DRAM ([`front`]) → sections on the medium, merged out of
//! place.
//!
//! Invariant: no read scans the log, and nothing here runs an algorithm.

#![deny(unsafe_code)]
#![warn(unreachable_pub)]

#[cfg(target_endian = "big")]
compile_error!("the stored format is little-endian and read in place");

mod adjacencies;
mod adjacency;
mod blocks;
pub mod direct;
mod entry;
mod error;
pub mod extension;
pub mod front;
mod history;
pub mod ids;
mod layout;
mod lengths;
mod list;
mod pins;
mod presence;
mod published;
pub mod record;
mod sealed;
mod section;
mod section_format;
mod section_view;
mod store;
mod tiers;
mod volume;

pub use adjacencies::{Adjacencies, in_adjacency, out_adjacency};
pub use adjacency::Adjacency;
pub use entry::{MAX_VERTICES, TOMBSTONE};
pub use error::TopologyError;
pub use extension::{EXTENSION_BLOBS, EXTENSION_OWNERS, StoreExtension};
pub use front::shards::ShardReport;
pub use history::{RESERVED_NAMES, Snapshot, check_snapshot_name, is_reserved};
pub use layout::Layout;
pub use list::ListScratch;
pub use pins::PinnedSections;
pub use presence::AdjacencySet;
pub use published::Published;
pub use sealed::{SealedGraph, SealedInfo, SealedName};
pub use section_view::SectionView;
pub use store::{
    BackPressure, Batch, CheckReport, Commit, Config, Enqueued, HistoryStats, ListReader,
    LogPositions, ManyLists, Mode, OpenReport, Prepared, Query, QueryMerging, Store, StoreStats,
    Tuning,
};
pub use tiers::{ListTier, TierEntry};
