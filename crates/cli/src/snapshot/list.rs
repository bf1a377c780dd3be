//! `snapshot list`: what there is.

use evergraph::graph::StoredLists;
use evergraph::{Database, Snapshot, time_text};
use serde_json::{Value, json};

use crate::report::{Failure, Report, aligned, bytes, count};

/// Lists the snapshots, oldest first.
pub fn list(db: &Database) -> Result<Report, Failure> {
    let snapshots = db.snapshot_sizes()?;
    let all: Vec<Value> = snapshots
        .iter()
        .map(|(snapshot, delta)| {
            let mut all = described(db, snapshot);
            all["delta_bytes"] = json!(delta);
            all
        })
        .collect();
    let names = ["NAME", "COMMIT", "TIME", "VERTICES", "EDGES", "KEPT FOR IT"];
    let mut rows = vec![names.map(str::to_string).to_vec()];
    rows.extend(snapshots.iter().map(|(snapshot, delta)| {
        vec![
            snapshot.name.clone(),
            snapshot.csn.to_string(),
            time_text(snapshot.time_us),
            count(snapshot.vertex_count),
            count(edges_of(db, snapshot)),
            bytes(*delta),
        ]
    }));
    let text = match snapshots.is_empty() {
        true => "no snapshots\n".to_string(),
        false => aligned(&rows),
    };
    Ok(Report::new(json!({ "snapshots": all }), text))
}

/// A snapshot, for `--json`.
pub fn described(db: &Database, snapshot: &Snapshot) -> Value {
    json!({
        "name": snapshot.name,
        "csn": snapshot.csn,
        "time": time_text(snapshot.time_us),
        "time_us": snapshot.time_us,
        "vertices": snapshot.vertex_count,
        "edges": edges_of(db, snapshot),
    })
}

/// Live edges: an undirected one counts once.
pub fn edges_of(db: &Database, snapshot: &Snapshot) -> u64 {
    match db.config().direction {
        StoredLists::Undirected => snapshot.arc_count / 2,
        StoredLists::Out | StoredLists::Both => snapshot.arc_count,
    }
}
