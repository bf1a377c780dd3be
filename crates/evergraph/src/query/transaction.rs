//! Transactions of several statements.

use evergraph_property_graph::graph as property;
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_topology::Commit;

use super::error::Error;
use super::rows::Rows;
use super::run::{Prepared, prepare};
use super::statement::{Parameters, Statement};

/// A transaction of several statements. Each sees what those before it have written; no
/// other transaction does before the commit. Dropped without one, it leaves nothing.
///
/// A statement that fails is undone as a whole, and the transaction goes on, but for a
/// conflict with another transaction ([`Error::is_retryable`]): then it is to be run again
/// from its beginning.
pub struct Transaction<'db> {
    graph: &'db PropertyGraph,
    inner: property::Transaction,
}

impl<'db> Transaction<'db> {
    pub(super) fn new(graph: &'db PropertyGraph) -> Self {
        Transaction {
            graph,
            inner: graph.begin(),
        }
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
    /// As [`Transaction::query`]; a statement that reads another graph by `AS OF`, or makes
    /// or drops an index or a constraint.
    pub fn execute(&mut self, statement: &Statement) -> Result<Rows, Error> {
        let prepared = match prepare(self.graph, statement)? {
            Prepared::Query(prepared) => prepared,
            Prepared::Command(_) => {
                return Err(Error::refused(
                    "Command",
                    "commands are run by themselves, and not in a transaction",
                    "run it before or after the transaction",
                ));
            }
        };
        if prepared.as_of.is_some() || statement.as_of.is_some() {
            return Err(Error::refused(
                "AsOf",
                "a transaction reads the graph of its beginning",
                "run the statement with AS OF outside of it",
            ));
        }
        let rows = prepared
            .query
            .run(&mut self.inner, &statement.parameters.data());
        let rows = rows.map_err(|error| Error::of_query(error, statement.text()))?;
        Ok(Rows::of_reader(rows, &self.inner)?)
    }

    /// Commits: durable and visible, all or nothing. `None` if nothing was written.
    ///
    /// # Errors
    /// Conflicts, constraints that do not hold; then nothing of it is in the graph.
    pub fn commit(self) -> Result<Option<Commit>, Error> {
        Ok(self.inner.commit()?)
    }

    /// Ends it without a trace.
    pub fn roll_back(self) {
        self.inner.roll_back();
    }
}
