//! A view as the algorithms see it.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};

use evergraph_graph::{ALL, Graph, NeighborReader, Parts, StoredLists, VertexId, Weight};
use evergraph_topology::{ListScratch, SectionView};

use crate::read_ahead::{Pass, ReadAhead};

/// A pinned view. Implements [`Graph`].
pub struct GraphView {
    out: Vec<SectionView>,
    incoming: Vec<SectionView>,
    section_shift: u32,
    vertex_count: usize,
    arc_count: u64,
    direction: StoredLists,
    weighted: bool,
    /// The last list with deletions of which a part was asked for: several tasks
    /// ask for the parts of one hub, and each would assemble all of it.
    assembled: Assembled,
    /// For graphs larger than memory: of the out-lists, and of the in-lists.
    ahead: Option<[ReadAhead; 2]>,
}

type Visit<'v> = &'v mut dyn FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>;

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
        direction: StoredLists,
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

    fn stored_lists(&self) -> StoredLists {
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
            StoredLists::Undirected => Some(self.read(false)),
            StoredLists::Both => Some(self.read(true)),
            StoredLists::Out => None,
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

    /// A whole list of a section.
    #[inline(always)]
    fn visit_whole<const WEIGHTED: bool>(
        &mut self,
        section: &SectionView,
        list: usize,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match WEIGHTED {
            true => section.for_each_weighted_segment(list, &mut self.scratch, |words, weights| {
                visit(words, bytemuck::cast_slice(weights))
            }),
            false => section.for_each_segment(list, &mut self.scratch, |words| visit(words, &[])),
        }
    }

    /// The neighbors at some positions. A list with deletions is put together once for all
    /// tasks that read a part of it. Parts are of long lists: what is done with a slice is a
    /// function behind a pointer, so that this is compiled once and not for each algorithm.
    fn visit_part<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        visit: Visit<'_>,
    ) -> ControlFlow<()> {
        let (Some(section), list) = self.locate(v) else {
            return ControlFlow::Continue(());
        };
        let degree = section.degree(list);
        let (start, end) = (positions.start.min(degree), positions.end.min(degree));
        if start >= end {
            return ControlFlow::Continue(());
        }
        let has_deletions = section.raw_len(list) != degree;
        if has_deletions && end - start < degree {
            let live = self.assemble(v, WEIGHTED);
            let weights = live.weights.get(start..end).unwrap_or_default();
            return visit(&live.neighbors[start..end], weights);
        }
        let mut parts = Parts::of(start..end);
        let _ = self.visit_whole::<WEIGHTED>(section, list, |segment, weights| {
            parts.visit(segment, weights, visit)
        });
        parts.flow()
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
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.ahead.is_some() {
            self.fetch(v, positions.clone());
        }
        if positions != ALL {
            return self.visit_part::<WEIGHTED>(v, positions, &mut visit);
        }
        let (section, list) = self.locate(v);
        match section {
            Some(section) => self.visit_whole::<WEIGHTED>(section, list, visit),
            None => ControlFlow::Continue(()),
        }
    }
}
