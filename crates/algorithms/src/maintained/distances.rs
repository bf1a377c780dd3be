//! Distances from one source that follow their graph, in edges or by weight.
//!
//! State: the distance of each vertex. A removed edge that was on no shortest path
//! changes nothing. Otherwise its target may have lost its distance: in the order of
//! distances, a vertex that no edge leads to any more from one that is nearer and kept
//! its distance is lost too, and those behind it are asked. Then the lost get the best that
//! the others offer, added edges offer what they make better, and both are settled as in
//! Dijkstra's algorithm.
//!
//! Work: O(changes), and for those lost or better off their lists and a logarithm; as
//! many vertices as have another distance than before, and those that are only
//! suspected because edges of weight 0 lead to them. The worst case is the loss of an
//! edge that all paths use: O((n + m) log n), sequential. Distances are those of the
//! static algorithms, exactly: in edges, and by weight to the last bit, as both are the
//! smallest sums of weights rounded edge by edge. DRAM: n words, and n / 8 while an
//! update runs.
//! Source: Ramalingam and Reps, "An Incremental Algorithm for a Generalization of the
//! Shortest-Path Problem", Journal of Algorithms 1996.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};

use super::{Changes, Summary};
use crate::shortest_paths::for_each_weighted;
use crate::{Control, RunError, UNREACHED, bfs, delta_stepping};

/// Measure of the length of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Its edges.
    Edges,
    /// The sum of its weights, none of which is negative.
    Weights,
}

/// The distances from one vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    source: VertexId,
    length: Length,
    distances: Vec<f64>,
}

/// The distances in `graph` from `source` along out-lists.
///
/// # Errors
/// [`RunError::NeedsInLists`] if `graph` keeps only out-lists; as the static
/// algorithms.
pub fn start<G: Graph>(
    graph: &G,
    source: VertexId,
    length: Length,
    control: &Control,
) -> Result<Distances, RunError> {
    graph.reverse_reader().ok_or(RunError::NeedsInLists)?;
    let distances = match length {
        Length::Edges => {
            let depths = bfs::run(graph, source, control)?.depths;
            depths.into_iter().map(from_depth).collect()
        }
        Length::Weights => {
            let parameters = delta_stepping::Parameters::default();
            delta_stepping::run(graph, source, &parameters, control)?.distances
        }
    };
    Ok(Distances {
        source,
        length,
        distances,
    })
}

fn from_depth(depth: u32) -> f64 {
    match depth {
        UNREACHED => f64::INFINITY,
        depth => f64::from(depth),
    }
}

impl Distances {
    /// The state whose distances were kept; `None` if they cannot be such.
    pub fn restore(source: VertexId, length: Length, distances: Vec<f64>) -> Option<Self> {
        let valid = distances.get(source as usize) == Some(&0.0)
            && distances.iter().all(|&distance| distance >= 0.0);
        valid.then_some(Self {
            source,
            length,
            distances,
        })
    }

    /// As [`Distances::restore`], of distances in edges.
    pub fn restore_depths(source: VertexId, depths: &[u32]) -> Option<Self> {
        let distances = depths.iter().copied().map(from_depth).collect();
        Self::restore(source, Length::Edges, distances)
    }

    /// Vertex at which paths begin.
    pub fn source(&self) -> VertexId {
        self.source
    }

    /// For each vertex its distance, infinity where there is no path.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// For each vertex its distance in edges, [`UNREACHED`] where there is no path;
    /// rounded down if paths have weights. O(n).
    pub fn depths(&self) -> Vec<u32> {
        let depth = |&distance: &f64| match distance.is_finite() {
            true => distance as u32,
            false => UNREACHED,
        };
        self.distances.iter().map(depth).collect()
    }

    /// Follows the graph to `after`.
    ///
    /// # Errors
    /// [`RunError::NeedsInLists`] if `after` keeps only out-lists,
    /// [`RunError::InvalidWeight`] if an added weight is negative or not a number, or if
    /// `control` ends the run.
    ///
    /// # Panics
    /// If `after` has fewer vertices than before.
    pub fn update<G: Graph>(
        &mut self,
        after: &G,
        changes: &Changes,
        control: &Control,
    ) -> Result<Summary, RunError> {
        let n = after.vertex_count();
        assert!(n >= self.distances.len(), "vertices are only ever added");
        let incoming = after.reverse_reader().ok_or(RunError::NeedsInLists)?;
        let plain;
        let changes = match self.length {
            Length::Weights => changes,
            Length::Edges => {
                plain = changes.without_weights();
                &plain
            }
        };
        check_weights(changes)?;
        self.distances.resize(n, f64::INFINITY);
        let mut repair = Repair {
            length: self.length,
            distances: &mut self.distances,
            out: after.reader(),
            incoming,
            heap: BinaryHeap::new(),
            summary: Summary {
                touched: 2 * changes.len() as u64,
                edges_read: 0,
            },
        };
        for &(u, v, weight) in changes.removed() {
            repair.suspect_behind(u, v, weight);
        }
        let lost = repair.find_lost(self.source, control)?;
        repair.offer_others(&lost);
        for &(u, v, weight) in changes.added() {
            let through = repair.distances[u as usize] + f64::from(weight);
            repair.offer(v, through);
        }
        repair.settle(control)?;
        Ok(repair.summary)
    }
}

