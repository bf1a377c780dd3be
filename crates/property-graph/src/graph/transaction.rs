//! Reading and writing a graph, all or nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_topology::Commit;

use super::commit::redo_operations_of;
use super::core::{Committed, Core};
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{Entity, NodeId, RelationshipId};
use super::names::{KnownNames, NewNames};
use super::redo::RedoOperation;
use super::repair::repair_indexes;
use super::scan::{NodeScan, RelationshipScan};
use super::view::View;
use crate::dictionary::Names;
use crate::records::{NodeRecord, RelationshipRecord};
use crate::transaction::{self, Predicate, Resource, Savepoint};
use crate::value::{Properties, Value};

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

    /// Makes a node.
    ///
    /// # Errors
    /// No id is left, or the transaction is over.
    pub fn create_node<'a>(
        &mut self,
        labels: &[&str],
        properties: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<NodeId, GraphError> {
        let mut codes = Vec::with_capacity(labels.len());
        for label in labels {
            codes.push(self.names.label(&self.core.state, label)?);
        }
        codes.sort_unstable();
        codes.dedup();
        let properties = self.properties(properties)?;
        let record = NodeRecord {
            labels: codes,
            properties,
        };
        self.guarded(&[], |own| {
            let id = NodeId(own.inner.create_node(record)?);
            Ok((id, id))
        })
    }

    /// Makes a relationship. Others may add relationships to the same nodes at
    /// the same time.
    ///
    /// # Errors
    /// An end that is not there, or that another transaction deletes; no id or no
    /// type is left.
    pub fn create_relationship<'a>(
        &mut self,
        source: NodeId,
        kind: &str,
        target: NodeId,
        properties: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<RelationshipId, GraphError> {
        let record = RelationshipRecord {
            kind: self.names.kind(&self.core.state, kind)?,
            source: source.0,
            target: target.0,
            properties: self.properties(properties)?,
        };
        self.guarded(&[], |own| {
            let id = RelationshipId(own.inner.create_relationship(record)?);
            Ok((id, id))
        })
    }

    /// Gives a node or a relationship a property; null removes it.
    ///
    /// # Errors
    /// A conflict; something that is not there.
    pub fn set(
        &mut self,
        entity: impl Into<Entity>,
        key: &str,
        value: impl Into<Value>,
    ) -> Result<(), GraphError> {
        let value = value.into();
        let code = self.names.key(&self.core.state, key)?;
        match entity.into() {
            Entity::Node(id) => {
                let change = |record: &mut NodeRecord| record.properties.set(code, value);
                self.update_node(id, change)
            }
            Entity::Relationship(id) => {
                let change = |record: &mut RelationshipRecord| record.properties.set(code, value);
                self.guarded(&[], |own| {
                    own.inner.update_relationship(id.0, change)?;
                    Ok((id, ()))
                })
            }
        }
    }

    /// Takes a property from a node or a relationship, if it has it.
    ///
    /// # Errors
    /// As [`Transaction::set`].
    pub fn remove(&mut self, entity: impl Into<Entity>, key: &str) -> Result<(), GraphError> {
        self.set(entity, key, Value::Null)
    }

    /// Gives a node a label, if it does not have it.
    ///
    /// # Errors
    /// A conflict; a node that is not there.
    pub fn add_label(&mut self, node: NodeId, label: &str) -> Result<(), GraphError> {
        let code = self.names.label(&self.core.state, label)?;
        self.update_node(node, |record| {
            if let Err(at) = record.labels.binary_search(&code) {
                record.labels.insert(at, code);
            }
        })
    }

    /// Takes a label from a node, if it has it.
    ///
    /// # Errors
    /// As [`Transaction::add_label`].
    pub fn remove_label(&mut self, node: NodeId, label: &str) -> Result<(), GraphError> {
        let code = self.code(Names::Labels, label);
        self.update_node(node, |record| {
            record.labels.retain(|&other| Some(other) != code);
        })
    }

    /// Deletes a node that has no relationships.
    ///
    /// # Errors
    /// A conflict, also with a relationship that others add to it; a node that is
    /// not there, or that has relationships.
    pub fn delete_node(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.guarded(&[], |own| Ok((node, own.inner.delete_node(node.0)?)))
    }

    /// Deletes a node with all its relationships, and gives their number. Waits for
    /// nothing, as every write. While others keep adding relationships, a transaction
    /// that was begun by hand meets conflicts again and again;
    /// [`PropertyGraph::write`](super::PropertyGraph::write) locks the node before it
    /// begins again.
    ///
    /// # Errors
    /// A conflict, also with a relationship that others add to it; a node that is
    /// not there. Some of the relationships may be deleted then: go back to a
    /// savepoint, or give the transaction up.
    pub fn detach_delete_node(&mut self, node: NodeId) -> Result<usize, GraphError> {
        let deleted = self.unique_relationships_of(node).and_then(|unique| {
            self.guarded(&unique, |own| {
                Ok((node, own.inner.detach_delete_node(node.0)?))
            })
        });
        match self.inner.overlay().creates_node(node.0) {
            true => deleted,
            // Also where values of its relationships were in the way.
            false => self.inner.wanted_after(deleted, Resource::Node(node.0)),
        }
    }

    /// Deletes a relationship.
    ///
    /// # Errors
    /// A conflict; a relationship that is not there.
    pub fn delete_relationship(&mut self, relationship: RelationshipId) -> Result<(), GraphError> {
        self.guarded(&[], |own| {
            own.inner.delete_relationship(relationship.0)?;
            Ok((relationship, ()))
        })
    }

    /// A node; `None` if there is none of this id.
    pub fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError> {
        let record = self.inner.node(id.0)?;
        Ok(record.map(|record| Node::new(id, record, self.known_names())))
    }

    /// A relationship; `None` if there is none of this id.
    pub fn relationship(&self, id: RelationshipId) -> Result<Option<Relationship>, GraphError> {
        let record = self.inner.relationship(id.0)?;
        Ok(record.map(|record| Relationship::new(id, record, self.known_names())))
    }

    /// The nodes that it made, changed or deleted, ascending; some may be as they
    /// were.
    pub fn written_nodes(&self) -> Vec<NodeId> {
        let nodes = self.inner.overlay().nodes();
        nodes.map(|entry| NodeId(entry.0)).collect()
    }

    /// Whether it is serializable: then its reads have to be recorded.
    pub fn is_serializable(&self) -> bool {
        self.inner.isolation() == transaction::Isolation::Serializable
    }

    /// All nodes, by id.
    pub fn nodes(&self) -> NodeScan<'_> {
        self.inner.has_read(Predicate::Nodes);
        NodeScan::of_transaction(self, None)
    }

    /// The nodes that have a label, by id.
    pub fn nodes_with_label(&self, label: &str) -> NodeScan<'_> {
        match self.code(Names::Labels, label) {
            Some(code) => {
                self.inner.has_read(Predicate::Label(code));
                NodeScan::of_transaction(self, Some(code))
            }
            None => NodeScan::empty(self.snapshot()),
        }
    }

    /// All relationships, by id.
    pub fn relationships(&self) -> RelationshipScan<'_> {
        self.inner.has_read(Predicate::Relationships);
        RelationshipScan::of_transaction(self)
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
        let overlay = self.inner.overlay();
        let changed = match entity {
            Entity::Node(id) => {
                self.inner.has_read_node(id.0);
                let change = overlay.node(id.0);
                change.map(|change| change.after().map(|record| &record.properties))
            }
            Entity::Relationship(id) => {
                self.inner.has_read_relationship(id.0);
                let change = overlay.relationship(id.0);
                change.map(|change| change.after().map(|record| &record.properties))
            }
        };
        let Some(properties) = changed else {
            return self.snapshot().property(entity, key);
        };
        let code = self.code(Names::Keys, key);
        let value = properties.zip(code).and_then(|(own, code)| own.get(code));
        Ok(value.cloned())
    }

    /// Stores a small named fact of the store with the commit, if it has other effects;
    /// an empty one is removed. Never conflicts: the last one stays. Names that begin
    /// with `retention`, `import:` or `graph-import` are those of Evergraph itself.
    pub fn set_fact(&mut self, name: &[u8], value: &[u8]) {
        self.facts.insert(name.to_vec(), value.to_vec());
    }

    /// A place to come back to. O(1).
    pub fn savepoint(&mut self) -> Savepoint {
        self.inner.savepoint()
    }

    /// Undoes the writes since a savepoint, which stays.
    ///
    /// # Errors
    /// A savepoint that was released, or is of a time before an earlier return.
    pub fn roll_back_to(&mut self, savepoint: Savepoint) -> Result<(), GraphError> {
        Ok(self.inner.rollback_to(savepoint)?)
    }

    /// Gives up a savepoint; the writes stay.
    ///
    /// # Errors
    /// As [`Transaction::roll_back_to`].
    pub fn release(&mut self, savepoint: Savepoint) -> Result<(), GraphError> {
        Ok(self.inner.release(savepoint)?)
    }

    /// Ends the transaction without a trace, as dropping it does.
    pub fn roll_back(self) {
        self.inner.rollback();
    }

    /// Makes everything that was written durable and visible, at once. Gives the
    /// commit; `None` if nothing was written.
    ///
    /// # Errors
    /// Then nothing of it is in the graph, but after an error of the medium,
    /// when only the next opening knows: a conflict of a serializable
    /// transaction, a timeout, a constraint, more than the log takes at once or
    /// than can be stored ([`GraphError::Limit`]).
    pub fn commit(self) -> Result<Option<Commit>, GraphError> {
        let writes_elsewhere = !self.schema.is_empty() || !self.facts.is_empty();
        if !self.inner.has_effects() && !writes_elsewhere {
            self.inner.check()?;
            return Ok(None);
        }
        let mut keys = self.check_schema()?;
        // A definition that goes online changes nothing else.
        let confirmed = self.schema.iter().filter_map(|operation| match operation {
            RedoOperation::Confirmed { number } => Some((*number, Box::default())),
            _ => None,
        });
        keys.extend(confirmed);
        let mut room = self.check_limits()?;
        let new = self.names_to_commit();
        let batch = redo_operations_of(&self, &new)?;
        // Codes are promised until the commit has come about, or to nothing.
        let Transaction {
            core,
            mut inner,
            names: _promised,
            ..
        } = self;
        let new = new
            .iter()
            .map(|(names, _, name)| (*names, Box::from(&**name)));
        inner.is_first_to_use(new.collect());
        let prepared = core.store.prepare(batch)?;
        let mut commit = None;
        let pending = inner.enqueue(keys, || Ok::<_, GraphError>(prepared.enqueue()))?;
        pending.finish(|enqueued| {
            failpoint!("transaction.enqueued");
            let reached = enqueued.wait()?;
            commit = Some(reached);
            Ok::<_, GraphError>(reached.csn)
        })?;
        room.keep_label_sets();
        drop(room);
        if core.state.schema.has_given_up() {
            repair_indexes(&core);
        }
        Ok(commit)
    }

    fn update_node<R>(
        &mut self,
        node: NodeId,
        change: impl FnOnce(&mut NodeRecord) -> R,
    ) -> Result<(), GraphError> {
        self.guarded(&[], |own| {
            own.inner.update_node(node.0, change)?;
            Ok((node, ()))
        })
    }

    fn properties<'a>(
        &mut self,
        properties: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Properties, GraphError> {
        let mut set = Properties::new();
        for (key, value) in properties {
            set.set(self.names.key(&self.core.state, key)?, value);
        }
        Ok(set)
    }
}
