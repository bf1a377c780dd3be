//! Contradictions in a history, and the levels of isolation that allow them.

use std::collections::BTreeMap;
use std::fmt;

/// A level of isolation: the anomalies that a history may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Snapshot isolation: none but write skew.
    #[default]
    Snapshot,
    /// Serializable: none.
    Serializable,
}

/// A kind of contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Anomaly {
    /// Dirty write: two transactions wrote over each other, here one first and
    /// there the other.
    G0,
    /// Aborted read: the writer of what was read was rolled back.
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
    /// An element was read that no transaction wrote there, or twice.
    Garbage,
    /// A committed write is not there in the end.
    Lost,
    /// It contradicts the snapshots and CSNs that the store gave.
    Clock,
}

impl Anomaly {
    /// Whether transactions of that level may show it.
    pub fn is_allowed(self, level: Level) -> bool {
        self == Anomaly::WriteSkew && level == Level::Snapshot
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

    pub(crate) fn add(&mut self, anomaly: Anomaly, sentence: impl FnOnce() -> String) {
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

    /// Whether the level allows all of them.
    pub fn keeps(&self, level: Level) -> bool {
        self.found.keys().all(|anomaly| anomaly.is_allowed(level))
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
