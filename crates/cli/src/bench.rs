//! `evergraph bench`: says where the benchmarks are.

use crate::report::{Failure, Report};

/// Arguments of the benchmark, handed back in the hint.
#[derive(clap::Args)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<String>,
}

/// Refuses the command.
pub fn execute(args: &Args) -> Result<Report, Failure> {
    let arguments = match args.arguments.is_empty() {
        true => "NAME".to_string(),
        false => args.arguments.join(" "),
    };
    Err(Failure::usage(
        "benchmarks are a program of their own, evergraph-bench",
        format!(
            "in the source tree: \
             cargo run --release -p evergraph-benches --bin evergraph-bench -- {arguments}"
        ),
    ))
}
