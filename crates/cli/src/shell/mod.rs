//! `evergraph shell`: statements by hand.

mod commands;
mod completion;
mod editor;

use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;

use evergraph::query::Error;
use evergraph::{At, Database};
use serde_json::Value;

use crate::medium::{MediumArgs, close};
use crate::query::format::{self, Format};
use crate::query::limits::{Interrupts, LimitArgs};
use crate::query::runner::Runner;
use crate::query::script::{End, Part, Script};
use crate::query::{INTERRUPTED, open, refused};
use crate::report::{Failure, Report, note, seconds, tell, write_out};
use commands::command_meant;
use completion::Names;
use editor::{Editor, Entered};

/// Arguments of `shell`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// Make the database, a property graph, if there is none
    #[arg(long)]
    create: bool,
    /// The graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
    /// Format of the results [default: table]
    #[arg(long, value_name = "F")]
    format: Option<Format>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    medium: MediumArgs,
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool) -> Result<Report, Failure> {
    let format = crate::query::format_of(args.format, as_json)?;
    let is_by_hand = io::stdin().is_terminal() && io::stdout().is_terminal();
    let interrupts = Interrupts::listen(is_by_hand);
    let (db, is_reading) = open::for_many(&args.db, &args.medium, args.create)?;
    let mut shell = Shell {
        db: &db,
        runner: Runner::new(&db, &args.limits, &interrupts),
        format,
        is_timing: false,
        failed: false,
        is_by_hand,
    };
    shell.runner.as_of = args.as_of.as_deref().map(At::from_text);
    let done = match shell.is_by_hand {
        true => shell.converse(&args.db),
        false => shell.read(io::stdin().lock()).map(drop),
    };
    shell.failed |= shell.give_up();
    let is_failure = shell.failed && !shell.is_by_hand;
    drop(shell);
    match is_reading {
        true => drop(db),
        false => close(db, done.is_ok()),
    }
    done?;
    Ok(Report {
        is_failure,
        ..Report::new(Value::Null, "")
    })
}

/// Whether there is more to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    More,
    /// The rest of what was entered with it is given up.
    Given,
    Quit,
}

/// A conversation.
struct Shell<'db> {
    db: &'db Database,
    runner: Runner<'db>,
    format: Format,
    is_timing: bool,
    /// Whether something failed.
    failed: bool,
    /// Whether a person types, whose Ctrl-C ends a statement and not the shell.
    is_by_hand: bool,
}

impl Shell<'_> {
    /// With a person at a terminal.
    fn converse(&mut self, path: &std::path::Path) -> Result<(), Failure> {
        note(&format!(
            "{}: statements end with ; and Enter, :help lists commands, Ctrl-D ends",
            path.display()
        ));
        let mut editor = Editor::new();
        loop {
            editor.know(Names::of(self.db));
            let entered = editor.read(&self.prompt());
            let entered = entered.map_err(|error| evergraph::Error::io("the terminal", error))?;
            match entered {
                Entered::Text(text) => {
                    if self.read(text.as_bytes())? == Next::Quit {
                        break;
                    }
                }
                Entered::Nothing => {}
                Entered::End => break,
            }
        }
        Ok(())
    }

    /// Ends a transaction that is still open; whether there was one.
    fn give_up(&mut self) -> bool {
        let is_open = self.runner.roll_back();
        if is_open {
            note("the transaction was not committed: nothing of it is in the graph");
        }
        is_open
    }

    fn prompt(&self) -> String {
        let at = match &self.runner.as_of {
            Some(at) => format!("@{at}"),
            None => String::new(),
        };
        let star = if self.runner.is_in_transaction() {
            "*"
        } else {
            ""
        };
        format!("evergraph{at}{star}> ")
    }

    /// All that an input says.
    fn read(&mut self, input: impl BufRead) -> Result<Next, Failure> {
        let mut script = Script::new(input, End::Statement);
        loop {
            let part = script.next();
            let part = part.map_err(|error| evergraph::Error::io("standard input", error))?;
            let next = match part {
                None => return Ok(Next::More),
                Some(Part::Statement(text)) => self.run(&text),
                Some(Part::Command(line)) => self.command(&line),
                Some(Part::Bad(why)) => {
                    let hint = "write statements in UTF-8, one after another";
                    self.refuse(evergraph::Error::argument(why, hint).into());
                    Next::More
                }
            };
            if next != Next::More {
                return Ok(next);
            }
        }
    }

    fn run(&mut self, text: &str) -> Next {
        if let Some(command) = command_meant(text) {
            return self.command(command);
        }
        match self.runner.run(text, self.format) {
            // Programs have it among what the statement did.
            Ok(taken) if self.is_timing => self.say(&seconds(taken), &Value::Null),
            Ok(_) => {}
            Err(error) => self.fail(&format::failure(&error)),
        }
        match (self.runner.was_interrupted, self.is_by_hand) {
            (false, _) => Next::More,
            (true, true) => Next::Given,
            (true, false) => {
                self.failed = true;
                note(INTERRUPTED);
                Next::Quit
            }
        }
    }

    /// Says something beside results: to people, or to programs as a line of JSON.
    fn say(&self, text: &str, json: &Value) {
        let text = text.trim_end();
        match self.format {
            format if format.is_json() && json.is_null() => {}
            format if format.is_json() => write_out(&format!("{json}\n")),
            _ if text.is_empty() => {}
            // Rows alone stand on standard output.
            Format::Csv | Format::Jsonl | Format::Arrow => note(text),
            _ => write_out(&format!("{text}\n")),
        }
    }

    /// Tells an error that no statement had, programs by a line of JSON, too.
    fn refuse(&mut self, error: Error) {
        let error = refused(error, self.format);
        self.fail(&Failure::new(error.message(), error.hint()));
    }

    fn fail(&mut self, failure: &Failure) {
        self.failed = true;
        tell(failure);
    }
}
