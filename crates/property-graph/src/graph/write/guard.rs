//! Checks of a transaction's writes against the constraints.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::failpoint;

use crate::graph::error::GraphError;
use crate::graph::ids::{Entity, NodeId, RelationshipId};
use crate::graph::read::direction::Direction;
use crate::graph::read::records::Records;
use crate::graph::read::tabled::Tabled;
use crate::graph::schema::{Broken, Entry, SubjectCode};
use crate::graph::transaction::Transaction;
use crate::index::KeyRange;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::IndexKey;

type Entries = Arc<Vec<Arc<Entry>>>;

impl Transaction {
    /// Indexes and constraints, locked against changes until this transaction has ended.
    pub(in crate::graph) fn hold_schema(&mut self) -> Result<Entries, GraphError> {
        if !self.holds_schema && !failpoint!("schema.not-locked") {
            self.inner.share_schema()?;
            self.holds_schema = true;
        }
        Ok(self.entries_here())
    }

    /// Indexes and constraints that it has not dropped itself.
    fn entries_here(&self) -> Entries {
        let entries = self.core.state.schema.entries();
        match entries.iter().any(|entry| self.drops(entry.number)) {
            false => entries,
            true => {
                let stay = entries.iter().filter(|entry| !self.drops(entry.number));
                Arc::new(stay.cloned().collect())
            }
        }
    }

    /// Writes a node or a relationship with `write`, which gives it, and takes it
    /// back if a value is not unique. `also` are relationships that it writes, too.
    pub(in crate::graph) fn guarded<E: Into<Entity>, R>(
        &mut self,
        also: &[RelationshipId],
        write: impl FnOnce(&mut Self) -> Result<(E, R), GraphError>,
    ) -> Result<R, GraphError> {
        let entries = self.hold_schema()?;
        if !entries.iter().any(|entry| entry.is_held_unique()) {
            return write(self).map(|written| written.1);
        }
        let savepoint = self.inner.savepoint();
        let outcome = write(self).and_then(|(entity, result)| {
            match entity.into() {
                Entity::Node(id) => self.check_unique::<NodeRecord>(&entries, id.0)?,
                Entity::Relationship(id) => {
                    self.check_unique::<RelationshipRecord>(&entries, id.0)?;
                }
            }
            for relationship in also {
                self.check_unique::<RelationshipRecord>(&entries, relationship.0)?;
            }
            Ok(result)
        });
        if outcome.is_err() {
            self.inner.rollback_to(savepoint)?;
        }
        self.inner.release(savepoint)?;
        outcome
    }

    /// The relationships that a node would take with it, if a value of theirs has to
    /// be unique: others wait for that value until this transaction has ended.
    pub(in crate::graph) fn unique_relationships_of(
        &mut self,
        node: NodeId,
    ) -> Result<Vec<RelationshipId>, GraphError> {
        let entries = self.hold_schema()?;
        let mut kinds = Vec::new();
        for entry in entries.iter().filter(|entry| entry.is_held_unique()) {
            if let SubjectCode::Type(kind) = entry.stored.subject {
                kinds.push(kind);
            }
        }
        let mut found = Vec::new();
        let _ = self.expand_changed(node, Direction::Both, kinds, &mut |adjacent| {
            found.push(adjacent.relationship);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(found)
    }

    /// Locks the values that a record has, had or had at the begin, and looks
    /// whether another has them.
    fn check_unique<R: Tabled>(&mut self, entries: &Entries, id: u32) -> Result<(), GraphError> {
        for entry in entries.iter().filter(|entry| entry.is_held_unique()) {
            let Some(change) = self.inner.overlay().change::<R>(id) else {
                return Ok(());
            };
            let key_of = |record: &Arc<R>| entry.key_of(&**record);
            let old = change.before().and_then(key_of);
            let new = change.after().and_then(key_of);
            if old != new {
                for key in old.iter().chain(&new) {
                    self.inner.lock_key(entry.number, key)?;
                }
            }
            let Some(key) = new else { continue };
            let other = match self.own_with::<R>(entry, &key, id) {
                // A record that keeps its key needs no look: no other committed one had it
                // at the begin.
                None if old.as_ref() != Some(&key) => self.committed_with::<R>(entry, &key, id)?,
                own => own,
            };
            if let (Some(other), Some(record)) = (other, change.after()) {
                let what = Broken::SameValues(R::entity(other));
                return Err(self.violated(entry, id, record, what));
            }
        }
        Ok(())
    }

    fn violated<R: Tabled>(
        &self,
        entry: &Entry,
        id: u32,
        record: &Arc<R>,
        reason: Broken,
    ) -> GraphError {
        let values = entry.values_of(&**record);
        entry.violated::<R>(&self.core.state.dictionary, id, values, reason)
    }

    /// Another record that this transaction has written, and that has a key.
    fn own_with<R: Tabled>(&self, entry: &Arc<Entry>, key: &[u8], id: u32) -> Option<u32> {
        let with_key = entry.changes_in::<R>(self.inner.overlay(), &KeyRange::exactly(key));
        with_key.into_iter().find(|&other| other != id)
    }

    /// A record that has a key as of the begin, and that this transaction has not
    /// written.
    fn committed_with<R: Tabled>(
        &self,
        entry: &Entry,
        key: &[u8],
        id: u32,
    ) -> Result<Option<u32>, GraphError> {
        let has_key = |record: &Arc<R>| entry.key_of(&**record).as_deref() == Some(key);
        let overlay = self.inner.overlay();
        let view = self.snapshot();
        let is_other = |other: u32| other != id && overlay.change::<R>(other).is_none();
        let range = KeyRange::exactly(key);
        if let Some(ids) = view.candidates(entry, &range)? {
            for other in ids.into_iter().filter(|&other| is_other(other)) {
                let record = R::of_view(view, other)?;
                if record.as_ref().is_some_and(has_key) {
                    return Ok(Some(other));
                }
            }
            return Ok(None);
        }
        for found in Records::<R>::of_view(view, Some(entry.stored.subject)) {
            let (other, record) = found?;
            if is_other(other) && has_key(&record) {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Checks that all changed records keep the constraints, and returns the keys that
    /// come into indexes or go from them.
    pub(in crate::graph) fn check_schema(&self) -> Result<Vec<IndexKey>, GraphError> {
        let entries = self.entries_here();
        let mut keys = Vec::new();
        self.check_schema_of::<NodeRecord>(&entries, &mut keys)?;
        self.check_schema_of::<RelationshipRecord>(&entries, &mut keys)?;
        Ok(keys)
    }

    fn check_schema_of<R: Tabled>(
        &self,
        entries: &Entries,
        keys: &mut Vec<IndexKey>,
    ) -> Result<(), GraphError> {
        let entries: Vec<&Arc<Entry>> = entries
            .iter()
            .filter(|entry| entry.is_about_any::<R>())
            .collect();
        if entries.is_empty() {
            return Ok(());
        }
        for (id, change) in self.inner.overlay().changes::<R>() {
            for entry in &entries {
                if let Some(after) = change.after()
                    && let Some(what) = entry.violation(&**after)
                {
                    return Err(self.violated(entry, id, after, what));
                }
                if entry.index.is_none() {
                    continue;
                }
                let key_of = |record: &Arc<R>| entry.key_of(&**record);
                let old = change.before().and_then(key_of);
                let new = change.after().and_then(key_of);
                if old != new {
                    let both = old.into_iter().chain(new);
                    keys.extend(both.map(|key| (entry.number, key.into_boxed_slice())));
                }
            }
        }
        Ok(())
    }
}
