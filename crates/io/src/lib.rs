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
