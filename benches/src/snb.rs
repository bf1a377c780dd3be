//! LDBC's social network: importing it, the seven short reads and the eight updates
//! of the Interactive workload (version 1), as a user of the library writes them.
//!
//! The network is the generator's, without the last tenth of its time; that is what
//! the updates are taken from. Nothing here may be reported as a result of LDBC's
//! benchmark: the data are not its own, and only its queries are run, not its driver.

mod clients;
pub(crate) mod load;
mod nodes;
pub(crate) mod parameters;
pub(crate) mod reading;
pub mod reads;
pub mod schema;
#[cfg(test)]
pub(crate) mod tests;
pub mod updates;
mod updating;

use evergraph_generators::snb::{Network, Parameters};

use crate::Benchmark;
use crate::settings::Settings;
pub(crate) use crate::stores::text;
use crate::table::Table;

use load::Loaded;
use parameters::{Calls, Updates};

pub(crate) const BENCHMARK: Benchmark = Benchmark {
    name: "snb",
    parameters: &[
        "scale", "files", "skip-bad", "runs", "updates", "clients", "commits",
    ],
    run,
};

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    match settings.optional::<String>("files")? {
        Some(files) => of_files(settings, &files),
        None => generated(settings),
    }
}

/// Import, reads and updates of a network that is generated.
fn generated(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let network = Network::new(network_parameters(settings, 0.1)?).map_err(text)?;
    let persons = network.person_count();
    settings.progress(&format!("snb: {persons} persons, importing"));
    let loaded = Loaded::network(settings, &network)?;
    let calls = Calls::of_network(&network, settings.parameter("runs", 500)?);
    settings.progress("snb: short reads");
    let mut tables = vec![loaded.table(), reading::table(settings, &loaded, &calls)?];
    settings.progress("snb: updates");
    let clients: Vec<usize> = settings.list("clients", &[1, 4, 16])?;
    let commits: usize = settings.parameter("commits", 2_000)?;
    let alone: usize = settings.parameter("updates", 4_000)?;
    let updates = Updates::of(&network, alone + clients.len() * commits);
    let (first, rest) = updates.others.split_at(alone.min(updates.others.len()));
    tables.push(updating::table(
        &loaded,
        updates.persons.iter().chain(first),
    )?);
    tables.push(clients::table(&loaded, rest, &clients)?);
    Ok(tables)
}

/// A generated network in a database, of a scale factor if the settings say nothing.
#[cfg(all(feature = "fulltext", feature = "vector"))]
pub(crate) fn network_in_database(settings: &Settings<'_>, scale: f64) -> Result<Loaded, String> {
    let network = Network::new(network_parameters(settings, scale)?).map_err(text)?;
    settings.progress(&format!("{} persons, importing", network.person_count()));
    Loaded::network(settings, &network)
}

/// Import and reads of files that were given.
fn of_files(settings: &Settings<'_>, files: &str) -> Result<Vec<Table>, String> {
    settings.progress(&format!("snb: importing {files}"));
    let loaded = Loaded::files(settings, files.as_ref())?;
    let runs = settings.parameter("runs", 500)?;
    let calls = Calls::of_graph(loaded.graph()?, runs, settings.seed).map_err(text)?;
    settings.progress("snb: short reads");
    Ok(vec![
        loaded.table(),
        reading::table(settings, &loaded, &calls)?,
    ])
}

/// By scale factor, or of `2^scale` persons.
pub(crate) fn network_parameters(
    settings: &Settings<'_>,
    scale: f64,
) -> Result<Parameters, String> {
    let parameters = match (settings.optional::<f64>("scale")?, settings.scale) {
        (Some(factor), _) => Parameters::with_scale(factor).map_err(text)?,
        (None, Some(scale)) => Parameters::with_persons(1 << scale),
        (None, None) => Parameters::with_scale(scale).map_err(text)?,
    };
    Ok(parameters.with_seed(settings.seed))
}
