//! Ingestion after the papers' protocol: edges in random order, the first tenth
//! to warm up, then timed to the end, closing (final merge and sync) included.

mod ceiling;
mod counting;
mod lag;
mod sweep;

use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph::{Database, Layout, MediumKind, Mode, Options, allocated_bytes};
use evergraph_graph::StoredLists;
use serde_json::{Value, json};

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::limits::on_threads;
use crate::meter::{Measured, Meter};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, LARGE_BATCH, is_byte_addressed, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "ingest",
    parameters: &[
        "degree",
        "graph",
        "simple",
        "modes",
        "layouts",
        "batches",
        "directions",
        "limit",
        "log-mib",
        "bytes",
        "counting-scale",
        "thresholds",
        "buffers",
        "rewrite-growth",
    ],
    run,
};

/// Share of the edges that only warm up: one in so many.
const WARM_UP: usize = 10;

/// One combination that is measured.
#[derive(Clone, Copy)]
struct Case {
    mode: Mode,
    layout: Layout,
    medium: MediumKind,
    direction: StoredLists,
    /// Edges of a commit.
    batch: usize,
}

/// Columns of [`Case::describe`].
const CASE: [&str; 5] = ["mode", "layout", "medium", "directions", "batch"];

impl Case {
    fn shown(&self) -> String {
        format!(
            "{}, {}, on {}, {}, {} edges a commit",
            stores::mode_name(self.mode),
            self.layout.name(),
            self.medium.name(),
            stores::direction_name(self.direction),
            self.batch
        )
    }

    fn describe(&self) -> [Value; 5] {
        [
            json!(stores::mode_name(self.mode)),
            json!(self.layout.name()),
            json!(self.medium.name()),
            json!(stores::direction_name(self.direction)),
            json!(self.batch),
        ]
    }

    fn options(&self, settings: &Settings<'_>) -> Result<Options, String> {
        let usual = stores::options(settings, self.medium, self.mode, self.direction);
        let log_mib = settings.parameter("log-mib", usual.log_bytes >> 20)?;
        Ok(Options {
            layout: self.layout,
            log_bytes: log_mib << 20,
            tuning: stores::tuning(settings)?,
            ..usual
        })
    }
}

/// Counts of one ingestion.
struct Outcome {
    timed_edges: usize,
    complete: bool,
    inserting: Measured,
    total: Measured,
    all_edges: usize,
    bytes: u64,
    extent_bytes: u64,
    page_bytes: usize,
    tail_bytes: usize,
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let directions = directions(settings)?;
    let limit: f64 = settings.parameter("limit", 30.0)?;
    let scale = settings.scale.unwrap_or(16);
    let list = stream(settings, scale, &directions)?;
    if let Some(points) = sweep::points(settings, &directions)? {
        return Ok(vec![sweep::measure(settings, &points, &list, limit)?]);
    }
    let cases = cases(settings, &directions)?;
    let mut rates = Table::new(
        format!("ingest of {}, {} edges", list.name, list.edges.len()),
        &[
            &CASE[..],
            &[
                "threads",
                "trial",
                "timed_edges",
                "complete",
                "seconds",
                "close_seconds",
                "edges_per_second",
                "cpu_ns_per_edge",
                "others",
                "bytes_per_edge",
                "extent_bytes_per_edge",
                "page_dram_bytes_per_vertex",
                "tail_dram_bytes",
                "ack",
            ],
        ]
        .concat(),
    );
    let mut ceilings = ceiling::table();
    for case in &cases {
        for &threads in &settings.threads {
            for trial in 0..settings.trials.unwrap_or(1) {
                let before = ceiling::measure(settings, case, threads)?;
                settings.progress(&format!("ingest: {}, {threads} threads", case.shown()));
                let (outcome, durability) = one(settings, case, &list, threads, limit)?;
                rate_row(
                    &mut rates,
                    case,
                    threads,
                    trial,
                    &list,
                    &outcome,
                    &durability,
                );
                if let Some(before) = before {
                    let after = ceiling::measure(settings, case, threads)?.unwrap_or(before);
                    ceiling::row(
                        &mut ceilings,
                        threads,
                        trial,
                        case.direction,
                        &outcome,
                        [before, after],
                    );
                }
            }
        }
    }
    let counts = counting::count(settings, &cases, scale, &directions)?;
    let lags = lag::measure(settings, &cases, scale, &directions)?;
    let tables = [rates, ceilings, counts, lags];
    Ok(tables
        .into_iter()
        .filter(|table| !table.is_empty())
        .collect())
}

/// Which lists are kept. Out-lists, and both, get the same stream.
fn directions(settings: &Settings<'_>) -> Result<Vec<StoredLists>, String> {
    let names: Vec<String> = settings.list("directions", &["out".to_string()])?;
    let directions: Vec<StoredLists> = names
        .iter()
        .map(|name| match name.as_str() {
            "out" => Ok(StoredLists::Out),
            "both" => Ok(StoredLists::Both),
            "undirected" => Ok(StoredLists::Undirected),
            other => Err(format!(
                "directions are out, both or undirected, not {other:?}"
            )),
        })
        .collect::<Result<_, _>>()?;
    if directions.contains(&StoredLists::Undirected) && directions.len() > 1 {
        return Err("undirected has another stream of edges: it goes alone".to_string());
    }
    Ok(directions)
}

/// The edges in the order in which they come: every arc, or every edge once if
/// the store itself puts it into both lists.
fn stream(
    settings: &Settings<'_>,
    scale: u32,
    directions: &[StoredLists],
) -> Result<EdgeList, String> {
    let list = EdgeList::load(settings, scale, true)?;
    Ok(match directions.contains(&StoredLists::Undirected) {
        true => list,
        false => list.into_arcs(settings.seed),
    })
}

