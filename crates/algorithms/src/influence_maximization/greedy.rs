//! Greedy seeds in a common set of worlds, lazily (CELF).
//!
//! In each world the vertices that a seed reaches are those that are connected
//! with it by live edges, so the mean over the worlds is submodular: what a vertex
//! adds never grows, and what it added earlier is a bound of what it adds now. Only
//! the vertex with the largest bound is asked. The first bounds come from one pass
//! over each world's components instead of a cascade from every vertex.

mod bounds;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use evergraph_graph::{Graph, VertexId};

use super::cascades::Scratch;
use super::chances::{Chances, World};
use crate::strips::Strips;
use crate::subset::Bitmap;
use crate::{Cancelled, Control, RunError};
pub(super) use bounds::MOST_VERTICES;

/// The `k` seeds, each with the mean number of vertices that it adds.
pub(super) fn choose<G: Graph>(
    chances: &Chances<'_, G>,
    k: usize,
    worlds: usize,
    seed: u64,
    control: &Control,
) -> Result<Vec<(VertexId, f64)>, RunError> {
    let bounds = bounds::reach(chances, worlds, seed, control)?;
    // Of equal bounds the smallest vertex comes first.
    let mut waiting: BinaryHeap<(u64, Reverse<VertexId>, usize)> = (0..)
        .zip(bounds)
        .map(|(v, bound)| (bound, Reverse(v), usize::MAX))
        .collect();
    let mut covering = Covering::new(chances, worlds, seed, control)?;
    let mut seeds = Vec::with_capacity(k);
    while let Some((gain, Reverse(v), asked)) = waiting.pop()
        && seeds.len() < k
    {
        if asked == seeds.len() {
            covering.add(v, control)?;
            seeds.push((v, gain as f64 / worlds as f64));
            control.report("seeds", seeds.len() as u64, Some(k as u64));
        } else {
            let gain = covering.gain(v, control)?;
            waiting.push((gain, Reverse(v), seeds.len()));
        }
    }
    Ok(seeds)
}

/// Vertices that the seeds reach in each world: n bits a world.
struct Covering<'c, 'g, G> {
    chances: &'c Chances<'g, G>,
    seed: u64,
    covered: Vec<Bitmap>,
    strips: Strips<Scratch>,
}

impl<'c, 'g, G: Graph> Covering<'c, 'g, G> {
    fn new(
        chances: &'c Chances<'g, G>,
        worlds: usize,
        seed: u64,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = chances.graph.vertex_count();
        Ok(Self {
            chances,
            seed,
            covered: vec![Bitmap::empty(n); worlds],
            strips: Strips::new(|| Scratch::new(n, control))?,
        })
    }

    /// How many vertices `v` would add in all worlds together.
    fn gain(&mut self, v: VertexId, control: &Control) -> Result<u64, Cancelled> {
        self.strips.sum(self.covered.len(), |scratch, number| {
            let (covered, world) = (&self.covered[number], World::new(self.seed, number));
            reach(self.chances, covered, world, v, scratch, control)?;
            Ok(scratch.reached().len() as u64)
        })
    }

    /// Makes `v` a seed.
    fn add(&mut self, v: VertexId, control: &Control) -> Result<(), Cancelled> {
        let (chances, seed) = (self.chances, self.seed);
        self.strips
            .each(&mut self.covered, |scratch, number, covered| {
                let world = World::new(seed, number);
                reach(chances, covered, world, v, scratch, control)?;
                scratch.reached().iter().for_each(|&u| covered.insert(u));
                Ok(())
            })
    }
}

/// Finds what `v` reaches in a world beside what is covered.
fn reach<G: Graph>(
    chances: &Chances<'_, G>,
    covered: &Bitmap,
    world: World,
    v: VertexId,
    scratch: &mut Scratch,
    control: &Control,
) -> Result<(), Cancelled> {
    scratch.begin();
    if !covered.contains(v) {
        scratch.reach(v);
    }
    scratch.cascade(chances, world, |u| covered.contains(u), control)
}
