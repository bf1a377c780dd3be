//! Commit of a transaction: its changes as redo operations of the log.

use std::collections::{BTreeMap, HashSet};

use evergraph_storage::failpoint;
use evergraph_topology::{Batch, Commit};

use crate::dictionary::{Names, TypeCode};
use crate::graph::definitions::own::build_committed;
use crate::graph::definitions::repair::repair_indexes;
use crate::graph::error::GraphError;
use crate::graph::names::NewName;
use crate::graph::redo::changed::Changes;
use crate::graph::redo::{self, RedoOperation};
use crate::graph::schema::{Stored, SubjectCode};
use crate::graph::transaction::Transaction;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::value::Properties;

/// Ends and ids of relationships of one type, as the store takes them.
#[derive(Default)]
pub(in crate::graph) struct Columns {
    pub(in crate::graph) sources: Vec<u32>,
    pub(in crate::graph) targets: Vec<u32>,
    pub(in crate::graph) ids: Vec<u32>,
}

impl Columns {
    pub(crate) fn push(&mut self, id: u32, source: u32, target: u32) {
        self.sources.push(source);
        self.targets.push(target);
        self.ids.push(id);
    }
}

/// Redo operations that give codes their names.
pub(in crate::graph) fn naming(new: &[NewName]) -> Vec<RedoOperation> {
    let operation = |(names, code, name): &NewName| RedoOperation::Name {
        names: *names,
        code: *code,
        name: name.to_string(),
    };
    new.iter().map(operation).collect()
}

/// The batch that makes the changes of a transaction: neighbor lists for the
/// store, records and names for what is attached to it.
fn redo_operations_of(transaction: &Transaction, new: &[NewName]) -> Result<Batch, GraphError> {
    let overlay = transaction.inner.overlay();
    let mut operations = naming(new);
    operations.extend(transaction.schema.iter().cloned());
    let mut changes = Changes::default();
    let mut vertices = 0;
    for (id, change) in overlay
        .changes::<NodeRecord>()
        .filter(|entry| entry.1.has_effect())
    {
        vertices = vertices.max(u64::from(id) + 1);
        match (change.before(), change.after()) {
            (Some(before), Some(after)) => changes.add(id, &**before, change.written(), &**after),
            (_, after) => operations.push(RedoOperation::Node {
                id,
                record: after.map(|record| (**record).clone()),
            }),
        }
    }
    let mut created: BTreeMap<TypeCode, Columns> = BTreeMap::new();
    let mut deleted: BTreeMap<TypeCode, Columns> = BTreeMap::new();
    for (id, change) in overlay
        .changes::<RelationshipRecord>()
        .filter(|entry| entry.1.has_effect())
    {
        match (change.before(), change.after()) {
            (None, Some(made)) => {
                let columns = created.entry(made.kind).or_default();
                columns.push(id, made.source, made.target);
            }
            (Some(gone), None) => {
                let columns = deleted.entry(gone.kind).or_default();
                columns.push(id, gone.source, gone.target);
            }
            (Some(before), Some(after)) => {
                changes.add(id, &**before, change.written(), &**after);
                continue;
            }
            (None, None) => continue,
        }
        operations.push(RedoOperation::Relationship {
            id,
            record: change.after().map(|record| (**record).clone()),
        });
    }
    operations.extend(changes.into_operations());
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
    batch.add_payload(redo::encode(&operations)?);
    Ok(batch)
}

impl Transaction {
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
        let own = self.own_definitions()?;
        self.check_own_definitions(&own)?;
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
        core.latest.forget_older(&core.store);
        room.keep_label_sets();
        drop(room);
        build_committed(&core, &own);
        if core.state.schema.has_given_up() {
            repair_indexes(&core);
        }
        Ok(commit)
    }

    /// The names that its commit is the first to use: those that it wrote and went back
    /// from are not among them.
    fn names_to_commit(&self) -> Vec<NewName> {
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
        for node in overlay
            .changes::<NodeRecord>()
            .filter_map(|(_, change)| change.after())
        {
            used.extend(node.labels.iter().map(|&label| (Names::Labels, label)));
            used.extend(keys_of(&node.properties));
        }
        let relationships = overlay.changes::<RelationshipRecord>();
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
