//! The overlay beside a plain copy of everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use crate::dictionary::KeyCode;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::{Change, Kind, List, Overlay, Savepoint, TransactionError, WriteSet};
use crate::value::{Properties, Value};

/// A key that a definition is about.
const INDEXED: KeyCode = 2;
const KEYS: [KeyCode; 4] = [0, 1, INDEXED, 3];

/// Everything that exists, by id.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    nodes: BTreeMap<u32, NodeRecord>,
    relationships: BTreeMap<u32, RelationshipRecord>,
}

#[derive(Clone, Debug)]
enum Step {
    Label(u32, u32),
    DeleteNode(u32),
    Connect(u32, u32, u16),
    Rename(u32, KeyCode, i64),
    Set(u32, KeyCode, i64),
    Disconnect(u32),
    Savepoint,
    Rollback(usize),
    Release(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..8u32, 0..4u32).prop_map(|(id, label)| Step::Label(id, label)),
        2 => (0..8u32).prop_map(Step::DeleteNode),
        4 => (0..8u32, 0..8u32, 0..2u16).prop_map(|(s, t, kind)| Step::Connect(s, t, kind)),
        3 => (0..12u32, 0..4u32, -1..3i64).prop_map(|(id, k, v)| Step::Rename(id, k, v)),
        4 => (0..8u32, 0..4u32, -1..3i64).prop_map(|(id, k, v)| Step::Set(id, k, v)),
        3 => (0..12u32).prop_map(Step::Disconnect),
        2 => Just(Step::Savepoint),
        2 => (0..4usize).prop_map(Step::Rollback),
        1 => (0..4usize).prop_map(Step::Release),
    ]
}

/// Nodes 0 to 3 and relationships 0 to 3 are committed.
fn committed() -> Model {
    let properties = |id: u32| -> Properties {
        let keys = KEYS.into_iter().filter(|key| !(id + key).is_multiple_of(3));
        keys.map(|key| (key, Value::from(i64::from(key)))).collect()
    };
    let connect = |id: u32| RelationshipRecord {
        kind: (id % 2) as u16,
        source: id % 3,
        target: id % 2,
        properties: properties(id),
    };
    let labelled = |id: u32| NodeRecord {
        labels: vec![id],
        properties: properties(id),
    };
    Model {
        nodes: (0..4).map(|id| (id, labelled(id))).collect(),
        relationships: (0..4).map(|id| (id, connect(id))).collect(),
    }
}

struct SideBySide {
    committed: Model,
    overlay: Overlay,
    model: Model,
    next_relationship: u32,
    savepoints: Vec<(Savepoint, Model)>,
    released: Vec<Savepoint>,
}

impl SideBySide {
    fn put_node(&mut self, id: u32, after: Option<NodeRecord>) {
        let committed = self.committed.nodes.get(&id);
        let now = self.model.nodes.get(&id).or(committed);
        put(&mut self.overlay, id, now, after.clone());
        set(&mut self.model.nodes, id, after);
    }

