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
    let mut keys = Vec::with_capacity(SAMPLED_VERTICES * SAMPLED_NEIGHBORS);
    let mut reader = graph.reader();
    for _ in 0..SAMPLED_VERTICES {
        let v = random.below(n) as VertexId;
        let positions = 0..SAMPLED_NEIGHBORS;
        let _ = reader.for_each_weighted_segment_in(v, positions, |list, weights| {
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
    candidates: Vec<Candidate>,
    /// Candidates at most.
    capacity: usize,
}

impl<'a, G: Graph> Collector<'a, G> {
    pub fn new(graph: &'a G, forest: &'a Forest, control: &'a Control<'a>) -> Self {
        // Half of it is room for a forest, and for a piece of a hub.
        let capacity = 2 * (graph.vertex_count() + HUB_DEGREE);
        let edges = graph.arc_count().div_ceil(2);
        Self {
            graph,
            forest,
            control,
            candidates: Vec::with_capacity(capacity.min(edges as usize)),
            capacity,
        }
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
            if self.room() < self.capacity / 2 {
                reduce(&self.forest.clone(), &mut self.candidates, self.control)?;
            }
            let end = self.window(start);
            if start < end {
                self.read(start..end, &wanted)?;
                start = end;
            } else {
                self.read_hub(start, &wanted)?;
                start += 1;
            }
        }
        reduce(self.forest, &mut self.candidates, self.control)?;
        Ok(self.candidates)
    }

    fn room(&self) -> usize {
        self.capacity - self.candidates.len()
    }

    /// Where the vertices from `start` on end whose edges have room, and none of
    /// which is a hub.
    fn window(&self, start: VertexId) -> VertexId {
        let mut reader = self.graph.reader();
        let mut room = self.room();
        let n = self.graph.vertex_count() as VertexId;
        let fits = |v: &VertexId| {
            let degree = reader.degree(*v);
            let fits = degree <= room && degree <= HUB_DEGREE;
            room = room.saturating_sub(degree);
            fits
        };
        let vertices = (start..n).take_while(fits);
        start + vertices.count() as VertexId
    }

    fn read(
        &mut self,
        vertices: Range<VertexId>,
        wanted: &(impl Fn(&Candidate) -> bool + Sync),
    ) -> Result<(), RunError> {
        let starts = vertices.clone().into_par_iter().step_by(CHUNK_VERTICES);
        let found = starts.map(|start| {
            self.control.check()?;
            let mut reader = self.graph.reader();
            let mut found = Vec::new();
            for u in start..vertices.end.min(start + CHUNK_VERTICES as VertexId) {
                read_list(&mut reader, u, 0..usize::MAX, wanted, &mut found)?;
            }
            Ok(found)
        });
        let found: Vec<Vec<Candidate>> = found.collect::<Result<_, RunError>>()?;
        self.candidates.extend(found.into_iter().flatten());
        Ok(())
    }

    /// Reads the list of one vertex, as many pieces at once as have room.
    fn read_hub(
        &mut self,
        hub: VertexId,
        wanted: &(impl Fn(&Candidate) -> bool + Sync),
    ) -> Result<(), RunError> {
        let degree = self.graph.reader().degree(hub);
        let mut start = 0;
        while start < degree {
            if self.room() < self.capacity / 2 {
                reduce(&self.forest.clone(), &mut self.candidates, self.control)?;
            }
            let end = degree.min(start + self.room() / HUB_DEGREE * HUB_DEGREE);
            let pieces = (start..end).into_par_iter().step_by(HUB_DEGREE);
            let found = pieces.map(|start| {
                self.control.check()?;
                let mut found = Vec::new();
                let positions = start..end.min(start + HUB_DEGREE);
                read_list(&mut self.graph.reader(), hub, positions, wanted, &mut found)?;
                Ok(found)
            });
            let found: Vec<Vec<Candidate>> = found.collect::<Result<_, RunError>>()?;
            self.candidates.extend(found.into_iter().flatten());
            start = end;
        }
        Ok(())
    }
}

/// Appends what is wanted of the edges from `u` to larger vertices.
fn read_list(
    reader: &mut impl NeighborReader,
    u: VertexId,
    positions: Range<usize>,
    wanted: &impl Fn(&Candidate) -> bool,
    found: &mut Vec<Candidate>,
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
    let _ = reader.for_each_weighted_segment_in(u, positions, |list, weights| {
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
