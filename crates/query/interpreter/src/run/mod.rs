//! Operators: each takes batches from its input and pushes batches on.

mod aggregate;
mod between;
mod beyond;
mod call;
mod counting;
mod create;
mod distinct;
mod expand;
mod hash_join;
mod intersect;
mod join;
mod keys;
mod labelled;
mod load_csv;
mod out;
mod parallel;
mod paths;
mod relationships;
mod rows;
mod runs;
mod scan;
mod search;
mod shortest;
mod sort;
mod together;
mod update;

pub(crate) use labelled::Labelled;
pub(crate) use out::{Filled, Out};
pub(crate) use parallel::Leaf;
pub(crate) use scan::comparison_of;
pub(crate) use together::Found;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::functions::Function;
use evergraph_functions::{Datum, Environment};
use evergraph_planner::{Expression, Lookup, Operator, Plan, Population, Relationships, Slot};
use evergraph_property_graph::graph::NodeId;

use self::hash_join::Join;
pub(crate) use self::hash_join::Joined;
use self::scan::{Scan, Scanned};
use self::sort::Order;
use crate::batch::{BATCH, Batch};
use crate::compile::Compiling;
use crate::evaluate::{Asked, Row};
use crate::graph::Graph;
use crate::limits::{Account, Guard};
use crate::procedures::Procedures;
use crate::profile::Profiler;
use crate::{Counters, OpenCsv, QueryError};

/// Whether more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

pub(crate) type Result<T> = std::result::Result<T, QueryError>;

/// Takes the batches of an operator.
pub(crate) type Sink<'s> = dyn FnMut(Batch) -> Result<Flow> + 's;

/// One run of a query, in one thread.
pub(crate) struct Run<'a, 'g> {
    pub(crate) graph: &'a Graph<'g>,
    pub(crate) environment: Environment<'a>,
    pub(crate) parameters: &'a BTreeMap<String, Datum>,
    pub(crate) procedures: &'a Procedures,
    pub(crate) open_csv: Option<&'a OpenCsv>,
    pub(crate) guard: &'a Guard,
    /// Slots of a row.
    pub(crate) width: usize,
    pub(crate) counters: RefCell<Counters>,
    /// Nodes to be deleted as soon as their last relationships are.
    pub(crate) pending: RefCell<Vec<NodeId>>,
    /// Steps since the limits were looked at.
    pub(crate) steps: Cell<u32>,
    /// Functions that were looked up.
    pub(crate) functions: RefCell<Vec<(Arc<str>, &'static Function)>>,
    /// Threads that it may use.
    pub(crate) threads: usize,
    /// The scan that it shares with other threads.
    pub(crate) leaf: Option<Leaf<'a>>,
    /// Semi-joins that run, the innermost last.
    pub(crate) found: RefCell<Vec<Found>>,
    /// Whether the query changes nothing: what was read of the graph stays right.
    pub(crate) only_reads: bool,
    /// Labels that filters have asked for.
    pub(crate) labelled: RefCell<Vec<Labelled>>,
    /// Nodes that expansions take at once, by the slots of their relationships.
    pub(crate) nodes_at_once: RefCell<Vec<(Slot, usize)>>,
    /// Hash joins that have been asked, where the query only reads.
    pub(crate) joined: RefCell<Vec<Joined<'a>>>,
    /// Lists that `IN` has asked.
    pub(crate) asked: RefCell<Vec<Asked>>,
    /// Rows of the transactions of the statement that have run.
    pub(crate) given: RefCell<Vec<Batch>>,
    /// How expressions are compiled; without, they are interpreted.
    pub(crate) compiling: Option<Compiling<'a>>,
    /// Notes what operators do, for `PROFILE`.
    pub(crate) profiler: Option<&'a Profiler>,
}

/// Steps between two looks at the limits.
const STEPS: usize = 1 << 12;

impl Run<'_, '_> {
    /// Pushes the rows of a plan into `sink`; `argument` are the rows around it.
    pub(crate) fn run(&self, plan: &Plan, argument: Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        if self.profiler.is_none() {
            return self.operate(plan, argument, sink);
        }
        let mut argument = Some(argument);
        self.profiled(plan, sink, &mut |sink| match argument.take() {
            Some(argument) => self.operate(plan, argument, sink),
            None => Ok(Flow::Continue),
        })
    }

