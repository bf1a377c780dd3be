//! What can be chosen about a property graph.

use evergraph_graph::Direction;
use evergraph_topology::{Config, Mode, Tuning};

use crate::transaction::Settings;

/// What is fixed when a graph is made. Lists are always kept in both directions.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// The store: log, extents, sections. Direction, mode and columns are not
    /// chosen here.
    pub store: Config,
    /// Records in a chunk, at most 65,536: what a checkpoint writes for one
    /// changed record.
    pub chunk_records: u32,
}

/// What is chosen at each opening.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Nothing is written, replay happens in DRAM.
    pub read_only: bool,
    /// Buffers of the store.
    pub tuning: Tuning,
    /// Transactions.
    pub transactions: Settings,
}

impl Default for GraphOptions {
    fn default() -> Self {
        GraphOptions {
            store: Config::default(),
            chunk_records: 256,
        }
    }
}

impl GraphOptions {
    /// What the store is made with.
    pub(super) fn config(&self) -> Config {
        Config {
            direction: Direction::Both,
            mode: Mode::Merged,
            weighted: false,
            relationships: true,
            ..self.store
        }
    }
}
