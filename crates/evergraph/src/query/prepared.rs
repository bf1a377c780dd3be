//! Statements that have been read, checked and planned.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_interpreter::{self as interpreter, Limits, Procedures, Query, QueryError};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{self as property, GraphError, PropertyGraph, View};
use evergraph_syntax::tree::{Body, Command, Mode};

use super::command;
use super::error::{Error, Notification, Place};
use super::load_csv;
use super::plans;
use super::resolve;
use super::rows::{Row, Rows};
use super::statement::Statement;
use super::stream::Streamed;
use crate::{At, Database};

/// A query that can be run.
pub(super) struct Planned {
    /// Its text, without space around it.
    pub(super) text: String,
    pub(super) query: Query,
    /// The expression of its `AS OF`.
    as_of: Option<String>,
    /// Whether running it may change the graph.
    writes: bool,
}

impl Planned {
    /// An error of its run for a statement.
    fn failed(&self, error: QueryError, statement: &Statement) -> Error {
        Error::of_run(error, &statement.text, self.writes)
    }
}

/// A statement that can be run.
pub(super) enum Ready {
    Query(Arc<Planned>),
    Command(Box<Command>),
}

/// Reads, checks and plans a statement, unless that has been done before.
pub(super) fn plan(db: &Database, statement: &Statement) -> Result<Ready, Error> {
    let graph = db.property_graph()?;
    statement.parameters.refuse_too_deep()?;
    let key = plans::key_of(statement);
    if let Some(planned) = key.as_ref().and_then(|key| db.plans().get(key, graph)) {
        return Ok(Ready::Query(planned));
    }
    let ready = plan_anew(graph, db.procedures(), statement)?;
    if let (Ready::Query(planned), Some(key)) = (&ready, key) {
        db.plans().keep(key, planned);
    }
    Ok(ready)
}

fn plan_anew(
    graph: &PropertyGraph,
    procedures: &Procedures,
    statement: &Statement,
) -> Result<Ready, Error> {
    let text = &statement.text;
    let of_query = |error| Error::of_query(error, text);
    let parsed = evergraph_syntax::parse(text).map_err(|error| of_query(error.into()))?;
    let is_explained = parsed.mode == Mode::Explain;
    let as_of = match &parsed.body {
        Body::Command(command) if parsed.mode == Mode::Execute => {
            refuse_missing_parameters(statement)?;
            return Ok(Ready::Command(command.clone()));
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
        Body::Query(query) => query.as_of.as_ref().map(ToString::to_string),
    };
    let options = interpreter::Options {
        procedures: procedures.clone(),
        limits: statement.limits.clone(),
        parameters: Some(statement.parameters.names()),
        open_csv: Some(Arc::new(load_csv::open)),
        plain: false,
    };
    let query = Query::prepare_statement(graph, text, &parsed, options).map_err(of_query)?;
    if !is_explained {
        refuse_missing_parameters(statement)?;
    }
    // The plan is kept for others; each run has limits of its own.
    let query = query.with_limits(Limits::default());
    Ok(Ready::Query(Arc::new(Planned {
        text: text.trim().to_string(),
        writes: query.writes() && !is_explained,
        query,
        as_of,
    })))
}

/// Also where no row would ask for it, as Neo4j: a name that is spelt wrong is no empty
/// result.
fn refuse_missing_parameters(statement: &Statement) -> Result<(), Error> {
    let text = &statement.text;
    let parameters =
        evergraph_syntax::parameters(text).map_err(|error| Error::of_query(error.into(), text))?;
    let given = statement.parameters.data();
    let missing = parameters
        .iter()
        .find(|name| !given.contains_key(&name.text));
    match missing {
        None => Ok(()),
        Some(name) => {
            let given = given.keys().map(String::as_str).collect();
            Err(Error::of_missing_parameter(name, given, text))
        }
    }
}

/// What a statement is run on.
pub(super) enum On<'a> {
    Database(&'a Database),
    Transaction(&'a Database, &'a mut property::Transaction),
}

/// A statement that has been read, checked and planned. It is run once; the plan is kept,
/// so that preparing the same text again is a look at a table.
pub struct Prepared<'a> {
    on: On<'a>,
    statement: &'a Statement,
    ready: Ready,
}

