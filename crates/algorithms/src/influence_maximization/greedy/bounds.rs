//! For every vertex a bound of what it reaches in a world, in one pass.
//!
//! The strongly connected components of the live edges, in the order in which
//! Tarjan's algorithm completes them, successors first: a component reaches its own
//! vertices, and no more than its successors reach together. Exact where live edges
//! are a forest, which they nearly are where every vertex has one on average.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId};

use super::super::chances::{Chances, World};
use crate::parallel::{shared_u64, unshared_u64};
use crate::strips::Strips;
use crate::{Cancelled, Control, UNREACHED};

/// Steps with one reader, and between two looks whether the run may go on.
const STEPS: usize = 256;

/// For each vertex the sum of its bounds over the worlds of `seed`. O(n + m) a
/// world; 3n words of 8 bytes a thread.
pub(super) fn reach<G: Graph>(
    chances: &Chances<'_, G>,
    worlds: usize,
    seed: u64,
    control: &Control,
) -> Result<Vec<u64>, Cancelled> {
    let n = chances.graph.vertex_count();
    let totals = shared_u64(n, 0, control)?;
    let mut strips = Strips::new(|| Components::new(n, control))?;
    strips.sum(worlds, |components, number| {
        let world = World::new(seed, number);
        components.add(chances, world, &totals, control)?;
        Ok(0)
    })?;
    Ok(unshared_u64(totals))
}

/// Of a vertex whose component is complete; the bits below are the bound.
const COMPLETE: u32 = 1 << 31;
/// Places and bounds are up to the number of vertices, and below [`COMPLETE`].
pub(in super::super) const MOST_VERTICES: usize = COMPLETE as usize - 1;

/// Tarjan's algorithm, without recursion.
struct Components {
    /// For each vertex 0, its place in the order in which vertices were found, from
    /// 1, or [`COMPLETE`] and the bound of its component.
    found: Vec<u32>,
    /// The first found that a vertex is known to reach; in a complete component the
    /// vertex that stands for it.
    low: Vec<u32>,
    /// For a vertex that stands for a component, the last component that counted it.
    counted_by: Vec<VertexId>,
    /// Found vertices without a complete component.
    open: Vec<VertexId>,
    /// Vertices whose lists are being read, and the position behind what was read.
    reading: Vec<(VertexId, u32)>,
}

impl Components {
    fn new(vertex_count: usize, control: &Control) -> Result<Self, Cancelled> {
        Ok(Self {
            found: control.array(0, vertex_count)?,
            low: control.array(0, vertex_count)?,
            counted_by: control.array(UNREACHED, vertex_count)?,
            open: control.room_for(vertex_count)?,
            reading: control.room_for(vertex_count)?,
        })
    }

    /// Adds each vertex's bound in `world` to its total.
    fn add<G: Graph>(
        &mut self,
        chances: &Chances<'_, G>,
        world: World,
        totals: &[AtomicU64],
        control: &Control,
    ) -> Result<(), Cancelled> {
        self.found.fill(0);
        self.counted_by.fill(UNREACHED);
        let mut order = 0;
        let mut roots = 0..self.found.len() as VertexId;
        while self.steps(chances, world, &mut roots, &mut order) {
            control.check()?;
        }
        for (total, found) in totals.iter().zip(&self.found) {
            total.fetch_add(u64::from(found & !COMPLETE), Relaxed);
        }
        Ok(())
    }

    /// Some steps with one reader; false once every vertex is in a component.
    fn steps<G: Graph>(
        &mut self,
        chances: &Chances<'_, G>,
        world: World,
        roots: &mut Range<VertexId>,
        order: &mut u32,
    ) -> bool {
        let mut reader = chances.graph.reader();
        for _ in 0..STEPS {
            if self.reading.is_empty() {
                match roots.find(|&root| self.found[root as usize] == 0) {
                    Some(root) => self.find(root, order),
                    None => return false,
                }
            }
            self.step(chances, world, &mut reader, order);
        }
        true
    }

    fn find(&mut self, v: VertexId, order: &mut u32) {
        *order += 1;
        self.found[v as usize] = *order;
        self.low[v as usize] = *order;
        self.open.push(v);
        self.reading.push((v, 0));
    }

    /// Reads on in the last list, up to a vertex that was not found yet.
    fn step<G: Graph>(
        &mut self,
        chances: &Chances<'_, G>,
        world: World,
        reader: &mut G::Reader<'_>,
        order: &mut u32,
    ) {
        let &(u, from) = self.reading.last().expect("a list is being read");
        let mut low = self.low[u as usize];
        let mut new = None;
        chances.live_from(reader, world, u, from as usize, |position, v| {
            match self.found[v as usize] {
                0 => {
                    new = Some((v, position as u32 + 1));
                    return ControlFlow::Break(());
                }
                found if found < COMPLETE => low = low.min(found),
                _ => {}
            }
            ControlFlow::Continue(())
        });
        self.low[u as usize] = low;
        if let Some((v, behind)) = new {
            self.reading.last_mut().expect("the list of `u`").1 = behind;
            self.find(v, order);
            return;
        }
        self.reading.pop();
        if low == self.found[u as usize] {
            self.complete(chances, world, reader, u);
        } else if let Some(&(parent, _)) = self.reading.last() {
            let above = &mut self.low[parent as usize];
            *above = low.min(*above);
        }
    }

    /// Completes the component of `root`, the vertices that are open from it on.
    fn complete<G: Graph>(
        &mut self,
        chances: &Chances<'_, G>,
        world: World,
        reader: &mut G::Reader<'_>,
        root: VertexId,
    ) {
        let start = self.open.iter().rposition(|&v| v == root);
        let start = start.expect("a root is open");
        let mut bound = (self.open.len() - start) as u64;
        for at in start..self.open.len() {
            chances.live(reader, world, self.open[at], |v| {
                let found = self.found[v as usize];
                let other = self.low[v as usize];
                if found >= COMPLETE && self.counted_by[other as usize] != root {
                    self.counted_by[other as usize] = root;
                    bound += u64::from(found & !COMPLETE);
                }
            });
        }
        let bound = bound.min(self.found.len() as u64) as u32;
        for v in self.open.drain(start..) {
            self.found[v as usize] = COMPLETE | bound;
            self.low[v as usize] = root;
        }
    }
}
