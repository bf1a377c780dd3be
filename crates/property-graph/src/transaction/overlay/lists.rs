//! Changes of neighbor lists by a transaction.

use super::Change;
use super::map::SharedMap;
use crate::dictionary::TypeCode;
use crate::record::RelationshipRecord;

/// The neighbor list of a node, for one type and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct List {
    pub(crate) node: u32,
    pub(crate) kind: TypeCode,
    /// Its relationships enter the node.
    pub(crate) incoming: bool,
}

impl List {
    /// The lists in which a relationship lies, with the neighbor in each.
    pub(crate) fn both(record: &RelationshipRecord) -> [(List, u32); 2] {
        let list = |node, incoming| List {
            node,
            kind: record.kind,
            incoming,
        };
        [
            (list(record.source, false), record.target),
            (list(record.target, true), record.source),
        ]
    }
}

/// Changes of one list.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Neighbors by relationship.
    created: SharedMap<u32, u32>,
    /// Number of committed relationships that were deleted.
    deleted: usize,
}

/// Changes of all lists; those without any are not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists(SharedMap<List, Entry>);

/// Effect of a relationship's change on its two lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Created,
    Deleted,
}

fn effect(change: &Change<RelationshipRecord>) -> Option<(Effect, &RelationshipRecord)> {
    match (&change.before, &change.after) {
        (None, Some(after)) => Some((Effect::Created, after)),
        (Some(before), None) => Some((Effect::Deleted, before)),
        _ => None,
    }
}

impl Lists {
    /// Neighbors and relationships created in a list.
    pub(super) fn created(&self, list: List) -> impl Iterator<Item = (u32, u32)> {
        let entry = self.0.get(&list);
        let created = entry.into_iter().flat_map(|entry| entry.created.iter());
        created.map(|(&id, &neighbor)| (neighbor, id))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn of(&self, node: u32) -> impl Iterator<Item = List> {
        let list = |kind, incoming| List {
            node,
            kind,
            incoming,
        };
        let lists = self.0.range(list(0, false)..=list(TypeCode::MAX, true));
        lists.map(|(&list, _)| list)
    }

    /// By how much the length of a list has changed.
    pub(super) fn degree_change(&self, list: List) -> i64 {
        let entry = self.0.get(&list);
        entry.map_or(0, |entry| entry.created.len() as i64 - entry.deleted as i64)
    }

    /// Replaces an older change of the same relationship in its two lists.
    pub(super) fn replace(
        &mut self,
        id: u32,
        old: Option<&Change<RelationshipRecord>>,
        new: Option<&Change<RelationshipRecord>>,
    ) {
        let (old, new) = (old.and_then(effect), new.and_then(effect));
        if old.map(|old| old.0) == new.map(|new| new.0) {
            // Type and end nodes never change.
            return;
        }
        if let Some((effect, record)) = old {
            self.take_back(id, effect, record);
        }
        if let Some((effect, record)) = new {
            self.put(id, effect, record);
        }
    }

    fn put(&mut self, id: u32, effect: Effect, record: &RelationshipRecord) {
        for (list, neighbor) in List::both(record) {
            let mut new = Entry::default();
            let (known, is_new) = match self.0.get_mut(&list) {
                Some(entry) => (Some(entry), false),
                None => (None, true),
            };
            let entry = known.unwrap_or(&mut new);
            match effect {
                Effect::Created => drop(entry.created.insert(id, neighbor)),
                Effect::Deleted => entry.deleted += 1,
            }
            if is_new {
                self.0.insert(list, new);
            }
        }
    }

    fn take_back(&mut self, id: u32, effect: Effect, record: &RelationshipRecord) {
        for (list, _) in List::both(record) {
            let Some(entry) = self.0.get_mut(&list) else {
                continue;
            };
            match effect {
                Effect::Created => drop(entry.created.remove(&id)),
                Effect::Deleted => entry.deleted = entry.deleted.saturating_sub(1),
            }
            if entry.created.is_empty() && entry.deleted == 0 {
                self.0.remove(&list);
            }
        }
    }
}
