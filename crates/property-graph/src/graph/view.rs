//! The graph as of one commit.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use evergraph_persistence::ViewToken;
use evergraph_snapshots::View as Moment;
use evergraph_topology::{ListReader, Pins, PlaneSet, Published};

pub(super) use super::adjacency::plane_of;
use super::adjacency::{Adjacent, Towards, TypeSet, each_listed};
use super::core::Core;
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::expander::Expander;
use super::ids::{NodeId, RelationshipId};
use super::scan::{NodeScan, RelationshipScan};
use crate::dictionary::{Dictionary, Names, TypeCode};
use crate::records::{NodeRecord, RelationshipRecord};

/// The graph as of one commit. Cheap to clone. Taking one is O(1) and stops nobody; everything
/// that it shows stays readable as long as it lives, whatever is committed
/// meanwhile.
#[derive(Clone)]
pub struct View {
    core: Arc<Core>,
    token: Arc<ViewToken<Published>>,
    read: Arc<Read>,
}

/// What a view and its clones have read.
#[derive(Debug, Default)]
struct Read {
    pins: Pins,
    all_types: OnceLock<TypeSet>,
}

/// So many lists are read without asking first which there are.
const FEW_LISTS: usize = 4;

impl View {
    pub(super) fn new(core: &Arc<Core>, token: ViewToken<Published>) -> Self {
        View {
            core: Arc::clone(core),
            token: Arc::new(token),
            read: Arc::default(),
        }
    }

