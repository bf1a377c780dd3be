//! Cost of forced merges and of the sizes of vertex buffers: XPGraph's archiving
//! threshold, and its hierarchy of buffers against buffers of one size.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use evergraph::{Database, Layout, MediumKind, Mode, Options, Tuning};
use evergraph_generators::Edge;
use evergraph_graph::StoredLists;
use serde_json::json;

use super::WARM_UP;
use crate::graphs::EdgeList;
use crate::limits::on_threads;
use crate::meter::{Measured, Meter};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

/// Without other say, merges are forced this often (as a power of two) where
/// buffers are compared...
const USUAL_THRESHOLD: u32 = 20;
/// ...and a commit has so many edges: with a threshold, and with a reader behind
/// each commit (XPGraph's archiving threshold).
const SMALL_COMMIT: usize = 1 << 10;
const LARGE_COMMIT: usize = 1 << 16;
/// Looking at the buffers takes time, and they fill alike before each merge.
const LOOKS: usize = 8;
/// Bytes of log that an edge takes at most, with its share of a record's head.
const LOG_BYTES: u64 = 16;

/// Vertex buffers are filled only when a thread reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffers {
    /// No thread reads: what is committed stays in append buffers.
    Runs,
    /// A reader behind each commit; chunks of this many bytes.
    Fixed(usize),
    /// The same; chunks of 16 to 256 bytes, as the lists grow.
    Hierarchy,
}

impl Buffers {
    fn parse(name: &str) -> Result<Self, String> {
        match (name, name.parse::<usize>()) {
            ("hierarchy", _) => Ok(Buffers::Hierarchy),
            ("runs", _) => Ok(Buffers::Runs),
            (_, Ok(bytes)) if bytes.is_power_of_two() && (16..=4096).contains(&bytes) => {
                Ok(Buffers::Fixed(bytes))
            }
            _ => Err(format!(
                "buffers are runs, hierarchy, or a power of two from 16 to 4096, not {name:?}"
            )),
        }
    }

    fn name(self) -> String {
        match self {
            Buffers::Runs => "runs".to_string(),
            Buffers::Fixed(bytes) => bytes.to_string(),
            Buffers::Hierarchy => "hierarchy".to_string(),
        }
    }

    fn tuning(self, usual: Tuning) -> Tuning {
        let mut tuning = Tuning {
            // Nothing merges but what the threshold forces.
            buffer_bytes: 1 << 40,
            ..usual
        };
        if let Buffers::Fixed(bytes) = self {
            (tuning.least_chunk_bytes, tuning.most_chunk_bytes) = (bytes, bytes);
            tuning.hub_chunk_bytes = Some(bytes);
        }
        tuning
    }
}

/// One combination that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    layout: Layout,
    medium: MediumKind,
    direction: StoredLists,
    /// Edges of a commit.
    batch: usize,
    /// Edges between two forced merges.
    threshold: u64,
    buffers: Buffers,
}

impl Point {
    fn options(&self, settings: &Settings<'_>, edges: usize) -> Result<Options, String> {
        let between_merges = LOG_BYTES * self.threshold.min(edges as u64);
        let usual = stores::options(settings, self.medium, Mode::Merged, self.direction);
        Ok(Options {
            layout: self.layout,
            tuning: self.buffers.tuning(stores::tuning(settings)?),
            background: false,
            // Nor does a log that is full.
            log_bytes: usual.log_bytes + between_merges,
            ..usual
        })
    }
}

