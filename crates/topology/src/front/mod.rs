//! The front end of all layouts: what lies between a commit and a section's
//! extent.
//!
//! ```text
//! commit log ─▶ sharding ─▶ append buffer ─▶ vertex buffers ─▶ merge
//!                                │ (a reader asks)                   ▲
//!                                └───────────────────────────────────┘
//!                                        (no reader asked)
//! ```
//!
//! Everything here is DRAM: what a crash takes is in the log.

pub(crate) mod append_buffer;
pub(crate) mod buffers;
pub(crate) mod pool;
pub mod sharding;
pub mod shards;
