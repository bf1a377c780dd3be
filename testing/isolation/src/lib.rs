//! Checks isolation from outside: from what transactions saw and did, and
//! nothing else.
//!
//! A [`History`] is made of two kinds of objects. A **list** is a record to
//! which transactions append elements that occur only once, so that a read
//! shows every version that ever was, in order. A **set** is what a
//! predicate finds: relationships of a node, nodes with a label. [`check`]
//! derives which transaction wrote before another, read from it, or overwrote
//! what it had read, and names the [`Anomaly`] of each contradiction, as Adya,
//! Bailis and LDBC's ACID test suite define them.
//!
//! [`Subject`] is the store under test. [`scenarios`] are the suite's cases, run in
//! every order of their steps; [`workload`] makes random histories.

#![forbid(unsafe_code)]

mod anomaly;
mod check;
mod cycles;
mod history;
mod reads;
mod run;
pub mod scenarios;
mod subject;
pub mod workload;

pub use anomaly::{Anomaly, Level, Report};
pub use check::check;
pub use history::{Element, Fate, History, Key, Operation, Recorded};
pub use run::{Run, interleave};
pub use subject::{Plan, Step, Stop, Subject};
