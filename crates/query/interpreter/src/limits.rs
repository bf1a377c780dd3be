//! Bounds of a query: its caller, time and memory.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use evergraph_functions::{Clock, Entities, Environment};
use evergraph_graph::Cancellation;
use evergraph_property_graph::graph::{
    Account as GraphAccount, GraphError, Interrupt, PropertyGraph,
};
use evergraph_property_graph::transaction::{Retryable, TransactionOptions};

use crate::{Execution, QueryError};

/// Bounds of one run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Cancels it.
    pub cancellation: Cancellation,
    /// Longest time, from its beginning to its last row.
    pub timeout: Option<Duration>,
    /// How its expressions are evaluated.
    pub execution: Execution,
    /// Most bytes that it holds at one time: rows that are sorted, grouped, joined or
    /// collected, and what is read for them.
    pub memory: usize,
    /// Directory for temporary files of what needs more memory: sorts, groups, distinct
    /// rows, hash joins; without one they fail.
    pub spill: Option<PathBuf>,
    /// Most threads that read at a time; with one, rows without an order and sums of
    /// floats are the same each time.
    pub threads: usize,
}

/// Bytes that a query may hold, unless told otherwise.
const MEMORY: usize = 1 << 30;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cancellation: Cancellation::new(),
            execution: Execution::default(),
            timeout: None,
            memory: MEMORY,
            spill: None,
            threads: cores(),
        }
    }
}

impl Limits {
    /// The bounds of what begins now.
    pub fn begin(&self) -> Arc<Bounds> {
        let until = |timeout| Instant::now().checked_add(timeout);
        Arc::new(Bounds {
            cancellation: self.cancellation.clone(),
            timeout: self.timeout.unwrap_or_default(),
            until: self.timeout.and_then(until),
        })
    }
}

/// Ends of work that has begun: its caller's will, and its deadline, which is the same
/// however often parts of it are run again.
#[derive(Debug)]
pub struct Bounds {
    cancellation: Cancellation,
    timeout: Duration,
    /// Never, if that is after all time.
    until: Option<Instant>,
}

impl Bounds {
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether the work may go on.
    ///
    /// # Errors
    /// The reason that ended it.
    pub fn check(&self) -> Result<(), QueryError> {
        if self.cancellation.is_cancelled() {
            return Err(QueryError::Cancelled);
        }
        match self.is_late() {
            true => Err(QueryError::Timeout(self.timeout)),
            false => Ok(()),
        }
    }

    /// The same graph, whose transactions wait for others within the bounds.
    pub fn of_graph(self: &Arc<Self>, graph: &PropertyGraph) -> PropertyGraph {
        graph.with_options(TransactionOptions {
            interrupt: Some(Arc::clone(self) as _),
            ..graph.transaction_options().clone()
        })
    }

    /// The error of a transaction of [`Bounds::of_graph`]: one that was waiting is told what
    /// ended that.
    pub fn told(&self, error: GraphError) -> QueryError {
        let was_waiting = error.is_retryable() || matches!(error, GraphError::Cancelled);
        match self.check() {
            Err(end) if was_waiting => end,
            _ => QueryError::of_transaction(error),
        }
    }
}

impl Interrupt for Bounds {
    fn is_wanted(&self) -> bool {
        self.cancellation.is_cancelled() || self.is_late()
    }
}

/// Cores that the process may use, asked for once: the answer is read from several files,
/// which takes longer than a small query.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Reason to end a run before its time.
#[derive(Debug)]
struct Signals {
    bounds: Arc<Bounds>,
    /// One of its threads has failed.
    has_failed: AtomicBool,
}

/// Long reads of the graph ask, too.
impl Interrupt for Signals {
    fn is_wanted(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed) || self.bounds.is_wanted()
    }
}

/// The limits of a run that goes on, shared by its threads.
pub(crate) struct Guard {
    limits: Limits,
    signals: Arc<Signals>,
    /// Memory of the run and of its reads.
    account: Arc<GraphAccount>,
    /// The most that was held when the run took more.
    peak: AtomicU64,
}

impl Guard {
    /// Of a run that begins now.
    pub(crate) fn new(limits: &Limits) -> Self {
        Guard::within(limits, limits.begin())
    }

