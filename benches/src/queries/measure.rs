//! How long prepared queries take, and how long it takes to prepare them.

use std::time::Instant;

use evergraph::property::PropertyGraph;
use evergraph_generators::snb::{Change, Network};
use evergraph_interpreter::{Datum, Execution, Limits, Parameters, Query};
use serde_json::json;

use super::calls::{self, Call};
use super::text;
use super::texts::{COMPLEX, COUNTS, SHORT, Text, UPDATES};
use crate::meter::{Meter, median, minimum};
use crate::settings::Settings;
use crate::snb::load::Loaded;
use crate::snb::parameters::Updates;
use crate::snb::reading::percentile;
use crate::snb::updates::number as number_of;
use crate::table::{Table, number};
use crate::transactions::append;

const COLUMNS: [&str; 7] = [
    "query",
    "runs",
    "rows",
    "median_us",
    "p99_us",
    "planning_us",
    "others",
];

/// Plannings of a query, of which the shortest counts.
const PLANNINGS: usize = 5;

/// The mode of `--param mode=M`.
fn limits(settings: &Settings<'_>) -> Result<Limits, String> {
    let execution = match settings.optional::<String>("mode")?.as_deref() {
        None | Some("adapt") => Execution::Adapt,
        Some("compile") => Execution::Compile,
        Some("interpret") => Execution::Interpret,
        Some(other) => return Err(format!("mode is interpret, compile or adapt, not {other}")),
    };
    Ok(Limits {
        execution,
        ..Limits::default()
    })
}

/// A query that is measured on a graph.
pub struct Measured<'g> {
    graph: &'g PropertyGraph,
    name: &'static str,
    query: Query,
    planning: f64,
    microseconds: Vec<f64>,
    rows: usize,
    meter: Meter,
}

impl<'g> Measured<'g> {
    pub fn new(
        settings: &Settings<'_>,
        graph: &'g PropertyGraph,
        query: Text,
    ) -> Result<Self, String> {
        let failed = |error| format!("{}: {error}", query.name);
        let mut took = Vec::new();
        for _ in 0..PLANNINGS {
            let began = Instant::now();
            Query::prepare(graph, query.text).map_err(failed)?;
            took.push(began.elapsed().as_secs_f64() * 1e6);
        }
        Ok(Measured {
            graph,
            name: query.name,
            query: Query::prepare(graph, query.text)
                .map_err(failed)?
                .with_limits(limits(settings)?),
            planning: minimum(&took),
            microseconds: Vec::new(),
            rows: 0,
            meter: Meter::start(),
        })
    }

    /// Runs it, and reads all rows. Gives the first value of the last one.
    pub fn run(&mut self, parameters: &Parameters) -> Result<Option<Datum>, String> {
        let began = Instant::now();
        let rows = self.query.execute(self.graph, parameters);
        let rows = rows.map_err(|error| format!("{}: {error}", self.name))?;
        let (mut count, mut last) = (0, None);
        for row in rows {
            count += 1;
            last = Some(row);
        }
        self.microseconds.push(began.elapsed().as_secs_f64() * 1e6);
        self.rows += count;
        Ok(last.and_then(|row| row.into_iter().next()))
    }

    /// As often as asked for, once more before.
    pub fn run_all(&mut self, calls: &[Parameters], trials: usize) -> Result<(), String> {
        for call in calls {
            self.run(call)?;
        }
        (self.microseconds, self.rows, self.meter) = (Vec::new(), 0, Meter::start());
        for _ in 0..trials {
            for call in calls {
                self.run(call)?;
            }
        }
        Ok(())
    }

    /// Each call once: writes, which cannot be repeated.
    pub fn run_each(&mut self, calls: &[Parameters]) -> Result<(), String> {
        (self.microseconds, self.rows, self.meter) = (Vec::new(), 0, Meter::start());
        calls.iter().try_for_each(|call| self.run(call).map(drop))
    }

    pub fn median(&self) -> f64 {
        median(&self.microseconds)
    }

    pub fn runs(&self) -> usize {
        self.microseconds.len()
    }

    pub fn is_unused(&self) -> bool {
        self.microseconds.is_empty()
    }

