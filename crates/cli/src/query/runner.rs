//! Running statements one after another.

use std::io::{self, BufWriter, Write};
use std::time::Instant;

use evergraph::query::{Error, Parameters, Prepared, Statement, Transaction};
use evergraph::{At, Database};

use super::format::{Format, Printer};
use super::limits::{Interrupts, LimitArgs};
use crate::report;

/// Runs statements with what holds for all of them.
pub struct Runner<'db> {
    db: &'db Database,
    limits: &'db LimitArgs,
    interrupts: &'db Interrupts,
    transaction: Option<Transaction<'db>>,
    /// The graph that is read; the newest commit if `None`.
    pub as_of: Option<At>,
    /// Parameters of statements.
    pub parameters: Parameters,
    /// Whether Ctrl-C ended the last statement.
    pub was_interrupted: bool,
}

impl<'db> Runner<'db> {
    /// For statements that each stand for themselves.
    pub fn new(db: &'db Database, limits: &'db LimitArgs, interrupts: &'db Interrupts) -> Self {
        Runner {
            db,
            limits,
            interrupts,
            transaction: None,
            as_of: None,
            parameters: Parameters::new(),
            was_interrupted: false,
        }
    }

    /// Runs a statement and prints its result as it comes, of a failure what programs are
    /// told; with the seconds that it took.
    pub fn run(&mut self, text: &str, format: Format) -> Result<f64, Error> {
        let mut statement = Statement::new(text).parameters(self.parameters.clone());
        if let Some(at) = &self.as_of {
            statement = statement.as_of(at.clone());
        }
        let statement = self.limits.bound(statement);
        let begin = Instant::now();
        let (db, transaction) = (self.db, &mut self.transaction);
        let (taken, was_interrupted) = self.interrupts.during(|cancellation| {
            let statement = statement.cancellation(cancellation);
            let prepared = match transaction {
                Some(transaction) => transaction.prepare(&statement),
                None => db.prepare(&statement),
            };
            print(prepared, format, begin)
        });
        self.was_interrupted = was_interrupted;
        taken
    }

    /// Whether statements belong to one transaction.
    pub fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Begins a transaction; `false` if there is one.
    ///
    /// # Errors
    /// While an earlier graph is read.
    pub fn begin(&mut self) -> Result<bool, Error> {
        if self.transaction.is_some() {
            return Ok(false);
        }
        if let Some(at) = &self.as_of {
            let what = format!("a transaction reads the graph of now, and :asof is {at}");
            return Err(evergraph::Error::usage(what, ":asof now ends it").into());
        }
        self.transaction = Some(self.db.begin()?);
        Ok(true)
    }

    /// Commits the transaction; the number of the commit if something was written, `None`
    /// if there is no transaction.
    pub fn commit(&mut self) -> Result<Option<Option<u64>>, Error> {
        let Some(transaction) = self.transaction.take() else {
            return Ok(None);
        };
        let commit = transaction.commit()?;
        Ok(Some(commit.map(|commit| commit.csn)))
    }

    /// Gives up the transaction; `false` if there is none.
    pub fn roll_back(&mut self) -> bool {
        let transaction = self.transaction.take();
        transaction.map(Transaction::roll_back).is_some()
    }
}

/// Prints a result as it comes, or what programs are told of a failure.
fn print(
    prepared: Result<Prepared<'_>, Error>,
    format: Format,
    begin: Instant,
) -> Result<f64, Error> {
    let notifications = prepared.as_ref().map(Prepared::notifications);
    let notifications = notifications.unwrap_or_default();
    // Programs have them with the result, and may not read standard error.
    if !format.is_json() {
        notifications.iter().for_each(report::warn);
    }
    if format == Format::Arrow {
        return print_arrow(prepared?, begin);
    }
    let is_profiled = prepared.as_ref().is_ok_and(Prepared::is_profiled);
    let printer = Printer::new(format, is_profiled, BufWriter::new(io::stdout()));
    let mut printer = printer.with_notifications(notifications);
    let done = prepared.and_then(|prepared| prepared.for_each_row(|row| printer.row(row)));
    let taken = begin.elapsed().as_secs_f64();
    match done {
        Ok(rows) => {
            printed(printer.finish(&rows, taken))?;
            Ok(taken)
        }
        Err(error) => {
            printed(printer.fail(&error))?;
            Err(error)
        }
    }
}

/// Prints a result as an Arrow stream; nothing if the statement returns nothing.
#[cfg(feature = "columnar")]
fn print_arrow(prepared: Prepared<'_>, begin: Instant) -> Result<f64, Error> {
    let rows = prepared.execute()?;
    let taken = begin.elapsed().as_secs_f64();
    if !rows.columns().is_empty() {
        let mut out = BufWriter::new(io::stdout());
        let batches = rows.into_arrow()?;
        printed(batches.write_stream(&mut out).and_then(|()| out.flush()))?;
    }
    Ok(taken)
}

/// Says that it cannot be printed.
#[cfg(not(feature = "columnar"))]
fn print_arrow(_: Prepared<'_>, _: Instant) -> Result<f64, Error> {
    let hint = "build it with `cargo build --release -p evergraph-cli --features columnar`";
    Err(evergraph::Error::usage("this program was built without Arrow", hint).into())
}

/// The outcome of printing. Without a reader of standard output there is no more to do.
fn printed(done: io::Result<()>) -> Result<(), Error> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            let _ = io::stderr().flush();
            std::process::exit(0)
        }
        done => Ok(done.map_err(|error| evergraph::Error::io("standard output", error))?),
    }
}
