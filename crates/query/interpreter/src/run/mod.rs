//! Operators: each takes batches from its input and pushes batches on.

mod aggregate;
mod call;
mod create;
mod expand;
mod join;
mod out;
mod parallel;
mod paths;
mod rows;
mod scan;
mod sort;
mod update;

pub(crate) use out::{Filled, Out};
pub(crate) use parallel::Leaf;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::functions::Function;
use evergraph_functions::{Datum, Environment};
use evergraph_planner::{Operator, Plan};
use evergraph_property_graph::graph::NodeId;

use self::scan::Scan;
use crate::batch::{BATCH, Batch};
use crate::evaluate::Row;
use crate::graph::Graph;
use crate::limits::{Account, Guard};
use crate::procedures::Procedures;
use crate::{Counters, QueryError};

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
}

/// Steps between two looks at the limits.
const STEPS: u32 = 1 << 12;

impl Run<'_, '_> {
    /// Pushes the rows of a plan into `sink`; `argument` are the rows around it.
    pub(crate) fn run(&self, plan: &Plan, argument: Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        self.guard.check()?;
        let base = argument.clone();
        let Some(input) = plan.input.as_deref() else {
            return match &plan.operator {
                Operator::Union { parts, columns } => self.union(parts, columns, &argument, sink),
                _ => sink(argument),
            };
        };
        match &plan.operator {
            Operator::Argument | Operator::Union { .. } => self.run(input, argument, sink),
            Operator::NodeScan { node, label, tests } => self.run(input, argument, &mut |batch| {
                let leaf = self.leaf.filter(|leaf| leaf.is(plan));
                let from = Scan {
                    node: *node,
                    label: label.as_deref(),
                    tests,
                    leaf,
                };
                self.scan(&from, &batch, sink)
            }),
            Operator::NodeSeek { node, label, seek } => self.run(input, argument, &mut |batch| {
                self.for_each_row(&batch, sink, |row, out| {
                    let ids = self.seek(label, seek, row)?;
                    out.nodes(*node, &ids)
                })
            }),
            Operator::NodeById { node, id } => self.run(input, argument, &mut |batch| {
                self.for_each_row(&batch, sink, |row, out| {
                    let id = self.value(id, row)?;
                    out.nodes(*node, &self.by_id(&id)?)
                })
            }),
            Operator::Expand(expand) => self.run(input, argument, &mut |batch| {
                self.expand(expand, &batch, sink)
            }),
            Operator::VariableExpand(paths) => {
                self.run(input, argument, &mut |batch| self.walk(paths, &batch, sink))
            }
            Operator::ShortestPath(shortest) => self.run(input, argument, &mut |batch| {
                self.shortest(shortest, &batch, sink)
            }),
            Operator::Endpoints(expand, known) => self.run(input, argument, &mut |batch| {
                self.endpoints(expand, *known, &batch, sink)
            }),
            Operator::Filter(conditions) => self.run(input, argument, &mut |batch| {
                self.push(self.filtered(conditions, batch)?, sink)
            }),
            Operator::Extend(items) => self.run(input, argument, &mut |batch| {
                self.push(self.extended(items, batch)?, sink)
            }),
            Operator::Keep(slots) => self.run(input, argument, &mut |batch| {
                self.push(batch.keep(&base, slots), sink)
            }),
            Operator::Aggregate { keys, aggregates } => {
                self.aggregate(keys, aggregates, input, argument, sink)
            }
            Operator::Distinct(slots) => self.distinct(slots, input, argument, sink),
            Operator::Sort(keys) => self.sort(keys, input, argument, sink),
            Operator::Top(keys, limit) => self.top(keys, limit, input, argument, sink),
            Operator::Skip(count) => self.skip(count, input, argument, sink),
            Operator::Limit(count) => self.limit(count, input, argument, sink),
            Operator::Unwind(list, slot) => self.run(input, argument, &mut |batch| {
                self.unwind(list, *slot, &batch, sink)
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
            } => self.hash_join(inner, keys, brings, input, argument, sink),
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
        }
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
        let steps = self.steps.get() + 1;
        self.steps.set(steps % STEPS);
        match steps == STEPS {
            true => self.guard.check(),
            false => Ok(()),
        }
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
        let what = "rows between reading and writing";
        let (all, _account) = self.collect(input, argument, what)?;
        self.push_all(all, sink)
    }

    /// Rows that `each` makes of each row, pushed in batches.
    pub(crate) fn for_each_row(
        &self,
        batch: &Batch,
        sink: &mut Sink<'_>,
        mut each: impl FnMut(&mut Row<'_>, &mut Out<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut out = Out::new(batch, sink);
        for at in 0..batch.len() {
            out.at = at as u32;
            self.step()?;
            if each(&mut Row::new(batch, at), &mut out)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        out.flush()
    }
}