    /// Of a run that is part of what began before.
    pub(crate) fn within(limits: &Limits, bounds: Arc<Bounds>) -> Self {
        let signals = Arc::new(Signals {
            bounds,
            has_failed: AtomicBool::new(false),
        });
        let bytes = u64::try_from(limits.memory).unwrap_or(u64::MAX);
        Guard {
            limits: limits.clone(),
            account: Arc::new(GraphAccount::interruptible(bytes, signals.clone())),
            signals,
            peak: AtomicU64::new(0),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn bounds(&self) -> &Arc<Bounds> {
        &self.signals.bounds
    }

    /// When it has to have ended.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.signals.bounds.until
    }

    /// Stops the other threads of the query.
    pub(crate) fn fail(&self) {
        self.signals.has_failed.store(true, Ordering::Relaxed);
    }

    /// State that expressions of one thread share: none of their values may be larger than the
    /// memory of the query.
    pub(crate) fn environment<'g>(
        &self,
        entities: &'g dyn Entities,
        clock: Clock,
        seed: u64,
    ) -> Environment<'g> {
        let mut environment = Environment::new(entities, clock, seed);
        environment.most_bytes = environment.most_bytes.min(self.limits.memory);
        environment
    }

    /// The memory that reads of the graph are charged to, with all else.
    pub(crate) fn shared_account(&self) -> &Arc<GraphAccount> {
        &self.account
    }

    /// The directory for what memory does not hold.
    pub(crate) fn spill(&self) -> Option<&PathBuf> {
        self.limits.spill.as_ref()
    }

    /// Most bytes that the query may hold.
    pub(crate) fn memory(&self) -> usize {
        self.limits.memory
    }

    /// Bytes that are held now.
    pub(crate) fn used(&self) -> usize {
        self.account.used() as usize
    }

    /// The most bytes that were held at one time, about.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Fails if the query is to stop.
    pub(crate) fn check(&self) -> Result<(), QueryError> {
        // Time is up for all threads, also for those that another one ends.
        self.bounds().check()?;
        match self.signals.has_failed.load(Ordering::Relaxed) {
            true => Err(QueryError::Cancelled),
            false => Ok(()),
        }
    }

    /// An error of the run by what the caller knows: reads of the graph only tell that
    /// they were stopped, or had too little memory.
    pub(crate) fn told(&self, error: QueryError) -> QueryError {
        match graph_error(&error) {
            Some(GraphError::Cancelled) => self.check().err().unwrap_or(QueryError::Cancelled),
            Some(GraphError::MemoryLimit { .. }) => self.exceeded("what it reads"),
            _ => error,
        }
    }

    fn exceeded(&self, what: &'static str) -> QueryError {
        QueryError::Memory {
            limit: self.limits.memory,
            what,
        }
    }

    /// Notes that bytes are not held any more that an account was kept for.
    pub(crate) fn release(&self, bytes: u64) {
        self.account.release(bytes);
    }

    /// An account of what a part of the query holds.
    pub(crate) fn account(&self, what: &'static str) -> Account<'_> {
        Account {
            guard: self,
            what,
            bytes: 0,
            pending: 0,
        }
    }
}

/// The error of the graph behind one, also of a read within an expression.
fn graph_error(error: &QueryError) -> Option<&GraphError> {
    match error {
        QueryError::Graph(error) => Some(error),
        QueryError::Evaluation(error) => std::error::Error::source(error)?.downcast_ref(),
        _ => None,
    }
}

/// Bytes that a part of a query holds, given back when it is dropped.
pub(crate) struct Account<'g> {
    guard: &'g Guard,
    what: &'static str,
    bytes: u64,
    /// Bytes that are noted with the next ones.
    pending: usize,
}

/// Bytes that something grows by between two looks at the limit.
const STEP: usize = 1 << 16;

impl Account<'_> {
    /// Notes that something has grown by so many bytes: together with others, as it is
    /// done for each element.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), QueryError> {
        self.pending = self.pending.saturating_add(bytes);
        match self.pending < STEP {
            true => Ok(()),
            false => {
                let bytes = std::mem::take(&mut self.pending);
                self.add(bytes)
            }
        }
    }

    /// Notes that so many more bytes are held; if it fails, they are not noted.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), QueryError> {
        let (guard, bytes) = (self.guard, bytes as u64);
        match guard.account.charge(bytes) {
            Ok(()) => {
                self.bytes += bytes;
                guard
                    .peak
                    .fetch_max(guard.account.used(), Ordering::Relaxed);
                Ok(())
            }
            Err(GraphError::MemoryLimit { .. }) => Err(guard.exceeded(self.what)),
            Err(other) => Err(guard.told(other.into())),
        }
    }

    /// Leaves what is noted to who keeps the bytes, for [`Guard::release`].
    pub(crate) fn keep(mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }

    /// Bytes that are noted.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes as usize
    }

    /// Notes that so many bytes are held now.
    pub(crate) fn set(&mut self, bytes: usize) -> Result<(), QueryError> {
        self.clear();
        self.add(bytes)
    }

    /// Notes that nothing is held.
    pub(crate) fn clear(&mut self) {
        self.guard.account.release(std::mem::take(&mut self.bytes));
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}
