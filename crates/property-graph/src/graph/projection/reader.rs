//! Reads the lists of a projection.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{NeighborReader, Parts, VertexId, Weight};
use evergraph_topology::{ListScratch, SectionView};

use super::Projection;

/// Reads the lists of one direction of a [`Projection`], or of both as one.
pub struct ProjectionReader<'a> {
    projection: &'a Projection,
    adjacencies: &'a [Vec<SectionView>],
    /// Lists that follow those of `adjacencies`, in an undirected projection.
    further: &'a [Vec<SectionView>],
    scratch: ListScratch,
    /// The list that was put together last, and whether with weights: callers that read a
    /// long list in parts ask for it again and again.
    assembled: Option<(VertexId, bool)>,
    neighbors: Vec<VertexId>,
    weights: Vec<Weight>,
}

impl<'a> ProjectionReader<'a> {
    pub(super) fn new(
        projection: &'a Projection,
        adjacencies: &'a [Vec<SectionView>],
        further: Option<&'a Vec<Vec<SectionView>>>,
    ) -> Self {
        ProjectionReader {
            projection,
            adjacencies,
            further: further.map_or(&[], Vec::as_slice),
            scratch: ListScratch::default(),
            assembled: None,
            neighbors: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// The section of each adjacency that holds the lists of a node, and the number of
    /// its list there.
    #[inline]
    fn lists(&self, node: u32) -> (impl Iterator<Item = &'a SectionView> + use<'a>, usize) {
        let shift = self.projection.section_shift;
        let adjacencies = self.adjacencies.iter().chain(self.further);
        let sections =
            adjacencies.filter_map(move |adjacency| adjacency.get((node >> shift) as usize));
        (sections, (node & ((1 << shift) - 1)) as usize)
    }

    /// Puts together the part of a node's lists that lies in the projection.
    fn assemble(&mut self, v: VertexId, weighted: bool) {
        match self.assembled {
            Some((u, with_weights)) if u == v && (with_weights || !weighted) => return,
            _ => self.assembled = Some((v, weighted)),
        }
        let projection = self.projection;
        let (sections, list) = self.lists(projection.members.node(v));
        self.neighbors.clear();
        self.weights.clear();
        let (neighbors, weights) = (&mut self.neighbors, &mut self.weights);
        let column = projection.weights.as_ref().filter(|_| weighted);
        for section in sections {
            let _ = section.for_each_weighted_segment::<()>(
                list,
                &mut self.scratch,
                |nodes, relationships| {
                    for (&node, &relationship) in nodes.iter().zip(relationships) {
                        let chosen = projection.chosen.as_ref();
                        if chosen.is_some_and(|chosen| !chosen.has(relationship)) {
                            continue;
                        }
                        if let Some(vertex) = projection.members.vertex(node) {
                            neighbors.push(vertex);
                            if let Some(column) = column {
                                weights.push(column.get(relationship));
                            }
                        }
                    }
                    ControlFlow::Continue(())
                },
            );
        }
    }
}

impl NeighborReader for ProjectionReader<'_> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        if !self.projection.has_whole_lists() {
            self.assemble(v, false);
            return self.neighbors.len();
        }
        let (sections, list) = self.lists(v);
        sections.map(|section| section.degree(list)).sum()
    }

    #[inline]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let weighted = WEIGHTED && self.projection.weights.is_some();
        let mut parts = Parts::of(positions);
        if weighted || !self.projection.has_whole_lists() {
            self.assemble(v, weighted);
            let weights = if weighted { &self.weights[..] } else { &[] };
            let _ = parts.visit(&self.neighbors, weights, &mut visit);
            return parts.flow();
        }
        let (sections, list) = self.lists(v);
        for section in sections {
            let of_section = |segment: &[VertexId]| parts.visit(segment, &[], &mut visit);
            let flow = section.for_each_segment(list, &mut self.scratch, of_section);
            if flow.is_break() {
                break;
            }
        }
        parts.flow()
    }
}
