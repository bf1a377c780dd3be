//! `snapshot list`: what there is.

use evergraph::graph::StoredLists;
use evergraph::{Database, Snapshot, time_text};
use serde_json::{Value, json};

use crate::report::{Failure, Report, aligned, bytes, count};

/// Lists the snapshots, oldest first.
pub fn list(db: &Database) -> Result<Report, Failure> {
    let snapshots = db.snapshot_sizes()?;
    let mut all: Vec<Value> = Vec::new();
    let names = ["NAME", "COMMIT", "TIME", "VERTICES", "EDGES", "KEPT FOR IT"];
    let mut rows = vec![names.map(str::to_string).to_vec()];
    for (snapshot, delta) in &snapshots {
        let vertices = vertices_of(db, snapshot)?;
        let mut one = described(db, snapshot, vertices);
        one["delta_bytes"] = json!(delta);
        all.push(one);
        rows.push(vec![
            snapshot.name.clone(),
            snapshot.csn.to_string(),
            time_text(snapshot.time_us),
            count(vertices),
            count(edges_of(db, snapshot)),
            bytes(*delta),
        ]);
    }
    let text = match snapshots.is_empty() {
        true => "no snapshots\n".to_string(),
        false => aligned(&rows),
    };
    Ok(Report::new(json!({ "snapshots": all }), text))
}

/// A snapshot, for `--json`.
pub fn described(db: &Database, snapshot: &Snapshot, vertices: u64) -> Value {
    json!({
        "name": snapshot.name,
        "csn": snapshot.csn,
        "time": time_text(snapshot.time_us),
        "time_us": snapshot.time_us,
        "vertices": vertices,
        "edges": edges_of(db, snapshot),
    })
}

/// Vertices; of a property graph the nodes that were not deleted, whose numbers a vertex
/// keeps.
pub fn vertices_of(db: &Database, snapshot: &Snapshot) -> Result<u64, Failure> {
    if !db.is_property_graph() {
        return Ok(snapshot.vertex_count);
    }
    let view = db.property_graph()?.as_of_commit(snapshot.csn);
    let count = view.and_then(|view| view.node_count());
    Ok(count.map_err(evergraph::Error::from)?)
}

/// Live edges: an undirected one counts once.
pub fn edges_of(db: &Database, snapshot: &Snapshot) -> u64 {
    match db.config().direction {
        StoredLists::Undirected => snapshot.arc_count / 2,
        StoredLists::Out | StoredLists::Both => snapshot.arc_count,
    }
}
