//! Cascades along out-edges, and their mean size.

use evergraph_graph::{Graph, VertexId};

use super::Spread;
use super::chances::{Chances, World};
use crate::strips::Strips;
use crate::{Cancelled, Control};

/// Vertices that a cascade visits with one reader, and between two looks whether
/// the run may go on.
const VISITS: usize = 256;

/// Scratch space of a thread for cascades: one word a vertex.
pub(super) struct Scratch {
    /// For each vertex the number of the last cascade that reached it.
    reached_by: Vec<u32>,
    cascade: u32,
    queue: Vec<VertexId>,
}

impl Scratch {
    pub(super) fn new(vertex_count: usize, control: &Control) -> Result<Self, Cancelled> {
        Ok(Self {
            reached_by: control.array(0, vertex_count)?,
            cascade: 0,
            queue: Vec::new(),
        })
    }

    /// Forgets what was reached.
    pub(super) fn begin(&mut self) {
        if self.cascade == u32::MAX {
            self.reached_by.fill(0);
            self.cascade = 0;
        }
        self.cascade += 1;
        self.queue.clear();
        // At once, as a growing queue would take up to three times its length.
        self.queue.reserve_exact(self.reached_by.len());
    }

    /// Adds `v`, unless it is there already.
    #[inline]
    pub(super) fn reach(&mut self, v: VertexId) {
        let last = &mut self.reached_by[v as usize];
        if *last != self.cascade {
            *last = self.cascade;
            self.queue.push(v);
        }
    }

    /// Vertices reached so far, in the order in which they were reached.
    pub(super) fn reached(&self) -> &[VertexId] {
        &self.queue
    }

    /// The same, to be brought into another order.
    pub(super) fn reached_mut(&mut self) -> &mut [VertexId] {
        &mut self.queue
    }

    /// Calls `expand` with a reader and the place of each vertex among those
    /// reached, those that it reaches as well.
    pub(super) fn spread<'g, R>(
        &mut self,
        reader: impl Fn() -> R + 'g,
        control: &Control,
        mut expand: impl FnMut(&mut Self, &mut R, VertexId),
    ) -> Result<(), Cancelled> {
        let mut done = 0;
        while done < self.queue.len() {
            control.check()?;
            let mut reader = reader();
            let end = self.queue.len().min(done + VISITS);
            for at in done..end {
                expand(self, &mut reader, self.queue[at]);
            }
            done = end;
        }
        Ok(())
    }

    /// Spreads from those reached along what is live in `world`, never to a vertex
    /// that is `covered`.
    pub(super) fn cascade<G: Graph>(
        &mut self,
        chances: &Chances<'_, G>,
        world: World,
        covered: impl Fn(VertexId) -> bool,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let reader = || chances.graph.reader();
        self.spread(reader, control, |scratch, reader, u| {
            chances.live(reader, world, u, |v| {
                if !covered(v) {
                    scratch.reach(v);
                }
            });
        })
    }
}

/// The mean size of cascades from `seeds` in so many worlds of `seed`.
pub(super) fn estimate<G: Graph>(
    chances: &Chances<'_, G>,
    seeds: &[VertexId],
    worlds: usize,
    seed: u64,
    control: &Control,
) -> Result<Spread, Cancelled> {
    let n = chances.graph.vertex_count();
    let mut sizes = vec![0_u32; worlds];
    Strips::new(|| Scratch::new(n, control))?.each(&mut sizes, |scratch, number, size| {
        scratch.begin();
        seeds.iter().for_each(|&v| scratch.reach(v));
        scratch.cascade(chances, World::new(seed, number), |_| false, control)?;
        *size = scratch.reached().len() as u32;
        Ok(())
    })?;
    Ok(Spread::of(&sizes))
}
