//! The graph as transactions read it.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::core::Core;
use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::view::View;
use crate::dictionary::KeyCode;
use crate::record::{EntityKind, NodeRecord, RelationshipRecord};
use crate::transaction::{CommittedState, Newest};

/// Committed state of a graph, as transactions read it.
#[derive(Clone)]
pub(super) struct Committed {
    pub(super) core: Arc<Core>,
}

impl CommittedState for Committed {
    type View = View;
    type Error = GraphError;

    fn view(&self) -> View {
        View::latest(&self.core)
    }

    fn csn(view: &View) -> u64 {
        view.csn()
    }

    fn node(&self, view: &View, id: u32) -> Result<Option<Arc<NodeRecord>>, GraphError> {
        view.node_record(NodeId(id))
    }

    fn relationship(
        &self,
        view: &View,
        id: u32,
    ) -> Result<Option<Arc<RelationshipRecord>>, GraphError> {
        view.relationship_record(RelationshipId(id))
    }

    fn relationships(
        &self,
        view: &View,
        node: u32,
        incoming: bool,
        each: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(), GraphError> {
        view.for_each_attached(NodeId(node), incoming, each)
    }

    fn indexed_keys(&self) -> Vec<KeyCode> {
        let entries = self.core.state.schema.entries();
        let keys = entries.iter().flat_map(|entry| &entry.stored.keys);
        keys.copied().collect()
    }

    fn newest(&self, kind: EntityKind, id: u32) -> Result<Newest, GraphError> {
        let (csn, exists) = match kind {
            EntityKind::Node => self.core.state.nodes().newest(id)?,
            EntityKind::Relationship => self.core.state.relationships().newest(id)?,
        };
        Ok(Newest { csn, exists })
    }

    fn reserve(&self, kind: EntityKind) -> Result<u32, GraphError> {
        let needed = || self.core.store.needed();
        Ok(match kind {
            EntityKind::Node => self.core.state.nodes().reserve(needed)?,
            EntityKind::Relationship => self.core.state.relationships().reserve(needed)?,
        })
    }

    fn release(&self, kind: EntityKind, ids: Range<u32>) {
        match kind {
            EntityKind::Node => self.core.state.nodes().release(ids),
            EntityKind::Relationship => self.core.state.relationships().release(ids),
        }
    }
}
