//! Reading and writing a graph, all or nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::failpoint;

use super::committed::Committed;
use super::core::Core;
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{Entity, NodeId, RelationshipId};
use super::names::{KnownNames, NewNames};
use super::redo::RedoOperation;
use super::view::View;
use crate::dictionary::{KeyCode, Names};
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::{self, Kind, Predicate, Savepoint};
use crate::value::Value;

/// A transaction. It reads the graph as of its begin, with its own writes; no other
/// transaction or view sees those before it is committed. Dropped without a commit, it
/// leaves nothing.
///
/// A write that another transaction is in the way of fails at once, with an error
/// that says so ([`Retryable`](crate::transaction::Retryable)); then the whole
/// transaction is to be run again, as
/// [`PropertyGraph::write`](super::PropertyGraph::write) does. Reading never
/// waits and never fails for such reasons.
pub struct Transaction {
    pub(super) core: Arc<Core>,
    pub(super) inner: transaction::Transaction<Committed>,
    pub(super) names: NewNames,
    /// Indexes and constraints that come or go.
    pub(super) schema: Vec<RedoOperation>,
    /// Number of these at savepoints that were taken behind some.
    schema_at: Vec<(Savepoint, usize)>,
    /// Named facts of the store.
    pub(super) facts: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Indexes and constraints are locked against changes until it has ended.
    pub(super) holds_schema: bool,
}

impl Transaction {
    pub(super) fn new(core: &Arc<Core>, inner: transaction::Transaction<Committed>) -> Self {
        Transaction {
            core: Arc::clone(core),
            inner,
            names: NewNames::default(),
            schema: Vec::new(),
            schema_at: Vec::new(),
            facts: BTreeMap::new(),
            holds_schema: false,
        }
    }

    /// Returns the code of a name, if it is known; else notes that it was asked for,
    /// because the first commit that uses it changes the answer.
    pub(super) fn code(&self, names: Names, name: &str) -> Option<u32> {
        let committed = self.core.state.dictionary.code(names, name);
        let code = committed.or_else(|| self.names.code(names, name));
        if code.is_none() && !failpoint!("transaction.unknown-names-unseen") {
            self.inner.has_read(Predicate::Unknown(names, name.into()));
        }
        code
    }

    /// Names of codes, with those that the transaction is the first to use.
    pub(super) fn known_names(&self) -> KnownNames {
        KnownNames::of(&self.core.state.dictionary, &self.names)
    }

    /// The graph as of the begin, without the transaction's writes. Reads here are not
    /// recorded for a serializable transaction.
    pub fn snapshot(&self) -> &View {
        self.inner.view()
    }

    /// A node; `None` if there is none of this id.
    pub fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError> {
        let record = self.inner.read(id.0)?;
        Ok(record.map(|record| Node::new(id, record, self.known_names())))
    }

    /// A relationship; `None` if there is none of this id.
    pub fn relationship(&self, id: RelationshipId) -> Result<Option<Relationship>, GraphError> {
        let record = self.inner.read(id.0)?;
        Ok(record.map(|record| Relationship::new(id, record, self.known_names())))
    }

    /// A relationship that it has deleted, as it was last.
    ///
    /// # Errors
    /// As [`View::relationship`].
    pub fn deleted_relationship(
        &self,
        id: RelationshipId,
    ) -> Result<Option<Relationship>, GraphError> {
        let change = self.inner.overlay().change::<RelationshipRecord>(id.0);
        match change.and_then(|change| change.last()) {
            Some(record) => {
                let names = self.known_names();
                Ok(Some(Relationship::new(id, Arc::clone(record), names)))
            }
            None => self.snapshot().relationship(id),
        }
    }

    /// The nodes that it made, changed or deleted, ascending; some may be as they
    /// were.
    pub fn written_nodes(&self) -> Vec<NodeId> {
        let nodes = self.inner.overlay().changes::<NodeRecord>();
        nodes.map(|entry| NodeId(entry.0)).collect()
    }

    /// Whether it has made, changed or deleted anything so far. O(written records).
    pub fn has_written(&self) -> bool {
        !self.inner.overlay().is_empty()
    }

    /// Whether it is serializable: then its reads have to be recorded.
    pub fn is_serializable(&self) -> bool {
        self.inner.isolation() == transaction::Isolation::Serializable
    }

    /// As [`View::property`].
    ///
    /// # Errors
    /// As [`View::property`].
    pub fn property(
        &self,
        entity: impl Into<Entity>,
        key: &str,
    ) -> Result<Option<Value>, GraphError> {
        let entity = entity.into();
        let is_changed = match entity {
            Entity::Node(id) => self.is_changed::<NodeRecord>(id.0),
            Entity::Relationship(id) => self.is_changed::<RelationshipRecord>(id.0),
        };
        if !is_changed {
            return self.snapshot().property(entity, key);
        }
        let Some(code) = self.code(Names::Keys, key) else {
            return Ok(None);
        };
        let own = match entity {
            Entity::Node(id) => self.changed_value::<NodeRecord>(id.0, code),
            Entity::Relationship(id) => self.changed_value::<RelationshipRecord>(id.0, code),
        };
        match own {
            Some(value) => Ok(Some(value).filter(|value| !value.is_null())),
            None => self.snapshot().property(entity, key),
        }
    }

    /// A place to come back to. O(1).
    pub fn savepoint(&mut self) -> Savepoint {
        let savepoint = self.inner.savepoint();
        if !self.schema.is_empty() {
            self.schema_at.push((savepoint, self.schema.len()));
        }
        savepoint
    }

    /// Undoes the writes and definitions since a savepoint, which stays.
    ///
    /// # Errors
    /// A savepoint that was released, or is of a time before an earlier return.
    pub fn roll_back_to(&mut self, savepoint: Savepoint) -> Result<(), GraphError> {
        self.inner.rollback_to(savepoint)?;
        let before = self.schema_at.iter().find(|(other, _)| *other == savepoint);
        self.schema.truncate(before.map_or(0, |(_, count)| *count));
        Ok(())
    }

    /// Gives up a savepoint; the writes stay.
    ///
    /// # Errors
    /// As [`Transaction::roll_back_to`].
    pub fn release(&mut self, savepoint: Savepoint) -> Result<(), GraphError> {
        Ok(self.inner.release(savepoint)?)
    }

    /// Does some work, and undoes all that it has written if it fails; the transaction goes
    /// on.
    ///
    /// # Errors
    /// Those of the work.
    pub fn atomically<T, E: From<GraphError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let savepoint = self.savepoint();
        let done = work(self);
        match &done {
            Ok(_) => self.release(savepoint)?,
            Err(_) => {
                // The savepoint may be gone with the transaction; the first error says why.
                let undone = self.roll_back_to(savepoint);
                let _ = undone.and_then(|()| self.release(savepoint));
            }
        }
        done
    }

    /// Ends the transaction without a trace, as dropping it does.
    pub fn roll_back(self) {
        self.inner.rollback();
    }

    /// Whether it changed a record, which counts as read.
    fn is_changed<R: Kind>(&self, id: u32) -> bool {
        self.inner.has_read_record(R::KIND, id);
        self.inner.overlay().change::<R>(id).is_some()
    }

    fn changed_value<R: Kind>(&self, id: u32, key: KeyCode) -> Option<Value> {
        self.inner.overlay().change::<R>(id)?.value(key)
    }
}