    fn put_relationship(&mut self, id: u32, after: Option<RelationshipRecord>) {
        let committed = self.committed.relationships.get(&id);
        let now = self.model.relationships.get(&id).or(committed);
        put(&mut self.overlay, id, now, after.clone());
        set(&mut self.model.relationships, id, after);
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Label(id, label) => {
                let mut record = self.model.nodes.get(&id).cloned().unwrap_or_default();
                record.labels = vec![label];
                self.put_node(id, Some(record));
            }
            Step::DeleteNode(id) => {
                if self.model.nodes.contains_key(&id) {
                    self.put_node(id, None);
                }
            }
            Step::Connect(source, target, kind) => {
                let id = self.next_relationship;
                self.next_relationship += 1;
                let record = RelationshipRecord {
                    kind,
                    source,
                    target,
                    properties: Default::default(),
                };
                self.put_relationship(id, Some(record));
            }
            Step::Rename(id, key, value) => {
                if let Some(mut record) = self.model.relationships.get(&id).cloned() {
                    record.properties.set(key, of(value));
                    self.put_relationship(id, Some(record));
                }
            }
            Step::Set(id, key, value) => {
                if let Some(mut record) = self.model.nodes.get(&id).cloned() {
                    record.properties.set(key, of(value));
                    self.put_node(id, Some(record));
                }
            }
            Step::Disconnect(id) => {
                if self.model.relationships.contains_key(&id) {
                    self.put_relationship(id, None);
                }
            }
            Step::Savepoint => {
                let savepoint = self.overlay.savepoint();
                self.savepoints.push((savepoint, self.model.clone()));
            }
            Step::Rollback(at) => {
                if let Some((savepoint, model)) = self.savepoints.get(at).cloned() {
                    self.overlay.rollback_to(savepoint).expect("it is there");
                    self.model = model;
                    let gone = self.savepoints.drain(at + 1..);
                    self.released.extend(gone.map(|entry| entry.0));
                }
            }
            Step::Release(at) => {
                if let Some((savepoint, _)) = self.savepoints.get(at).cloned() {
                    self.overlay.release(savepoint).expect("it is there");
                    let gone = self.savepoints.drain(at..);
                    self.released.extend(gone.map(|entry| entry.0));
                }
            }
        }
    }

    fn compare(&mut self) {
        for &savepoint in &self.released {
            let outcome = self.overlay.rollback_to(savepoint);
            assert_eq!(outcome, Err(TransactionError::NoSavepoint));
        }
        let committed = self.committed.nodes.clone().into_iter();
        let committed = committed.map(|(id, record)| (id, Arc::new(record)));
        let nodes = self.overlay.merge(.., committed);
        let nodes: Vec<_> = nodes
            .map(|(id, record)| (id, NodeRecord::clone(&record)))
            .collect();
        let model: Vec<_> = self.model.nodes.clone().into_iter().collect();
        assert_eq!(nodes, model);
        let committed = self.committed.relationships.range(1..3);
        let committed = committed.map(|(&id, record)| (id, Arc::new(record.clone())));
        let some = self.overlay.merge(1..3, committed);
        let some: Vec<_> = some
            .map(|(id, r)| (id, RelationshipRecord::clone(&r)))
            .collect();
        let model = self.model.relationships.range(1..3);
        let model: Vec<_> = model.map(|(&id, record)| (id, record.clone())).collect();
        assert_eq!(some, model);
        self.compare_lists();
        self.compare_writes();
        compare_parts(&self.overlay, &self.committed.nodes, &self.model.nodes);
        let (committed, model) = (&self.committed.relationships, &self.model.relationships);
        compare_parts(&self.overlay, committed, model);
    }

    fn compare_lists(&self) {
        for node in 0..8 {
            for (kind, incoming) in [(0, false), (0, true), (1, false), (1, true)] {
                let list = List {
                    node,
                    kind,
                    incoming,
                };
                let before = listed(&self.committed, list);
                let after = listed(&self.model, list);
                let kept = before
                    .iter()
                    .filter(|r| !self.overlay.deletes_relationship(r.1));
                let made = self.overlay.created(list);
                let seen: Vec<_> = kept.copied().chain(made).collect();
                assert_eq!(seen, after, "{list:?}");
                let change = after.len() as i64 - before.len() as i64;
                assert_eq!(self.overlay.degree_change(list), change);
                let is_changed = before != after;
                assert!(!is_changed || self.overlay.lists_of(node).any(|other| other == list));
            }
        }
    }

    fn compare_writes(&self) {
        let writes = WriteSet::new(&self.overlay, Vec::new(), Vec::new(), Vec::new());
        let ids = |before: Vec<u32>, after: Vec<u32>| {
            let gone = before.iter().filter(|id| !after.contains(id)).count();
            (gone > 0) || after.iter().any(|id| !before.contains(id))
        };
        let keys = |model: &Model| model.nodes.keys().copied().collect::<Vec<_>>();
        assert_eq!(
            writes.changes_nodes,
            ids(keys(&self.committed), keys(&self.model))
        );
        for (id, record) in &self.model.nodes {
            let is_other = self.committed.nodes.get(id) != Some(record);
            assert!(!is_other || writes.nodes.binary_search(id).is_ok());
        }
        for (id, record) in &self.committed.nodes {
            let after = self.model.nodes.get(id);
            let lost = record
                .labels
                .iter()
                .filter(|l| after.is_none_or(|a| !a.labels.contains(l)));
            assert!(lost.into_iter().all(|label| writes.labels.contains(label)));
        }
        let created = self.model.relationships.range(4..);
        let mut attached: Vec<u32> = created.flat_map(|(_, r)| [r.source, r.target]).collect();
        attached.sort_unstable();
        attached.dedup();
        assert_eq!(writes.attached, attached);
        let is_same = self.committed == self.model;
        assert!(is_same || !writes.is_empty());
        assert_eq!(writes.is_empty(), self.overlay.is_empty());
    }
}

