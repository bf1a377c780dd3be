//! `CALL { ... } IN TRANSACTIONS`. The rows before it are read on one commit, and its subquery
//! is run for some of them at a time, each time in a transaction that commits by itself; what
//! is behind it reads the commit that is the newest when all have run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use evergraph_functions::Datum;
use evergraph_planner::{InTransactions, Operator, Plan};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{PropertyGraph, Transaction, View};
use evergraph_syntax::tree::{Mode, OnError};
use evergraph_syntax::with_article;

use super::{Parameters, Query};
use crate::batch::{Batch, Column};
use crate::evaluate::Row;
use crate::graph::{Access, Graph};
use crate::limits::{Account, Guard};
use crate::profile::Profiler;
use crate::run::{Flow, Result, Sink};
use crate::{Counters, QueryError, Rows, Summary};

/// Rows that a transaction is for, unless told otherwise: as in Neo4j.
const ROWS: usize = 1_000;

/// The operators of a statement that run transactions, in the order in which they do.
fn steps_of(plan: &Plan) -> Vec<(&Plan, &InTransactions)> {
    let mut found = Vec::new();
    let mut next = Some(plan);
    while let Some(plan) = next {
        if let Operator::InTransactions(step) = &plan.operator {
            found.push((plan, step));
        }
        next = plan.input.as_deref();
    }
    found.reverse();
    found
}

impl Query {
    /// Whether parts of it commit by themselves: it is no part of a transaction then, and
    /// [`Query::run_in_transactions`] and [`Query::execute`] alone run it.
    pub fn commits_itself(&self) -> bool {
        self.mode() != Mode::Explain && !steps_of(&self.prepared.planned.plan).is_empty()
    }

    /// Runs a query that commits by itself; its rows, and the commit on which they were read.
    ///
    /// # Errors
    /// Errors of the query; what its transactions have committed by then stays.
    pub fn run_in_transactions(
        &self,
        graph: &PropertyGraph,
        parameters: &Parameters,
    ) -> Result<(Rows, View)> {
        self.on_stack(|| {
            let begin = (self.mode() == Mode::Profile).then(Instant::now);
            let guard = Guard::new(&self.limits);
            let profiler = begin.map(|_| Profiler::of(&self.prepared.planned.plan));
            let work = Work {
                query: self,
                graph: &guard.bounds().of_graph(graph),
                parameters,
                guard: &guard,
                profiler: profiler.as_ref(),
            };
            let mut summary = Summary::default();
            let done = work.all(&mut summary.counters);
            let (batches, view) = done.map_err(|error| guard.told(error))?;
            self.note(&mut summary, profiler, begin, &guard);
            let columns = Arc::clone(&self.prepared.columns);
            let slots = self.prepared.slots.clone();
            Ok((Rows::new(columns, slots, batches, summary), view))
        })
    }
}

/// State that all parts of a run share.
struct Work<'w> {
    query: &'w Query,
    graph: &'w PropertyGraph,
    parameters: &'w Parameters,
    guard: &'w Guard,
    profiler: Option<&'w Profiler>,
}

impl Work<'_> {
    /// Runs all parts; the rows of the last one, and the commit that it read.
    fn all(&self, counters: &mut Counters) -> Result<(VecDeque<Batch>, View)> {
        let plan = &self.query.prepared.planned.plan;
        let has_columns = !self.query.prepared.slots.is_empty();
        let mut given = (Vec::new(), self.guard.account("no rows"));
        for (at, step) in steps_of(plan) {
            let Some(input) = at.input.as_deref() else {
                continue;
            };
            let is_read = has_columns || !std::ptr::eq(at, plan);
            let mut batches = Batches::new(self, step, is_read)?;
            let rows = std::mem::take(&mut given.0);
            self.read(&self.graph.view(), input, rows, &mut |batch| {
                batches.add(batch)
            })?;
            batches.flush()?;
            counters.add(batches.counters);
            given = (batches.results, batches.kept);
        }
        let view = self.graph.view();
        let mut batches = VecDeque::new();
        if matches!(plan.operator, Operator::InTransactions(_)) && !has_columns {
            return Ok((batches, view));
        }
        let mut account = self.guard.account("its result");
        let rows = std::mem::take(&mut given.0);
        self.read(&view, plan, rows, &mut |batch| {
            if has_columns {
                let batch = batch.unshared();
                account.add(batch.bytes())?;
                batches.push_back(batch);
            }
            Ok(Flow::Continue)
        })?;
        Ok((batches, view))
    }

    /// Pushes the rows of a part that only reads; `rows` are those of the transactions before
    /// it.
    fn read(&self, view: &View, plan: &Plan, rows: Vec<Batch>, sink: &mut Sink<'_>) -> Result<()> {
        let graph = self.access(Access::View(view.clone()));
        let (query, parameters) = (self.query, self.parameters);
        query.with_run(&graph, self.guard, parameters, self.profiler, |run| {
            *run.given.borrow_mut() = rows;
            run.run(plan, Batch::start(query.width()), sink)?;
            Ok(())
        })
    }

    fn access<'g>(&self, access: Access<'g>) -> Graph<'g> {
        Graph::new(access, Arc::clone(self.guard.shared_account()))
    }

    /// Runs a subquery for some rows in a transaction.
    fn within(
        &self,
        step: &InTransactions,
        rows: &Batch,
        transaction: &mut Transaction,
        seed: u64,
    ) -> Result<(Batch, Counters)> {
        let graph = self.access(Access::Transaction(transaction));
        let (query, parameters) = (self.query, self.parameters);
        query.with_seed(seed, &graph, self.guard, parameters, self.profiler, |run| {
            let (made, _account) = run.collect(&step.inner, rows.clone(), "a transaction")?;
            run.delete_pending()?;
            Ok((made, *run.counters.borrow()))
        })
    }

    /// Rows that a transaction is for.
    fn most(&self, step: &InTransactions) -> Result<usize> {
        let Some(rows) = &step.rows else {
            return Ok(ROWS);
        };
        let graph = self.access(Access::View(self.graph.view()));
        let (query, parameters) = (self.query, self.parameters);
        let most = query.with_run(&graph, self.guard, parameters, None, |run| {
            run.value(rows, &mut Row::new(&Batch::start(query.width()), 0))
        })?;
        match most {
            Datum::Value(Value::Integer(most @ 1..)) => Ok(most.min(u32::MAX.into()) as usize),
            other => {
                let found = match &other {
                    Datum::Value(Value::Integer(number)) => number.to_string(),
                    other => with_article(other.type_name()),
                };
                let message = format!("a transaction is for 1 or more rows, not {found}");
                let detail = "NumberOutOfRange";
                Err(QueryError::runtime("ArgumentError", detail, message))
            }
        }
    }
}

