//! What an index that is derived from a graph has, whatever it indexes: a [`Place`]
//! among files, which one process has open, and a [`Mark`] that says whose it is and
//! up to which commit it goes.
//!
//! Which nodes commits change is told by the graph itself
//! (`evergraph_property_graph::graph::PropertyGraph::follow`).
//!
//! Invariant: nothing here is the truth. What a place holds can be removed at any time.

#![forbid(unsafe_code)]

mod mark;
mod place;
mod texts;

pub use mark::Mark;
pub use place::{Place, PlaceError, Placed, check_name};
pub use texts::{join, name_of, split};

/// Told how many nodes were looked at and how many there are to look at, now and then;
/// says whether to go on.
pub type Watch<'a> = dyn Fn(u64, u64) -> bool + 'a;

/// For those who do not watch.
pub fn unwatched(_done: u64, _all: u64) -> bool {
    true
}
