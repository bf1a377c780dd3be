//! Names of transactions.

use std::fmt;

/// Names a transaction among all since the graph was opened. One that is run again
/// after a conflict keeps its number, so the lower is the older.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TransactionId(pub u64);

impl fmt::Display for TransactionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transaction {}", self.0)
    }
}