/// What is to be done for a statement.
enum Work<'a> {
    Command(&'a Database, Box<Command>),
    Read(Arc<Planned>, View),
    Write(Arc<Planned>, &'a PropertyGraph),
    /// In transactions that commit by themselves.
    InTransactions(Arc<Planned>, &'a PropertyGraph),
    Within(Arc<Planned>, &'a mut property::Transaction),
}

impl<'a> Prepared<'a> {
    pub(super) fn new(on: On<'a>, statement: &'a Statement, ready: Ready) -> Self {
        Prepared {
            on,
            statement,
            ready,
        }
    }

    /// Whether it may change the graph.
    pub fn is_write(&self) -> bool {
        match &self.ready {
            Ready::Query(planned) => planned.writes,
            Ready::Command(command) => command::is_write(command),
        }
    }

    /// Options, then hints that have no effect; then labels, types and property keys that it looks for
    /// and no commit has used, in the order of the text, but of no statement that writes,
    /// which may bring them. None within a transaction.
    pub fn notifications(&self) -> Vec<Notification> {
        let (Ready::Query(planned), On::Database(_)) = (&self.ready, &self.on) else {
            return Vec::new();
        };
        let told = planned.query.notifications().iter();
        let notification = |one: &interpreter::Notification| Notification {
            message: one.message.clone(),
            place: Place::of(&self.statement.text, &one.at.range()),
        };
        told.map(notification).collect()
    }

    /// Whether `PROFILE` asks what its operators do.
    pub fn is_profiled(&self) -> bool {
        match &self.ready {
            Ready::Query(planned) => planned.query.mode() == Mode::Profile,
            Ready::Command(_) => false,
        }
    }

    /// Runs it. The rows of one that reads are held as ids, and become values as they are
    /// asked for.
    ///
    /// # Errors
    /// As [`Database::execute`].
    pub fn execute(self) -> Result<Rows, Error> {
        let statement = self.statement;
        execute(self.work()?, statement)
    }

    /// Runs it, and gives each row as soon as it is found, so that a result of any length
    /// needs no memory. A statement that writes has written all, durably, before its first
    /// row. The calling thread makes the calls, or another one while it waits; the timeout
    /// of the statement holds for them, too. Returns the result without its rows.
    ///
    /// # Errors
    /// As [`Database::execute`], perhaps behind some rows.
    pub fn for_each_row(
        self,
        mut each: impl FnMut(Row) -> ControlFlow<()> + Send,
    ) -> Result<Rows, Error> {
        let statement = self.statement;
        let mut give = |columns: &Arc<[String]>, cells, unread: &mut Option<GraphError>| match cells
        {
            Ok(cells) => each(Row::new(Arc::clone(columns), cells)),
            Err(error) => {
                *unread = Some(error);
                ControlFlow::Break(())
            }
        };
        let whole = |summary, unread: Option<GraphError>| match unread {
            Some(error) => Err(QueryError::from(error)),
            None => Ok(summary),
        };
        let parameters = statement.parameters.data();
        let rows = match self.work()? {
            Work::Read(planned, view) => {
                let query = planned.query.with_limits(statement.limits.clone());
                let columns = Arc::clone(query.columns());
                let mut unread = None;
                let done = query.read_each(&view, parameters, &mut |row| {
                    give(&columns, resolve::row(row, &view), &mut unread)
                });
                let done = done.and_then(|summary| whole(summary, unread));
                let summary = done.map_err(|error| planned.failed(error, statement))?;
                Rows::without_rows(columns, summary, Some(view.csn()))
            }
            Work::Within(planned, transaction) => {
                let query = planned.query.with_limits(statement.limits.clone());
                let columns = Arc::clone(query.columns());
                let done = transaction.atomically(|transaction| {
                    let mut unread = None;
                    let done = query.run_each(transaction, parameters, &mut |transaction, row| {
                        give(&columns, resolve::row(row, transaction), &mut unread)
                    });
                    whole(done?, unread)
                });
                let summary = done.map_err(|error| planned.failed(error, statement))?;
                Rows::without_rows(columns, summary, None)
            }
            work => {
                let mut rows = execute(work, statement)?;
                while let Some(row) = rows.next().transpose()? {
                    if each(row).is_break() {
                        break;
                    }
                }
                return Ok(rows);
            }
        };
        Ok(rows)
    }

    /// Runs it by a thread of its own, which is at most some thousand rows ahead of the
    /// caller, so that a result of any length needs little memory; dropping the rows ends
    /// it. A statement that writes, and one within a transaction, is run before this
    /// returns, as by [`Prepared::execute`].
    ///
    /// The first error of the run is an item behind some rows, and the last one. The
    /// summary is whole behind the last row.
    ///
    /// # Errors
    /// As [`Database::execute`], of what is run before this returns; if there is no thread.
    pub fn stream(self) -> Result<Rows, Error> {
        let statement = self.statement;
        match self.work()? {
            Work::Read(planned, view) => {
                let columns = Arc::clone(planned.query.columns());
                let streamed = Streamed::start(&planned.query, view, statement)?;
                Ok(Rows::of_stream(columns, streamed))
            }
            work => execute(work, statement),
        }
    }

    fn work(self) -> Result<Work<'a>, Error> {
        let statement = self.statement;
        let (on, planned) = match (self.on, self.ready) {
            // Lists of names and of what runs are of now, within a transaction, too.
            (On::Transaction(db, _), Ready::Command(command))
                if matches!(*command, Command::Show(_)) =>
            {
                return Ok(Work::Command(db, command));
            }
            (On::Database(db), Ready::Command(command)) => {
                return match statement.as_of.is_some() && command::is_write(&command) {
                    true => Err(past_is_fixed()),
                    false => Ok(Work::Command(db, command)),
                };
            }
            (On::Transaction(..), Ready::Command(_)) => {
                return Err(Error::refused(
                    "Command",
                    "commands are run by themselves, and not in a transaction",
                    "run it before or after the transaction",
                ));
            }
            (on, Ready::Query(planned)) => (on, planned),
        };
        let has_as_of = planned.as_of.is_some() || statement.as_of.is_some();
        match on {
            On::Transaction(..) if has_as_of => Err(Error::refused(
                "AsOf",
                "a transaction reads the graph of its beginning",
                "run the statement with AS OF outside of it",
            )),
            On::Transaction(..) if planned.query.commits_itself() => Err(Error::refused(
                "InTransaction",
                "CALL { ... } IN TRANSACTIONS commits by itself, and is no part of a transaction",
                "run the statement before or after the transaction",
            )),
            On::Transaction(_, transaction) => Ok(Work::Within(planned, transaction)),
            On::Database(_) if has_as_of && planned.writes => Err(past_is_fixed()),
            On::Database(db) if has_as_of => {
                let graph = db.property_graph()?;
                let at = match &planned.as_of {
                    Some(moment) => Some(moment_of(graph, moment, statement)?),
                    None => statement.as_of.clone(),
                };
                let view = match at {
                    Some(at) => graph.view_of(&db.as_of(&at)?)?,
                    None => graph.view(),
                };
                Ok(Work::Read(planned, view))
            }
            On::Database(db) if planned.query.commits_itself() => {
                Ok(Work::InTransactions(planned, db.property_graph()?))
            }
            On::Database(db) if planned.writes => Ok(Work::Write(planned, db.property_graph()?)),
            On::Database(db) => Ok(Work::Read(planned, db.property_graph()?.view())),
        }
    }
}

fn execute(work: Work<'_>, statement: &Statement) -> Result<Rows, Error> {
    let parameters = statement.parameters.data();
    let bounded = |planned: &Planned| planned.query.with_limits(statement.limits.clone());
    match work {
        Work::Command(db, command) => command::execute(db, &command, statement),
        Work::Read(planned, view) => {
            let rows = bounded(&planned).read(&view, parameters);
            let rows = rows.map_err(|error| planned.failed(error, statement))?;
            Ok(Rows::of_view(rows, view))
        }
        Work::Within(planned, transaction) => {
            // Its rows are read within, as they may be the first to fail.
            let done = transaction.atomically(|transaction| {
                let rows = bounded(&planned).run(transaction, parameters)?;
                Ok(Rows::of_reader(rows, transaction)?)
            });
            done.map_err(|error| planned.failed(error, statement))
        }
        Work::InTransactions(planned, graph) => {
            let graph = statement.of_graph(graph);
            let done = bounded(&planned).run_in_transactions(&graph, parameters);
            let failed = |error| Error::of_run(error, &statement.text, false).of_transactions();
            let (rows, view) = done.map_err(failed)?;
            Ok(Rows::of_view(rows, view))
        }
        Work::Write(planned, graph) => {
            let graph = statement.of_graph(graph);
            let done = bounded(&planned).write(&graph, parameters, |rows, transaction| {
                Rows::of_reader(rows, transaction)
            });
            done.map_err(|error| planned.failed(error, statement))
        }
    }
}

fn past_is_fixed() -> Error {
    Error::refused(
        "ReadOnly",
        "the past cannot be changed: a statement that writes has no AS OF",
        "leave AS OF (--as-of, :asof) out",
    )
}

/// The moment that an expression names.
fn moment_of(graph: &PropertyGraph, as_of: &str, statement: &Statement) -> Result<At, Error> {
    let text = format!("RETURN {as_of}");
    let of_query = |error| Error::of_query(error, &text);
    let query = Query::prepare(graph, &text).map_err(of_query)?;
    let rows = query.read(&graph.view(), statement.parameters.data());
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
