//! Files of graphs: what other programs write and read, and no database.
//!
//! [`formats`] are files of edges, with weights and times; [`interchange`] are files of
//! property graphs.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod formats;
pub mod interchange;
