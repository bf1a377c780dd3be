//! How likely each edge is to pass a cascade on, and the draws that decide it.

use std::ops::ControlFlow;

use evergraph_graph::random::{Random, split_mix};
use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId, Weight};

use super::Probabilities;
use crate::edge_map::Lists;
use crate::parallel::{for_each_chunk, shared_degrees, unshared_u32};
use crate::shortest_paths::for_each_weighted;
use crate::{Control, RunError};

/// Increment of SplitMix64's state for a number.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The chances of the edges of a graph with in-lists.
pub(super) struct Chances<'g, G> {
    pub graph: &'g G,
    probabilities: Probabilities,
    /// For each vertex its in-degree, if probabilities follow from it.
    in_degrees: Vec<u32>,
}

/// One outcome of all draws: which edges would pass a cascade on.
#[derive(Clone, Copy)]
pub(super) struct World(u64);

impl World {
    /// The world of this number.
    pub(super) fn new(seed: u64, number: usize) -> Self {
        let mut state = seed;
        let mut state = split_mix(&mut state) ^ (number as u64).wrapping_mul(GAMMA);
        Self(split_mix(&mut state))
    }

    /// The state before the draw for the entry at `position` in the list of `u`.
    fn draws(self, u: VertexId, position: usize) -> u64 {
        let mut state = self.0 ^ u64::from(u) << 24;
        split_mix(&mut state).wrapping_add(GAMMA.wrapping_mul(position as u64))
    }
}

impl<'g, G: Graph> Chances<'g, G> {
    /// Checks what probabilities are made of. O(m) for weights, O(n) for degrees.
    pub(super) fn new(
        graph: &'g G,
        probabilities: Probabilities,
        control: &Control,
    ) -> Result<Self, RunError> {
        if graph.stored_lists() == StoredLists::Out {
            return Err(RunError::NeedsInLists);
        }
        let mut in_degrees = Vec::new();
        match probabilities {
            Probabilities::WeightedCascade => {
                let lists = Lists::incoming(graph).ok_or(RunError::NeedsInLists)?;
                in_degrees = unshared_u32(shared_degrees(lists, control)?);
            }
            Probabilities::Weights => check_weights(graph, control)?,
            Probabilities::Uniform(value) if (0.0..=1.0).contains(&value) => {}
            Probabilities::Uniform(value) => {
                return Err(RunError::InvalidParameter {
                    name: "probability",
                    value,
                    expected: "from 0 to 1",
                });
            }
        }
        Ok(Self {
            graph,
            probabilities,
            in_degrees,
        })
    }

    /// Whether chances are read from the lists.
    fn reads_weights(&self) -> bool {
        self.probabilities == Probabilities::Weights && self.graph.is_weighted()
    }

    /// The chance of an edge with this weight to `v`.
    #[inline]
    pub(super) fn of(&self, v: VertexId, weight: Weight) -> f64 {
        match self.probabilities {
            Probabilities::WeightedCascade => 1.0 / f64::from(self.in_degrees[v as usize]),
            Probabilities::Weights => f64::from(weight),
            Probabilities::Uniform(probability) => probability,
        }
    }

    /// Calls `visit` with the position and the target of each entry of the list of
    /// `u`, from a position on, that passes a cascade on in `world`.
    #[inline]
    pub(super) fn live_from(
        &self,
        reader: &mut G::Reader<'_>,
        world: World,
        u: VertexId,
        from: usize,
        mut visit: impl FnMut(usize, VertexId) -> ControlFlow<()>,
    ) {
        let mut draws = world.draws(u, from);
        let mut next = from;
        let mut entry = |v, weight| {
            let position = next;
            next += 1;
            let drawn = (split_mix(&mut draws) >> 11) as f64 / (1_u64 << 53) as f64;
            match drawn < self.of(v, weight) {
                true => visit(position, v),
                false => ControlFlow::Continue(()),
            }
        };
        let range = from..usize::MAX;
        let _ = match self.reads_weights() {
            false => reader.for_each_segment_in(u, range, |list| {
                list.iter().try_for_each(|&v| entry(v, 1.0))
            }),
            true => reader.visit_list::<true>(u, range, |list, weights| {
                let mut weighted = list.iter().zip(weights);
                weighted.try_for_each(|(&v, &weight)| entry(v, weight))
            }),
        };
    }

