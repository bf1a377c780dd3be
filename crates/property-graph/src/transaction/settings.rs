//! Settings of transactions.

use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Duration;

use super::clock::{Clock, SystemClock};
use super::retry::RetryPolicy;

/// Isolation levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// Reads as of one commit; no write is lost. Two transactions that each read what the
    /// other writes may both commit (write skew).
    #[default]
    Snapshot,
    /// As if the transaction had run alone, at the moment of its commit.
    Serializable,
}

/// Ends reads and waits that are under way: a deadline, a caller who has gone.
pub trait Interrupt: Debug + Send + Sync {
    /// Whether they are to end. It is asked often, by many threads.
    fn is_wanted(&self) -> bool;
}

/// Options of one transaction.
#[derive(Clone, Debug, Default)]
pub struct TransactionOptions {
    /// Isolation level.
    pub isolation: Isolation,
    /// How long it may take up to its commit; `None`: [`Settings::timeout`].
    pub timeout: Option<Duration>,
    /// Shown by `PropertyGraph::active_transactions`.
    pub name: Option<Arc<str>>,
    /// How often, and after which pauses, `PropertyGraph::write_with` runs it again
    /// after a conflict.
    pub retry: RetryPolicy,
    /// Ends waiting for other transactions, with the last conflict.
    pub interrupt: Option<Arc<dyn Interrupt>>,
}

impl TransactionOptions {
    /// Serializable, otherwise as usual.
    pub fn serializable() -> Self {
        TransactionOptions {
            isolation: Isolation::Serializable,
            ..TransactionOptions::default()
        }
    }

    /// Whether nothing is waited for any more.
    pub(crate) fn is_interrupted(&self) -> bool {
        let interrupt = self.interrupt.as_ref();
        interrupt.is_some_and(|interrupt| interrupt.is_wanted())
    }
}

/// Settings for all transactions of a graph.
#[derive(Clone)]
pub struct Settings {
    /// How long a transaction may take up to its commit; `None`: as long as it
    /// likes.
    pub timeout: Option<Duration>,
    /// Writes of recent commits that are remembered at most, in entries of
    /// their write sets (about 16 bytes each). Transactions so old that they
    /// would need more get a retryable conflict where they need it.
    pub remembered_writes: usize,
    /// Single records that a serializable transaction remembers to have read.
    /// When it reads more, it conflicts with every write of a record.
    pub remembered_reads: usize,
    /// Most bytes of DRAM that one transaction may hold before it commits: records that it
    /// made, of others what it wrote and the keys of indexes and constraints, and what
    /// savepoints need to go back.
    pub overlay_bytes: usize,
    /// Parts of the lock table, which do not wait for each other; at least one.
    pub lock_shards: usize,
    /// Source of time.
    pub clock: Arc<dyn Clock>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            timeout: None,
            remembered_writes: 1 << 20,
            remembered_reads: 1 << 20,
            overlay_bytes: 1 << 30,
            lock_shards: 64,
            clock: Arc::new(SystemClock::default()),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("timeout", &self.timeout)
            .field("remembered_writes", &self.remembered_writes)
            .field("remembered_reads", &self.remembered_reads)
            .field("overlay_bytes", &self.overlay_bytes)
            .field("lock_shards", &self.lock_shards)
            .finish_non_exhaustive()
    }
}
