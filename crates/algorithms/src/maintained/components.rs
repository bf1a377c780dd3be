//! Weakly connected components that follow their graph.
//!
//! State: for each vertex its set, sets being united without touching their
//! vertices, and its parent in a forest that spans each component.
//!
//! An inserted edge between two components unites their sets, and hangs one tree
//! into the other. A deleted edge that is not in the forest changes nothing. One
//! that is cuts a tree in two: both parts are searched, always the one with less
//! read so far, until an edge leads from one to the other, which takes the place of
//! the deleted one, or until one part is exhausted, which is then a component of its
//! own. Which part a vertex is in, its ancestors say.
//!
//! Work: O(log n), amortised, an insertion that unites nothing, O(depth) more one that
//! does; O(1) a deletion beside the forest; O(depth) and the lists that are read otherwise. Graphs
//! whose vertices have many neighbors give a replacement at once. The worst case is
//! a cycle, of which every vertex may be read to find its other end: O(n + m), as
//! from scratch. A component that loses its smallest vertex looks for the next: O(n)
//! without reading the graph. DRAM: 2n words of 4 bytes, 3 a component, and n while an
//! update runs. Labels are those of the static algorithm, exactly.
//! Sources: the sets are Tarjan's ("Efficiency of a Good But Not Linear Set Union
//! Algorithm", 1975); searching both parts at a time is Even and Shiloach, "An On-Line
//! Edge-Deletion Problem", 1981.

mod search;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, Symmetric, VertexId};

use self::search::{Outcome, Search};
use super::{Changes, Entry, Summary};
use crate::bfs::{ALPHA, BETA, ClaimParent};
use crate::connected_components;
use crate::edge_map::{Switch, edge_map};
use crate::parallel::{shared_u32, unshared_u32};
use crate::{Control, RunError, UNREACHED, VertexSubset};

/// The components of a graph, and what keeps them up to date.
#[derive(Clone, Debug)]
pub struct Components {
    /// For each vertex where its set is in `table`.
    sets: Vec<u32>,
    table: Vec<Set>,
    /// For each vertex its parent in the forest, itself for a root.
    parents: Vec<VertexId>,
    components: usize,
}

#[derive(Clone, Copy, Debug)]
struct Set {
    /// The set that it became a part of; itself while it is none.
    above: u32,
    /// Vertices.
    size: u32,
    /// The smallest of them.
    least: VertexId,
}

/// The components of `graph`. O(m).
///
/// # Errors
/// [`RunError::NeedsInLists`] if `graph` keeps only out-lists, or if `control` ends
/// the run.
pub fn start<G: Graph>(graph: &G, control: &Control) -> Result<Components, RunError> {
    let graph = Symmetric::of(graph).ok_or(RunError::NeedsInLists)?;
    let labels = connected_components::run(&graph, control)?.labels;
    let parents = shared_u32(labels.len(), UNREACHED, control)?;
    let roots: Vec<VertexId> = (0..)
        .zip(&labels)
        .filter(|&(v, &l)| v == l)
        .map(|p| p.0)
        .collect();
    for &root in &roots {
        parents[root as usize].store(root, Relaxed);
    }
    let kernel = ClaimParent {
        parents: &parents,
        claimed: |_| (),
    };
    let mut switch = Switch::new(&graph, ALPHA, BETA);
    let mut frontier = VertexSubset::Sparse(roots);
    while !frontier.is_empty() {
        frontier = edge_map(&graph, frontier, &kernel, &mut switch, control)?;
    }
    Ok(Components::of(&labels, unshared_u32(parents)))
}

impl Components {
    /// The state whose labels and forest were kept; `None` if they cannot be of one
    /// graph. O(n).
    pub fn restore(labels: &[VertexId], forest: Vec<VertexId>) -> Option<Self> {
        let n = labels.len();
        let fits = |of: &[VertexId]| of.iter().all(|&v| (v as usize) < n);
        let least = |(v, &label): (usize, &VertexId)| {
            label as usize <= v && labels[label as usize] == label
        };
        let own = |vertices: &[VertexId]| (0..).zip(vertices).filter(|&(v, &of)| v == of).count();
        // A root above each vertex and no more roots than labels: one for each label.
        let valid = forest.len() == n
            && fits(labels)
            && fits(&forest)
            && labels.iter().enumerate().all(least)
            && forest
                .iter()
                .zip(labels)
                .all(|(&p, &label)| labels[p as usize] == label)
            && own(&forest) == own(labels)
            && leads_to_roots(&forest);
        valid.then(|| Self::of(labels, forest))
    }

