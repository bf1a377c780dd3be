//! The graph as of one commit.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_persistence::ViewToken;
use evergraph_snapshots::View as Moment;
use evergraph_topology::{ListScratch, Published, in_plane, out_plane};

use super::adjacency::{Adjacent, Towards};
use super::core::Core;
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{NodeId, RelationshipId};
use super::scan::{NodeScan, RelationshipScan};
use crate::dictionary::{Dictionary, LabelCode, Names, TypeCode};
use crate::records::{NodeRecord, RelationshipRecord};

/// The graph as of one commit. Cheap to clone. Taking one is O(1) and stops nobody; everything
/// that it shows stays readable as long as it lives, whatever is committed
/// meanwhile.
#[derive(Clone)]
pub struct View {
    core: Arc<Core>,
    token: Arc<ViewToken<Published>>,
}

impl View {
    pub(super) fn new(core: &Arc<Core>, token: ViewToken<Published>) -> Self {
        View {
            core: Arc::clone(core),
            token: Arc::new(token),
        }
    }

    /// Of a moment that somebody holds already.
    pub(super) fn of_moment(core: &Arc<Core>, moment: &Moment) -> Result<Self, GraphError> {
        match Arc::ptr_eq(&core.store, moment.store()) {
            true => Ok(View {
                core: Arc::clone(core),
                token: Arc::clone(moment.token()),
            }),
            false => Err(GraphError::Unsupported(
                "this moment is of another graph; take one of the graph that is read".to_string(),
            )),
        }
    }

    /// The same moment of the store below, for what reads no properties. O(1).
    pub fn moment(&self) -> Moment {
        Moment::of_token(&self.core.store, &self.token)
    }

    /// The commit.
    pub fn csn(&self) -> u64 {
        self.token.csn()
    }

    /// Wall time of the commit, microseconds since 1970.
    pub fn wall_us(&self) -> i64 {
        self.token.state().wall_us
    }

    /// Node ids are below this.
    pub fn node_bound(&self) -> u32 {
        self.token.state().vertex_count as u32
    }

    /// Relationships of all types.
    pub fn relationship_count(&self) -> Result<u64, GraphError> {
        Ok(self.core.store.arc_count(&self.token)?)
    }

    /// A node; `None` if there is none of this id. Costs one record of one chunk.
    pub fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError> {
        let record = self.node_record(id)?;
        Ok(record.map(|record| Node::new(id, record, self.dictionary())))
    }

    /// A relationship; `None` if there is none of this id.
    pub fn relationship(&self, id: RelationshipId) -> Result<Option<Relationship>, GraphError> {
        let record = self.relationship_record(id)?;
        Ok(record.map(|record| Relationship::new(id, record, self.dictionary())))
    }

    /// What a node is, by code.
    pub fn node_record(&self, id: NodeId) -> Result<Option<Arc<NodeRecord>>, GraphError> {
        Ok(self.core.state.nodes().get(id.0, self.csn())?)
    }

    /// What a relationship is, by code.
    pub fn relationship_record(
        &self,
        id: RelationshipId,
    ) -> Result<Option<Arc<RelationshipRecord>>, GraphError> {
        Ok(self.core.state.relationships().get(id.0, self.csn())?)
    }

