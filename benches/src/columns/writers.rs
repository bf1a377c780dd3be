//! Processor time of scans, alone and beside a thread that commits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evergraph_graph::random::Random;
use evergraph_property_graph::graph::PropertyGraph;
use serde_json::json;

use super::data::{Data, Ids, RANGE_OF_A};
use super::{reads, text};
use crate::meter::thread_seconds;
use crate::settings::Settings;
use crate::table::{Table, number};

/// How long scans go on, at least, alone and beside.
const AT_LEAST: Duration = Duration::from_millis(500);

/// Scans, each of a view of its own: a filter and a sum. Beside them, updates of one
/// property, each a durable commit.
pub(super) fn table(
    settings: &Settings<'_>,
    data: &Data,
    ids: &Ids,
    graph: &PropertyGraph,
) -> Result<Table, String> {
    settings.progress("columns: scans beside writers");
    let columns = ["what", "scans", "cpu_ns_a_row", "commits_a_second", "ratio"];
    let mut table = Table::new("processor time of scans", &columns);
    let (scans, alone) = scan_on(data, graph)?;
    table.row(vec![
        json!("alone"),
        json!(scans),
        number(alone),
        json!(0),
        json!(1.0),
    ]);
    let (is_over, seed) = (AtomicBool::new(false), settings.seed);
    let began = Instant::now();
    let (found, written) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_on(seed, data, ids, graph, &is_over));
        let found = scan_on(data, graph);
        is_over.store(true, Ordering::Relaxed);
        (found, writer.join())
    });
    let took = began.elapsed().as_secs_f64();
    let (scans, beside) = found?;
    let written = written.map_err(|_| "the writer panicked")??;
    table.row(vec![
        json!("beside a writer"),
        json!(scans),
        number(beside),
        number(written as f64 / took),
        number(beside / alone),
    ]);
    Ok(table)
}

/// Number of scans, and processor time a row.
fn scan_on(data: &Data, graph: &PropertyGraph) -> Result<(u64, f64), String> {
    let (began, before) = (Instant::now(), thread_seconds());
    let mut scans = 0;
    while scans == 0 || began.elapsed() < AT_LEAST {
        let view = graph.view();
        reads::below(&view)?;
        reads::sum(&view)?;
        scans += 1;
    }
    let rows = (scans * data.nodes() as u64) as f64;
    Ok((scans, (thread_seconds() - before) / rows * 1e9))
}

/// Number of commits until it is over.
fn write_on(
    seed: u64,
    data: &Data,
    ids: &Ids,
    graph: &PropertyGraph,
    is_over: &AtomicBool,
) -> Result<u64, String> {
    let (mut random, mut commits) = (Random::new(seed + 3), 0);
    while !is_over.load(Ordering::Relaxed) {
        let at = random.below(data.nodes() as u64) as usize;
        let value = random.below(RANGE_OF_A as u64) as i64;
        let written = graph.write(|transaction| transaction.set(ids.nodes[at], "a", value));
        written.map_err(text)?;
        commits += 1;
    }
    Ok(commits)
}
