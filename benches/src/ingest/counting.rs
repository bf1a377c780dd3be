//! Bytes that reach the medium for an edge.

use evergraph::{Database, Options};
use evergraph_graph::StoredLists;
use serde_json::json;

use super::{CASE, Case, WARM_UP, stream};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

/// The same on a medium that counts, with fewer edges: counting takes time.
pub fn count(
    settings: &Settings<'_>,
    cases: &[Case],
    scale: u32,
    directions: &[StoredLists],
) -> Result<Table, String> {
    let scale = settings.parameter("counting-scale", scale.saturating_sub(4).clamp(4, 16))?;
    let mut list = stream(settings, scale, directions)?;
    // A file keeps its size; a part of it is counted.
    list.edges.truncate(32 << scale);
    let mut table = Table::new(
        format!(
            "what reaches the medium: {} edges of {}",
            list.edges.len(),
            list.name
        ),
        &[
            &CASE[..],
            &[
                "edges",
                "stored_bytes_per_edge",
                "line_flushes_per_edge",
                "redundant_flushes_per_edge",
                "fences_per_edge",
                "media_writes_per_edge",
                "media_bytes_per_edge",
            ],
        ]
        .concat(),
    );
    for case in cases {
        settings.progress(&format!("counting: {}", case.shown()));
        let place = Place::new(settings, case.medium)?;
        let options = Options {
            emulated: Some(None),
            ..case.options(settings)?
        };
        let db = Database::create(place.join("db"), &options).map_err(text)?;
        let device = db.emulated_device().ok_or("the medium does not count")?;
        let (warm_up, timed) = list.edges.split_at(list.edges.len() / WARM_UP);
        stores::load(&db, list.vertex_count, warm_up)?;
        let before = device.drain();
        let done = stores::insert(&db, timed, case.batch, Some(stores::deadline(15.0)))?;
        db.close().map_err(text)?;
        let counted = device.drain() - before;
        let each = |count: u64| number(count as f64 / done as f64);
        let mut row = case.describe().to_vec();
        row.extend([
            json!(done),
            each(counted.stored_bytes),
            each(counted.line_flushes),
            each(counted.redundant_flushes),
            each(counted.fences),
            each(counted.media_writes),
            each(counted.media_written_bytes),
        ]);
        table.row(row);
    }
    Ok(table)
}
