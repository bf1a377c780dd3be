//! Named snapshots and what keeps the past readable.
//!
//! A snapshot is a name for a commit: creating one is a log record. The lists as
//! of a commit are prefixes, so all that has to be kept of a snapshot are the
//! lengths that its lists had.

mod cache;
mod chain;
pub(crate) mod name;
pub(crate) mod names;
mod section;
pub(crate) mod segment;
pub(crate) mod tiers;

pub(crate) use cache::PageCache;
pub use name::{RESERVED_NAMES, check_snapshot_name, is_reserved};
pub use names::Snapshot;
pub(crate) use section::{
    EachPage, History, Merged as MergedHistory, NewPoints, Published as PublishedHistory,
};
