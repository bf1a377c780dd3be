//! Bounds of statements, and Ctrl-C.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use evergraph::query::{Cancellation, Execution, Statement};

use crate::sizes;

/// Flags of what bounds each statement.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArgs {
    /// End a statement after so long: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = time)]
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

/// A time such as `500ms`, `10s` or `2m`, in seconds where there is no unit.
fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let unit = units.iter().find(|(unit, _)| text.ends_with(unit));
    let (digits, seconds) = match unit {
        Some((unit, seconds)) => (&text[..text.len() - unit.len()], *seconds),
        None => (text, 1.0),
    };
    let number: Option<f64> = digits.trim_end().parse().ok();
    let time = number.and_then(|number| Duration::try_from_secs_f64(number * seconds).ok());
    time.ok_or_else(|| "give a time such as 500ms, 10s or 2m".to_string())
}

/// What Ctrl-C ends: the statement that runs, and otherwise, or when pressed twice, the
/// program.
#[derive(Clone, Default)]
pub struct Interrupts(Arc<Mutex<Option<Cancellation>>>);

impl Interrupts {
    /// Takes Ctrl-C, and signals like it, from now on.
    pub fn listen() -> Self {
        let interrupts = Interrupts::default();
        let running = interrupts.clone();
        // Without a handler they end the process, which loses nothing either.
        let _ = ctrlc::set_handler(move || match running.take() {
            Some(cancellation) => cancellation.cancel(),
            None => std::process::exit(130),
        });
        interrupts
    }

    fn take(&self) -> Option<Cancellation> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.take()
    }

    /// Runs something that Ctrl-C cancels; whether it did.
    pub fn during<T>(&self, work: impl FnOnce(&Cancellation) -> T) -> (T, bool) {
        let cancellation = Cancellation::new();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancellation.clone());
        let done = work(&cancellation);
        self.take();
        (done, cancellation.is_cancelled())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1.5 s"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(time("3"), Ok(Duration::from_secs(3)));
        for bad in ["", "s", "-1s", "soon", "1e99h", "NaN"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
