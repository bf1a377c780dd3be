//! What a transaction's changes are in the log.

use std::collections::BTreeMap;

use evergraph_topology::Batch;

use super::effects::{self, Effect};
use super::error::GraphError;
use super::transaction::Transaction;
use crate::dictionary::TypeCode;
use crate::records::RelationshipRecord;

/// Relationships of one type, by column.
#[derive(Default)]
struct Columns {
    sources: Vec<u32>,
    targets: Vec<u32>,
    ids: Vec<u32>,
}

impl Columns {
    fn push(&mut self, id: u32, record: &RelationshipRecord) {
        self.sources.push(record.source);
        self.targets.push(record.target);
        self.ids.push(id);
    }
}

/// The batch that makes the changes of a transaction: neighbor lists for the
/// store, records and names for what is attached to it.
pub(super) fn effects_of(transaction: &Transaction) -> Result<Batch, GraphError> {
    let overlay = transaction.inner.overlay();
    let names = transaction.names.iter();
    let mut effects: Vec<Effect> = names
        .map(|(names, code, name)| Effect::Name {
            names,
            code,
            name: name.to_string(),
        })
        .collect();
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
            (None, Some(made)) => created.entry(made.kind).or_default().push(id, made),
            (Some(gone), None) => deleted.entry(gone.kind).or_default().push(id, gone),
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
