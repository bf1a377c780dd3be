//! Checks of a bulk load against the constraints.

use std::collections::HashMap;
use std::sync::Arc;

use evergraph_storage::StorageError;
use foldhash::fast::RandomState;

use crate::dictionary::{Dictionary, LabelCode, TypeCode};
use crate::graph::core::Core;
use crate::graph::error::GraphError;
use crate::graph::read::records::Records;
use crate::graph::read::tabled::Tabled;
use crate::graph::redo::loaded::{node_record, relationship_record};
use crate::graph::redo::{RedoOperation, decode};
use crate::graph::schema::{Broken, Entry, Rule, SubjectCode};
use crate::graph::view::View;
use crate::index::{KeyBytes, KeyRange};
use crate::record::{NodeRecord, RelationshipRecord};

/// Holds new records to the constraints: each alone, and for uniqueness to one another
/// and to the committed records. The caller has the schema exclusively, so that all
/// commits are visible and no other one is on its way. Payloads that no constraint is
/// about are not read.
pub(in crate::graph) fn check_constraints(
    core: &Arc<Core>,
    nodes: &[u8],
    relationships: &[u8],
) -> Result<(), GraphError> {
    check_table::<NodeRecord>(core, nodes)?;
    check_table::<RelationshipRecord>(core, relationships)
}

fn check_table<R: Tabled>(core: &Arc<Core>, payload: &[u8]) -> Result<(), GraphError> {
    let entries = core.state.schema.entries();
    let constraints = entries
        .iter()
        .filter(|entry| entry.stored.rule != Rule::Index && entry.is_about_any::<R>());
    let dictionary = &core.state.dictionary;
    let mut held: Vec<Held<'_>> = constraints
        .map(|entry| Held::of(entry, dictionary))
        .collect();
    if held.is_empty() {
        return Ok(());
    }
    for operation in decode(payload)? {
        match operation {
            RedoOperation::LoadedNodes(nodes, sets) => {
                for (id, (row, properties)) in (nodes.first..).zip(nodes.iter()) {
                    let record = || node_record(&sets, row, properties);
                    let subjects = |held: &Held<'_>| held.is_about_labels(&sets[row.set as usize]);
                    hold_encoded(&mut held, id, properties, subjects, record)?;
                }
            }
            RedoOperation::LoadedRelationships(relationships) => {
                for (id, (row, properties)) in (relationships.first..).zip(relationships.iter()) {
                    let record = || relationship_record(row, properties);
                    let subjects = |held: &Held<'_>| held.is_about_type(row.kind);
                    hold_encoded(&mut held, id, properties, subjects, record)?;
                }
            }
            RedoOperation::Node {
                id,
                record: Some(record),
            } => hold(&mut held, id, &record)?,
            RedoOperation::Relationship {
                id,
                record: Some(record),
            } => hold(&mut held, id, &record)?,
            _ => {}
        }
    }
    let view = View::latest(core);
    held.iter()
        .try_for_each(|held| held.check_committed::<R>(&view))
}

