//! What a transaction may write under the constraints that there are.

use std::sync::Arc;

use super::error::GraphError;
use super::schema::Entry;
use super::transaction::Transaction;
use crate::index::KeyRange;
use crate::records::NodeRecord;
use crate::transaction::IndexKey;

type Entries = Arc<Vec<Arc<Entry>>>;

impl Transaction {
    /// What there is, which nobody changes before this transaction has ended.
    pub(super) fn hold_schema(&mut self) -> Result<Entries, GraphError> {
        if !self.holds_schema {
            self.inner.share_schema()?;
            self.holds_schema = true;
        }
        Ok(self.core.state.schema.entries())
    }

    /// Writes a node with `write`, and takes it back if a value is not unique.
    pub(super) fn guarded<R>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(u32, R), GraphError>,
    ) -> Result<R, GraphError> {
        let entries = self.hold_schema()?;
        if !entries.iter().any(|entry| entry.stored.rule.is_unique()) {
            return write(self).map(|written| written.1);
        }
        let savepoint = self.inner.savepoint();
        let outcome = write(self).and_then(|(id, written)| {
            self.check_unique(&entries, id)?;
            Ok(written)
        });
        if outcome.is_err() {
            self.inner.rollback_to(savepoint)?;
        }
        self.inner.release(savepoint)?;
        outcome
    }

    /// Locks the values that a node has, had or had at the begin, and looks
    /// whether another has them.
    fn check_unique(&self, entries: &Entries, id: u32) -> Result<(), GraphError> {
        let Some(change) = self.inner.overlay().node(id) else {
            return Ok(());
        };
        for entry in entries.iter().filter(|entry| entry.stored.rule.is_unique()) {
            let key_of = |record: &Arc<NodeRecord>| entry.key_of(record);
            let old = change.before().and_then(key_of);
            let new = change.after().and_then(key_of);
            if old == new {
                continue;
            }
            for key in old.iter().chain(&new) {
                self.inner.lock_key(entry.number, key)?;
            }
            if let Some(key) = new
                && let Some(other) = self.other_with(entry, &key, id)?
            {
                let name = &entry.stored.name;
                return Err(GraphError::Constraint(format!(
                    "constraint \"{name}\": node {other} has the same values as node {id} would"
                )));
            }
        }
        Ok(())
    }

    /// Another node that has a key.
    fn other_with(&self, entry: &Entry, key: &[u8], id: u32) -> Result<Option<u32>, GraphError> {
        let has_key = |record: &Arc<NodeRecord>| entry.key_of(record).as_deref() == Some(key);
        let overlay = self.inner.overlay();
        let mut changed = overlay.nodes();
        let own =
            changed.find(|(other, change)| *other != id && change.after().is_some_and(has_key));
        if let Some((other, _)) = own {
            return Ok(Some(other));
        }
        let view = self.snapshot();
        let is_other = |other: u32| other != id && overlay.node(other).is_none();
        let range = KeyRange::exactly(key);
        if let Some(ids) = view.candidates(entry, &range)? {
            for other in ids.into_iter().filter(|&other| is_other(other)) {
                let record = view.node_record(super::ids::NodeId(other))?;
                if record.as_ref().is_some_and(has_key) {
                    return Ok(Some(other));
                }
            }
            return Ok(None);
        }
        for node in view.nodes_with_label_code(entry.stored.label) {
            let node = node?;
            if is_other(node.id().0) && has_key(node.record()) {
                return Ok(Some(node.id().0));
            }
        }
        Ok(None)
    }

    /// Whether all changed nodes have what they have to have; and the keys that
    /// come into indexes or go from them.
    pub(super) fn check_schema(&self) -> Result<Vec<IndexKey>, GraphError> {
        let entries = self.core.state.schema.entries();
        let mut keys = Vec::new();
        for (id, change) in self.inner.overlay().nodes() {
            for entry in entries.iter() {
                if let Some(after) = change.after()
                    && let Some(what) = entry.violation(after)
                {
                    let name = &entry.stored.name;
                    return Err(GraphError::Constraint(format!(
                        "constraint \"{name}\", node {id}: {what}"
                    )));
                }
                if entry.index.is_none() {
                    continue;
                }
                let old = change.before().and_then(|record| entry.key_of(record));
                let new = change.after().and_then(|record| entry.key_of(record));
                if old != new {
                    let both = old.into_iter().chain(new);
                    keys.extend(both.map(|key| (entry.number, key.into_boxed_slice())));
                }
            }
        }
        Ok(keys)
    }
}
