//! A copy of the graph whose edges have numbers.

use evergraph_graph::{Csr, Graph, Shape, VertexId};
use rayon::prelude::*;

use crate::parallel::CHUNK_VERTICES;
use crate::{Control, RunError};

/// One list is walked step by step together with another that is up to so many
/// times longer, and searched for in a longer one.
const SEARCH_RATIO: usize = 32;

/// The lists of a simple undirected graph, sorted, with the number of each edge.
pub(super) struct NumberedLists {
    /// Start of each list, and the end of the last.
    starts: Vec<usize>,
    neighbors: Vec<VertexId>,
    /// Beside `neighbors`.
    numbers: Vec<u32>,
}

impl NumberedLists {
    /// Numbers the edges of `graph`, made simple, in ascending order of their
    /// smaller end and then the larger; gives also the ends by number.
    pub(super) fn new<G: Graph>(
        graph: &G,
        control: &Control,
    ) -> Result<(Self, Vec<(VertexId, VertexId)>), RunError> {
        let csr = Csr::seal(graph, Shape::Simple, &|| control.check())?;
        let edge_count = csr.arc_count() / 2;
        if u32::try_from(edge_count).is_err() {
            return Err(RunError::TooManyEdges { edge_count });
        }
        let n = csr.vertex_count();
        let mut edges = Vec::with_capacity(edge_count as usize);
        // The number of a vertex' first edge to a larger one.
        let mut firsts = Vec::with_capacity(n);
        let mut starts = vec![0];
        for u in 0..n as VertexId {
            let list = csr.neighbors(u);
            firsts.push(edges.len() as u32);
            edges.extend(larger(list, u).iter().map(|&v| (u, v)));
            starts.push(starts[u as usize] + list.len());
        }
        let mut lists = Self {
            starts,
            neighbors: Vec::with_capacity(csr.arc_count() as usize),
            numbers: control.array(0, csr.arc_count() as usize)?,
        };
        for u in 0..n as VertexId {
            lists.neighbors.extend_from_slice(csr.neighbors(u));
        }
        let number = |u: VertexId, v: VertexId| {
            let (small, large) = (u.min(v), u.max(v));
            let at = larger(csr.neighbors(small), small).partition_point(|&w| w < large);
            firsts[small as usize] + at as u32
        };
        lists
            .tasks()
            .into_par_iter()
            .try_for_each(|(first, starts, numbers)| {
                control.check()?;
                let mut numbers = numbers.iter_mut();
                for u in first..first + starts.len() as VertexId - 1 {
                    for (&v, place) in csr.neighbors(u).iter().zip(&mut numbers) {
                        *place = number(u, v);
                    }
                }
                Ok::<(), RunError>(())
            })?;
        Ok((lists, edges))
    }

    /// For each chunk of vertices its first, where its lists start, and their
    /// numbers.
    fn tasks(&mut self) -> Vec<(VertexId, &[usize], &mut [u32])> {
        let mut rest = &mut *self.numbers;
        let last = self.starts.len() - 1;
        (0..last)
            .step_by(CHUNK_VERTICES)
            .map(|first| {
                let starts = &self.starts[first..=last.min(first + CHUNK_VERTICES)];
                let len = starts[starts.len() - 1] - starts[0];
                let numbers = rest.split_off_mut(..len).expect("lists are in order");
                (first as VertexId, starts, numbers)
            })
            .collect()
    }

    /// Edges in the lists.
    pub(super) fn edge_count(&self) -> usize {
        self.neighbors.len() / 2
    }

    /// Leaves out the edges whose numbers `keep` refuses.
    pub(super) fn retain(
        &mut self,
        keep: impl Fn(u32) -> bool,
        control: &Control,
    ) -> Result<(), RunError> {
        let (mut from, mut to) = (0, 0);
        for v in 0..self.starts.len() - 1 {
            if v % CHUNK_VERTICES == 0 {
                control.check()?;
            }
            for from in from..self.starts[v + 1] {
                self.neighbors[to] = self.neighbors[from];
                self.numbers[to] = self.numbers[from];
                to += usize::from(keep(self.numbers[from]));
            }
            from = std::mem::replace(&mut self.starts[v + 1], to);
        }
        self.neighbors.truncate(to);
        self.numbers.truncate(to);
        Ok(())
    }

    /// For each vertex joined with both `u` and `v` the numbers of these two
    /// edges, in either order.
    #[inline]
    pub(super) fn for_each_common(
        &self,
        u: VertexId,
        v: VertexId,
        mut visit: impl FnMut(u32, u32),
    ) {
        let range = |v: VertexId| self.starts[v as usize]..self.starts[v as usize + 1];
        let (mut short, mut long) = (range(u), range(v));
        if short.len() > long.len() {
            std::mem::swap(&mut short, &mut long);
        }
        let (a, b) = (
            &self.neighbors[short.clone()],
            &self.neighbors[long.clone()],
        );
        let (in_a, in_b) = (&self.numbers[short], &self.numbers[long]);
        let (mut i, mut j) = (0, 0);
        let search = b.len() / SEARCH_RATIO > a.len();
        while i < a.len() && j < b.len() {
            if search {
                j += b[j..].partition_point(|&w| w < a[i]);
                if j == b.len() {
                    return;
                }
            }
            let (x, y) = (a[i], b[j]);
            if x == y {
                visit(in_a[i], in_b[j]);
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
    }
}

/// Rest of a sorted list behind `u`.
fn larger(list: &[VertexId], u: VertexId) -> &[VertexId] {
    &list[list.partition_point(|&v| v < u)..]
}