fn check_weights(changes: &Changes) -> Result<(), RunError> {
    let wrong = |entry: &&(VertexId, VertexId, Weight)| entry.2.is_nan() || entry.2 < 0.0;
    match changes.added().iter().find(wrong) {
        None => Ok(()),
        Some(&(from, to, weight)) => Err(RunError::InvalidWeight {
            from,
            to,
            weight,
            expected: "at least 0",
        }),
    }
}

/// An update.
struct Repair<'d, R> {
    length: Length,
    distances: &'d mut Vec<f64>,
    out: R,
    incoming: R,
    /// Vertices by distance: first the suspects by their old ones, then vertices with a
    /// new one. Numbers that are not negative are ordered as their bits.
    heap: BinaryHeap<Reverse<(u64, VertexId)>>,
    summary: Summary,
}

impl<R: NeighborReader> Repair<'_, R> {
    /// Suspects `v` if an edge from `u` led to its distance.
    fn suspect_behind(&mut self, u: VertexId, v: VertexId, weight: Weight) {
        let [from, to] = [u, v].map(|end| self.distances[end as usize]);
        if to.is_finite() && from + f64::from(weight) == to {
            self.heap.push(Reverse((to.to_bits(), v)));
        }
    }

    /// Those whose distance no path leads to any more.
    fn find_lost(
        &mut self,
        source: VertexId,
        control: &Control,
    ) -> Result<Vec<VertexId>, RunError> {
        let mut is_lost = control.array(
            false,
            if self.heap.is_empty() {
                0
            } else {
                self.distances.len()
            },
        )?;
        let mut lost = Vec::new();
        let mut list = Vec::new();
        while let Some(Reverse((_, v))) = self.heap.pop() {
            control.check()?;
            if v == source || is_lost[v as usize] || self.is_supported(v, &is_lost) {
                continue;
            }
            is_lost[v as usize] = true;
            lost.push(v);
            self.read_out(v, &mut list);
            for &(u, weight) in &list {
                if !is_lost[u as usize] {
                    self.suspect_behind(v, u, weight);
                }
            }
        }
        Ok(lost)
    }

    /// Whether an edge leads to `v` from a vertex that is nearer and not lost.
    fn is_supported(&mut self, v: VertexId, is_lost: &[bool]) -> bool {
        let own = self.distances[v as usize];
        let (distances, length, summary) = (&*self.distances, self.length, &mut self.summary);
        summary.touched += 1;
        let found = self.incoming.for_each_weighted_segment(v, |list, weights| {
            for (at, &u) in list.iter().enumerate() {
                summary.edges_read += 1;
                let weight = length.of(weights.get(at).copied());
                let distance = distances[u as usize];
                if distance < own && distance + weight == own && !is_lost[u as usize] {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        found.is_break()
    }

    /// Gives the lost the best that others offer.
    fn offer_others(&mut self, lost: &[VertexId]) {
        for &v in lost {
            self.distances[v as usize] = f64::INFINITY;
        }
        for &v in lost {
            let mut best = f64::INFINITY;
            let (distances, length, summary) = (&*self.distances, self.length, &mut self.summary);
            for_each_weighted(&mut self.incoming, v, |u, weight| {
                summary.edges_read += 1;
                best = best.min(distances[u as usize] + length.of(Some(weight)));
            });
            self.offer(v, best);
        }
    }

    /// A path to `v` of this length exists.
    fn offer(&mut self, v: VertexId, distance: f64) {
        if distance < self.distances[v as usize] {
            self.distances[v as usize] = distance;
            self.heap.push(Reverse((distance.to_bits(), v)));
        }
    }

    /// Hands on new distances, nearest first.
    fn settle(&mut self, control: &Control) -> Result<(), RunError> {
        let mut list = Vec::new();
        while let Some(Reverse((bits, u))) = self.heap.pop() {
            control.check()?;
            let distance = f64::from_bits(bits);
            if distance > self.distances[u as usize] {
                continue;
            }
            self.summary.touched += 1;
            self.read_out(u, &mut list);
            for &(v, weight) in &list {
                self.offer(v, distance + f64::from(weight));
            }
        }
        Ok(())
    }

    /// Writes into `list` the out-neighbors of `v`, and how long the edges to them are.
    fn read_out(&mut self, v: VertexId, list: &mut Vec<(VertexId, Weight)>) {
        list.clear();
        let length = self.length;
        for_each_weighted(&mut self.out, v, |u, weight| {
            list.push((u, length.of(Some(weight)) as Weight));
        });
        self.summary.edges_read += list.len() as u64;
    }
}

impl Length {
    /// Of an edge of this weight.
    #[inline]
    fn of(self, weight: Option<Weight>) -> f64 {
        match self {
            Length::Edges => 1.0,
            Length::Weights => f64::from(weight.unwrap_or(1.0)),
        }
    }
}
