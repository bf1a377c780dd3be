//! Sums of floating-point numbers that depend on the list alone: not on threads,
//! nor on the segments in which a list comes.

use std::convert::Infallible;
use std::ops::{Add, ControlFlow};

use evergraph_graph::VertexId;
use rayon::prelude::*;

use crate::parallel::{CHUNK_ITEMS, HUB_DEGREE, items_of_task, map_tasks};

/// Independent additions: one alone would wait for the last before the next.
const LANES: usize = 4;
/// The first so many members of a list share a lane: the ends of two loops would
/// be guessed wrong where one is, and many lists are short. A multiple of the lanes.
const HEAD: usize = 4;

/// The sum of a list's values as far as the list was read. A value's lane follows
/// from its position in the list, so segments of any length give the same sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListSum<T> {
    lanes: [T; LANES],
    position: usize,
}

impl<T: Add<Output = T> + Copy + Default> ListSum<T> {
    /// Adds `value(v)` for each of the next members of the list.
    #[inline(always)]
    pub(crate) fn add(&mut self, segment: &[VertexId], value: impl Fn(VertexId) -> T) {
        if self.position == 0 {
            *self = Self::of(segment, value);
        } else {
            self.add_later(segment, value);
        }
    }

    /// The sum over the first segment, which most lists have alone.
    #[inline(always)]
    fn of(segment: &[VertexId], value: impl Fn(VertexId) -> T) -> Self {
        let mut lanes = [T::default(); LANES];
        let (head, rest) = segment.split_at(segment.len().min(HEAD));
        for &v in head {
            lanes[0] = lanes[0] + value(v);
        }
        let (blocks, next_block) = rest.as_chunks::<LANES>();
        for block in blocks {
            for (lane, &v) in lanes.iter_mut().zip(block) {
                *lane = *lane + value(v);
            }
        }
        for (lane, &v) in lanes.iter_mut().zip(next_block) {
            *lane = *lane + value(v);
        }
        Self {
            lanes,
            position: segment.len(),
        }
    }

    #[inline(never)]
    fn add_later(&mut self, segment: &[VertexId], value: impl Fn(VertexId) -> T) {
        let in_head = HEAD.saturating_sub(self.position).min(segment.len());
        let (head, rest) = segment.split_at(in_head);
        for &v in head {
            self.lanes[0] = self.lanes[0] + value(v);
        }
        self.position += in_head;
        let to_block = (LANES - self.position % LANES) % LANES;
        let (behind_block, rest) = rest.split_at(to_block.min(rest.len()));
        for &v in behind_block {
            self.add_at_position(value(v));
        }
        let (blocks, next_block) = rest.as_chunks::<LANES>();
        let mut lanes = self.lanes;
        for block in blocks {
            for (lane, &v) in lanes.iter_mut().zip(block) {
                *lane = *lane + value(v);
            }
        }
        self.lanes = lanes;
        self.position += rest.len() - next_block.len();
        for &v in next_block {
            self.add_at_position(value(v));
        }
    }

    #[inline(always)]
    fn add_at_position(&mut self, value: T) {
        let lane = &mut self.lanes[self.position % LANES];
        *lane = *lane + value;
        self.position += 1;
    }

    /// `Break` if the list with this segment is a hub's, which tasks share. Cheaper
    /// than to ask for every degree beforehand.
    #[inline(always)]
    pub(crate) fn has_room(&self, segment: &[VertexId]) -> ControlFlow<()> {
        if self.position + segment.len() > HUB_DEGREE {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Adds the sum of the next piece of a list that is read in pieces; nothing
    /// can be added member by member then.
    #[inline]
    pub(crate) fn merge(&mut self, next: Self) {
        self.lanes[0] = self.lanes[0] + next.total();
    }

    /// The sum.
    #[inline(always)]
    pub(crate) fn total(&self) -> T {
        let [a, b, c, d] = self.lanes;
        (a + b) + (c + d)
    }
}

/// The sum of `value(item)` over a slice, in parallel.
pub(crate) fn slice_sum<T: Sync>(items: &[T], value: impl Fn(&T) -> f64 + Sync) -> f64 {
    let Ok(parts) = map_tasks(items.len().div_ceil(CHUNK_ITEMS), &|at| {
        let items = items_of_task(items, at);
        Ok::<f64, Infallible>(items.iter().map(&value).sum())
    });
    parts.iter().sum()
}

/// Replaces each of `values` by what `map` makes of it; returns the sum of their
/// absolute differences from `before`. Parallel.
pub(crate) fn map_and_compare(
    values: &mut [f64],
    map: impl Fn(f64) -> f64 + Sync,
    before: &[f64],
) -> f64 {
    let parts: Vec<f64> = values
        .par_chunks_mut(CHUNK_ITEMS)
        .zip(before.par_chunks(CHUNK_ITEMS))
        .map(|(values, before)| {
            let pairs = values.iter_mut().zip(before);
            pairs
                .map(|(value, before)| {
                    *value = map(*value);
                    (*value - before).abs()
                })
                .sum()
        })
        .collect();
    parts.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_does_not_depend_on_segments() {
        let list: Vec<VertexId> = (0..67).collect();
        let value = |v: VertexId| 1.0 / f64::from(v + 3);
        for len in [0, 1, 3, 15, 16, 17, 19, 20, 66, 67] {
            let mut whole = ListSum::default();
            whole.add(&list[..len], value);
            let plain: f64 = list[..len].iter().map(|&v| value(v)).sum();
            assert!((whole.total() - plain).abs() < 1e-12);
            for piece in 1..24 {
                let mut pieces = ListSum::default();
                for segment in list[..len].chunks(piece) {
                    pieces.add(segment, value);
                    pieces.add(&[], value);
                }
                assert_eq!(pieces.total(), whole.total(), "{len} in {piece}s");
            }
        }
    }
}
