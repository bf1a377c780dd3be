//! Functions and operators against openCypher's kit, their own examples, and the kernels
//! against the operators.

mod aggregates;
mod boundaries;
mod definitions;
mod expression;
mod graph;
mod kernels;
mod kit;
mod order;
mod query;
mod results;
