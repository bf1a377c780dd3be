//! The store under test, and the plans it follows.

use crate::anomaly::Level;
use crate::history::{Element, Key};

/// Why a transaction cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It is rolled back: it met a conflict, or the storage failed before its commit.
    Aborted,
    /// It cannot be told whether it was committed.
    Unknown,
}

/// A store with lists and sets, that begin empty.
///
/// Errors other than conflicts and failures of the storage are panics: the test
/// fails.
pub trait Subject: Sync {
    /// An open transaction; dropped, it is rolled back.
    type Transaction;
    /// A commit on its way. A store that cannot have several on one thread
    /// commits in [`Subject::enqueue`] and gives the outcome here.
    type Pending;

    /// Begins a transaction.
    fn begin(&self, level: Level) -> Self::Transaction;

    /// The CSN that it reads as of, if it can be told.
    fn snapshot(&self, transaction: &Self::Transaction) -> Option<u64>;

    /// Puts an element at the end of a list.
    fn append(
        &self,
        transaction: &mut Self::Transaction,
        list: Key,
        element: Element,
    ) -> Result<(), Stop>;

    /// Reads a list.
    fn read(&self, transaction: &mut Self::Transaction, list: Key) -> Result<Vec<Element>, Stop>;

    /// Puts an element into a set.
    fn insert(
        &self,
        transaction: &mut Self::Transaction,
        set: Key,
        element: Element,
    ) -> Result<(), Stop>;

    /// Takes an element, which the transaction has seen, out of a set.
    fn remove(
        &self,
        transaction: &mut Self::Transaction,
        set: Key,
        element: Element,
    ) -> Result<(), Stop>;

    /// Reads a set, in any order.
    fn scan(&self, transaction: &mut Self::Transaction, set: Key) -> Result<Vec<Element>, Stop>;

    /// Gives a transaction its place among the commits.
    fn enqueue(&self, transaction: Self::Transaction) -> Result<Self::Pending, Stop>;

    /// Waits for a commit and gives its CSN, if it wrote something.
    fn finish(&self, pending: Self::Pending) -> Result<Option<u64>, Stop>;
}

/// One step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Append to a list.
    Append(Key),
    /// Read a list.
    Read(Key),
    /// Insert into a set.
    Insert(Key),
    /// Scan a set and remove its smallest element, if it has one.
    RemoveFirst(Key),
    /// Scan a set.
    Scan(Key),
}

/// Steps of one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Level of its isolation.
    pub level: Level,
    /// Its steps.
    pub steps: Vec<Step>,
    /// It ends with a rollback.
    pub aborts: bool,
}

impl Plan {
    /// A plan that ends with a commit.
    pub fn new(level: Level, steps: &[Step]) -> Self {
        Plan {
            level,
            steps: steps.to_vec(),
            aborts: false,
        }
    }

    /// The same, rolled back in the end.
    pub fn aborted(self) -> Self {
        Plan {
            aborts: true,
            ..self
        }
    }

    /// Moves that it takes: to begin, each step, to enqueue, and to finish.
    pub fn moves(&self) -> usize {
        self.steps.len() + 3
    }
}
