//! Vertices move to the neighboring community that gains most.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use evergraph_graph::random::{Random, split_mix};
use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::level::{Arcs, Level, Objective};
use crate::parallel::CHUNK_LISTED;
use crate::table::Table;
use crate::{Cancelled, Control};

/// Batches of a round. The vertices of a batch move at once, as the batch before
/// left the communities; few neighbors are in one.
const BATCHES: u64 = 16;
/// Rounds at most; what is left then moves one by one.
const ROUNDS: u64 = 8;
/// So few vertices move one by one.
pub(crate) const FEW: usize = 1 << 12;
/// A gain counts from this part of a vertex's strength on, or rounding would move
/// vertices for ever.
const LEAST_GAIN: f64 = 1e-10;
/// Target of a vertex that is better off alone.
const ALONE: VertexId = VertexId::MAX;

/// Community of each vertex of a level.
pub(crate) struct Partition {
    pub(crate) of: Vec<VertexId>,
    /// For each community the sum of its vertices' strengths.
    pub(crate) totals: Vec<f64>,
    /// For each community its vertices.
    pub(crate) sizes: Vec<u32>,
    /// Position at which the search for a community without vertices goes on.
    cursor: usize,
}

impl Partition {
    /// The partition in which the vertices with `strengths` are in the communities
    /// `of`, all below their number.
    pub(crate) fn new(
        of: Vec<VertexId>,
        strengths: &[f64],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut totals = control.array(0.0, of.len())?;
        let mut sizes = control.array(0, of.len())?;
        for (&community, strength) in of.iter().zip(strengths) {
            totals[community as usize] += strength;
            sizes[community as usize] += 1;
        }
        Ok(Self {
            of,
            totals,
            sizes,
            cursor: 0,
        })
    }

    /// Each vertex alone.
    pub(crate) fn singletons(strengths: &[f64], control: &Control) -> Result<Self, Cancelled> {
        let mut of = control.room_for(strengths.len())?;
        of.extend(0..strengths.len() as VertexId);
        Self::new(of, strengths, control)
    }

    /// Numbers the communities from 0 on in the order of their smallest vertices;
    /// returns the numbers and how many they are.
    pub(crate) fn numbered(&self, control: &Control) -> Result<(Vec<VertexId>, usize), Cancelled> {
        let mut numbers = control.array(VertexId::MAX, self.of.len())?;
        let mut numbered = control.room_for(self.of.len())?;
        let mut count = 0;
        numbered.extend(self.of.iter().map(|&community| {
            let number = &mut numbers[community as usize];
            if *number == VertexId::MAX {
                *number = count;
                count += 1;
            }
            *number
        }));
        Ok((numbered, count as usize))
    }

    /// The totals of `count` communities that are numbered as `numbers` says.
    pub(crate) fn totals_of(
        &self,
        numbers: &[VertexId],
        count: usize,
        control: &Control,
    ) -> Result<Vec<f64>, Cancelled> {
        let mut totals = control.array(0.0, count)?;
        for (&number, &community) in numbers.iter().zip(&self.of) {
            totals[number as usize] = self.totals[community as usize];
        }
        Ok(totals)
    }

    /// Moves a vertex to a community, or [`ALONE`]; returns where it is then.
    pub(crate) fn move_vertex(&mut self, v: VertexId, strength: f64, target: VertexId) -> VertexId {
        let from = self.of[v as usize];
        let target = match target {
            ALONE if self.sizes[from as usize] == 1 => from,
            ALONE => self.empty(),
            target => target,
        };
        self.totals[from as usize] -= strength;
        self.sizes[from as usize] -= 1;
        if self.sizes[from as usize] == 0 {
            self.totals[from as usize] = 0.0;
        }
        self.totals[target as usize] += strength;
        self.sizes[target as usize] += 1;
        self.of[v as usize] = target;
        target
    }

    /// A community without vertices. There is one, as another has several.
    fn empty(&mut self) -> VertexId {
        while self.sizes[self.cursor] > 0 {
            self.cursor = (self.cursor + 1) % self.sizes.len();
        }
        self.cursor as VertexId
    }
}

/// Moves vertices until none gains by moving; returns how many moves that took.
///
/// While many may move they do so in batches, each batch at once; the last few, and
/// those that are left after some rounds, move one by one, in the order of a queue,
/// so that each move raises the modularity and an end is certain. A vertex is asked
/// again when a neighbor has moved to another community than its own.
pub(crate) fn move_vertices<G: Graph>(
    level: &Level<'_, G>,
    strengths: &[f64],
    partition: &mut Partition,
    objective: &Objective<'_, '_>,
) -> Result<u64, Cancelled> {
    let mut moving = Moving {
        level,
        strengths,
        partition,
        objective,
    };
    let mut waiting: Vec<VertexId> = (0..strengths.len() as VertexId).collect();
    let mut moves = 0;
    for round in 0..ROUNDS {
        if waiting.len() <= FEW {
            break;
        }
        let (moved, next) = moving.round(&waiting, round)?;
        moves += moved;
        waiting = next;
    }
    Random::new(objective.seed).shuffle(&mut waiting);
    Ok(moves + moving.one_by_one(waiting)?)
}

