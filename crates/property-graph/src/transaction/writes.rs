//! Write set of a commit, which later transactions are validated against.

use super::lock::Resource;
use super::overlay::{Change, List, Overlay};
use crate::dictionary::{LabelCode, Names, TypeCode};
use crate::record::{NodeRecord, RelationshipRecord};

/// An entry that came into an index or went from it: the number of the index and
/// the encoded key.
pub(crate) type IndexKey = (u32, Box<[u8]>);

/// A name that no commit had used before.
pub(crate) type NewName = (Names, Box<str>);

/// Write set of a commit. Everything ascending and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteSet {
    pub(crate) nodes: Vec<u32>,
    /// Relationships that were made, changed or deleted.
    pub(crate) relationships: Vec<u32>,
    pub(crate) changes_nodes: bool,
    pub(crate) labels: Vec<LabelCode>,
    /// Types of relationships that were made or deleted.
    pub(crate) kinds: Vec<TypeCode>,
    pub(crate) lists: Vec<List>,
    pub(crate) attached: Vec<u32>,
    /// Entries of indexes that came or went.
    pub(crate) keys: Vec<IndexKey>,
    /// Names that it is the first to use, or one of the first.
    pub(crate) names: Vec<NewName>,
    /// Values of constraints, and the schema, as far as they were locked
    /// exclusively.
    pub(crate) exclusive: Vec<Resource>,
    /// Whether it may have written anything else, too.
    pub(crate) anything: bool,
}

impl WriteSet {
    /// Write set of an overlay's commit. The caller, which knows the indexes, gives their
    /// entries, in any order.
    pub(crate) fn new(
        overlay: &Overlay,
        keys: Vec<IndexKey>,
        names: Vec<NewName>,
        exclusive: Vec<Resource>,
    ) -> Self {
        let mut writes = WriteSet {
            keys,
            names,
            exclusive,
            ..WriteSet::default()
        };
        for (id, change) in overlay.changes() {
            writes.add_node(id, change);
        }
        for (id, change) in overlay.changes::<RelationshipRecord>() {
            if !change.has_effect() {
                continue;
            }
            writes.relationships.push(id);
            let record = match (change.before(), change.after()) {
                (None, Some(made)) => made,
                (Some(deleted), None) => deleted,
                _ => continue,
            };
            writes.kinds.push(record.kind);
            writes
                .lists
                .extend(List::both(record).map(|(list, _)| list));
            if change.is_created() {
                writes.attached.extend([record.source, record.target]);
            }
        }
        sort(&mut writes.labels);
        sort(&mut writes.kinds);
        sort(&mut writes.lists);
        sort(&mut writes.attached);
        sort(&mut writes.keys);
        sort(&mut writes.names);
        writes
    }

    /// Of a commit that may have written anything.
    pub(crate) fn of_anything(exclusive: Vec<Resource>) -> Self {
        WriteSet {
            exclusive,
            anything: true,
            ..WriteSet::default()
        }
    }

    fn add_node(&mut self, id: u32, change: &Change<NodeRecord>) {
        if !change.has_effect() {
            return;
        }
        self.nodes.push(id);
        self.changes_nodes |= change.before().is_some() != change.after().is_some();
        let labels = |record: Option<&std::sync::Arc<NodeRecord>>| {
            record.map_or(Vec::new(), |record| record.labels.clone())
        };
        let (before, after) = (labels(change.before()), labels(change.after()));
        let lost = before.iter().filter(|label| !after.contains(label));
        let got = after.iter().filter(|label| !before.contains(label));
        self.labels.extend(lost.chain(got));
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
            + self.relationships.len()
            + self.labels.len()
            + self.kinds.len()
            + self.lists.len()
            + self.attached.len()
            + self.keys.len()
            + self.names.len()
            + self.exclusive.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0 && !self.anything
    }
}

fn sort<T: Ord>(entries: &mut Vec<T>) {
    entries.sort_unstable();
    entries.dedup();
}
