//! Changes between two views.
//!
//! A list as of a commit is a prefix, so the changes between two commits are the encoded
//! entries between two lengths. Lists of equal lengths are not looked at; only
//! where a compaction lies between the views, whole lists are compared.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use evergraph_graph::{StoredLists, VertexId, Weight};
use evergraph_topology::{ListScratch, SectionView, TOMBSTONE, TopologyError};

use crate::view::View;

/// An edge that one of two views has and the other has not. Of parallel edges
/// with one weight only the difference in number is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeChange {
    /// Source vertex.
    pub source: VertexId,
    /// Target vertex.
    pub target: VertexId,
    /// Its weight; 1 in a graph without.
    pub weight: Weight,
    /// Whether the second view has it; otherwise the first.
    pub added: bool,
}

/// Changes of the out-list of one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListChange<'a> {
    /// Vertex of the list.
    pub vertex: VertexId,
    /// Neighbors with weights (1 without) that only the second view has, by
    /// neighbor; one that it has several times more stands there several times.
    pub added: &'a [(VertexId, Weight)],
    /// Edges that only the first view has.
    pub removed: &'a [(VertexId, Weight)],
}

/// The difference of two views of one database, in either order. Reads
/// out-lists only, section by section; nothing is gathered.
pub struct Diff<'a> {
    before: &'a View,
    after: &'a View,
}

/// Iterator over the changes from `before` to `after`; nothing is read yet.
///
/// # Errors
/// If the views are of different databases, or of relationships.
pub fn diff<'a>(before: &'a View, after: &'a View) -> Result<Diff<'a>, TopologyError> {
    if before.has_relationships() {
        return Err(TopologyError::WrongGraphKind(
            "views of relationships, which have types and ids, are not compared by edges",
        ));
    }
    match before.is_of_store_of(after) {
        true => Ok(Diff { before, after }),
        false => Err(TopologyError::DifferentDatabases),
    }
}

