//! Tables of nodes and of relationships: chunks on the medium, and the versions
//! that no checkpoint has merged yet.
//!
//! A table is cut into chunks of equally many records (Poseidon, section 4.1: chunked
//! tables of equal records, addressed by id, with a bitmap of used slots). A chunk is a
//! column for each property (`crate::column`): a core (`core`), which has the small ones,
//! and an immutable extent for each large one (`stored`). A checkpoint writes the core and
//! the columns that changed out of place (`builder`), and the store's superblock publishes
//! them.
//!
//! Changes that are committed and not merged are versions in DRAM (`versions`), ordered
//! by commit. A read as of a commit looks at them, then at the chunk, then, for named
//! snapshots, at the history table (`history`). Versions go as soon as no view needs them
//! (Poseidon, section 5.3).
//!
//! Invariant: nothing here decides what a transaction may do, and no id is reused while a
//! view or a named snapshot shows the record that it named (`ids`).

mod at;
mod bits;
mod builder;
mod by_key;
mod checkpoint;
mod chunk;
mod chunks;
mod column_at;
mod content;
mod core;
mod found;
mod history;
mod ids;
mod key_numbers;
mod layer;
mod loading;
mod new_columns;
mod opening;
mod past;
mod pinned;
mod round;
mod rows;
mod scan;
mod segment;
mod sizes;
mod stored;
mod subjects;
mod table;
#[cfg(test)]
mod tests;
mod versions;

pub(crate) use at::ChunkAt;
#[cfg(test)]
pub(crate) use column_at::tests::columns_at;
pub(crate) use column_at::{CellAt, ColumnAt};
pub use content::EntityKind;
pub(crate) use content::{EndColumns, Fixed, Record};
pub use content::{NodeRecord, RelationshipRecord};
pub(crate) use found::Found;
pub(crate) use ids::{NoIdsLeft, ReserveError};
pub(crate) use key_numbers::{ChunkNumbers, KeyNumbers};
pub(crate) use new_columns::{EncodedColumns, NewColumns};
pub(crate) use pinned::PinnedChunks;
pub(crate) use table::TableStats;
pub(crate) use table::{Geometry, Table};
