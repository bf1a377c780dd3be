//! A committed state that is as plain as can be: every version of every record,
//! and a queue for a log. Adjacency is found by looking at all relationships.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::records::{NodeRecord, RelationshipRecord};
use crate::transaction::sync::Mutex;
use crate::transaction::{CommittedState, Newest, Overlay, TransactionError};

/// Versions of one record, oldest first.
type History<R> = Vec<(u64, Option<Arc<R>>)>;
type Versions<R> = BTreeMap<u32, History<R>>;

#[derive(Default)]
pub struct Memory {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    watermark: u64,
    nodes: Versions<NodeRecord>,
    relationships: Versions<RelationshipRecord>,
    queue: VecDeque<RedoOperations>,
    next_node: u32,
    next_relationship: u32,
    reserved: BTreeSet<(bool, u32)>,
}

/// New versions of records by a commit.
#[derive(Clone, Default)]
pub struct RedoOperations {
    nodes: Vec<(u32, Option<Arc<NodeRecord>>)>,
    relationships: Vec<(u32, Option<Arc<RelationshipRecord>>)>,
}

impl RedoOperations {
    pub fn new(overlay: &Overlay) -> Self {
        let nodes = overlay.nodes().filter(|(_, change)| change.has_effect());
        let relationships = overlay.relationships();
        let relationships = relationships.filter(|(_, change)| change.has_effect());
        RedoOperations {
            nodes: nodes
                .map(|(id, change)| (id, change.after().cloned()))
                .collect(),
            relationships: relationships
                .map(|(id, change)| (id, change.after().cloned()))
                .collect(),
        }
    }
}

impl Memory {
    /// Gives a commit its place in the log, and says which CSN that is.
    pub fn enqueue(&self, operations: RedoOperations) -> u64 {
        let mut inner = self.inner.lock();
        inner.queue.push_back(operations);
        inner.watermark + inner.queue.len() as u64
    }

    /// Applies the log up to a commit.
    pub fn wait(&self, csn: u64) -> u64 {
        let mut inner = self.inner.lock();
        while inner.watermark < csn {
            let operations = inner.queue.pop_front().expect("it was enqueued");
            let csn = inner.watermark + 1;
            for (id, record) in operations.nodes {
                inner.reserved.remove(&(false, id));
                inner.nodes.entry(id).or_default().push((csn, record));
            }
            for (id, record) in operations.relationships {
                inner.reserved.remove(&(true, id));
                inner
                    .relationships
                    .entry(id)
                    .or_default()
                    .push((csn, record));
            }
            inner.watermark = csn;
        }
        csn
    }

    /// All nodes as of a view.
    pub fn nodes(&self, view: u64) -> Vec<(u32, Arc<NodeRecord>)> {
        let inner = self.inner.lock();
        let visible = inner.nodes.iter();
        visible
            .filter_map(|(&id, v)| Some((id, as_of(v, view)?)))
            .collect()
    }

    /// All relationships as of a view.
    pub fn all_relationships(&self, view: u64) -> Vec<(u32, Arc<RelationshipRecord>)> {
        let inner = self.inner.lock();
        let visible = inner.relationships.iter();
        visible
            .filter_map(|(&id, v)| Some((id, as_of(v, view)?)))
            .collect()
    }

    /// Ids that are reserved: `true` for those of relationships.
    #[cfg(not(feature = "shuttle"))]
    pub fn reserved(&self) -> BTreeSet<(bool, u32)> {
        self.inner.lock().reserved.clone()
    }
}

fn as_of<R>(versions: &[(u64, Option<Arc<R>>)], csn: u64) -> Option<Arc<R>> {
    let newest = versions.iter().rev().find(|version| version.0 <= csn);
    newest.and_then(|version| version.1.clone())
}

fn newest<R>(versions: Option<&History<R>>) -> Newest {
    let newest = versions.and_then(|versions| versions.last());
    Newest {
        csn: newest.map_or(0, |version| version.0),
        exists: newest.is_some_and(|version| version.1.is_some()),
    }
}

impl CommittedState for Memory {
    type View = u64;
    type Error = TransactionError;

    fn view(&self) -> u64 {
        self.inner.lock().watermark
    }

    fn csn(view: &u64) -> u64 {
        *view
    }

    fn node(&self, view: &u64, id: u32) -> Result<Option<Arc<NodeRecord>>, TransactionError> {
        let inner = self.inner.lock();
        Ok(inner
            .nodes
            .get(&id)
            .and_then(|versions| as_of(versions, *view)))
    }

    fn relationship(
        &self,
        view: &u64,
        id: u32,
    ) -> Result<Option<Arc<RelationshipRecord>>, TransactionError> {
        let inner = self.inner.lock();
        let versions = inner.relationships.get(&id);
        Ok(versions.and_then(|versions| as_of(versions, *view)))
    }

    fn relationships(
        &self,
        view: &u64,
        node: u32,
        incoming: bool,
        each: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(), TransactionError> {
        for (id, record) in self.all_relationships(*view) {
            let end = if incoming {
                record.target
            } else {
                record.source
            };
            if end == node && each(id).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn newest_node(&self, id: u32) -> Result<Newest, TransactionError> {
        Ok(newest(self.inner.lock().nodes.get(&id)))
    }

    fn newest_relationship(&self, id: u32) -> Result<Newest, TransactionError> {
        Ok(newest(self.inner.lock().relationships.get(&id)))
    }

    fn reserve_node(&self) -> Result<u32, TransactionError> {
        let mut inner = self.inner.lock();
        let id = inner.next_node;
        inner.next_node += 1;
        inner.reserved.insert((false, id));
        Ok(id)
    }

    fn release_nodes(&self, ids: &[u32]) {
        let mut inner = self.inner.lock();
        for &id in ids {
            assert!(inner.reserved.remove(&(false, id)), "{id} was not reserved");
        }
    }

    fn reserve_relationship(&self) -> Result<u32, TransactionError> {
        let mut inner = self.inner.lock();
        let id = inner.next_relationship;
        inner.next_relationship += 1;
        inner.reserved.insert((true, id));
        Ok(id)
    }

    fn release_relationships(&self, ids: &[u32]) {
        let mut inner = self.inner.lock();
        for &id in ids {
            assert!(inner.reserved.remove(&(true, id)), "{id} was not reserved");
        }
    }
}
