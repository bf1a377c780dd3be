//! `evergraph-bench`: runs one benchmark of `docs/benchmarks-method.md`.

#![deny(unsafe_code)]

// The command line counts its heap in the same way; only the root of a program can
// choose the allocator.
#[path = "../../crates/cli/src/memory.rs"]
mod memory;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use evergraph_benches::BenchArgs;
use serde_json::json;

#[derive(Parser)]
#[command(
    name = "evergraph-bench",
    version,
    about = "Run a benchmark of docs/benchmarks-method.md",
    after_help = "Exit codes: 0 success, 1 failure, 2 wrong usage."
)]
struct Cli {
    #[command(flatten)]
    bench: BenchArgs,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let as_json = std::env::args_os().any(|argument| argument == "--json");
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error, as_json),
    };
    end_on_ctrl_c();
    let args = BenchArgs {
        memory: Some(memory::METER),
        ..cli.bench
    };
    if let Err(message) = evergraph_benches::check(&args) {
        return failed(2, &message, cli.json);
    }
    match evergraph_benches::command(&args) {
        Ok(result) if cli.json => print(&format!("{result}\n")),
        Ok(result) => print(&evergraph_benches::render(&result)),
        Err(message) => failed(1, &message, cli.json),
    }
}

/// Ends the process at the first Ctrl-C, SIGTERM or SIGHUP and removes its
/// databases: half a measurement is of no use.
fn end_on_ctrl_c() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // Without a handler the signal ends the process and leaves the databases.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            note("stopping; the databases of the benchmark are removed");
            evergraph_benches::abandon(130);
        }
    });
}

/// Prints what clap says: help on standard output, complaints on standard error.
fn usage(error: &clap::Error, as_json: bool) -> ExitCode {
    let text = error.render().to_string();
    if !error.use_stderr() {
        return print(&text);
    }
    if as_json {
        let first = text.lines().next().unwrap_or_default();
        print_error(
            first.trim_start_matches("error: "),
            "see `evergraph-bench --help`",
        );
    }
    // Standard error may be closed.
    let _ = error.print();
    ExitCode::from(2)
}

fn failed(code: u8, message: &str, as_json: bool) -> ExitCode {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let hint = "see docs/benchmarks-method.md";
    if as_json {
        print_error(&message, hint);
    }
    note(&format!("error: {message}\nhint: {hint}"));
    ExitCode::from(code)
}

fn print_error(message: &str, hint: &str) {
    print(&format!("{}\n", json!({ "error": message, "hint": hint })));
}

/// Writes to standard output. A reader that has gone away is no error.
fn print(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            note(&format!("error: cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes a line to standard error, which may be closed.
fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
