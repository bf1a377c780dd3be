//! Parquet and Arrow: columns of nodes or of relationships, one kind a file.
//!
//! The name of a column says what it holds, in the notation of Neo4j's header
//! (`:ID(Person)`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE`, `since:date`), unless the
//! caller says so ([`ColumnarOptions::roles`]), for files with names of their own.
//! Integers, floats, booleans, texts, bytes, dates, local times and lists of them have
//! columns of Arrow's own types; times and dates with offsets, durations and points
//! are texts of columns whose names declare the type, because no type of Arrow's holds
//! all of them. Timestamps, decimals aside, and structures of other programs are read.
//!
//! There are no lines: a message names the row, from 1.

mod read;
mod values;
mod write;

pub use read::{ColumnarOptions, ColumnarReader, TableColumns};
pub use write::{ColumnarWriter, Format, table};
