//! Cost of named snapshots and of reading them: a graph that grows from
//! four fifths of its edges to all of them in equal steps with a snapshot behind
//! each, as NVGraph's section IV-E has it, beside the same growth without.

mod reading;
mod series;

use std::time::Instant;

use evergraph::{Database, MediumKind};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::Meter;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{LARGE_BATCH, text};
use crate::table::{Table, number};
use reading::Reading;
use series::Series;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "history",
    parameters: &[
        "degree",
        "graph",
        "simple",
        "snapshots",
        "percent",
        "layouts",
        "parts",
    ],
    run,
};

/// The parts, all by default.
const PARTS: [&str; 2] = ["keeping", "reading"];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(16), true)?;
    let counts: Vec<usize> = settings.list("snapshots", &[1, 2, 6, 11, 51, 101, 201])?;
    let percent: usize = settings.parameter("percent", 0)?;
    if counts.contains(&0) || percent > 50 {
        return Err("there is at least 1 snapshot, and percent is at most 50".to_string());
    }
    let parts = settings.names("parts", &PARTS)?;
    let wanted = |part: &str| parts.iter().any(|known| known == part);
    let medium = settings.medium.unwrap_or(MediumKind::File);
    let mut keeping = keeping_table(&list, medium, percent);
    let mut reading = Reading::new(settings, &list, medium, percent);
    for layout in settings.layouts()? {
        for &count in &counts {
            settings.progress(&format!(
                "history: {count} snapshots, {}, {}",
                layout.name(),
                medium.name()
            ));
            let series = Series::new(&list, count, percent, settings.seed);
            let options = series::options(settings, layout, medium);
            let place = Place::new(settings, medium)?;
            let db = Database::create(place.join("db"), &options).map_err(text)?;
            let kept = keep(&db, &series, true)?;
            if wanted("keeping") {
                let place = Place::new(settings, medium)?;
                let path = place.join("db");
                let plain = Database::create(&path, &options).map_err(text)?;
                let without = keep(&plain, &series, false)?;
                drop(plain);
                let reopened = reopen(db, &options)?;
                keeping.row(kept.row(&without, &series, layout, reopened.1));
                if wanted("reading") {
                    reading.measure(settings, &reopened.0, &series, &options)?;
                }
            } else {
                reading.measure(settings, &db, &series, &options)?;
            }
        }
    }
    let tables = [keeping, reading.into_table()];
    Ok(tables
        .into_iter()
        .filter(|table| !table.is_empty())
        .collect())
}

fn keeping_table(list: &EdgeList, medium: MediumKind, percent: usize) -> Table {
    Table::new(
        format!(
            "keeping snapshots of {} on {}, {percent} % deleted on the way",
            list.name,
            medium.name()
        ),
        &[
            "layout",
            "snapshots",
            "delta_edges",
            "deleted",
            "deltas_seconds",
            "create_seconds",
            "create_us",
            "create_over_deltas",
            "seconds_over_without",
            "extent_bytes",
            "extent_bytes_without",
            "kept_bytes",
            "kept_over_delta_bytes",
            "dram_bytes",
            "dram_bytes_without",
            "reopen_seconds",
        ],
    )
}

/// Cost of growing.
struct Kept {
    /// Inserting and deleting, merges included; without creating snapshots.
    deltas: f64,
    creating: f64,
    extent_bytes: u64,
    dram_bytes: u64,
}

/// Grows the graph, with a snapshot behind each step or without any, and merges it.
fn keep(db: &Database, series: &Series<'_>, snapshots: bool) -> Result<Kept, String> {
    series.load_base(db)?;
    let (mut deltas, mut creating) = (0.0, 0.0);
    for step in 0..series.count() {
        if step > 0 {
            let meter = Meter::start();
            let (added, deleted) = series.delta(step);
            for piece in added.chunks(LARGE_BATCH) {
                db.insert_edges(piece).map_err(text)?;
            }
            if !deleted.is_empty() {
                db.delete_edges(deleted).map_err(text)?;
            }
            deltas += meter.stop().seconds;
        }
        if snapshots {
            let meter = Meter::start();
            db.create_snapshot(&series::name(step), None)
                .map_err(text)?;
            creating += meter.stop().seconds;
        }
    }
    let meter = Meter::start();
    db.checkpoint().map_err(text)?;
    deltas += meter.stop().seconds;
    let stats = db.stats();
    Ok(Kept {
        deltas,
        creating,
        extent_bytes: stats.extent_bytes,
        dram_bytes: stats.page_dram_bytes as u64 + stats.tail_dram_bytes as u64,
    })
}

impl Kept {
    fn row(
        &self,
        without: &Kept,
        series: &Series<'_>,
        layout: evergraph::Layout,
        reopening: f64,
    ) -> Vec<serde_json::Value> {
        let (added, deleted) = series.changes();
        // An undirected edge stands in two lists.
        let delta_bytes = 8 * (added + deleted) as u64;
        let kept = self.extent_bytes.saturating_sub(without.extent_bytes);
        let over = |part: f64, whole: f64| match whole > 0.0 {
            true => number(part / whole),
            false => json!(null),
        };
        vec![
            json!(layout.name()),
            json!(series.count()),
            json!(added),
            json!(deleted),
            number(self.deltas),
            number(self.creating),
            number(1e6 * self.creating / series.count() as f64),
            over(self.creating, self.deltas),
            over(self.deltas + self.creating, without.deltas),
            json!(self.extent_bytes),
            json!(without.extent_bytes),
            json!(kept),
            over(kept as f64, delta_bytes as f64),
            json!(self.dram_bytes),
            json!(without.dram_bytes),
            number(reopening),
        ]
    }
}

/// Closes and opens a database; how long the opening took.
fn reopen(db: Database, options: &evergraph::Options) -> Result<(Database, f64), String> {
    let path = db.path().to_path_buf();
    db.close().map_err(text)?;
    let began = Instant::now();
    let db = Database::open(&path, options).map_err(text)?;
    Ok((db, began.elapsed().as_secs_f64()))
}