    /// Of a moment that somebody holds already.
    pub(super) fn of_moment(core: &Arc<Core>, moment: &Moment) -> Result<Self, GraphError> {
        match Arc::ptr_eq(&core.store, moment.store()) {
            true => Ok(View {
                core: Arc::clone(core),
                token: Arc::clone(moment.token()),
                read: Arc::default(),
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
        let each = |adjacent| {
            visit(adjacent);
            ControlFlow::<()>::Continue(())
        };
        let _ = match types {
            [] => self.expand(node, towards, self.all_types(), each)?,
            types => self.expand(node, towards, &self.types(types), each)?,
        };
        Ok(())
    }

    /// The types of these names, or all that there are if none is named, looked up
    /// once for many nodes. What is no name of a type is left out.
    pub fn types(&self, names: &[&str]) -> TypeSet {
        match names {
            [] => self.all_types().clone(),
            names => TypeSet::of(self.kinds(names)),
        }
    }

    /// Calls `visit` with the relationships of a node, in the order of
    /// [`View::neighbors`], until it breaks. Of many types, only the lists that the
    /// node has are read: the first time that somebody asks for many types in a
    /// section of nodes, what they have is found out for all of them.
    ///
    /// Nothing is allocated unless a list has deletions.
    ///
    /// # Errors
    /// Damage, found at the first read of a section.
    #[inline]
    pub fn expand<B>(
        &self,
        node: NodeId,
        towards: Towards,
        types: &TypeSet,
        visit: impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        self.expand_lists(node, towards, types, each_listed(node, towards, visit))
    }

    /// As [`View::expand`], slice by slice: type, whether the relationships enter the
    /// node, the nodes at their other ends and their ids. A loop comes in both
    /// directions.
    #[inline]
    pub fn expand_lists<B>(
        &self,
        node: NodeId,
        towards: Towards,
        types: &TypeSet,
        mut visit: impl FnMut(TypeCode, bool, &[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let may_have = self.planes_of(node, towards, types);
        let (store, pins) = (&self.core.store, &self.read.pins);
        types.for_each_plane(towards, may_have, |kind, incoming, plane| {
            let each = |neighbors: &[u32], ids: &[u32]| visit(kind, incoming, neighbors, ids);
            Ok(store.read_list(&self.token, pins, plane, node.0, each)?)
        })
    }

    /// Reads the relationships of many nodes, faster than [`View::expand`]: what it
    /// has read it keeps until it is dropped, up to a thousand sections of nodes for
    /// each list, also while merges replace them.
    pub fn expander(&self, towards: Towards, types: &TypeSet) -> Expander<'_> {
        Expander::new(self, towards, types)
    }

    /// Which lists a node may have, if it is worth asking.
    #[inline(always)]
    pub(super) fn planes_of(&self, node: NodeId, towards: Towards, types: &TypeSet) -> PlaneSet {
        match types.codes().len() * towards.lists().len() {
            0..FEW_LISTS => PlaneSet::ALL,
            _ => self.core.store.planes_of(node.0),
        }
    }

    /// Reads the lists of one plane.
    pub(super) fn list_reader(&self, plane: usize) -> ListReader<'_> {
        let store = &self.core.store;
        store.reader_with(&self.token, &self.read.pins, plane)
    }

    /// How many relationships [`View::neighbors`] would give.
    pub fn degree(
        &self,
        node: NodeId,
        towards: Towards,
        types: &[&str],
    ) -> Result<usize, GraphError> {
        self.degree_in(node, towards, &self.types(types))
    }

    /// As [`View::degree`], of types that were looked up before.
    ///
    /// # Errors
    /// As [`View::expand`].
    pub fn degree_in(
        &self,
        node: NodeId,
        towards: Towards,
        types: &TypeSet,
    ) -> Result<usize, GraphError> {
        let mut degree = 0;
        let _ = self.expand_lists(node, towards, types, |_, incoming, neighbors, _| {
            degree += neighbors.len();
            if incoming && towards == Towards::Both {
                degree -= neighbors.iter().filter(|&&n| n == node.0).count();
            }
            ControlFlow::<()>::Continue(())
        })?;
        Ok(degree)
    }

    /// Whether a node has any relationship.
    pub fn has_relationships(&self, node: NodeId) -> Result<bool, GraphError> {
        let all = self.all_types();
        let found = self.expand(node, Towards::Both, all, |_| ControlFlow::Break(()))?;
        Ok(found.is_break())
    }

    /// The relationships that leave a node, or enter it, until `each` breaks.
    pub(super) fn for_each_attached(
        &self,
        node: NodeId,
        incoming: bool,
        each: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(), GraphError> {
        let towards = match incoming {
            false => Towards::Outgoing,
            true => Towards::Incoming,
        };
        let _ = self.expand_lists(node, towards, self.all_types(), |_, _, _, ids| {
            ids.iter().try_for_each(|&id| each(id))
        })?;
        Ok(())
    }

    /// The relationships of a node of one type, as [`View::expand`] gives them.
    pub(super) fn for_each_of_kind(
        &self,
        node: NodeId,
        towards: Towards,
        kind: TypeCode,
        visit: &mut impl FnMut(Adjacent),
    ) -> Result<(), GraphError> {
        let each = |adjacent| {
            visit(adjacent);
            ControlFlow::<()>::Continue(())
        };
        let _ = self.expand(node, towards, &TypeSet::of(vec![kind]), each)?;
        Ok(())
    }

    /// Codes of the types named, or of all that a node may have.
    pub(super) fn kinds_of(&self, node: NodeId, types: &[&str]) -> Vec<TypeCode> {
        let mut kinds = self.kinds(types);
        if types.is_empty() {
            let may_have = self.core.store.planes_of(node.0);
            let has = |plane: usize| may_have.may_contain(plane);
            kinds.retain(|&kind| has(plane_of(kind, false)) || has(plane_of(kind, true)));
        }
        kinds
    }

    /// Codes of the types named, or of all that there are.
    pub(super) fn kinds(&self, types: &[&str]) -> Vec<TypeCode> {
        if types.is_empty() {
            return self.all_types().codes().to_vec();
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

    /// All types that the view may show; those that come later it does not.
    fn all_types(&self) -> &TypeSet {
        let read = || TypeSet::of(self.core.store.relationship_types());
        self.read.all_types.get_or_init(read)
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
