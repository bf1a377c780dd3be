//! Views: a store as of one commit.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_graph::{StoredLists, VertexId, Weight};
use evergraph_storage::ViewToken;
use evergraph_topology::{
    ListReader, ListTier, PinnedSections, Published, SectionView, Store, TierEntry, TopologyError,
};

use crate::graph_view::GraphView;

/// Lists of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lists {
    /// Out-neighbors.
    Out,
    /// In-neighbors; in an undirected graph the same.
    In,
}

/// The graph as of one commit. Everything it shows stays readable as long as
/// it lives, whatever is inserted, deleted or merged meanwhile.
pub struct View {
    store: Arc<Store>,
    token: Arc<ViewToken<Published>>,
    pins: PinnedSections,
}

impl View {
    /// A view at the newest visible commit. O(1).
    pub fn new(store: &Arc<Store>) -> Self {
        View {
            token: Arc::new(store.register()),
            store: Arc::clone(store),
            pins: PinnedSections::new(),
        }
    }

    /// A view as of a commit that is kept: that of a named snapshot, or the
    /// newest. O(1); what it reads is rebuilt section by section when it is
    /// looked at.
    ///
    /// # Errors
    /// If the commit is not kept.
    pub fn as_of(store: &Arc<Store>, csn: u64) -> Result<Self, TopologyError> {
        Ok(View {
            token: Arc::new(store.register_at(csn)?),
            store: Arc::clone(store),
            pins: PinnedSections::new(),
        })
    }

    /// A view of what a token of the store holds already. O(1).
    pub fn of_token(store: &Arc<Store>, token: &Arc<ViewToken<Published>>) -> Self {
        View {
            store: Arc::clone(store),
            token: Arc::clone(token),
            pins: PinnedSections::new(),
        }
    }

    /// The token that keeps the commit readable, for other views of it.
    pub fn token(&self) -> &Arc<ViewToken<Published>> {
        &self.token
    }

    /// The store that is shown.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The commit.
    pub fn csn(&self) -> u64 {
        self.token.csn()
    }

    /// Vertices are `0..vertex_count()`.
    pub fn vertex_count(&self) -> usize {
        self.token.state().vertex_count as usize
    }

    /// Live entries of the out-lists: an undirected edge counts twice.
    ///
    /// At once in merged mode, O(sections) in direct mode.
    pub fn arc_count(&self) -> Result<u64, TopologyError> {
        self.store.arc_count(&self.token)
    }

    /// Live edges: an undirected edge counts once.
    pub fn edge_count(&self) -> Result<u64, TopologyError> {
        let arcs = self.arc_count()?;
        Ok(match self.store.config().direction {
            StoredLists::Undirected => arcs / 2,
            StoredLists::Out | StoredLists::Both => arcs,
        })
    }

    /// Wall time of the commit, microseconds since 1970.
    pub fn wall_us(&self) -> i64 {
        self.token.state().wall_us
    }

    /// Live out-neighbors of one vertex in insertion order. Reads only the
    /// vertex's section. A vertex that does not exist has none.
    pub fn neighbors(&self, vertex: VertexId) -> Result<Vec<VertexId>, TopologyError> {
        Ok(self.list(self.adjacency_of(Lists::Out)?, vertex)?.0)
    }

    /// As [`View::neighbors`], with weights (1 in a graph without).
    pub fn weighted_neighbors(
        &self,
        vertex: VertexId,
    ) -> Result<Vec<(VertexId, Weight)>, TopologyError> {
        let (neighbors, weights) = self.list(self.adjacency_of(Lists::Out)?, vertex)?;
        let weight = |i: usize| weights.get(i).map_or(1.0, |&bits| f32::from_bits(bits));
        let pairs = neighbors.iter().enumerate();
        Ok(pairs.map(|(i, &u)| (u, weight(i))).collect())
    }

    /// Live in-neighbors of one vertex.
    ///
    /// # Errors
    /// If the graph keeps only out-lists.
    pub fn in_neighbors(&self, vertex: VertexId) -> Result<Vec<VertexId>, TopologyError> {
        Ok(self.list(self.adjacency_of(Lists::In)?, vertex)?.0)
    }

