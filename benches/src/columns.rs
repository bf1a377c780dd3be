//! Properties in columns: scans, gathers, hops, ranges and updates of a property graph beside
//! the same loops over plain arrays in the same run, and bytes a value.
//!
//! Each row gives the time of a plain array's loop (`array`) and of the property graph
//! (`evergraph`), both in nanoseconds a row, and their ratio; every pair must give the
//! same answer. `--param files=DIR` writes the graph as CSV files, so that peers can be
//! given the same one.

pub mod data;
mod hops;
mod indexes;
mod reads;
mod rows;
mod sizes;
mod updates;
mod writers;

use std::path::PathBuf;
use std::time::Instant;

use crate::Benchmark;
use crate::machine::anonymous_bytes;
use crate::settings::Settings;
use crate::table::Table;
use crate::transactions::graph::{empty, text};

use data::Data;
use rows::Rows;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "columns",
    parameters: &["degree", "graph", "simple", "changed", "files"],
    run,
};

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let mut data = Data::generate(settings)?;
    if let Some(directory) = settings.optional::<PathBuf>("files")? {
        data.write_files(&directory)?;
    }
    let percent: usize = settings.parameter("changed", 10)?;
    settings.progress("columns: loading");
    let (graph, _storage, place) = empty(settings)?;
    let (began, before) = (Instant::now(), anonymous_bytes());
    let ids = data.load(&graph)?;
    let mut sizes = sizes::table();
    sizes::add(
        &mut sizes,
        "loaded and merged",
        (began.elapsed(), before),
        &data,
        &graph,
    );
    let mut reads = Rows::new(format!("reads of {}", data.name), settings);
    settings.progress("columns: reads of merged records");
    reads::measure(&mut reads, "merged", &data, &ids, &graph)?;
    hops::measure(&mut reads, "merged", &data, &ids, &graph)?;
    settings.progress("columns: reads with changed records");
    updates::change(settings.seed, &mut data, &ids, &graph, percent)?;
    let state = format!("{percent} % changed");
    reads::measure(&mut reads, &state, &data, &ids, &graph)?;
    let began = Instant::now();
    graph.checkpoint().map_err(text)?;
    let state = format!("{percent} % of the nodes changed, merged");
    let took = (began.elapsed(), before);
    sizes::add(&mut sizes, &state, took, &data, &graph);
    let updates = updates::table(settings, &mut data, &ids, &graph, &place)?;
    let writers = writers::table(settings, &data, &ids, &graph)?;
    settings.progress("columns: ranges of an index");
    graph.checkpoint().map_err(text)?;
    indexes::measure(&mut reads, &data, &ids, &graph)?;
    Ok(vec![sizes, reads.table(), updates, writers])
}
