//! Options of property graphs.

use evergraph_graph::StoredLists;
use evergraph_topology::{Config, Mode, Tuning};

use crate::transaction::Settings;

/// Options fixed when a graph is created. Lists are always kept in both directions.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// The store: log, extents, sections. Direction, mode and columns are not
    /// chosen here.
    pub store: Config,
    /// Records in a chunk, at most 65,536. A checkpoint writes a whole column of a chunk for one
    /// changed value.
    pub chunk_records: u32,
}

/// Options of one opening.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Nothing is written, replay happens in DRAM.
    pub read_only: bool,
    /// Buffers of the store.
    pub tuning: Tuning,
    /// Transactions.
    pub transactions: Settings,
}

/// With many types, each with lists of few nodes, the fixed cost of a section is shared
/// by more of them: 2048 nodes.
const SECTION_SHIFT: u32 = 11;

impl Default for GraphOptions {
    fn default() -> Self {
        GraphOptions {
            store: Config {
                section_shift: SECTION_SHIFT,
                ..Config::default()
            },
            chunk_records: 2048,
        }
    }
}

impl GraphOptions {
    /// Configuration that the store is created with.
    pub(super) fn config(&self) -> Config {
        Config {
            direction: StoredLists::Both,
            mode: Mode::Merged,
            weighted: false,
            relationships: true,
            ..self.store
        }
    }
}
