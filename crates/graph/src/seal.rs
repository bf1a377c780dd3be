//! Sealing: the sorted lists of any graph, made in parallel.
//!
//! Vertices are taken in chunks. A task copies the lists of its chunk, sorts
//! each, and leaves out what the [`Shape`] leaves out; no task needs another. The
//! one exception is the undirected graph of out-lists alone, whose entries have
//! to be brought to their other ends first ([`union`]).
//!
//! The caller's check is asked some hundred times a second in every task, and
//! the first error it gives ends the work.

mod sort;
mod union;

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use crate::{Graph, NeighborReader, StoredLists, VertexId, Weight};
pub(crate) use union::{Ends, union};

/// Vertices of one task.
pub(crate) const CHUNK_VERTICES: usize = 1024;
/// A list longer than this is a reason to ask the check again.
const LONG_LIST: usize = 1 << 16;

/// Edges of its lists that a sealed graph keeps. All lists are sorted by neighbor, and
/// parallel edges by weight, the lightest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// All.
    Sorted,
    /// No self-loops, and of parallel edges the lightest, as the builder of the
    /// GAP Benchmark Suite leaves a graph.
    Simple,
    /// The undirected simple graph with an edge wherever there is one in either
    /// direction. Of edges in both directions the lightest is kept.
    Symmetric,
}

impl Shape {
    pub(crate) fn is_simple(self) -> bool {
        self != Shape::Sorted
    }

    /// The direction of a graph of this shape made from one of `direction`.
    pub fn direction(self, direction: StoredLists) -> StoredLists {
        match self {
            Shape::Symmetric => StoredLists::Undirected,
            Shape::Sorted | Shape::Simple => direction,
        }
    }
}

/// Why arrays are no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsound(pub(crate) &'static str);

impl std::fmt::Display for Unsound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unsound {}

/// Whether `list` can be one of `v` in a graph of this shape.
pub(crate) fn is_in_order(v: VertexId, list: &[VertexId], shape: Option<Shape>) -> bool {
    match shape {
        None => true,
        Some(Shape::Sorted) => list.is_sorted(),
        Some(Shape::Simple | Shape::Symmetric) => {
            list.is_sorted_by(|a, b| a < b) && !list.contains(&v)
        }
    }
}

/// Lists of a graph that are sealed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Adjacency {
    Out,
    /// Only of a graph that has in-lists.
    In,
}

impl Adjacency {
    fn reader<G: Graph>(self, graph: &G) -> G::Reader<'_> {
        match self {
            Adjacency::Out => graph.reader(),
            Adjacency::In => graph.reverse_reader().expect("in-lists are there"),
        }
    }
}

/// The chunks of `0..vertex_count`.
pub(crate) fn chunks(vertex_count: usize) -> Vec<Range<VertexId>> {
    let firsts = (0..vertex_count).step_by(CHUNK_VERTICES);
    let chunk = |first| first as VertexId..vertex_count.min(first + CHUNK_VERTICES) as VertexId;
    firsts.map(chunk).collect()
}

/// Works on each item in a task of its own, and gives the results in their order. The work
/// is behind a pointer, so that the scheduling is compiled once, and not for each kind of
/// graph.
pub(crate) fn map_each<I: Send, T: Send, E: Send>(
    items: Vec<I>,
    work: &(dyn Fn(I) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    items.into_par_iter().map(work).collect()
}

/// Writes the ends of the lists of the vertices from `first`, counted from the first
/// list's start, into `ends`, and returns their total length.
pub(crate) fn measure<G: Graph>(
    graph: &G,
    adjacency: Adjacency,
    first: VertexId,
    ends: &mut [u64],
) -> usize {
    let mut reader = adjacency.reader(graph);
    let mut total = 0;
    for (v, end) in (first..).zip(ends) {
        total += reader.degree(v) as u64;
        *end = total;
    }
    total as usize
}

/// The lists of a chunk, one after another.
pub(crate) struct Part<'a> {
    /// The first vertex of the chunk.
    pub(crate) first: VertexId,
    /// End of each list in the slices below.
    pub(crate) ends: &'a mut [u64],
    pub(crate) neighbors: &'a mut [VertexId],
    /// Beside `neighbors`, or empty.
    pub(crate) weights: &'a mut [Weight],
}

impl Part<'_> {
    /// Copies the lists of `graph` to where `ends` says.
    pub(crate) fn fill<G: Graph, E>(
        &mut self,
        graph: &G,
        adjacency: Adjacency,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        check()?;
        let mut reader = adjacency.reader(graph);
        let mut at = 0;
        for (v, &mut end) in (self.first..).zip(&mut *self.ends) {
            let end = end as usize;
            if end - at > LONG_LIST {
                check()?;
            }
            let _ = reader.for_each_weighted_segment(v, |neighbors, weights| {
                let place = at..at + neighbors.len();
                at = place.end;
                self.neighbors[place.clone()].copy_from_slice(neighbors);
                if let Some(kept) = self.weights.get_mut(place) {
                    match weights {
                        [] => kept.fill(1.0),
                        _ => kept.copy_from_slice(weights),
                    }
                }
                ControlFlow::Continue(())
            });
            debug_assert_eq!(at, end, "the degree of {v} is the length of its list");
        }
        Ok(())
    }

    /// Sorts each list; if `simple`, leaves out self-loops and all but the
    /// lightest of parallel edges, and closes the gaps. Returns the length of all
    /// lists together; `ends` fits them.
    pub(crate) fn tidy<E>(
        &mut self,
        vertex_count: usize,
        simple: bool,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<usize, E> {
        check()?;
        let mut scratch = sort::Scratch::new(vertex_count);
        let (mut start, mut kept) = (0, 0);
        for at in 0..self.ends.len() {
            let list = start..self.ends[at] as usize;
            start = list.end;
            if list.len() > LONG_LIST {
                check()?;
            }
            scratch.sort(
                &mut self.neighbors[list.clone()],
                self.weights.get_mut(list.clone()).unwrap_or_default(),
                check,
            )?;
            if simple {
                let v = self.first + at as VertexId;
                kept = self.keep_simple(v, list, kept);
                self.ends[at] = kept as u64;
            }
        }
        Ok(if simple { kept } else { start })
    }

    /// Moves what a simple graph keeps of `v`'s sorted list to `kept..`; returns
    /// where that ends.
    fn keep_simple(&mut self, v: VertexId, list: Range<usize>, mut kept: usize) -> usize {
        let mut last = v;
        for from in list {
            let neighbor = self.neighbors[from];
            self.neighbors[kept] = neighbor;
            if !self.weights.is_empty() {
                self.weights[kept] = self.weights[from];
            }
            kept += usize::from(neighbor != last && neighbor != v);
            last = neighbor;
        }
        kept
    }
}
