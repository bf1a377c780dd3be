//! Setting and deleting.

use std::sync::Arc;

use evergraph_functions::{Datum, Entities};
use evergraph_planner::{Expression, Plan, SetItem, Slot};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Entity, NodeId, RelationshipId};
use evergraph_syntax::with_article;

use super::create::stored;
use super::{Flow, Result, Run};
use crate::QueryError;
use crate::batch::{Batch, Column};
use crate::evaluate::Row;

/// An item of `SET`, evaluated.
struct Assigned {
    target: Datum,
    /// If it is computed.
    key: Datum,
    value: Datum,
    /// Of an item of labels.
    labels: Vec<Arc<str>>,
}

impl Run<'_, '_> {
    /// Sets and removes, in order, for one row.
    pub(super) fn set_all(&self, items: &[SetItem], row: &mut Row<'_>) -> Result<()> {
        // No item sees what another one sets.
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            self.step()?;
            found.push(self.assigned(item, row)?);
        }
        for (item, assigned) in items.iter().zip(found) {
            self.set(item, assigned)?;
        }
        Ok(())
    }

    /// The target of an item, its key if that is computed, and the value. Of a target that
    /// is null only that: nothing else is computed, as in Neo4j.
    fn assigned(&self, item: &SetItem, row: &mut Row<'_>) -> Result<Assigned> {
        let target = match item {
            SetItem::Property(of, ..) | SetItem::Computed(of, ..) => self.value(of, row)?,
            SetItem::Replace(slot, _)
            | SetItem::Update(slot, _)
            | SetItem::AddLabels(slot, _)
            | SetItem::RemoveLabels(slot, _) => self.value(&Expression::Slot(*slot), row)?,
        };
        let mut labels = Vec::new();
        let mut value = |of: &Expression| self.value(of, row);
        let (key, value) = match item {
            _ if target.is_null() => (Datum::NULL, Datum::NULL),
            SetItem::Property(_, _, to) => (Datum::NULL, value(to)?),
            SetItem::Computed(_, key, to) => (value(key)?, value(to)?),
            SetItem::Replace(_, to) | SetItem::Update(_, to) => match value(to)? {
                entity @ (Datum::Node(_) | Datum::Relationship(_)) => {
                    (Datum::NULL, Datum::map(self.entries(&entity)?))
                }
                other => (Datum::NULL, other),
            },
            SetItem::AddLabels(_, written) | SetItem::RemoveLabels(_, written) => {
                labels = self.written_labels(written, row)?;
                (Datum::NULL, Datum::NULL)
            }
        };
        Ok(Assigned {
            target,
            key,
            value,
            labels,
        })
    }

    fn set(&self, item: &SetItem, assigned: Assigned) -> Result<()> {
        let Assigned {
            target,
            key,
            value,
            labels,
        } = assigned;
        match item {
            SetItem::AddLabels(..) => return self.set_labels(&target, &labels, true),
            SetItem::RemoveLabels(..) => return self.set_labels(&target, &labels, false),
            _ => {}
        }
        let Some(entity) = entity(&target)? else {
            return Ok(());
        };
        self.graph.check_there(entity)?;
        match (item, key) {
            (SetItem::Property(_, key, _), _) => self.set_property(entity, key, value),
            (SetItem::Computed(..), Datum::Value(Value::Text(key))) => {
                self.set_property(entity, &key, value)
            }
            (SetItem::Computed(..), other) => {
                let message = format!("a key is a STRING, not {}", with_article(other.type_name()));
                Err(QueryError::type_error(message))
            }
            (SetItem::Replace(..), _) => self.set_map(entity, &value, true),
            _ => self.set_map(entity, &value, false),
        }
    }

    fn set_property(&self, entity: Entity, key: &str, value: Datum) -> Result<()> {
        let value = stored(key, value)?;
        if value.is_null() && self.graph.property(entity, key)?.is_null() {
            return Ok(self.graph.write()?.hold(entity)?);
        }
        self.counters.borrow_mut().properties_set += 1;
        Ok(self.graph.write()?.set(entity, key, value)?)
    }

    /// Sets the properties of a map, node or relationship; also removes all others.
    fn set_map(&self, entity: Entity, value: &Datum, replaces: bool) -> Result<()> {
        if value.is_null() {
            let message = "SET takes a MAP of properties, not null; {} has none";
            return Err(QueryError::type_error(message));
        }
        let entries = self.entries(value)?;
        let mut changes: Vec<(Arc<str>, Value)> = Vec::new();
        if replaces {
            let present = self.graph.properties(entity)?;
            let gone = present.into_keys().filter(|key| !entries.contains_key(key));
            changes.extend(gone.map(|key| (key, Value::Null)));
        }
        for (key, value) in entries {
            let value = stored(&key, value)?;
            if !value.is_null() || !self.graph.property(entity, &key)?.is_null() {
                changes.push((key, value));
            }
        }
        if changes.is_empty() {
            return Ok(self.graph.write()?.hold(entity)?);
        }
        self.counters.borrow_mut().properties_set += changes.len() as u64;
        // At once: each change of a record takes as long as the record is.
        let mut own = self.graph.write()?;
        let mut coded = Vec::with_capacity(changes.len());
        for (key, value) in changes {
            coded.push((own.key_or_new(&key)?, value));
        }
        Ok(own.set_by_code(entity, coded)?)
    }

    fn set_labels(&self, target: &Datum, labels: &[Arc<str>], adds: bool) -> Result<()> {
        let node = match target {
            Datum::Node(node) => *node,
            datum if datum.is_null() => return Ok(()),
            other => {
                let message = format!("{} has no labels", with_article(other.type_name()));
                return Err(QueryError::type_error(message));
            }
        };
        self.graph.check_there(node.into())?;
        // What is as it should be is held, too, or the change of another would be lost.
        self.graph.write()?.hold(node)?;
        for label in labels {
            if self.graph.has_label(node, label)? == adds {
                continue;
            }
            let mut counters = self.counters.borrow_mut();
            let mut transaction = self.graph.write()?;
            match adds {
                true => {
                    counters.labels_added += 1;
                    transaction.add_label(node, label)?;
                }
                false => {
                    counters.labels_removed += 1;
                    transaction.remove_label(node, label)?;
                }
            }
        }
        Ok(())
    }

    /// Deletes what the items are in all rows: relationships first.
    pub(super) fn delete(&self, detach: bool, items: &[Expression], batch: &Batch) -> Result<()> {
        let (mut nodes, mut relationships) = (Vec::new(), Vec::new());
        for at in 0..batch.len() {
            let mut row = Row::new(batch, at);
            for item in items {
                match self.value(item, &mut row)? {
                    Datum::Node(node) => nodes.push(node),
                    Datum::Relationship(relationship) => relationships.push(relationship),
                    Datum::Path(path) => {
                        nodes.extend(path.nodes());
                        relationships.extend(path.relationships());
                    }
                    datum if datum.is_null() => {}
                    other => {
                        let message =
                            format!("{} cannot be deleted", with_article(other.type_name()));
                        return Err(QueryError::type_error(message));
                    }
                }
            }
        }
        for relationship in relationships {
            self.delete_relationship(relationship)?;
        }
        for node in nodes {
            self.step()?;
            if detach {
                for relationship in self.graph.relationships_of(node)? {
                    self.delete_relationship(RelationshipId(relationship))?;
                }
            }
            self.delete_node(node)?;
        }
        Ok(())
    }

    fn delete_relationship(&self, id: RelationshipId) -> Result<()> {
        if self.graph.delete_relationship(id)? {
            self.counters.borrow_mut().relationships_deleted += 1;
        }
        Ok(())
    }

    /// Deletes a node now, or once its relationships are deleted.
    fn delete_node(&self, id: NodeId) -> Result<()> {
        if !self.graph.relationships_of(id)?.is_empty() {
            self.pending.borrow_mut().push(id);
            return Ok(());
        }
        if self.graph.delete_node(id)? {
            self.counters.borrow_mut().nodes_deleted += 1;
        }
        Ok(())
    }

    /// Deletes the nodes that waited for their relationships.
    ///
    /// # Errors
    /// A node that still has some.
    pub(crate) fn delete_pending(&self) -> Result<()> {
        for node in self.pending.take() {
            if !self.graph.relationships_of(node)?.is_empty() {
                let message = format!("{node} still has relationships; use DETACH DELETE");
                return Err(QueryError::runtime(
                    "ConstraintVerificationFailed",
                    "DeleteConnectedNode",
                    message,
                ));
            }
            self.delete_node(node)?;
        }
        Ok(())
    }

    /// Runs a plan for each element of a list, for its effect.
    pub(super) fn foreach(
        &self,
        list: &Expression,
        variable: Slot,
        inner: &Plan,
        batch: &Batch,
    ) -> Result<()> {
        for at in 0..batch.len() {
            let one = |datum: Datum| {
                let message = format!(
                    "FOREACH takes a LIST, not {}",
                    with_article(datum.type_name())
                );
                Err(QueryError::type_error(message))
            };
            self.each_element(list, &mut Row::new(batch, at), &one, &mut |element| {
                let mut row = batch.row(at);
                row.set(variable, Column::Same(element));
                self.run(inner, row, &mut |_| Ok(Flow::Continue))
            })?;
        }
        Ok(())
    }
}

/// A node or relationship that is to be changed; `None` of null.
fn entity(of: &Datum) -> Result<Option<Entity>> {
    match of {
        Datum::Node(id) => Ok(Some((*id).into())),
        Datum::Relationship(id) => Ok(Some((*id).into())),
        datum if datum.is_null() => Ok(None),
        other => {
            let message = format!(
                "{} has no properties to set",
                with_article(other.type_name())
            );
            Err(QueryError::type_error(message))
        }
    }
}
