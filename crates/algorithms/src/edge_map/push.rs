//! The frontier pushes along its out-lists.

use std::ops::{ControlFlow, Range};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::Kernel;
use crate::parallel::{CHUNK_LISTED, HUB_DEGREE, Lists, map_hub_parts};
use crate::{Cancelled, Control};

/// Pushes along `lists` from each vertex of `frontier`. Work: their degrees.
///
/// # Errors
/// If `control` ends the run.
pub fn push<G: Graph, K: Kernel>(
    lists: Lists<'_, G>,
    frontier: &[VertexId],
    kernel: &K,
    control: &Control,
) -> Result<Vec<VertexId>, Cancelled> {
    push_lists(lists, frontier, control, |reader, u, part, joined| {
        let push = |segment: &[VertexId]| {
            for &v in segment {
                if kernel.condition(v) && kernel.push(u, v) {
                    joined.push(v);
                }
            }
            ControlFlow::Continue(())
        };
        let _ = match part {
            None => reader.for_each_segment(u, push),
            Some(part) => reader.for_each_segment_in(u, part, push),
        };
    })
}

/// Calls `push_list` with each vertex of `frontier` and all of its list (`None`),
/// or with several parts of it for a hub. It appends the vertices that join.
pub(super) fn push_lists<'g, G: Graph>(
    lists: Lists<'g, G>,
    frontier: &[VertexId],
    control: &Control,
    push_list: impl Fn(&mut G::Reader<'g>, VertexId, Option<Range<usize>>, &mut Vec<VertexId>) + Sync,
) -> Result<Vec<VertexId>, Cancelled> {
    let chunk = |mut done: Pushed, vertices: &[VertexId]| {
        control.check()?;
        let mut reader = lists.reader();
        for &u in vertices {
            if reader.degree(u) > HUB_DEGREE {
                done.hubs.push(u);
            } else {
                push_list(&mut reader, u, None, &mut done.joined);
            }
        }
        Ok(done)
    };
    // A traversal of a long path has a million frontiers of one vertex each.
    let Pushed { mut joined, hubs } = if frontier.len() <= CHUNK_LISTED {
        chunk(Pushed::default(), frontier)?
    } else {
        frontier
            .par_chunks(CHUNK_LISTED)
            .try_fold(Pushed::default, chunk)
            .try_reduce(Pushed::default, |mut left, right| {
                left.joined.extend(right.joined);
                left.hubs.extend(right.hubs);
                Ok(left)
            })?
    };
    for u in hubs {
        let pieces = map_hub_parts(lists, u, control, |reader, part| {
            let mut joined = Vec::new();
            push_list(reader, u, Some(part), &mut joined);
            joined
        })?;
        joined.extend(pieces.into_iter().flatten());
    }
    Ok(joined)
}

/// What the tasks of a push have to say.
#[derive(Default)]
struct Pushed {
    joined: Vec<VertexId>,
    /// Left for later, as their lists are long.
    hubs: Vec<VertexId>,
}
