//! Plans of queries: from a syntax tree to a tree of operators that an interpreter runs.
//!
//! 1. [`lower`](mod@lower) gives each variable a slot, turns clauses into operators, and
//!    patterns into graphs of what is to be found.
//! 2. [`order`] finds the cheapest order in which to find a pattern, by the counts and
//!    indexes that a [`Catalog`] tells.
//! 3. [`rewrite`] improves the whole: barriers between reading and writing, top-k,
//!    semi-joins.
//!
//! A plan is data and has a printed form.
//!
//! Invariant: nothing here reads a graph.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod catalog;
mod error;
pub mod lower;
pub mod order;
pub mod plan;
pub mod rewrite;

pub use catalog::{Catalog, Ends, Index, Population};
pub use error::PlanError;
pub use lower::{IdleHint, PlannedQuery, plan, plan_plainly};
pub use order::is_volatile;
pub use plan::*;