/// The combinations, if a sweep was asked for.
pub fn points(
    settings: &Settings<'_>,
    directions: &[StoredLists],
) -> Result<Option<Vec<Point>>, String> {
    let thresholds: Vec<u32> = settings.list("thresholds", &[])?;
    let buffers: Vec<String> = settings.list("buffers", &[])?;
    if thresholds.is_empty() && buffers.is_empty() {
        return Ok(None);
    }
    if thresholds.iter().any(|&power| power > 30) {
        return Err("thresholds are powers of two, up to 30".to_string());
    }
    let usual_batch = match buffers.is_empty() {
        true => SMALL_COMMIT,
        false => LARGE_COMMIT,
    };
    let batches: Vec<usize> = settings.list("batches", &[usual_batch])?;
    if batches.contains(&0) {
        return Err("a commit has at least 1 edge".to_string());
    }
    let or_usual = |given: Vec<u32>| match given.is_empty() {
        true => vec![USUAL_THRESHOLD],
        false => given,
    };
    let mut all_buffers = vec![Buffers::Runs];
    if !buffers.is_empty() {
        let parsed = buffers.iter().map(|name| Buffers::parse(name));
        all_buffers = parsed.collect::<Result<_, _>>()?;
    }
    let mut points = Vec::new();
    for layout in settings.layouts()? {
        for &direction in directions {
            for &power in &or_usual(thresholds.clone()) {
                for &buffers in &all_buffers {
                    points.extend(batches.iter().map(|&batch| Point {
                        layout,
                        medium: settings.medium.unwrap_or(MediumKind::Dax),
                        direction,
                        batch: batch.min(1 << power),
                        threshold: 1 << power,
                        buffers,
                    }));
                }
            }
        }
    }
    Ok(Some(points))
}

/// Counts of one ingestion.
struct Outcome {
    edges: u64,
    total: Measured,
    merges: usize,
    /// The most seen before a merge: bytes, and the entries in them.
    waiting: (usize, u64),
    /// Edges that were acknowledged and not visible, the most of all commits.
    lag: u64,
    extent_bytes: u64,
}

/// Each point timed, and once more on a medium that counts.
pub fn measure(
    settings: &Settings<'_>,
    points: &[Point],
    list: &EdgeList,
    limit: f64,
) -> Result<Table, String> {
    let counting_scale = settings.optional::<u32>("counting-scale")?;
    let mut table = Table::new(
        format!("forced merges and buffers, {}", list.name),
        &[
            "layout",
            "medium",
            "directions",
            "batch",
            "threshold_edges",
            "buffers",
            "threads",
            "trial",
            "timed_edges",
            "complete",
            "seconds",
            "edges_per_second",
            "cpu_ns_per_edge",
            "others",
            "merges",
            "extent_bytes_per_edge",
            "buffer_dram_bytes",
            "buffer_dram_bytes_per_vertex",
            "dram_bytes_per_waiting_entry",
            "max_lag_edges",
            "counted_edges",
            "media_writes_per_edge",
            "media_bytes_per_edge",
        ],
    );
    for point in points {
        let counted_edges = counting_scale.map_or(list.edges.len(), |scale| 32 << scale);
        let counted_part = &list.edges[..counted_edges.min(list.edges.len())];
        let (counted, written) = count(settings, point, list, counted_part, limit)?;
        for &threads in &settings.threads {
            for trial in 0..settings.trials.unwrap_or(1) {
                settings.progress(&format!("ingest: {point:?}, {threads} threads"));
                let place = Place::new(settings, point.medium)?;
                let options = point.options(settings, list.edges.len())?;
                let db = Database::create(place.join("db"), &options).map_err(text)?;
                let done = ingest(db, point, list.vertex_count, &list.edges, threads, limit)?;
                let timed = list.edges.len() - list.edges.len() / WARM_UP;
                let each = |amount: f64| number(amount / done.edges as f64);
                let all = (list.edges.len() / WARM_UP) as u64 + done.edges;
                let (bytes, entries) = done.waiting;
                table.row(vec![
                    json!(point.layout.name()),
                    json!(point.medium.name()),
                    json!(stores::direction_name(point.direction)),
                    json!(point.batch),
                    json!(point.threshold),
                    json!(point.buffers.name()),
                    json!(threads),
                    json!(trial),
                    json!(done.edges),
                    json!(done.edges == timed as u64),
                    number(done.total.seconds),
                    number(done.edges as f64 / done.total.seconds),
                    each(done.total.cpu_seconds * 1e9),
                    number(done.total.others),
                    json!(done.merges),
                    number(done.extent_bytes as f64 / all as f64),
                    json!(bytes),
                    number(bytes as f64 / list.vertex_count as f64),
                    number(bytes as f64 / entries as f64),
                    json!(done.lag),
                    json!(counted),
                    number(written.0 as f64 / counted as f64),
                    number(written.1 as f64 / counted as f64),
                ]);
            }
        }
    }
    Ok(table)
}

