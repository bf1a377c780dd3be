//! Bounds of statements, and Ctrl-C.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use evergraph::query::{Cancellation, Execution, Statement};

use crate::{sizes, stop};

/// Flags of what bounds each statement.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArgs {
    /// End a statement after so long: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = sizes::time)]
    timeout: Option<Duration>,
    /// End a statement that would hold more memory: 64MiB, 2GiB [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = sizes::size)]
    memory_limit: Option<u64>,
    /// Sort, group and join in temporary files in a directory what needs more memory
    #[arg(long, value_name = "DIR")]
    temp_directory: Option<PathBuf>,
    /// How expressions are evaluated
    #[arg(long, value_name = "MODE", default_value = "adapt")]
    mode: Mode,
}

/// How expressions are evaluated; the results are the same.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Mode {
    /// By the interpreter
    Interpret,
    /// By machine code, which is waited for
    Compile,
    /// By machine code as soon as it is there, if it is worth making
    Adapt,
}

impl LimitArgs {
    /// A statement with these bounds.
    pub fn bound(&self, mut statement: Statement) -> Statement {
        if let Some(timeout) = self.timeout {
            statement = statement.timeout(timeout);
        }
        if let Some(bytes) = self.memory_limit {
            statement = statement.memory_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        if let Some(directory) = &self.temp_directory {
            statement = statement.temporary_directory(directory);
        }
        statement.execution(match self.mode {
            Mode::Interpret => Execution::Interpret,
            Mode::Compile => Execution::Compile,
            Mode::Adapt => Execution::Adapt,
        })
    }
}

/// What Ctrl-C ends: the statement that runs, and otherwise, or when pressed twice, the
/// program. By hand it ends the program only where a statement does not end for a second:
/// it comes as well when the statement has just ended.
#[derive(Clone, Default)]
pub struct Interrupts(Arc<Mutex<Option<Cancellation>>>);

impl Interrupts {
    /// Takes Ctrl-C, and signals like it, from now on.
    pub fn listen(is_by_hand: bool) -> Self {
        const PATIENCE: Duration = Duration::from_secs(1);
        let interrupts = Interrupts::default();
        let running = interrupts.clone();
        let mut first: Option<Instant> = None;
        stop::listen(move |signal| match running.running() {
            Some(cancellation) if !cancellation.is_cancelled() => {
                first = Some(Instant::now());
                cancellation.cancel();
            }
            running if is_by_hand && signal == stop::CTRL_C => {
                let is_stuck = first.is_some_and(|first| first.elapsed() > PATIENCE);
                if running.is_some() && is_stuck {
                    stop::end(signal);
                }
            }
            _ => stop::end(signal),
        });
        interrupts
    }

    fn running(&self) -> Option<Cancellation> {
        self.place().clone()
    }

    fn place(&self) -> MutexGuard<'_, Option<Cancellation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something that Ctrl-C cancels; whether it did.
    pub fn during<T>(&self, work: impl FnOnce(&Cancellation) -> T) -> (T, bool) {
        let cancellation = Cancellation::new();
        *self.place() = Some(cancellation.clone());
        let done = work(&cancellation);
        *self.place() = None;
        (done, cancellation.is_cancelled())
    }
}