    /// All nodes, by id.
    pub fn nodes(&self) -> NodeScan<'_> {
        NodeScan::new(self, None)
    }

    /// The nodes that have a label, by id.
    pub fn nodes_with_label(&self, label: &str) -> NodeScan<'_> {
        match self.dictionary().code(Names::Labels, label) {
            Some(code) => NodeScan::new(self, Some(code)),
            None => NodeScan::empty(self),
        }
    }

    pub(super) fn nodes_with_label_code(&self, label: LabelCode) -> NodeScan<'_> {
        NodeScan::new(self, Some(label))
    }

    /// All relationships, by id.
    pub fn relationships(&self) -> RelationshipScan<'_> {
        RelationshipScan::new(self)
    }

    /// The relationships of a node in one direction or both, of some types or,
    /// if none is named, of all. In insertion order for each type and direction;
    /// a loop comes once. A node that does not exist has none.
    pub fn neighbors(
        &self,
        node: NodeId,
        towards: Towards,
        types: &[&str],
    ) -> Result<Vec<Adjacent>, GraphError> {
        let mut found = Vec::new();
        self.for_each_neighbor(node, towards, types, |adjacent| found.push(adjacent))?;
        Ok(found)
    }

    /// As [`View::neighbors`], without gathering them.
    pub fn for_each_neighbor(
        &self,
        node: NodeId,
        towards: Towards,
        types: &[&str],
        mut visit: impl FnMut(Adjacent),
    ) -> Result<(), GraphError> {
        for kind in self.kinds(types) {
            self.for_each_of_kind(node, towards, kind, &mut visit)?;
        }
        Ok(())
    }

    /// How many relationships [`View::neighbors`] would give.
    pub fn degree(
        &self,
        node: NodeId,
        towards: Towards,
        types: &[&str],
    ) -> Result<usize, GraphError> {
        let mut degree = 0;
        self.for_each_neighbor(node, towards, types, |_| degree += 1)?;
        Ok(degree)
    }

    /// Whether a node has any relationship.
    pub fn has_relationships(&self, node: NodeId) -> Result<bool, GraphError> {
        let mut found = false;
        for kind in self.kinds(&[]) {
            self.for_each_of_kind(node, Towards::Both, kind, &mut |_| found = true)?;
            if found {
                break;
            }
        }
        Ok(found)
    }

    pub(super) fn for_each_of_kind(
        &self,
        node: NodeId,
        towards: Towards,
        kind: TypeCode,
        visit: &mut impl FnMut(Adjacent),
    ) -> Result<(), GraphError> {
        for incoming in towards.lists() {
            self.for_each_listed(node, kind, *incoming, |neighbor, relationship| {
                let is_repeated = *incoming && towards == Towards::Both && neighbor == node.0;
                if !is_repeated {
                    visit(Adjacent {
                        relationship: RelationshipId(relationship),
                        neighbor: NodeId(neighbor),
                        kind,
                        incoming: *incoming,
                    });
                }
            })?;
        }
        Ok(())
    }

    /// The relationships that leave a node, or enter it, until `each` breaks.
    pub(super) fn for_each_attached(
        &self,
        node: NodeId,
        incoming: bool,
        each: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(), GraphError> {
        let mut flow = ControlFlow::Continue(());
        for kind in self.kinds(&[]) {
            self.for_each_listed(node, kind, incoming, |_, relationship| {
                if flow.is_continue() {
                    flow = each(relationship);
                }
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Neighbor and relationship of each entry of one list.
    fn for_each_listed(
        &self,
        node: NodeId,
        kind: TypeCode,
        incoming: bool,
        mut visit: impl FnMut(u32, u32),
    ) -> Result<(), GraphError> {
        let store = &self.core.store;
        let plane = plane_of(kind, incoming);
        let Some(section) = store.pin_section(&self.token, plane, node.0)? else {
            return Ok(());
        };
        let list = (node.0 & ((1 << store.config().section_shift) - 1)) as usize;
        let mut scratch = ListScratch::default();
        let _ = section.for_each_weighted_segment::<()>(list, &mut scratch, |neighbors, ids| {
            let entries = neighbors.iter().zip(ids);
            entries.for_each(|(&neighbor, &id)| visit(neighbor, id));
            ControlFlow::Continue(())
        });
        Ok(())
    }

    /// Codes of the types named, or of all that there are.
    pub(super) fn kinds(&self, types: &[&str]) -> Vec<TypeCode> {
        if types.is_empty() {
            return self.core.store.relationship_types();
        }
        let mut kinds: Vec<TypeCode> = types
            .iter()
            .filter_map(|name| self.dictionary().code(Names::Types, name))
            .filter_map(|code| TypeCode::try_from(code).ok())
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    pub(super) fn dictionary(&self) -> &Arc<Dictionary> {
        &self.core.state.dictionary
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(super) fn token(&self) -> &Arc<ViewToken<Published>> {
        &self.token
    }
}

/// Plane of the topology that holds the lists of a type.
pub(super) fn plane_of(kind: TypeCode, incoming: bool) -> usize {
    match incoming {
        false => out_plane(kind),
        true => in_plane(kind),
    }
}
