//! `evergraph completions` and `evergraph man`: what shells and manuals read, of the same
//! arguments that the program reads.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use evergraph::run::algorithms;
use serde_json::json;

use crate::report::{Failure, Report};

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(after_help = "bash: evergraph completions bash > \
    ~/.local/share/bash-completion/completions/evergraph\n\
    zsh:  evergraph completions zsh > \"${fpath[1]}/_evergraph\"\n\
    fish: evergraph completions fish > ~/.config/fish/completions/evergraph.fish")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write a page for each command into this directory, instead of the first to
    /// standard output
    directory: Option<PathBuf>,
}

/// Runs `completions`.
pub fn completions(args: &CompletionsArgs) -> Report {
    let mut script = Vec::new();
    let mut command = with_algorithms(command());
    clap_complete::generate(args.shell, &mut command, "evergraph", &mut script);
    let script = String::from_utf8_lossy(&script);
    Report::new(json!({ "script": script }), script)
}

/// Runs `man`.
pub fn man(args: &ManArgs) -> Result<Report, Failure> {
    let Some(directory) = &args.directory else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(command()).render(&mut page);
        written.map_err(|error| evergraph::Error::io("the page", error))?;
        let page = String::from_utf8_lossy(&page);
        return Ok(Report::new(json!({ "page": page }), page));
    };
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command(), directory))
        .map_err(|error| evergraph::Error::io(directory.display().to_string(), error))?;
    let text = format!("man pages in {}\n", directory.display());
    Ok(Report::new(json!({ "directory": directory }), text))
}

/// The arguments of the program.
fn command() -> Command {
    crate::Cli::command()
}

/// A command whose arguments, and those of its subcommands, that name an algorithm have
/// all names: in help they would be in the way.
fn with_algorithms(command: Command) -> Command {
    let command = command.mut_args(|argument| match argument.get_id() == "algorithm" {
        true => argument.value_parser(PossibleValuesParser::new(algorithms().map(|one| one.name))),
        false => argument,
    });
    command.mut_subcommands(with_algorithms)
}
