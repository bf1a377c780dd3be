//! Finding nodes by label and properties, with an index where there is one.

use std::ops::Bound;
use std::sync::Arc;

use evergraph_persistence::PersistenceError;

use super::entity::Node;
use super::error::GraphError;
use super::ids::NodeId;
use super::schema::{Entry, key_of};
use super::transaction::Transaction;
use super::view::View;
use crate::dictionary::{KeyCode, LabelCode, Names};
use crate::index::{Index, IndexError, KeyRange, key};
use crate::records::NodeRecord;
use crate::transaction::{KeyRange as ReadRange, Predicate};
use crate::value::Value;

/// What is looked for, in codes.
struct Wanted {
    label: LabelCode,
    keys: Vec<KeyCode>,
}

impl Wanted {
    /// The key of a node that has the label and all the properties.
    fn key_of(&self, record: &NodeRecord) -> Option<Vec<u8>> {
        let has_label = record.labels.binary_search(&self.label).is_ok();
        has_label.then(|| key_of(record, &self.keys)).flatten()
    }
}

type Keyed = Vec<(Vec<u8>, u32, Arc<NodeRecord>)>;

impl View {
    /// The nodes that have a label and, for each of these keys, an equal value;
    /// none has null. Reads an index over the keys, in any order, if there is one,
    /// and else all nodes.
    pub fn find(&self, label: &str, properties: &[(&str, Value)]) -> Result<Vec<Node>, GraphError> {
        let (keys, range) = self.equal(label, properties);
        self.find_in(label, &keys, &range)
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
        let Some(wanted) = self.wanted(label, keys) else {
            return Ok(Vec::new());
        };
        let mut found = Keyed::new();
        let ids = match self.index_of(&wanted) {
            Some(entry) => self.candidates(&entry, range)?,
            None => None,
        };
        let mut take = |id: u32, record: Arc<NodeRecord>| {
            let key = wanted.key_of(&record).filter(|key| range.contains(key));
            found.extend(key.map(|key| (key, id, record)));
        };
        match ids {
            Some(ids) => {
                for id in ids {
                    if let Some(record) = self.node_record(NodeId(id))? {
                        take(id, record);
                    }
                }
            }
            None => {
                for node in self.nodes_with_label(label) {
                    let node = node?;
                    take(node.id().0, Arc::clone(node.record()));
                }
            }
        }
        Ok(self.nodes_of(found))
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

    /// Keys in the order of an index, if there is one, and the range of their
    /// values.
    fn equal<'k>(&self, label: &str, properties: &[(&'k str, Value)]) -> (Vec<&'k str>, KeyRange) {
        let mut ordered: Vec<&(&str, Value)> = properties.iter().collect();
        let names: Vec<&str> = properties.iter().map(|property| property.0).collect();
        if let Some(wanted) = self.wanted(label, &names) {
            let place = |entry: &Entry| {
                let places = wanted.keys.iter().map(|key| entry.place_of(*key));
                places.collect::<Option<Vec<usize>>>()
            };
            let entries = self.core().state.schema.entries();
            let fits = |entry: &&Arc<Entry>| {
                entry.index.is_some()
                    && entry.stored.label == wanted.label
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
        let key = key::encode(ordered.iter().map(|property| &property.1));
        let range = key.map_or_else(KeyRange::nothing, |key| KeyRange::exactly(&key));
        (ordered.iter().map(|property| property.0).collect(), range)
    }

    /// `None` if no node can have all of it.
    fn wanted(&self, label: &str, keys: &[&str]) -> Option<Wanted> {
        let code = |key: &&str| self.dictionary().code(Names::Keys, key);
        Some(Wanted {
            label: self.dictionary().code(Names::Labels, label)?,
            keys: keys.iter().map(code).collect::<Option<_>>()?,
        })
    }

    fn index_of(&self, wanted: &Wanted) -> Option<Arc<Entry>> {
        let entries = self.core().state.schema.entries();
        let fits = |entry: &&Arc<Entry>| {
            let is_readable = |index: &Index| index.covers(self.csn());
            entry.stored.label == wanted.label
                && entry.stored.keys == wanted.keys
                && entry.index.as_ref().is_some_and(is_readable)
        };
        entries.iter().find(fits).cloned()
    }

    /// Nodes that an index has in a range, and perhaps some more; `None` if it
    /// cannot say. A damaged index is forgotten: all nodes are read instead, until
    /// it is built again.
    pub(super) fn candidates(
        &self,
        entry: &Entry,
        range: &KeyRange,
    ) -> Result<Option<Vec<u32>>, GraphError> {
        let Some(index) = &entry.index else {
            return Ok(None);
        };
        match read(index, self.csn(), range) {
            Ok(mut ids) => {
                ids.sort_unstable();
                ids.dedup();
                Ok(Some(ids))
            }
            Err(IndexError::Persistence(PersistenceError::Damaged { .. })) => {
                index.clear();
                Ok(None)
            }
            Err(IndexError::Persistence(error)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    fn nodes_of(&self, mut found: Keyed) -> Vec<Node> {
        found.sort_unstable_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        let found = found.into_iter();
        found
            .map(|(_, id, record)| Node::new(NodeId(id), record, self.dictionary()))
            .collect()
    }
}

/// What an index has in a range.
fn read(index: &Index, csn: u64, range: &KeyRange) -> Result<Vec<u32>, IndexError> {
    let mut ids = Vec::new();
    match range.only_key() {
        Some(key) => index.lookup(csn, key, &mut ids)?,
        None => {
            for id in index.range(csn, range)? {
                ids.push(id?);
            }
        }
    }
    Ok(ids)
}

impl Transaction {
    /// As [`View::find`], with what the transaction wrote.
    pub fn find(&self, label: &str, properties: &[(&str, Value)]) -> Result<Vec<Node>, GraphError> {
        let (keys, range) = self.snapshot().equal(label, properties);
        self.find_in(label, &keys, &range)
    }

    /// As [`View::find_in`], with what the transaction wrote.
    pub fn find_in(
        &self,
        label: &str,
        keys: &[&str],
        range: &KeyRange,
    ) -> Result<Vec<Node>, GraphError> {
        let view = self.snapshot();
        let entry = view
            .wanted(label, keys)
            .and_then(|wanted| view.index_of(&wanted));
        let ids = match &entry {
            Some(entry) => view.candidates(entry, range)?,
            None => None,
        };
        let mut found = Keyed::new();
        match (entry, ids) {
            (Some(entry), Some(mut ids)) => {
                self.inner.has_read(Predicate::Keys(ReadRange {
                    index: entry.number,
                    from: Bound::Included(range.from().into()),
                    to: range
                        .to()
                        .map_or(Bound::Unbounded, |to| Bound::Excluded(to.into())),
                }));
                ids.extend(self.inner.overlay().nodes().map(|entry| entry.0));
                ids.sort_unstable();
                ids.dedup();
                for id in ids {
                    if let Some(record) = self.inner.node(id)?
                        && let Some(key) = entry.key_of(&record).filter(|key| range.contains(key))
                    {
                        found.push((key, id, record));
                    }
                }
            }
            _ => {
                // Whoever is the first to use the label or a key is noticed, too.
                let nodes = self.nodes_with_label(label);
                let wanted = view.wanted(label, keys);
                for node in nodes {
                    let node = node?;
                    let key = wanted
                        .as_ref()
                        .and_then(|wanted| wanted.key_of(node.record()));
                    if let Some(key) = key.filter(|key| range.contains(key)) {
                        found.push((key, node.id().0, Arc::clone(node.record())));
                    }
                }
            }
        }
        Ok(view.nodes_of(found))
    }
}
