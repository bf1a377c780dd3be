//! Evergraph: a graph engine for graphs that change all the time and must not
//! be lost.
//!
//! [`Database`] takes edges durably, shows them at once through [`View`]s that
//! stop no writer, and lets whole-graph algorithms run on those views without a
//! copy. See the README for a tour and `docs/` for the exact promises.

#![forbid(unsafe_code)]

mod as_of;
mod calendar;
mod changes;
mod copies;
mod database;
mod drawing;
mod error;
mod export;
pub mod formats;
mod heat;
mod held;
pub mod import;
pub mod maintain;
mod merger;
mod names;
mod options;
pub mod property;
mod rebaser;
mod results;
mod retention;
pub mod run;
mod sealed;
mod snapshots;
mod threads;
mod whole;

pub use as_of::{At, Moment};
pub use calendar::{time_of_text, time_text};
pub use database::{Database, allocated_bytes};
pub use drawing::{Drawing, DrawingFormat, export_drawing};
pub use error::Error;
pub use evergraph_algorithms as algorithms;
pub use evergraph_algorithms::{Cancellation, Control};
pub use evergraph_graph as graph;
pub use evergraph_interchange as interchange;
pub use evergraph_snapshots::state;
pub use evergraph_snapshots::{
    Diff, EdgeChange, GraphView, ListChange, Lists, View, ViewReader, diff,
};
pub use evergraph_storage::{
    DurabilityLevel, MediumError, StorageError, medium::CountersSnapshot, medium::EmulatedDevice,
    medium::LatencyProfile, memory_bytes,
};
pub use evergraph_topology::ids::{IdKind, IdTable};
pub use evergraph_topology::record::{Edges, ExternalIds};
pub use evergraph_topology::{
    BackPressure, Batch, CheckReport, Commit, Config, Layout, ListReader, ListTier, LogPositions,
    Mode, OpenReport, SealedGraph, SealedInfo, SealedName, ShardReport, Snapshot, StoreStats,
    TierEntry, TopologyError, Tuning,
};
pub use export::{EdgeExport, export_edges};
pub use heat::RebasePolicy;
pub use options::{MediumKind, Options};
pub use retention::{Pruned, Retention};
pub use sealed::{Seal, SealOutcome};
pub use threads::start_threads;
pub use whole::{WholeDirectory, WholeFile};
