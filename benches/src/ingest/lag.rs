//! How long an acknowledged edge stays invisible: a thread takes views while
//! others ingest, and compares what they show with what was acknowledged.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evergraph::{Database, Mode};
use evergraph_graph::StoredLists;
use serde_json::json;

use super::{CASE, Case, stream};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

/// How long an acknowledged edge may stay invisible before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(30);

/// Delays that the watching thread saw.
#[derive(Clone, Copy, Debug, Default)]
struct Lag {
    views: u64,
    /// Views that did not show all that was acknowledged before.
    behind: u64,
    most_edges: u64,
    /// From the first such view to the first that shows the edges.
    most_seconds: f64,
}

/// A pass of its own, so that the watching thread slows down nothing that is
/// measured elsewhere.
pub fn measure(
    settings: &Settings<'_>,
    cases: &[Case],
    scale: u32,
    directions: &[StoredLists],
) -> Result<Table, String> {
    let scale = settings.parameter("counting-scale", scale.saturating_sub(4).clamp(4, 16))?;
    let mut list = stream(settings, scale, directions)?;
    // A file keeps its size; a part of it is enough.
    list.edges.truncate(32 << scale);
    let mut table = Table::new(
        format!("visibility of acknowledged edges, {}", list.name),
        &[
            &CASE[..],
            &[
                "edges",
                "views",
                "views_behind",
                "max_lag_edges",
                "max_lag_ms",
                "us_between_views",
            ],
        ]
        .concat(),
    );
    for case in cases {
        settings.progress(&format!("visibility: {}", case.shown()));
        let place = Place::new(settings, case.medium)?;
        let options = case.options(settings)?;
        let db = Database::create(place.join("db"), &options).map_err(text)?;
        stores::load(&db, list.vertex_count, &[])?;
        let (acknowledged, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let deadline = stores::deadline(15.0);
        // In direct mode one call makes many commits; short ones are watched closer.
        let piece = match case.mode {
            Mode::Direct => 1024,
            Mode::Merged => case.batch,
        };
        let (lag, seconds) = std::thread::scope(|scope| {
            let db = &db;
            let visible = move || db.view().edge_count().map_err(text);
            let (acknowledged, stop) = (&acknowledged, &stop);
            let watcher = scope.spawn(move || watch(acknowledged, stop, visible));
            let began = Instant::now();
            let mut inserted = Ok(0);
            for piece in list.edges.chunks(piece) {
                inserted = stores::insert(db, piece, case.batch, None);
                let Ok(edges) = inserted else { break };
                acknowledged.fetch_add(edges as u64, Ordering::Release);
                if Instant::now() > deadline {
                    break;
                }
            }
            let seconds = began.elapsed().as_secs_f64();
            stop.store(true, Ordering::Release);
            let lag = watcher.join().map_err(|_| "the watching thread panicked")?;
            inserted?;
            Ok::<_, String>((lag?, seconds))
        })?;
        let mut row = case.describe().to_vec();
        row.extend([
            json!(acknowledged.into_inner()),
            json!(lag.views),
            json!(lag.behind),
            json!(lag.most_edges),
            number(lag.most_seconds * 1e3),
            number(seconds / lag.views as f64 * 1e6),
        ]);
        table.row(row);
    }
    Ok(table)
}

/// Compares what is visible with what was acknowledged before, until told to
/// stop, and once more behind that.
fn watch(
    acknowledged: &AtomicU64,
    stop: &AtomicBool,
    visible: impl Fn() -> Result<u64, String>,
) -> Result<Lag, String> {
    let mut lag = Lag::default();
    loop {
        let is_last = stop.load(Ordering::Acquire);
        let expected = acknowledged.load(Ordering::Acquire);
        let began = Instant::now();
        let mut seen = visible()?;
        lag.views += 1;
        if seen < expected {
            lag.behind += 1;
            lag.most_edges = lag.most_edges.max(expected - seen);
            while seen < expected {
                std::thread::yield_now();
                if began.elapsed() > PATIENCE {
                    return Err(format!("{} edges stay invisible", expected - seen));
                }
                seen = visible()?;
            }
            lag.most_seconds = lag.most_seconds.max(began.elapsed().as_secs_f64());
        }
        if is_last {
            return Ok(lag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store that shows each view only a little more.
    #[test]
    fn what_is_late_is_seen() {
        let (acknowledged, stop) = (AtomicU64::new(100), AtomicBool::new(true));
        let shown = AtomicU64::new(60);
        let visible = || Ok(shown.fetch_add(10, Ordering::Relaxed));
        let lag = watch(&acknowledged, &stop, visible).unwrap();
        assert_eq!((lag.views, lag.behind, lag.most_edges), (1, 1, 40));
        assert!(lag.most_seconds > 0.0);
        let lag = watch(&acknowledged, &stop, || Ok(100)).unwrap();
        assert_eq!((lag.behind, lag.most_edges), (0, 0));
    }
}
