//! Writes of a transaction.

use crate::dictionary::Names;
use crate::graph::error::GraphError;
use crate::graph::ids::{Entity, NodeId, RelationshipId};
use crate::graph::transaction::Transaction;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::Resource;
use crate::value::{Properties, Value};

impl Transaction {
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
            codes.push(self.names.label(&self.core.state.dictionary, label)?);
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
            kind: self.names.kind(&self.core.state.dictionary, kind)?,
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
        let code = self.names.key(&self.core.state.dictionary, key)?;
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

    /// Holds a node or a relationship as it is: up to the end of the transaction who changes
    /// or deletes it conflicts, and it conflicts with what was committed since it began.
    ///
    /// # Errors
    /// As [`Transaction::set`].
    pub fn hold(&mut self, entity: impl Into<Entity>) -> Result<(), GraphError> {
        match entity.into() {
            Entity::Node(id) => self.inner.hold_node(id.0),
            Entity::Relationship(id) => self.inner.hold_relationship(id.0),
        }
    }

    /// Gives a node a label, if it does not have it.
    ///
    /// # Errors
    /// A conflict; a node that is not there.
    pub fn add_label(&mut self, node: NodeId, label: &str) -> Result<(), GraphError> {
        let code = self.names.label(&self.core.state.dictionary, label)?;
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
    /// [`PropertyGraph::write`](crate::graph::PropertyGraph::write) locks the node before it
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
        match self.inner.overlay().creates::<NodeRecord>(node.0) {
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

    /// Stores a small named fact of the store with the commit, if it has other effects;
    /// an empty one is removed. Never conflicts: the last one stays. Names that begin
    /// with `retention`, `import:` or `graph-import` are those of Evergraph itself.
    pub fn set_fact(&mut self, name: &[u8], value: &[u8]) {
        self.facts.insert(name.to_vec(), value.to_vec());
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
            set.set(self.names.key(&self.core.state.dictionary, key)?, value);
        }
        Ok(set)
    }
}
