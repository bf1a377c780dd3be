//! Finding nodes by label and properties, and relationships by type and
//! properties, with an index where there is one.

use std::ops::Bound;
use std::sync::Arc;

use evergraph_storage::StorageError;

use super::records::Records;
use super::tabled::Tabled;
use crate::dictionary::{KeyCode, Names};
use crate::graph::entity::{Node, Relationship};
use crate::graph::error::GraphError;
use crate::graph::names::KnownNames;
use crate::graph::schema::{Entry, SubjectCode, key_of};
use crate::graph::transaction::Transaction;
use crate::graph::view::View;
use crate::index::{Index, IndexError, KeyRange, key};
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::{KeyRange as ReadRange, Predicate};
use crate::value::Value;

struct Wanted {
    subject: SubjectCode,
    keys: Vec<KeyCode>,
}

impl Wanted {
    /// Of records of a label or type; `None` if a name means nothing.
    fn of<R: Tabled>(
        name: &str,
        keys: &[&str],
        code: impl Fn(Names, &str) -> Option<u32>,
    ) -> Option<Self> {
        let subject = R::subject(code(R::SUBJECTS, name)?)?;
        let keys = keys.iter().map(|key| code(Names::Keys, key));
        Some(Wanted {
            subject,
            keys: keys.collect::<Option<_>>()?,
        })
    }

    /// The key of a record that is one of those and has all the properties.
    fn key_of<R: Tabled>(&self, record: &R) -> Option<Vec<u8>> {
        let is_one = record.is_of(self.subject);
        is_one
            .then(|| key_of(record.properties(), &self.keys))
            .flatten()
    }
}

type Keyed<R> = Vec<(Vec<u8>, u32, Arc<R>)>;

impl View {
    /// The nodes that have a label and, for each of these keys, an equal value;
    /// none has null. Reads an index over the keys, in any order, if there is one,
    /// and else all nodes.
    pub fn find(&self, label: &str, properties: &[(&str, Value)]) -> Result<Vec<Node>, GraphError> {
        self.find_equal::<NodeRecord>(label, properties)
    }

