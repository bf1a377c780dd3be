//! One step of a random walk.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};

use super::Parameters;
use crate::parallel::{for_each_chunk, shared_u32};
use crate::shortest_paths::for_each_weighted;
use crate::{Control, RunError, UNREACHED};

/// Rejected draws after which a step asks all neighbors.
const PATIENCE: usize = 64;
/// Steps after which a walk takes a new reader and looks whether it may go on.
const STEPS: usize = 16;

/// Draws the steps of walks.
pub(super) struct Stepper<'g, G> {
    graph: &'g G,
    /// For each vertex the largest weight in its list, as bits; empty if weights
    /// do not count.
    largest: Vec<AtomicU32>,
    /// How likely steps are beside others: back, to a neighbor of the last vertex,
    /// elsewhere; divided by the largest of them.
    back: f64,
    near: f64,
    far: f64,
}

impl<'g, G: Graph> Stepper<'g, G> {
    pub(super) fn new(
        graph: &'g G,
        parameters: &Parameters,
        control: &Control,
    ) -> Result<Self, RunError> {
        let [back, far] = [1.0 / parameters.p, 1.0 / parameters.q];
        let most = back.max(far).max(1.0);
        let mut largest = Vec::new();
        if parameters.weighted && graph.is_weighted() {
            largest = shared_u32(graph.vertex_count(), 0, control)?;
            for_each_chunk(graph.vertex_count(), |vertices| {
                let mut reader = graph.reader();
                for u in vertices {
                    control.check()?;
                    let weight = largest_weight(&mut reader, u)?;
                    largest[u as usize].store(weight.to_bits(), Relaxed);
                }
                Ok::<_, RunError>(())
            })?;
        }
        Ok(Self {
            graph,
            largest,
            back: back / most,
            near: 1.0 / most,
            far: far / most,
        })
    }

    /// Fills `walk` behind its first vertex.
    pub(super) fn walk(
        &self,
        walk: &mut [VertexId],
        mut random: Random,
        control: &Control,
    ) -> Result<(), RunError> {
        let mut at = 1;
        while at < walk.len() {
            control.check()?;
            let mut reader = self.graph.reader();
            for _ in 0..STEPS.min(walk.len() - at) {
                let last = at.checked_sub(2).map(|last| walk[last]);
                match self.step(&mut reader, last, walk[at - 1], &mut random) {
                    Some(v) => walk[at] = v,
                    None => return Ok(()),
                }
                at += 1;
            }
        }
        Ok(())
    }

    fn step(
        &self,
        reader: &mut G::Reader<'g>,
        last: Option<VertexId>,
        u: VertexId,
        random: &mut Random,
    ) -> Option<VertexId> {
        let degree = reader.degree(u);
        let largest = self.largest.get(u as usize);
        let largest = largest.map(|bits| f64::from(Weight::from_bits(bits.load(Relaxed))));
        if degree == 0 || largest == Some(0.0) {
            return None;
        }
        for _ in 0..PATIENCE {
            let position = random.below(degree as u64) as usize;
            let (v, weight) = match largest {
                None => (neighbor(reader, u, position), 1.0),
                Some(largest) => {
                    let (v, weight) = weighted_neighbor(reader, u, position);
                    (v, f64::from(weight) / largest)
                }
            };
            // Most draws that fail do so by weight, which is known.
            let draw = random.next_f64();
            if draw < weight && draw < weight * self.bias(reader, last, v) {
                return Some(v);
            }
        }
        self.patient_step(reader, last, u, random)
    }

    /// A step by the sum over all neighbors, drawn for each as it comes.
    #[cold]
    fn patient_step(
        &self,
        reader: &mut G::Reader<'g>,
        last: Option<VertexId>,
        u: VertexId,
        random: &mut Random,
    ) -> Option<VertexId> {
        let mut steps = Vec::new();
        for_each_weighted(reader, u, |v, weight| {
            steps.push((
                v,
                if self.largest.is_empty() {
                    1.0
                } else {
                    f64::from(weight)
                },
            ));
        });
        let mut sum = 0.0;
        let mut chosen = None;
        for (v, weight) in steps {
            let share = weight * self.bias(reader, last, v);
            sum += share;
            if share > 0.0 && random.next_f64() * sum < share {
                chosen = Some(v);
            }
        }
        chosen
    }

    /// How likely a step to `v` is beside others, if the last came from `last`.
    #[inline]
    fn bias(&self, reader: &mut G::Reader<'g>, last: Option<VertexId>, v: VertexId) -> f64 {
        match last {
            None => self.near,
            Some(last) if v == last => self.back,
            Some(_) if self.near == self.far => self.near,
            Some(last) if self.is_edge(reader, last, v) => self.near,
            Some(_) => self.far,
        }
    }

    /// Whether `v` is in the list of `u`.
    fn is_edge(&self, reader: &mut G::Reader<'g>, u: VertexId, v: VertexId) -> bool {
        if self.graph.is_sorted() {
            return search(reader, u, v);
        }
        // The in-list of `v` tells it too, and may be shorter.
        if let Some(mut incoming) = self.graph.reverse_reader()
            && incoming.degree(v) < reader.degree(u)
        {
            return contains(&mut incoming, v, u);
        }
        contains(reader, u, v)
    }
}

/// The largest weight in the list of `u`, 0 for an empty one; refuses those that are
/// negative or not finite.
pub(crate) fn largest_weight(
    reader: &mut impl NeighborReader,
    u: VertexId,
) -> Result<Weight, RunError> {
    let mut largest: Weight = 0.0;
    let mut wrong = None;
    for_each_weighted(reader, u, |v, weight| {
        if !(weight >= 0.0 && weight.is_finite()) {
            wrong = Some((v, weight));
        }
        largest = largest.max(weight);
    });
    match wrong {
        None => Ok(largest),
        Some((to, weight)) => Err(RunError::InvalidWeight {
            from: u,
            to,
            weight,
            expected: "0 or more, and finite",
        }),
    }
}

#[inline]
fn neighbor(reader: &mut impl NeighborReader, u: VertexId, position: usize) -> VertexId {
    let mut found = UNREACHED;
    let _ = reader.for_each_segment_in(u, position..position + 1, |list| {
        found = list.first().copied().unwrap_or(found);
        ControlFlow::Continue(())
    });
    found
}

#[inline]
fn weighted_neighbor(
    reader: &mut impl NeighborReader,
    u: VertexId,
    position: usize,
) -> (VertexId, Weight) {
    let mut found = (UNREACHED, 1.0);
    let _ = reader.visit_list::<true>(u, position..position + 1, |list, weights| {
        if let Some(&v) = list.first() {
            found = (v, weights.first().copied().unwrap_or(1.0));
        }
        ControlFlow::Continue(())
    });
    found
}

/// Whether `v` is in the sorted list of `u`.
fn search(reader: &mut impl NeighborReader, u: VertexId, v: VertexId) -> bool {
    let mut found = false;
    let _ = reader.for_each_segment(u, |list| {
        match list.last() {
            None => return ControlFlow::Continue(()),
            Some(&last) if last < v => return ControlFlow::Continue(()),
            Some(_) => found = list.binary_search(&v).is_ok(),
        }
        ControlFlow::Break(())
    });
    found
}

/// Whether `v` is in the list of `u`.
fn contains(reader: &mut impl NeighborReader, u: VertexId, v: VertexId) -> bool {
    let found = reader.for_each_segment(u, |list| match list.contains(&v) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    found.is_break()
}
