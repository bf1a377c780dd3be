//! One source's search: shortest paths counted downwards, dependencies summed
//! upwards.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use crate::edge_map::{Gather, Kernel, pull, pull_into, push};
use crate::parallel::{
    AtomicF64, CHUNK_ITEMS, Lists, degree_sum, for_each_in, shared_f64, shared_u32,
};
use crate::sums::ListSum;
use crate::{Cancelled, Control, UNREACHED};

/// A push of an arc costs so many pulls: an addition to a shared number, at random.
const PUSH_COST: u64 = 3;
/// Path counts above this are scaled by its inverse; a power of two, so exactly.
const LARGE: f64 = f64::from_bits((1023 + 500) << 52);

/// The state of a search. A level's vertices are `order[levels[depth]]`.
pub(super) struct Search<'g, G> {
    graph: &'g G,
    order: Vec<VertexId>,
    levels: Vec<Level>,
    depths: Vec<AtomicU32>,
    /// Shortest paths from the source, 0 if unreached.
    paths: Vec<AtomicF64>,
    dependencies: Vec<AtomicF64>,
    /// Values that the vertices of one level pass to the next; 0 for all others.
    shown: Vec<AtomicF64>,
}

struct Level {
    range: Range<usize>,
    /// The level's path counts are the true ones of the level before times this.
    scale: f64,
}

impl<'g, G: Graph> Search<'g, G> {
    pub(super) fn new(graph: &'g G, control: &Control) -> Result<Self, Cancelled> {
        let n = graph.vertex_count();
        Ok(Self {
            graph,
            order: Vec::new(),
            levels: Vec::new(),
            depths: shared_u32(n, UNREACHED, control)?,
            paths: shared_f64(n, control)?,
            dependencies: shared_f64(n, control)?,
            shown: shared_f64(n, control)?,
        })
    }

    pub(super) fn reached(&self) -> usize {
        self.order.len()
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.levels.len() as u32 - 1
    }

    /// Finds the levels and the path counts from `source`.
    pub(super) fn count_paths(
        &mut self,
        source: VertexId,
        control: &Control,
    ) -> Result<(), Cancelled> {
        self.reset();
        self.depths[source as usize].store(0, Relaxed);
        self.paths[source as usize].store(1.0);
        self.add_level(vec![source]);
        let mut unexplored = self.graph.arc_count();
        loop {
            let frontier = &self.order[self.levels[self.levels.len() - 1].range.clone()];
            let kernel = CountPaths {
                search: self,
                depth: self.levels.len() as u32,
            };
            let outgoing = Lists::outgoing(self.graph);
            let arcs = degree_sum(outgoing, frontier);
            unexplored = unexplored.saturating_sub(arcs);
            // A pull asks every vertex whether it is reached, about one arc's cost.
            let pull_cost = unexplored + self.depths.len() as u64;
            let next = match Lists::incoming(self.graph) {
                Some(incoming) if arcs.saturating_mul(PUSH_COST) > pull_cost => {
                    self.show(frontier, |v| self.paths[v as usize].load());
                    let next = pull(incoming, |_| true, &kernel, control)?.into_list();
                    self.show(frontier, |_| 0.0);
                    next
                }
                _ => push(outgoing, frontier, &kernel, control)?,
            };
            if next.is_empty() {
                return Ok(());
            }
            self.add_level(next);
        }
    }

    /// Makes every vertex unreached.
    fn reset(&mut self) {
        for_each_in(&self.order, |v| {
            self.depths[v as usize].store(UNREACHED, Relaxed);
            self.paths[v as usize].store(0.0);
            self.dependencies[v as usize].store(0.0);
        });
        self.order.clear();
        self.levels.clear();
    }

    fn add_level(&mut self, vertices: Vec<VertexId>) {
        let largest = vertices
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .map(|&v| self.paths[v as usize].load())
            .reduce(|| 0.0, f64::max);
        let mut scale = 1.0;
        if largest > LARGE {
            scale = 1.0 / LARGE;
            for_each_in(&vertices, |v| {
                let paths = &self.paths[v as usize];
                // A count is never 0, or its share of a path would be lost.
                paths.store((paths.load() * scale).max(f64::MIN_POSITIVE));
            });
        }
        let start = self.order.len();
        self.order.extend(vertices);
        let range = start..self.order.len();
        self.levels.push(Level { range, scale });
    }