    /// The nodes that have a label and these properties, the values of which lie
    /// in a range ([`KeyRange::between`], [`KeyRange::starting_with`]), in the
    /// order of the values. Reads an index over exactly these keys if there is
    /// one, and else all nodes.
    pub fn find_in(
        &self,
        label: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<Node>, GraphError> {
        self.find_range::<NodeRecord>(label, keys, range)
    }

    /// As [`View::find_in`] over one key, between two values.
    pub fn find_between(
        &self,
        label: &str,
        key: &str,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Result<Vec<Node>, GraphError> {
        self.find_in(label, &[key], &KeyRange::between(&[], lower, upper))
    }

    /// The relationships of a type that have, for each of these keys, an equal
    /// value. As [`View::find`].
    pub fn find_relationships(
        &self,
        kind: &str,
        properties: &[(&str, Value)],
    ) -> Result<Vec<Relationship>, GraphError> {
        self.find_equal::<RelationshipRecord>(kind, properties)
    }

    /// The relationships of a type with values in a range, in their order. As
    /// [`View::find_in`].
    pub fn find_relationships_in(
        &self,
        kind: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<Relationship>, GraphError> {
        self.find_range::<RelationshipRecord>(kind, keys, range)
    }

    fn find_equal<R: Tabled>(
        &self,
        name: &str,
        properties: &[(&str, Value)],
    ) -> Result<Vec<R::Shown>, GraphError> {
        let (keys, range) = self.equal::<R>(name, properties);
        self.find_range::<R>(name, &keys, &range)
    }

    fn find_range<R: Tabled>(
        &self,
        name: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<R::Shown>, GraphError> {
        let found = match self.wanted::<R>(name, keys) {
            Some(wanted) => self.keyed(&wanted, range)?,
            None => Vec::new(),
        };
        Ok(shown::<R>(found, &self.dictionary().into()))
    }

    fn keyed<R: Tabled>(&self, wanted: &Wanted, range: &KeyRange) -> Result<Keyed<R>, GraphError> {
        let mut found = Keyed::new();
        let ids = match self.index_of(wanted) {
            Some(entry) => self.candidates(&entry, range)?,
            None => None,
        };
        match ids {
            Some(ids) => {
                for id in ids {
                    if let Some(record) = R::of_view(self, id)? {
                        take(&mut found, wanted, range, id, record);
                    }
                }
            }
            None => {
                for record in Records::of_view(self, Some(wanted.subject)) {
                    let (id, record) = record?;
                    take(&mut found, wanted, range, id, record);
                }
            }
        }
        Ok(found)
    }

    /// Keys in the order of an index, if there is one, and the range of their
    /// values.
    fn equal<'k, R: Tabled>(
        &self,
        name: &str,
        properties: &[(&'k str, Value)],
    ) -> (Vec<&'k str>, KeyRange) {
        let mut ordered: Vec<&(&str, Value)> = properties.iter().collect();
        let names: Vec<&str> = properties.iter().map(|property| property.0).collect();
        if let Some(wanted) = self.wanted::<R>(name, &names) {
            let place = |entry: &Entry| {
                let places = wanted.keys.iter().map(|key| entry.place_of(*key));
                places.collect::<Option<Vec<usize>>>()
            };
            let entries = self.core().state.schema.entries();
            let fits = |entry: &&Arc<Entry>| {
                entry.is_readable()
                    && entry.stored.subject == wanted.subject
                    && entry.stored.keys.len() == wanted.keys.len()
                    && place(entry).is_some()
            };
            if let Some(places) = entries.iter().find(fits).and_then(|entry| place(entry)) {
                let mut order: Vec<usize> = (0..ordered.len()).collect();
                order.sort_by_key(|&at| places[at]);
                ordered = order.into_iter().map(|at| &properties[at]).collect();
            }
        }
        // The values are all there is of the key.
        let key = key::encode_equal(ordered.iter().map(|property| &property.1));
        let range = key.map_or_else(KeyRange::nothing, |key| KeyRange::exactly(&key));
        (ordered.iter().map(|property| property.0).collect(), range)
    }

    /// `None` if no record can have all of it.
    fn wanted<R: Tabled>(&self, name: &str, keys: &[&str]) -> Option<Wanted> {
        Wanted::of::<R>(name, keys, |names, name| {
            self.dictionary().code(names, name)
        })
    }

    fn index_of(&self, wanted: &Wanted) -> Option<Arc<Entry>> {
        let entries = self.core().state.schema.entries();
        let fits = |entry: &&Arc<Entry>| {
            let covers = |index: &Index| index.covers(self.csn());
            entry.stored.subject == wanted.subject
                && entry.stored.keys == wanted.keys
                && entry.is_readable()
                && entry.index.as_ref().is_some_and(covers)
        };
        entries.iter().find(fits).cloned()
    }

    /// Records that an index has in a range, and perhaps some more; `None` if it
    /// cannot say. A damaged index is given up: all records are read instead, until
    /// it is built again.
    pub(in crate::graph) fn candidates(
        &self,
        entry: &Entry,
        range: &KeyRange,
    ) -> Result<Option<Vec<u32>>, GraphError> {
        let Some(index) = &entry.index else {
            return Ok(None);
        };
        let ids = read(index, self.csn(), range).map(|mut ids| {
            ids.sort_unstable();
            ids.dedup();
            ids
        });
        self.answered(index, ids)
    }

    /// Whether the index of an entry may have anything in a range; `None` if it cannot
    /// be read.
    pub(in crate::graph) fn has_candidates(
        &self,
        entry: &Entry,
        range: &KeyRange,
    ) -> Result<Option<bool>, GraphError> {
        let Some(index) = &entry.index else {
            return Ok(None);
        };
        let first = index
            .range(self.csn(), range)
            .and_then(|mut all| Ok(all.next_entry()?.is_some()));
        self.answered(index, first)
    }

    /// The answer of an index; `None` if it has none. One that is damaged is to be built again.
    fn answered<T>(
        &self,
        index: &Index,
        answer: Result<T, IndexError>,
    ) -> Result<Option<T>, GraphError> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(IndexError::Storage(StorageError::Damaged { .. })) => {
                self.core().state.schema.give_up(index);
                Ok(None)
            }
            Err(IndexError::Storage(error)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }
}

/// Records in the order of their keys, as callers hold them.
fn shown<R: Tabled>(mut found: Keyed<R>, names: &KnownNames) -> Vec<R::Shown> {
    found.sort_unstable_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let found = found.into_iter();
    found
        .map(|(_, id, record)| R::shown(id, record, names.clone()))
        .collect()
}

/// Ids that an index has in a range.
fn read(index: &Index, csn: u64, range: &KeyRange) -> Result<Vec<u32>, IndexError> {
    let mut ids = Vec::new();
    match range.only_key() {
        Some(key) => {
            index.lookup(csn, key, &mut ids)?;
        }
        None => {
            for id in index.range(csn, range)? {
                ids.push(id?);
            }
        }
    }
    Ok(ids)
}

impl Transaction {
    /// As [`View::find`], with the transaction's own writes.
    pub fn find(&self, label: &str, properties: &[(&str, Value)]) -> Result<Vec<Node>, GraphError> {
        self.find_equal::<NodeRecord>(label, properties)
    }

    /// As [`View::find_in`], with the transaction's own writes.
    pub fn find_in(
        &self,
        label: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<Node>, GraphError> {
        self.find_range::<NodeRecord>(label, keys, range)
    }

    /// As [`View::find_relationships`], with the transaction's own writes.
    pub fn find_relationships(
        &self,
        kind: &str,
        properties: &[(&str, Value)],
    ) -> Result<Vec<Relationship>, GraphError> {
        self.find_equal::<RelationshipRecord>(kind, properties)
    }

    /// As [`View::find_relationships_in`], with the transaction's own writes.
    pub fn find_relationships_in(
        &self,
        kind: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<Relationship>, GraphError> {
        self.find_range::<RelationshipRecord>(kind, keys, range)
    }

    fn find_equal<R: Tabled>(
        &self,
        name: &str,
        properties: &[(&str, Value)],
    ) -> Result<Vec<R::Shown>, GraphError> {
        let (keys, range) = self.snapshot().equal::<R>(name, properties);
        self.find_range::<R>(name, &keys, &range)
    }

    fn find_range<R: Tabled>(
        &self,
        name: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<R::Shown>, GraphError> {
        // Names that mean nothing are noted.
        let found = match Wanted::of::<R>(name, keys, |names, name| self.code(names, name)) {
            Some(wanted) => self.keyed(&wanted, range)?,
            None => Vec::new(),
        };
        Ok(shown::<R>(found, &self.known_names()))
    }

    fn keyed<R: Tabled>(&self, wanted: &Wanted, range: &KeyRange) -> Result<Keyed<R>, GraphError> {
        if let Some(found) = self.indexed(wanted, range)? {
            return Ok(found);
        }
        let mut found = Keyed::new();
        for record in self.scan(wanted.subject) {
            let (id, record) = record?;
            take(&mut found, wanted, range, id, record);
        }
        Ok(found)
    }

    /// Merges the entries of an index in a range with the transaction's own changes;
    /// `None` if there is no index that can answer.
    fn indexed<R: Tabled>(
        &self,
        wanted: &Wanted,
        range: &KeyRange,
    ) -> Result<Option<Keyed<R>>, GraphError> {
        let view = self.snapshot();
        let Some(entry) = view.index_of(wanted) else {
            return Ok(None);
        };
        let Some(mut ids) = view.candidates(&entry, range)? else {
            return Ok(None);
        };
        self.inner.has_read(Predicate::Keys(ReadRange {
            index: entry.number,
            from: Bound::Included(range.from().into()),
            to: range
                .to()
                .map_or(Bound::Unbounded, |to| Bound::Excluded(to.into())),
        }));
        let overlay = self.inner.overlay();
        ids.retain(|&id| overlay.change::<R>(id).is_none());
        ids.extend(entry.changes_in::<R>(overlay, range));
        let mut found = Keyed::new();
        for id in ids {
            if let Some(record) = self.inner.read::<R>(id)?
                && let Some(key) = entry.key_of(&*record).filter(|key| range.contains(key))
            {
                found.push((key, id, record));
            }
        }
        Ok(Some(found))
    }
}

/// Adds a record that is looked for.
fn take<R: Tabled>(
    found: &mut Keyed<R>,
    wanted: &Wanted,
    range: &KeyRange,
    id: u32,
    record: Arc<R>,
) {
    let key = wanted.key_of(&*record).filter(|key| range.contains(key));
    found.extend(key.map(|key| (key, id, record)));
}
