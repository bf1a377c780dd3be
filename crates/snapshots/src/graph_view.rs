//! A view as the algorithms see it.

use std::ops::ControlFlow;

use evergraph_graph::{Direction, Graph, NeighborReader, VertexId, Weight};
use evergraph_topology::{ListScratch, SectionView};

/// A pinned view. Implements [`Graph`].
pub struct GraphView {
    out: Vec<SectionView>,
    incoming: Vec<SectionView>,
    section_shift: u32,
    vertex_count: usize,
    arc_count: u64,
    direction: Direction,
    weighted: bool,
}

/// Reads one direction of a [`GraphView`].
pub struct ViewReader<'a> {
    sections: &'a [SectionView],
    section_shift: u32,
    mask: u32,
    vertex_count: usize,
    scratch: ListScratch,
}

impl GraphView {
    pub(crate) fn new(
        mut planes: Vec<Vec<SectionView>>,
        section_shift: u32,
        vertex_count: usize,
        arc_count: u64,
        direction: Direction,
        weighted: bool,
    ) -> Self {
        let incoming = planes.drain(1..).next().unwrap_or_default();
        GraphView {
            out: planes.pop().unwrap_or_default(),
            incoming,
            section_shift,
            vertex_count,
            arc_count,
            direction,
            weighted,
        }
    }

    fn read<'a>(&'a self, sections: &'a [SectionView]) -> ViewReader<'a> {
        ViewReader {
            sections,
            section_shift: self.section_shift,
            mask: (1 << self.section_shift) - 1,
            vertex_count: self.vertex_count,
            scratch: ListScratch::default(),
        }
    }
}

impl Graph for GraphView {
    type Reader<'a> = ViewReader<'a>;

    fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    fn arc_count(&self) -> u64 {
        self.arc_count
    }

    fn direction(&self) -> Direction {
        self.direction
    }

    fn is_weighted(&self) -> bool {
        self.weighted
    }

    fn reader(&self) -> ViewReader<'_> {
        self.read(&self.out)
    }

    fn reverse_reader(&self) -> Option<ViewReader<'_>> {
        match self.direction {
            Direction::Undirected => Some(self.read(&self.out)),
            Direction::Both => Some(self.read(&self.incoming)),
            Direction::Out => None,
        }
    }
}

impl<'a> ViewReader<'a> {
    #[inline(always)]
    fn locate(&self, v: VertexId) -> (Option<&'a SectionView>, usize) {
        debug_assert!((v as usize) < self.vertex_count);
        let section = self.sections.get((v >> self.section_shift) as usize);
        (section, (v & self.mask) as usize)
    }
}

impl NeighborReader for ViewReader<'_> {
    #[inline(always)]
    fn degree(&mut self, v: VertexId) -> usize {
        let (section, list) = self.locate(v);
        section.map_or(0, |section| section.degree(list))
    }

    #[inline(always)]
    fn for_each_segment<F>(&mut self, v: VertexId, visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        let (section, list) = self.locate(v);
        match section {
            Some(section) => section.for_each_segment(list, &mut self.scratch, visit),
            None => ControlFlow::Continue(()),
        }
    }

    fn for_each_weighted_segment<F>(&mut self, v: VertexId, mut visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        let (section, list) = self.locate(v);
        match section {
            Some(section) => {
                section.for_each_weighted_segment(list, &mut self.scratch, |words, weights| {
                    visit(words, bytemuck::cast_slice(weights))
                })
            }
            None => ControlFlow::Continue(()),
        }
    }
}
