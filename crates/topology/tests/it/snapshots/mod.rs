//! Named snapshots against copies of the graph.

mod concurrent;
mod cost;
mod errors;
mod model;
mod random;