impl Diff<'_> {
    /// Vertices that only the second view has.
    pub fn added_vertices(&self) -> Range<VertexId> {
        beyond(self.before, self.after)
    }

    /// Vertices that only the first view has: those of an earlier view never,
    /// because vertices stay when their edges are deleted.
    pub fn removed_vertices(&self) -> Range<VertexId> {
        beyond(self.after, self.before)
    }

    /// Pieces that [`Diff::for_each_list_in`] takes: ranges of vertices in
    /// ascending order, so that several threads can share the work.
    pub fn pieces(&self) -> usize {
        let vertices = self.before.vertex_count().max(self.after.vertex_count());
        vertices.div_ceil(1 << self.after.section_shift())
    }

    /// Calls `visit` for each out-list of one piece that is not the same, by
    /// vertex. An undirected edge is in the lists of both its ends, a loop twice
    /// in one.
    ///
    /// Cost: the lengths of the piece's lists, and the entries between them; after
    /// a compaction between the views, its lists. A deletion in a graph with
    /// weights costs a look at the list.
    pub fn for_each_list_in(
        &self,
        piece: usize,
        mut visit: impl FnMut(ListChange<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TopologyError> {
        let first = (piece << self.after.section_shift()) as VertexId;
        let pair = Pair {
            before: self.before.out_section(first)?,
            after: self.after.out_section(first)?,
        };
        let Some(lists) = pair.lists_to_compare() else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut changes = Changes::default();
        for list in lists {
            changes.clear();
            pair.compare(list, &mut changes);
            if changes.are_any() {
                let (added, removed) = (&changes.added[..], &changes.removed[..]);
                let vertex = first + list as VertexId;
                let change = ListChange {
                    vertex,
                    added,
                    removed,
                };
                if visit(change).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// As [`Diff::for_each_list_in`], for all pieces.
    pub fn for_each_list(
        &self,
        mut visit: impl FnMut(ListChange<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TopologyError> {
        for piece in 0..self.pieces() {
            if self.for_each_list_in(piece, &mut visit)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Calls `visit` for each edge that is not in both, by source; of one source
    /// removed ones first, by target. An undirected edge comes once, from its
    /// smaller end.
    pub fn for_each_edge(
        &self,
        mut visit: impl FnMut(EdgeChange) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TopologyError> {
        let undirected = self.after.stored_lists() == StoredLists::Undirected;
        self.for_each_list(|list| {
            each_edge(list.vertex, list.removed, false, undirected, &mut visit)?;
            each_edge(list.vertex, list.added, true, undirected, &mut visit)
        })
    }
}

/// One side of a list's change, edge by edge.
fn each_edge(
    source: VertexId,
    changed: &[(VertexId, Weight)],
    added: bool,
    undirected: bool,
    visit: &mut impl FnMut(EdgeChange) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut loop_ends = 0;
    for &(target, weight) in changed {
        if undirected && target < source {
            continue;
        }
        if undirected && target == source {
            // Both ends of a loop are in this list.
            loop_ends += 1;
            if loop_ends % 2 == 0 {
                continue;
            }
        }
        visit(EdgeChange {
            source,
            target,
            weight,
            added,
        })?;
    }
    ControlFlow::Continue(())
}

fn beyond(less: &View, more: &View) -> Range<VertexId> {
    let (from, to) = (less.vertex_count(), more.vertex_count());
    from.min(to) as VertexId..to as VertexId
}

/// One section as of both views; `None` where it holds no edges.
struct Pair {
    before: Option<SectionView>,
    after: Option<SectionView>,
}

impl Pair {
    /// The lists to look at; `None` if nothing changed.
    fn lists_to_compare(&self) -> Option<Range<usize>> {
        match (&self.before, &self.after) {
            (None, None) => None,
            (Some(before), Some(after)) if after.shows_the_lists_of(before) => None,
            (Some(section), _) | (None, Some(section)) => Some(0..section.list_count()),
        }
    }

    fn compare(&self, list: usize, changes: &mut Changes) {
        if let (Some(before), Some(after)) = (&self.before, &self.after)
            && after.is_of_generation_of(before)
        {
            return match before.raw_len(list) <= after.raw_len(list) {
                true => changes.between(before, after, list, 1),
                false => changes.between(after, before, list, -1),
            };
        }
        let raw_len = |section: &Option<SectionView>| match section {
            Some(section) => section.raw_len(list),
            None => 0,
        };
        if raw_len(&self.before) == 0 && raw_len(&self.after) == 0 {
            return;
        }
        for (section, times) in [(&self.before, -1), (&self.after, 1)] {
            if let Some(section) = section {
                changes.whole(section, list, times);
            }
        }
        changes.sum_up();
    }
}

/// Gathers what changed in one list; used again for the next.
#[derive(Default)]
struct Changes {
    /// Neighbor, bits of the weight, and how many more the second view has.
    counts: Vec<(VertexId, u32, i32)>,
    added: Vec<(VertexId, Weight)>,
    removed: Vec<(VertexId, Weight)>,
    words: Vec<u32>,
    weights: Vec<u32>,
    /// Deletions that reach back, by neighbor.
    waiting: HashMap<VertexId, u32>,
    scratch: ListScratch,
}

/// Bits of the weight of an edge without one.
const ONE: u32 = 1f32.to_bits();

impl Changes {
    fn clear(&mut self) {
        self.counts.clear();
        self.added.clear();
        self.removed.clear();
    }

    fn are_any(&self) -> bool {
        !(self.added.is_empty() && self.removed.is_empty())
    }

    /// Counts every edge of a list.
    fn whole(&mut self, section: &SectionView, list: usize, times: i32) {
        let counts = &mut self.counts;
        let _ = section.for_each_weighted_segment::<()>(list, &mut self.scratch, |words, bits| {
            let edges = words.iter().enumerate();
            counts.extend(edges.map(|(i, &word)| (word, weight_at(bits, i), times)));
            ControlFlow::Continue(())
        });
    }

    /// Counts the encoded entries that `long` has behind those of `short`, a version of
    /// the same generation: `times` 1 if they were added, -1 if they were removed.
    fn between(&mut self, short: &SectionView, long: &SectionView, list: usize, times: i32) {
        let from = short.raw_len(list);
        if from == long.raw_len(list) {
            return;
        }
        self.words.clear();
        self.weights.clear();
        let (words, weights) = (&mut self.words, &mut self.weights);
        let _ = long.for_each_raw_segment_from::<()>(list, from, |more, bits| {
            words.extend_from_slice(more);
            weights.extend_from_slice(bits);
            ControlFlow::Continue(())
        });
        // From the end, as in `ListScratch::cancel`: an edge is live unless a
        // deletion behind it still waits for one.
        self.waiting.clear();
        for (i, &word) in self.words.iter().enumerate().rev() {
            if word & TOMBSTONE != 0 {
                *self.waiting.entry(word & !TOMBSTONE).or_insert(0) += 1;
            } else if !takes_one(&mut self.waiting, word) {
                self.counts.push((word, weight_at(&self.weights, i), times));
            }
        }
        self.reach_back(short, list, -times);
        self.sum_up();
    }

    /// Counts the edges of `section` that the waiting deletions cancel.
    fn reach_back(&mut self, section: &SectionView, list: usize, times: i32) {
        self.waiting.retain(|_, waiting| *waiting > 0);
        if self.waiting.is_empty() {
            return;
        }
        if self.weights.is_empty() {
            let cancelled = self.waiting.iter();
            let counted = cancelled.map(|(&word, &n)| (word, ONE, times * n as i32));
            return self.counts.extend(counted);
        }
        self.words.clear();
        self.weights.clear();
        let (words, weights) = (&mut self.words, &mut self.weights);
        let _ = section.for_each_weighted_segment::<()>(list, &mut self.scratch, |more, bits| {
            words.extend_from_slice(more);
            weights.extend_from_slice(bits);
            ControlFlow::Continue(())
        });
        for (i, &word) in self.words.iter().enumerate().rev() {
            if takes_one(&mut self.waiting, word) {
                self.counts.push((word, weight_at(&self.weights, i), times));
            }
        }
    }

    /// Sums the counts up, and parts them into added and removed edges.
    fn sum_up(&mut self) {
        self.counts.sort_unstable();
        for same in self.counts.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (neighbor, bits, _) = same[0];
            let more: i32 = same.iter().map(|count| count.2).sum();
            let side = match more > 0 {
                true => &mut self.added,
                false => &mut self.removed,
            };
            let edge = (neighbor, Weight::from_bits(bits));
            side.extend(std::iter::repeat_n(edge, more.unsigned_abs() as usize));
        }
    }
}

fn weight_at(bits: &[u32], i: usize) -> u32 {
    bits.get(i).copied().unwrap_or(ONE)
}

/// Whether a deletion waits for an edge to `neighbor`; then one less does.
fn takes_one(waiting: &mut HashMap<VertexId, u32>, neighbor: VertexId) -> bool {
    match waiting.get_mut(&neighbor) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}
