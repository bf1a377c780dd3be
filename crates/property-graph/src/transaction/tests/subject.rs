//! Lists and sets in a property graph, for the checker.
//!
//! A list is a property of a node. A set with an even name is what a node's
//! outgoing relationships say, one with an odd name what nodes with a label say.

use std::sync::Arc;

use evergraph_isolation::{Element, Key, Level, Stop, Subject};

use super::memory::{Memory, RedoOperations};
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::{
    Isolation, List, Predicate, Retryable, Settings, Transaction, TransactionError,
    TransactionManager, TransactionOptions,
};
use crate::value::{Properties, Value};

const CONTENT: u32 = 1;
const KIND: u16 = 3;

pub(super) struct Graph {
    pub(super) manager: Arc<TransactionManager<Memory>>,
    lists: Vec<u32>,
    hubs: Vec<u32>,
    target: u32,
}

impl Graph {
    pub(super) fn new(lists: Key, sets: Key) -> Self {
        Self::with(lists, sets, Settings::default())
    }

    pub(super) fn with(lists: Key, sets: Key, settings: Settings) -> Self {
        let manager = TransactionManager::new(Arc::new(Memory::default()), settings);
        let mut setup = manager.begin(&TransactionOptions::default());
        let mut node = || setup.create_node(NodeRecord::default()).expect("a node");
        let lists = (0..lists).map(|_| node()).collect();
        let hubs = (0..sets).map(|_| node()).collect();
        let target = node();
        commit(setup).expect("the first commit");
        Graph {
            manager,
            lists,
            hubs,
            target,
        }
    }

    fn memory(&self) -> &Memory {
        self.manager.state()
    }

    /// Relationships of a set as the transaction sees them.
    fn outgoing(&self, tx: &Transaction<Memory>, set: Key) -> Vec<(u32, Element)> {
        let node = self.hubs[set as usize];
        let list = List {
            node,
            kind: KIND,
            incoming: false,
        };
        tx.has_read(Predicate::List(list));
        let all = self.memory().all_relationships(*tx.view());
        let all = tx.overlay().merge(.., all.into_iter());
        let own = all.filter(|(_, record)| record.source == node);
        own.map(|(id, record)| (id, element(&record.properties)))
            .collect()
    }

    /// Nodes of a set as the transaction sees them.
    fn labelled(&self, tx: &Transaction<Memory>, set: Key) -> Vec<(u32, Element)> {
        tx.has_read(Predicate::Label(set));
        let all = self.memory().nodes(*tx.view());
        let all = tx.overlay().merge(.., all.into_iter());
        let own = all.filter(|(_, record)| record.labels.contains(&set));
        own.map(|(id, record)| (id, element(&record.properties)))
            .collect()
    }

    fn members(&self, tx: &Transaction<Memory>, set: Key) -> Vec<(u32, Element)> {
        if set.is_multiple_of(2) {
            self.outgoing(tx, set)
        } else {
            self.labelled(tx, set)
        }
    }
}

/// Commits at once.
pub(super) fn commit(tx: Transaction<Memory>) -> Result<Option<u64>, TransactionError> {
    let memory = Arc::clone(tx.manager().state());
    let operations = RedoOperations::new(tx.overlay());
    tx.commit(
        Vec::new(),
        || Ok(memory.enqueue(operations)),
        |csn| Ok(memory.wait(csn)),
    )
}

fn properties(value: Value) -> Properties {
    std::iter::once((CONTENT, value)).collect()
}

fn element(properties: &Properties) -> Element {
    match properties.get(CONTENT) {
        Some(Value::Integer(element)) => *element as Element,
        other => panic!("a member of a set has {other:?}"),
    }
}

fn elements(record: &NodeRecord) -> Vec<Value> {
    match record.properties.get(CONTENT) {
        None => Vec::new(),
        Some(Value::List(elements)) => elements.to_vec(),
        other => panic!("a list is {other:?}"),
    }
}

fn stop(error: TransactionError) -> Stop {
    assert!(error.is_retryable(), "{error}");
    Stop::Aborted
}

pub(super) enum Pending {
    /// It wrote nothing.
    Nothing,
    Written(crate::transaction::Pending<Memory, u64>),
}

impl Subject for Graph {
    type Transaction = Transaction<Memory>;
    type Pending = Pending;

    fn begin(&self, level: Level) -> Transaction<Memory> {
        self.manager.begin(&TransactionOptions {
            isolation: match level {
                Level::Snapshot => Isolation::Snapshot,
                Level::Serializable => Isolation::Serializable,
            },
            ..TransactionOptions::default()
        })
    }

    fn snapshot(&self, tx: &Transaction<Memory>) -> Option<u64> {
        Some(tx.snapshot())
    }

    fn append(&self, tx: &mut Transaction<Memory>, list: Key, new: Element) -> Result<(), Stop> {
        let append = |record: &mut NodeRecord| {
            let mut content = elements(record);
            content.push(Value::Integer(new as i64));
            record.properties.set(CONTENT, Value::List(content.into()));
        };
        tx.update_node(self.lists[list as usize], append)
            .map_err(stop)
    }

    fn read(&self, tx: &mut Transaction<Memory>, list: Key) -> Result<Vec<Element>, Stop> {
        let record = tx
            .read::<crate::record::NodeRecord>(self.lists[list as usize])
            .map_err(stop)?;
        let values = elements(&record.expect("lists are never deleted"));
        let number = |value: &Value| match value {
            Value::Integer(number) => *number as Element,
            other => panic!("a list has {other:?}"),
        };
        Ok(values.iter().map(number).collect())
    }

    fn insert(&self, tx: &mut Transaction<Memory>, set: Key, new: Element) -> Result<(), Stop> {
        let properties = properties(Value::Integer(new as i64));
        let made = if set.is_multiple_of(2) {
            tx.create_relationship(RelationshipRecord {
                kind: KIND,
                source: self.hubs[set as usize],
                target: self.target,
                properties,
            })
        } else {
            tx.create_node(NodeRecord {
                labels: vec![set],
                properties,
            })
        };
        made.map(drop).map_err(stop)
    }

    fn remove(&self, tx: &mut Transaction<Memory>, set: Key, old: Element) -> Result<(), Stop> {
        let members = self.members(tx, set);
        let member = members.into_iter().find(|member| member.1 == old);
        let (id, _) = member.expect("it was seen");
        if set.is_multiple_of(2) {
            tx.delete_relationship(id).map_err(stop)
        } else {
            tx.delete_node(id).map_err(stop)
        }
    }

    fn scan(&self, tx: &mut Transaction<Memory>, set: Key) -> Result<Vec<Element>, Stop> {
        let members = self.members(tx, set);
        Ok(members.into_iter().map(|member| member.1).collect())
    }

    fn enqueue(&self, tx: Transaction<Memory>) -> Result<Pending, Stop> {
        if !tx.has_effects() {
            return Ok(Pending::Nothing);
        }
        let operations = RedoOperations::new(tx.overlay());
        let memory = Arc::clone(self.manager.state());
        let enqueued = tx.enqueue(Vec::new(), || Ok(memory.enqueue(operations)));
        enqueued.map(Pending::Written).map_err(stop)
    }

    fn finish(&self, pending: Pending) -> Result<Option<u64>, Stop> {
        let Pending::Written(pending) = pending else {
            return Ok(None);
        };
        let csn = pending.finish(|csn| Ok::<_, TransactionError>(self.memory().wait(csn)));
        csn.map(Some).map_err(stop)
    }
}
