//! Triangle counts that follow their graph.
//!
//! State: the triangles of each vertex, and their number. Only edges count that were
//! not there before, or are not any more, whatever the parallel ones. First the
//! triangles are taken away that a removed edge was in, then those added that an added
//! edge is in. A triangle with several such edges is found at each, and counted at the
//! first.
//!
//! The common neighbors of the ends of an edge are those of its end of lower degree that
//! bear a mark of the other's, whose list is marked once for all its edges.
//!
//! Work: for each changed edge the shorter list of its ends, and once the longer ones.
//! That is the bound and the worst case; O(n) for each edge. Exact, the same as the static
//! algorithm. DRAM: n words, and n / 2 while an update runs.
//! Source: the count of the neighborhoods of an edge is folklore; Eppstein and Spiro,
//! "The h-Index of a Graph and its Application to Dynamic Subgraph Statistics", 2009,
//! discuss it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId};

use super::{Changes, Summary, multiplicity};
use crate::error::check_undirected;
use crate::triangle_count::{self, Detail, TriangleCount};
use crate::{Control, RunError};

/// The triangles of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triangles {
    counts: TriangleCount,
}

/// The triangles of `graph`, by the static algorithm.
///
/// # Errors
/// [`RunError::NeedsUndirected`] if the graph is directed, or if `control` ends
/// the run.
pub fn start<G: Graph>(graph: &G, control: &Control) -> Result<Triangles, RunError> {
    let counts = triangle_count::run(graph, Detail::Vertices, control)?;
    Ok(Triangles { counts })
}

impl Triangles {
    /// The state whose counts at the vertices were kept.
    pub fn restore(at_vertices: Vec<u64>) -> Self {
        let counts = TriangleCount {
            triangles: at_vertices.iter().sum::<u64>() / 3,
            at_vertices,
        };
        Self { counts }
    }

    /// How many there are, and at which vertices.
    pub fn counts(&self) -> &TriangleCount {
        &self.counts
    }

    /// Follows the graph to `after`.
    ///
    /// # Errors
    /// [`RunError::NeedsUndirected`] if `after` is directed, or if `control` ends the
    /// run.
    ///
    /// # Panics
    /// If `after` has fewer vertices than before, or the changes are of another graph.
    pub fn update<G: Graph>(
        &mut self,
        after: &G,
        changes: &Changes,
        control: &Control,
    ) -> Result<Summary, RunError> {
        check_undirected(after)?;
        let n = after.vertex_count();
        assert!(
            n >= self.counts.at_vertices.len(),
            "vertices are only ever added"
        );
        self.counts.at_vertices.resize(n, 0);
        let mut reader = after.reader();
        let mut summary = Summary::default();
        let (added, removed) = transitions(&mut reader, &changes.without_weights(), &mut summary);
        let mut pass = Pass {
            reader,
            marks: control.array(0, n)?,
            mark: 0,
            summary,
        };
        // The graph without what was added, and with what was removed; then as it is.
        let none = Edges::default();
        for (changed, hidden, gained) in [(&removed, &added, false), (&added, &none, true)] {
            pass.for_each_triangle(changed, hidden, control, |corners| {
                for v in corners {
                    adjust(&mut self.counts.at_vertices[v as usize], gained);
                }
                adjust(&mut self.counts.triangles, gained);
            })?;
        }
        Ok(pass.summary)
    }
}

fn adjust(count: &mut u64, gained: bool) {
    match gained {
        true => *count += 1,
        false => *count -= 1,
    }
}

/// Edges between different vertices, whatever the parallel ones.
#[derive(Default)]
struct Edges {
    /// By their ends, the smaller first: the place of the edge among them.
    places: BTreeMap<(VertexId, VertexId), usize>,
    neighbors: BTreeMap<VertexId, Vec<VertexId>>,
}

impl Edges {
    fn insert(&mut self, u: VertexId, v: VertexId) {
        self.places.insert((u.min(v), u.max(v)), self.places.len());
        self.neighbors.entry(u).or_default().push(v);
        self.neighbors.entry(v).or_default().push(u);
    }

    fn place(&self, u: VertexId, v: VertexId) -> Option<usize> {
        self.places.get(&(u.min(v), u.max(v))).copied()
    }

