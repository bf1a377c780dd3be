//! What the operators of a run did, for `PROFILE`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evergraph_jit::Compiled;
use evergraph_planner::{Plan, print_rows, print_with};

use crate::batch::Batch;
use crate::run::{Flow, Result, Sink};

/// What one operator did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OperatorProfile {
    /// Rows that it was estimated to give.
    pub estimated: f64,
    /// Rows that it gave.
    pub rows: u64,
    /// Batches that they came in.
    pub batches: u64,
    /// Time that it took itself, without its inputs and what takes its rows; the sum of
    /// its threads.
    pub time: Duration,
    /// Threads that ran it beside each other.
    pub threads: usize,
    /// Times that a batch was given to compiled code, which was of this many the first.
    pub compiled: u64,
    /// The batch that was the first of them.
    pub compiled_from: u64,
    /// Time that compiling it took, in this run or before.
    pub compiling: Duration,
    /// Bytes that it wrote to temporary files, as memory did not hold them.
    pub spilled: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The operators, in the order of the printed plan.
    pub operators: Vec<OperatorProfile>,
    /// Time from the beginning to the last row.
    pub time: Duration,
    /// The most bytes that were held at one time, about.
    pub memory: u64,
}

impl Profile {
    /// Threads that read beside each other, at most.
    pub fn threads(&self) -> usize {
        let threads = self.operators.iter().map(|operator| operator.threads);
        threads.max().unwrap_or(1).max(1)
    }

    /// The plan with what its operators did, and a line of the whole.
    pub(crate) fn print(&self, plan: &Plan, names: &[String]) -> String {
        let places = places_of(plan);
        let mut text = print_with(plan, names, &|plan| {
            let operator = places.get(&address(plan));
            let operator = operator.and_then(|&place| self.operators.get(place));
            operator.map_or(String::new(), note)
        });
        text += &format!(
            "{}, at most {} bytes, {}\n",
            milliseconds(self.time),
            self.memory,
            counted(self.threads() as u64, "thread")
        );
        text
    }
}

fn note(of: &OperatorProfile) -> String {
    let mut text = format!(
        "{} estimated, {} in {}, {}",
        print_rows(of.estimated),
        counted(of.rows, "row"),
        match of.batches {
            1 => "1 batch".to_string(),
            batches => format!("{batches} batches"),
        },
        milliseconds(of.time)
    );
    if of.compiled > 0 {
        let (batch, time) = (of.compiled_from, milliseconds(of.compiling));
        text += &format!(", compiled from batch {batch} in {time}");
    }
    if of.threads > 1 {
        text += &format!(", {} threads", of.threads);
    }
    if of.spilled > 0 {
        text += &format!(", {} bytes spilled", of.spilled);
    }
    text
}

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Operators of a plan by where they are, as a plan stays where it is while it runs.
type Places = HashMap<usize, usize, foldhash::fast::RandomState>;

fn address(plan: &Plan) -> usize {
    std::ptr::from_ref(plan).addr()
}

fn places_of(plan: &Plan) -> Places {
    let mut places = Places::default();
    plan.for_each(&mut |plan| {
        places.insert(address(plan), places.len());
    });
    places
}

/// Counts and times the operators of one thread. Of all times, each is one operator's.
pub(crate) struct Profiler {
    places: Arc<Places>,
    operators: RefCell<Vec<OperatorProfile>>,
    /// The operator that works now; one behind the last, what is no operator.
    current: Cell<usize>,
    since: Cell<Instant>,
}

impl Profiler {
    pub(crate) fn of(plan: &Plan) -> Self {
        let places = Arc::new(places_of(plan));
        let current = places.len();
        let profiler = Profiler::new(places, current);
        let mut operators = profiler.operators.borrow_mut();
        let mut place = 0;
        plan.for_each(&mut |plan| {
            operators[place].estimated = plan.rows;
            place += 1;
        });
        drop(operators);
        profiler
    }

    fn new(places: Arc<Places>, current: usize) -> Self {
        let operators = vec![OperatorProfile::default(); places.len() + 1];
        Profiler {
            places,
            operators: RefCell::new(operators),
            current: Cell::new(current),
            since: Cell::new(Instant::now()),
        }
    }

    /// What the profilers of threads begin with that work for the operator of now.
    pub(crate) fn fork(&self) -> impl Fn() -> Profiler + Send + Sync + 'static {
        let (places, current) = (Arc::clone(&self.places), self.current.get());
        move || Profiler::new(Arc::clone(&places), current)
    }

    /// The place of an operator; `None` of one within an expression, whose work is that of
    /// the operator around it.
    pub(crate) fn place(&self, plan: &Plan) -> Option<usize> {
        self.places.get(&address(plan)).copied()
    }

    /// Runs an operator: its rows are counted, and its time ends where another's begins.
    pub(crate) fn measure(
        &self,
        place: usize,
        sink: &mut Sink<'_>,
        run: impl FnOnce(&mut Sink<'_>) -> Result<Flow>,
    ) -> Result<Flow> {
        let around = self.enter(place);
        let done = run(&mut |batch: Batch| {
            self.count(place, batch.len());
            self.within(around, || sink(batch))
        });
        self.enter(around);
        done
    }

    fn count(&self, place: usize, rows: usize) {
        let operator = &mut self.operators.borrow_mut()[place];
        operator.rows += rows as u64;
        operator.batches += 1;
    }

    /// Notes that a batch was given to code.
    pub(crate) fn was_compiled(&self, code: &Compiled) {
        let mut operators = self.operators.borrow_mut();
        let operator = &mut operators[self.current.get()];
        if operator.compiled == 0 {
            operator.compiled_from = operator.batches + 1;
            operator.compiling = code.time();
        }
        operator.compiled += 1;
    }

    /// Notes bytes that the operator of now wrote to temporary files.
    pub(crate) fn spilled(&self, bytes: u64) {
        self.operators.borrow_mut()[self.current.get()].spilled += bytes;
    }

    fn within<T>(&self, place: usize, work: impl FnOnce() -> T) -> T {
        let before = self.enter(place);
        let done = work();
        self.enter(before);
        done
    }

    /// Does something whose time is no operator's of this thread.
    pub(crate) fn waiting<T>(&self, work: impl FnOnce() -> T) -> T {
        self.within(self.places.len(), work)
    }

    /// The time from now on is that of another operator.
    fn enter(&self, place: usize) -> usize {
        let now = Instant::now();
        let before = self.current.replace(place);
        let since = self.since.replace(now);
        self.operators.borrow_mut()[before].time += now - since;
        before
    }

    /// What the operators did in this thread.
    pub(crate) fn finish(self) -> Vec<OperatorProfile> {
        self.enter(self.places.len());
        let mut operators = self.operators.into_inner();
        operators.truncate(self.places.len());
        operators
    }

    /// Adds what operators did in another thread.
    pub(crate) fn add(&self, other: &[OperatorProfile]) {
        let mut operators = self.operators.borrow_mut();
        for (own, other) in operators.iter_mut().zip(other) {
            own.rows += other.rows;
            own.batches += other.batches;
            own.time += other.time;
            own.threads += usize::from(other.batches > 0);
            if own.compiled == 0 {
                own.compiled_from = other.compiled_from;
                own.compiling = other.compiling;
            }
            own.compiled += other.compiled;
            own.spilled += other.spilled;
        }
    }
}
