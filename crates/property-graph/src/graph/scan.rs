//! Passes over all records, chunk by chunk.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use evergraph_storage::StorageError;

use super::core::{Committed, Core};
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::names::KnownNames;
use super::schema::{Entry, Governed, SubjectCode};
use super::transaction::Transaction as OwnTransaction;
use super::view::View;
use crate::dictionary::{LabelCode, TypeCode};
use crate::index::KeyRange;
use crate::records::{NodeRecord, Record, RelationshipRecord, Table};
use crate::transaction::{Change, KeyOf, Overlay, Transaction};

type Found<R> = Vec<(u32, Arc<R>)>;

/// A view, or a transaction over it.
#[derive(Clone, Copy)]
struct Source<'r> {
    view: &'r View,
    /// With its own writes; it records its reads.
    transaction: Option<&'r Transaction<Committed>>,
}

impl<'r> Source<'r> {
    fn view(view: &'r View) -> Self {
        Source {
            view,
            transaction: None,
        }
    }

    fn transaction(transaction: &'r Transaction<Committed>) -> Self {
        Source {
            view: transaction.view(),
            transaction: Some(transaction),
        }
    }
}

/// Position of a pass over a table.
struct Chunks<'r, R> {
    source: Source<'r>,
    next: u32,
    end: u32,
    of: PhantomData<R>,
}

/// A kind of record that is in a table, as a graph and a transaction show it.
pub(super) trait Tabled: Governed {
    fn table(core: &Core) -> &Table<Self>;
    fn merge(overlay: &Overlay, ids: Range<u32>, committed: Found<Self>) -> Found<Self>;
    /// Changes of a transaction, ascending by id.
    fn changes(overlay: &Overlay) -> impl DoubleEndedIterator<Item = (u32, &Change<Self>)>;
    /// Change of one record.
    fn change(overlay: &Overlay, id: u32) -> Option<&Change<Self>>;
    /// Changed records that an index would have in a range.
    fn changes_in(overlay: &Overlay, index: &Arc<Entry>, range: &KeyRange) -> Vec<u32>;
    /// One as a view shows it.
    fn of_view(view: &View, id: u32) -> Result<Option<Arc<Self>>, GraphError>;
    /// One as a transaction shows it, which notes that it was read.
    fn of_transaction(
        transaction: &Transaction<Committed>,
        id: u32,
    ) -> Result<Option<Arc<Self>>, GraphError>;
    /// All of a subject that a view shows, by id.
    fn scan(
        view: &View,
        subject: SubjectCode,
    ) -> impl Iterator<Item = Result<(u32, Arc<Self>), GraphError>>;
}

impl Tabled for NodeRecord {
    fn table(core: &Core) -> &Table<Self> {
        core.state.nodes()
    }

    fn merge(overlay: &Overlay, ids: Range<u32>, committed: Found<Self>) -> Found<Self> {
        overlay.merge_nodes(ids, committed.into_iter()).collect()
    }

    fn changes(overlay: &Overlay) -> impl DoubleEndedIterator<Item = (u32, &Change<Self>)> {
        overlay.nodes()
    }

    fn change(overlay: &Overlay, id: u32) -> Option<&Change<Self>> {
        overlay.node(id)
    }

    fn changes_in(overlay: &Overlay, index: &Arc<Entry>, range: &KeyRange) -> Vec<u32> {
        let by: Arc<dyn KeyOf<Self>> = Arc::clone(index) as _;
        overlay.nodes_by(index.number, &by, range.from(), range.to())
    }

    fn of_view(view: &View, id: u32) -> Result<Option<Arc<Self>>, GraphError> {
        view.node_record(NodeId(id))
    }

    fn of_transaction(
        transaction: &Transaction<Committed>,
        id: u32,
    ) -> Result<Option<Arc<Self>>, GraphError> {
        transaction.node(id)
    }

    fn scan(
        view: &View,
        subject: SubjectCode,
    ) -> impl Iterator<Item = Result<(u32, Arc<Self>), GraphError>> {
        let nodes = match subject {
            SubjectCode::Label(label) => NodeScan::new(view, Some(label)),
            SubjectCode::Type(_) => NodeScan::empty(view),
        };
        nodes.map(|node| node.map(|node| (node.id().0, Arc::clone(node.record()))))
    }
}

impl Tabled for RelationshipRecord {
    fn table(core: &Core) -> &Table<Self> {
        core.state.relationships()
    }

    fn merge(overlay: &Overlay, ids: Range<u32>, committed: Found<Self>) -> Found<Self> {
        overlay
            .merge_relationships(ids, committed.into_iter())
            .collect()
    }

    fn changes(overlay: &Overlay) -> impl DoubleEndedIterator<Item = (u32, &Change<Self>)> {
        overlay.relationships()
    }

    fn change(overlay: &Overlay, id: u32) -> Option<&Change<Self>> {
        overlay.relationship(id)
    }

    fn changes_in(overlay: &Overlay, index: &Arc<Entry>, range: &KeyRange) -> Vec<u32> {
        let by: Arc<dyn KeyOf<Self>> = Arc::clone(index) as _;
        overlay.relationships_by(index.number, &by, range.from(), range.to())
    }

    fn of_view(view: &View, id: u32) -> Result<Option<Arc<Self>>, GraphError> {
        view.relationship_record(RelationshipId(id))
    }

    fn of_transaction(
        transaction: &Transaction<Committed>,
        id: u32,
    ) -> Result<Option<Arc<Self>>, GraphError> {
        transaction.relationship(id)
    }

