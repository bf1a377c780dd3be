//! Evergraph: a graph engine for graphs that change all the time and must not
//! be lost.
//!
//! [`Database`] takes edges durably, shows them at once through [`View`]s that
//! stop no writer, and lets whole-graph algorithms run on those views without a
//! copy. See the README for a tour and `docs/` for the exact promises.

#![forbid(unsafe_code)]

mod database;
mod drawing;
mod export;
pub mod import;
mod options;
pub mod property;
pub mod query;
mod rejects;
mod whole;

pub use database::{Database, allocated_bytes};
pub use drawing::{Drawing, DrawingFormat, export_drawing};
pub use evergraph_algorithms as algorithms;
pub use evergraph_algorithms::{Cancellation, Control};
pub use evergraph_analytics::calendar::{time_of_text, time_text};
pub use evergraph_analytics::threads::start_threads;
pub use evergraph_analytics::{
    At, Error, Moment, Pruned, RebasePolicy, Retention, Seal, SealOutcome, Session, maintain, run,
};
pub use evergraph_graph as graph;
pub use evergraph_io::{formats, interchange};

pub use evergraph_results as state;
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
    TierEntry, TopologyError, Tuning, is_reserved,
};
pub use export::{EdgeExport, Reduction, export_edges};
pub use options::{MediumKind, Options};
pub use whole::{WholeDirectory, WholeFile};
