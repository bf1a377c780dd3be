//! Transactions over a plain committed state.

mod memory;
mod subject;

#[cfg(feature = "shuttle")]
mod schedules;

#[cfg(not(feature = "shuttle"))]
mod claims;
#[cfg(not(feature = "shuttle"))]
mod histories;
#[cfg(not(feature = "shuttle"))]
mod locking;
#[cfg(not(feature = "shuttle"))]
mod overlays;
#[cfg(not(feature = "shuttle"))]
mod time;
