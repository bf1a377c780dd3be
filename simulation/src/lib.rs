//! Seeded crashes of the whole store.
//!
//! [`StoreScenario`] runs a small random workload on the simulated medium; the
//! crash explorer cuts its power everywhere, and the recovered graph is held
//! against a plain model of the acknowledged commits. Oracles (TRUST, section
//! 2): the graph is exactly that of the acknowledged commits, with or without
//! the one in flight; everything verifies; opening for reading writes nothing
//! and shows the same; opening twice shows the same; space that nothing reaches
//! is free; and after more operations all of this holds again.
//!
//! [`ResultScenario`] does the same to the store of results, and
//! [`AttachedScenario`] to relationships and what is attached to their store.

#![forbid(unsafe_code)]

mod attached;
mod model;
mod registers;
mod results;
mod scenario;
mod sealed;

pub use attached::AttachedScenario;
pub use model::{Model, Operation, operations};
pub use registers::{Registers, payload};
pub use results::{Done, ResultScenario};
pub use scenario::StoreScenario;
pub use sealed::SealedScenario;
