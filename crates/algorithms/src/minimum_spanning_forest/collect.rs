//! Reading edges into a bounded buffer.

use std::ops::{ControlFlow, Range};

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};
use rayon::prelude::*;

use super::candidates::{Candidate, key, reduce};
use crate::forest::Forest;
use crate::parallel::{CHUNK_VERTICES, HUB_DEGREE};
use crate::{Control, RunError};

/// Vertices asked for weights to tell which are light, and neighbors of each.
const SAMPLED_VERTICES: usize = 1 << 11;
const SAMPLED_NEIGHBORS: usize = 16;

/// Weights whose key is at most this are light: those of about as many edges as
/// fit into a [`Collector`] with ease. The largest number if all are.
pub(super) fn light_limit<G: Graph>(graph: &G) -> u32 {
    let n = graph.vertex_count() as u64;
    // As many as a collector takes before it has to reduce them, less a quarter, as
    // the sample tells no more than about how many there are.
    let (light, edges) = (n - n / 4, graph.arc_count() / 2);
    if edges <= light * 2 {
        return u32::MAX;
    }
    let mut random = Random::new(27);
    let sampled = SAMPLED_VERTICES.min(n as usize);
    let mut keys = Vec::with_capacity(sampled * SAMPLED_NEIGHBORS);
    let mut reader = graph.reader();
    for _ in 0..sampled {
        let v = random.below(n) as VertexId;
        let positions = 0..SAMPLED_NEIGHBORS;
        let _ = reader.visit_list::<true>(v, positions, |list, weights| {
            let weight = |at| weights.get(at).map_or(1.0, |&weight| weight);
            keys.extend((0..list.len()).map(|at| key(weight(at))));
            ControlFlow::Continue(())
        });
    }
    keys.sort_unstable();
    let at = keys.len() as u64 * light / edges;
    keys.get(at as usize).map_or(u32::MAX, |&key| key)
}

/// Collects edges, and reduces them to their forest when there is no more room.
pub(super) struct Collector<'a, G> {
    graph: &'a G,
    /// Edges within one of its trees are of no use.
    forest: &'a Forest,
    control: &'a Control<'a>,
    /// The candidates, and behind them places for more.
    places: Vec<Candidate>,
    candidates: usize,
    /// The longest part of a list that one task reads.
    piece: usize,
}

impl<'a, G: Graph> Collector<'a, G> {
    pub fn new(
        graph: &'a G,
        forest: &'a Forest,
        control: &'a Control<'a>,
    ) -> Result<Self, RunError> {
        let n = graph.vertex_count();
        // In small graphs less, or the room for it would count.
        let piece = HUB_DEGREE.min(n / 2 + 1);
        // Half of it is room for a forest, and for a piece of a hub.
        let places = (graph.arc_count()).min(2 * (n + piece) as u64) as usize;
        Ok(Self {
            graph,
            forest,
            control,
            places: control.array(Candidate::default(), places)?,
            candidates: 0,
            piece,
        })
    }

    /// The lightest forest of those edges that `wanted` accepts, to join trees of
    /// the collector's forest, and joins them.
    pub fn forest_of(
        mut self,
        wanted: impl Fn(&Candidate) -> bool + Sync,
    ) -> Result<Vec<Candidate>, RunError> {
        let n = self.graph.vertex_count() as VertexId;
        let mut start = 0;
        while start < n {
            self.make_room()?;
            let window = self.window(start);
            if window.is_empty() {
                self.read_hub(start, &wanted)?;
                start += 1;
            } else {
                start = self.read(start, &window, &wanted)?;
            }
        }
        self.reduce(self.forest)?;
        self.places.truncate(self.candidates);
        self.places.shrink_to_fit();
        Ok(self.places)
    }

    fn room(&self) -> usize {
        self.places.len() - self.candidates
    }

    /// Reduces the candidates to a forest, which leaves room for a piece of a hub,
    /// if less than half of the places are free. Without that many edges there is
    /// room for all.
    fn make_room(&mut self) -> Result<(), RunError> {
        let n = self.graph.vertex_count();
        let is_tight = self.room() < n + self.piece;
        if is_tight && self.places.len() == 2 * (n + self.piece) {
            let scratch = self.forest.copied(self.control)?;
            self.reduce(&scratch)?;
        }
        Ok(())
    }

    fn reduce(&mut self, forest: &Forest) -> Result<(), RunError> {
        let candidates = &mut self.places[..self.candidates];
        self.candidates = reduce(forest, candidates, self.control)?;
        Ok(())
    }

