//! Queries: prepared once, run many times.

mod transactions;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use evergraph_functions::{Clock, Datum};
use evergraph_planner::{PlannedQuery, Slot};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphError, PropertyGraph, Transaction, View};
use evergraph_property_graph::value::DateTime;
use evergraph_syntax::scope;
use evergraph_syntax::tree::{Body, Mode, Span, Statement};
use evergraph_syntax::with_article;

use crate::batch::{Batch, Column};
use crate::catalog::{Basis, GraphCatalog};
use crate::compile::{Compiling, Execution, Fragments};
use crate::evaluate::Row;
use crate::graph::{Access, Graph};
use crate::limits::Guard;
use crate::profile::{Profile, Profiler};
use crate::rows::row_of;
use crate::run::{Flow, Run, Sink};
use crate::{
    Counters, Limits, Notification, OpenCsv, Procedures, QueryError, Rows, Summary, notifications,
};

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
    /// Opens the files of `LOAD CSV`; without it they are refused.
    pub open_csv: Option<Arc<OpenCsv>>,
    /// Its plan is made without the rewrites that only save work: the results are the same,
    /// to compare with.
    pub plain: bool,
}

/// Takes a row, and says whether more are wanted.
pub type EachRow<'e> = dyn FnMut(Vec<Datum>) -> ControlFlow<()> + Send + 'e;

/// As [`EachRow`], with the transaction that the row was read in.
pub type EachRowWithin<'e> = dyn FnMut(&Transaction, Vec<Datum>) -> ControlFlow<()> + Send + 'e;

/// A query that has been read, checked and planned. Cheap to clone; threads can share it.
#[derive(Clone)]
pub struct Query {
    pub(crate) prepared: Arc<Prepared>,
    limits: Limits,
}

/// State that all runs of a query share.
pub(crate) struct Prepared {
    pub(crate) planned: PlannedQuery,
    fragments: Fragments,
    columns: Arc<[String]>,
    slots: Vec<Slot>,
    /// Operators of the plan above each other.
    depth: usize,
    mode: Mode,
    procedures: Procedures,
    open_csv: Option<Arc<OpenCsv>>,
    basis: Basis,
    /// Whether a function may ask what time it is.
    asks_time: bool,
    notifications: Vec<Notification>,
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

    /// As [`Query::prepare`], with procedures and limits. The timeout holds for this by
    /// itself: it is looked at between the steps, each of which takes a fraction of a second
    /// for the longest text that there may be.
    ///
    /// # Errors
    /// As [`Query::prepare`]; if it is cancelled or takes too long.
    pub fn prepare_with(
        graph: &PropertyGraph,
        text: &str,
        options: Options,
    ) -> Result<Self, QueryError> {
        Query::prepare_statement(graph, text, &evergraph_syntax::parse(text)?, options)
    }

    /// As [`Query::prepare_with`], of the statement that the text is.
    ///
    /// # Errors
    /// As there.
    pub fn prepare_statement(
        graph: &PropertyGraph,
        text: &str,
        statement: &Statement,
        options: Options,
    ) -> Result<Self, QueryError> {
        let Options {
            procedures,
            limits,
            parameters,
            open_csv,
            plain,
        } = options;
        let guard = Guard::new(&limits);
        let environment = scope::Environment {
            functions: Some(&evergraph_functions::functions::Table),
            procedures: Some(&procedures),
            parameters: parameters.as_ref(),
        };
        let scope::Checked { columns, searched } = scope::check(text, statement, environment)?;
        guard.check()?;
        let Body::Query(query) = &statement.body else {
            return Err(QueryError::Plan(evergraph_planner::PlanError {
                kind: "FeatureError",
                detail: "NotImplemented",
                message: "this statement is no query; it cannot be run here".into(),
                at: Span::default(),
            }));
        };
        let catalog = GraphCatalog::new(graph, &procedures);
        let planned = match plain {
            false => evergraph_planner::plan(query, &catalog)?,
            true => evergraph_planner::plan_plainly(query, &catalog)?,
        };
        guard.check()?;
        let mut notifications = notifications::of_options(&statement.options);
        notifications.extend(notifications::of_hints(&planned.idle_hints));
        if !planned.writes {
            notifications.extend(notifications::of_names(catalog.view(), searched));
        }
        let basis = catalog.into_basis();
        let slots = planned.columns.iter().map(|&(_, slot)| slot).collect();
        debug_assert!(columns.len() == planned.columns.len());
        let names = planned.columns.iter().map(|(name, _)| name.clone());
        let prepared = Prepared {
            columns: names.collect(),
            slots,
            asks_time: may_ask_time(text),
            depth: planned.plan.depth(),
            planned,
            fragments: Fragments::new(text),
            mode: statement.mode,
            procedures,
            open_csv,
            basis,
            notifications,
        };
        Ok(Query {
            prepared: Arc::new(prepared),
            limits,
        })
    }

