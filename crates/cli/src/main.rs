//! `evergraph`: the command line.
//!
//! One file for each command; every command returns a [`report::Report`], which
//! is printed as text or, with `--json`, as one JSON object. Messages and
//! progress go to standard error.

#![deny(unsafe_code)]

mod bench;
mod check;
mod compact;
mod completions;
mod delete_edges;
mod delete_vertices;
mod demo;
mod durable;
mod export;
#[cfg(test)]
mod fuzzing;
mod generate;
mod import;
mod import_args;
mod import_dry_run;
mod import_graph;
mod import_growing;
mod import_into;
mod import_pipes;
mod import_report;
mod index;
mod maintain;
mod medium;
mod memory;
mod outcome;
mod output;
mod over;
mod plot;
mod progress;
mod projection;
mod query;
mod reading;
mod reduction;
mod relayout;
mod report;
mod results;
mod run;
mod seal;
mod search;
mod shell;
mod show;
mod sizes;
mod snapshot;
mod stats;
mod stop;
mod tuning;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use report::{Failure, Report};

#[derive(Parser)]
#[command(
    name = "evergraph",
    version,
    about = "A graph engine for graphs that change all the time and must not be lost",
    after_help = "Exit codes: 0 success, 1 failure, 2 wrong usage, 128 + N ended by signal N."
)]
struct Cli {
    /// Print one JSON object on standard output
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the main job end to end: ingest, analyse, kill, recover, prove
    Demo(demo::Args),
    /// Write a synthetic graph to a file
    Generate(generate::Args),
    /// Import files of edges into a database, which is made if there is none
    Import(Box<import_args::Args>),
    /// Write what a database holds to files that `import` reads
    Export(export::Args),
    /// Delete the edges that files list: for each line the latest between the two
    DeleteEdges(reading::InputArgs),
    /// Delete all edges of the vertices that a file lists
    DeleteVertices(delete_vertices::Args),
    /// Drop what is deleted, and give its space back
    Compact(compact::Args),
    /// Change how the adjacency lies on the medium; cut off, it is finished by
    /// doing it again
    Relayout(relayout::Args),
    /// Run an algorithm on the graph
    #[command(disable_help_flag = true)]
    Run(Box<run::Args>),
    /// Name moments of the graph, compare them, and forget them
    Snapshot(snapshot::Args),
    /// Keep the graph of now sealed: in the form that algorithms read fastest
    Seal(seal::Args),
    /// List, make or drop indexes and constraints of a property graph
    Index(index::Args),
    /// Bring a result up to date with the graph, or begin to
    Maintain(maintain::Args),
    /// List, show or drop the results that runs have kept
    Results(results::Args),
    /// Show a node or its neighbors
    Show(show::Args),
    /// Find nodes of a property graph by words or by near vectors
    Search(search::Args),
    /// Run statements of the query language on a property graph
    Query(Box<query::Args>),
    /// Run statements by hand, with history and completion
    Shell(shell::Args),
    /// Draw the graph: degrees, convergence, growth, or what is around a vertex
    Plot(plot::Args),
    /// Print facts about a database
    Stats(medium::DatabaseArgs),
    /// Verify every byte that a database reaches
    Check(medium::DatabaseArgs),
    /// Print the script with which a shell completes commands and flags
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(completions::ManArgs),
    /// Say where the benchmarks are
    #[command(hide = true, disable_help_flag = true)]
    Bench(bench::Args),
    /// Ingest in a process of its own, to be killed (used by `demo`)
    #[command(hide = true)]
    DemoChild(demo::child::Args),
}

fn main() -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return report::print_usage(&run::with_parameter_hint(error), json),
    };
    report::print(execute(&cli), cli.json)
}

fn execute(cli: &Cli) -> Result<Report, Failure> {
    let threads = match &cli.command {
        Command::Run(args) => args.threads(),
        Command::Maintain(args) => args.threads(),
        _ => None,
    };
    evergraph::start_threads(threads)?;
    stop::bear_limits_of_files();
    // Commands that do not poll the switch are ended by the signal, which loses nothing.
    let stop = stop::on_ctrl_c;
    match &cli.command {
        Command::Demo(args) => demo::execute(args, &stop()),
        Command::Generate(args) => generate::execute(args, cli.json, &stop()),
        Command::Import(args) => import::execute(args, &stop()),
        Command::Export(args) => export::execute(args, cli.json, &stop()),
        Command::DeleteEdges(args) => delete_edges::execute(args, &stop()),
        Command::DeleteVertices(args) => delete_vertices::execute(args, &stop()),
        Command::Compact(args) => compact::execute(args, &stop()),
        Command::Relayout(args) => relayout::execute(args),
        Command::Index(args) => index::execute(args),
        Command::Run(args) => run::execute(args, cli.json, &stop()),
        Command::Snapshot(args) => snapshot::execute(args, cli.json),
        Command::Seal(args) => seal::execute(args, &stop()),
        Command::Maintain(args) => maintain::execute(args, &stop()),
        Command::Results(args) => results::execute(args, cli.json, &stop()),
        Command::Show(args) => show::execute(args),
        Command::Search(args) => search::execute(args),
        Command::Query(args) => query::execute(args, cli.json),
        Command::Shell(args) => shell::execute(args, cli.json),
        Command::Plot(args) => plot::execute(args, cli.json, &stop()),
        Command::Stats(args) => stats::execute(args),
        Command::Check(args) => check::execute(args),
        Command::Completions(args) => Ok(completions::completions(args)),
        Command::Man(args) => completions::man(args),
        Command::Bench(args) => bench::execute(args),
        Command::DemoChild(args) => demo::child::execute(args),
    }
}
