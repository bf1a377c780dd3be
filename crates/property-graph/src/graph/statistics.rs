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
    /// Bytes of DRAM of sorted copies of lists ([`PropertyGraph::sorted_bytes`]).
    pub sorted_bytes: usize,
    /// Transactions: the oldest determines which versions are kept.
    pub transactions: Statistics,
}

impl PropertyGraph {
    /// What reading nodes, and what reading relationships as of commits before the last
    /// checkpoint has made and is kept for later reads (`TableStats::past_bytes`) takes at
    /// most so many bytes of DRAM from now on; 128 MiB unless told otherwise.
    pub fn set_past_bytes(&self, most: usize) {
        self.core.state.nodes().set_past_bytes(most);
        self.core.state.relationships().set_past_bytes(most);
    }

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
            sorted_bytes: self.sorted_bytes(),
            transactions: self.transactions.statistics(),
        }
    }
}
