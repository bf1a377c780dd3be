//! Disjoint sets of vertices that many tasks unite at once.
//!
//! Vertices form trees in which every parent is the smaller; an edge links the
//! roots of its ends, the larger below the smaller. So the root of a set is its
//! smallest vertex, whatever the order of links.
//!
//! [`Forest::unite_edges`] unites along all edges of a graph. A first round
//! takes two neighbors of each vertex, which already joins most of the largest
//! set; the second round can then skip the vertices of that set, as every edge
//! is seen from its other end too.
//!
//! Work O(m) in practice (linking is lock-free union without a bound better than
//! O(m log n)).
//! Source: Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity
//! Computation via Subgraph Sampling" (Afforest), IPDPS 2018.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::parallel::{
    CHUNK_VERTICES, HUB_DEGREE, Lists, for_each_chunk, hub_pieces, unshared_u32,
};
use crate::{Cancelled, Control};

/// Neighbors of each vertex that the first round links.
const SAMPLED_NEIGHBORS: usize = 2;
/// Vertices asked for their set to find the largest.
const SAMPLED_VERTICES: usize = 1024;

/// Trees whose parents are smaller than their children; a root is its own
/// parent. One word of 4 bytes a vertex.
pub(crate) struct Forest {
    parents: Vec<AtomicU32>,
}

impl Forest {
    /// `n` sets of one vertex each.
    pub(crate) fn new(n: usize, control: &Control) -> Result<Self, Cancelled> {
        let mut parents = control.room_for(n)?;
        let roots = (0..n as VertexId)
            .into_par_iter()
            .with_min_len(CHUNK_VERTICES);
        roots.map(AtomicU32::new).collect_into_vec(&mut parents);
        Ok(Self { parents })
    }

    /// The same sets once more.
    pub(crate) fn copied(&self, control: &Control) -> Result<Self, Cancelled> {
        let mut parents = control.room_for(self.parents.len())?;
        let of = self.parents.par_iter().with_min_len(CHUNK_VERTICES);
        let of = of.map(|parent| AtomicU32::new(parent.load(Relaxed)));
        of.collect_into_vec(&mut parents);
        Ok(Self { parents })
    }

    /// Vertices.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The parent of `v`: after [`Forest::compress`] its root.
    #[inline]
    pub(crate) fn parent(&self, v: VertexId) -> VertexId {
        self.parents[v as usize].load(Relaxed)
    }

    /// Makes one tree of those of `u` and `v`. The former root that got a parent,
    /// if they were two; each vertex is returned at most once.
    #[inline]
    pub(crate) fn link(&self, u: VertexId, v: VertexId) -> Option<VertexId> {
        let (mut a, mut b) = (self.parent(u), self.parent(v));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            let above = self.parent(high);
            if above == low {
                return None;
            }
            let links = above == high
                && self.parents[high as usize]
                    .compare_exchange(high, low, Relaxed, Relaxed)
                    .is_ok();
            if links {
                return Some(high);
            }
            a = self.parent(self.parent(high));
            b = self.parent(low);
        }
        None
    }

    /// Calls `join` with the ends of edges of `graph`, whatever their direction
    /// and at least once for each edge that lies not within one set; then
    /// compresses. `join` links the ends or finds that the edge does not count,
    /// which must not depend on the end from which it is seen. Reports three of
    /// the caller's `phases`, which end with the last phase of the run.
    pub(crate) fn unite_edges<G: Graph>(
        &self,
        graph: &G,
        join: impl Fn(VertexId, VertexId) + Sync,
        phases: Range<u64>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let n = self.parents.len();
        let outgoing = Lists::outgoing(graph);
        for_each_chunk(n, |vertices| {
            self.join_lists(
                outgoing,
                vertices,
                0..SAMPLED_NEIGHBORS,
                None,
                &join,
                control,
            )
        })?;
        self.compress(control)?;
        control.report("phases", phases.start + 1, Some(phases.end));

        // An edge into the largest set is seen from its other end, unless the
        // graph keeps only the list of the end inside.
        let skip =
            (graph.stored_lists() != StoredLists::Out && n > 0).then(|| self.frequent_root());
        let rest = SAMPLED_NEIGHBORS..usize::MAX;
        for_each_chunk(n, |vertices| {
            self.join_lists(outgoing, vertices, rest.clone(), skip, &join, control)
        })?;
        if graph.stored_lists() == StoredLists::Both
            && let Some(incoming) = Lists::incoming(graph)
        {
            let join = |v, u| join(u, v);
            for_each_chunk(n, |vertices| {
                self.join_lists(incoming, vertices, 0..usize::MAX, skip, &join, control)
            })?;
        }
        control.report("phases", phases.start + 2, Some(phases.end));
        self.compress(control)?;
        control.report("phases", phases.start + 3, Some(phases.end));
        Ok(())
    }

    /// Joins each of `vertices` with its neighbors at `positions`, except
    /// vertices whose parent is `skip`.
    fn join_lists<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        vertices: Range<VertexId>,
        positions: Range<usize>,
        skip: Option<VertexId>,
        join: &(impl Fn(VertexId, VertexId) + Sync),
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
                    segment.iter().for_each(|&v| join(u, v));
                    ControlFlow::Continue(())
                });
            }
        }
        for u in hubs {
            hub_pieces(lists, u, control, |_: &mut (), segment| {
                segment.iter().for_each(|&v| join(u, v));
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    }

    /// Makes every vertex a child of its root.
    pub(crate) fn compress(&self, control: &Control) -> Result<(), Cancelled> {
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

    /// For each vertex the root of its tree, of a compressed forest.
    pub(crate) fn into_labels(self) -> Vec<VertexId> {
        unshared_u32(self.parents)
    }
}

/// The same by one task, for the reference implementations: union with path halving.
pub(crate) struct SequentialForest {
    parents: Vec<VertexId>,
}

impl SequentialForest {
    /// `n` sets of one vertex each.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            parents: (0..n as VertexId).collect(),
        }
    }

    /// The smallest vertex of the set of `v`.
    pub(crate) fn root(&mut self, mut v: VertexId) -> VertexId {
        let parents = &mut self.parents;
        while parents[v as usize] != v {
            parents[v as usize] = parents[parents[v as usize] as usize];
            v = parents[v as usize];
        }
        v
    }

    /// Makes one set of those of `u` and `v`; whether they were two.
    pub(crate) fn link(&mut self, u: VertexId, v: VertexId) -> bool {
        let (a, b) = (self.root(u), self.root(v));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }
}
