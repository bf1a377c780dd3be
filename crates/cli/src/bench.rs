//! `evergraph bench`: hands on to the benchmarks.

use std::path::PathBuf;

use evergraph_benches::{BenchArgs, NAMES};

use crate::report::{Failure, Report};

/// Which benchmark.
#[derive(clap::Args)]
pub struct Args {
    #[arg(help = format!("Name: {}", NAMES.join(", ")))]
    name: String,
    /// 2^N vertices
    #[arg(long, value_name = "N")]
    scale: Option<u32>,
    /// Threads
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Layout of the adjacency
    #[arg(long, value_name = "L")]
    layout: Option<String>,
    /// Medium
    #[arg(long, value_name = "M")]
    medium: Option<String>,
    /// As for `import`
    #[arg(long)]
    assume_persistent: bool,
    /// Where to put the databases
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Further parameters of the benchmark, `name=value`
    #[arg(long = "param", value_name = "K=V")]
    parameters: Vec<String>,
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool) -> Result<Report, Failure> {
    let args = BenchArgs {
        name: args.name.clone(),
        scale: args.scale,
        threads: args.threads,
        layout: args.layout.clone(),
        medium: args.medium.clone(),
        assume_persistent: args.assume_persistent,
        directory: args.directory.clone(),
        parameters: args.parameters.clone(),
        memory: Some(crate::memory::METER),
    };
    evergraph_benches::check(&args)
        .map_err(|message| Failure::usage(message, "see docs/benchmarks.md"))?;
    let result = evergraph_benches::command(&args, as_json)
        .map_err(|message| Failure::new(message, "see docs/benchmarks.md"))?;
    let text = evergraph_benches::render(&result);
    Ok(Report::new(result, text))
}
