//! Transactions of several statements.

use std::ops::ControlFlow;

use evergraph_property_graph::graph as property;
use evergraph_topology::{Commit, TopologyError};

use super::error::Error;
use super::prepared::{On, Prepared, plan};
use super::rows::{Row, Rows};
use super::statement::{Parameters, Statement};
use crate::Database;

/// A transaction of several statements. Each sees what those before it have written; no
/// other transaction does before the commit. Dropped without one, it leaves nothing.
///
/// A statement that fails is undone as a whole, and the transaction goes on, but for a
/// conflict with another transaction ([`Error::is_retryable`]): then it is to be run again
/// from its beginning.
pub struct Transaction<'db> {
    db: &'db Database,
    inner: property::Transaction,
}

impl<'db> Transaction<'db> {
    pub(super) fn new(db: &'db Database, inner: property::Transaction) -> Self {
        Transaction { db, inner }
    }

    /// Runs a statement.
    ///
    /// # Errors
    /// What is wrong with it, or conflicts.
    pub fn query(&mut self, text: &str, parameters: impl Into<Parameters>) -> Result<Rows, Error> {
        self.execute(&Statement::new(text).parameters(parameters))
    }

    /// As [`Transaction::query`], with limits.
    ///
    /// # Errors
    /// As [`Transaction::query`]; a statement that reads another graph by `AS OF`, makes or
    /// drops an index or a constraint, or copies files. `SHOW` lists what is committed.
    pub fn execute(&mut self, statement: &Statement) -> Result<Rows, Error> {
        self.prepare(statement)?.execute()
    }

    /// As [`Transaction::execute`], and gives each row as soon as it is found
    /// ([`Prepared::for_each_row`]).
    ///
    /// # Errors
    /// As [`Transaction::execute`], perhaps behind some rows.
    pub fn for_each_row(
        &mut self,
        statement: &Statement,
        each: impl FnMut(Row) -> ControlFlow<()> + Send,
    ) -> Result<Rows, Error> {
        self.prepare(statement)?.for_each_row(each)
    }

    /// Reads, checks and plans a statement.
    ///
    /// # Errors
    /// A statement that is wrong, or writes to a database that is open for reading only.
    pub fn prepare<'a>(&'a mut self, statement: &'a Statement) -> Result<Prepared<'a>, Error> {
        let ready = plan(self.db, statement)?;
        let on = On::Transaction(self.db, &mut self.inner);
        let prepared = Prepared::new(on, statement, ready);
        // The commit would be refused, too late.
        match prepared.is_write() && self.db.store().is_read_only() {
            true => Err(crate::Error::from(TopologyError::ReadOnly).into()),
            false => Ok(prepared),
        }
    }

    /// Commits: durable and visible, all or nothing. `None` if nothing was written.
    ///
    /// # Errors
    /// Conflicts, constraints that do not hold; then nothing of it is in the graph.
    pub fn commit(self) -> Result<Option<Commit>, Error> {
        self.inner.commit().map_err(Error::of_commit)
    }

    /// Ends it without a trace.
    pub fn roll_back(self) {
        self.inner.roll_back();
    }
}
