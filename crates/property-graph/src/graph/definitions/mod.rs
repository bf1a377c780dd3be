//! Indexes and constraints: making them, filling their indexes, and repairing these.

pub(in crate::graph) mod build;
pub(in crate::graph) mod define;
pub(in crate::graph) mod own;
pub(in crate::graph) mod repair;
