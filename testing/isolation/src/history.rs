//! Histories: the steps of transactions, with the results of their reads.

/// Names a list or a set. Lists and sets have names of their own.
pub type Key = u32;

/// A value that is appended or inserted once in a history.
pub type Element = u64;

/// One step of a transaction, with what it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Put an element at the end of a list.
    Append(Key, Element),
    /// Saw a list.
    Read(Key, Vec<Element>),
    /// Put an element into a set.
    Insert(Key, Element),
    /// Took an element from a set, in which it saw it.
    Remove(Key, Element),
    /// Saw a set; in any order.
    Scan(Key, Vec<Element>),
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Acknowledged as committed, with a CSN if it wrote anything.
    Committed(Option<u64>),
    /// Rolled back.
    Aborted,
    /// It asked for a commit, and a crash came before the answer.
    Unknown,
}

/// One transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its session. Transactions of one session follow one another.
    pub session: u32,
    /// The CSN that it read as of, if that is known.
    pub snapshot: Option<u64>,
    /// Its steps, in order.
    pub operations: Vec<Operation>,
    /// How it ended.
    pub fate: Fate,
}

/// Transactions, each session's in order. The last of all, begun when the
/// others had ended, should read every list and scan every set: what it does not
/// see is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// All of them.
    pub transactions: Vec<Recorded>,
}
