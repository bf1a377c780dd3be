//! Queries in Cypher: the reads and updates of LDBC SNB Interactive (version 1) and the
//! counts of LSQB on a social network, and a few small ones on a random graph that
//! embedded engines can be compared by. Each is prepared once and run in this process.
//!
//! The texts are in `benches/queries`, written from the definitions of the benchmarks.
//! Nothing here may be reported as a result of LDBC's benchmarks: the data are mostly
//! not theirs, and only the queries are run, not a driver.

mod calls;
mod files;
mod measure;
mod media;
mod micro;
#[cfg(test)]
mod tests;
mod texts;
mod validation;

use std::path::PathBuf;

use evergraph_generators::snb::Network;

use crate::Benchmark;
use crate::settings::Settings;
use crate::snb::load::Loaded;
use crate::snb::network_parameters;
use crate::table::Table;

pub(crate) use crate::snb::text;
pub(crate) use media::BENCHMARK as MEDIA;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "queries",
    parameters: &[
        "parts",
        "scale",
        "files",
        "runs",
        "updates",
        "validation",
        "write",
        "mode",
    ],
    run,
};

const PARTS: [&str; 4] = ["micro", "reads", "lsqb", "updates"];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    if let Some(directory) = settings.optional::<PathBuf>("validation")? {
        return Ok(vec![validation::table(settings, &directory)?]);
    }
    settings.progress("queries: no --param validation=DIR, so no expected results are compared");
    let parts = settings.names("parts", &PARTS)?;
    let has = |part: &str| parts.iter().any(|one| one == part);
    let mut tables = Vec::new();
    if has("micro") {
        tables.push(micro::table(settings)?);
    }
    if parts.iter().any(|part| part != "micro") {
        tables.extend(social(settings, &has)?);
    }
    Ok(tables)
}

/// Queries on a social network, generated or from files; updates only of a generated one.
fn social(settings: &Settings<'_>, has: &dyn Fn(&str) -> bool) -> Result<Vec<Table>, String> {
    let files = settings.optional::<PathBuf>("files")?;
    let network = match files {
        Some(_) => None,
        None => Some(Network::new(network_parameters(settings, 0.1)?).map_err(text)?),
    };
    settings.progress("queries: importing");
    let loaded = match (&files, &network) {
        (Some(directory), _) => Loaded::files(settings, directory)?,
        (None, Some(network)) => {
            if let Some(directory) = settings.optional::<PathBuf>("write")? {
                files::write_network(network, &directory)?;
            }
            Loaded::network(settings, network)?
        }
        (None, None) => return Err("there is no network".into()),
    };
    let graph = loaded.graph()?;
    files::define_names(graph)?;
    graph.checkpoint().map_err(text)?;
    let mut tables = Vec::new();
    if let (true, Some(network)) = (has("reads"), &network) {
        settings.progress("queries: reads");
        tables.push(measure::reads(settings, graph, network)?);
    }
    if has("lsqb") {
        settings.progress("queries: counts");
        tables.push(measure::counts(settings, graph)?);
    }
    if let (true, Some(network)) = (has("updates"), &network) {
        settings.progress("queries: updates");
        tables.push(measure::updates(settings, &loaded, network)?);
    }
    Ok(tables)
}
