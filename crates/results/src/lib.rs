//! Results, and the state of runs that go on: columns of numbers that survive a
//! crash.
//!
//! A [`ResultStore`] lies beside the graph in two files of its own, `results` (the
//! superblock) and `results.extents`. A result is known by its name and consists of a
//! [`Description`] and columns, which are cut into blocks. A new version writes only the
//! blocks that differ and shares the others with the version before; then one superblock
//! switches to it, so there is always a whole version: the old or the new one.
//!
//! This is NVGraph's pair of versions (section III): of the new one, what is
//! changed goes from DRAM (D: [`Staging`], the hot vertices first) or directly (N)
//! to the medium, and what is not is common (C). The paper wants no flush and no
//! fence; but then a cache may write the switch back before what it switches to.
//! So there is one fence before the switch and one after each of its two slots.
//! The steps, S0 to S6, are in `docs/durability.md`, the bytes in
//! `docs/results.md`.
//!
//! Nothing here writes a graph, and nothing here is in the log: results that a
//! failure loses can be computed again.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod block;
mod description;
mod error;
mod files;
mod manifest;
mod staging;
mod store;
mod version;

pub use description::{Description, GraphIdentity};
pub use error::StateError;
pub use files::Geometry;
pub use staging::{Hot, Staging};
pub use store::ResultStore;
pub use version::{NewVersion, Stored, Written};