    /// Does what a part of a plan does, and notes it in the profile.
    fn profiled(
        &self,
        plan: &Plan,
        sink: &mut Sink<'_>,
        does: &mut dyn FnMut(&mut Sink<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        match self.profiler.and_then(|one| Some((one, one.place(plan)?))) {
            Some((profiler, place)) => profiler.measure(place, sink, does),
            None => does(sink),
        }
    }

    /// Does what an operator does.
    fn operate(&self, plan: &Plan, argument: Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        self.guard.check()?;
        let Some(input) = plan.input.as_deref() else {
            return match &plan.operator {
                Operator::Union { parts, columns } => self.union(parts, columns, &argument, sink),
                _ => sink(argument),
            };
        };
        match &plan.operator {
            Operator::Argument | Operator::Union { .. } => self.run(input, argument, sink),
            Operator::NodeScan { .. }
            | Operator::Relationships(Relationships {
                by: Lookup::Scan(_),
                ..
            }) => self.scan_below(plan, &[], argument, sink),
            Operator::Relationships(found) => self.run(input, argument, &mut |batch| {
                self.seek_relationships(found, &batch, sink)
            }),
            Operator::NodeSeek { node, label, seek } => self.run(input, argument, &mut |batch| {
                self.for_each_row(&batch, sink, |row, out| {
                    let ids = self.seek(Population::Label(label), seek, row)?;
                    out.nodes(*node, &ids)
                })
            }),
            Operator::NodeById { node, id } => self.run(input, argument, &mut |batch| {
                self.for_each_row(&batch, sink, |row, out| {
                    let id = self.value(id, row)?;
                    out.nodes(*node, &self.by_id(&id)?)
                })
            }),
            Operator::NodesByIds { node, ids } => self.run(input, argument, &mut |batch| {
                self.for_each_row(&batch, sink, |row, out| {
                    let ids = self.value(ids, row)?;
                    out.nodes(*node, &self.by_ids(&ids)?)
                })
            }),
            Operator::Expand(expand) => self.run(input, argument, &mut |batch| {
                self.expand(expand, &self.still_open(batch), sink)
            }),
            Operator::Intersect(intersect) => self.run(input, argument, &mut |batch| {
                self.intersect(intersect, &self.still_open(batch), sink)
            }),
            Operator::VariableExpand(paths) => self.run(input, argument, &mut |batch| {
                self.walk(paths, &self.still_open(batch), sink)
            }),
            Operator::ShortestPath(shortest) => self.run(input, argument, &mut |batch| {
                self.shortest(shortest, &batch, sink)
            }),
            Operator::SearchPaths(search) => self.run(input, argument, &mut |batch| {
                self.search_paths(search, &batch, sink)
            }),
            Operator::Endpoints(expand, known) => self.run(input, argument, &mut |batch| {
                self.endpoints(expand, *known, &batch, sink)
            }),
            Operator::Filter(conditions) => match input.operator {
                // A profile tells the two apart.
                Operator::NodeScan { .. }
                | Operator::Relationships(Relationships {
                    by: Lookup::Scan(_),
                    ..
                }) if self.profiler.is_none() => self.scan_below(input, conditions, argument, sink),
                _ => self.run(input, argument, &mut |batch| {
                    self.push(self.filtered(conditions, batch)?, sink)
                }),
            },
            Operator::Extend(items) => self.run(input, argument, &mut |batch| {
                self.push(self.extended(items, batch)?, sink)
            }),
            Operator::Keep(slots) => {
                let around = (!argument.is_blank()).then(|| argument.clone());
                let keep = &mut |batch: Batch| self.push(batch.keep(around.as_ref(), slots), sink);
                // A profile tells the two apart.
                match around.is_none() && self.profiler.is_none() {
                    true => self.rows_with(slots, input, argument, keep),
                    false => self.run(input, argument, keep),
                }
            }
            Operator::Aggregate { keys, aggregates } => {
                self.aggregate(keys, aggregates, input, argument, sink)
            }
            Operator::Count(count) => self.count_rows(count, input, argument, sink),
            Operator::Distinct(slots) => self.distinct(slots, input, argument, sink),
            Operator::Sort(keys) => self.sort(keys, input, argument, sink),
            Operator::Top(keys, limit) if argument.numbers_in().is_some() => {
                self.top_each((keys, limit), input, argument, sink)
            }
            Operator::Top(keys, limit) => self.top(keys, limit, input, argument, sink),
            Operator::Skip(count) => self.skip(count, input, argument, sink),
            Operator::Limit(count) => self.limit(count, input, argument, sink),
            Operator::Unwind(list, slot) => self.run(input, argument, &mut |batch| {
                self.unwind(list, *slot, &batch, sink)
            }),
            Operator::LoadCsv(load) => self.run(input, argument, &mut |batch| {
                self.load_csv(load, &batch, sink)
            }),
            Operator::Optional { inner, brings } => self.run(input, argument, &mut |batch| {
                self.optional(inner, brings, &batch, sink)
            }),
            Operator::Apply { inner, brings } => self.run(input, argument, &mut |batch| {
                self.apply(inner, brings.as_deref(), &batch, sink)
            }),
            Operator::SemiApply { inner, negated } => self.run(input, argument, &mut |batch| {
                self.push(self.semi_apply(inner, *negated, batch)?, sink)
            }),
            Operator::HashJoin {
                inner,
                keys,
                brings,
            } => {
                let join = Join {
                    inner,
                    keys,
                    brings,
                };
                self.hash_join(join, input, argument, sink)
            }
            Operator::Eager => self.eager(input, argument, sink),
            Operator::Create(create) => self.run(input, argument, &mut |batch| {
                self.push(self.create(create, batch)?, sink)
            }),
            Operator::Merge(merge) => self.run(input, argument, &mut |batch| {
                self.merge(merge, &batch, sink)
            }),
            Operator::Set(items) => self.run(input, argument, &mut |batch| {
                for at in 0..batch.len() {
                    self.set_all(items, &mut Row::new(&batch, at))?;
                }
                self.push(batch, sink)
            }),
            Operator::Delete { detach, items } => self.run(input, argument, &mut |batch| {
                self.delete(*detach, items, &batch)?;
                self.push(batch, sink)
            }),
            Operator::Foreach {
                list,
                variable,
                inner,
            } => self.run(input, argument, &mut |batch| {
                self.foreach(list, *variable, inner, &batch)?;
                self.push(batch, sink)
            }),
            Operator::Call(call) => {
                self.run(input, argument, &mut |batch| self.call(call, &batch, sink))
            }
            // They have run before what is behind them.
            Operator::InTransactions(_) => {
                for batch in self.given.take() {
                    if self.push_all(batch, sink)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
        }
    }

    /// Runs a scan with the conditions of the filter above it.
    fn scan_below(
        &self,
        plan: &Plan,
        conditions: &[Expression],
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (of, tests) = match &plan.operator {
            Operator::NodeScan { node, label, tests } => {
                (Scanned::Nodes(*node, label.as_deref()), tests)
            }
            Operator::Relationships(found) => match &found.by {
                Lookup::Scan(tests) => (Scanned::Relationships(found), tests),
                _ => return Ok(Flow::Continue),
            },
            _ => return Ok(Flow::Continue),
        };
        let Some(input) = plan.input.as_deref() else {
            return Ok(Flow::Continue);
        };
        self.run(input, argument, &mut |batch| {
            let from = Scan {
                of,
                tests,
                conditions,
                leaf: self.leaf.filter(|leaf| leaf.is(plan)),
            };
            self.scan(&from, &batch, sink)
        })
    }

    /// Pushes a batch, if there is anything in it.
    pub(crate) fn push(&self, batch: Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        match batch.is_empty() {
            true => Ok(Flow::Continue),
            false => sink(batch),
        }
    }

    /// Counts a step of work, and looks at the limits after many.
    pub(crate) fn step(&self) -> Result<()> {
        self.work(1)
    }

    /// As [`Run::step`], of work that takes as long as so many.
    pub(crate) fn work(&self, steps: usize) -> Result<()> {
        let steps = (self.steps.get() as usize).saturating_add(steps);
        if steps < STEPS {
            self.steps.set(steps as u32);
            return Ok(());
        }
        self.steps.set(0);
        self.guard.check()
    }

    /// All rows of a plan, and an account of them.
    pub(crate) fn collect(
        &self,
        plan: &Plan,
        argument: Batch,
        what: &'static str,
    ) -> Result<(Batch, Account<'_>)> {
        let mut account = self.guard.account(what);
        let mut all = Batch::rows_of(self.width, 0);
        self.run(plan, argument, &mut |batch| {
            account.add(batch.bytes())?;
            all.append(batch);
            Ok(Flow::Continue)
        })?;
        Ok((all, account))
    }

    /// Pushes many rows in batches.
    pub(crate) fn push_all(&self, all: Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        if all.len() <= BATCH {
            return self.push(all, sink);
        }
        for from in (0..all.len()).step_by(BATCH) {
            if sink(all.slice(from, BATCH))? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    fn eager(&self, input: &Plan, argument: Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        let as_they_come = Order {
            keys: &[],
            most: usize::MAX,
            wanted: None,
            what: "rows between reading and writing",
        };
        self.ordered(as_they_come, input, argument, sink)
    }

    /// Rows that `each` makes of each row, pushed in batches.
    pub(crate) fn for_each_row(
        &self,
        batch: &Batch,
        sink: &mut Sink<'_>,
        mut each: impl FnMut(&mut Row<'_>, &mut Out<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        let is_closed = |at| self.is_closed(batch, at);
        let mut out = Out::new(batch, sink);
        if self.may_be_closed(batch) {
            out.end_rows_if(&is_closed);
        }
        for at in 0..batch.len() {
            self.step()?;
            if !out.begin(at) {
                continue;
            }
            let flow = each(&mut Row::new(batch, at), &mut out)?;
            if flow == Flow::Stop && out.is_stopped() {
                return Ok(Flow::Stop);
            }
        }
        out.finish()
    }
}
