//! Short reads: cold, hot in each mode, and the pages that they load from.

use std::time::Instant;

use evergraph::LatencyProfile;
use evergraph::property::PropertyGraph;
use evergraph_generators::snb::Network;
use evergraph_interpreter::{Datum, Execution, Parameters, Query};
use serde_json::json;

use super::opened::Opened;
use super::{EXPRESSIONS, MODES, calls, pages, prepared, text};
use crate::meter::minimum;
use crate::queries::measure::parameters;
use crate::queries::texts::{SHORT, Text};
use crate::settings::Settings;
use crate::table::{Table, number};

/// Calls of a query that pages are counted of.
const COUNTED: usize = 10;
/// Openings of a database that a query is the first one after.
const OPENINGS: usize = 5;

/// A table without rows.
pub fn empty() -> Table {
    let columns = [
        "medium",
        "access",
        "query",
        "threads",
        "cold_us",
        "interpreted_us",
        "compiled_us",
        "adaptive_us",
        "interpreted_over_compiled",
        "pages_interpreted",
        "pages_compiled",
        "loads_add_us",
        "opening_units",
        "first_units",
        "equal",
    ];
    Table::new("SNB short reads: mean over calls of the least", &columns)
}

/// The rows of a read, and its microseconds.
fn timed(
    graph: &PropertyGraph,
    query: &Query,
    call: &Parameters,
) -> Result<(Vec<Vec<Datum>>, f64), String> {
    let began = Instant::now();
    let rows = query.execute(graph, call).map_err(text)?.collect();
    Ok((rows, began.elapsed().as_secs_f64() * 1e6))
}

/// Adds a row for each short read and number of threads.
pub fn measure(
    settings: &Settings<'_>,
    opened: &mut Opened,
    network: &Network,
    [medium, access]: [&str; 2],
    table: &mut Table,
) -> Result<(), String> {
    let calls = calls::of_network(network, settings.parameter("runs", 50)?);
    let calls = calls.iter().take(SHORT.len());
    let calls = calls.map(|calls| calls.iter().map(parameters).collect());
    let mut queries: Vec<(Text, Vec<Parameters>)> = SHORT.into_iter().zip(calls).collect();
    if access == "scan" {
        queries.push((EXPRESSIONS, vec![Parameters::default()]));
    }
    let trials = settings.trials.unwrap_or(5);
    for &threads in &settings.threads {
        for (query, calls) in &queries {
            let (cold, opening_units, first_units) = cold(opened, *query, &calls[0], threads)?;
            let hot = Hot::of(opened, *query, calls, threads, trials)?;
            let [interpreted, compiled, adaptive] = hot.microseconds;
            let slower = hot.pages[0].filter(|_| medium == "emulated").map(loads_add);
            let shown = |value: Option<f64>| value.map_or(json!(null), number);
            table.row(vec![
                json!(medium),
                json!(access),
                json!(query.name),
                json!(threads),
                number(cold),
                number(interpreted),
                number(compiled),
                number(adaptive),
                number(interpreted / compiled),
                shown(hot.pages[0]),
                shown(hot.pages[1]),
                shown(slower),
                json!(opening_units),
                json!(first_units),
                json!(hot.are_equal),
            ]);
        }
    }
    Ok(())
}

/// Microseconds of planning and the first run on a database that was just opened, the least
/// of some; the units that the emulated medium read for the opening, and for the run.
fn cold(
    opened: &mut Opened,
    query: Text,
    call: &Parameters,
    threads: usize,
) -> Result<(f64, u64, u64), String> {
    let openings = if opened.can_reopen() { OPENINGS } else { 1 };
    let (mut times, mut units) = (Vec::new(), (0, 0));
    for _ in 0..openings {
        opened.reopen()?;
        let before = opened.counters();
        let began = Instant::now();
        let graph = opened.graph()?;
        let first = prepared(graph, query, Execution::Adapt, threads)?;
        timed(graph, &first, call)?;
        times.push(began.elapsed().as_secs_f64() * 1e6);
        let run = opened.counters() - before;
        units = (before.media_reads, run.media_reads);
    }
    Ok((minimum(&times), units.0, units.1))
}

/// Microseconds that loads from so many pages take longer than from DRAM.
fn loads_add(pages: f64) -> f64 {
    let optane = LatencyProfile::OPTANE;
    let rest = pages::PAGE_BYTES / optane.read_bytes_per_s as f64 * 1e6;
    pages * (optane.read_ns as f64 / 1e3 + rest)
}

/// Figures of a query on a database that it has been run on before.
struct Hot {
    /// By [`MODES`]; means over the calls of the least of each.
    microseconds: [f64; 3],
    /// Interpreted and compiled; means over the first calls.
    pages: [Option<f64>; 2],
    are_equal: bool,
}

impl Hot {
    /// Runs the modes in turn, each behind one run that is not counted; the compiler's time
    /// is not, either. A query that adapts begins without code each time.
    fn of(
        opened: &Opened,
        query: Text,
        calls: &[Parameters],
        threads: usize,
        trials: usize,
    ) -> Result<Self, String> {
        let graph = opened.graph()?;
        let of_mode = |mode| prepared(graph, query, mode, threads);
        let lasting = [of_mode(MODES[0])?, of_mode(MODES[1])?];
        let (mut sums, mut are_equal) = ([0.0; 3], true);
        for call in calls {
            let (expected, _) = timed(graph, &lasting[0], call)?;
            let expected = format!("{expected:?}");
            timed(graph, &lasting[1], call)?;
            let mut times: [Vec<f64>; 3] = Default::default();
            for _ in 0..trials {
                let adaptive = of_mode(MODES[2])?;
                let all = lasting.iter().chain([&adaptive]);
                for (one, times) in all.zip(&mut times) {
                    // Each finds the caches as another has left them.
                    timed(graph, &lasting[0], call)?;
                    let (rows, took) = timed(graph, one, call)?;
                    are_equal &= format!("{rows:?}") == expected;
                    times.push(took);
                }
            }
            for (sum, times) in sums.iter_mut().zip(&times) {
                *sum += minimum(times) / calls.len() as f64;
            }
        }
        let mut pages = [Some(0.0); 2];
        let counted = &calls[..calls.len().min(COUNTED)];
        for call in counted {
            for (one, pages) in lasting.iter().zip(&mut pages) {
                let (rows, found) = pages::during(opened.path(), || timed(graph, one, call));
                rows?;
                let found = found.map(|found| found / counted.len() as f64);
                *pages = pages.zip(found).map(|(sum, found)| sum + found);
            }
        }
        Ok(Hot {
            microseconds: sums,
            pages,
            are_equal,
        })
    }
}