    fn row(&self) -> Vec<serde_json::Value> {
        vec![
            json!(self.name),
            json!(self.runs()),
            number(self.rows as f64 / self.runs() as f64),
            number(self.median()),
            number(percentile(&self.microseconds, 99)),
            number(self.planning),
            number(self.meter.stop().others),
        ]
    }

    /// Adds its figures, then others, to a table.
    pub fn add(&self, table: &mut Table, others: &[serde_json::Value]) {
        let mut row = self.row();
        row.extend_from_slice(others);
        table.row(row);
    }
}

/// A table of these figures with further columns.
pub fn table(name: &str, further: &[&'static str]) -> Table {
    let columns: Vec<&'static str> = COLUMNS.iter().chain(further).copied().collect();
    Table::new(name, &columns)
}

/// Parameters as an interpreter takes them.
pub fn parameters(call: &Call) -> Parameters {
    let values = call.iter();
    values
        .map(|(name, value)| (name.to_string(), Datum::Value(value.clone())))
        .collect()
}

/// All reads with the generator's calls, each call `trials` times.
pub fn reads(
    settings: &Settings<'_>,
    graph: &PropertyGraph,
    network: &Network,
) -> Result<Table, String> {
    let calls = calls::of_network(network, settings.parameter("runs", 100)?);
    let mut table = table("SNB reads, prepared", &[]);
    for (query, calls) in SHORT.iter().chain(&COMPLEX).zip(&calls) {
        let calls: Vec<Parameters> = calls.iter().map(parameters).collect();
        let mut measured = Measured::new(settings, graph, *query)?;
        measured.run_all(&calls, settings.trials.unwrap_or(3))?;
        if !measured.is_unused() {
            measured.add(&mut table, &[]);
        }
    }
    Ok(table)
}

/// The counts of LSQB.
pub fn counts(settings: &Settings<'_>, graph: &PropertyGraph) -> Result<Table, String> {
    let mut table = table("LSQB counts", &["count"]);
    for query in COUNTS {
        let mut measured = Measured::new(settings, graph, query)?;
        let none = Parameters::default();
        let count = measured.run(&none)?;
        measured.run_all(std::slice::from_ref(&none), settings.trials.unwrap_or(3))?;
        measured.add(&mut table, &[shown(count)]);
    }
    Ok(table)
}

pub fn shown(count: Option<Datum>) -> serde_json::Value {
    match count {
        Some(Datum::Value(evergraph::property::value::Value::Integer(count))) => json!(count),
        _ => json!(null),
    }
}

/// Updates in the order of time, each durable when it returns; `over_bare` is beside an
/// append of as many bytes as the log got, with `fdatasync`.
pub fn updates(
    settings: &Settings<'_>,
    loaded: &Loaded,
    network: &Network,
) -> Result<Table, String> {
    let graph = loaded.graph()?;
    let most = settings.parameter("updates", 2_000)?;
    let changes = Updates::of(network, most);
    let mut queries = Vec::new();
    for query in UPDATES {
        queries.push((Measured::new(settings, graph, query)?, 0));
    }
    for change in changes.persons.iter().chain(&changes.others) {
        update(graph, change, &mut queries)?;
    }
    let mut table = table(
        "SNB updates, prepared, durable",
        &["log_bytes", "over_bare"],
    );
    for (query, log_bytes) in &queries {
        if query.is_unused() {
            continue;
        }
        let (runs, bytes) = (query.runs(), *log_bytes as usize / query.runs());
        let bare = append(&loaded.place, runs, bytes)?.seconds * 1e6 / runs as f64;
        query.add(&mut table, &[json!(bytes), number(query.median() / bare)]);
    }
    Ok(table)
}

fn update(
    graph: &PropertyGraph,
    change: &Change,
    queries: &mut [(Measured<'_>, u64)],
) -> Result<(), String> {
    let (query, log_bytes) = &mut queries[number_of(change) - 1];
    let call = parameters(&calls::of_change(change));
    let before = graph.store().log_positions().head;
    query.run(&call).map_err(text)?;
    *log_bytes += graph.store().log_positions().head - before;
    Ok(())
}
