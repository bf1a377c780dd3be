//! Results that follow a graph from one moment to a later one.
//!
//! Each problem has a state. It starts from a graph, by the static algorithm; an
//! update is given the graph as it is now and what changed in its lists since, as
//! [`Changes`], and does work where the changes have an effect. What it costs, and
//! when that is as much as starting again, stands with each problem.
//!
//! An update that ends with an error leaves a state that is of no more use: take
//! one that was kept, or start again.
//!
//! Vertices are only ever added; a deleted vertex is one that lost its edges.

pub mod components;
pub mod degrees;
pub mod distances;
pub mod k_core;
mod overlay;
pub mod pagerank;
pub mod triangles;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId, Weight};

use crate::shortest_paths::for_each_weighted;

/// An entry of an out-list: whose list, the neighbor, and the weight (1 in a graph
/// without).
pub type Entry = (VertexId, VertexId, Weight);

/// Work done by an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Vertices that were looked at: the ends of changed edges, and those whose
    /// list was read because of them.
    pub touched: u64,
    /// Entries of lists that were read.
    pub edges_read: u64,
}

/// The entries of the out-lists that a graph has gained and lost since an earlier
/// moment, net: what came and went is not among them, and neither is an entry on
/// both sides. An undirected edge is in the lists of both its ends, a self-loop of
/// an undirected graph twice in one. A changed weight is an entry removed and
/// another added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    added: Vec<Entry>,
    removed: Vec<Entry>,
}

impl Changes {
    /// The changes of these entries, in any order. O(k log k) for k entries.
    pub fn new(mut added: Vec<Entry>, mut removed: Vec<Entry>) -> Self {
        sort(&mut added);
        sort(&mut removed);
        cancel(&mut added, &mut removed);
        Self { added, removed }
    }

    /// The changes of a graph of `direction` whose `added` and `removed` edges these are.
    pub fn of_edges(direction: StoredLists, added: &[Entry], removed: &[Entry]) -> Self {
        let entries = |edges: &[Entry]| match direction {
            StoredLists::Undirected => with_reversed(edges),
            StoredLists::Out | StoredLists::Both => edges.to_vec(),
        };
        Self::new(entries(added), entries(removed))
    }

    /// Difference of two graphs, by reading both. O(m log m); the reference
    /// implementation of change feeds that find it at less cost.
    pub fn between<A: Graph, B: Graph>(before: &A, after: &B) -> Self {
        Self::new(entries_of(after), entries_of(before))
    }

    /// Gained, sorted by source and neighbor.
    pub fn added(&self) -> &[Entry] {
        &self.added
    }

    /// Lost, sorted by source and neighbor.
    pub fn removed(&self) -> &[Entry] {
        &self.removed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// Entries gained and lost.
    pub fn len(&self) -> usize {
        self.added.len() + self.removed.len()
    }

    /// The changes of the same graph without its weights: one that only got another
    /// weight has not changed.
    #[must_use]
    pub fn without_weights(&self) -> Self {
        let plain = |entries: &[Entry]| entries.iter().map(|&(u, v, _)| (u, v, 1.0)).collect();
        Self::new(plain(&self.added), plain(&self.removed))
    }

    /// The changes of a directed graph as those of an undirected one, as
    /// [`Symmetric`](evergraph_graph::Symmetric) reads it.
    #[must_use]
    pub fn symmetric(&self) -> Self {
        Self::new(with_reversed(&self.added), with_reversed(&self.removed))
    }

    /// Calls `visit` with each vertex whose list changed, and what it gained and lost.
    fn for_each_list(&self, mut visit: impl FnMut(VertexId, &[Entry], &[Entry])) {
        let (mut added, mut removed) = (&self.added[..], &self.removed[..]);
        while let Some(v) = [added, removed]
            .iter()
            .filter_map(|e| e.first())
            .map(|e| e.0)
            .min()
        {
            let (gained, later) = added.split_at(added.partition_point(|entry| entry.0 == v));
            let (lost, still) = removed.split_at(removed.partition_point(|entry| entry.0 == v));
            visit(v, gained, lost);
            (added, removed) = (later, still);
        }
    }
}

fn sort(entries: &mut [Entry]) {
    entries.sort_unstable_by(compare);
}

fn compare(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2))
}

/// Takes out of two sorted lists what both have, as often as both have it.
fn cancel(added: &mut Vec<Entry>, removed: &mut Vec<Entry>) {
    let mut common = Vec::new();
    let mut at = 0;
    for (index, entry) in added.iter().enumerate() {
        while at < removed.len() && compare(&removed[at], entry).is_lt() {
            at += 1;
        }
        if at < removed.len() && compare(&removed[at], entry).is_eq() {
            common.push((index, at));
            at += 1;
        }
    }
    let without = |entries: &mut Vec<Entry>, positions: Vec<usize>| {
        let (mut position, mut gone) = (0, positions.into_iter().peekable());
        entries.retain(|_| {
            let stays = gone.next_if_eq(&position).is_none();
            position += 1;
            stays
        });
    };
    without(added, common.iter().map(|pair| pair.0).collect());
    without(removed, common.iter().map(|pair| pair.1).collect());
}

fn with_reversed(edges: &[Entry]) -> Vec<Entry> {
    let reversed = edges.iter().map(|&(u, v, weight)| (v, u, weight));
    edges.iter().copied().chain(reversed).collect()
}

fn entries_of<G: Graph>(graph: &G) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(graph.arc_count() as usize);
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        for_each_weighted(&mut reader, u, |v, weight| entries.push((u, v, weight)));
    }
    entries
}

/// How often `v` is in the list of `u`.
fn multiplicity(reader: &mut impl NeighborReader, u: VertexId, v: VertexId) -> u64 {
    let mut count = 0;
    reader.for_each_neighbor(u, |w| count += u64::from(w == v));
    count
}
