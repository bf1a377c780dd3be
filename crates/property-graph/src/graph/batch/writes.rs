//! Writes by code, several properties at once.

use crate::dictionary::{KeyCode, LabelCode, Names, TypeCode};
use crate::graph::error::GraphError;
use crate::graph::ids::{Entity, NodeId, RelationshipId};
use crate::graph::transaction::Transaction;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::value::{Properties, Value};

impl Transaction {
    /// The code of a label, which gets one with the commit if it has none.
    ///
    /// # Errors
    /// A name that cannot be a label, or too many labels.
    pub fn label_or_new(&mut self, name: &str) -> Result<LabelCode, GraphError> {
        self.names.label(&self.core.state.dictionary, name)
    }

    /// The code of a type of relationships; as [`Transaction::label_or_new`].
    ///
    /// # Errors
    /// As [`Transaction::label_or_new`].
    pub fn type_or_new(&mut self, name: &str) -> Result<TypeCode, GraphError> {
        self.names.kind(&self.core.state.dictionary, name)
    }

    /// The code of a property key; as [`Transaction::label_or_new`].
    ///
    /// # Errors
    /// As [`Transaction::label_or_new`].
    pub fn key_or_new(&mut self, name: &str) -> Result<KeyCode, GraphError> {
        self.names.key(&self.core.state.dictionary, name)
    }

    /// As [`Transaction::create_node`], by code.
    ///
    /// # Errors
    /// As there, and a code of nothing.
    pub fn create_node_by_code(
        &mut self,
        labels: &[LabelCode],
        properties: impl IntoIterator<Item = (KeyCode, Value)>,
    ) -> Result<NodeId, GraphError> {
        let mut labels = labels.to_vec();
        labels.sort_unstable();
        labels.dedup();
        self.check_codes(Names::Labels, labels.iter().copied())?;
        let record = NodeRecord {
            labels,
            properties: self.checked(properties)?,
        };
        self.guarded(&[], |own| {
            let id = NodeId(own.inner.create_node(record)?);
            Ok((id, id))
        })
    }

    /// As [`Transaction::create_relationship`], by code.
    ///
    /// # Errors
    /// As there, and a code of nothing.
    pub fn create_relationship_by_code(
        &mut self,
        source: NodeId,
        kind: TypeCode,
        target: NodeId,
        properties: impl IntoIterator<Item = (KeyCode, Value)>,
    ) -> Result<RelationshipId, GraphError> {
        self.check_codes(Names::Types, [kind.into()])?;
        let record = RelationshipRecord {
            kind,
            source: source.0,
            target: target.0,
            properties: self.checked(properties)?,
        };
        self.guarded(&[], |own| {
            let id = RelationshipId(own.inner.create_relationship(record)?);
            Ok((id, id))
        })
    }

    /// Sets properties of a node or a relationship, all or none of them; null removes one.
    ///
    /// # Errors
    /// As [`Transaction::set`], and a code of nothing.
    pub fn set_by_code(
        &mut self,
        entity: impl Into<Entity>,
        properties: impl IntoIterator<Item = (KeyCode, Value)>,
    ) -> Result<(), GraphError> {
        let new: Vec<(KeyCode, Value)> = properties.into_iter().collect();
        self.check_codes(Names::Keys, new.iter().map(|entry| entry.0))?;
        self.change_properties(entity.into(), |properties| {
            for (key, value) in new {
                properties.set(key, value);
            }
        })
    }

    /// Gives a node or a relationship these properties instead of those that it has.
    ///
    /// # Errors
    /// As [`Transaction::set_by_code`].
    pub fn replace_properties(
        &mut self,
        entity: impl Into<Entity>,
        properties: impl IntoIterator<Item = (KeyCode, Value)>,
    ) -> Result<(), GraphError> {
        let new = self.checked(properties)?;
        self.change_properties(entity.into(), |properties| *properties = new)
    }

    /// Gives a node labels, and takes others from it. One that is in both lists goes.
    ///
    /// # Errors
    /// As [`Transaction::add_label`], and a code of nothing.
    pub fn change_labels(
        &mut self,
        node: NodeId,
        added: &[LabelCode],
        removed: &[LabelCode],
    ) -> Result<(), GraphError> {
        self.check_codes(Names::Labels, added.iter().copied())?;
        self.guarded(&[], |own| {
            own.inner.update_node(node.0, |record| {
                record.labels.extend_from_slice(added);
                record.labels.sort_unstable();
                record.labels.dedup();
                record.labels.retain(|label| !removed.contains(label));
            })?;
            Ok((node, ()))
        })
    }

    fn change_properties(
        &mut self,
        entity: Entity,
        change: impl FnOnce(&mut Properties),
    ) -> Result<(), GraphError> {
        self.guarded(&[], |own| {
            match entity {
                Entity::Node(id) => own
                    .inner
                    .update_node(id.0, |record| change(&mut record.properties))?,
                Entity::Relationship(id) => own
                    .inner
                    .update_relationship(id.0, |record| change(&mut record.properties))?,
            }
            Ok((entity, ()))
        })
    }

    fn checked(
        &self,
        properties: impl IntoIterator<Item = (KeyCode, Value)>,
    ) -> Result<Properties, GraphError> {
        let properties: Properties = properties.into_iter().collect();
        self.check_codes(Names::Keys, properties.iter().map(|entry| entry.0))?;
        Ok(properties)
    }

    /// Whether codes are those of commits, or promised to this transaction: another's may
    /// come to nothing.
    fn check_codes(
        &self,
        names: Names,
        codes: impl IntoIterator<Item = u32>,
    ) -> Result<(), GraphError> {
        let dictionary = &self.core.state.dictionary;
        let what = match names {
            Names::Labels => "label",
            Names::Types => "type",
            Names::Keys => "property key",
        };
        for code in codes {
            let is_known = dictionary.name(names, code).is_some();
            let is_committed = is_known && dictionary.uncommitted(names, code).is_none();
            if !is_committed && !self.names.has(names, code) {
                return Err(GraphError::UnknownCode { what, code });
            }
        }
        Ok(())
    }
}
