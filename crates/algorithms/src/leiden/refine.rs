//! Communities inside communities, each connected.

use std::collections::VecDeque;

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use crate::Cancelled;
use crate::clustering::{Arcs, FEW, Level, Objective, Partition, batches};
use crate::parallel::{CHUNK_LISTED, CHUNK_VERTICES, chunk_range};
use crate::table::Table;

/// Refines `partition`: vertices join others of their community, beginning alone.
///
/// Only vertices that are alone move, and only to a community that is not left
/// empty, so that what is joined stays and communities stay connected, also when the
/// vertices of a batch choose at once. Those whose choice was gone choose again once,
/// one by one.
pub(super) fn refine<G: Graph>(
    level: &Level<'_, G>,
    strengths: &[f64],
    partition: &Partition,
    objective: &Objective<'_, '_>,
    randomness: f64,
) -> Result<Partition, Cancelled> {
    let mut refinement = Refinement {
        level,
        strengths,
        partition,
        objective,
        randomness,
        refined: Partition::singletons(strengths, objective.control)?,
        cuts: cuts(level, partition, objective)?,
    };
    let all: Vec<VertexId> = (0..strengths.len() as VertexId).collect();
    let again = if all.len() <= FEW {
        all
    } else {
        let mut again = Vec::new();
        for batch in batches(&all, objective.seed, u64::MAX) {
            refinement.join_at_once(&batch, &mut again)?;
        }
        again
    };
    let mut table = Table::default();
    for vertices in again.chunks(CHUNK_LISTED) {
        let mut arcs = Arcs::of(level, objective.control)?;
        for &v in vertices {
            if let Some(choice) = refinement.choose(v, &mut arcs, &mut table)? {
                refinement.join(v, choice);
            }
        }
    }
    Ok(refinement.refined)
}

/// For each vertex the weight between it and the rest of its community.
fn cuts<G: Graph>(
    level: &Level<'_, G>,
    partition: &Partition,
    objective: &Objective<'_, '_>,
) -> Result<Vec<f64>, Cancelled> {
    let n = partition.of.len();
    let mut cuts = objective.control.array(0.0, n)?;
    cuts.par_chunks_mut(CHUNK_VERTICES)
        .enumerate()
        .with_max_len(4)
        .try_for_each(|(chunk, cuts)| {
            let mut arcs = Arcs::of(level, objective.control)?;
            for (v, cut) in chunk_range(chunk, n).zip(cuts) {
                let own = partition.of[v as usize];
                arcs.for_each(v, |u, weight| {
                    if u != v && partition.of[u as usize] == own {
                        *cut += weight;
                    }
                })?;
            }
            Ok(())
        })?;
    Ok(cuts)
}

struct Refinement<'a, 'g, 'c, 'p, G> {
    level: &'a Level<'g, G>,
    strengths: &'a [f64],
    /// Partition to be refined.
    partition: &'a Partition,
    objective: &'a Objective<'c, 'p>,
    randomness: f64,
    refined: Partition,
    /// For each refined community the weight between it and the rest of its
    /// community.
    cuts: Vec<f64>,
}

/// A refined community to join, and the weight between it and the vertex.
#[derive(Clone, Copy)]
struct Choice {
    community: VertexId,
    link: f64,
}

impl<G: Graph> Refinement<'_, '_, '_, '_, G> {
    fn join_at_once(
        &mut self,
        batch: &[VertexId],
        again: &mut Vec<VertexId>,
    ) -> Result<(), Cancelled> {
        let choices: Vec<(VertexId, Choice)> = batch
            .par_chunks(CHUNK_LISTED)
            .map_init(Table::default, |table, vertices| {
                let mut arcs = Arcs::of(self.level, self.objective.control)?;
                let mut choices = Vec::new();
                for &v in vertices {
                    let choice = self.choose(v, &mut arcs, table)?;
                    choices.extend(choice.map(|choice| (v, choice)));
                }
                Ok(choices)
            })
            .collect::<Result<Vec<_>, Cancelled>>()?
            .concat();
        for (v, choice) in choices {
            if !self.is_alone(v) {
                continue;
            }
            if self.refined.sizes[choice.community as usize] == 0 {
                again.push(v);
            } else {
                self.join(v, choice);
            }
        }
        Ok(())
    }

