//! Transactions: a snapshot to read, an overlay to write, locks and validation.
//!
//! A `Transaction` reads the committed state as of its snapshot and keeps its writes in
//! an `Overlay` of its own, where savepoints can undo them. It locks a record before it
//! writes it. No transaction waits for a lock: a conflict is an error at once, so there
//! are no deadlocks, and `TransactionManager::execute` tries again. Readers take no
//! locks, never block and never fail.
//!
//! A transaction that needs the schema or a node exclusively would meet new sharers at
//! each attempt. So it reserves the resource after the first, which keeps younger
//! transactions from it, and begins again when it has the lock, with a snapshot taken
//! after it (`claim.rs`).
//!
//! Every transaction has **snapshot isolation**: the first to lock a record writes it,
//! and a record that was committed after the snapshot is not written over.
//! **Serializable** transactions record their reads, too, single records and predicates,
//! and are validated against every commit between their snapshot and their own place in
//! the log.
//!
//! A commit takes its place in the log in the same step in which it is
//! validated, so the order of validation is the order of the log, and of the
//! CSNs. It is in flight until it is visible. Until then it keeps its locks, and
//! later commits are validated against it.
//!
//! Memory: the write set of a commit is forgotten when no active transaction has an older
//! snapshot, or when [`Settings::remembered_writes`] is reached. Transactions that would
//! need a forgotten one get a retryable conflict.
//!
//! The paper (Poseidon, section 5) orders by start timestamps and keeps read
//! timestamps in the records. Adjacency lists are in commit order here, so
//! commits are what orders transactions, and nothing is written by reading.

mod active;
mod claim;
mod clock;
mod commit;
mod committed;
mod error;
mod id;
mod lease;
mod lock;
mod manager;
mod overlay;
mod reads;
mod recent;
mod retry;
mod settings;
mod sync;
#[cfg(test)]
mod tests;
mod writes;
mod writing;

pub(crate) use active::Transaction;
pub use clock::{Clock, ManualClock, SystemClock};
#[cfg(test)]
pub(crate) use commit::Pending;
pub(crate) use committed::{CommittedState, Newest};
pub use error::{Conflict, Retryable, TransactionError};
pub use id::TransactionId;
pub use lock::{Mode, Resource};
pub(crate) use manager::TransactionManager;
pub use manager::{ActiveTransaction, Statistics};
#[cfg(test)]
pub(crate) use overlay::Overlay;
pub use overlay::Savepoint;
pub(crate) use overlay::{Change, Changed, KeyOf, Kind, List};
pub(crate) use reads::{KeyRange, Predicate, Reads};
pub use retry::RetryPolicy;
pub use settings::{Interrupt, Isolation, Settings, TransactionOptions};
pub(crate) use writes::IndexKey;
#[cfg(test)]
pub(crate) use writes::WriteSet;
