//! Running statements on a database.

use std::ops::ControlFlow;

use evergraph_property_graph::transaction::TransactionOptions;

use super::error::Error;
use super::prepared::{On, Prepared, plan};
use super::rows::{Row, Rows};
use super::statement::{Parameters, Statement};
use super::transaction::Transaction;
use crate::Database;

impl Database {
    /// Runs a statement of the query language on the newest commit, or as its `AS OF` says.
    /// One that writes does so in a transaction of its own, which is durable when this
    /// returns, and is run again after a conflict with another.
    ///
    /// Its plan is kept for the next time, until names, indexes or constraints are new or
    /// counts are very different: put what changes into parameters.
    ///
    /// # Errors
    /// What is wrong with the statement or its run; then nothing of it is in the graph.
    pub fn query(&self, text: &str, parameters: impl Into<Parameters>) -> Result<Rows, Error> {
        self.execute(&Statement::new(text).parameters(parameters))
    }

    /// As [`Database::query`], with all that a [`Statement`] can say.
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn execute(&self, statement: &Statement) -> Result<Rows, Error> {
        self.prepare(statement)?.execute()
    }

    /// As [`Database::execute`], and gives each row as soon as it is found
    /// ([`Prepared::for_each_row`]).
    ///
    /// # Errors
    /// As [`Database::query`], perhaps behind some rows.
    pub fn for_each_row(
        &self,
        statement: &Statement,
        each: impl FnMut(Row) -> ControlFlow<()> + Send,
    ) -> Result<Rows, Error> {
        self.prepare(statement)?.for_each_row(each)
    }

    /// As [`Database::execute`], by a thread that is a little ahead of the caller
    /// ([`Prepared::stream`]).
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn stream(&self, statement: &Statement) -> Result<Rows, Error> {
        self.prepare(statement)?.stream()
    }

    /// Reads, checks and plans a statement.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn prepare<'a>(&'a self, statement: &'a Statement) -> Result<Prepared<'a>, Error> {
        let ready = plan(self, statement)?;
        Ok(Prepared::new(On::Database(self), statement, ready))
    }

    /// Begins a transaction for several statements, with snapshot isolation.
    ///
    /// # Errors
    /// If the database holds no property graph.
    pub fn begin(&self) -> Result<Transaction<'_>, Error> {
        self.begin_with(&TransactionOptions::default())
    }

    /// As [`Database::begin`], with other isolation, timeout or name.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub fn begin_with(&self, options: &TransactionOptions) -> Result<Transaction<'_>, Error> {
        let inner = self.property_graph()?.begin_with(options);
        Ok(Transaction::new(self, inner))
    }

    /// Full names of the procedures that statements may call, as `SHOW PROCEDURES` has them.
    pub fn procedure_names(&self) -> impl Iterator<Item = &str> {
        self.procedures().all().map(|procedure| procedure.name)
    }

    /// Whether a statement may change the graph.
    ///
    /// # Errors
    /// A statement that cannot be run.
    pub fn is_write(&self, statement: &Statement) -> Result<bool, Error> {
        Ok(self.prepare(statement)?.is_write())
    }
}