    fn is_alone(&self, v: VertexId) -> bool {
        self.refined.of[v as usize] == v && self.refined.sizes[v as usize] == 1
    }

    /// Whether vertices with this strength together, and this weight between them and
    /// the rest of the community, are well connected to it.
    fn well_connected(&self, community: VertexId, strength: f64, cut: f64) -> bool {
        let rest = self.partition.totals[community as usize] - strength;
        cut >= self.objective.cost * strength * rest
    }

    /// Chooses a community for `v`, if it is alone and well connected.
    fn choose(
        &self,
        v: VertexId,
        arcs: &mut Arcs<'_, '_, '_, G>,
        table: &mut Table<f64>,
    ) -> Result<Option<Choice>, Cancelled> {
        let strength = self.strengths[v as usize];
        let own = self.partition.of[v as usize];
        if !self.is_alone(v) || !self.well_connected(own, strength, self.cuts[v as usize]) {
            return Ok(None);
        }
        let mut links = table.begin(arcs.bound(v));
        arcs.for_each(v, |u, weight| {
            if u != v && self.partition.of[u as usize] == own {
                links.add(self.refined.of[u as usize], weight);
            }
        })?;
        let mut choices: Vec<(Choice, f64)> = Vec::new();
        for (community, link) in links.iter() {
            let total = self.refined.totals[community as usize];
            let gain = link - self.objective.cost * strength * total;
            let cut = self.cuts[community as usize];
            if link > 0.0 && gain >= 0.0 && self.well_connected(own, total, cut) {
                choices.push((Choice { community, link }, gain));
            }
        }
        // The choice does not depend on the order of the list.
        choices.sort_unstable_by_key(|(choice, _)| choice.community);
        Ok(self.draw(v, &choices))
    }

    /// One of the choices, with a probability that grows exponentially with the gain.
    fn draw(&self, v: VertexId, choices: &[(Choice, f64)]) -> Option<Choice> {
        let gains = choices.iter().map(|&(_, gain)| gain);
        let most = gains.fold(0.0, f64::max);
        let chance = |gain: f64| ((gain - most) / self.randomness).exp();
        let all: f64 = choices.iter().map(|&(_, gain)| chance(gain)).sum();
        let mut drawn = Random::stream(self.objective.seed, v.into()).next_f64() * all;
        let found = choices.iter().find(|&&(_, gain)| {
            drawn -= chance(gain);
            drawn < 0.0
        });
        found.or(choices.last()).map(|&(choice, _)| choice)
    }

    fn join(&mut self, v: VertexId, choice: Choice) {
        let cut = self.cuts[v as usize] - 2.0 * choice.link;
        self.cuts[choice.community as usize] += cut;
        self.refined
            .move_vertex(v, self.strengths[v as usize], choice.community);
    }
}

/// The communities with their connected parts told apart, named after a vertex of
/// each. Sequential.
pub(super) fn split_by_connection<G: Graph>(
    level: &Level<'_, G>,
    partition: &Partition,
    objective: &Objective<'_, '_>,
) -> Result<Vec<VertexId>, Cancelled> {
    let n = partition.of.len();
    let mut parts = objective.control.array(VertexId::MAX, n)?;
    let mut queue = VecDeque::new();
    for start in 0..n as VertexId {
        if parts[start as usize] != VertexId::MAX {
            continue;
        }
        parts[start as usize] = start;
        queue.push_back(start);
        while !queue.is_empty() {
            let mut arcs = Arcs::of(level, objective.control)?;
            for _ in 0..CHUNK_LISTED {
                let Some(v) = queue.pop_front() else { break };
                let own = partition.of[v as usize];
                arcs.for_each(v, |u, weight| {
                    let part = &mut parts[u as usize];
                    if weight > 0.0 && *part == VertexId::MAX && partition.of[u as usize] == own {
                        *part = start;
                        queue.push_back(u);
                    }
                })?;
            }
        }
    }
    Ok(parts)
}