    fn neighbors(&self, v: VertexId) -> &[VertexId] {
        self.neighbors.get(&v).map_or(&[], |list| list)
    }
}

/// The edges that were not there before, and those that are not there any more.
fn transitions(
    reader: &mut impl NeighborReader,
    changes: &Changes,
    summary: &mut Summary,
) -> (Edges, Edges) {
    let (mut added, mut removed) = (Edges::default(), Edges::default());
    // Without weights, an edge is only on one of the sides.
    for (entries, gained) in [(changes.added(), true), (changes.removed(), false)] {
        for parallel in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (u, v, _) = parallel[0];
            if u >= v {
                continue;
            }
            let [of_u, of_v] = [u, v].map(|end| reader.degree(end));
            let (short, other) = if of_u <= of_v { (u, v) } else { (v, u) };
            summary.touched += 2;
            summary.edges_read += of_u.min(of_v) as u64;
            let now = multiplicity(reader, short, other);
            match gained {
                true if now == parallel.len() as u64 => added.insert(u, v),
                false if now == 0 => removed.insert(u, v),
                _ => (),
            }
        }
    }
    (added, removed)
}

/// Search for the triangles of changed edges.
struct Pass<R> {
    reader: R,
    /// A vertex has the current mark if it is a neighbor of the end whose edges are
    /// looked at. Zeros are handed out by the system without being written.
    marks: Vec<u32>,
    mark: u32,
    summary: Summary,
}

impl<R: NeighborReader> Pass<R> {
    /// Calls `visit` with the corners of each triangle that an edge of `changed` is in,
    /// in the graph with all of these edges and without `hidden` ones.
    fn for_each_triangle(
        &mut self,
        changed: &Edges,
        hidden: &Edges,
        control: &Control,
        mut visit: impl FnMut([VertexId; 3]),
    ) -> Result<(), RunError> {
        let ends = changed.places.iter().map(|(&(u, v), &place)| {
            match self.reader.degree(u) >= self.reader.degree(v) {
                true => (u, v, place),
                false => (v, u, place),
            }
        });
        let mut edges: Vec<(VertexId, VertexId, usize)> = ends.collect();
        edges.sort_unstable();
        let mut common = Vec::new();
        for edges in edges.chunk_by(|a, b| a.0 == b.0) {
            let hub = edges[0].0;
            control.check()?;
            self.mark_neighbors(hub, changed, hidden);
            for &(_, other, place) in edges {
                self.common(other, changed, &mut common);
                for &w in common.iter().filter(|&&w| w != hub && w != other) {
                    let is_later = |end| changed.place(end, w).is_none_or(|at| at > place);
                    if hidden.place(other, w).is_none() && is_later(hub) && is_later(other) {
                        visit([hub, other, w]);
                    }
                }
            }
        }
        Ok(())
    }

    fn mark_neighbors(&mut self, hub: VertexId, changed: &Edges, hidden: &Edges) {
        self.mark += 1;
        let (marks, mark, summary) = (&mut self.marks, self.mark, &mut self.summary);
        summary.touched += 1;
        let _ = self.reader.for_each_segment(hub, |segment| {
            summary.edges_read += segment.len() as u64;
            segment.iter().for_each(|&w| marks[w as usize] = mark);
            ControlFlow::Continue(())
        });
        for &w in changed.neighbors(hub) {
            marks[w as usize] = mark;
        }
        for &w in hidden.neighbors(hub) {
            marks[w as usize] = 0;
        }
    }

    /// The neighbors of `v` that bear the mark, each once.
    fn common(&mut self, v: VertexId, changed: &Edges, common: &mut Vec<VertexId>) {
        common.clear();
        let (marks, mark, summary) = (&self.marks, self.mark, &mut self.summary);
        let is_marked = |w: &VertexId| marks[*w as usize] == mark;
        let _ = self.reader.for_each_segment(v, |segment| {
            summary.edges_read += segment.len() as u64;
            common.extend(segment.iter().copied().filter(is_marked));
            ControlFlow::Continue(())
        });
        common.extend(changed.neighbors(v).iter().copied().filter(is_marked));
        common.sort_unstable();
        common.dedup();
    }
}
