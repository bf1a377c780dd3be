//! Breadth-first search from one source.
//!
//! Idea: level by level, each newly reached vertex claims a parent; while the
//! frontier is large, unreached vertices look for a parent in it instead
//! (direction optimisation), and stop at the first they find.
//!
//! Work O(m), depth O(diameter · log n), 2n words and n bits of DRAM.
//! Source: Beamer, Asanović and Patterson, "Direction-Optimizing Breadth-First
//! Search", SC 2012, alpha = 15 and beta = 18 as in the GAP Benchmark Suite.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Column, Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::edge_map::{Gather, Kernel, Switch, edge_map};
use crate::error::{check_source, compare_exact};
use crate::parallel::{CHUNK_ITEMS, copied_u32, shared_u32, sharing_u32, unshared_u32};
use crate::{Control, Mismatch, RunError, UNREACHED, VertexSubset};

/// When a search pulls; see [`Switch::new`].
pub(crate) const ALPHA: u64 = 15;
pub(crate) const BETA: usize = 18;

/// A breadth-first tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bfs {
    /// Vertex at which the search began.
    pub source: VertexId,
    /// For each vertex its parent in the tree, the source for itself,
    /// [`UNREACHED`] elsewhere. Which of several possible parents is chosen may
    /// differ from run to run.
    pub parents: Vec<VertexId>,
    /// For each vertex the edges on a shortest path from the source,
    /// [`UNREACHED`] elsewhere.
    pub depths: Vec<u32>,
    /// Reached vertices, the source included.
    pub reached: usize,
    /// The largest depth.
    pub max_depth: u32,
}

/// The breadth-first tree from `source` along out-lists.
///
/// Pulls only if the graph has in-lists. Depths do not depend on threads.
///
/// # Errors
/// If `source` is out of range, or `control` ends the run.
pub fn run<G: Graph>(graph: &G, source: VertexId, control: &Control) -> Result<Bfs, RunError> {
    check_source(graph, source)?;
    let n = graph.vertex_count();
    let mut parents = shared_u32(n, UNREACHED, control)?;
    let mut depths = shared_u32(n, UNREACHED, control)?;
    parents[source as usize].store(source, Relaxed);
    depths[source as usize].store(0, Relaxed);

    let mut switch = Switch::new(graph, ALPHA, BETA);
    let mut frontier = VertexSubset::single(source);
    let mut reached = 0;
    let mut depth = 0;
    if let Some(mut saved) = control.saved() {
        depth = saved.step as u32;
        parents = sharing_u32(saved.take("parents", n)?);
        depths = sharing_u32(saved.take("depths", n)?);
        let at = |v: &VertexId| depths[*v as usize].load(Relaxed);
        let vertices = (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
        reached = vertices.clone().filter(|v| at(v) < depth).count();
        frontier = VertexSubset::Sparse(vertices.filter(|v| at(v) == depth).collect());
    }
    loop {
        reached += frontier.len();
        control.report("reached vertices", reached as u64, Some(n as u64));
        let kernel = ClaimParent {
            parents: &parents,
            claimed: |v| depths[v as usize].store(depth + 1, Relaxed),
        };
        frontier = edge_map(graph, frontier, &kernel, &mut switch, control)?;
        if frontier.is_empty() {
            break;
        }
        depth += 1;
        if control.wants(depth.into()) {
            let (parents, depths) = (copied_u32(&parents), copied_u32(&depths));
            control.offer(depth.into(), || {
                [
                    ("parents", Column::U32(&parents)),
                    ("depths", Column::U32(&depths)),
                ]
            })?;
        }
    }
    Ok(Bfs {
        source,
        parents: unshared_u32(parents),
        depths: unshared_u32(depths),
        reached,
        max_depth: depth,
    })
}

/// A vertex without a parent ([`UNREACHED`]) takes the first that comes.
pub(crate) struct ClaimParent<'a, F> {
    pub parents: &'a [AtomicU32],
    /// Called with each vertex that has taken one.
    pub claimed: F,
}

impl<F: Fn(VertexId) + Sync> Kernel for ClaimParent<'_, F> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        self.parents[v as usize].load(Relaxed) == UNREACHED
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId) -> bool {
        let claimed = self.parents[v as usize]
            .compare_exchange(UNREACHED, u, Relaxed, Relaxed)
            .is_ok();
        if claimed {
            (self.claimed)(v);
        }
        claimed
    }
}

impl<F: Fn(VertexId) + Sync> Gather for ClaimParent<'_, F> {
    type Gathered = Option<VertexId>;

    #[inline]
    fn gather(&self, parent: &mut Option<VertexId>, u: VertexId) -> ControlFlow<()> {
        *parent = Some(u);
        ControlFlow::Break(())
    }

    fn merge(&self, parent: &mut Option<VertexId>, next: Option<VertexId>) {
        *parent = parent.or(next);
    }

    #[inline]
    fn apply(&self, v: VertexId, parent: Option<VertexId>) -> bool {
        if let Some(u) = parent {
            self.parents[v as usize].store(u, Relaxed);
            (self.claimed)(v);
        }
        parent.is_some()
    }
}

/// Depths by a plain queue; the reference implementation of [`run`].
///
/// # Panics
/// If `source` is out of range.
pub fn reference<G: Graph>(graph: &G, source: VertexId) -> Vec<u32> {
    let mut depths = vec![UNREACHED; graph.vertex_count()];
    let mut reader = graph.reader();
    let mut queue = VecDeque::from([source]);
    depths[source as usize] = 0;
    while let Some(u) = queue.pop_front() {
        let depth = depths[u as usize] + 1;
        reader.for_each_neighbor(u, |v| {
            if depths[v as usize] == UNREACHED {
                depths[v as usize] = depth;
                queue.push_back(v);
            }
        });
    }
    depths
}

/// Checks depths against [`reference()`], and that each parent is one level
/// higher and has an edge to its child. Sequential, O(n + m).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &Bfs) -> Result<(), Mismatch> {
    let depths = reference(graph, result.source);
    compare_exact("depth", &result.depths, &depths)?;

    let n = graph.vertex_count();
    let mut expected = vec![UNREACHED; n];
    expected[result.source as usize] = result.source;
    let mut reader = graph.reader();
    for u in 0..n as VertexId {
        let child_depth = depths[u as usize].saturating_add(1);
        reader.for_each_neighbor(u, |v| {
            let is_parent = result.parents[v as usize] == u;
            // Without a valid claim, any possible parent serves in the message.
            if depths[v as usize] == child_depth
                && depths[u as usize] != UNREACHED
                && (is_parent || expected[v as usize] == UNREACHED)
            {
                expected[v as usize] = u;
            }
        });
    }
    compare_exact("parent", &result.parents, &expected)
}
