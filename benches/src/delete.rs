//! Deleting a share of the edges of an ingested graph at random, and what that
//! does to its size. The result is compared with lists in plain memory.

use evergraph::{Database, MediumKind, Mode, Options};
use evergraph_graph::generate::{Edge, shuffle};
use evergraph_graph::{Direction, Graph, NeighborReader};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::Meter;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "delete",
    parameters: &["degree", "graph", "simple", "percent", "batches"],
    run,
};

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(16), true)?;
    let percent: usize = settings.parameter("percent", 4)?;
    let batches: Vec<usize> = settings.list("batches", &[1000, 100_000])?;
    if percent > 100 || batches.contains(&0) {
        return Err("percent is a share of the edges, and a commit has at least 1".to_string());
    }
    let mut deleted = list.edges.clone();
    shuffle(&mut deleted, settings.seed + 1);
    deleted.truncate(list.edges.len() * percent / 100);
    let expected = model(&list, &deleted);
    let media = match settings.medium {
        Some(medium) => vec![medium],
        None => vec![MediumKind::File, MediumKind::Dax],
    };
    let mut table = Table::new(
        format!(
            "deleting {percent} % of {}, {} edges",
            list.name,
            list.edges.len()
        ),
        &[
            "medium",
            "batch",
            "deleted",
            "missed",
            "seconds",
            "deletes_per_second",
            "cpu_ns_per_delete",
            "others",
            "merge_seconds",
            "extent_bytes_before",
            "extent_bytes_after",
            "bytes_per_live_edge_before",
            "bytes_per_live_edge_after",
            "as_expected",
        ],
    );
    for medium in media {
        for &batch in &batches {
            settings.progress(&format!("delete: {}, {batch} a commit", medium.name()));
            let place = Place::new(settings, medium)?;
            // Merging is measured by itself, as far as the log allows.
            let options = Options {
                background: false,
                ..stores::options(settings, medium, Mode::Merged, Direction::Undirected)
            };
            let db = Database::create(place.join("db"), &options).map_err(text)?;
            stores::load(&db, list.vertex_count, &list.edges)?;
            let before = db.stats().extent_bytes;
            let mut missed = 0;
            let meter = Meter::start();
            for piece in deleted.chunks(batch) {
                missed += db.delete_edges(piece).map_err(text)?.missed_deletes;
            }
            let deleting = meter.stop();
            let meter = Meter::start();
            db.checkpoint().map_err(text)?;
            let merging = meter.stop();
            let after = db.stats().extent_bytes;
            let each = |amount: f64| number(amount / deleted.len() as f64);
            let left = list.edges.len() - deleted.len() + missed as usize;
            table.row(vec![
                json!(medium.name()),
                json!(batch),
                json!(deleted.len()),
                json!(missed),
                number(deleting.seconds),
                number(deleted.len() as f64 / deleting.seconds),
                each(deleting.cpu_seconds * 1e9),
                number(deleting.others),
                number(merging.seconds),
                json!(before),
                json!(after),
                number(before as f64 / list.edges.len() as f64),
                number(after as f64 / left as f64),
                json!(holds(&db, &expected)? && missed == 0),
            ]);
        }
    }
    Ok(vec![table])
}

/// The lists that must be left: each deletion takes the latest edge between the
/// two.
fn model(list: &EdgeList, deleted: &[Edge]) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); list.vertex_count];
    for &(u, v) in &list.edges {
        lists[u as usize].push(v);
        lists[v as usize].push(u);
    }
    let mut remove = |u: u32, v: u32| {
        let list = &mut lists[u as usize];
        if let Some(at) = list.iter().rposition(|&found| found == v) {
            list.remove(at);
        }
    };
    for &(u, v) in deleted {
        remove(u, v);
        remove(v, u);
    }
    lists
}

/// Whether the database holds exactly these lists.
fn holds(db: &Database, expected: &[Vec<u32>]) -> Result<bool, String> {
    let view = db.view().graph().map_err(text)?;
    let mut reader = view.reader();
    let mut found = Vec::new();
    Ok(expected.iter().enumerate().all(|(v, expected)| {
        found.clear();
        reader.neighbors_into(v as u32, &mut found);
        found == *expected
    }))
}
