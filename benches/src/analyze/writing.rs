//! Kernels on a view while another thread ingests: what the two cost each other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evergraph::{Database, MediumKind, Mode};
use evergraph_generators::Edge;
use evergraph_graph::StoredLists;
use serde_json::json;

use super::kernels::{Kernel, Outcome};
use crate::graphs::EdgeList;
use crate::meter::median;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

/// Share of the edges that the writer inserts, again and again: one in so many.
const WRITTEN: usize = 10;

/// Measures each kernel alone, beside the writer, and the writer alone for as
/// long. The view is the same throughout, and so must be the results.
pub fn measure(
    settings: &Settings<'_>,
    list: &EdgeList,
    kernels: &[Kernel],
    trials: usize,
) -> Result<Table, String> {
    let batch: usize = settings.parameter("batch", 10_000)?;
    if batch == 0 {
        return Err("a commit has at least 1 edge".to_string());
    }
    let medium = settings.medium.unwrap_or(MediumKind::File);
    let place = Place::new(settings, medium)?;
    let options = stores::options(settings, medium, Mode::Merged, StoredLists::Undirected);
    let db = Database::create(place.join("db"), &options).map_err(text)?;
    let held_back = list.edges.len().div_ceil(WRITTEN);
    let (loaded, written) = list.edges.split_at(list.edges.len() - held_back);
    stores::load(&db, list.vertex_count, loaded)?;
    let view = db.view().graph().map_err(text)?;
    let mut table = Table::new(
        format!(
            "beside a writer, {} on {}, {batch} edges a commit",
            list.name,
            medium.name()
        ),
        &[
            "kernel",
            "threads",
            "seconds_alone",
            "seconds_beside",
            "ratio",
            "ingest_edges_per_second_alone",
            "ingest_edges_per_second_beside",
            "ingest_ratio",
            "equal",
        ],
    );
    for &threads in &settings.threads {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(text)?;
        for &kernel in kernels {
            settings.progress(&format!(
                "analyze: {} beside a writer, {threads} threads",
                kernel.name()
            ));
            let repeat = || pool.install(|| repeat(trials, || kernel.run(&view)));
            let (alone, expected) = repeat()?;
            let ((beside, found, took), rate_beside) = beside_writer(&db, written, batch, || {
                let began = Instant::now();
                let (times, outcome) = repeat()?;
                Ok((times, outcome, began.elapsed()))
            })?;
            let ((), rate_alone) = beside_writer(&db, written, batch, || {
                std::thread::sleep(took.max(Duration::from_millis(20)));
                Ok(())
            })?;
            let (alone, beside) = (median(&alone), median(&beside));
            table.row(vec![
                json!(kernel.name()),
                json!(threads),
                number(alone),
                number(beside),
                number(beside / alone),
                number(rate_alone),
                number(rate_beside),
                number(rate_beside / rate_alone),
                json!(expected.equals(&found)),
            ]);
        }
    }
    Ok(table)
}

fn repeat(
    trials: usize,
    run: impl Fn() -> Result<Outcome, String>,
) -> Result<(Vec<f64>, Outcome), String> {
    let mut times = Vec::new();
    loop {
        let began = Instant::now();
        let outcome = run()?;
        times.push(began.elapsed().as_secs_f64());
        if times.len() >= trials {
            return Ok((times, outcome));
        }
    }
}

/// Does `work` while a thread inserts edges; returns the thread's edges a second.
fn beside_writer<T>(
    db: &Database,
    edges: &[Edge],
    batch: usize,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<(T, f64), String> {
    let stop = AtomicBool::new(false);
    let write = || -> Result<f64, String> {
        let began = Instant::now();
        let mut inserted = 0;
        for piece in edges.chunks(batch).cycle() {
            db.insert_edges(piece).map_err(text)?;
            inserted += piece.len();
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(inserted as f64 / began.elapsed().as_secs_f64())
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(write);
        let result = work();
        stop.store(true, Ordering::Relaxed);
        let rate = writer.join().map_err(|_| "the writer panicked")?;
        Ok((result?, rate?))
    })
}
