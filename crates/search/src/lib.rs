//! Search over the nodes of a property graph by indexes beside the graph: full-text
//! (`fulltext`, behind the feature of that name) and nearest vectors (`vector`,
//! likewise).
//!
//! An index is a [file or directory](IndexFile) that one process has open, and an
//! [`IndexPosition`] in it: whose index it is and up to which commit it goes. Searches
//! refresh it from the graph's change feed
//! (`evergraph_property_graph::graph::PropertyGraph::follow`).
//!
//! Invariant: an index is never the truth and no commit waits for it. Its file can be
//! removed at any time.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod index_file;
mod naming;
mod position;
#[cfg(any(feature = "fulltext", feature = "vector"))]
mod refresh;

#[cfg(feature = "fulltext")]
pub mod fulltext;
#[cfg(feature = "vector")]
pub mod vector;

pub use index_file::{IndexFile, IndexFileError, StoredFile, check_name};
pub use naming::{join, name_of, split};
pub use position::IndexPosition;

/// Callback of a refresh: takes the number of nodes read and the number to read, and
/// returns whether to go on.
pub type Watch<'a> = dyn Fn(u64, u64) -> bool + 'a;

/// Watches nothing, and always goes on.
pub fn unwatched(_done: u64, _all: u64) -> bool {
    true
}
