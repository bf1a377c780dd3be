//! Trimming, forward and backward search, coloring, and a last search by depth.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::{UNKNOWN, depth_first};
use crate::edge_map::{Gather, Kernel, Lists, Switch, edge_map};
use crate::parallel::{
    CHUNK_ITEMS, CHUNK_VERTICES, chunk_range, for_each_listed, shared_u32, unshared_u32,
};
use crate::push_each::push_each;
use crate::reversed::Reversed;
use crate::{Cancelled, Control, RunError, VertexSubset};

/// So few vertices are searched by depth, as rounds would cost more.
const FEW: usize = 100_000;
/// Colors spread slowly when a vertex passes them on more often than this, on
/// average.
const MOST_PASSES: usize = 8;
/// Coloring goes on while it labels at least one of so many vertices that are left.
const WORTH_ANOTHER: usize = 8;
/// When a search pulls; as in `bfs`.
const ALPHA: u64 = 15;
const BETA: usize = 18;

/// Labels of the components of a graph with in-lists.
pub(super) fn run<G: Graph>(graph: &G, control: &Control) -> Result<Vec<VertexId>, RunError> {
    let reversed = Reversed::new(graph).ok_or(RunError::NeedsInLists)?;
    let n = graph.vertex_count();
    let labels = shared_u32(n, UNKNOWN, control)?;
    let known = |v: VertexId| labels[v as usize].load(Relaxed) != UNKNOWN;
    let pivot = trim(graph, &labels, control)?;
    control.report("steps", 1, Some(4));
    if let Some(pivot) = pivot {
        largest(graph, &reversed, pivot, &labels, control)?;
    }
    control.report("steps", 2, Some(4));
    let all = (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let mut left: Vec<VertexId> = all.filter(|&v| !known(v)).collect();
    while left.len() > FEW {
        let before = left.len();
        let spread = color(graph, &reversed, &left, &labels, control)?;
        left.retain(|&v| !known(v));
        if !spread || left.len() > before - before / WORTH_ANOTHER {
            break;
        }
    }
    control.report("steps", 3, Some(4));
    let mut labels = unshared_u32(labels);
    if !left.is_empty() {
        depth_first::search(graph, left.into_iter(), &mut labels, &control.unseen())?;
    }
    control.report("steps", 4, Some(4));
    Ok(labels)
}

/// Labels vertices that no cycle passes, as far as counting edges shows. Returns
/// the vertex with the most pairs of edges in and out among the others, the
/// first of several.
fn trim<G: Graph>(
    graph: &G,
    labels: &[AtomicU32],
    control: &Control,
) -> Result<Option<VertexId>, Cancelled> {
    let n = labels.len();
    let outgoing = Lists::outgoing(graph);
    let incoming = Lists::incoming(graph).unwrap_or(outgoing);
    let (edges_out, edges_in) = (shared_u32(n, 0, control)?, shared_u32(n, 0, control)?);
    let count = |chunk| {
        control.check()?;
        let (mut out_reader, mut in_reader) = (outgoing.reader(), incoming.reader());
        let mut trimmed = Vec::new();
        for v in chunk_range(chunk, n) {
            let degrees = (out_reader.degree(v), in_reader.degree(v));
            let count = |degree| u32::try_from(degree).unwrap_or(u32::MAX);
            edges_out[v as usize].store(count(degrees.0), Relaxed);
            edges_in[v as usize].store(count(degrees.1), Relaxed);
            if degrees.0 == 0 || degrees.1 == 0 {
                labels[v as usize].store(v, Relaxed);
                trimmed.push(v);
            }
        }
        Ok(trimmed)
    };
    let chunks = (0..n.div_ceil(CHUNK_VERTICES)).into_par_iter().map(count);
    let mut frontier = chunks.try_reduce(Vec::new, |mut left, right| {
        left.extend(right);
        Ok(left)
    })?;
    // One edge less of `v`, which is trimmed if that was the last.
    let lose = |edges: &[AtomicU32], v: VertexId| {
        let label = &labels[v as usize];
        label.load(Relaxed) == UNKNOWN
            && edges[v as usize].fetch_sub(1, Relaxed) == 1
            && label.compare_exchange(UNKNOWN, v, Relaxed, Relaxed).is_ok()
    };
    while !frontier.is_empty() {
        let mut next = push_each(outgoing, &frontier, |_, v| lose(&edges_in, v), control)?;
        next.extend(push_each(
            incoming,
            &frontier,
            |_, v| lose(&edges_out, v),
            control,
        )?);
        frontier = next;
    }
    let pairs = |v: VertexId| {
        let count = |edges: &[AtomicU32]| u64::from(edges[v as usize].load(Relaxed));
        count(&edges_out) * count(&edges_in)
    };
    let rest = (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let rest = rest.filter(|&v| labels[v as usize].load(Relaxed) == UNKNOWN);
    Ok(rest.max_by_key(|&v| (pairs(v), std::cmp::Reverse(v))))
}

/// Labels the component of `pivot`.
fn largest<G: Graph>(
    graph: &G,
    reversed: &Reversed<'_, G>,
    pivot: VertexId,
    labels: &[AtomicU32],
    control: &Control,
) -> Result<(), Cancelled> {
    let n = labels.len();
    let marks = shared_u32(n, 0, control)?;
    let reach = |before, after| {
        marks[pivot as usize].store(after, Relaxed);
        Reach {
            labels,
            marks: &marks,
            before,
            after,
        }
    };
    search(graph, pivot, &reach(0, FORWARD), control)?;
    search(reversed, pivot, &reach(FORWARD, BOTH), control)?;
    let all = || (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let is_member = |v: &VertexId| marks[*v as usize].load(Relaxed) == BOTH;
    if let Some(label) = all().find_first(is_member) {
        all().filter(is_member).for_each(|v| {
            labels[v as usize].store(label, Relaxed);
        });
    }
    Ok(())
}

fn search<G: Graph>(
    graph: &G,
    source: VertexId,
    kernel: &Reach<'_>,
    control: &Control,
) -> Result<(), Cancelled> {
    let mut switch = Switch::new(graph, ALPHA, BETA);
    let mut frontier = VertexSubset::single(source);
    while !frontier.is_empty() {
        frontier = edge_map(graph, frontier, kernel, &mut switch, control)?;
    }
    Ok(())
}

/// Labels components of the vertices that are `left`; none, and false, if colors
/// spread slowly.
fn color<G: Graph>(
    graph: &G,
    reversed: &Reversed<'_, G>,
    left: &[VertexId],
    labels: &[AtomicU32],
    control: &Control,
) -> Result<bool, Cancelled> {
    let n = labels.len();
    let colors = shared_u32(n, UNKNOWN, control)?;
    for_each_listed(left, control, |v| colors[v as usize].store(v, Relaxed))?;
    let rounds = shared_u32(n, 0, control)?;
    let mut frontier = left.to_vec();
    let mut passes = 0;
    let mut round = 0;
    while !frontier.is_empty() {
        passes += frontier.len();
        if passes > MOST_PASSES * left.len() {
            return Ok(false);
        }
        round += 1;
        let spread = |u: VertexId, v: VertexId| {
            let color = colors[u as usize].load(Relaxed);
            labels[v as usize].load(Relaxed) == UNKNOWN
                && color < colors[v as usize].load(Relaxed)
                && color < colors[v as usize].fetch_min(color, Relaxed)
                && rounds[v as usize].swap(round, Relaxed) != round
        };
        frontier = push_each(Lists::outgoing(graph), &frontier, spread, control)?;
    }
    let is_first = |&&v: &&VertexId| colors[v as usize].load(Relaxed) == v;
    frontier = left.par_iter().filter(is_first).copied().collect();
    for_each_listed(&frontier, control, |v| labels[v as usize].store(v, Relaxed))?;
    let claim = |v: VertexId, u: VertexId| {
        let color = colors[v as usize].load(Relaxed);
        let label = &labels[u as usize];
        colors[u as usize].load(Relaxed) == color
            && label
                .compare_exchange(UNKNOWN, color, Relaxed, Relaxed)
                .is_ok()
    };
    while !frontier.is_empty() {
        frontier = push_each(Lists::outgoing(reversed), &frontier, claim, control)?;
    }
    Ok(true)
}

/// Marks of a search from one vertex, among the vertices without a label.
struct Reach<'a> {
    labels: &'a [AtomicU32],
    marks: &'a [AtomicU32],
    /// Marks of a vertex that the search may enter, ...
    before: u32,
    /// ... and has entered.
    after: u32,
}

/// Marks: reached from the pivot, and reaching it too.
const FORWARD: u32 = 1;
const BOTH: u32 = 2;

impl Kernel for Reach<'_> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        self.marks[v as usize].load(Relaxed) == self.before
            && self.labels[v as usize].load(Relaxed) == UNKNOWN
    }

    #[inline]
    fn push(&self, _: VertexId, v: VertexId) -> bool {
        self.marks[v as usize]
            .compare_exchange(self.before, self.after, Relaxed, Relaxed)
            .is_ok()
    }
}

impl Gather for Reach<'_> {
    type Gathered = bool;

    #[inline]
    fn gather(&self, reached: &mut bool, _: VertexId) -> ControlFlow<()> {
        *reached = true;
        ControlFlow::Break(())
    }

    fn merge(&self, reached: &mut bool, next: bool) {
        *reached |= next;
    }

    #[inline]
    fn apply(&self, v: VertexId, reached: bool) -> bool {
        if reached {
            self.marks[v as usize].store(self.after, Relaxed);
        }
        reached
    }
}
