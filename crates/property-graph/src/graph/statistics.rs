//! Facts about a graph.

use evergraph_topology::StoreStats;

use super::PropertyGraph;
use crate::index::IndexUsage;
use crate::record::TableStats;
use crate::transaction::Statistics;

/// Facts about a graph, as of now.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphStatistics {
    /// The store: log, neighbor lists, extents, named snapshots.
    pub store: StoreStats,
    /// Records of nodes.
    pub nodes: TableStats,
    /// Records of relationships.
    pub relationships: TableStats,
    /// Indexes, those of constraints among them, with their names.
    pub indexes: Vec<(String, IndexUsage)>,
    /// Transactions: the oldest determines which versions are kept.
    pub transactions: Statistics,
}

impl PropertyGraph {
    /// Facts, gathered without blocking writers. O(chunks and sections).
    pub fn statistics(&self) -> GraphStatistics {
        let state = &self.core.state;
        let entries = state.schema.entries();
        let indexes = entries.iter().filter_map(|entry| {
            let index = entry.index.as_ref()?;
            Some((entry.stored.name.clone(), index.usage()))
        });
        GraphStatistics {
            store: self.core.store.stats(),
            nodes: state.nodes().stats(),
            relationships: state.relationships().stats(),
            indexes: indexes.collect(),
            transactions: self.transactions.statistics(),
        }
    }
}
