//! Plain tables: CSV and its like, whose headers do not say which column is a key and
//! which refers to another table. A [`Mapping`], a small TOML file, says that.
//!
//! [`Mapping::parse`] reads it, [`Mapping::resolve`] holds it against the files, and
//! [`TableReader`] reads one of them. `docs/property-files.md` describes the file.

mod compile;
mod header;
mod identity;
mod known;
mod lists;
mod lookup;
mod mapping;
mod parse;
mod plan;
mod read;
mod resolve;
mod section;

pub use mapping::Mapping;
pub use plan::TableFile;
pub use read::TableReader;