    fn of(labels: &[VertexId], parents: Vec<VertexId>) -> Self {
        let (sets, table) = numbered(labels);
        Self {
            sets,
            components: table.len(),
            table,
            parents,
        }
    }

    /// For each vertex the smallest vertex of its component. O(n).
    pub fn labels(&self) -> Vec<VertexId> {
        let vertices = 0..self.sets.len() as VertexId;
        vertices
            .map(|v| self.table[self.root_of(v) as usize].least)
            .collect()
    }

    /// For each vertex its parent in a forest of edges that spans every component,
    /// itself for a root.
    pub fn forest(&self) -> &[VertexId] {
        &self.parents
    }

    /// Components, isolated vertices included.
    pub fn components(&self) -> usize {
        self.components
    }

    /// Vertices of the largest component. O(components).
    pub fn largest(&self) -> usize {
        let roots = (0..).zip(&self.table).filter(|&(at, set)| set.above == at);
        roots.map(|(_, set)| set.size as usize).max().unwrap_or(0)
    }

    /// Follows the graph to `after`.
    ///
    /// # Errors
    /// [`RunError::NeedsInLists`] if `after` keeps only out-lists, or if `control`
    /// ends the run.
    ///
    /// # Panics
    /// If `after` has fewer vertices than before.
    pub fn update<G: Graph>(
        &mut self,
        after: &G,
        changes: &Changes,
        control: &Control,
    ) -> Result<Summary, RunError> {
        let after = Symmetric::of(after).ok_or(RunError::NeedsInLists)?;
        self.grow(after.vertex_count());
        let mut summary = Summary::default();
        for &(u, v, _) in changes.added() {
            summary.touched += 2;
            self.unite(u, v);
        }
        let mut cut = self.lost_forest_edges(&after, changes.removed(), &mut summary);
        if cut.is_empty() {
            return Ok(summary);
        }
        // Edges are deleted one after the other; until its turn, each is still there.
        let mut search = Search::new(after.reader(), after.vertex_count(), &cut);
        while let Some((u, v)) = cut.pop_first() {
            control.check()?;
            search.forget(u, v);
            self.cut(u, v, &mut search, &mut summary);
        }
        if self.table.len() > 2 * self.sets.len() {
            let labels = self.labels();
            (self.sets, self.table) = numbered(&labels);
        }
        Ok(summary)
    }

    fn grow(&mut self, vertex_count: usize) {
        assert!(
            vertex_count >= self.sets.len(),
            "vertices are only ever added"
        );
        for v in self.sets.len() as VertexId..vertex_count as VertexId {
            let set = self.new_set(1, v);
            self.sets.push(set);
            self.parents.push(v);
            self.components += 1;
        }
    }

    fn new_set(&mut self, size: u32, least: VertexId) -> u32 {
        let above = self.table.len() as u32;
        self.table.push(Set { above, size, least });
        above
    }

    /// The set that the set of `v` is a part of.
    fn root_of(&self, v: VertexId) -> u32 {
        let mut at = self.sets[v as usize];
        while self.table[at as usize].above != at {
            at = self.table[at as usize].above;
        }
        at
    }

    /// As [`Components::root_of`], which it shortens the way to.
    fn find(&mut self, v: VertexId) -> u32 {
        let mut at = self.sets[v as usize];
        loop {
            let above = self.table[at as usize].above;
            if above == at {
                self.sets[v as usize] = at;
                return at;
            }
            // Path halving.
            let next = self.table[above as usize].above;
            self.table[at as usize].above = next;
            at = next;
        }
    }

    fn unite(&mut self, u: VertexId, v: VertexId) {
        let (a, b) = (self.find(u), self.find(v));
        if a == b {
            return;
        }
        let [sizes_a, sizes_b] = [a, b].map(|set| self.table[set as usize]);
        let (small, large, below, over) = match sizes_a.size < sizes_b.size {
            true => (a, b, u, v),
            false => (b, a, v, u),
        };
        self.make_root(below);
        self.parents[below as usize] = over;
        self.table[small as usize].above = large;
        let large = &mut self.table[large as usize];
        large.size = sizes_a.size + sizes_b.size;
        large.least = sizes_a.least.min(sizes_b.least);
        self.components -= 1;
    }

    /// Turns the edges between `v` and the root of its tree around.
    fn make_root(&mut self, v: VertexId) {
        let (mut below, mut at) = (v, v);
        loop {
            let above = std::mem::replace(&mut self.parents[at as usize], below);
            if above == at {
                return;
            }
            (below, at) = (at, above);
        }
    }

