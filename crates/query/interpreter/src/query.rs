//! Queries: prepared once, run many times.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use evergraph_functions::{Clock, Datum};
use evergraph_planner::{PlannedQuery, Slot};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Account, GraphError, PropertyGraph, Transaction, View};
use evergraph_property_graph::value::DateTime;
use evergraph_syntax::scope;
use evergraph_syntax::tree::{Body, Mode, Span};

use crate::batch::Batch;
use crate::catalog::GraphCatalog;
use crate::evaluate::Row;
use crate::graph::{Access, Graph};
use crate::limits::Guard;
use crate::run::{Flow, Run};
use crate::{Counters, Limits, Procedures, QueryError, Rows, Summary};

/// Operators above each other that any thread has the stack for.
const SHALLOW: usize = 16;
/// Bytes of stack that an operator takes, at most.
const STACK_OF_OPERATOR: usize = 1 << 16;

/// Parameters by name, without `$`.
pub type Parameters = BTreeMap<String, Datum>;

/// How a query is prepared and run.
#[derive(Clone, Default)]
pub struct Options {
    /// Procedures that it may call.
    pub procedures: Procedures,
    /// Bounds of each run.
    pub limits: Limits,
    /// Names of the parameters that it will be given, if they are known.
    pub parameters: Option<BTreeSet<String>>,
}

/// A query that has been read, checked and planned.
pub struct Query {
    planned: PlannedQuery,
    columns: Arc<[String]>,
    slots: Vec<Slot>,
    mode: Mode,
    options: Options,
}

impl Query {
    /// Reads, checks and plans a query, by the counts and indexes that the graph has now.
    /// O(length), and a look at the statistics.
    ///
    /// # Errors
    /// The first thing that is wrong, and its place.
    pub fn prepare(graph: &PropertyGraph, text: &str) -> Result<Self, QueryError> {
        Query::prepare_with(graph, text, Options::default())
    }

