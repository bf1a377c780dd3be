//! Eigenvector centrality that follows a graph as edges come and go.
//!
//! A little change of the graph changes the vector a little, so a few iterations from
//! the last vector are as good as many from the beginning (NVGraph, section III-C,
//! step 3). They go over the whole graph, or only over what is near to the change.

use evergraph_graph::{Graph, VertexId};

use crate::edge_map::Lists;
use crate::neighbor_sums::InSums;
use crate::parallel::CHUNK_LISTED;
use crate::shortest_paths::for_each_weighted;
use crate::subset::Bitmap;
use crate::sums::slice_sum;
use crate::{Control, RunError, eigenvector};
use rayon::prelude::*;

/// Vertices that an update reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every vertex: O(m) an iteration.
    Whole,
    /// The targets of changed edges, and what is so many edges from them: work in
    /// proportion to their in-lists. Needs in-lists.
    Near(u32),
}

/// The eigenvector centrality of every vertex, kept from one version of a graph to
/// the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Centrality {
    scores: Vec<f64>,
    /// How much an iteration lengthens the vector: the eigenvalue, and 1 for what a
    /// vertex adds to itself.
    growth: f64,
}

impl Centrality {
    /// From scratch.
    ///
    /// # Errors
    /// As [`eigenvector::run`].
    pub fn of<G: Graph>(
        graph: &G,
        parameters: &eigenvector::Parameters,
        control: &Control,
    ) -> Result<Self, RunError> {
        let found = eigenvector::run(graph, parameters, control)?;
        let mut this = Self {
            scores: found.scores,
            growth: 1.0,
        };
        // One iteration more, which says what it lengthens the vector by.
        this.update(graph, &[], Extent::Whole, 1, control)?;
        Ok(this)
    }

    /// For each vertex its centrality; their squares add up to 1.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Takes a later version of the graph, with as many vertices or more: so many
    /// iterations from the last scores. `targets` are those of the edges that came or
    /// went, in any order.
    ///
    /// # Errors
    /// If only a part is to be looked at and the graph keeps only out-lists, or
    /// `control` ends the run; the scores then are those before, or between both.
    pub fn update<G: Graph>(
        &mut self,
        graph: &G,
        targets: &[VertexId],
        extent: Extent,
        iterations: u32,
        control: &Control,
    ) -> Result<(), RunError> {
        let n = graph.vertex_count();
        let known = self.scores.len().max(1) as f64;
        // New vertices begin with an average score.
        self.scores.resize(n, 1.0 / known.sqrt());
        match extent {
            Extent::Whole => self.iterate(graph, iterations, control)?,
            Extent::Near(hops) => {
                let near = near(graph, targets, hops, control)?;
                self.iterate_near(graph, &near, iterations, control)?;
            }
        }
        Ok(())
    }

    fn iterate<G: Graph>(
        &mut self,
        graph: &G,
        iterations: u32,
        control: &Control,
    ) -> Result<(), RunError> {
        let mut in_sums = InSums::new(graph);
        let mut next = control.array(0.0, self.scores.len())?;
        for _ in 0..iterations {
            let step = eigenvector::iterate(&mut in_sums, &mut self.scores, &mut next, control)?;
            self.growth = step.length;
        }
        Ok(())
    }

    /// Iterations of some vertices, as if the rest had converged.
    fn iterate_near<G: Graph>(
        &mut self,
        graph: &G,
        near: &[VertexId],
        iterations: u32,
        control: &Control,
    ) -> Result<(), RunError> {
        let lists = Lists::incoming(graph).ok_or(RunError::NeedsInLists)?;
        for _ in 0..iterations {
            let scores = &self.scores;
            let growth = self.growth;
            let chunks = near.par_chunks(CHUNK_LISTED).map(|near| {
                control.check()?;
                let mut reader = lists.reader();
                let mut next = Vec::with_capacity(near.len());
                for &v in near {
                    let mut sum = scores[v as usize];
                    for_each_weighted(&mut reader, v, |u, _| sum += scores[u as usize]);
                    next.push(sum / growth);
                }
                Ok(next)
            });
            let next: Vec<Vec<f64>> = chunks.collect::<Result<_, RunError>>()?;
            for (&v, score) in near.iter().zip(next.into_iter().flatten()) {
                self.scores[v as usize] = score;
            }
        }
        let length = slice_sum(&self.scores, |x| x * x).sqrt();
        self.scores
            .par_iter_mut()
            .for_each(|score| *score /= length);
        Ok(())
    }
}

/// `targets` and what is up to `hops` out-edges from them.
fn near<G: Graph>(
    graph: &G,
    targets: &[VertexId],
    hops: u32,
    control: &Control,
) -> Result<Vec<VertexId>, RunError> {
    let mut found = Bitmap::empty(graph.vertex_count());
    let mut frontier = targets.to_vec();
    frontier.iter().for_each(|&v| found.insert(v));
    for _ in 0..hops {
        let mut next = Vec::new();
        for chunk in frontier.chunks(CHUNK_LISTED) {
            control.check()?;
            let mut reader = graph.reader();
            for &u in chunk {
                for_each_weighted(&mut reader, u, |v, _| {
                    if !found.contains(v) {
                        found.insert(v);
                        next.push(v);
                    }
                });
            }
        }
        frontier = next;
    }
    Ok(found.to_list())
}