    /// The edges of the forest that are in no list any more, each with its smaller
    /// end first.
    fn lost_forest_edges<G: Graph>(
        &self,
        after: &G,
        removed: &[Entry],
        summary: &mut Summary,
    ) -> BTreeSet<(VertexId, VertexId)> {
        let mut reader = after.reader();
        let mut lost = BTreeSet::new();
        let mut remaining = BTreeSet::new();
        for &(u, v, _) in removed {
            summary.touched += 2;
            let edge = (u.min(v), u.max(v));
            let in_forest =
                u != v && (self.parents[u as usize] == v || self.parents[v as usize] == u);
            if !in_forest || lost.contains(&edge) || remaining.contains(&edge) {
                continue;
            }
            let (short, long) = match reader.degree(u) <= reader.degree(v) {
                true => (u, v),
                false => (v, u),
            };
            let mut parallel = false;
            let _ = reader.for_each_segment(short, |segment| {
                summary.edges_read += segment.len() as u64;
                parallel = segment.contains(&long);
                match parallel {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            match parallel {
                true => remaining.insert(edge),
                false => lost.insert(edge),
            };
        }
        lost
    }

    /// Deletes the edge between `u` and `v` from the forest, and finds out whether
    /// that splits their component.
    fn cut(
        &mut self,
        u: VertexId,
        v: VertexId,
        search: &mut Search<impl NeighborReader>,
        summary: &mut Summary,
    ) {
        let (child, parent) = match self.parents[u as usize] == v {
            true => (u, v),
            false => (v, u),
        };
        self.parents[child as usize] = child;
        match search.run(child, parent, &self.parents, summary) {
            Outcome::Replacement { below, over } => {
                self.make_root(below);
                self.parents[below as usize] = over;
            }
            Outcome::Split(part) => self.split(&part),
        }
    }

    /// Makes a set of its own of `part` of a set.
    fn split(&mut self, part: &[VertexId]) {
        let old = self.find(part[0]);
        let least = part.iter().copied().min().unwrap_or(part[0]);
        let new = self.new_set(part.len() as u32, least);
        for &v in part {
            self.sets[v as usize] = new;
        }
        self.components += 1;
        self.table[old as usize].size -= part.len() as u32;
        if self.table[old as usize].least == least {
            let mut next = least + 1;
            while self.find(next) != old {
                next += 1;
            }
            self.table[old as usize].least = next;
        }
    }
}

/// Whether the ways up from all vertices end at vertices that are their own parents.
fn leads_to_roots(parents: &[VertexId]) -> bool {
    let mut climbed_from = vec![UNREACHED; parents.len()];
    (0..parents.len() as VertexId).all(|v| {
        let mut at = v;
        while climbed_from[at as usize] == UNREACHED {
            climbed_from[at as usize] = v;
            at = parents[at as usize];
        }
        // Not again at a vertex of the same climb, unless it is a root.
        climbed_from[at as usize] != v || parents[at as usize] == at
    })
}

/// Sets for labels: for each vertex its set, and the sets.
fn numbered(labels: &[VertexId]) -> (Vec<u32>, Vec<Set>) {
    let mut sets = vec![0; labels.len()];
    let mut table: Vec<Set> = Vec::new();
    // A label comes before all others that bear it.
    for (v, &label) in (0..).zip(labels) {
        if v == label {
            sets[v as usize] = table.len() as u32;
            table.push(Set {
                above: table.len() as u32,
                size: 0,
                least: v,
            });
        }
        let set = sets[label as usize];
        sets[v as usize] = set;
        table[set as usize].size += 1;
    }
    (sets, table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::{Csr, StoredLists};

    #[test]
    fn sets_that_are_gone_are_forgotten() {
        const UNDIRECTED: StoredLists = StoredLists::Undirected;
        let edge = [(0, 1, 1.0)];
        let [with, without] = [&edge[..], &[]].map(|e| Csr::from_weighted_edges(3, e, UNDIRECTED));
        let mut state = start(&without, &Control::new()).unwrap();
        for _ in 0..20 {
            let added = Changes::of_edges(UNDIRECTED, &edge, &[]);
            state.update(&with, &added, &Control::new()).unwrap();
            assert_eq!(state.labels(), [0, 0, 2]);
            let removed = Changes::of_edges(UNDIRECTED, &[], &edge);
            state.update(&without, &removed, &Control::new()).unwrap();
            assert_eq!(state.labels(), [0, 1, 2]);
            assert!(state.table.len() <= 6, "{} sets", state.table.len());
        }
    }
}
