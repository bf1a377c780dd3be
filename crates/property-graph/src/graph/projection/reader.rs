//! Reads the lists of a projection.

use std::ops::ControlFlow;

use evergraph_graph::{NeighborReader, VertexId, Weight};
use evergraph_topology::{ListScratch, SectionView};

use super::Projection;
use crate::graph::ids::RelationshipId;
use crate::value::Value;

/// Reads the lists of one direction of a [`Projection`], or of both as one.
pub struct ProjectionReader<'a> {
    projection: &'a Projection,
    planes: &'a [Vec<SectionView>],
    /// Lists that follow those of `planes`, in an undirected projection.
    further: &'a [Vec<SectionView>],
    scratch: ListScratch,
    neighbors: Vec<VertexId>,
    weights: Vec<Weight>,
}

impl<'a> ProjectionReader<'a> {
    pub(super) fn new(
        projection: &'a Projection,
        planes: &'a [Vec<SectionView>],
        further: Option<&'a Vec<Vec<SectionView>>>,
    ) -> Self {
        ProjectionReader {
            projection,
            planes,
            further: further.map_or(&[], Vec::as_slice),
            scratch: ListScratch::default(),
            neighbors: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// The section of each plane that holds the lists of a node, and the number
    /// of its list there.
    #[inline]
    fn lists(&self, node: u32) -> (impl Iterator<Item = &'a SectionView> + use<'a>, usize) {
        let shift = self.projection.section_shift;
        let planes = self.planes.iter().chain(self.further);
        let sections = planes.filter_map(move |plane| plane.get((node >> shift) as usize));
        (sections, (node & ((1 << shift) - 1)) as usize)
    }

    /// Puts together the part of a node's lists that lies in the projection.
    fn assemble(&mut self, v: VertexId, weighted: bool) {
        let projection = self.projection;
        let (sections, list) = self.lists(projection.members.node(v));
        self.neighbors.clear();
        self.weights.clear();
        let (neighbors, weights) = (&mut self.neighbors, &mut self.weights);
        for section in sections {
            let _ = section.for_each_weighted_segment::<()>(
                list,
                &mut self.scratch,
                |nodes, relationships| {
                    for (&node, &relationship) in nodes.iter().zip(relationships) {
                        if let Some(vertex) = projection.members.vertex(node) {
                            neighbors.push(vertex);
                            if weighted {
                                weights.push(projection.weight_of(relationship));
                            }
                        }
                    }
                    ControlFlow::Continue(())
                },
            );
        }
    }
}

impl Projection {
    /// The weight of a relationship. What cannot be read counts as missing: all
    /// records were read when the projection was made.
    fn weight_of(&self, relationship: u32) -> Weight {
        let Some(weight) = self.weight else {
            return 1.0;
        };
        let record = self.view.relationship_record(RelationshipId(relationship));
        let value = match (record, weight.key) {
            (Ok(Some(record)), Some(key)) => record.properties.get(key).cloned(),
            _ => None,
        };
        match value {
            Some(Value::Integer(value)) => value as f32,
            Some(Value::Float(value)) => value as f32,
            _ => weight.default,
        }
    }
}

impl NeighborReader for ProjectionReader<'_> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        if !self.projection.members.are_all() {
            self.assemble(v, false);
            return self.neighbors.len();
        }
        let (sections, list) = self.lists(v);
        sections.map(|section| section.degree(list)).sum()
    }

    #[inline]
    fn for_each_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        if !self.projection.members.are_all() {
            self.assemble(v, false);
            return visit(&self.neighbors);
        }
        let (sections, list) = self.lists(v);
        for section in sections {
            section.for_each_segment(list, &mut self.scratch, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    fn for_each_weighted_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        if self.projection.weight.is_none() {
            return self.for_each_segment(v, |neighbors| visit(neighbors, &[]));
        }
        self.assemble(v, true);
        visit(&self.neighbors, &self.weights)
    }
}