    /// Finds the dependencies of all vertices on the paths counted.
    pub(super) fn sum_dependencies(&mut self, control: &Control) -> Result<(), Cancelled> {
        let outgoing = Lists::outgoing(self.graph);
        for pair in self.levels.windows(2).rev() {
            let [upper, lower] = pair else { continue };
            let lower_vertices = &self.order[lower.range.clone()];
            self.show(lower_vertices, |v| {
                let v = v as usize;
                (1.0 + self.dependencies[v].load()) / self.paths[v].load() * lower.scale
            });
            let upper_vertices = &self.order[upper.range.clone()];
            let kernel = SumDependencies { search: self };
            pull_into(outgoing, upper_vertices, |_| true, &kernel, control)?;
            self.show(lower_vertices, |_| 0.0);
        }
        Ok(())
    }

    /// Adds the dependencies of all vertices but the source to `scores`.
    pub(super) fn add_to(&self, scores: &mut [f64]) {
        scores
            .par_iter_mut()
            .with_min_len(CHUNK_ITEMS)
            .zip(&self.dependencies)
            .zip(&self.depths)
            .for_each(|((score, dependency), depth)| {
                if depth.load(Relaxed) != 0 {
                    *score += dependency.load();
                }
            });
    }

    fn show(&self, vertices: &[VertexId], value: impl Fn(VertexId) -> f64 + Sync) {
        for_each_in(vertices, |v| self.shown[v as usize].store(value(v)));
    }

    #[inline]
    fn sum_shown(&self, sum: &mut ListSum<f64>, segment: &[VertexId]) {
        sum.add(segment, |u| self.shown[u as usize].load());
    }
}

/// An arc adds the paths to its source to the paths to its target.
struct CountPaths<'a, 'g, G> {
    search: &'a Search<'g, G>,
    /// Of the vertices that are reached now.
    depth: u32,
}

impl<G: Graph> Kernel for CountPaths<'_, '_, G> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        // Pulls meet only unreached vertices; pushes add to those just reached too.
        self.search.depths[v as usize].load(Relaxed) >= self.depth
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId) -> bool {
        let paths = self.search.paths[u as usize].load();
        let first = self.search.paths[v as usize].add(paths) == 0.0;
        if first {
            self.search.depths[v as usize].store(self.depth, Relaxed);
        }
        first
    }
}

impl<G: Graph> Gather for CountPaths<'_, '_, G> {
    type Gathered = ListSum<f64>;

    #[inline]
    fn gather(&self, sum: &mut ListSum<f64>, u: VertexId) -> ControlFlow<()> {
        self.search.sum_shown(sum, &[u]);
        ControlFlow::Continue(())
    }

    #[inline]
    fn gather_list(
        &self,
        sum: &mut ListSum<f64>,
        list: &[VertexId],
        _: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        self.search.sum_shown(sum, list);
        ControlFlow::Continue(())
    }

    fn merge(&self, sum: &mut ListSum<f64>, next: ListSum<f64>) {
        sum.merge(next);
    }

    #[inline]
    fn apply(&self, v: VertexId, sum: ListSum<f64>) -> bool {
        let sum = sum.total();
        let reached = sum > 0.0;
        if reached {
            self.search.paths[v as usize].store(sum);
            self.search.depths[v as usize].store(self.depth, Relaxed);
        }
        reached
    }
}

/// A vertex gathers along its out-list what the level below shows.
struct SumDependencies<'a, 'g, G> {
    search: &'a Search<'g, G>,
}

impl<G: Graph> Gather for SumDependencies<'_, '_, G> {
    type Gathered = ListSum<f64>;

    #[inline]
    fn gather(&self, sum: &mut ListSum<f64>, u: VertexId) -> ControlFlow<()> {
        self.search.sum_shown(sum, &[u]);
        ControlFlow::Continue(())
    }

    #[inline]
    fn gather_list(
        &self,
        sum: &mut ListSum<f64>,
        list: &[VertexId],
        _: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        self.search.sum_shown(sum, list);
        ControlFlow::Continue(())
    }

    fn merge(&self, sum: &mut ListSum<f64>, next: ListSum<f64>) {
        sum.merge(next);
    }

    #[inline]
    fn apply(&self, v: VertexId, sum: ListSum<f64>) -> bool {
        let paths = self.search.paths[v as usize].load();
        self.search.dependencies[v as usize].store(paths * sum.total());
        true
    }
}
