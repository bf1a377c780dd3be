//! What several tests begin with.

use std::path::Path;
use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_simulated::{Config as SimConfig, Persistence};
use evergraph_storage::medium::{FileFaults, FileStorage};
use evergraph_topology::{Batch, Config};

/// Sections of four vertices, a log that is soon full, and space in small steps.
pub fn small_config() -> Config {
    Config {
        direction: StoredLists::Out,
        section_shift: 2,
        log_bytes: 2048,
        extent_alignment: 64,
        growth_step: 1024,
        ..Config::default()
    }
}

pub fn small_pages() -> SimConfig {
    SimConfig::new(Persistence::Pages).with_capacity(64 << 10)
}

/// An edge from vertex 0.
pub fn edge(target: u32) -> Batch {
    let mut batch = Batch::new();
    batch.insert(&[(0, target)]);
    batch
}

pub fn failing(directory: &Path) -> (FileStorage, Arc<FileFaults>) {
    let faults = Arc::new(FileFaults::new());
    let storage = FileStorage::open(directory).unwrap();
    (storage.with_faults(Arc::clone(&faults)), faults)
}