    /// As [`Query::prepare`], with procedures and limits.
    ///
    /// # Errors
    /// As [`Query::prepare`].
    pub fn prepare_with(
        graph: &PropertyGraph,
        text: &str,
        options: Options,
    ) -> Result<Self, QueryError> {
        let statement = evergraph_syntax::parse(text)?;
        let environment = scope::Environment {
            procedures: Some(&options.procedures),
            parameters: options.parameters.as_ref(),
        };
        let columns = scope::check(text, &statement, environment)?;
        let Body::Query(query) = &statement.body else {
            return Err(QueryError::Plan(evergraph_planner::PlanError {
                kind: "FeatureError",
                detail: "NotImplemented",
                message: "this statement is no query; it cannot be run here".into(),
                at: Span::default(),
            }));
        };
        let catalog = GraphCatalog::new(graph, &options.procedures);
        let planned = evergraph_planner::plan(query, &catalog)?;
        let slots = planned.columns.iter().map(|&(_, slot)| slot).collect();
        debug_assert!(columns.len() == planned.columns.len());
        let names = planned.columns.iter().map(|(name, _)| name.clone());
        Ok(Query {
            columns: names.collect(),
            slots,
            planned,
            mode: statement.mode,
            options,
        })
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Whether it may write; then it needs a transaction.
    pub fn writes(&self) -> bool {
        self.planned.writes
    }

    /// The plan in its printed form.
    pub fn plan(&self) -> String {
        evergraph_planner::print(&self.planned.plan, &self.planned.names)
    }

    /// Runs it on a graph: one that writes in a transaction of its own, which is run again
    /// after a conflict; any other on the newest commit, or on that of `AS OF`.
    ///
    /// # Errors
    /// What the query does wrong; then nothing of it is in the graph.
    pub fn execute(
        &self,
        graph: &PropertyGraph,
        parameters: &Parameters,
    ) -> Result<Rows, QueryError> {
        if let Some(as_of) = &self.planned.as_of {
            let empty = Graph::new(Access::View(graph.view()), self.account());
            let guard = Guard::new(&self.options.limits);
            let moment = self.with_run(&empty, &guard, parameters, |run| {
                run.value(as_of, &mut Row::new(&Batch::start(self.width()), 0))
            })?;
            return self.read(&view_as_of(graph, &moment)?, parameters);
        }
        if !self.writes() {
            return self.read(&graph.view(), parameters);
        }
        let done = graph.write(|transaction| {
            self.run(transaction, parameters)
                .map_err(|error| match error {
                    QueryError::Graph(error) => error,
                    other => GraphError::User(Box::new(other)),
                })
        });
        done.map_err(|error| match error {
            GraphError::User(error) => match error.downcast::<QueryError>() {
                Ok(error) => *error,
                Err(error) => GraphError::User(error).into(),
            },
            other => other.into(),
        })
    }

    /// Runs it on one commit.
    ///
    /// # Errors
    /// What the query does wrong; one that writes.
    pub fn read(&self, view: &View, parameters: &Parameters) -> Result<Rows, QueryError> {
        if self.writes() && self.mode != Mode::Explain {
            let message = "the query writes; run it in a transaction";
            return Err(QueryError::runtime("AccessError", "ReadOnly", message));
        }
        self.on_stack(|| {
            let graph = Graph::new(Access::View(view.clone()), self.account());
            self.rows(&graph, parameters)
        })
    }

    /// Runs it in a transaction, and sees what that has written. If it fails, what it had
    /// written is undone, and the transaction goes on.
    ///
    /// # Errors
    /// What the query does wrong; conflicts with other transactions, after which the whole
    /// transaction is to be run again.
    pub fn run(
        &self,
        transaction: &mut Transaction,
        parameters: &Parameters,
    ) -> Result<Rows, QueryError> {
        if !self.writes() {
            return self.on_stack(|| {
                let graph = Graph::new(Access::Transaction(transaction), self.account());
                self.rows(&graph, parameters)
            });
        }
        let savepoint = transaction.savepoint();
        let rows = self.on_stack(|| {
            let graph = Graph::new(Access::Transaction(transaction), self.account());
            self.rows(&graph, parameters)
        });
        match &rows {
            Ok(_) => transaction.release(savepoint)?,
            Err(_) => {
                // The savepoint may be gone with the transaction; the first error says why.
                let undone = transaction.roll_back_to(savepoint);
                let _ = undone.and_then(|()| transaction.release(savepoint));
            }
        }
        rows
    }

    /// Memory that reads may use for their vectors.
    fn account(&self) -> Arc<Account> {
        let bytes = u64::try_from(self.options.limits.memory).unwrap_or(u64::MAX);
        Arc::new(Account::with_limit(bytes))
    }

    fn width(&self) -> usize {
        self.planned.names.len()
    }

    /// Does something where the stack is deep enough for the plan: a thread of a program
    /// may have little.
    fn on_stack<T: Send>(
        &self,
        body: impl FnOnce() -> Result<T, QueryError> + Send,
    ) -> Result<T, QueryError> {
        let depth = self.planned.plan.depth();
        if depth <= SHALLOW {
            return body();
        }
        let builder = std::thread::Builder::new().stack_size(depth * STACK_OF_OPERATOR);
        std::thread::scope(|scope| {
            let thread = builder.spawn_scoped(scope, body).map_err(|error| {
                let message = format!("no thread for a deep plan: {error}");
                QueryError::runtime("ResourceError", "NoThread", message)
            })?;
            match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    fn rows(&self, graph: &Graph<'_>, parameters: &Parameters) -> Result<Rows, QueryError> {
        let mut summary = Summary::default();
        if self.mode != Mode::Execute {
            summary.plan = Some(self.plan());
        }
        let columns = Arc::clone(&self.columns);
        if self.mode == Mode::Explain {
            return Ok(Rows::new(columns, Vec::new(), VecDeque::new(), summary));
        }
        let guard = Guard::new(&self.options.limits);
        let mut account = guard.account("its result");
        let mut batches = VecDeque::new();
        summary.counters = self.with_run(graph, &guard, parameters, |run| {
            run.run(
                &self.planned.plan,
                Batch::start(self.width()),
                &mut |batch| {
                    if !self.slots.is_empty() {
                        account.add(batch.bytes())?;
                        batches.push_back(batch);
                    }
                    Ok(Flow::Continue)
                },
            )?;
            run.delete_pending()?;
            Ok(*run.counters.borrow())
        })?;
        Ok(Rows::new(columns, self.slots.clone(), batches, summary))
    }

    fn with_run<T>(
        &self,
        graph: &Graph<'_>,
        guard: &Guard,
        parameters: &Parameters,
        body: impl FnOnce(&Run<'_, '_>) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let mut clock = Clock::of_statement(DateTime::EPOCH);
        clock.transaction = clock.statement.clone();
        let run = Run {
            graph,
            environment: guard.environment(graph, clock, 1),
            parameters,
            procedures: &self.options.procedures,
            guard,
            width: self.width(),
            counters: RefCell::new(Counters::default()),
            pending: RefCell::default(),
            steps: Cell::new(0),
            functions: RefCell::default(),
            threads: self.options.limits.threads,
            leaf: None,
        };
        body(&run)
    }
}

/// The graph as of a snapshot's name or a commit's number.
fn view_as_of(graph: &PropertyGraph, moment: &Datum) -> Result<View, QueryError> {
    match moment {
        Datum::Value(Value::Text(name)) => Ok(graph.as_of(name)?),
        Datum::Value(Value::Integer(csn)) if *csn >= 0 => {
            Ok(graph.as_of_commit(csn.unsigned_abs())?)
        }
        other => {
            let message = format!(
                "AS OF takes the name of a snapshot or the number of a commit, not a {}",
                other.type_name()
            );
            Err(QueryError::type_error(message))
        }
    }
}
