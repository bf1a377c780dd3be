//! Traversal: what happens along the edges that leave a frontier.
//!
//! A [`Kernel`] says what an edge does to its target (update) and which targets
//! still care (condition). [`push`] visits the out-lists of the frontier, many
//! tasks writing one target; [`pull`] visits the in-lists of all targets that
//! still care, one task a target; [`edge_map`] chooses. Lists of hubs are shared
//! among tasks either way.
//!
//! Memory: O(n) bits for a pull, O(frontier + result) words for a push.
//! Sources: Shun and Blelloch, "Ligra", PPoPP 2013 (the interface); Dhulipala et
//! al., "Sage", VLDB 2020, section 4 (chunks; no writes to the graph); Beamer,
//! Asanović and Patterson, "Direction-Optimizing BFS", SC 2012 (the choice).

use std::ops::{ControlFlow, Range};

use evergraph_graph::{Direction, Graph, NeighborReader, VertexId};
use rayon::prelude::*;

pub use crate::parallel::Lists;
use crate::parallel::{CHUNK_LISTED, HUB_DEGREE, chunk_range, degree_sum, hub_pieces};
use crate::subset::{Bitmap, VertexSubset};
use crate::{Cancelled, Control};

/// How a target collects from its sources in a pull, and what it does with that.
pub trait Gather: Sync {
    /// What a target collects.
    type Gathered: Default + Send;

    /// Collects from the source `u`; `Break` when more sources change nothing.
    fn gather(&self, gathered: &mut Self::Gathered, u: VertexId) -> ControlFlow<()>;

    /// Collects from those of `list` that `is_source` accepts.
    ///
    /// A kernel for which vertices outside the frontier count as nothing (a sum
    /// of zeros) can save the question by overriding this.
    #[inline]
    fn gather_list(
        &self,
        gathered: &mut Self::Gathered,
        list: &[VertexId],
        is_source: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        for &u in list {
            if is_source(u) {
                self.gather(gathered, u)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds what the next piece of a hub's list collected. Pieces come in order.
    fn merge(&self, gathered: &mut Self::Gathered, next: Self::Gathered);

    /// Updates `v` with all it collected; true if `v` belongs to the result.
    fn apply(&self, v: VertexId, gathered: Self::Gathered) -> bool;
}

/// What an edge from the frontier does to its target, in either direction.
///
/// In one traversal a target is updated either by pushes, or by gathering and
/// one `apply`, never by both.
pub trait Kernel: Gather {
    /// Whether `v` still cares. May turn false while a traversal runs.
    fn condition(&self, v: VertexId) -> bool;

    /// Updates `v` from `u`; several tasks may do so at once. True the first
    /// time in this traversal that `v` belongs to the result.
    fn push(&self, u: VertexId, v: VertexId) -> bool;
}

/// The choice between push and pull in a traversal, after Beamer et al.
#[derive(Clone, Debug)]
pub struct Switch {
    alpha: u64,
    beta: usize,
    /// Arcs that no push has visited yet.
    unexplored: u64,
    pulling: bool,
    previous_len: usize,
}

impl Switch {
    /// Pulls once the frontier has more than 1/`alpha` of the arcs left to
    /// explore, until it shrinks below 1/`beta` of the vertices.
    pub fn new(graph: &impl Graph, alpha: u64, beta: usize) -> Self {
        Self {
            alpha,
            beta,
            unexplored: graph.arc_count(),
            pulling: false,
            previous_len: 0,
        }
    }

    fn pulls<G: Graph>(&mut self, graph: &G, frontier: &VertexSubset) -> bool {
        if graph.direction() == Direction::Out {
            return false;
        }
        let len = frontier.len();
        let shrinks = len < self.previous_len;
        self.previous_len = len;
        if self.pulling {
            self.pulling = !shrinks || len > graph.vertex_count() / self.beta;
        } else if let VertexSubset::Sparse(list) = frontier {
            let arcs = degree_sum(Lists::outgoing(graph), list);
            self.pulling = arcs > self.unexplored / self.alpha;
            self.unexplored = self.unexplored.saturating_sub(arcs);
        }
        self.pulling
    }
}

/// Applies `kernel` along the edges out of `frontier`, in the direction that
/// `switch` finds cheaper. Returns the vertices that joined.
///
/// # Errors
/// If `control` ends the run.
pub fn edge_map<G: Graph, K: Kernel>(
    graph: &G,
    frontier: VertexSubset,
    kernel: &K,
    switch: &mut Switch,
    control: &Control,
) -> Result<VertexSubset, Cancelled> {
    if switch.pulls(graph, &frontier)
        && let Some(incoming) = Lists::incoming(graph)
    {
        let bitmap = frontier.into_bitmap(graph.vertex_count());
        return pull(incoming, |u| bitmap.contains(u), kernel, control);
    }
    let joined = push(
        Lists::outgoing(graph),
        &frontier.into_list(),
        kernel,
        control,
    )?;
    Ok(VertexSubset::Sparse(joined))
}

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
    let chunk = |mut done: Pushed, vertices: &[VertexId]| {
        control.check()?;
        let mut reader = lists.reader();
        for &u in vertices {
            if reader.degree(u) > HUB_DEGREE {
                done.hubs.push(u);
            } else {
                let _ = reader.for_each_segment(u, |segment| {
                    push_list(kernel, u, segment, &mut done.joined);
                    ControlFlow::Continue(())
                });
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
        let pieces = hub_pieces(lists, u, control, |joined: &mut Vec<VertexId>, segment| {
            push_list(kernel, u, segment, joined);
            ControlFlow::Continue(())
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

#[inline]
fn push_list<K: Kernel>(kernel: &K, u: VertexId, list: &[VertexId], joined: &mut Vec<VertexId>) {
    for &v in list {
        if kernel.condition(v) && kernel.push(u, v) {
            joined.push(v);
        }
    }
}

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

/// Loads the first neighbor of `v` without waiting for it, so that the cache
/// misses of a group overlap. A gathering that breaks early would meet them one
/// by one, each behind a branch that depends on the last.
#[inline]
fn touch(reader: &mut impl NeighborReader, v: VertexId) {
    let _ = reader.for_each_segment(v, |segment| {
        std::hint::black_box(segment.first().copied());
        ControlFlow::Break(())
    });
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
