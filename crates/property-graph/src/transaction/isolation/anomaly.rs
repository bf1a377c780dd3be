//! What can be wrong with a history.

use std::collections::BTreeMap;
use std::fmt;

use crate::transaction::Isolation;

/// A kind of contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Anomaly {
    /// Dirty write: two transactions wrote over each other, here one first and
    /// there the other.
    G0,
    /// Aborted read: what was read never came to be.
    G1a,
    /// Intermediate read: some of what a transaction wrote to an object was
    /// read, without the rest.
    G1b,
    /// Circular information flow: each of two transactions saw the other.
    G1c,
    /// Observed transaction vanishes: what a transaction wrote was seen, and
    /// then other things it wrote were not.
    ObservedTransactionVanishes,
    /// Item many preceders: two reads of a record differ.
    ItemManyPreceders,
    /// Predicate many preceders: two evaluations of a predicate differ.
    PredicateManyPreceders,
    /// Fractured read: part of what a transaction wrote was seen, part was not.
    FracturedRead,
    /// Lost update: two transactions wrote what both had read.
    LostUpdate,
    /// Read skew (G-single): read before a transaction what came after it.
    ReadSkew,
    /// Write skew (G2): each of several transactions wrote what another had
    /// read. Snapshot isolation allows it.
    WriteSkew,
    /// A transaction did not see what it had written itself.
    OwnWrites,
    /// Something was read that nobody wrote, twice, or in another order.
    Garbage,
    /// What was committed is not there in the end.
    Lost,
    /// It contradicts the snapshots and CSNs that were told.
    Clock,
}

impl Anomaly {
    /// Whether transactions of that isolation may show it.
    pub fn is_allowed(self, isolation: Isolation) -> bool {
        self == Anomaly::WriteSkew && isolation == Isolation::Snapshot
    }
}

/// The anomalies of a history, each with sentences that say where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// At most a few sentences of each kind.
    pub found: BTreeMap<Anomaly, Vec<String>>,
}

impl Report {
    const SENTENCES: usize = 5;

    pub(super) fn add(&mut self, anomaly: Anomaly, sentence: impl FnOnce() -> String) {
        let sentences = self.found.entry(anomaly).or_default();
        if sentences.len() < Self::SENTENCES {
            sentences.push(sentence());
        }
    }

    /// Whether it has this anomaly.
    pub fn has(&self, anomaly: Anomaly) -> bool {
        self.found.contains_key(&anomaly)
    }

    /// The anomalies.
    pub fn anomalies(&self) -> Vec<Anomaly> {
        self.found.keys().copied().collect()
    }

    /// Whether the history keeps what the isolation promises.
    pub fn keeps(&self, isolation: Isolation) -> bool {
        self.found
            .keys()
            .all(|anomaly| anomaly.is_allowed(isolation))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.found.is_empty() {
            return write!(f, "no anomaly");
        }
        for (anomaly, sentences) in &self.found {
            for sentence in sentences {
                writeln!(f, "{anomaly:?}: {sentence}")?;
            }
        }
        Ok(())
    }
}