/// Media writes and the bytes they write, for so many edges.
fn count(
    settings: &Settings<'_>,
    point: &Point,
    list: &EdgeList,
    edges: &[Edge],
    limit: f64,
) -> Result<(u64, (u64, u64)), String> {
    settings.progress(&format!("counting: {point:?}"));
    let place = Place::new(settings, point.medium)?;
    let options = Options {
        emulated: Some(None),
        ..point.options(settings, edges.len())?
    };
    let db = Database::create(place.join("db"), &options).map_err(text)?;
    let device = db.emulated_device().ok_or("the medium does not count")?;
    let (warm_up, timed) = edges.split_at(edges.len() / WARM_UP);
    stores::load(&db, list.vertex_count, warm_up)?;
    let before = device.drain();
    let done = run(&db, point, timed, 1, limit)?;
    db.close().map_err(text)?;
    let counted = device.drain() - before;
    Ok((
        done.edges,
        (counted.media_writes, counted.media_written_bytes),
    ))
}

fn ingest(
    db: Database,
    point: &Point,
    vertex_count: usize,
    edges: &[Edge],
    threads: usize,
    limit: f64,
) -> Result<Outcome, String> {
    let (warm_up, timed) = edges.split_at(edges.len() / WARM_UP);
    stores::load(&db, vertex_count, warm_up)?;
    let meter = Meter::start();
    let done = run(&db, point, timed, threads, limit)?;
    let extent_bytes = db.stats().extent_bytes;
    db.close().map_err(text)?;
    Ok(Outcome {
        total: meter.stop(),
        extent_bytes,
        ..done
    })
}

/// Inserts the edges, and merges whenever so many have come, and at the end.
fn run(
    db: &Database,
    point: &Point,
    edges: &[Edge],
    threads: usize,
    limit: f64,
) -> Result<Outcome, String> {
    let deadline = stores::deadline(limit);
    let visible = || db.view().edge_count().map_err(text);
    let loaded = visible()?;
    let (inserted, lag) = (AtomicU64::new(0), AtomicU64::new(0));
    let (merges, most) = (AtomicUsize::new(0), Mutex::new((0, 0)));
    let merge = || {
        if merges.fetch_add(1, Ordering::Relaxed) < LOOKS {
            let stats = db.stats();
            let entries = stats.appended_entries + stats.buffered_entries;
            let mut most = most.lock().map_err(text)?;
            *most = (*most).max((stats.tail_dram_bytes, entries));
        }
        db.checkpoint().map_err(text)
    };
    let part = edges.len().div_ceil(threads).max(1);
    let total = on_threads(threads, |thread| {
        let mine = edges.chunks(part).nth(thread).unwrap_or_default();
        for piece in mine.chunks(point.batch) {
            db.insert_edges(piece).map_err(text)?;
            let count = piece.len() as u64;
            let before = inserted.fetch_add(count, Ordering::AcqRel);
            // Whatever others have counted is acknowledged, too.
            let expected = loaded + before + count;
            lag.fetch_max(expected.saturating_sub(visible()?), Ordering::Relaxed);
            if point.buffers != Buffers::Runs {
                db.buffer_all().map_err(text)?;
            }
            if (before + count) / point.threshold > before / point.threshold {
                merge()?;
            }
            if Instant::now() > deadline {
                break;
            }
        }
        Ok(())
    })?;
    merge()?;
    Ok(Outcome {
        edges: inserted.into_inner(),
        total,
        waiting: most.into_inner().map_err(text)?,
        lag: lag.into_inner(),
        merges: merges.into_inner(),
        extent_bytes: 0,
    })
}
