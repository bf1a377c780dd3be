//! A part of the property graph as the algorithms read a graph, without a copy.
//!
//! A projection pins the sections of the chosen types as of its view. A list
//! that nothing is to be left out of, and that needs no weight, is handed on as
//! slices of the medium; others are put together one at a time in the reader.
//!
//! Vertices of a projection are dense: `0..node_count`. Where the chosen nodes
//! are not `0..n` themselves, a table in DRAM translates (8 bytes a node). Weights
//! are read from their property once, into a column in DRAM (4 bytes a relationship
//! of the graph, whatever its type): a list has no room for them, and a record costs
//! a chunk to find and its properties to decode, which an iteration would pay again
//! for every edge.

mod condition;
mod members;
mod names;
mod reader;
mod weights;

use std::sync::Arc;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use evergraph_topology::SectionView;
use rayon::prelude::*;

use super::error::GraphError;
use super::ids::NodeId;
use super::read::types::adjacency_of;
use super::view::View;
use crate::expression::Expression;
use condition::Chosen;
use members::Members;
pub use reader::ProjectionReader;
pub use weights::Weighted;
use weights::Weights;

/// Orientation of the relationships of a projection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// As they do in the property graph.
    #[default]
    Natural,
    /// The other way round.
    Reversed,
    /// Both ways: a relationship is in the lists of both its ends.
    Undirected,
}

/// Options of a projection: a part of the property graph, and how it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionOptions {
    /// Nodes that have one of these labels; all nodes if none is named.
    pub labels: Vec<String>,
    /// Relationships of these types; of all if none is named.
    pub types: Vec<String>,
    /// Orientation of the relationships.
    pub orientation: Orientation,
    /// Only nodes for which this holds, and relationships between them.
    pub nodes: Option<Expression>,
    /// Only relationships for which this holds.
    pub relationships: Option<Expression>,
    /// The property of relationships that is their weight.
    pub weight: Option<String>,
    /// Weight of relationships where that property is missing or no number.
    pub default_weight: f32,
}

impl Default for ProjectionOptions {
    fn default() -> Self {
        ProjectionOptions {
            labels: Vec::new(),
            types: Vec::new(),
            orientation: Orientation::Natural,
            nodes: None,
            relationships: None,
            weight: None,
            default_weight: 1.0,
        }
    }
}

impl ProjectionOptions {
    /// All nodes and relationships, as they point, without weights.
    pub fn new() -> Self {
        ProjectionOptions::default()
    }

    /// Only nodes that have this label, or another that is named.
    pub fn label(mut self, label: &str) -> Self {
        self.labels.push(label.to_string());
        self
    }

    /// Only relationships of this type, or another that is named.
    pub fn relationship_type(mut self, name: &str) -> Self {
        self.types.push(name.to_string());
        self
    }

    /// Sets the orientation of the relationships.
    pub fn orientation(mut self, orientation: Orientation) -> Self {
        self.orientation = orientation;
        self
    }

    /// The property that is the weight of a relationship, and the weight of
    /// those that do not have it.
    pub fn weight(mut self, key: &str, default: f32) -> Self {
        self.weight = Some(key.to_string());
        self.default_weight = default;
        self
    }
}

/// A part of the property graph as of one view. Implements [`Graph`].
pub struct Projection {
    /// Keeps the pinned sections readable.
    view: View,
    /// Sections of the outgoing lists, one adjacency a type; and of the incoming lists.
    outgoing: Vec<Vec<SectionView>>,
    incoming: Vec<Vec<SectionView>>,
    section_shift: u32,
    members: Members,
    /// `None` if all relationships between the members are in it.
    chosen: Option<Chosen>,
    orientation: Orientation,
    weights: Option<Weights>,
    arc_count: u64,
}

impl View {
    /// A part of the graph for the algorithms, as of this view.
    ///
    /// Pins every section of the chosen types, and reads every node once; with
    /// weights, every relationship. Chunks of records are read in parallel, in the
    /// thread pool of the caller.
    ///
    /// # Errors
    /// Damage. A weight that is no number counts as missing.
    pub fn project(&self, options: &ProjectionOptions) -> Result<Projection, GraphError> {
        self.project_checked(options, &|| Ok::<_, GraphError>(()))
    }