/// As [`hold`], of a record by its encoded properties, which is made where a constraint
/// needs all of it, and to say what is wrong.
fn hold_encoded<R: Tabled>(
    held: &mut [Held<'_>],
    id: u32,
    properties: &[u8],
    is_about: impl Fn(&Held<'_>) -> bool,
    record: impl Fn() -> Result<R, StorageError>,
) -> Result<(), GraphError> {
    for held in held.iter_mut().filter(|held| is_about(held)) {
        let (entry, rule) = (held.entry, held.entry.stored.rule);
        held.key.clear();
        match rule.is_unique() && entry.push_key_in(properties, &mut held.key)? {
            true if held.ids.add(&held.key, id).is_none() => {}
            false if rule == Rule::Unique => {}
            _ => held.take(id, &record()?)?,
        }
    }
    Ok(())
}

fn hold<R: Tabled>(held: &mut [Held<'_>], id: u32, record: &R) -> Result<(), GraphError> {
    held.iter_mut().try_for_each(|held| held.take(id, record))
}

/// A constraint, and the new records' keys under it.
pub(in crate::graph) struct Held<'e> {
    entry: &'e Entry,
    dictionary: &'e Dictionary,
    /// By key, if it has to be unique.
    ids: Ids,
    /// The key at hand.
    key: Vec<u8>,
}

/// Records by their keys.
#[derive(Default)]
struct Ids {
    /// Those of which each key was beyond all before.
    ascending: Vec<(KeyBytes, u32)>,
    others: HashMap<KeyBytes, u32, RandomState>,
}

impl Ids {
    /// The record that has the key already; else it is added.
    fn add(&mut self, key: &[u8], id: u32) -> Option<u32> {
        if self.ascending.last().is_none_or(|(last, _)| **last < *key) {
            self.ascending.push((KeyBytes::from_slice(key), id));
            return None;
        }
        let known = self.get(key);
        if known.is_none() {
            self.others.insert(KeyBytes::from_slice(key), id);
        }
        known
    }

    fn get(&self, key: &[u8]) -> Option<u32> {
        let found = self
            .ascending
            .binary_search_by(|(other, _)| (**other).cmp(key));
        match found {
            Ok(at) => Some(self.ascending[at].1),
            Err(_) => self.others.get(key).copied(),
        }
    }

    fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let ascending = self.ascending.iter().map(|(key, _)| &**key);
        ascending.chain(self.others.keys().map(|key| &**key))
    }

    /// The least and the greatest key.
    fn bounds(&self) -> Option<(&[u8], &[u8])> {
        let (first, last) = (self.ascending.first()?, self.ascending.last()?);
        let least = self.others.keys().min().unwrap_or(&first.0);
        // No other was beyond those before, so none is beyond the last.
        Some((least.min(&first.0), &last.0))
    }
}

impl<'e> Held<'e> {
    pub(in crate::graph) fn of(entry: &'e Entry, dictionary: &'e Dictionary) -> Self {
        Held {
            entry,
            dictionary,
            ids: Ids::default(),
            key: Vec::new(),
        }
    }

    fn is_about_labels(&self, labels: &[LabelCode]) -> bool {
        match self.entry.stored.subject {
            SubjectCode::Label(label) => labels.binary_search(&label).is_ok(),
            SubjectCode::Type(_) => false,
        }
    }

    fn is_about_type(&self, kind: TypeCode) -> bool {
        self.entry.stored.subject == SubjectCode::Type(kind)
    }

    /// Holds a record to the constraint, alone and beside those that were taken before.
    pub(in crate::graph) fn take<R: Tabled>(
        &mut self,
        id: u32,
        record: &R,
    ) -> Result<(), GraphError> {
        if let Some(what) = self.entry.violation(record) {
            return Err(self.violated(id, record, what));
        }
        if !self.entry.stored.rule.is_unique() {
            return Ok(());
        }
        let key = self.entry.key_of(record);
        match key.and_then(|key| self.ids.add(&key, id)) {
            Some(other) => Err(self.is_taken(id, other, record)),
            None => Ok(()),
        }
    }

    /// `record` is one of the two: the values in question are the same.
    fn is_taken<R: Tabled>(&self, id: u32, other: u32, record: &R) -> GraphError {
        self.violated(id, record, Broken::SameValues(R::entity(other)))
    }

    fn violated<R: Tabled>(&self, id: u32, record: &R, what: Broken) -> GraphError {
        let values = self.entry.values_of(record);
        self.entry.violated::<R>(self.dictionary, id, values, what)
    }

    /// Looks for each key in the index, or, while that is being built, for each record
    /// among the keys.
    fn check_committed<R: Tabled>(&self, view: &View) -> Result<(), GraphError> {
        let Some((least, most)) = self.ids.bounds() else {
            return Ok(());
        };
        // Keys that grow from load to load: one look at the index is enough.
        let all = KeyRange::within(least, most);
        if view.has_candidates(self.entry, &all)? == Some(false) {
            return Ok(());
        }
        for key in self.ids.keys() {
            let Some(candidates) = view.candidates(self.entry, &KeyRange::exactly(key))? else {
                return self.check_all_committed::<R>(view);
            };
            for other in candidates {
                if let Some(record) = R::of_view(view, other)? {
                    self.check_against(other, &*record)?;
                }
            }
        }
        Ok(())
    }

    fn check_all_committed<R: Tabled>(&self, view: &View) -> Result<(), GraphError> {
        for found in Records::<R>::of_view(view, Some(self.entry.stored.subject)) {
            let (other, record) = found?;
            self.check_against(other, &*record)?;
        }
        Ok(())
    }

    fn check_against<R: Tabled>(&self, other: u32, record: &R) -> Result<(), GraphError> {
        let key = self.entry.key_of(record);
        match key.and_then(|key| self.ids.get(&key)) {
            Some(id) => Err(self.is_taken(id, other, record)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::Ids;

    proptest! {
        #[test]
        fn ids_are_those_of_a_map(
            keys in prop::collection::vec(prop::collection::vec(0..3_u8, 0..20), 0..40),
            ascending in any::<bool>(),
        ) {
            let mut keys = keys;
            if ascending {
                keys.sort();
            }
            let (mut ids, mut map) = (Ids::default(), BTreeMap::new());
            for (id, key) in (0..).zip(&keys) {
                let known = map.get(key).copied();
                prop_assert_eq!(ids.add(key, id), known);
                map.entry(key.clone()).or_insert(id);
            }
            for (key, id) in &map {
                prop_assert_eq!(ids.get(key), Some(*id));
            }
            prop_assert_eq!(ids.get(&[9]), None);
            let mut found: Vec<&[u8]> = ids.keys().collect();
            found.sort_unstable();
            prop_assert!(found.into_iter().eq(map.keys().map(Vec::as_slice)));
            let bounds = map.keys().next().zip(map.keys().next_back());
            prop_assert_eq!(ids.bounds(), bounds.map(|(least, most)| (&least[..], &most[..])));
        }
    }
}
