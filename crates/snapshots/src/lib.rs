//! Views: the graph as of one commit, while writers go on.
//!
//! Taking a [`View`] is O(1) and does not block writers. [`View::neighbors`] reads one
//! list and touches only its section; [`View::graph`] pins all sections and gives what
//! the algorithms read.
//!
//! Invariant: nothing here writes a graph.

#![forbid(unsafe_code)]

mod diff;
mod graph_view;
mod read_ahead;
mod view;

pub use diff::{Diff, EdgeChange, ListChange, diff};
pub use graph_view::{GraphView, ViewReader};
pub use view::{Lists, View};
