//! Targets gather along their in-lists.

use std::ops::Range;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::{Gather, Kernel};
use crate::parallel::{CHUNK_LISTED, HUB_DEGREE, Lists, chunk_range, hub_pieces, touch};
use crate::subset::{Bitmap, VertexSubset};
use crate::{Cancelled, Control};

/// Each vertex that still cares and has neighbors gathers along `lists` from
/// those that `is_source` accepts. Work: O(n) and the degrees of those that care, less
/// what a gathering that breaks leaves out.
///
/// # Errors
/// If `control` ends the run.
pub fn pull<G: Graph, K: Kernel>(
    lists: Lists<'_, G>,
    is_source: impl Fn(VertexId) -> bool + Sync,
    kernel: &K,
    control: &Control,
) -> Result<VertexSubset, Cancelled> {
    let vertex_count = lists.vertex_count();
    let mut joined = Bitmap::empty(vertex_count);
    let (mut len, hubs) = joined
        .chunks_mut()
        .enumerate()
        .with_max_len(4)
        .map(|(chunk, words)| {
            control.check()?;
            let mut hubs = Vec::new();
            let mut len = 0;
            let mut reader = lists.reader();
            let vertices = chunk_range(chunk, vertex_count);
            for (word, first) in words.iter_mut().zip(vertices.clone().step_by(64)) {
                let group = first..vertices.end.min(first + 64);
                let mut caring = Group::of(group, |v| kernel.condition(v));
                caring.retain(|v| reader.degree(v) > 0);
                for &v in caring.vertices() {
                    touch(&mut reader, v);
                }
                for &v in caring.vertices() {
                    if reader.degree(v) > HUB_DEGREE {
                        hubs.push(v);
                    } else if pull_one(&mut reader, v, &is_source, kernel) {
                        *word |= 1 << (v - first);
                        len += 1;
                    }
                }
            }
            Ok((len, hubs))
        })
        .try_reduce(
            || (0, Vec::new()),
            |(left, mut hubs), (right, more)| {
                hubs.extend(more);
                Ok((left + right, hubs))
            },
        )?;
    for v in hubs {
        if pull_hub(lists, v, &is_source, kernel, control)? {
            joined.insert(v);
            len += 1;
        }
    }
    Ok(VertexSubset::Dense(joined, len))
}

/// Each vertex of `targets` (none twice) gathers along `lists` from those that
/// `is_source` accepts. Work: their degrees.
///
/// # Errors
/// If `control` ends the run.
pub fn pull_into<G: Graph, K: Gather>(
    lists: Lists<'_, G>,
    targets: &[VertexId],
    is_source: impl Fn(VertexId) -> bool + Sync,
    kernel: &K,
    control: &Control,
) -> Result<(), Cancelled> {
    let chunk = |mut hubs: Vec<VertexId>, targets: &[VertexId]| {
        control.check()?;
        let mut reader = lists.reader();
        for &v in targets {
            if reader.degree(v) > HUB_DEGREE {
                hubs.push(v);
            } else {
                pull_one(&mut reader, v, &is_source, kernel);
            }
        }
        Ok(hubs)
    };
    let hubs = if targets.len() <= CHUNK_LISTED {
        chunk(Vec::new(), targets)?
    } else {
        targets
            .par_chunks(CHUNK_LISTED)
            .try_fold(Vec::new, chunk)
            .try_reduce(Vec::new, |mut left, right| {
                left.extend(right);
                Ok(left)
            })?
    };
    for v in hubs {
        pull_hub(lists, v, &is_source, kernel, control)?;
    }
    Ok(())
}

/// Up to 64 vertices that share a word of a bitmap.
struct Group {
    vertices: [VertexId; 64],
    len: usize,
}

impl Group {
    #[inline]
    fn of(range: Range<VertexId>, mut keep: impl FnMut(VertexId) -> bool) -> Self {
        let mut group = Self {
            vertices: [0; 64],
            len: 0,
        };
        for v in range {
            group.vertices[group.len % 64] = v;
            group.len += usize::from(keep(v));
        }
        group
    }

    /// Keeps those for which `keep` holds. Without a branch on the answer, as it
    /// is as good as random.
    #[inline]
    fn retain(&mut self, mut keep: impl FnMut(VertexId) -> bool) {
        let len = std::mem::take(&mut self.len);
        for index in 0..len.min(64) {
            let v = self.vertices[index];
            self.vertices[self.len % 64] = v;
            self.len += usize::from(keep(v));
        }
    }

    fn vertices(&self) -> &[VertexId] {
        &self.vertices[..self.len]
    }
}

#[inline]
fn pull_one<K: Gather>(
    reader: &mut impl NeighborReader,
    v: VertexId,
    is_source: &impl Fn(VertexId) -> bool,
    kernel: &K,
) -> bool {
    let mut gathered = K::Gathered::default();
    let _ = reader.for_each_segment(v, |segment| {
        kernel.gather_list(&mut gathered, segment, is_source)
    });
    kernel.apply(v, gathered)
}

fn pull_hub<G: Graph, K: Gather>(
    lists: Lists<'_, G>,
    v: VertexId,
    is_source: &(impl Fn(VertexId) -> bool + Sync),
    kernel: &K,
    control: &Control,
) -> Result<bool, Cancelled> {
    let pieces = hub_pieces(lists, v, control, |gathered: &mut K::Gathered, segment| {
        kernel.gather_list(gathered, segment, is_source)
    })?;
    let mut gathered = K::Gathered::default();
    for piece in pieces {
        kernel.merge(&mut gathered, piece);
    }
    Ok(kernel.apply(v, gathered))
}