    /// The vertices from `start` on whose edges have room, and none of which is a
    /// hub: for each task their number, and the entries of their lists.
    fn window(&self, start: VertexId) -> Vec<(usize, usize)> {
        let mut reader = self.graph.reader();
        let mut room = self.room();
        let mut tasks = Vec::new();
        for v in start..self.graph.vertex_count() as VertexId {
            let degree = reader.degree(v);
            if degree > room || degree > self.piece {
                break;
            }
            room -= degree;
            match tasks.last_mut() {
                Some((vertices, entries)) if *vertices < CHUNK_VERTICES => {
                    *vertices += 1;
                    *entries += degree;
                }
                _ => tasks.push((1, degree)),
            }
        }
        tasks
    }

    /// Reads the lists of a window from `start` on; where the next begins.
    fn read(
        &mut self,
        start: VertexId,
        window: &[(usize, usize)],
        wanted: &(impl Fn(&Candidate) -> bool + Sync),
    ) -> Result<VertexId, RunError> {
        let mut end = start;
        let tasks = window.iter().map(|&(vertices, entries)| {
            let first = end;
            end += vertices as VertexId;
            (first..end, entries)
        });
        let tasks: Vec<(Range<VertexId>, usize)> = tasks.collect();
        let (graph, control) = (self.graph, self.control);
        self.collect(tasks, |vertices, found| {
            control.check()?;
            let mut reader = graph.reader();
            for u in vertices {
                read_list(&mut reader, u, 0..usize::MAX, wanted, found)?;
            }
            Ok(())
        })?;
        Ok(end)
    }

    /// Reads the list of one vertex, as many pieces at once as have room.
    fn read_hub(
        &mut self,
        hub: VertexId,
        wanted: &(impl Fn(&Candidate) -> bool + Sync),
    ) -> Result<(), RunError> {
        let (graph, control, piece) = (self.graph, self.control, self.piece);
        let degree = graph.reader().degree(hub);
        let mut start = 0;
        while start < degree {
            self.make_room()?;
            let end = degree.min(start + self.room());
            let pieces = (start..end).step_by(piece);
            let pieces = pieces.map(|start| start..end.min(start + piece));
            let tasks = pieces.map(|piece| (piece.clone(), piece.len()));
            self.collect(tasks.collect(), |piece, found| {
                control.check()?;
                read_list(&mut graph.reader(), hub, piece, wanted, found)
            })?;
            start = end;
        }
        Ok(())
    }

    /// Adds what each of the tasks finds, in their order. A task is told with how
    /// many candidates it finds at most; together there is room for them.
    fn collect<T: Send>(
        &mut self,
        tasks: Vec<(T, usize)>,
        find: impl Fn(T, &mut Found<'_>) -> Result<(), RunError> + Sync,
    ) -> Result<(), RunError> {
        let mut free = &mut self.places[self.candidates..];
        let mut parts = Vec::with_capacity(tasks.len());
        for (task, most) in tasks {
            let (places, rest) = free.split_at_mut(most);
            free = rest;
            parts.push((task, Found { places, len: 0 }));
        }
        let found = parts
            .into_par_iter()
            .with_max_len(1)
            .map(|(task, mut found)| {
                find(task, &mut found)?;
                Ok((found.places.len(), found.len))
            });
        let found: Vec<(usize, usize)> = found.collect::<Result<_, RunError>>()?;
        let mut from = self.candidates;
        for (most, len) in found {
            self.places.copy_within(from..from + len, self.candidates);
            self.candidates += len;
            from += most;
        }
        Ok(())
    }
}

/// Candidates that a task finds.
struct Found<'a> {
    places: &'a mut [Candidate],
    len: usize,
}

impl Found<'_> {
    #[inline]
    fn push(&mut self, candidate: Candidate) {
        self.places[self.len] = candidate;
        self.len += 1;
    }
}

/// Appends what is wanted of the edges from `u` to larger vertices.
fn read_list(
    reader: &mut impl NeighborReader,
    u: VertexId,
    positions: Range<usize>,
    wanted: &impl Fn(&Candidate) -> bool,
    found: &mut Found<'_>,
) -> Result<(), RunError> {
    let mut invalid = None;
    let mut visit = |v: VertexId, weight: Weight| {
        if !weight.is_finite() {
            invalid = Some((v, weight));
        }
        if u < v {
            let candidate = Candidate::new(u, v, weight);
            if wanted(&candidate) {
                found.push(candidate);
            }
        }
    };
    let _ = reader.visit_list::<true>(u, positions, |list, weights| {
        match weights.is_empty() {
            true => list.iter().for_each(|&v| visit(v, 1.0)),
            false => list
                .iter()
                .zip(weights)
                .for_each(|(&v, &weight)| visit(v, weight)),
        }
        ControlFlow::Continue(())
    });
    match invalid {
        None => Ok(()),
        Some((to, weight)) => Err(RunError::InvalidWeight {
            from: u,
            to,
            weight,
            expected: "finite numbers",
        }),
    }
}
