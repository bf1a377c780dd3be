//! Named snapshots against copies of the graph.

#[path = "snapshots/concurrent.rs"]
mod concurrent;
#[path = "snapshots/cost.rs"]
mod cost;
#[path = "snapshots/errors.rs"]
mod errors;
#[path = "snapshots/model.rs"]
mod model;
#[path = "snapshots/random.rs"]
mod random;
