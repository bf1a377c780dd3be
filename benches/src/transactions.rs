//! Transactions of the property graph: what a durable one costs, how clients
//! share a sync, a hub that all threads append to, one hop, reading beside an
//! algorithm, and writing while an index is made.

mod commits;
mod define;
mod expand;
pub(crate) mod graph;
mod hub;

use serde_json::json;

use crate::Benchmark;
use crate::settings::Settings;
use crate::table::{Table, number};

pub use commits::append;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "transactions",
    parameters: &[
        "parts", "degree", "commits", "clients", "count", "nodes", "writers", "seconds",
    ],
    run,
};

const PARTS: [&str; 5] = ["commits", "hub", "expand", "define", "reopen"];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let mut tables = Vec::new();
    for part in settings.names("parts", &PARTS)? {
        settings.progress(&format!("transactions: {part}"));
        tables.push(match part.as_str() {
            "commits" => commits::run(settings)?,
            "hub" => hub::run(settings)?,
            "expand" => expand::run(settings)?,
            "define" => define::run(settings)?,
            _ => reopen(settings)?,
        });
    }
    Ok(tables)
}

/// Opening after a kill and after a clean stop.
fn reopen(settings: &Settings<'_>) -> Result<Table, String> {
    let mut table = Table::new(
        "opening a property graph",
        &[
            "nodes",
            "relationships",
            "stop",
            "replayed_commits",
            "seconds",
        ],
    );
    let made = graph::Made::kronecker(settings, settings.scale.unwrap_or(14))?;
    let (nodes, relationships) = (made.nodes, made.relationships);
    for stop in ["killed", "clean"] {
        if stop == "clean" {
            made.graph().close().map_err(graph::text)?;
        }
        let (seconds, report) = made.reopened()?;
        table.row(vec![
            json!(nodes),
            json!(relationships),
            json!(stop),
            json!(report.replayed_commits),
            number(seconds),
        ]);
    }
    Ok(table)
}