/// The transactions of one `CALL { ... } IN TRANSACTIONS`.
struct Batches<'w> {
    work: &'w Work<'w>,
    step: &'w InTransactions,
    /// Rows that a transaction is for.
    most: usize,
    /// Rows of the next one, and their memory.
    pending: Batch,
    account: Account<'w>,
    /// Transactions that were begun.
    begun: u64,
    /// Whether one has failed, and none follows.
    is_over: bool,
    counters: Counters,
    /// Whether anything reads the rows.
    is_read: bool,
    /// Rows with what their transactions gave, and their memory.
    results: Vec<Batch>,
    kept: Account<'w>,
}

impl<'w> Batches<'w> {
    fn new(work: &'w Work<'w>, step: &'w InTransactions, is_read: bool) -> Result<Self> {
        Ok(Batches {
            work,
            step,
            most: work.most(step)?,
            pending: Batch::rows_of(work.query.width(), 0),
            account: work.guard.account("rows of a transaction"),
            begun: 0,
            is_over: false,
            counters: Counters::default(),
            is_read,
            results: Vec::new(),
            kept: work.guard.account("rows behind transactions"),
        })
    }

    /// Adds rows, and runs the transactions that have enough.
    fn add(&mut self, batch: Batch) -> Result<Flow> {
        let mut from = 0;
        while from < batch.len() {
            let part = batch.slice(from, self.most - self.pending.len());
            let part = part.unshared();
            from += part.len();
            self.account.add(part.bytes())?;
            self.pending.append(part);
            if self.pending.len() == self.most {
                self.flush()?;
            }
        }
        Ok(Flow::Continue)
    }

    /// Runs the transaction of the rows so far.
    fn flush(&mut self) -> Result<()> {
        let empty = Batch::rows_of(self.work.query.width(), 0);
        let rows = std::mem::replace(&mut self.pending, empty);
        self.account.clear();
        if rows.is_empty() {
            return Ok(());
        }
        let (mut made, status) = match self.is_over {
            true => (self.with_nulls(rows), self.status(false, None)),
            false => match self.transaction(&rows) {
                Ok(made) => (made, self.status(true, None)),
                Err(error) if self.step.on_error == OnError::Fail || error.is_stop() => {
                    return Err(error);
                }
                Err(error) => {
                    self.is_over = self.step.on_error == OnError::Break;
                    let status = self.status(true, Some(error.to_string()));
                    (self.with_nulls(rows), status)
                }
            },
        };
        if let Some(slot) = self.step.status {
            made.set(slot, Column::Same(status));
        }
        if self.is_read && !made.is_empty() {
            self.kept.add(made.bytes())?;
            self.results.push(made);
        }
        Ok(())
    }

    /// Rows with what the subquery gives for them, committed.
    fn transaction(&mut self, rows: &Batch) -> Result<Batch> {
        self.begun += 1;
        let (work, step, seed) = (self.work, self.step, self.begun);
        let done = work.graph.write(|transaction| {
            work.within(step, rows, transaction, seed)
                .map_err(QueryError::into_graph)
        });
        let (made, counters) =
            done.map_err(|error| work.guard.told(work.guard.bounds().told(error)))?;
        self.counters.add(counters);
        Ok(made)
    }

    /// Rows as a subquery without rows leaves them.
    fn with_nulls(&self, mut rows: Batch) -> Batch {
        for &slot in &self.step.brings {
            rows.set(slot, Column::Same(Datum::NULL));
        }
        rows
    }

    /// A map of what became of a transaction.
    fn status(&self, was_begun: bool, error: Option<String>) -> Datum {
        let number = was_begun.then(|| self.begun.to_string());
        let text = |text: Option<String>| text.map_or(Datum::NULL, |text| text.as_str().into());
        let entries = [
            ("started", was_begun.into()),
            ("committed", (was_begun && error.is_none()).into()),
            ("transactionId", text(number)),
            ("errorMessage", text(error)),
        ];
        let entries = entries.map(|(key, value): (&str, Datum)| (Arc::from(key), value));
        Datum::map(BTreeMap::from(entries))
    }
}
