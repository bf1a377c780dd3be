//! Every persistent byte of Evergraph passes through this crate.
//!
//! A [`Medium`] is a flat range of bytes with an explicit order of persistence:
//! *store → flush → fence*. Above it stand the two interfaces that other crates
//! use: the [`CommitLog`] (append records, make a prefix durable) and the
//! [`Region`] (write an extent out of place, make it durable, publish it through
//! the [`Directory`] and the two-slot root of the [`Pool`]). The order is in the
//! types of [`order`]: a publication takes only [`order::Durable`] values.
//!
//! Nothing here knows what a graph is.

#![warn(unreachable_pub)]

mod directory;
mod error;
pub mod failpoint;
pub mod layout;
pub mod little_endian;
mod log;
pub mod machine;
pub mod medium;
pub mod order;
mod pool;
mod process;
mod region;
mod registry;

pub use directory::{Blob, Directory, Entry, SectionKey, Stored as StoredDirectory, checksum};
pub use error::StorageError;
pub use log::{CommitLog, CopiedLog, LogRecord, LogStart, RECORD_HEADER_BYTES};
pub use medium::{DurabilityLevel, Medium, MediumError, MediumHandle, Memory, Properties, Storage};
pub use medium::{memory_bytes, prefetch_for_read, prefetch_for_write};
pub use pool::{FORMAT_VERSION, Pool, PoolFile, PoolKind, Root, USER_BYTES, Uuid};
pub use process::Process;
#[cfg(feature = "failpoints")]
pub use process::is_true_in_child;
pub use region::{Bytes, Draft, Extent, Readers, Region, Words};
pub use registry::{Needed, Registry, ViewToken};
