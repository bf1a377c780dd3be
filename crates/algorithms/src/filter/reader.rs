//! Reads live neighbors.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{NeighborReader, Parts, VertexId, Weight};

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
    fn walk(
        &mut self,
        v: VertexId,
        first_block: usize,
        mut visit: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bits = self.side.bits(v);
        let mut walk = Walk::new(bits, first_block..bits.block_count());
        let from = walk.positions().start;
        let of_segment = |segment: &[VertexId]| {
            walk.segment(segment.len(), |stretch| {
                let entries = &segment[stretch.part.clone()];
                visit(gather(&stretch, entries, &mut [0; 64]))
            })
        };
        let _ = match from {
            0 => self.below.for_each_segment(v, of_segment),
            _ => (self.below).for_each_segment_in(v, from..usize::MAX, of_segment),
        };
        flow(walk.stopped)
    }

    /// As [`FilterReader::walk`], with weights.
    fn walk_weighted(
        &mut self,
        v: VertexId,
        first_block: usize,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bits = self.side.bits(v);
        let mut walk = Walk::new(bits, first_block..bits.block_count());
        let positions = walk.positions().start..usize::MAX;
        let _ = self
            .below
            .for_each_weighted_segment_in(v, positions, |segment, weights| {
                walk.segment(segment.len(), |stretch| {
                    let entries = &segment[stretch.part.clone()];
                    let neighbors = &mut [0; 64];
                    let neighbors = gather(&stretch, entries, neighbors);
                    match weights.get(stretch.part.clone()) {
                        Some(weights) => {
                            visit(neighbors, gather(&stretch, weights, &mut [0.0; 64]))
                        }
                        None => visit(neighbors, &[]),
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
    fn for_each_segment<F>(&mut self, v: VertexId, visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId]) -> ControlFlow<()>,
    {
        self.walk(v, 0, visit)
    }

    fn for_each_weighted_segment<F>(&mut self, v: VertexId, visit: F) -> ControlFlow<()>
    where
        F: FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    {
        self.walk_weighted(v, 0, visit)
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
        let (block, before) = self.side.bits(v).block_before(range.start);
        let mut parts = Parts::of(range.start - before..range.end.saturating_sub(before));
        let mut stopped = false;
        let _ = self.walk(v, block, |segment| {
            let part = parts.next(segment.len());
            stopped = !part.is_empty() && visit(&segment[part]).is_break();
            if stopped { flow(true) } else { parts.flow() }
        });
        flow(stopped)
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
        let (block, before) = self.side.bits(v).block_before(range.start);
        let mut parts = Parts::of(range.start - before..range.end.saturating_sub(before));
        let mut stopped = false;
        let _ = self.walk_weighted(v, block, |segment, weights| {
            let part = parts.next(segment.len());
            if !part.is_empty() {
                let weights = weights.get(part.clone()).unwrap_or_default();
                stopped = visit(&segment[part], weights).is_break();
            }
            if stopped { flow(true) } else { parts.flow() }
        });
        flow(stopped)
    }
}
