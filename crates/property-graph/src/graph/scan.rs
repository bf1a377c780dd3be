//! Passes over all records, chunk by chunk.

use std::marker::PhantomData;
use std::sync::Arc;

use super::core::{Committed, Core};
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::stub::Table;
use super::view::View;
use crate::dictionary::LabelCode;
use crate::records::{NodeRecord, RelationshipRecord};
use crate::transaction::{Overlay, Transaction};

type Found<R> = Vec<(u32, Arc<R>)>;

/// Whose records are read.
#[derive(Clone, Copy)]
struct Source<'r> {
    view: &'r View,
    /// With what it wrote; it notes what it reads.
    transaction: Option<&'r Transaction<Committed>>,
}

/// Where a pass over a table is.
struct Chunks<'r, R> {
    source: Source<'r>,
    next: u32,
    end: u32,
    of: PhantomData<R>,
}

/// A kind of record that is in a table.
trait Tabled: Sized {
    fn table(core: &Core) -> &Table<Self>;
    fn merge(
        overlay: &Overlay,
        ids: std::ops::Range<u32>,
        committed: Found<Self>,
    ) -> Found<Self>;
}

impl Tabled for NodeRecord {
    fn table(core: &Core) -> &Table<Self> {
        &core.state.nodes
    }

    fn merge(overlay: &Overlay, ids: std::ops::Range<u32>, committed: Found<Self>) -> Found<Self> {
        overlay.merge_nodes(ids, committed.into_iter()).collect()
    }
}

impl Tabled for RelationshipRecord {
    fn table(core: &Core) -> &Table<Self> {
        &core.state.relationships
    }

    fn merge(overlay: &Overlay, ids: std::ops::Range<u32>, committed: Found<Self>) -> Found<Self> {
        overlay.merge_relationships(ids, committed.into_iter()).collect()
    }
}

impl<'r, R: Tabled> Chunks<'r, R> {
    fn new(source: Source<'r>) -> Self {
        // With those whose ids were only reserved: a transaction made them.
        let end = R::table(source.view.core()).chunk_count();
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
        let mut found = Vec::new();
        let read = table.for_each_in_chunk(chunk, view.csn(), |id, record: &Arc<R>| {
            found.push((id, Arc::clone(record)));
        });
        if let Err(error) = read {
            return Some(Err(error.into()));
        }
        if let Some(transaction) = self.source.transaction {
            let size = table.chunk_records();
            let ids = chunk * size..(chunk + 1).saturating_mul(size);
            found = R::merge(transaction.overlay(), ids, found);
        }
        Some(Ok(found))
    }
}

/// Nodes by id, all or those with a label. Reads a chunk at a time; after an
/// error it goes on with the next chunk.
pub struct NodeScan<'r> {
    chunks: Chunks<'r, NodeRecord>,
    label: Option<LabelCode>,
    found: std::vec::IntoIter<(u32, Arc<NodeRecord>)>,
}

impl<'r> NodeScan<'r> {
    pub(super) fn new(view: &'r View, label: Option<LabelCode>) -> Self {
        let transaction = None;
        Self::of(Source { view, transaction }, label)
    }

    pub(super) fn of_transaction(
        transaction: &'r Transaction<Committed>,
        label: Option<LabelCode>,
    ) -> Self {
        let source = Source {
            view: transaction.view(),
            transaction: Some(transaction),
        };
        Self::of(source, label)
    }

    pub(super) fn empty(view: &'r View) -> Self {
        let mut scan = Self::new(view, None);
        scan.chunks.end = 0;
        scan
    }

    fn of(source: Source<'r>, label: Option<LabelCode>) -> Self {
        NodeScan {
            chunks: Chunks::new(source),
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
                let Source { view, transaction } = self.chunks.source;
                if let Some(transaction) = transaction {
                    transaction.has_read_node(id);
                }
                return Some(Ok(Node::new(NodeId(id), record, view.dictionary())));
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
    found: std::vec::IntoIter<(u32, Arc<RelationshipRecord>)>,
}

impl<'r> RelationshipScan<'r> {
    pub(super) fn new(view: &'r View) -> Self {
        let transaction = None;
        Self::of(Source { view, transaction })
    }

    pub(super) fn of_transaction(transaction: &'r Transaction<Committed>) -> Self {
        Self::of(Source {
            view: transaction.view(),
            transaction: Some(transaction),
        })
    }

    fn of(source: Source<'r>) -> Self {
        RelationshipScan {
            chunks: Chunks::new(source),
            found: Vec::new().into_iter(),
        }
    }
}

impl Iterator for RelationshipScan<'_> {
    type Item = Result<Relationship, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((id, record)) = self.found.next() {
                let Source { view, transaction } = self.chunks.source;
                if let Some(transaction) = transaction {
                    transaction.has_read_relationship(id);
                }
                let id = RelationshipId(id);
                return Some(Ok(Relationship::new(id, record, view.dictionary())));
            }
            match self.chunks.read()? {
                Ok(found) => self.found = found.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
