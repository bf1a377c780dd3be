//! The frontier pushes along its out-lists.

use std::ops::Range;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::Kernel;
use crate::groups::{Groups, for_each_in_part};
use crate::parallel::{CHUNK_ITEMS, CHUNK_LISTED, HUB_DEGREE, Lists, map_tasks};
use crate::{Cancelled, Control};

/// Vertices of a chunk of results.
const CHUNK_JOINED: usize = 1 << 12;
/// Groups have at least so many edges, or as many as the average list.
const MIN_GROUP: u64 = 1 << 12;
/// And at most so many, some 10 ms.
const MAX_GROUP: u64 = 1 << 20;
/// Groups for each thread, so that fast ones can help slow ones.
const GROUPS_A_THREAD: u64 = 8;

/// Pushes along `lists` from each vertex of `frontier`. Work: their degrees.
///
/// The edges are cut into even groups (Sage, Algorithm 1); a task writes who
/// joins to chunks of fixed size, which are at last copied one behind the other.
/// So memory follows the result and not the edges: 2 words for each vertex of the frontier and
/// 2 for each that joins, and for each thread some chunks.
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
        for_each_in_part(reader, u, part, |v| {
            if kernel.condition(v) && kernel.push(u, v) {
                joined.push(v);
            }
        });
    })
}

/// Calls `push_list` with each vertex of `frontier` and all of its list (`None`),
/// or with several parts of it. It adds the vertices that join.
pub(super) fn push_lists<'g, G: Graph>(
    lists: Lists<'g, G>,
    frontier: &[VertexId],
    control: &Control,
    push_list: impl Fn(&mut G::Reader<'g>, VertexId, Option<Range<usize>>, &mut Chunks) + Sync,
) -> Result<Vec<VertexId>, Cancelled> {
    control.check()?;
    // A traversal of a long path has a million frontiers of one vertex each.
    if frontier.len() <= CHUNK_LISTED {
        let mut reader = lists.reader();
        if frontier.iter().all(|&u| reader.degree(u) <= HUB_DEGREE) {
            let mut chunks = Chunks::default();
            for &u in frontier {
                push_list(&mut reader, u, None, &mut chunks);
            }
            return Ok(concatenate(vec![chunks]));
        }
    }
    let groups = Groups::new(lists, frontier, |edges| {
        let average = lists.arc_count() / lists.vertex_count().max(1) as u64;
        let tasks = GROUPS_A_THREAD * rayon::current_num_threads() as u64;
        let least = MIN_GROUP.max(average);
        edges.div_ceil(tasks).clamp(least, least.max(MAX_GROUP))
    });
    let joined = map_tasks(groups.len(), &|group| {
        control.check()?;
        let mut reader = lists.reader();
        let mut chunks = Chunks::default();
        groups.for_each_list(group, |u, part| {
            push_list(&mut reader, u, part, &mut chunks);
        });
        Ok(chunks)
    });
    joined.map(concatenate)
}

/// Vertices that join, in chunks that never move.
#[derive(Default)]
pub(super) struct Chunks {
    full: Vec<Vec<VertexId>>,
    last: Vec<VertexId>,
}

impl Chunks {
    #[inline]
    pub(super) fn push(&mut self, v: VertexId) {
        if self.last.len() == self.last.capacity() {
            self.next_chunk();
        }
        self.last.push(v);
    }

    /// The first chunk may grow, as most tasks of a long path have no more than
    /// one vertex to say.
    #[cold]
    fn next_chunk(&mut self) {
        if self.last.len() < CHUNK_JOINED {
            self.last.reserve(self.last.len().max(16));
        } else {
            let next = Vec::with_capacity(CHUNK_JOINED);
            self.full.push(std::mem::replace(&mut self.last, next));
        }
    }
}

/// All chunks one behind the other.
fn concatenate(groups: Vec<Chunks>) -> Vec<VertexId> {
    let mut chunks: Vec<Vec<VertexId>> = Vec::new();
    for group in groups {
        chunks.extend(group.full);
        chunks.push(group.last);
    }
    if chunks.len() == 1 {
        return chunks.swap_remove(0);
    }
    let len = chunks.iter().map(Vec::len).sum();
    if len <= CHUNK_ITEMS {
        return chunks.concat();
    }
    let mut joined = vec![0; len];
    let mut rest = &mut joined[..];
    let mut places = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let place;
        (place, rest) = rest.split_at_mut(chunk.len());
        places.push((place, chunk));
    }
    (places.into_par_iter()).for_each(|(place, chunk)| place.copy_from_slice(&chunk));
    joined
}
