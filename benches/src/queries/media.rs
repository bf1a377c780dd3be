//! SNB's short reads and updates on DRAM, on a medium emulated with the latencies of Optane
//! DC, and in files, interpreted, compiled and adaptive (Poseidon, Figures 5, 6, 7, 9, 10).
//!
//! Columns and lists are loaded through mappings, so the emulated medium delays and counts
//! what opening reads, what is flushed and fences, but no load of a query. What those would
//! add is computed, and not measured: `loads_add_us` is a wait for the first line of each
//! page that is loaded from, and the device's bandwidth for the rest of the page.

mod opened;
mod pages;
mod reads;
mod updates;

use evergraph::property::PropertyGraph;
use evergraph_generators::snb::Network;
use evergraph_interpreter::{Execution, Limits, Query, compiled_programs};
use serde_json::json;

use self::opened::{MEDIA, Opened};
use super::texts::{SHORT, Text, UPDATES};
use super::{calls, text};
use crate::Benchmark;
use crate::settings::Settings;
use crate::snb::network_parameters;
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "media",
    parameters: &["media", "access", "parts", "scale", "runs", "updates"],
    run,
};

/// In the order of tables.
const MODES: [Execution; 3] = [Execution::Interpret, Execution::Compile, Execution::Adapt];

/// No short read has an expression that is worth compiling; this has three.
const EXPRESSIONS: Text = Text {
    name: "expressions",
    text: "MATCH (m:Message) WHERE m.length * 3 + m.creationDate % 7 < 300 \
           RETURN count(*), sum(m.length * 2 - m.creationDate % 1000)",
};

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let network = Network::new(network_parameters(settings, 0.1)?).map_err(text)?;
    let parts = settings.names("parts", &["reads", "updates"])?;
    let accesses = settings.names("access", &["index", "scan"])?;
    let (mut reads, mut updates) = (reads::empty(), updates::empty());
    for medium in settings.names("media", &MEDIA)? {
        settings.progress(&format!("media: {medium}, importing"));
        let mut opened = Opened::network(settings, &medium, &network)?;
        if parts.iter().any(|part| part == "reads") {
            for access in &accesses {
                settings.progress(&format!("media: {medium}, reads by {access}"));
                if access == "scan" {
                    opened.drop_indexes()?;
                }
                let names = [medium.as_str(), access.as_str()];
                reads::measure(settings, &mut opened, &network, names, &mut reads)?;
                if access == "scan" {
                    opened.define()?;
                }
            }
        }
        if parts.iter().any(|part| part == "updates") {
            settings.progress(&format!("media: {medium}, updates"));
            updates::measure(settings, &mut opened, &network, &medium, &mut updates)?;
        }
    }
    let tables = [reads, compile_times(), updates].into_iter();
    Ok(tables.filter(|table| !table.is_empty()).collect())
}

fn prepared(
    graph: &PropertyGraph,
    query: Text,
    execution: Execution,
    threads: usize,
) -> Result<Query, String> {
    let prepared = Query::prepare(graph, query.text);
    let prepared = prepared.map_err(|error| format!("{}: {error}", query.name))?;
    Ok(prepared.with_limits(Limits {
        execution,
        threads,
        ..Limits::default()
    }))
}

/// Time of the compiler for all that was compiled of a text, in any plan.
fn compile_times() -> Table {
    let mut table = Table::new("compiling", &["query", "programs", "terms", "compile_us"]);
    let programs = compiled_programs();
    for query in SHORT.iter().chain([&EXPRESSIONS]).chain(&UPDATES) {
        let of_query = programs.iter().filter(|one| &*one.text == query.text);
        let (mut count, mut terms, mut took) = (0, 0, 0.0);
        for program in of_query {
            count += 1;
            terms += program.terms;
            took += program.time.as_secs_f64() * 1e6;
        }
        table.row(vec![
            json!(query.name),
            json!(count),
            json!(terms),
            number(took),
        ]);
    }
    table
}