    /// Calls `visit` with the target of each entry of the list of `u` that passes a
    /// cascade on in `world`.
    #[inline]
    pub(super) fn live(
        &self,
        reader: &mut G::Reader<'_>,
        world: World,
        u: VertexId,
        mut visit: impl FnMut(VertexId),
    ) {
        self.live_from(reader, world, u, 0, |_, v| {
            visit(v);
            ControlFlow::Continue(())
        });
    }

    /// Calls `visit` with the source of each entry of the in-list of `v` that would
    /// have passed a cascade on; draws anew each time. Where all entries have one
    /// chance, the draws say how many fail before the next that does not.
    #[inline]
    pub(super) fn live_into(
        &self,
        reader: &mut G::Reader<'_>,
        v: VertexId,
        random: &mut Random,
        mut visit: impl FnMut(VertexId),
    ) {
        if self.reads_weights() {
            for_each_weighted(reader, v, |u, weight| {
                if random.next_f64() < f64::from(weight) {
                    visit(u);
                }
            });
            return;
        }
        let chance = self.of(v, 1.0);
        let gaps = Gaps::new(chance);
        let mut start = 0;
        let mut next = gaps.draw(random);
        let _ = reader.for_each_segment(v, |list| {
            while let Some(&u) = list.get(next - start) {
                visit(u);
                next = (next + 1).saturating_add(gaps.draw(random));
            }
            start += list.len();
            ControlFlow::Continue(())
        });
    }
}

/// How many draws of a chance fail before one does not (a geometric distribution).
struct Gaps {
    /// 1 / ln(1 − chance): 0 for a chance of 1.
    scale: f64,
}

impl Gaps {
    fn new(chance: f64) -> Self {
        Self {
            scale: 1.0 / (-chance).ln_1p(),
        }
    }

    #[inline]
    fn draw(&self, random: &mut Random) -> usize {
        if self.scale == 0.0 {
            return 0;
        }
        // Infinite, and so the largest number, for a chance of 0.
        let gap = (1.0 - random.next_f64()).ln() * self.scale;
        match gap.is_nan() {
            true => usize::MAX,
            false => gap as usize,
        }
    }
}

/// Refuses weights that are no probabilities.
fn check_weights<G: Graph>(graph: &G, control: &Control) -> Result<(), RunError> {
    if !graph.is_weighted() {
        return Ok(());
    }
    for_each_chunk(graph.vertex_count(), |vertices| {
        control.check()?;
        let mut reader = graph.reader();
        for from in vertices {
            let mut wrong = None;
            for_each_weighted(&mut reader, from, |to, weight| {
                if !(0.0..=1.0).contains(&weight) {
                    wrong = wrong.or(Some((to, weight)));
                }
            });
            if let Some((to, weight)) = wrong {
                return Err(RunError::InvalidWeight {
                    from,
                    to,
                    weight,
                    expected: "from 0 to 1, as probabilities are",
                });
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_have_the_mean_of_their_distribution() {
        for chance in [1.0, 0.9, 0.5, 0.1, 1e-3] {
            let gaps = Gaps::new(chance);
            let mut random = Random::new(5);
            let count = 200_000;
            let total: usize = (0..count).map(|_| gaps.draw(&mut random)).sum();
            let mean = total as f64 / f64::from(count);
            let expected = (1.0 - chance) / chance;
            assert!(
                (mean - expected).abs() <= 0.02 * expected,
                "{chance}: {mean}"
            );
        }
    }

    #[test]
    fn what_never_happens_is_never_drawn() {
        let mut random = Random::new(5);
        let gaps = Gaps::new(0.0);
        assert!((0..1000).all(|_| gaps.draw(&mut random) > 1 << 40));
    }
}
