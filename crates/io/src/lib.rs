//! Files of graphs: what other programs write and read, and no database.
//!
//! [`formats`] are files of edges, with weights and times; [`interchange`] are files of
//! property graphs; `arrow`, with the feature `columnar`, columns of values as Arrow has
//! them.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

#[cfg(feature = "columnar")]
pub mod arrow;
pub mod formats;
pub mod interchange;

/// Why the first column of a header has no name, for messages.
pub(crate) const PANDAS: &str = "pandas writes its index so, unless to_csv has index=False";