fn cases(settings: &Settings<'_>, directions: &[StoredLists]) -> Result<Vec<Case>, String> {
    let modes = settings.names("modes", &["direct", "merged"])?;
    let batches: Option<Vec<usize>> = settings
        .optional::<String>("batches")?
        .map(|_| settings.list("batches", &[]))
        .transpose()?;
    if batches.iter().flatten().any(|&batch| batch == 0) {
        return Err("a commit has at least 1 edge".to_string());
    }
    let media = match settings.medium {
        Some(medium) => vec![medium],
        None => vec![
            MediumKind::Dax,
            MediumKind::File,
            MediumKind::Battery,
            MediumKind::Dram,
        ],
    };
    let chosen = settings.medium.is_some();
    let mut cases = Vec::new();
    for (medium, &direction) in media
        .iter()
        .flat_map(|&medium| directions.iter().map(move |direction| (medium, direction)))
    {
        let direct = is_byte_addressed(medium);
        if modes.iter().any(|mode| mode == "direct")
            && direct
            && (chosen || medium == MediumKind::Dax)
        {
            cases.push(Case {
                mode: Mode::Direct,
                layout: Layout::Pma,
                medium,
                direction,
                batch: 1,
            });
        }
        if modes.iter().any(|mode| mode == "merged") {
            let usual = match medium {
                MediumKind::File | MediumKind::Dax => vec![1, 1000, LARGE_BATCH],
                MediumKind::Battery | MediumKind::Dram => vec![LARGE_BATCH],
            };
            let batches = batches.clone().unwrap_or(usual);
            for layout in settings.layouts()? {
                cases.extend(batches.iter().map(|&batch| Case {
                    mode: Mode::Merged,
                    layout,
                    medium,
                    direction,
                    batch,
                }));
            }
        }
    }
    if cases.is_empty() {
        return Err("direct mode needs a byte-addressed medium".to_string());
    }
    Ok(cases)
}

/// Ingests once into a new database.
fn one(
    settings: &Settings<'_>,
    case: &Case,
    list: &EdgeList,
    threads: usize,
    limit: f64,
) -> Result<(Outcome, String), String> {
    let place = Place::new(settings, case.medium)?;
    let db = Database::create(place.join("db"), &case.options(settings)?).map_err(text)?;
    let durability = db.durability_level().name().to_string();
    let outcome = ingest(db, &place, case, list, threads, limit)?;
    Ok((outcome, durability))
}

fn ingest(
    db: Database,
    place: &Place,
    case: &Case,
    list: &EdgeList,
    threads: usize,
    limit: f64,
) -> Result<Outcome, String> {
    let (warm_up, timed) = list.edges.split_at(list.edges.len() / WARM_UP);
    // What the warm-up left to merge is not paid by the timed part.
    stores::load(&db, list.vertex_count, warm_up)?;
    let deadline = stores::deadline(limit);
    let done = AtomicUsize::new(0);
    let part = timed.len().div_ceil(threads).max(1);
    let meter = Meter::start();
    let inserting = on_threads(threads, |thread| {
        let mine = timed.chunks(part).nth(thread).unwrap_or_default();
        let inserted = stores::insert(&db, mine, case.batch, Some(deadline))?;
        done.fetch_add(inserted, Ordering::Relaxed);
        Ok(())
    })?;
    let tail_bytes = db.stats().tail_dram_bytes;
    let medium = db.medium();
    if medium == MediumKind::Dram {
        // Nothing of it is left to look at after closing.
        db.checkpoint().map_err(text)?;
    }
    let stats = db.stats();
    db.close().map_err(text)?;
    let total = meter.stop();
    let timed_edges = done.into_inner();
    Ok(Outcome {
        timed_edges,
        complete: timed_edges == timed.len(),
        inserting,
        total,
        all_edges: warm_up.len() + timed_edges,
        bytes: match medium {
            MediumKind::Dram => stats.extent_bytes + stats.ring_bytes,
            _ => allocated_bytes(place.join("db")).map_err(text)?,
        },
        extent_bytes: match medium {
            MediumKind::Dram => stats.extent_bytes,
            _ => file_bytes(place, "extents")?,
        },
        page_bytes: stats.page_dram_bytes,
        tail_bytes,
    })
}

/// Bytes that a file of the database occupies.
fn file_bytes(place: &Place, name: &str) -> Result<u64, String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(place.join("db").join(name)).map_err(text)?;
    Ok(metadata.blocks() * 512)
}

fn rate_row(
    table: &mut Table,
    case: &Case,
    threads: usize,
    trial: usize,
    list: &EdgeList,
    outcome: &Outcome,
    durability: &str,
) {
    let edges = outcome.timed_edges as f64;
    let all = outcome.all_edges as f64;
    let mut row = case.describe().to_vec();
    row.extend([
        json!(threads),
        json!(trial),
        json!(outcome.timed_edges),
        json!(outcome.complete),
        number(outcome.total.seconds),
        number(outcome.total.seconds - outcome.inserting.seconds),
        number(edges / outcome.total.seconds),
        number(outcome.total.cpu_seconds / edges * 1e9),
        number(outcome.total.others),
        number(outcome.bytes as f64 / all),
        number(outcome.extent_bytes as f64 / all),
        number(outcome.page_bytes as f64 / list.vertex_count as f64),
        json!(outcome.tail_bytes),
        json!(durability),
    ]);
    table.row(row);
}
