//! `COPY`: rows of queries to files, and rows of files to nodes and relationships.

mod columnar;
mod from;
mod lookup;
mod options;
mod source;
#[cfg(test)]
mod tests;
mod to;

pub(super) use from::copy_from;
pub(super) use to::copy_to;
pub use to::csv_row;
