//! The part of `evergraph stats` about a property graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph::Database;
use evergraph::property::{Census, PropertyGraph};
use serde_json::{Value, json};

use crate::index;
use crate::report::{Failure, bytes, count};

/// Titles and texts.
type Rows = Vec<(&'static str, String)>;

/// Facts for `--json`, and rows for people.
pub fn facts(db: &Database, graph: &PropertyGraph) -> Result<(Value, Rows), Failure> {
    let census = Census::of(&graph.view())?;
    let statistics = graph.statistics();
    let records = [statistics.nodes, statistics.relationships];
    let versions: u64 = (records.iter())
        .map(|of| of.versions_for_views as u64)
        .sum();
    let history: u64 = records.iter().map(|of| of.history_bytes).sum();
    let unmerged: u64 = records.iter().map(|of| of.unmerged_bytes as u64).sum();
    let past: u64 = records.iter().map(|of| of.past_bytes as u64).sum();
    let sorted = statistics.sorted_bytes as u64;
    let named = db.snapshots().first().map(|snapshot| snapshot.csn);
    let oldest = [named, statistics.transactions.oldest_snapshot];
    let oldest = oldest.into_iter().flatten().min();
    let definitions = graph.definitions();
    let json = json!({
        "nodes": census.nodes,
        "relationships": census.relationships,
        "labels": by_name(&census.labels),
        "types": by_name(&census.types),
        "keys": by_name(&census.keys),
        "versions_for_views": versions,
        "version_history_bytes": history,
        "unmerged_record_bytes": unmerged,
        "past_dram_bytes": past,
        "sorted_dram_bytes": sorted,
        "oldest_snapshot": oldest,
        "definitions": index::all_facts(graph),
    });
    let mut rows: Rows = vec![
        ("nodes", count(census.nodes)),
        ("relationships", count(census.relationships)),
    ];
    for (title, counts) in [
        ("labels", &census.labels),
        ("types", &census.types),
        ("keys", &census.keys),
    ] {
        let each = (counts.iter()).map(|(name, n)| format!("{name} {}", count(*n)));
        rows.push((title, each.collect::<Vec<_>>().join(", ")));
    }
    rows.extend((definitions.iter()).map(|definition| ("index", index::text(definition))));
    let mut kept = format!(
        "{} for views, {} of history, {} of records not merged",
        count(versions),
        bytes(history),
        bytes(unmerged)
    );
    if let Some(oldest) = oldest {
        kept = format!("{kept}; the oldest snapshot is of commit {}", count(oldest));
    }
    rows.push(("versions", kept));
    if past + sorted > 0 {
        let copies = format!(
            "{} sorted lists, {} of the past",
            bytes(sorted),
            bytes(past)
        );
        rows.push(("copies for reading", copies));
    }
    Ok((json, rows))
}

/// Counts by name, as an object.
fn by_name(counts: &BTreeMap<Arc<str>, u64>) -> Value {
    let pairs = counts.iter().map(|(name, n)| (name.to_string(), json!(n)));
    Value::Object(pairs.collect())
}
