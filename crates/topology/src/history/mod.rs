//! Named snapshots and what keeps the past readable.
//!
//! A snapshot is a name for a commit: creating one is a log record. The lists as
//! of a commit are prefixes, so all that has to be kept of a snapshot are the
//! lengths that its lists had.

pub(crate) mod names;

pub use names::Snapshot;
