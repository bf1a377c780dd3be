//! Breadth-first trees of all components at once, numbered in preorder.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};

use crate::bfs::{ALPHA, BETA, ClaimParent};
use crate::edge_map::{Lists, Switch, edge_map};
use crate::parallel::{
    HUB_DEGREE, for_each_chunk, for_each_listed, hub_pieces, shared_u32, unshared_u32,
};
use crate::{Cancelled, Control, UNREACHED, VertexSubset};

/// Breadth-first trees.
pub(super) struct Tree {
    /// For each vertex its parent, a root for itself.
    pub parents: Vec<VertexId>,
    /// All vertices, level by level.
    order: Vec<VertexId>,
    /// End of each level in `order`.
    ends: Vec<VertexId>,
}

impl Tree {
    /// Trees from `roots`, which reach all vertices.
    pub fn grow<G: Graph>(
        graph: &G,
        roots: Vec<VertexId>,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = graph.vertex_count();
        let parents = shared_u32(n, UNREACHED, control)?;
        for_each_listed(&roots, control, |root| {
            parents[root as usize].store(root, Relaxed);
        })?;
        let kernel = ClaimParent {
            parents: &parents,
            claimed: |_| (),
        };
        let mut switch = Switch::new(graph, ALPHA, BETA);
        let mut order = Vec::with_capacity(n);
        let mut ends = Vec::new();
        let mut frontier = VertexSubset::Sparse(roots);
        while !frontier.is_empty() {
            match &frontier {
                VertexSubset::Sparse(list) => order.extend_from_slice(list),
                VertexSubset::Dense(bitmap, _) => order.extend(bitmap.to_list()),
            }
            ends.push(order.len() as VertexId);
            frontier = edge_map(graph, frontier, &kernel, &mut switch, control)?;
        }
        Ok(Self {
            parents: unshared_u32(parents),
            order,
            ends,
        })
    }

    /// All vertices that have a parent.
    pub fn below_roots(&self) -> &[VertexId] {
        let roots = self.ends.first().map_or(0, |&end| end as usize);
        &self.order[roots..]
    }

    fn roots(&self) -> &[VertexId] {
        let roots = self.ends.first().map_or(0, |&end| end as usize);
        &self.order[..roots]
    }

    /// The levels below the roots, the nearest first.
    fn levels(&self) -> impl DoubleEndedIterator<Item = &[VertexId]> {
        let bounds = self.ends.windows(2);
        bounds.map(|bounds| &self.order[bounds[0] as usize..bounds[1] as usize])
    }

    /// Numbers in which the vertices below each vertex follow it.
    pub fn number(&self, control: &Control) -> Result<Numbers, Cancelled> {
        let n = self.parents.len();
        let sizes = shared_u32(n, 1, control)?;
        for level in self.levels().rev() {
            for_each_listed(level, control, |v| {
                let size = sizes[v as usize].load(Relaxed);
                sizes[self.parents[v as usize] as usize].fetch_add(size, Relaxed);
            })?;
        }
        let first = shared_u32(n, 0, control)?;
        // The number of the next child.
        let next = shared_u32(n, 0, control)?;
        let assign = |v: VertexId, number: u32| {
            first[v as usize].store(number, Relaxed);
            next[v as usize].store(number + 1, Relaxed);
        };
        let mut numbered = 0;
        for &root in self.roots() {
            assign(root, numbered);
            numbered += sizes[root as usize].load(Relaxed);
        }
        for level in self.levels() {
            for_each_listed(level, control, |v| {
                let size = sizes[v as usize].load(Relaxed);
                let parent = self.parents[v as usize] as usize;
                assign(v, next[parent].fetch_add(size, Relaxed));
            })?;
        }
        Ok(Numbers {
            first: unshared_u32(first),
            sizes: unshared_u32(sizes),
        })
    }

    /// How far the edges from below each vertex lead.
    pub fn reach<G: Graph>(
        &self,
        graph: &G,
        numbers: &Numbers,
        control: &Control,
    ) -> Result<Reach, Cancelled> {
        let n = self.parents.len();
        let reach = Reach {
            low: shared_u32(n, u32::MAX, control)?,
            high: shared_u32(n, 0, control)?,
        };
        let first = &numbers.first;
        let widen = |mut reached: (u32, u32), list: &[VertexId]| {
            for &u in list {
                let number = first[u as usize];
                reached = (reached.0.min(number), reached.1.max(number));
            }
            reached
        };
        let lists = Lists::outgoing(graph);
        for_each_chunk(n, |vertices| {
            control.check()?;
            let mut hubs = Vec::new();
            {
                let mut reader = lists.reader();
                for v in vertices {
                    if reader.degree(v) > HUB_DEGREE {
                        hubs.push(v);
                        continue;
                    }
                    let mut reached = (first[v as usize], first[v as usize]);
                    let _ = reader.for_each_segment(v, |segment| {
                        reached = widen(reached, segment);
                        ControlFlow::Continue(())
                    });
                    reach.include(v, reached);
                }
            }
            for v in hubs {
                let pieces = hub_pieces(
                    lists,
                    v,
                    control,
                    |reached: &mut Option<(u32, u32)>, segment| {
                        let own = (first[v as usize], first[v as usize]);
                        *reached = Some(widen(reached.unwrap_or(own), segment));
                        ControlFlow::Continue(())
                    },
                )?;
                for reached in pieces.into_iter().flatten() {
                    reach.include(v, reached);
                }
            }
            Ok(())
        })?;
        for level in self.levels().rev() {
            for_each_listed(level, control, |v| {
                reach.include(self.parents[v as usize], reach.of(v));
            })?;
        }
        Ok(reach)
    }
}

/// Preorder numbers.
pub(super) struct Numbers {
    first: Vec<u32>,
    sizes: Vec<u32>,
}

impl Numbers {
    /// The numbers of `v` and of all vertices below.
    #[inline]
    pub fn below(&self, v: VertexId) -> Range<u32> {
        let first = self.first[v as usize];
        first..first + self.sizes[v as usize]
    }
}

/// The smallest and the largest number of the neighbors of each vertex and of
/// all vertices below it.
pub(super) struct Reach {
    low: Vec<AtomicU32>,
    high: Vec<AtomicU32>,
}

impl Reach {
    #[inline]
    pub fn of(&self, v: VertexId) -> (u32, u32) {
        let v = v as usize;
        (self.low[v].load(Relaxed), self.high[v].load(Relaxed))
    }

    #[inline]
    fn include(&self, v: VertexId, (low, high): (u32, u32)) {
        self.low[v as usize].fetch_min(low, Relaxed);
        self.high[v as usize].fetch_max(high, Relaxed);
    }
}