    /// The same with other bounds of its runs. O(1)
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Query {
            prepared: Arc::clone(&self.prepared),
            limits,
        }
    }

    /// Whether preparing it again would hardly give another plan: no name, index or
    /// constraint is new, and what the planner counted is no more than four times as much,
    /// nor less than a fourth. An older query still gives the right rows. O(counts)
    pub fn is_current(&self, graph: &PropertyGraph) -> bool {
        self.prepared.basis.holds(&graph.view())
    }

    /// Names of the columns.
    pub fn columns(&self) -> &Arc<[String]> {
        &self.prepared.columns
    }

    /// Options and hints that have no effect, and names that it looks for and the graph does
    /// not have; none of these of a query that writes, which may bring them.
    pub fn notifications(&self) -> &[Notification] {
        &self.prepared.notifications
    }

    /// Whether it may write; then it needs a transaction.
    pub fn writes(&self) -> bool {
        self.prepared.planned.writes
    }

    /// Whether only its plan is wanted, or its plan with what its operators did.
    pub fn mode(&self) -> Mode {
        self.prepared.mode
    }

    /// Lines from which [`Query::recall_code`] has the code of its expressions made again, by
    /// the same build; none of a query without code.
    pub fn code_lines(&self) -> Vec<String> {
        self.prepared.fragments.lines()
    }

    /// Has the code made in the background that a query of the same text had once: it is
    /// used as soon as it is there. Lines that are of another plan are passed over.
    pub fn recall_code(&self, lines: &[String]) {
        let plan = &self.prepared.planned.plan;
        self.prepared.fragments.recall(plan, lines);
    }

    /// The plan in its printed form.
    pub fn plan(&self) -> String {
        let planned = &self.prepared.planned;
        evergraph_planner::print(&planned.plan, &planned.names)
    }

    /// Runs it on a graph: one that writes in a transaction of its own, which is run again
    /// after a conflict; any other on the newest commit, or on that of `AS OF`.
    ///
    /// # Errors
    /// Errors of the query; then nothing of it is in the graph.
    pub fn execute(
        &self,
        graph: &PropertyGraph,
        parameters: &Parameters,
    ) -> Result<Rows, QueryError> {
        if let Some(as_of) = &self.prepared.planned.as_of {
            let guard = Guard::new(&self.limits);
            let empty = Graph::new(
                Access::View(graph.view()),
                Arc::clone(guard.shared_account()),
            );
            let moment = self.with_run(&empty, &guard, parameters, None, |run| {
                run.value(as_of, &mut Row::new(&Batch::start(self.width()), 0))
            })?;
            return self.read(&view_as_of(graph, &moment)?, parameters);
        }
        if !self.writes() {
            return self.read(&graph.view(), parameters);
        }
        if self.commits_itself() {
            let done = self.run_in_transactions(graph, parameters);
            return done.map(|(rows, _)| rows);
        }
        self.write(graph, parameters, |rows, _| Ok(rows))
    }

    /// Runs it in a transaction of its own, which is run again after a conflict, all of it
    /// within its limits. `keep` makes the result of the rows within the transaction.
    ///
    /// # Errors
    /// Errors of the query, of `keep` and of the commit; then nothing of it is in the graph.
    pub fn write<T>(
        &self,
        graph: &PropertyGraph,
        parameters: &Parameters,
        mut keep: impl FnMut(Rows, &Transaction) -> Result<T, GraphError>,
    ) -> Result<T, QueryError> {
        let bounds = self.limits.begin();
        let done = bounds.of_graph(graph).write(|transaction| {
            let guard = Guard::within(&self.limits, Arc::clone(&bounds));
            let rows = self.run_guarded(&guard, transaction, parameters);
            keep(rows.map_err(QueryError::into_graph)?, transaction)
        });
        done.map_err(|error| bounds.told(error))
    }

    /// Runs it on one commit, and holds all rows.
    ///
    /// # Errors
    /// Errors of the query; one that writes.
    pub fn read(&self, view: &View, parameters: &Parameters) -> Result<Rows, QueryError> {
        self.check_reads()?;
        let guard = Guard::new(&self.limits);
        self.collect(Access::View(view.clone()), &guard, parameters)
    }

    /// Runs it on one commit, and gives each row as soon as it is found: none is held
    /// beyond a batch of some thousands. The order of calls is the order of rows. The
    /// calling thread makes the calls, or another one while it waits.
    ///
    /// # Errors
    /// As [`Query::read`]; rows that were given by then are right.
    pub fn read_each(
        &self,
        view: &View,
        parameters: &Parameters,
        each: &mut EachRow<'_>,
    ) -> Result<Summary, QueryError> {
        self.check_reads()?;
        let slots = &self.prepared.slots;
        self.on_stack(|| {
            self.push(
                Access::View(view.clone()),
                parameters,
                &mut |_, mut batch| {
                    Ok(flow_of(
                        (0..batch.len()).try_for_each(|row| each(row_of(&mut batch, slots, row))),
                    ))
                },
            )
        })
    }

    /// Runs it in a transaction, and sees what that has written. If it fails, what it had
    /// written is undone, and the transaction goes on.
    ///
    /// # Errors
    /// Errors of the query; conflicts with other transactions, after which the whole
    /// transaction is to be run again.
    pub fn run(
        &self,
        transaction: &mut Transaction,
        parameters: &Parameters,
    ) -> Result<Rows, QueryError> {
        self.run_guarded(&Guard::new(&self.limits), transaction, parameters)
    }

    fn run_guarded(
        &self,
        guard: &Guard,
        transaction: &mut Transaction,
        parameters: &Parameters,
    ) -> Result<Rows, QueryError> {
        let collect = |transaction: &mut Transaction| {
            self.collect(Access::Transaction(transaction), guard, parameters)
        };
        if !self.writes() {
            return collect(transaction);
        }
        if self.commits_itself() {
            let message = "CALL { ... } IN TRANSACTIONS commits by itself, and is no part of a \
                           transaction; run it before or after";
            return Err(QueryError::runtime("AccessError", "InTransaction", message));
        }
        transaction.atomically(collect)
    }

    /// As [`Query::run`], and gives each row as [`Query::read_each`] does; all rows of a
    /// query that writes after its last write.
    ///
    /// # Errors
    /// As [`Query::run`].
    pub fn run_each(
        &self,
        transaction: &mut Transaction,
        parameters: &Parameters,
        each: &mut EachRowWithin<'_>,
    ) -> Result<Summary, QueryError> {
        if self.writes() {
            let mut rows = self.run(transaction, parameters)?;
            let _ = rows.try_for_each(|row| each(transaction, row));
            return Ok(rows.summary().clone());
        }
        let slots = &self.prepared.slots;
        self.on_stack(|| {
            let access = Access::Transaction(transaction);
            self.push(access, parameters, &mut |graph, mut batch| {
                let given = graph.within_transaction(|transaction| {
                    (0..batch.len())
                        .try_for_each(|row| each(transaction, row_of(&mut batch, slots, row)))
                });
                Ok(given.map_or(Flow::Stop, flow_of))
            })
        })
    }

    fn check_reads(&self) -> Result<(), QueryError> {
        if self.writes() && self.mode() != Mode::Explain {
            let message = "the query writes; run it in a transaction";
            return Err(QueryError::runtime("AccessError", "ReadOnly", message));
        }
        Ok(())
    }

    pub(crate) fn width(&self) -> usize {
        self.prepared.planned.names.len()
    }

    /// Does something where the stack is deep enough for the plan: a thread of a program
    /// may have little.
    fn on_stack<T: Send>(
        &self,
        body: impl FnOnce() -> Result<T, QueryError> + Send,
    ) -> Result<T, QueryError> {
        let depth = self.prepared.depth;
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

    /// Runs it and holds its rows.
    fn collect(
        &self,
        access: Access<'_>,
        guard: &Guard,
        parameters: &Parameters,
    ) -> Result<Rows, QueryError> {
        let Prepared { columns, slots, .. } = &*self.prepared;
        let mut batches = VecDeque::new();
        let summary = self.on_stack(|| {
            let mut account = guard.account("its result");
            self.push_guarded(access, guard, parameters, &mut |_, batch| {
                if !slots.is_empty() {
                    let batch = batch.unshared();
                    account.add(batch.bytes())?;
                    batches.push_back(batch);
                }
                Ok(Flow::Continue)
            })
        })?;
        Ok(Rows::new(
            Arc::clone(columns),
            slots.clone(),
            batches,
            summary,
        ))
    }

    fn push(
        &self,
        access: Access<'_>,
        parameters: &Parameters,
        sink: &mut dyn FnMut(&Graph<'_>, Batch) -> Result<Flow, QueryError>,
    ) -> Result<Summary, QueryError> {
        let guard = Guard::new(&self.limits);
        self.push_guarded(access, &guard, parameters, sink)
    }

    /// Runs it and pushes its rows, but for those without columns.
    fn push_guarded(
        &self,
        access: Access<'_>,
        guard: &Guard,
        parameters: &Parameters,
        sink: &mut dyn FnMut(&Graph<'_>, Batch) -> Result<Flow, QueryError>,
    ) -> Result<Summary, QueryError> {
        let Prepared { planned, slots, .. } = &*self.prepared;
        let mut summary = Summary::default();
        if self.mode() == Mode::Explain {
            summary.plan = Some(self.plan());
            return Ok(summary);
        }
        let begin = (self.mode() == Mode::Profile).then(Instant::now);
        let graph = Graph::new(access, Arc::clone(guard.shared_account()));
        // Each operator has a batch on its way, with a column a variable.
        let mut account = guard.account("rows of so many variables");
        account.add(self.prepared.depth * self.width() * size_of::<Column>())?;
        let profiler = (self.mode() == Mode::Profile).then(|| Profiler::of(&planned.plan));
        let has_columns = !slots.is_empty();
        let rows: &mut Sink<'_> = &mut |batch| match has_columns {
            true => sink(&graph, batch),
            false => Ok(Flow::Continue),
        };
        let done = self.with_run(&graph, guard, parameters, profiler.as_ref(), |run| {
            run.run(&planned.plan, Batch::start(self.width()), rows)?;
            run.delete_pending()?;
            Ok(*run.counters.borrow())
        });
        summary.counters = done.map_err(|error| guard.told(error))?;
        self.note(&mut summary, profiler, begin, guard);
        Ok(summary)
    }

    /// Notes what operators did, if that was asked for.
    fn note(
        &self,
        summary: &mut Summary,
        profiler: Option<Profiler>,
        begin: Option<Instant>,
        guard: &Guard,
    ) {
        let Some(profiler) = profiler else {
            return;
        };
        let profile = Profile {
            operators: profiler.finish(),
            time: begin.map(|begin| begin.elapsed()).unwrap_or_default(),
            memory: guard.peak(),
        };
        let planned = &self.prepared.planned;
        summary.plan = Some(profile.print(&planned.plan, &planned.names));
        summary.profile = Some(profile);
    }

    pub(crate) fn with_run<T>(
        &self,
        graph: &Graph<'_>,
        guard: &Guard,
        parameters: &Parameters,
        profiler: Option<&Profiler>,
        body: impl FnOnce(&Run<'_, '_>) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        self.with_seed(0, graph, guard, parameters, profiler, body)
    }

    /// As [`Query::with_run`], with random numbers of its own.
    fn with_seed<T>(
        &self,
        seed: u64,
        graph: &Graph<'_>,
        guard: &Guard,
        parameters: &Parameters,
        profiler: Option<&Profiler>,
        body: impl FnOnce(&Run<'_, '_>) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let clock = match self.prepared.asks_time {
            true => Clock::of_statement(DateTime::EPOCH).alone(),
            false => Clock::stopped(),
        };
        let compiling = Compiling {
            fragments: &self.prepared.fragments,
            plan: &self.prepared.planned.plan,
            execution: self.limits.execution,
        };
        let compiling = (compiling.execution != Execution::Interpret).then_some(compiling);
        let run = Run {
            graph,
            // Threads of one run take the numbers above 1.
            environment: guard.environment(graph, clock, (seed << 32) + 1),
            parameters,
            procedures: &self.prepared.procedures,
            open_csv: self.prepared.open_csv.as_deref(),
            guard,
            width: self.width(),
            counters: RefCell::new(Counters::default()),
            pending: RefCell::default(),
            steps: Cell::new(0),
            functions: RefCell::default(),
            found: RefCell::default(),
            labelled: RefCell::default(),
            nodes_at_once: RefCell::default(),
            joined: RefCell::default(),
            asked: RefCell::default(),
            given: RefCell::default(),
            threads: self.limits.threads,
            leaf: None,
            only_reads: !self.writes(),
            compiling,
            profiler,
        };
        body(&run)
    }
}

/// Whether a text may call a function of the clock: all have such names. Most queries have
/// none, and are spared a look at the system's time.
fn may_ask_time(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["date", "time", "duration", "\\"]
        .iter()
        .any(|part| text.contains(part))
}

fn flow_of(flow: ControlFlow<()>) -> Flow {
    match flow {
        ControlFlow::Continue(()) => Flow::Continue,
        ControlFlow::Break(()) => Flow::Stop,
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
                "AS OF takes the name of a snapshot or the number of a commit, not {}",
                with_article(other.type_name())
            );
            Err(QueryError::type_error(message))
        }
    }
}
