//! State shared by all parts of one graph.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_topology::Store;

use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::schema::Entry;
use super::state::State;
use super::view::View;
use crate::records::{NodeRecord, RelationshipRecord};
use crate::transaction::{CommittedState, Newest};

/// The store and its extension.
pub(super) struct Core {
    pub store: Arc<Store>,
    pub state: Arc<State>,
}

impl Core {
    /// Takes out a definition that could not be made; see
    /// [`Schema::fail`](super::schema::Schema::fail).
    pub fn fail(&self, entry: &Arc<Entry>, reason: &str) {
        let visible = self.store.published().0;
        self.state.schema.fail(entry, reason, visible);
    }
}

/// Committed state of a graph, as transactions read it.
#[derive(Clone)]
pub struct Committed {
    pub(super) core: Arc<Core>,
}

impl CommittedState for Committed {
    type View = View;
    type Error = GraphError;

    fn view(&self) -> View {
        View::new(&self.core, self.core.store.register())
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

    fn newest_node(&self, id: u32) -> Result<Newest, GraphError> {
        Ok(newest(self.core.state.nodes().newest(id)?))
    }

    fn newest_relationship(&self, id: u32) -> Result<Newest, GraphError> {
        Ok(newest(self.core.state.relationships().newest(id)?))
    }

    fn reserve_node(&self) -> Result<u32, GraphError> {
        let store = &self.core.store;
        Ok(self.core.state.nodes().reserve(|| store.needed())?)
    }

    fn release_nodes(&self, ids: &[u32]) {
        let nodes = self.core.state.nodes();
        ids.iter().for_each(|&id| nodes.release(id));
    }

    fn reserve_relationship(&self) -> Result<u32, GraphError> {
        let store = &self.core.store;
        Ok(self.core.state.relationships().reserve(|| store.needed())?)
    }

    fn release_relationships(&self, ids: &[u32]) {
        let relationships = self.core.state.relationships();
        ids.iter().for_each(|&id| relationships.release(id));
    }
}

fn newest((csn, exists): (u64, bool)) -> Newest {
    Newest { csn, exists }
}
