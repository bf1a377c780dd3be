//! A committed state that is as plain as can be: every version of every record,
//! and a queue for a log. Adjacency is found by looking at all relationships.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::dictionary::KeyCode;
use crate::record::{EntityKind, NodeRecord, Record, RelationshipRecord};
use crate::transaction::sync::Mutex;
use crate::transaction::{Change, CommittedState, Newest, Overlay, TransactionError};

/// Versions of one record, oldest first.
type History<R> = Vec<(u64, Option<Arc<R>>)>;
type Versions<R> = BTreeMap<u32, History<R>>;

#[derive(Default)]
pub(super) struct Memory {
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
    reserved: BTreeSet<(EntityKind, u32)>,
}

/// Changes of records by a commit.
#[derive(Clone, Default)]
pub(super) struct RedoOperations {
    nodes: Vec<(u32, Change<NodeRecord>)>,
    relationships: Vec<(u32, Change<RelationshipRecord>)>,
}

impl RedoOperations {
    pub(super) fn new(overlay: &Overlay) -> Self {
        let nodes = overlay.changes().filter(|(_, change)| change.has_effect());
        let relationships = overlay.changes();
        let relationships = relationships.filter(|(_, change)| change.has_effect());
        RedoOperations {
            nodes: nodes.map(|(id, change)| (id, change.clone())).collect(),
            relationships: relationships
                .map(|(id, change)| (id, change.clone()))
                .collect(),
        }
    }
}

/// Adds the version that a change makes.
fn apply<R: Record>(versions: &mut Versions<R>, csn: u64, id: u32, change: &Change<R>) {
    let history = versions.entry(id).or_default();
    let newest = history.last().and_then(|version| version.1.clone());
    history.push((csn, change.over(newest.as_ref())));
}

impl Memory {
    /// Gives a commit its place in the log, and says which CSN that is.
    pub(super) fn enqueue(&self, operations: RedoOperations) -> u64 {
        let mut inner = self.inner.lock();
        inner.queue.push_back(operations);
        inner.watermark + inner.queue.len() as u64
    }

    /// Applies the log up to a commit.
    pub(super) fn wait(&self, csn: u64) -> u64 {
        let mut inner = self.inner.lock();
        while inner.watermark < csn {
            let operations = inner.queue.pop_front().expect("it was enqueued");
            let csn = inner.watermark + 1;
            for (id, change) in operations.nodes {
                inner.reserved.remove(&(EntityKind::Node, id));
                apply(&mut inner.nodes, csn, id, &change);
            }
            for (id, change) in operations.relationships {
                inner.reserved.remove(&(EntityKind::Relationship, id));
                apply(&mut inner.relationships, csn, id, &change);
            }
            inner.watermark = csn;
        }
        csn
    }

    pub(super) fn nodes(&self, view: u64) -> Vec<(u32, Arc<NodeRecord>)> {
        let inner = self.inner.lock();
        let visible = inner.nodes.iter();
        visible
            .filter_map(|(&id, v)| Some((id, as_of(v, view)?)))
            .collect()
    }

    pub(super) fn all_relationships(&self, view: u64) -> Vec<(u32, Arc<RelationshipRecord>)> {
        let inner = self.inner.lock();
        let visible = inner.relationships.iter();
        visible
            .filter_map(|(&id, v)| Some((id, as_of(v, view)?)))
            .collect()
    }

    /// Ids that are reserved.
    #[cfg(not(feature = "shuttle"))]
    pub(super) fn reserved(&self) -> BTreeSet<(EntityKind, u32)> {
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

    fn indexed_keys(&self) -> Vec<KeyCode> {
        Vec::new()
    }

    fn newest(&self, kind: EntityKind, id: u32) -> Result<Newest, TransactionError> {
        let inner = self.inner.lock();
        Ok(match kind {
            EntityKind::Node => newest(inner.nodes.get(&id)),
            EntityKind::Relationship => newest(inner.relationships.get(&id)),
        })
    }

    fn reserve(&self, kind: EntityKind) -> Result<u32, TransactionError> {
        let mut inner = self.inner.lock();
        let next = match kind {
            EntityKind::Node => &mut inner.next_node,
            EntityKind::Relationship => &mut inner.next_relationship,
        };
        let id = *next;
        *next += 1;
        inner.reserved.insert((kind, id));
        Ok(id)
    }

    fn release(&self, kind: EntityKind, ids: Range<u32>) {
        for id in ids {
            let was_reserved = self.inner.lock().reserved.remove(&(kind, id));
            assert!(was_reserved, "{kind} {id} was not reserved");
        }
    }
}
