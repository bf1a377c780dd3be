//! What a transaction's changes are in the log.

use std::collections::BTreeMap;

use evergraph_topology::Batch;

use super::effects::{self, Effect};
use super::error::GraphError;
use super::transaction::Transaction;
use crate::dictionary::TypeCode;

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
pub(super) fn effects_of(transaction: &Transaction) -> Result<Batch, GraphError> {
    let overlay = transaction.inner.overlay();
    let mut effects = transaction.names.effects();
    effects.extend(transaction.schema.iter().cloned());
    let mut vertices = 0;
    for (id, change) in overlay.nodes().filter(|entry| entry.1.has_effect()) {
        vertices = vertices.max(u64::from(id) + 1);
        effects.push(Effect::Node {
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
        effects.push(Effect::Relationship {
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
    batch.attach(effects::encode(&effects)?);
    Ok(batch)
}