    /// As [`View::project`]; `check` is asked before each chunk of records, and ends
    /// it with an error.
    ///
    /// # Errors
    /// As [`View::project`], and errors of `check`.
    pub fn project_checked<E: From<GraphError> + Send>(
        &self,
        options: &ProjectionOptions,
        check: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Projection, E> {
        let types: Vec<&str> = options.types.iter().map(String::as_str).collect();
        let mut kinds = self.types(&types).codes().to_vec();
        kinds.sort_unstable();
        let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
        for &kind in &kinds {
            check()?;
            outgoing.push(self.pin(adjacency_of(kind, false))?);
            incoming.push(self.pin(adjacency_of(kind, true))?);
        }
        if options.orientation == Orientation::Reversed {
            std::mem::swap(&mut outgoing, &mut incoming);
        }
        let weight = options.weight.as_ref();
        let weights = weight.map(|key| {
            let weight = (key.as_str(), options.default_weight);
            Weights::of(self, &kinds, weight, check)
        });
        let chosen = options.relationships.as_ref();
        let chosen = chosen.map(|condition| Chosen::of(self, &kinds, condition, check));
        let nodes = (&options.labels[..], options.nodes.as_ref());
        let mut projection = Projection {
            view: self.clone(),
            outgoing,
            incoming,
            section_shift: self.core().store.config().section_shift,
            members: Members::of(self, nodes, check)?,
            chosen: chosen.transpose()?,
            orientation: options.orientation,
            weights: weights.transpose()?,
            arc_count: 0,
        };
        projection.arc_count = projection.count_arcs();
        Ok(projection)
    }

    /// Most DRAM that [`View::project`] takes, beside that of pinned sections: 12 bytes a
    /// node while nodes are read, and 4 bytes a relationship each for weights and for a
    /// condition on relationships.
    pub fn projection_bytes(&self, options: &ProjectionOptions) -> u64 {
        let weights = match options.weight {
            Some(_) => Weights::most_bytes(self),
            None => 0,
        };
        let chosen = match options.relationships {
            Some(_) => Chosen::most_bytes(self),
            None => 0,
        };
        Members::most_bytes(self.node_bound()) + weights + chosen
    }

    fn pin(&self, adjacency: usize) -> Result<Vec<SectionView>, GraphError> {
        Ok(self.core().store.pin(self.token(), adjacency)?)
    }
}

impl Projection {
    /// The node that a vertex stands for.
    pub fn node(&self, vertex: VertexId) -> NodeId {
        NodeId(self.members.node(vertex))
    }

    /// The vertex that stands for a node; `None` if the node is not in the
    /// projection.
    pub fn vertex(&self, node: NodeId) -> Option<VertexId> {
        self.members.vertex(node.0)
    }

    /// The node of each vertex, ascending; `None` if each node is its own vertex.
    pub fn nodes(&self) -> Option<&Arc<[u32]>> {
        self.members.nodes()
    }

    /// The view that it is a part of.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Relationships between nodes of the projection.
    pub fn relationship_count(&self) -> u64 {
        match self.orientation {
            Orientation::Undirected => self.arc_count / 2,
            Orientation::Natural | Orientation::Reversed => self.arc_count,
        }
    }

    /// How many relationships have a weight of their own; `None` without weights.
    pub fn weighted(&self) -> Option<Weighted> {
        self.weights.as_ref().map(Weights::counted)
    }

    /// DRAM of its tables.
    pub fn size_bytes(&self) -> u64 {
        let chosen = self.chosen.as_ref().map_or(0, Chosen::bytes);
        self.members.bytes() + self.weights.as_ref().map_or(0, Weights::bytes) + chosen
    }

    /// The same part, read as [`Orientation::Undirected`]. O(1).
    pub fn undirected(mut self) -> Self {
        if self.orientation != Orientation::Undirected {
            self.orientation = Orientation::Undirected;
            // Each relationship lies in a list that points away and in one that
            // points here.
            self.arc_count *= 2;
        }
        self
    }

    /// Whether nothing is left out of a list.
    #[inline]
    fn has_whole_lists(&self) -> bool {
        self.members.are_all() && self.chosen.is_none()
    }

    fn count_arcs(&self) -> u64 {
        if self.has_whole_lists() {
            let sections = self.outgoing.iter().flatten();
            let live: u64 = sections.map(SectionView::live_entries).sum();
            return match self.orientation {
                Orientation::Undirected => 2 * live,
                _ => live,
            };
        }
        let vertices = 0..self.vertex_count() as VertexId;
        vertices
            .into_par_iter()
            .map_init(|| self.reader(), |reader, v| reader.degree(v) as u64)
            .sum()
    }
}

impl Graph for Projection {
    type Reader<'a> = ProjectionReader<'a>;

    fn vertex_count(&self) -> usize {
        self.members.count()
    }

    fn arc_count(&self) -> u64 {
        self.arc_count
    }

    fn stored_lists(&self) -> StoredLists {
        match self.orientation {
            Orientation::Undirected => StoredLists::Undirected,
            Orientation::Natural | Orientation::Reversed => StoredLists::Both,
        }
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    fn reader(&self) -> ProjectionReader<'_> {
        let both = self.orientation == Orientation::Undirected;
        ProjectionReader::new(self, &self.outgoing, both.then_some(&self.incoming))
    }

    fn reverse_reader(&self) -> Option<ProjectionReader<'_>> {
        Some(match self.orientation {
            Orientation::Undirected => self.reader(),
            _ => ProjectionReader::new(self, &self.incoming, None),
        })
    }
}
