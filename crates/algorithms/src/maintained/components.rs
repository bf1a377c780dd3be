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
//! Work: O(α) an insertion that unites nothing, O(depth) one that does; O(1) a
//! deletion beside the forest; O(depth) and the lists that are read otherwise. Graphs
//! whose vertices have many neighbors give a replacement at once. The worst case is
//! a cycle, of which every vertex may be read to find its other end: O(n + m), as
//! from scratch. A component that loses its smallest vertex looks for the next: O(n)
//! without reading the graph. DRAM: 2n words of 4 bytes, 3 a component, and n while an
//! update runs. Labels are those of the static algorithm, exactly.
//! Sources: the sets are Tarjan's ("Efficiency of a Good But Not Linear Set Union
//! Algorithm", 1975); searching both parts at a time is Even and Shiloach, "An On-Line
//! Edge-Deletion Problem", 1981.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, Symmetric, VertexId};

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
    let parents = shared_u32(labels.len(), UNREACHED);
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
        let valid = forest.len() == n
            && fits(labels)
            && fits(&forest)
            && labels.iter().enumerate().all(least)
            && forest
                .iter()
                .zip(labels)
                .all(|(&p, &label)| labels[p as usize] == label);
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
        let root = self.root_of(v);
        self.sets[v as usize] = root;
        root
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

/// What became of a tree that was cut.
enum Outcome {
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
struct Search<R> {
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
    fn new(reader: R, vertex_count: usize, cut: &BTreeSet<(VertexId, VertexId)>) -> Self {
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
    fn forget(&mut self, u: VertexId, v: VertexId) {
        for (end, other) in [(u, v), (v, u)] {
            if let Some(neighbors) = self.pending.get_mut(&end) {
                neighbors.retain(|&w| w != other);
            }
        }
    }

    /// Searches from `child`, which is a root now, and from `parent`.
    fn run(
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
