//! The search for an edge that takes the place of one that was deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use evergraph_graph::{NeighborReader, VertexId};

use crate::maintained::Summary;

/// Outcome of cutting a tree.
pub(super) enum Outcome {
    /// An edge leads from the part below the cut to the other.
    Replacement { below: VertexId, over: VertexId },
    /// One part has no such edge; its vertices.
    Split(Vec<VertexId>),
}

/// The part below a cut, and the other.
const BELOW: usize = 0;
const OVER: usize = 1;
/// Entries of a list that are read before one of them is looked at; then as many as
/// were read before.
const FIRST_PIECE: usize = 64;

/// Searches both parts of a tree that was cut.
pub(super) struct Search<R> {
    reader: R,
    /// Neighbors along edges that are still to be deleted.
    pending: BTreeMap<VertexId, Vec<VertexId>>,
    /// For each vertex what is known of it. All zeros at first, which the system
    /// hands out without writing them, so that an update pays for what it marks.
    marks: Vec<u32>,
    /// Marks of earlier searches are smaller. The part that a vertex is in is added
    /// to it, and [`QUEUED`].
    first_mark: u32,
    trail: Vec<VertexId>,
}

/// In a mark: the vertex was queued.
const QUEUED: u32 = 2;
/// Marks that a search uses.
const MARKS: u32 = 4;

impl<R: NeighborReader> Search<R> {
    pub(super) fn new(
        reader: R,
        vertex_count: usize,
        cut: &BTreeSet<(VertexId, VertexId)>,
    ) -> Self {
        let mut pending: BTreeMap<VertexId, Vec<VertexId>> = BTreeMap::new();
        for &(u, v) in cut {
            pending.entry(u).or_default().push(v);
            pending.entry(v).or_default().push(u);
        }
        Self {
            reader,
            pending,
            marks: vec![0; vertex_count],
            first_mark: 0,
            trail: Vec::new(),
        }
    }

    /// The edge between `u` and `v` is deleted now.
    pub(super) fn forget(&mut self, u: VertexId, v: VertexId) {
        for (end, other) in [(u, v), (v, u)] {
            if let Some(neighbors) = self.pending.get_mut(&end) {
                neighbors.retain(|&w| w != other);
            }
        }
    }

    /// Searches from `child`, which is a root now, and from `parent`.
    pub(super) fn run(
        &mut self,
        child: VertexId,
        parent: VertexId,
        parents: &[VertexId],
        summary: &mut Summary,
    ) -> Outcome {
        self.first_mark += MARKS;
        let mut root = parent;
        while parents[root as usize] != root {
            root = parents[root as usize];
        }
        self.mark(child, BELOW, QUEUED);
        self.mark(root, OVER, 0);
        self.part_of(parent, parents);
        self.mark(parent, OVER, QUEUED);

        let mut queues = [vec![child], vec![parent]];
        let (mut next, mut read) = ([0, 0], [0, 0]);
        let mut list = Vec::new();
        loop {
            let costs = [BELOW, OVER].map(|part| {
                let v = queues[part].get(next[part]);
                v.map(|&v| read[part] + self.reader.degree(v))
            });
            let part = match costs {
                [None, _] => return Outcome::Split(std::mem::take(&mut queues[BELOW])),
                [_, None] => return Outcome::Split(std::mem::take(&mut queues[OVER])),
                [Some(below), Some(over)] if below <= over => BELOW,
                _ => OVER,
            };
            let v = queues[part][next[part]];
            next[part] += 1;
            summary.touched += 1;

            list.clear();
            list.extend(self.pending.get(&v).into_iter().flatten());
            if let Some(w) = self.visit(part, &list, parents, &mut queues[part]) {
                return replacement(part, v, w);
            }
            // The list in pieces: most vertices have a neighbor on the other side.
            let degree = self.reader.degree(v);
            let mut piece = 0..FIRST_PIECE.min(degree);
            while !piece.is_empty() {
                list.clear();
                let _ = self
                    .reader
                    .for_each_segment_in(v, piece.clone(), |segment| {
                        list.extend_from_slice(segment);
                        ControlFlow::Continue(())
                    });
                piece = piece.end..degree.min(2 * piece.end);
                read[part] += list.len();
                summary.edges_read += list.len() as u64;
                if let Some(w) = self.visit(part, &list, parents, &mut queues[part]) {
                    return replacement(part, v, w);
                }
            }
        }
    }

    /// Queues those of `list` that are new; the first that is in the other part.
    fn visit(
        &mut self,
        part: usize,
        list: &[VertexId],
        parents: &[VertexId],
        queue: &mut Vec<VertexId>,
    ) -> Option<VertexId> {
        for &w in list {
            if self.part_of(w, parents) != part {
                return Some(w);
            }
            if (self.marks[w as usize] - self.first_mark) & QUEUED == 0 {
                self.mark(w, part, QUEUED);
                queue.push(w);
            }
        }
        None
    }

    fn mark(&mut self, v: VertexId, part: usize, queued: u32) {
        self.marks[v as usize] = self.first_mark + part as u32 + queued;
    }

    /// The part that `v` is in: that of its first ancestor of which it is known.
    fn part_of(&mut self, v: VertexId, parents: &[VertexId]) -> usize {
        let mut at = v;
        while self.marks[at as usize] < self.first_mark {
            self.trail.push(at);
            at = parents[at as usize];
        }
        let part = ((self.marks[at as usize] - self.first_mark) & 1) as usize;
        while let Some(descendant) = self.trail.pop() {
            self.mark(descendant, part, 0);
        }
        part
    }
}

/// The edge between `v` in `part` and `w` in the other.
fn replacement(part: usize, v: VertexId, w: VertexId) -> Outcome {
    match part {
        BELOW => Outcome::Replacement { below: v, over: w },
        _ => Outcome::Replacement { below: w, over: v },
    }
}
