//! Bytes that nodes, relationships and properties take on the medium.

use std::time::Duration;

use evergraph_property_graph::graph::PropertyGraph;
use serde_json::json;

use super::data::Data;
use crate::machine::anonymous_bytes;
use crate::table::{Table, number};

/// Bytes of the records and of everything, as the graph is now.
pub(super) fn table() -> Table {
    let columns = [
        "state",
        "seconds",
        "bytes_a_node",
        "bytes_a_relationship",
        "extents_bytes",
        "dram_bytes",
        "anonymous_bytes_a_row",
    ];
    Table::new(
        "bytes on the medium: a node with three integers, a relationship with one",
        &columns,
    )
}

/// Adds a row. A relationship's bytes have its record and its places in the lists of both
/// ends. Of DRAM there are the bytes that the graph counts, and those by which the process
/// has grown since it had `before`, a node or relationship.
pub(super) fn add(
    table: &mut Table,
    state: &str,
    (took, before): (Duration, u64),
    data: &Data,
    graph: &PropertyGraph,
) {
    let facts = graph.statistics();
    let (nodes, records) = (facts.nodes.chunk_bytes, facts.relationships.chunk_bytes);
    let store = &facts.store;
    let others = nodes + records + facts.nodes.history_bytes + facts.relationships.history_bytes;
    let lists = store
        .extent_bytes
        .saturating_sub(others + store.directory_bytes);
    // The ids that the benchmark keeps are not the graph's.
    let ids = 4 * (data.nodes() + data.edges.len()) as u64;
    let grown = anonymous_bytes().saturating_sub(before + ids);
    table.row(vec![
        json!(state),
        number(took.as_secs_f64()),
        number(nodes as f64 / data.nodes() as f64),
        number((records + lists) as f64 / data.edges.len() as f64),
        json!(store.extent_bytes),
        json!(
            store.reading_dram_bytes
                + store.page_dram_bytes
                + store.tail_dram_bytes
                + store.extension_bytes
        ),
        number(grown as f64 / (data.nodes() + data.edges.len()) as f64),
    ]);
}
