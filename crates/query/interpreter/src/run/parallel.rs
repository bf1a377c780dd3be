//! Pipelines that only read, by many threads: each takes morsels of the scan that the
//! pipeline begins with, and has a state of its own.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use evergraph_planner::{Lookup, Operator, Plan, Relationships};
use evergraph_property_graph::graph::EntityKind;

use super::{Flow, Result, Run};
use crate::batch::Batch;
use crate::graph::{Access, Graph};
use crate::profile::{OperatorProfile, Profiler};
use crate::{Counters, QueryError};

/// The scan whose morsels threads share.
#[derive(Clone, Copy)]
pub(crate) struct Leaf<'a> {
    plan: &'a Plan,
    next: &'a AtomicU32,
}

impl Leaf<'_> {
    /// Whether this is the scan.
    pub(super) fn is(&self, plan: &Plan) -> bool {
        std::ptr::eq(self.plan, plan)
    }

    /// The next morsel that no thread has taken.
    pub(super) fn take(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// Bytes of stack of a thread, beside those of each operator.
const STACK: usize = 1 << 21;
const STACK_OF_OPERATOR: usize = 1 << 16;

impl Run<'_, '_> {
    /// States that have taken all rows of a plan, a state a thread; `None` if the plan is
    /// not to be run by threads.
    pub(super) fn in_parallel<T: Send>(
        &self,
        plan: &Plan,
        argument: &Batch,
        new: impl Fn() -> Result<T> + Sync,
        take: impl Fn(&Run<'_, '_>, &mut T, Batch) -> Result<()> + Sync,
    ) -> Result<Option<Vec<T>>> {
        let (Some(view), Some(leaf), None) = (self.graph.view(), leaf_of(plan), self.leaf) else {
            return Ok(None);
        };
        let kind = match leaf.operator {
            Operator::Relationships(_) => EntityKind::Relationship,
            _ => EntityKind::Node,
        };
        let morsels = self.graph.reader().morsels(kind).len();
        let threads = self.threads.min(morsels as usize);
        if threads < 2 || argument.len() != 1 {
            return Ok(None);
        }
        let next = AtomicU32::new(0);
        let (parameters, procedures, guard) = (self.parameters, self.procedures, self.guard);
        let open_csv = self.open_csv;
        let (width, clock, compiling) = (self.width, &self.environment.clock, self.compiling);
        let account = self.graph.shared_account();
        let fork = self.profiler.map(Profiler::fork);
        let work = |number: usize| -> Result<(T, Vec<OperatorProfile>)> {
            let graph = Graph::new(Access::View(view.clone()), Arc::clone(account));
            let profiler = fork.as_ref().map(|fork| fork());
            let run = Run {
                graph: &graph,
                environment: guard.environment(&graph, clock.clone(), number as u64 + 2),
                parameters,
                procedures,
                open_csv,
                guard,
                width,
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
                threads: 1,
                leaf: Some(Leaf {
                    plan: leaf,
                    next: &next,
                }),
                only_reads: true,
                compiling,
                profiler: profiler.as_ref(),
            };
            let mut state = new()?;
            let done = run.run(plan, argument.clone(), &mut |batch| {
                take(&run, &mut state, batch)?;
                Ok(Flow::Continue)
            });
            // The others end at their next look at the limits.
            done.map_err(|error| guard.told(error))
                .inspect_err(|_| guard.fail())?;
            drop(run);
            Ok((state, profiler.map_or(Vec::new(), Profiler::finish)))
        };
        let stack = STACK + plan.depth() * STACK_OF_OPERATOR;
        let run_all = || {
            std::thread::scope(|scope| {
                let started = (0..threads).map(|number| {
                    let work = &work;
                    let builder = std::thread::Builder::new().stack_size(stack);
                    builder.spawn_scoped(scope, move || work(number))
                });
                let started: Vec<_> = started.collect();
                let joined = started.into_iter().map(|thread| match thread {
                    Ok(thread) => thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    Err(error) => {
                        let message = format!("no thread for the query: {error}");
                        Err(QueryError::runtime("ResourceError", "NoThread", message))
                    }
                });
                joined.collect()
            })
        };
        let results: Vec<Result<(T, Vec<OperatorProfile>)>> = match self.profiler {
            Some(profiler) => profiler.waiting(run_all),
            None => run_all(),
        };
        let (states, errors): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        let mut errors: Vec<QueryError> = errors.into_iter().filter_map(Result::err).collect();
        // One that only stopped because of another says less.
        errors.sort_by_key(|error| matches!(error, QueryError::Cancelled));
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => {
                let states = states.into_iter().filter_map(Result::ok);
                let states = states.map(|(state, operators)| {
                    self.profiler.inspect(|profiler| profiler.add(&operators));
                    state
                });
                Ok(Some(states.collect()))
            }
        }
    }
}

/// The scan that a pipeline begins with, if each of its operators takes each row alone.
fn leaf_of(plan: &Plan) -> Option<&Plan> {
    let mut plan = plan;
    loop {
        let input = plan.input.as_deref()?;
        let is_last = matches!(input.operator, Operator::Argument);
        match &plan.operator {
            Operator::NodeScan { .. }
            | Operator::Relationships(Relationships {
                by: Lookup::Scan(_),
                ..
            }) if is_last => return Some(plan),
            operator if operator.is_search() => plan = input,
            Operator::Filter(_)
            | Operator::Extend(_)
            | Operator::Keep(_)
            | Operator::Unwind(..)
            | Operator::Optional { .. }
            | Operator::SemiApply { .. } => plan = input,
            _ => return None,
        }
    }
}