    /// Appends the live out-neighbors of one vertex to a buffer that the caller
    /// uses again. For many lists, [`View::reader`] is cheaper.
    pub fn neighbors_into(
        &self,
        vertex: VertexId,
        neighbors: &mut Vec<VertexId>,
    ) -> Result<(), TopologyError> {
        let _ = self.for_each_neighbor(Lists::Out, vertex, |some, _| {
            neighbors.extend_from_slice(some);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(())
    }

    /// Calls `visit` with the live neighbors of one vertex, slice by slice in
    /// insertion order, and bits of their weights (nothing in a graph without),
    /// until it breaks. Sections that the view has read before are read without a
    /// lock, and nothing is allocated unless the list has deletions.
    ///
    /// # Errors
    /// If the graph does not keep these lists.
    #[inline]
    pub fn for_each_neighbor<B>(
        &self,
        lists: Lists,
        vertex: VertexId,
        visit: impl FnMut(&[VertexId], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TopologyError> {
        let adjacency = self.adjacency_of(lists)?;
        self.store
            .read_list(&self.token, &self.pins, adjacency, vertex, visit)
    }

    /// Reads many lists in buffers that are used again, without pinning the
    /// whole graph as [`View::graph`] does.
    ///
    /// # Errors
    /// If the graph does not keep these lists.
    pub fn reader(&self, lists: Lists) -> Result<ListReader<'_>, TopologyError> {
        let adjacency = self.adjacency_of(lists)?;
        Ok(self.store.reader_with(&self.token, &self.pins, adjacency))
    }

    /// The entries of one list that are in one tier on their way to the
    /// medium, oldest first, deletions among them. The list is the base
    /// extent, then the vertex buffer, then the append buffer. Looking moves nothing.
    ///
    /// # Errors
    /// If the graph does not keep these lists.
    pub fn entries_in(
        &self,
        tier: ListTier,
        lists: Lists,
        vertex: VertexId,
    ) -> Result<Vec<TierEntry>, TopologyError> {
        let adjacency = self.adjacency_of(lists)?;
        self.store.entries_in(&self.token, adjacency, vertex, tier)
    }

    /// Calls `visit` with source, target and weight (1 without weights) of the
    /// edges that are committed and that no reader has asked for, in commit
    /// order for each source; in an undirected graph from both ends. `visit`
    /// must not use the database.
    pub fn for_each_logged_edge(&self, visit: impl FnMut(VertexId, VertexId, Weight)) {
        self.store.for_each_logged_edge(&self.token, visit);
    }

    /// Whether both show the same store.
    pub(crate) fn is_of_store_of(&self, other: &View) -> bool {
        Arc::ptr_eq(&self.store, &other.store)
    }

    /// Whether its edges have types and ids.
    pub(crate) fn has_relationships(&self) -> bool {
        self.store.config().relationships
    }

    pub(crate) fn stored_lists(&self) -> StoredLists {
        self.store.config().direction
    }

    pub(crate) fn section_shift(&self) -> u32 {
        self.store.config().section_shift
    }

    /// The out-lists of the section that holds a vertex, verified; `None` if it
    /// holds no edges.
    pub(crate) fn out_section(
        &self,
        vertex: VertexId,
    ) -> Result<Option<SectionView>, TopologyError> {
        self.store.pin_section(&self.token, 0, vertex)
    }

    fn adjacency_of(&self, lists: Lists) -> Result<usize, TopologyError> {
        if self.has_relationships() {
            return Err(TopologyError::WrongGraphKind(
                "relationships have lists of each type; read them as a property graph",
            ));
        }
        match (lists, self.store.config().direction) {
            (Lists::Out, _) | (Lists::In, StoredLists::Undirected) => Ok(0),
            (Lists::In, StoredLists::Both) => Ok(1),
            (Lists::In, StoredLists::Out) => Err(TopologyError::WrongGraphKind(
                "this graph keeps only out-lists; create it with both directions",
            )),
        }
    }

    fn list(
        &self,
        adjacency: usize,
        vertex: VertexId,
    ) -> Result<(Vec<VertexId>, Vec<u32>), TopologyError> {
        let (mut neighbors, mut weights) = (Vec::new(), Vec::new());
        let each = |n: &[u32], w: &[u32]| {
            neighbors.extend_from_slice(n);
            weights.extend_from_slice(w);
            ControlFlow::<()>::Continue(())
        };
        let _ = (self.store).read_list(&self.token, &self.pins, adjacency, vertex, each)?;
        Ok((neighbors, weights))
    }

    /// Pins all sections for algorithms: every section is checked against its checksums
    /// if that has not happened since the database was opened. Extents that a merge
    /// replaces meanwhile stay until it is dropped.
    ///
    /// # Errors
    /// Damage; and of relationships, which algorithms read as a projection.
    pub fn graph(&self) -> Result<GraphView, TopologyError> {
        self.adjacency_of(Lists::Out)?;
        let config = self.store.config();
        let adjacencies: Result<Vec<_>, _> = (0..config.adjacency_count())
            .map(|adjacency| self.store.pin(&self.token, adjacency))
            .collect();
        Ok(GraphView::new(
            adjacencies?,
            config.section_shift,
            self.vertex_count(),
            self.arc_count()?,
            config.direction,
            config.weighted,
            self.store.fits_in_memory(),
        ))
    }
}
