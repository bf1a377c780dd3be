//! Passes over all records, chunk by chunk.

use std::sync::Arc;

use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::view::View;
use crate::dictionary::LabelCode;
use crate::records::{NodeRecord, RelationshipRecord};

/// Nodes by id, all or those with a label. Reads a chunk at a time; after an
/// error it goes on with the next chunk.
pub struct NodeScan<'v> {
    view: &'v View,
    label: Option<LabelCode>,
    next_chunk: u32,
    chunks: u32,
    found: std::vec::IntoIter<(u32, Arc<NodeRecord>)>,
}

impl<'v> NodeScan<'v> {
    pub(super) fn new(view: &'v View, label: Option<LabelCode>) -> Self {
        NodeScan {
            view,
            label,
            next_chunk: 0,
            chunks: view.core().state.nodes.chunk_count(),
            found: Vec::new().into_iter(),
        }
    }

    pub(super) fn empty(view: &'v View) -> Self {
        NodeScan {
            chunks: 0,
            ..NodeScan::new(view, None)
        }
    }

    fn read_chunk(&mut self) -> Result<(), GraphError> {
        let mut found = Vec::new();
        let (chunk, label) = (self.next_chunk, self.label);
        self.next_chunk += 1;
        let nodes = &self.view.core().state.nodes;
        nodes.for_each_in_chunk(chunk, self.view.csn(), |id, record: &Arc<NodeRecord>| {
            if label.is_none_or(|label| record.labels.binary_search(&label).is_ok()) {
                found.push((id, Arc::clone(record)));
            }
        })?;
        self.found = found.into_iter();
        Ok(())
    }
}

impl Iterator for NodeScan<'_> {
    type Item = Result<Node, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((id, record)) = self.found.next() {
                return Some(Ok(Node::new(NodeId(id), record, self.view.dictionary())));
            }
            if self.next_chunk >= self.chunks {
                return None;
            }
            if let Err(error) = self.read_chunk() {
                return Some(Err(error));
            }
        }
    }
}

/// Relationships by id. Reads a chunk at a time; after an error it goes on with
/// the next chunk.
pub struct RelationshipScan<'v> {
    view: &'v View,
    next_chunk: u32,
    chunks: u32,
    found: std::vec::IntoIter<(u32, Arc<RelationshipRecord>)>,
}

impl<'v> RelationshipScan<'v> {
    pub(super) fn new(view: &'v View) -> Self {
        RelationshipScan {
            view,
            next_chunk: 0,
            chunks: view.core().state.relationships.chunk_count(),
            found: Vec::new().into_iter(),
        }
    }

    fn read_chunk(&mut self) -> Result<(), GraphError> {
        let mut found = Vec::new();
        let chunk = self.next_chunk;
        self.next_chunk += 1;
        let relationships = &self.view.core().state.relationships;
        let csn = self.view.csn();
        relationships.for_each_in_chunk(chunk, csn, |id, record: &Arc<RelationshipRecord>| {
            found.push((id, Arc::clone(record)));
        })?;
        self.found = found.into_iter();
        Ok(())
    }
}

impl Iterator for RelationshipScan<'_> {
    type Item = Result<Relationship, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((id, record)) = self.found.next() {
                let id = RelationshipId(id);
                return Some(Ok(Relationship::new(id, record, self.view.dictionary())));
            }
            if self.next_chunk >= self.chunks {
                return None;
            }
            if let Err(error) = self.read_chunk() {
                return Some(Err(error));
            }
        }
    }
}
