//! Algorithms by name on an open graph, their stored and maintained results, and the
//! moments that they can be asked about.
//!
//! A [`Session`] is an open graph with what is kept beside it; [`run`] runs algorithms on
//! its views, [`maintain`] keeps results up to date with it. Snapshots are named, found by
//! date, kept by rules and sealed here.
//!
//! Invariants: a run changes no graph, but where its result is written back; whatever is
//! kept names the commit that it is of.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod as_of;
pub mod calendar;
mod changes;
mod condition;
mod copies;
mod error;
mod every;
mod heat;
mod held;
pub mod maintain;
mod merger;
pub mod names;
mod origin;
mod rebaser;
mod results;
mod retention;
pub mod run;
mod sealed;
mod session;
mod snapshots;
pub mod threads;

pub use as_of::{At, Moment};
pub use condition::{condition, known_properties};
pub use error::Error;
pub use every::{Every, NotAStep};
pub use heat::RebasePolicy;
pub use retention::{Pruned, Retention};
pub use sealed::{Seal, SealOutcome};
pub use session::{Opened, Session, Settings};