struct Moving<'a, 'g, 'c, 'p, G> {
    level: &'a Level<'g, G>,
    strengths: &'a [f64],
    partition: &'a mut Partition,
    objective: &'a Objective<'c, 'p>,
}

impl<G: Graph> Moving<'_, '_, '_, '_, G> {
    /// Moves those of `waiting` that gain; returns how many did, and the vertices that
    /// wait then.
    fn round(
        &mut self,
        waiting: &[VertexId],
        round: u64,
    ) -> Result<(u64, Vec<VertexId>), Cancelled> {
        let n = self.strengths.len();
        let waits: Vec<AtomicBool> = (0..n).map(|_| AtomicBool::new(false)).collect();
        let mut moves = 0;
        for batch in batches(waiting, self.objective.seed, round) {
            let moved: Vec<(VertexId, VertexId)> = batch
                .par_chunks(CHUNK_LISTED)
                .map_init(Table::default, |table, vertices| {
                    let mut arcs = Arcs::of(self.level, self.objective.control)?;
                    let mut moved = Vec::new();
                    for &v in vertices {
                        let target = self.best(v, &mut arcs, table)?;
                        if target != self.partition.of[v as usize] {
                            moved.push((v, target));
                        }
                    }
                    Ok(moved)
                })
                .collect::<Result<Vec<_>, Cancelled>>()?
                .concat();
            for &(v, target) in &moved {
                self.partition
                    .move_vertex(v, self.strengths[v as usize], target);
            }
            moves += moved.len() as u64;
            moved.par_chunks(CHUNK_LISTED).try_for_each(|moved| {
                let mut arcs = Arcs::of(self.level, self.objective.control)?;
                moved.iter().try_for_each(|&(v, _)| {
                    let own = self.partition.of[v as usize];
                    arcs.for_each(v, |u, _| {
                        if self.partition.of[u as usize] != own {
                            waits[u as usize].store(true, Relaxed);
                        }
                    })
                })
            })?;
        }
        let next = (0..).zip(waits).filter(|(_, waits)| waits.load(Relaxed));
        Ok((moves, next.map(|(v, _)| v).collect()))
    }

    /// Moves vertices one after the other until none gains.
    fn one_by_one(&mut self, waiting: Vec<VertexId>) -> Result<u64, Cancelled> {
        let mut waits = self.objective.control.array(false, self.strengths.len())?;
        for &v in &waiting {
            waits[v as usize] = true;
        }
        let mut queue = VecDeque::from(waiting);
        let mut table = Table::default();
        let mut moves = 0;
        while !queue.is_empty() {
            let mut arcs = Arcs::of(self.level, self.objective.control)?;
            for _ in 0..CHUNK_LISTED {
                let Some(v) = queue.pop_front() else { break };
                waits[v as usize] = false;
                let target = self.best(v, &mut arcs, &mut table)?;
                if target == self.partition.of[v as usize] {
                    continue;
                }
                let strength = self.strengths[v as usize];
                let target = self.partition.move_vertex(v, strength, target);
                moves += 1;
                arcs.for_each(v, |u, _| {
                    if self.partition.of[u as usize] != target && !waits[u as usize] {
                        waits[u as usize] = true;
                        queue.push_back(u);
                    }
                })?;
            }
        }
        Ok(moves)
    }

    /// The community of `v`'s neighbors in which `v` adds most to the modularity, of
    /// several the one with the smallest number; its own if no other is better.
    fn best(
        &self,
        v: VertexId,
        arcs: &mut Arcs<'_, '_, '_, G>,
        table: &mut Table<f64>,
    ) -> Result<VertexId, Cancelled> {
        let Partition {
            of, totals, sizes, ..
        } = &*self.partition;
        let (own, strength) = (of[v as usize], self.strengths[v as usize]);
        let mut links = table.begin(arcs.bound(v) + 1);
        links.add(own, 0.0);
        arcs.for_each(v, |u, weight| {
            if u != v {
                links.add(of[u as usize], weight);
            }
        })?;
        let cost = self.objective.cost * strength;
        let mut staying = 0.0;
        let (mut best, mut gain) = (ALONE, 0.0);
        for (community, link) in links.iter() {
            if community == own {
                staying = link - cost * (totals[own as usize] - strength);
                continue;
            }
            let joining = link - cost * totals[community as usize];
            if joining > gain || (joining == gain && community < best) {
                (best, gain) = (community, joining);
            }
        }
        let moves =
            gain - staying > LEAST_GAIN * strength && !(best == ALONE && sizes[own as usize] == 1);
        Ok(if moves { best } else { own })
    }
}

/// The vertices in batches that follow from the seed.
pub(crate) fn batches(vertices: &[VertexId], seed: u64, round: u64) -> Vec<Vec<VertexId>> {
    let mut batches = vec![Vec::new(); BATCHES as usize];
    let mut salt = seed ^ round;
    let salt = split_mix(&mut salt);
    for &v in vertices {
        let mut mixer = salt ^ u64::from(v);
        batches[(split_mix(&mut mixer) % BATCHES) as usize].push(v);
    }
    batches
}
