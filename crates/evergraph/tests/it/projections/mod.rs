//! Algorithms by name on parts of a property graph, beside the same edges in a
//! database of plain edges.

mod registry;
mod runs;
mod sample;
mod writing;
