//! The edges of a frontier, cut into groups of even size.
//!
//! Prefix sums of degrees say where each list begins in one long row of edges; a
//! group is a stretch of that row. So a hub is cut like everything else, and tasks
//! get even shares whatever the degrees.
//!
//! Source: Dhulipala et al., "Sage", VLDB 2020, Algorithm 1 (work assignment).

use std::ops::{ControlFlow, Range};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::parallel::{CHUNK_VERTICES, Lists, prefix_sums};

/// The edges that leave a list of vertices, in groups. 2 words a vertex.
pub(crate) struct Groups<'f> {
    frontier: &'f [VertexId],
    /// Start of each list, and at last the end of all.
    starts: Vec<u64>,
    size: u64,
}

impl<'f> Groups<'f> {
    /// Groups of `size(edges)` edges each.
    pub(crate) fn new<G: Graph>(
        lists: Lists<'_, G>,
        frontier: &'f [VertexId],
        size: impl FnOnce(u64) -> u64,
    ) -> Self {
        let mut starts = vec![0; frontier.len() + 1];
        let read = |(degrees, vertices): (&mut [u64], &[VertexId])| {
            let mut reader = lists.reader();
            for (degree, &v) in degrees.iter_mut().zip(vertices) {
                *degree = reader.degree(v) as u64;
            }
        };
        if frontier.len() <= CHUNK_VERTICES {
            read((&mut starts, frontier));
        } else {
            let chunks = starts.par_chunks_mut(CHUNK_VERTICES);
            chunks
                .zip(frontier.par_chunks(CHUNK_VERTICES))
                .for_each(read);
        }
        let edges = prefix_sums(&mut starts);
        Self {
            frontier,
            starts,
            size: size(edges).max(1),
        }
    }

    /// Edges of all groups.
    pub(crate) fn edge_count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Groups.
    pub(crate) fn len(&self) -> usize {
        self.edge_count().div_ceil(self.size) as usize
    }

    /// Calls `visit` with each vertex of `group` and which part of its list is
    /// meant, `None` for all of it. Vertices without edges are left out.
    pub(crate) fn for_each_list(
        &self,
        group: usize,
        mut visit: impl FnMut(VertexId, Option<Range<usize>>),
    ) {
        let start = group as u64 * self.size;
        let end = (start + self.size).min(self.edge_count());
        // The last list that begins at `start` or before.
        let first = self.starts.partition_point(|&at| at <= start) - 1;
        let lists = self.starts[first..].windows(2).zip(&self.frontier[first..]);
        for (list, &v) in lists.take_while(|(list, _)| list[0] < end) {
            let (from, to) = (list[0].max(start), list[1].min(end));
            let whole = from == list[0] && to == list[1];
            let part = (from - list[0]) as usize..(to - list[0]) as usize;
            if whole && !part.is_empty() {
                visit(v, None);
            } else if !part.is_empty() {
                visit(v, Some(part));
            }
        }
    }
}

/// Calls `visit` with each neighbor of `v`, or those at the positions `part`.
#[inline]
pub(crate) fn for_each_in_part(
    reader: &mut impl NeighborReader,
    v: VertexId,
    part: Option<Range<usize>>,
    mut visit: impl FnMut(VertexId),
) {
    let visit = |segment: &[VertexId]| {
        segment.iter().for_each(|&u| visit(u));
        ControlFlow::Continue(())
    };
    let _ = match part {
        None => reader.for_each_segment(v, visit),
        Some(part) => reader.for_each_segment_in(v, part, visit),
    };
}

#[cfg(test)]
mod tests {
    use evergraph_graph::{Csr, StoredLists};

    use super::*;

    #[test]
    fn groups_are_even_and_hold_every_edge_once() {
        // Degrees 0, 3, 0, 1, 5, 0.
        let degrees = [0, 3, 0, 1, 5, 0];
        let edges: Vec<(VertexId, VertexId)> = (0..)
            .zip(degrees)
            .flat_map(|(v, degree)| (0..degree).map(move |at| (v, at)))
            .collect();
        let graph = Csr::from_edges(6, &edges, StoredLists::Out);
        let frontier: Vec<VertexId> = (0..6).collect();
        for size in 1..12 {
            let groups = Groups::new(Lists::outgoing(&graph), &frontier, |edges| {
                assert_eq!(edges, 9);
                size
            });
            let mut met = Vec::new();
            for group in 0..groups.len() {
                let before = met.len();
                groups.for_each_list(group, |v, part| {
                    let degree = degrees[v as usize] as usize;
                    assert_ne!(part, Some(0..degree), "all of a list is `None`");
                    met.extend(part.unwrap_or(0..degree).map(|at| (v, at as VertexId)));
                });
                let len = (met.len() - before) as u64;
                assert!(len == size || group + 1 == groups.len() && len <= size);
            }
            assert_eq!(met, edges);
        }
        let none = Groups::new(Lists::outgoing(&graph), &[], |_| 4);
        assert_eq!((none.len(), none.edge_count()), (0, 0));
    }
}