/// Minus one stands for null.
fn of(value: i64) -> Value {
    match value {
        -1 => Value::Null,
        value => value.into(),
    }
}

/// Changes beside the records that they are of: each key is known or is as it was, what
/// definitions are about is known, and of the rest nothing is kept.
fn compare_parts<R: Kind>(
    overlay: &Overlay,
    committed: &BTreeMap<u32, R>,
    model: &BTreeMap<u32, R>,
) {
    for (id, change) in overlay.changes::<R>() {
        let (before, after) = (committed.get(&id), model.get(&id));
        let base = || Ok::<_, ()>(before.cloned().map(Arc::new));
        assert_eq!(change.record(base).expect("there").as_deref(), after);
        let of = |record: Option<&R>, key| record?.properties().get(key).cloned();
        for key in KEYS {
            let value = change
                .value(key)
                .map(|value| Some(value).filter(|v| !v.is_null()));
            assert_eq!(value.unwrap_or_else(|| of(before, key)), of(after, key));
        }
        let part = change.after().map(|record| &**record);
        assert_eq!(of(part, INDEXED), of(after, INDEXED));
        let old = change.before().map(|record| &**record);
        assert_eq!(of(old, INDEXED), of(before, INDEXED));
        if let (Some(old), Some(part)) = (old, part) {
            let is_indexed = |key: KeyCode| key == INDEXED;
            assert!(old.properties().iter().all(|(key, _)| is_indexed(key)));
            let written = change.written();
            let is_kept = |key| is_indexed(key) || written.contains(&key);
            assert!(part.properties().iter().all(|(key, _)| is_kept(key)));
        }
    }
}

/// A change, `now` being what the transaction sees.
fn put<R: Kind>(overlay: &mut Overlay, id: u32, now: Option<&R>, after: Option<R>) {
    let change = match (now, after) {
        (Some(now), after) => overlay.change_to(id, now, after, &[INDEXED]),
        (None, Some(made)) => Change::made(made),
        (None, None) => return,
    };
    overlay.put(id, change);
}

fn set<R>(records: &mut BTreeMap<u32, R>, id: u32, after: Option<R>) {
    match after {
        Some(record) => records.insert(id, record),
        None => records.remove(&id),
    };
}

/// Neighbor and relationship of a list, ascending by relationship.
fn listed(model: &Model, list: List) -> Vec<(u32, u32)> {
    let all = model.relationships.iter().flat_map(|(&id, record)| {
        let both = List::both(record);
        both.map(|(own, neighbor)| (own, neighbor, id))
    });
    let own = all.filter(|entry| entry.0 == list);
    own.map(|(_, neighbor, id)| (neighbor, id)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_overlay_is_as_a_copy(steps in prop::collection::vec(step(), 1..60)) {
        let mut both = SideBySide {
            committed: committed(),
            overlay: Overlay::default(),
            model: committed(),
            next_relationship: 4,
            savepoints: Vec::new(),
            released: Vec::new(),
        };
        for step in &steps {
            both.apply(step);
            both.compare();
        }
    }
}

/// A statement that sets each property of a wide record by itself.
#[test]
fn changes_of_one_record_are_remembered_once_a_savepoint() {
    let mut overlay = Overlay::default();
    overlay.savepoint();
    let mut record = NodeRecord::default();
    put(&mut overlay, 9, None, Some(record.clone()));
    for key in 0..1_000 {
        let before = record.clone();
        record.properties.set(key, Value::from(1));
        put(&mut overlay, 9, Some(&before), Some(record.clone()));
    }
    let first = overlay.bytes();
    let few = 1_000;
    assert!(
        first < record.properties.heap_bytes() + few,
        "{first} bytes"
    );
    overlay.savepoint();
    put(&mut overlay, 9, Some(&record), None);
    let second = overlay.bytes();
    assert!(second < 2 * first + few, "{second} bytes");
}
