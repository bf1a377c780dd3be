//! Benchmarks of Evergraph, as the program `evergraph-bench` runs them and
//! `docs/benchmarks-method.md` describes them.
//!
//! One module a benchmark. Each measures and reports; none asserts a time. Every
//! result names its ceiling or its yardstick measured in the same run, the
//! machine, and how much of the machine others used meanwhile.

#![deny(unsafe_code)]

mod ablation;
mod algorithms;
mod analyze;
mod checkpoint;
mod columns;
mod delete;
mod edge_map;
mod execution;
mod filter;
mod graphs;
mod history;
mod imbalance;
mod index;
mod indirection;
mod ingest;
mod limits;
mod machine;
mod maintained;
mod meter;
mod moves;
mod onehop;
mod outofcore;
mod place;
mod placement;
mod queries;
mod raw;
mod recovery;
#[cfg(all(feature = "fulltext", feature = "vector"))]
mod search;
mod settings;
mod slow_medium;
pub mod snb;
mod stores;
mod streams;
mod table;
mod transactions;

use std::path::PathBuf;

use evergraph::run::MemoryMeter;
use serde_json::{Value, json};

use settings::Settings;
use table::Table;

pub use table::render;

/// Removes the databases of all benchmarks and ends the process: nothing that an
/// interrupted measurement leaves is of use.
pub fn abandon(status: i32) -> ! {
    outofcore::end_worker();
    place::remove_all_and_exit(status)
}

/// Which benchmark to run, and how: the arguments of `evergraph-bench`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct BenchArgs {
    /// Name of the benchmark, one of [`NAMES`].
    #[arg(help = format!("Name: {}", NAMES.join(", ")))]
    pub name: String,
    /// 2^N vertices
    #[arg(long, value_name = "N")]
    pub scale: Option<u32>,
    /// Threads; 1 and then 2 by default, `--param threads=1,2` gives several
    #[arg(long, value_name = "T")]
    pub threads: Option<usize>,
    /// Layout of the adjacency; all after one another by default
    #[arg(long, value_name = "L")]
    pub layout: Option<String>,
    /// Medium; several after one another by default
    #[arg(long, value_name = "M")]
    pub medium: Option<String>,
    /// As for `evergraph import`; a temporary directory that the benchmark chose
    /// itself is always used so
    #[arg(long)]
    pub assume_persistent: bool,
    /// Where to put the databases: a new directory in it, removed at the end; by
    /// default in /dev/shm for byte-addressed media, in the current directory for
    /// `file`
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Further parameters of the benchmark, `name=value`; docs/benchmarks-method.md lists
    /// them
    #[arg(long = "param", value_name = "K=V")]
    pub parameters: Vec<String>,
    /// How much memory is in use, if the program counts it.
    #[arg(skip)]
    pub memory: Option<MemoryMeter>,
}

/// One benchmark: it adds its tables to the result.
struct Benchmark {
    name: &'static str,
    /// Parameters it understands beside those of all benchmarks.
    parameters: &'static [&'static str],
    run: fn(&Settings) -> Result<Vec<Table>, String>,
}

const BENCHMARKS: &[Benchmark] = &[
    ingest::BENCHMARK,
    analyze::BENCHMARK,
    algorithms::BENCHMARK,
    slow_medium::BENCHMARK,
    ablation::BENCHMARK,
    onehop::BENCHMARK,
    delete::BENCHMARK,
    recovery::BENCHMARK,
    checkpoint::BENCHMARK,
    outofcore::BENCHMARK,
    imbalance::BENCHMARK,
    limits::BENCHMARK,
    indirection::BENCHMARK,
    edge_map::BENCHMARK,
    filter::BENCHMARK,
    maintained::BENCHMARK,
    placement::BENCHMARK,
    history::BENCHMARK,
    transactions::BENCHMARK,
    columns::BENCHMARK,
    index::BENCHMARK,
    snb::BENCHMARK,
    queries::BENCHMARK,
    queries::MEDIA,
    execution::BENCHMARK,
    #[cfg(all(feature = "fulltext", feature = "vector"))]
    search::BENCHMARK,
];

/// Parts that benchmarks call in processes of their own.
const PARTS: &[Benchmark] = &[outofcore::PART];

/// Names of the benchmarks.
pub const NAMES: &[&str] = &[
    "ingest",
    "analyze",
    "algorithms",
    "slow-medium",
    "ablation",
    "onehop",
    "delete",
    "recovery",
    "checkpoint",
    "outofcore",
    "imbalance",
    "limits",
    "indirection",
    "edge-map",
    "filter",
    "maintained",
    "placement",
    "history",
    "transactions",
    "columns",
    "index",
    "snb",
    "queries",
    "media",
    "execution",
    #[cfg(all(feature = "fulltext", feature = "vector"))]
    "search",
];

/// Runs a benchmark by name. Progress goes to standard error.
///
/// The result holds `benchmark`, `arguments`, `machine` and `tables`, each table
/// with its `name`, its `columns` in order, and its `rows` as objects.
/// [`render`] prints it for people.
///
/// # Errors
/// If there is none of that name, a parameter makes no sense, or a database
/// refuses.
pub fn command(args: &BenchArgs) -> Result<Value, String> {
    command_with(args, &|message| eprintln!("{message}"))
}

/// Whether there is such a benchmark with such parameters.
///
/// # Errors
/// If there is none of that name, or a parameter makes no sense.
pub fn check(args: &BenchArgs) -> Result<(), String> {
    Settings::new(args, named(&args.name)?.parameters, &|_| ()).map(drop)
}

fn named(name: &str) -> Result<&'static Benchmark, String> {
    let mut all = BENCHMARKS.iter().chain(PARTS);
    all.find(|benchmark| benchmark.name == name).ok_or_else(|| {
        format!(
            "there is no benchmark {name:?}; there are {}",
            NAMES.join(", ")
        )
    })
}

/// As [`command`], with progress to `progress`.
///
/// # Errors
/// As [`command`].
pub fn command_with(args: &BenchArgs, progress: &dyn Fn(&str)) -> Result<Value, String> {
    let benchmark = named(&args.name)?;
    let settings = Settings::new(args, benchmark.parameters, progress)?;
    let mut facts = machine::facts();
    let tables = (benchmark.run)(&settings)?;
    facts["load_after"] = json!(machine::load());
    Ok(json!({
        "benchmark": benchmark.name,
        "arguments": settings.describe(),
        "machine": facts,
        "tables": tables.iter().map(Table::to_json).collect::<Vec<_>>(),
    }))
}
