//! Updates: what their runs and their commits take, and what the medium gets of them.

use std::time::Instant;

use evergraph::property::PropertyGraph;
use evergraph_generators::snb::{Change, Network};
use evergraph_interpreter::Query;
use serde_json::{Value, json};

use super::opened::Opened;
use super::{MODES, calls, pages, prepared, text};
use crate::meter::median;
use crate::queries::measure::parameters;
use crate::queries::texts::{Text, UPDATES};
use crate::settings::Settings;
use crate::snb::parameters::Updates;
use crate::snb::updates::number as number_of;
use crate::table::{Table, number};
use crate::transactions::append;

/// Appends of as many bytes as the log gets, with `fdatasync`, that a commit to files stands
/// beside.
const BARE: usize = 100;
/// Updates of a kind that are cold.
const COLD: usize = 5;

/// A table without rows.
pub fn empty() -> Table {
    let columns = [
        "medium",
        "update",
        "runs",
        "cold_us",
        "interpreted_us",
        "compiled_us",
        "adaptive_us",
        "commit_us",
        "cold_commit_us",
        "bare_us",
        "pages_cold",
        "lines_flushed",
        "units_written",
        "units_read",
        "fences",
    ];
    Table::new(
        "SNB updates by index: medians; the commit by itself, durable",
        &columns,
    )
}

/// Figures of the runs of one update.
#[derive(Default)]
struct Taken {
    /// Cold, then by [`MODES`].
    runs: [Vec<f64>; 4],
    /// Cold, then all others.
    commits: [Vec<f64>; 2],
    pages: Option<f64>,
    log_bytes: u64,
    lines: u64,
    written: u64,
    read: u64,
    fences: u64,
}

/// Makes updates in the order of time. The first ones of each kind find the database just
/// opened; the others take the modes in turn, as none can be repeated.
pub fn measure(
    settings: &Settings<'_>,
    opened: &mut Opened,
    network: &Network,
    medium: &str,
    table: &mut Table,
) -> Result<(), String> {
    let changes = Updates::of(network, settings.parameter("updates", 2_000)?);
    let mut taken: [Taken; UPDATES.len()] = Default::default();
    let mut queries = prepare_all(opened.graph()?)?;
    for change in changes.persons.iter().chain(&changes.others) {
        let kind = number_of(change) - 1;
        let taken = &mut taken[kind];
        if taken.commits[0].len() < COLD {
            opened.reopen()?;
            queries = prepare_all(opened.graph()?)?;
            let path = opened.path().to_path_buf();
            let query = &queries[kind][2];
            let (done, pages) = pages::during(&path, || make(opened, query, change, taken, 0));
            done?;
            taken.pages = pages;
        } else {
            let mode = taken.commits[1].len() % MODES.len();
            make(opened, &queries[kind][mode], change, taken, mode + 1)?;
        }
    }
    for (taken, query) in taken.iter().zip(UPDATES) {
        if !taken.commits[1].is_empty() {
            let bytes = taken.log_bytes as usize / taken.commits[1].len();
            let bare = match medium {
                "file" => number(append(&opened.place, BARE, bytes)?.seconds * 1e6 / BARE as f64),
                _ => json!(null),
            };
            table.row(taken.row(medium, query.name, bare));
        }
    }
    Ok(())
}

fn prepare_all(graph: &PropertyGraph) -> Result<Vec<[Query; 3]>, String> {
    let of_query = |query: Text| {
        let [first, second, third] = MODES.map(|mode| prepared(graph, query, mode, 1));
        Ok([first?, second?, third?])
    };
    UPDATES.into_iter().map(of_query).collect()
}

/// Runs an update and commits it; notes both under `place`, 0 for a cold one.
fn make(
    opened: &Opened,
    query: &Query,
    change: &Change,
    taken: &mut Taken,
    place: usize,
) -> Result<(), String> {
    let call = parameters(&calls::of_change(change));
    let (before, log) = (opened.counters(), opened.log_bytes()?);
    let began = Instant::now();
    let mut transaction = opened.graph()?.begin();
    query.run(&mut transaction, &call).map_err(text)?;
    let ran = began.elapsed().as_secs_f64();
    transaction.commit().map_err(text)?;
    let committed = began.elapsed().as_secs_f64();
    taken.runs[place].push(ran * 1e6);
    taken.commits[place.min(1)].push((committed - ran) * 1e6);
    if place > 0 {
        taken.log_bytes += opened.log_bytes()? - log;
        let counted = opened.counters() - before;
        taken.lines += counted.line_flushes;
        taken.written += counted.media_writes;
        taken.read += counted.media_reads;
        taken.fences += counted.fences;
    }
    Ok(())
}

impl Taken {
    fn row(&self, medium: &str, name: &str, bare: Value) -> Vec<Value> {
        let typical = |times: &[f64]| match times {
            [] => json!(null),
            times => number(median(times)),
        };
        let runs = self.commits[1].len();
        let each = |count: u64| match medium {
            "emulated" => number(count as f64 / runs as f64),
            _ => json!(null),
        };
        let mut row = vec![json!(medium), json!(name), json!(runs)];
        row.extend(self.runs.iter().map(|times| typical(times)));
        row.extend([typical(&self.commits[1]), typical(&self.commits[0]), bare]);
        row.push(self.pages.map_or(json!(null), number));
        row.extend([self.lines, self.written, self.read, self.fences].map(each));
        row
    }
}
