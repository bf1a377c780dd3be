//! Running statements one after another.

use std::time::Instant;

use evergraph::query::{Error, Parameters, Rows, Statement, Transaction};
use evergraph::{At, Database};

use super::limits::{Interrupts, LimitArgs};

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

    /// Runs a statement; with the seconds that it took.
    pub fn run(&mut self, text: &str) -> Result<(Rows, f64), Error> {
        let mut statement = Statement::new(text).parameters(self.parameters.clone());
        if let Some(at) = &self.as_of {
            statement = statement.as_of(at.clone());
        }
        let statement = self.limits.bound(statement);
        let begin = Instant::now();
        let (db, transaction) = (self.db, &mut self.transaction);
        let (rows, was_interrupted) = self.interrupts.during(|cancellation| {
            let statement = statement.cancellation(cancellation);
            match transaction {
                Some(transaction) => transaction.execute(&statement),
                None => db.execute(&statement),
            }
        });
        self.was_interrupted = was_interrupted;
        Ok((rows?, begin.elapsed().as_secs_f64()))
    }

    /// Whether statements belong to one transaction.
    pub fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Begins a transaction; `false` if there is one.
    pub fn begin(&mut self) -> Result<bool, Error> {
        if self.transaction.is_some() {
            return Ok(false);
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
