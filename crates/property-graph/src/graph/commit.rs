//! Encoding of a transaction's changes as redo operations of the log.

use std::collections::{BTreeMap, HashSet};

use evergraph_topology::Batch;

use super::error::GraphError;
use super::names::{NewName, naming};
use super::redo::{self, RedoOperation};
use super::schema::{Stored, SubjectCode};
use super::transaction::Transaction;
use crate::dictionary::{Names, TypeCode};
use crate::value::Properties;

/// Ends and ids of relationships of one type, as the store takes them.
#[derive(Default)]
pub(super) struct Columns {
    pub sources: Vec<u32>,
    pub targets: Vec<u32>,
    pub ids: Vec<u32>,
}

impl Columns {
    pub fn push(&mut self, id: u32, source: u32, target: u32) {
        self.sources.push(source);
        self.targets.push(target);
        self.ids.push(id);
    }
}

/// The batch that makes the changes of a transaction: neighbor lists for the
/// store, records and names for what is attached to it.
pub(super) fn redo_operations_of(
    transaction: &Transaction,
    new: &[NewName],
) -> Result<Batch, GraphError> {
    let overlay = transaction.inner.overlay();
    let mut operations = naming(new);
    operations.extend(transaction.schema.iter().cloned());
    let mut vertices = 0;
    for (id, change) in overlay.nodes().filter(|entry| entry.1.has_effect()) {
        vertices = vertices.max(u64::from(id) + 1);
        operations.push(RedoOperation::Node {
            id,
            record: change.after().map(|record| (**record).clone()),
        });
    }
    let mut created: BTreeMap<TypeCode, Columns> = BTreeMap::new();
    let mut deleted: BTreeMap<TypeCode, Columns> = BTreeMap::new();
    for (id, change) in overlay.relationships().filter(|entry| entry.1.has_effect()) {
        match (change.before(), change.after()) {
            (None, Some(made)) => {
                let columns = created.entry(made.kind).or_default();
                columns.push(id, made.source, made.target);
            }
            (Some(gone), None) => {
                let columns = deleted.entry(gone.kind).or_default();
                columns.push(id, gone.source, gone.target);
            }
            _ => {}
        }
        operations.push(RedoOperation::Relationship {
            id,
            record: change.after().map(|record| (**record).clone()),
        });
    }
    let mut batch = Batch::new();
    if vertices > transaction.core.store.published().1.vertex_count {
        batch.add_vertices(vertices);
    }
    for (kind, columns) in deleted {
        batch.delete_relationships(kind, columns.sources, columns.targets, columns.ids);
    }
    for (kind, columns) in created {
        batch.insert_relationships(kind, columns.sources, columns.targets, columns.ids);
    }
    for (name, value) in &transaction.facts {
        batch.set_meta(name, value);
    }
    batch.attach(redo::encode(&operations)?);
    Ok(batch)
}

impl Transaction {
    /// The names that its commit is the first to use: those that it wrote and went back
    /// from are not among them.
    pub(super) fn names_to_commit(&self) -> Vec<NewName> {
        if self.names.is_empty() {
            return Vec::new();
        }
        let used = self.used_codes();
        let is_used = |names, code| used.contains(&(names, code));
        self.names.to_commit(is_used)
    }

    /// Codes that the transaction's writes use.
    fn used_codes(&self) -> HashSet<(Names, u32)> {
        let overlay = self.inner.overlay();
        let mut used = HashSet::new();
        for node in overlay.nodes().filter_map(|(_, change)| change.after()) {
            used.extend(node.labels.iter().map(|&label| (Names::Labels, label)));
            used.extend(keys_of(&node.properties));
        }
        let relationships = overlay.relationships();
        for relationship in relationships.filter_map(|(_, change)| change.after()) {
            used.insert((Names::Types, relationship.kind.into()));
            used.extend(keys_of(&relationship.properties));
        }
        for operation in &self.schema {
            if let RedoOperation::Schema {
                definition: Some(stored),
                ..
            } = operation
                && let Ok((stored, _)) = Stored::decode(stored)
            {
                used.insert(match stored.subject {
                    SubjectCode::Label(label) => (Names::Labels, label),
                    SubjectCode::Type(kind) => (Names::Types, kind.into()),
                });
                used.extend(stored.keys.iter().map(|&key| (Names::Keys, key)));
            }
        }
        used
    }
}

fn keys_of(properties: &Properties) -> impl Iterator<Item = (Names, u32)> {
    properties.iter().map(|(key, _)| (Names::Keys, key))
}
