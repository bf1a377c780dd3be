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

/// The problem of a file whose lines end as on old Macs, and advice.
pub(crate) const RETURNS_ALONE: [&str; 2] = [
    "lines end with CR alone, as on old Macs",
    "change CR to LF, for example with tr '\\r' '\\n'",
];

/// Why the first column of a header has no name, for messages.
pub(crate) const PANDAS: &str = "pandas writes its index so, unless to_csv has index=False";