    fn scan(
        view: &View,
        subject: SubjectCode,
    ) -> impl Iterator<Item = Result<(u32, Arc<Self>), GraphError>> {
        let relationships = match subject {
            SubjectCode::Type(kind) => RelationshipScan::of_type(view, kind),
            SubjectCode::Label(_) => RelationshipScan::empty(view),
        };
        relationships.map(|found| found.map(|found| (found.id().0, Arc::clone(found.record()))))
    }
}

impl<'r, R: Tabled> Chunks<'r, R> {
    fn new(source: Source<'r>) -> Self {
        let table = R::table(source.view.core());
        let size = table.geometry().records_per_chunk;
        let mut end = table.chunk_count();
        if let Some(transaction) = source.transaction {
            // Records that the transaction created may lie behind the committed ones.
            let last = R::changes(transaction.overlay()).next_back();
            end = end.max(last.map_or(0, |(id, _)| id / size + 1));
        }
        Chunks {
            source,
            next: 0,
            end,
            of: PhantomData,
        }
    }

    /// The records of the next chunk; `None` after the last.
    fn read(&mut self) -> Option<Result<Found<R>, GraphError>> {
        if self.next >= self.end {
            return None;
        }
        let chunk = self.next;
        self.next += 1;
        let view = self.source.view;
        let table = R::table(view.core());
        let mut found = match read_chunk(table, chunk, view.csn()) {
            Ok(found) => found,
            Err(error) => return Some(Err(error.into())),
        };
        if let Some(transaction) = self.source.transaction {
            let size = table.geometry().records_per_chunk;
            let ids = chunk * size..(chunk + 1).saturating_mul(size);
            found = R::merge(transaction.overlay(), ids, found);
        }
        Some(Ok(found))
    }
}

fn read_chunk<R: Record>(table: &Table<R>, chunk: u32, csn: u64) -> Result<Found<R>, StorageError> {
    let mut records = Vec::new();
    table.try_for_each_in_chunk(chunk, csn, |id, found| {
        records.push((id, found.record()?));
        Ok::<_, StorageError>(())
    })?;
    Ok(records)
}

/// Nodes by id, all or those with a label. Reads a chunk at a time; after an
/// error it goes on with the next chunk.
pub struct NodeScan<'r> {
    chunks: Chunks<'r, NodeRecord>,
    names: KnownNames,
    label: Option<LabelCode>,
    found: std::vec::IntoIter<(u32, Arc<NodeRecord>)>,
}

impl<'r> NodeScan<'r> {
    pub(super) fn new(view: &'r View, label: Option<LabelCode>) -> Self {
        Self::of(Source::view(view), view.dictionary().into(), label)
    }

    pub(super) fn of_transaction(
        transaction: &'r OwnTransaction,
        label: Option<LabelCode>,
    ) -> Self {
        let source = Source::transaction(&transaction.inner);
        Self::of(source, transaction.known_names(), label)
    }

    pub(super) fn empty(view: &'r View) -> Self {
        let mut scan = Self::new(view, None);
        scan.chunks.end = 0;
        scan
    }

    fn of(source: Source<'r>, names: KnownNames, label: Option<LabelCode>) -> Self {
        NodeScan {
            chunks: Chunks::new(source),
            names,
            label,
            found: Vec::new().into_iter(),
        }
    }

    fn has_label(&self, record: &NodeRecord) -> bool {
        let has = |label| record.labels.binary_search(&label).is_ok();
        self.label.is_none_or(has)
    }
}

impl Iterator for NodeScan<'_> {
    type Item = Result<Node, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some((id, record)) = self.found.next() {
                if !self.has_label(&record) {
                    continue;
                }
                if let Some(transaction) = self.chunks.source.transaction {
                    transaction.has_read_node(id);
                }
                return Some(Ok(Node::new(NodeId(id), record, self.names.clone())));
            }
            match self.chunks.read()? {
                Ok(found) => self.found = found.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Relationships by id. Reads a chunk at a time; after an error it goes on with
/// the next chunk.
pub struct RelationshipScan<'r> {
    chunks: Chunks<'r, RelationshipRecord>,
    names: KnownNames,
    kind: Option<TypeCode>,
    found: std::vec::IntoIter<(u32, Arc<RelationshipRecord>)>,
}

impl<'r> RelationshipScan<'r> {
    pub(super) fn new(view: &'r View) -> Self {
        Self::of(Source::view(view), view.dictionary().into(), None)
    }

    /// Relationships of one type.
    pub(super) fn of_type(view: &'r View, kind: TypeCode) -> Self {
        Self::of(Source::view(view), view.dictionary().into(), Some(kind))
    }

    pub(super) fn of_transaction(transaction: &'r OwnTransaction) -> Self {
        let source = Source::transaction(&transaction.inner);
        Self::of(source, transaction.known_names(), None)
    }

    fn empty(view: &'r View) -> Self {
        let mut scan = Self::new(view);
        scan.chunks.end = 0;
        scan
    }

    fn of(source: Source<'r>, names: KnownNames, kind: Option<TypeCode>) -> Self {
        RelationshipScan {
            chunks: Chunks::new(source),
            names,
            kind,
            found: Vec::new().into_iter(),
        }
    }
}

impl Iterator for RelationshipScan<'_> {
    type Item = Result<Relationship, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            for (id, record) in self.found.by_ref() {
                if self.kind.is_some_and(|kind| kind != record.kind) {
                    continue;
                }
                if let Some(transaction) = self.chunks.source.transaction {
                    transaction.has_read_relationship(id);
                }
                let id = RelationshipId(id);
                return Some(Ok(Relationship::new(id, record, self.names.clone())));
            }
            match self.chunks.read()? {
                Ok(found) => self.found = found.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
