//! A view as the algorithms see it.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};

use evergraph_graph::{Direction, Graph, NeighborReader, Parts, VertexId, Weight};
use evergraph_topology::{ListScratch, SectionView};

use crate::read_ahead::{Pass, ReadAhead};

/// A pinned view. Implements [`Graph`].
pub struct GraphView {
    out: Vec<SectionView>,
    incoming: Vec<SectionView>,
    section_shift: u32,
    vertex_count: usize,
    arc_count: u64,
    direction: Direction,
    weighted: bool,
    /// The last list with deletions of which a part was asked for: several tasks
    /// ask for the parts of one hub, and each would assemble all of it.
    assembled: Assembled,
    /// For graphs larger than memory: of the out-lists, and of the in-lists.
    ahead: Option<[ReadAhead; 2]>,
}

type Assembled = Mutex<Option<(Whose, Arc<Live>)>>;

/// A list, and the part of it that is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Whose {
    incoming: bool,
    vertex: VertexId,
    weighted: bool,
}

/// A list without what was deleted.
#[derive(Default)]
struct Live {
    neighbors: Vec<VertexId>,
    /// Beside the neighbors; empty if not wanted, or in a graph without weights.
    weights: Vec<Weight>,
}

/// Reads one direction of a [`GraphView`].
pub struct ViewReader<'a> {
    sections: &'a [SectionView],
    incoming: bool,
    assembled: &'a Assembled,
    ahead: Option<Pass<'a>>,
    section_shift: u32,
    mask: u32,
    vertex_count: usize,
    scratch: ListScratch,
}

impl GraphView {
    pub(crate) fn new(
        mut adjacencies: Vec<Vec<SectionView>>,
        section_shift: u32,
        vertex_count: usize,
        arc_count: u64,
        direction: Direction,
        weighted: bool,
        fits_in_memory: bool,
    ) -> Self {
        let incoming = adjacencies.drain(1..).next().unwrap_or_default();
        let out = adjacencies.pop().unwrap_or_default();
        GraphView {
            ahead: (!fits_in_memory)
                .then(|| [&out, &incoming].map(|adjacency| ReadAhead::new(adjacency.len()))),
            out,
            incoming,
            section_shift,
            vertex_count,
            arc_count,
            direction,
            weighted,
            assembled: Mutex::new(None),
        }
    }

    /// Appends the live out-neighbors of one vertex to a buffer that the caller
    /// uses again. A vertex that does not exist has none.
    pub fn neighbors_into(&self, v: VertexId, neighbors: &mut Vec<VertexId>) {
        if (v as usize) < self.vertex_count {
            self.reader().neighbors_into(v, neighbors);
        }
    }

    fn read(&self, incoming: bool) -> ViewReader<'_> {
        ViewReader {
            sections: if incoming { &self.incoming } else { &self.out },
            incoming,
            assembled: &self.assembled,
            ahead: (self.ahead.as_ref()).map(|ahead| ahead[usize::from(incoming)].pass()),
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
        self.read(false)
    }

    fn reverse_reader(&self) -> Option<ViewReader<'_>> {
        match self.direction {
            Direction::Undirected => Some(self.read(false)),
            Direction::Both => Some(self.read(true)),
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

    /// The live list of a vertex that has deletions, from the task that asked
    /// first.
    fn assemble(&mut self, vertex: VertexId, weighted: bool) -> Arc<Live> {
        let whose = Whose {
            incoming: self.incoming,
            vertex,
            weighted,
        };
        let mut assembled = self
            .assembled
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((known, live)) = &*assembled
            && *known == whose
        {
            return Arc::clone(live);
        }
        let mut live = Live::default();
        if weighted {
            let _ = self.for_each_weighted_segment(vertex, |segment, weights| {
                live.neighbors.extend_from_slice(segment);
                live.weights.extend_from_slice(weights);
                ControlFlow::Continue(())
            });
        } else {
            self.neighbors_into(vertex, &mut live.neighbors);
        }
        let live = Arc::new(live);
        *assembled = Some((whose, Arc::clone(&live)));
        live
    }

    /// Gets ready to read the positions `range` of a list. What remains of the
    /// range, and whether that is less than all of a list with deletions; `None`
    /// if nothing remains.
    fn part(
        &mut self,
        v: VertexId,
        range: Range<usize>,
    ) -> Option<(&'a SectionView, usize, Range<usize>, bool)> {
        if self.ahead.is_some() {
            self.fetch(v, range.clone());
        }
        let (section, list) = self.locate(v);
        let section = section?;
        let degree = section.degree(list);
        let (start, end) = (range.start.min(degree), range.end.min(degree));
        let has_deletions = section.raw_len(list) != degree;
        (start < end).then_some((
            section,
            list,
            start..end,
            has_deletions && end - start < degree,
        ))
    }
}

impl ViewReader<'_> {
    /// Fetches the bytes of this access ahead, and those of the pass that it belongs to.
    /// Only graphs larger than memory come here.
    #[cold]
    #[inline(never)]
    fn fetch(&mut self, v: VertexId, range: Range<usize>) {
        let number = (v >> self.section_shift) as usize;
        if let (Some(pass), Some(_)) = (&mut self.ahead, self.sections.get(number)) {
            pass.visit(self.sections, number, (v & self.mask) as usize, range);
        }
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
        if self.ahead.is_some() {
            self.fetch(v, 0..usize::MAX);
        }
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
        if self.ahead.is_some() {
            self.fetch(v, 0..usize::MAX);
        }
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

    fn for_each_segment_in<F>(
        &mut self,
        v: VertexId,
        range: Range<usize>,
        mut visit: F,
    ) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        let Some((section, list, range, of_holed)) = self.part(v, range) else {
            return ControlFlow::Continue(());
        };
        if of_holed {
            return visit(&self.assemble(v, false).neighbors[range]);
        }
        let mut parts = Parts::of(range);
        section.for_each_segment(list, &mut self.scratch, |segment| {
            let part = parts.next(segment.len());
            if !part.is_empty() {
                visit(&segment[part])?;
            }
            parts.flow()
        })
    }

    fn for_each_weighted_segment_in<F>(
        &mut self,
        v: VertexId,
        range: Range<usize>,
        mut visit: F,
    ) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        let Some((section, list, range, of_holed)) = self.part(v, range) else {
            return ControlFlow::Continue(());
        };
        if of_holed {
            let live = self.assemble(v, true);
            let weights = live.weights.get(range.clone()).unwrap_or_default();
            return visit(&live.neighbors[range], weights);
        }
        let mut parts = Parts::of(range);
        section.for_each_weighted_segment(list, &mut self.scratch, |segment, weights| {
            let part = parts.next(segment.len());
            if !part.is_empty() {
                let weights = weights.get(part.clone()).unwrap_or_default();
                visit(&segment[part], bytemuck::cast_slice(weights))?;
            }
            parts.flow()
        })
    }
}
