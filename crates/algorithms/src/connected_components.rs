//! Weakly connected components: which vertices are joined by edges, whatever
//! their direction.
//!
//! Idea: vertices form trees in which every parent is the smaller; an edge
//! links the roots of its ends, the larger below the smaller. A first round
//! links each vertex with two neighbors, which already joins most of the
//! largest component; the second round can then skip the vertices of that
//! component, as every edge is seen from its other end too.
//!
//! Work O(m) in practice (linking is lock-free union without a bound better than
//! O(m log n)), n words of DRAM.
//! Source: Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity
//! Computation via Subgraph Sampling" (Afforest), IPDPS 2018.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::random::Random;
use evergraph_graph::{Direction, Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::error::compare_exact;
use crate::parallel::{
    CHUNK_VERTICES, HUB_DEGREE, Lists, for_each_chunk, hub_pieces, unshared_u32,
};
use crate::{Cancelled, Control, Mismatch, RunError};

/// Neighbors of each vertex that the first round links.
const SAMPLED_NEIGHBORS: usize = 2;
/// Vertices asked for their component to find the largest.
const SAMPLED_VERTICES: usize = 1024;

/// The components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedComponents {
    /// For each vertex the smallest vertex of its component; the same for any
    /// number of threads and any order of edges.
    pub labels: Vec<VertexId>,
    /// Components, isolated vertices included.
    pub components: usize,
    /// Vertices of the largest component.
    pub largest: usize,
}

/// The weakly connected components of `graph`.
///
/// # Errors
/// If `control` ends the run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<ConnectedComponents, RunError> {
    let n = graph.vertex_count();
    let forest = Forest::new(n);
    let outgoing = Lists::outgoing(graph);

    for_each_chunk(n, |vertices| {
        forest.link_lists(outgoing, vertices, 0..SAMPLED_NEIGHBORS, None, control)
    })?;
    forest.compress(control)?;
    control.report("phases", 1, Some(3));

    // An edge into the largest component is seen from its other end, unless the
    // graph keeps only the list of the end inside.
    let skip = (graph.direction() != Direction::Out && n > 0).then(|| forest.frequent_root());
    let rest = SAMPLED_NEIGHBORS..usize::MAX;
    for_each_chunk(n, |vertices| {
        forest.link_lists(outgoing, vertices, rest.clone(), skip, control)
    })?;
    if graph.direction() == Direction::Both
        && let Some(incoming) = Lists::incoming(graph)
    {
        for_each_chunk(n, |vertices| {
            forest.link_lists(incoming, vertices, 0..usize::MAX, skip, control)
        })?;
    }
    control.report("phases", 2, Some(3));
    forest.compress(control)?;
    control.report("phases", 3, Some(3));

    let labels = unshared_u32(forest.parents);
    let (components, largest) = summary(&labels);
    Ok(ConnectedComponents {
        labels,
        components,
        largest,
    })
}

fn summary(labels: &[VertexId]) -> (usize, usize) {
    let mut sizes = vec![0_u32; labels.len()];
    for &label in labels {
        sizes[label as usize] += 1;
    }
    let components = sizes.iter().filter(|&&size| size > 0).count();
    (components, sizes.into_iter().max().unwrap_or(0) as usize)
}

/// Trees whose parents are smaller than their children; a root is its own parent.
struct Forest {
    parents: Vec<AtomicU32>,
}

impl Forest {
    fn new(n: usize) -> Self {
        Self {
            parents: (0..n as VertexId)
                .into_par_iter()
                .with_min_len(CHUNK_VERTICES)
                .map(AtomicU32::new)
                .collect(),
        }
    }

    #[inline]
    fn parent(&self, v: VertexId) -> VertexId {
        self.parents[v as usize].load(Relaxed)
    }

    /// Makes one tree of those of `u` and `v`.
    #[inline]
    fn link(&self, u: VertexId, v: VertexId) {
        let (mut a, mut b) = (self.parent(u), self.parent(v));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            let above = self.parent(high);
            // `high` is below `low` already, or a root that goes there now.
            if above == low
                || (above == high
                    && self.parents[high as usize]
                        .compare_exchange(high, low, Relaxed, Relaxed)
                        .is_ok())
            {
                return;
            }
            a = self.parent(self.parent(high));
            b = self.parent(low);
        }
    }

    /// Links each of `vertices` with its neighbors at `positions`, except
    /// vertices whose parent is `skip`.
    fn link_lists<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        vertices: Range<VertexId>,
        positions: Range<usize>,
        skip: Option<VertexId>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let whole = positions.end == usize::MAX;
        let mut hubs = Vec::new();
        control.check()?;
        {
            let mut reader = lists.reader();
            for u in vertices {
                if skip == Some(self.parent(u)) {
                    continue;
                }
                if whole && reader.degree(u) > HUB_DEGREE {
                    hubs.push(u);
                    continue;
                }
                let _ = reader.for_each_segment_in(u, positions.clone(), |segment| {
                    segment.iter().for_each(|&v| self.link(u, v));
                    ControlFlow::Continue(())
                });
            }
        }
        for u in hubs {
            hub_pieces(lists, u, control, |_: &mut (), segment| {
                segment.iter().for_each(|&v| self.link(u, v));
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    }

    /// Makes every vertex a child of its root.
    fn compress(&self, control: &Control) -> Result<(), Cancelled> {
        for_each_chunk(self.parents.len(), |vertices| {
            control.check()?;
            for v in vertices {
                let mut root = self.parent(v);
                loop {
                    let above = self.parent(root);
                    if above == root {
                        break;
                    }
                    root = above;
                }
                self.parents[v as usize].store(root, Relaxed);
            }
            Ok(())
        })
    }

    /// The root of most of a random sample of vertices; of a compressed forest
    /// with vertices.
    fn frequent_root(&self) -> VertexId {
        let mut random = Random::new(27);
        let mut roots: Vec<VertexId> = (0..SAMPLED_VERTICES)
            .map(|_| self.parent(random.below(self.parents.len() as u64) as VertexId))
            .collect();
        roots.sort_unstable();
        roots
            .chunk_by(|a, b| a == b)
            .max_by_key(|group| group.len())
            .map_or(0, |group| group[0])
    }
}

/// Labels by sequential union with path halving; the slow twin of [`run`].
pub fn reference<G: Graph>(graph: &G) -> Vec<VertexId> {
    fn root(parents: &mut [VertexId], mut v: VertexId) -> VertexId {
        while parents[v as usize] != v {
            parents[v as usize] = parents[parents[v as usize] as usize];
            v = parents[v as usize];
        }
        v
    }
    let n = graph.vertex_count() as VertexId;
    let mut parents: Vec<VertexId> = (0..n).collect();
    let mut reader = graph.reader();
    for u in 0..n {
        reader.for_each_neighbor(u, |v| {
            let (a, b) = (root(&mut parents, u), root(&mut parents, v));
            parents[a.max(b) as usize] = a.min(b);
        });
    }
    (0..n).map(|v| root(&mut parents, v)).collect()
}

/// Checks every label against [`reference()`]. Sequential, O(m log n).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &ConnectedComponents) -> Result<(), Mismatch> {
    compare_exact("label", &result.labels, &reference(graph))
}
