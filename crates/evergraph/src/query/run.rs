//! Running statements on a database.

use evergraph_interpreter::{self as interpreter, Procedures, Query, QueryError};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphError, PropertyGraph, View};
use evergraph_syntax::tree::{Body, Command, Mode};

use super::command;
use super::error::Error;
use super::rows::Rows;
use super::statement::{Parameters, Statement};
use super::transaction::Transaction;
use crate::{At, Database};

impl Database {
    /// Runs a statement of the query language on the newest commit, or as its `AS OF` says.
    /// One that writes does so in a transaction of its own, which is durable when this
    /// returns, and is run again after a conflict with another.
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
        let graph = self.property_graph()?;
        match prepare(graph, statement)? {
            Prepared::Query(query) => self.execute_query(graph, statement, *query),
            Prepared::Command(command) => {
                if statement.as_of.is_some() {
                    return Err(past_is_fixed());
                }
                command::execute(graph, &command, statement)
            }
        }
    }

    fn execute_query(
        &self,
        graph: &PropertyGraph,
        statement: &Statement,
        prepared: PreparedQuery,
    ) -> Result<Rows, Error> {
        let query = &prepared.query;
        let at = match prepared.as_of {
            Some(moment) => Some(moment_of(graph, &moment, statement)?),
            None => statement.as_of.clone(),
        };
        let writes = prepared.writes;
        if let Some(at) = at {
            if writes {
                return Err(past_is_fixed());
            }
            let view = graph.view_of(&self.as_of(&at)?)?;
            return read(query, view, statement);
        }
        if !writes {
            return read(query, graph.view(), statement);
        }
        let parameters = statement.parameters.data();
        let done = graph.write(|transaction| {
            let rows = query.run(transaction, &parameters).map_err(carried)?;
            Rows::of_reader(rows, transaction)
        });
        done.map_err(|error| Error::of_query(put_down(error), &statement.text))
    }

    /// Begins a transaction for several statements, with snapshot isolation.
    ///
    /// # Errors
    /// If the database holds no property graph.
    pub fn begin(&self) -> Result<Transaction<'_>, Error> {
        Ok(Transaction::new(self.property_graph()?))
    }

    /// Whether a statement may change the graph.
    ///
    /// # Errors
    /// A statement that cannot be run.
    pub fn is_write(&self, statement: &Statement) -> Result<bool, Error> {
        Ok(match prepare(self.property_graph()?, statement)? {
            Prepared::Query(query) => query.writes,
            Prepared::Command(command) => command::is_write(&command),
        })
    }
}

/// A statement that can be run.
pub(super) enum Prepared {
    Query(Box<PreparedQuery>),
    Command(Box<Command>),
}

/// A query that can be run.
pub(super) struct PreparedQuery {
    pub(super) query: Query,
    /// The expression of its `AS OF`.
    pub(super) as_of: Option<String>,
    /// Whether running it may change the graph.
    pub(super) writes: bool,
}

/// Reads, checks and plans a statement.
pub(super) fn prepare(graph: &PropertyGraph, statement: &Statement) -> Result<Prepared, Error> {
    let text = &statement.text;
    let of_query = |error| Error::of_query(error, text);
    let parsed = evergraph_syntax::parse(text).map_err(|error| of_query(error.into()))?;
    let is_explained = parsed.mode == Mode::Explain;
    let as_of = match parsed.body {
        Body::Command(command) if parsed.mode == Mode::Execute => {
            return Ok(Prepared::Command(command));
        }
        Body::Command(_) => {
            let what = "EXPLAIN and PROFILE are for queries, and this is a command";
            let hint = "leave the word out";
            let at = parsed.at.range();
            return Err(Error::of_statement(
                "InvalidClauseComposition",
                what,
                hint,
                text,
                &at,
            ));
        }
        Body::Query(query) => query.as_of.map(|as_of| as_of.to_string()),
    };
    let options = interpreter::Options {
        procedures: Procedures::new(),
        limits: statement.limits.clone(),
        parameters: Some(statement.parameters.names()),
    };
    let query = Query::prepare_with(graph, text, options).map_err(of_query)?;
    Ok(Prepared::Query(Box::new(PreparedQuery {
        writes: query.writes() && !is_explained,
        query,
        as_of,
    })))
}

fn read(query: &Query, view: View, statement: &Statement) -> Result<Rows, Error> {
    let rows = query.read(&view, &statement.parameters.data());
    let rows = rows.map_err(|error| Error::of_query(error, &statement.text))?;
    Ok(Rows::of_view(rows, view))
}

fn past_is_fixed() -> Error {
    Error::refused(
        "ReadOnly",
        "the past cannot be changed: a statement that writes has no AS OF",
        "leave AS OF out",
    )
}

/// The moment that an expression names.
fn moment_of(graph: &PropertyGraph, as_of: &str, statement: &Statement) -> Result<At, Error> {
    let text = format!("RETURN {as_of}");
    let of_query = |error| Error::of_query(error, &text);
    let query = Query::prepare(graph, &text).map_err(of_query)?;
    let rows = query.read(&graph.view(), &statement.parameters.data());
    let mut rows = rows.map_err(of_query)?;
    let datum = rows.next().and_then(|row| row.into_iter().next());
    let value = datum.as_ref().and_then(|datum| datum.as_value());
    match value {
        Some(Value::Text(text)) => Ok(At::from_text(text)),
        Some(Value::Integer(csn)) if *csn >= 0 => Ok(At::Csn(csn.unsigned_abs())),
        Some(Value::Date(date)) => Ok(At::Name(date.to_string())),
        Some(Value::DateTime(moment)) => {
            let micros =
                i128::from(moment.seconds()) * 1_000_000 + i128::from(moment.nanoseconds() / 1000);
            Ok(At::Time(
                micros.clamp(i64::MIN.into(), i64::MAX.into()) as i64
            ))
        }
        _ => Err(Error::refused(
            "AsOf",
            format!("AS OF {as_of} is no moment"),
            "write the name of a snapshot, a date as a text, or the number of a commit",
        )),
    }
}

/// An error of a query through a transaction that may be run again.
fn carried(error: QueryError) -> GraphError {
    match error {
        QueryError::Graph(error) => error,
        other => GraphError::User(Box::new(other)),
    }
}

fn put_down(error: GraphError) -> QueryError {
    match error {
        GraphError::User(error) => match error.downcast::<QueryError>() {
            Ok(error) => *error,
            Err(error) => GraphError::User(error).into(),
        },
        other => other.into(),
    }
}
