//! The property graph: nodes, relationships, labels and properties with ACID
//! transactions, over the same topology that the algorithms read.
//!
//! Records travel as payloads in the store's own log records, are visible with
//! the same watermark, and are written by the same checkpoints: one store
//! publishes a commit. A relationship's neighbors lie in the topology alone;
//! records hold type, end nodes and properties, and no pointers.
//!
//! Invariant: no adjacency is kept here, and nothing here syncs or publishes on
//! its own.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod bytes;
mod column;
mod dictionary;
pub mod expression;
pub mod graph;
pub mod index;
mod record;
#[cfg(test)]
mod testing;
pub mod transaction;
pub mod value;
pub mod vector;

pub use dictionary::{KeyCode, LabelCode, TypeCode};
pub use record::{NodeRecord, RelationshipRecord};
pub use value::{Properties, Value, ValueError};
