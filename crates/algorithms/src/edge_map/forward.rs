//! A push from a large frontier: no lists of vertices, only bitmaps.

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::Kernel;
use crate::groups::for_each_in_part;
use crate::parallel::{CHUNK_VERTICES, HUB_DEGREE, Lists, chunk_range, map_hub_parts};
use crate::subset::{SharedBitmap, VertexSubset};
use crate::{Bitmap, Cancelled, Control};

/// Pushes along `lists` from each vertex of `frontier` (dense-forward). Work: O(n)
/// and their degrees. Memory: n bits.
///
/// # Errors
/// If `control` ends the run.
pub fn push_forward<G: Graph, K: Kernel>(
    lists: Lists<'_, G>,
    frontier: &Bitmap,
    kernel: &K,
    control: &Control,
) -> Result<VertexSubset, Cancelled> {
    let n = lists.vertex_count();
    let joined = SharedBitmap::empty(n);
    let push = |reader: &mut G::Reader<'_>, u, part| {
        let mut len = 0;
        for_each_in_part(reader, u, part, |v| {
            if kernel.condition(v) && kernel.push(u, v) {
                joined.insert(v);
                len += 1;
            }
        });
        len
    };
    let (mut len, hubs) = (0..n.div_ceil(CHUNK_VERTICES))
        .into_par_iter()
        .with_max_len(4)
        .map(|chunk| {
            control.check()?;
            let (mut len, mut hubs) = (0, Vec::new());
            let mut reader = lists.reader();
            for u in chunk_range(chunk, n).filter(|&u| frontier.contains(u)) {
                if reader.degree(u) > HUB_DEGREE {
                    hubs.push(u);
                } else {
                    len += push(&mut reader, u, None);
                }
            }
            Ok((len, hubs))
        })
        .try_reduce(
            || (0, Vec::<VertexId>::new()),
            |(left, mut hubs), (right, more)| {
                hubs.extend(more);
                Ok((left + right, hubs))
            },
        )?;
    for u in hubs {
        let parts = map_hub_parts(lists, u, control, |reader, part| {
            push(reader, u, Some(part))
        })?;
        len += parts.into_iter().sum::<usize>();
    }
    Ok(VertexSubset::Dense(joined.into_bitmap(), len))
}
