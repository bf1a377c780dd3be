//! Campaigns: workloads of the whole store that are cut off everywhere, and the mutants
//! that they must kill.
//!
//! A scenario here is a workload, a plain model of it, and a way to open and compare
//! ([`evergraph_simulated::Scenario`]); [`suites`] says how many of each are run. Cuts,
//! kills, failing calls, mutants, budgets and replay lines are of
//! [`evergraph_simulated::Suite`]. Scenarios that need the inside of a crate stand
//! beside it and run in the same harness. `testing/mutants.tsv` lists all mutants.

#![forbid(unsafe_code)]

mod extension;
mod model;
mod registers;
mod results;
mod sealed;
mod store;
pub mod suites;

pub use extension::ExtensionScenario;
pub use model::{Model, Operation, operations};
pub use registers::{Registers, payload};
pub use results::ResultScenario;
pub use sealed::SealedScenario;
pub use store::StoreScenario;
