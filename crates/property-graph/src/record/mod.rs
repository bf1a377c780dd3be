//! Tables of nodes and of relationships: chunks on the medium, and the versions
//! that no checkpoint has merged yet.
//!
//! A table is cut into chunks of equally many records (Poseidon, section 4.1: chunked
//! tables of equal records, addressed by id, with a bitmap of used slots). A chunk is one
//! immutable extent: fixed records of 32 bytes, and behind them their properties packed
//! (`format`), so that reading a record is one contiguous read, and long values need no
//! chain. A checkpoint writes a chunk out of place, and the store's superblock publishes
//! it.
//!
//! Changes that are committed and not merged are versions in DRAM (`versions`), ordered
//! by commit. A read as of a commit looks at them, then at the chunk, then, for named
//! snapshots, at the history table (`history`). Versions go as soon as no view needs them
//! (Poseidon, section 5.3).
//!
//! Invariant: nothing here decides what a transaction may do, and no id is reused while a
//! view or a named snapshot shows the record that it named (`ids`).

mod checkpoint;
mod chunk;
mod chunks;
mod content;
mod format;
mod found;
mod history;
mod ids;
mod loading;
mod opening;
mod round;
mod scan;
mod segment;
mod sizes;
mod table;
#[cfg(test)]
mod tests;
mod versions;

pub(crate) use content::{EntityKind, Fixed, Record};
pub use content::{NodeRecord, RelationshipRecord};
pub(crate) use found::Found;
pub(crate) use ids::{NoIdsLeft, ReserveError};
pub(crate) use table::TableStats;
pub(crate) use table::{Geometry, Table};
