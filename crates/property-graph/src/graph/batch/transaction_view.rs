//! The graph as a transaction sees it.

use super::source::Source;
use super::{GraphRead, sealed};
use crate::graph::names::KnownNames;
use crate::graph::transaction::Transaction;
use crate::graph::view::View;
use crate::transaction::{Changed, Reads};

/// The graph as a transaction shows it at one moment: its snapshot, and its writes up to
/// then. What the transaction writes later, or takes back, changes nothing here, so that
/// no clause of a query sees its own writes. Threads may read it while the transaction
/// writes; it may outlive the transaction.
///
/// Cheap to make and to clone: it shares the transaction's changes until either is
/// changed. Reads of a serializable transaction count as the transaction's own.
#[derive(Clone)]
pub struct TransactionView {
    view: View,
    changed: Changed,
    reads: Option<Reads>,
    names: KnownNames,
}

impl Transaction {
    /// The graph as it is now in this transaction. O(1)
    pub fn current_view(&self) -> TransactionView {
        TransactionView {
            view: self.snapshot().clone(),
            changed: Changed::clone(self.inner.overlay()),
            reads: self.inner.reads().cloned(),
            names: self.known_names(),
        }
    }
}

#[cfg(test)]
impl TransactionView {
    /// Entries that lookups by indexes have looked at.
    pub(in crate::graph) fn visited(&self) -> usize {
        self.changed.visited()
    }
}

impl sealed::Readable for TransactionView {
    fn source(&self) -> Source<'_> {
        Source {
            view: &self.view,
            overlay: Some(&self.changed),
            reads: self.reads.as_ref(),
            names: Some(&self.names),
        }
    }
}

impl GraphRead for TransactionView {}
