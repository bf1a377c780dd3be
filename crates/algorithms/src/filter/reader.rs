//! Reads live neighbors.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{ALL, NeighborReader, Parts, VertexId, Weight};

use super::side::Side;
use super::walk::{Stretch, Walk, each_bit};

/// Reads the live lists of one direction of a filter, through a reader of the
/// graph below. Segments are of at most 64 neighbors.
pub struct FilterReader<'a, R> {
    side: &'a Side,
    below: R,
}

impl<'a, R: NeighborReader> FilterReader<'a, R> {
    pub(super) fn new(side: &'a Side, below: R) -> Self {
        Self { side, below }
    }

    /// Visits the live neighbors from a block on.
    #[inline]
    fn walk<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        first_block: usize,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bits = self.side.bits(v);
        let mut walk = Walk::new(bits, first_block..bits.block_count());
        let positions = match walk.positions().start {
            0 => ALL,
            start => start..usize::MAX,
        };
        let _ = self
            .below
            .visit_list::<WEIGHTED>(v, positions, |segment, weights| {
                walk.segment(segment.len(), |stretch| {
                    let entries = &segment[stretch.part.clone()];
                    let neighbors = &mut [0; 64];
                    let neighbors = gather(&stretch, entries, neighbors);
                    match weights.get(stretch.part.clone()) {
                        Some(weights) if WEIGHTED => {
                            visit(neighbors, gather(&stretch, weights, &mut [0.0; 64]))
                        }
                        _ => visit(neighbors, &[]),
                    }
                })
            });
        flow(walk.stopped)
    }
}

#[inline]
fn flow(stopped: bool) -> ControlFlow<()> {
    match stopped {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// The live ones of the entries of a stretch: these themselves if all are.
#[inline]
fn gather<'s, T: Copy>(
    stretch: &Stretch<'_>,
    entries: &'s [T],
    buffer: &'s mut [T; 64],
) -> &'s [T] {
    if stretch.live.count_ones() as usize == entries.len() {
        return entries;
    }
    let mut len = 0;
    for bit in each_bit(stretch.live) {
        buffer[len % 64] = entries[bit];
        len += 1;
    }
    &buffer[..len]
}

impl<R: NeighborReader> NeighborReader for FilterReader<'_, R> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        self.side.degree(v)
    }

    #[inline]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if positions == ALL {
            return self.walk::<WEIGHTED>(v, 0, visit);
        }
        let (block, before) = self.side.bits(v).block_before(positions.start);
        let mut parts = Parts::of(positions.start - before..positions.end.saturating_sub(before));
        let _ = self.walk::<WEIGHTED>(v, block, |segment, weights| {
            parts.visit(segment, weights, &mut visit)
        });
        parts.flow()
    }
}
