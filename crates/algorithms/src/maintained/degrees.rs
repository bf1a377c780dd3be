//! Degrees that follow their graph: how many neighbors vertices have.
//!
//! State: the degree of each vertex, and how many vertices have each degree; of a
//! directed graph that for out- and for in-lists, also if only out-lists are kept.
//! Parallel edges count as often as they are stored, an undirected self-loop twice.
//!
//! Work O(log d) a changed entry, where d is the number of different degrees; the
//! graph is not read, so this is the bound and the worst case. Exact. DRAM: n words
//! of 4 bytes a direction.

use std::collections::BTreeMap;

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};

use super::{Changes, Summary};
use crate::error::compare_exact;
use crate::parallel::{Lists, shared_degrees, unshared_u32};
use crate::{Control, Mismatch, RunError};

/// The degrees of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degrees {
    out: Side,
    /// `None` for an undirected graph.
    incoming: Option<Side>,
}

/// The degrees in lists of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    degrees: Vec<u32>,
    /// How many vertices have a degree, without degrees that none has.
    counts: BTreeMap<u32, u64>,
}

/// Statistics of all degrees.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// The smallest; 0 in an empty graph.
    pub min: u32,
    /// The largest; 0 in an empty graph.
    pub max: u32,
    /// Their mean; 0 in an empty graph.
    pub mean: f64,
    /// Vertices of degree 0; then of 1, of 2 and 3, of 4 to 7, and so on up to the
    /// largest degree.
    pub histogram: Vec<u64>,
}

/// The degrees in `graph`. O(n) with the lists that are kept, O(m) for in-degrees
/// without in-lists.
///
/// # Errors
/// If `control` ends the run.
pub fn start<G: Graph>(graph: &G, control: &Control) -> Result<Degrees, RunError> {
    let side = |lists| Ok::<_, RunError>(Side::of(unshared_u32(shared_degrees(lists, control)?)));
    let incoming = match (graph.stored_lists(), Lists::incoming(graph)) {
        (StoredLists::Undirected, _) => None,
        (_, Some(lists)) => Some(side(lists)?),
        (_, None) => Some(Side::of(in_degrees(graph))),
    };
    Ok(Degrees {
        out: side(Lists::outgoing(graph))?,
        incoming,
    })
}

fn in_degrees<G: Graph>(graph: &G) -> Vec<u32> {
    let mut degrees = vec![0; graph.vertex_count()];
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        reader.for_each_neighbor(u, |v| degrees[v as usize] += 1);
    }
    degrees
}

impl Degrees {
    /// The state whose degrees were kept.
    pub fn restore(out: Vec<u32>, incoming: Option<Vec<u32>>) -> Self {
        Self {
            out: Side::of(out),
            incoming: incoming.map(Side::of),
        }
    }

    /// Of the out-lists; of an undirected graph all there are.
    pub fn out(&self) -> &Side {
        &self.out
    }

    /// Of the in-lists; `None` for an undirected graph.
    pub fn incoming(&self) -> Option<&Side> {
        self.incoming.as_ref()
    }

    /// Vertices without any edge.
    ///
    /// O(1) in an undirected graph, else O(n).
    pub fn isolated(&self) -> u64 {
        match &self.incoming {
            None => self.out.count(0),
            Some(incoming) => {
                let both = self.out.degrees.iter().zip(&incoming.degrees);
                both.filter(|&(&out, &incoming)| out == 0 && incoming == 0)
                    .count() as u64
            }
        }
    }

    /// Follows the graph to `after`.
    ///
    /// # Panics
    /// If `after` has fewer vertices than before, or the changes are of another graph.
    pub fn update<G: Graph>(&mut self, after: &G, changes: &Changes) -> Summary {
        for side in [Some(&mut self.out), self.incoming.as_mut()]
            .into_iter()
            .flatten()
        {
            side.grow(after.vertex_count());
        }
        // All added before any is removed: no degree is below 0 on the way.
        for (entries, step) in [(changes.added(), 1), (changes.removed(), -1)] {
            for &(u, v, _) in entries {
                self.out.change(u, step);
                if let Some(incoming) = &mut self.incoming {
                    incoming.change(v, step);
                }
            }
        }
        Summary {
            touched: changes.len() as u64,
            edges_read: 0,
        }
    }
}

impl Side {
    fn of(degrees: Vec<u32>) -> Self {
        let mut counts = BTreeMap::new();
        for &degree in &degrees {
            *counts.entry(degree).or_default() += 1;
        }
        Self { degrees, counts }
    }

    /// For each vertex its degree.
    pub fn degrees(&self) -> &[u32] {
        &self.degrees
    }

    /// How many vertices have this degree.
    pub fn count(&self, degree: u32) -> u64 {
        self.counts.get(&degree).copied().unwrap_or(0)
    }

    /// O(different degrees).
    pub fn statistics(&self) -> Statistics {
        let max = self
            .counts
            .last_key_value()
            .map_or(0, |(&degree, _)| degree);
        let mut histogram = vec![0; (u32::BITS - max.leading_zeros()) as usize + 1];
        let mut sum = 0;
        for (&degree, &count) in &self.counts {
            histogram[(u32::BITS - degree.leading_zeros()) as usize] += count;
            sum += u64::from(degree) * count;
        }
        Statistics {
            min: self
                .counts
                .first_key_value()
                .map_or(0, |(&degree, _)| degree),
            max,
            mean: sum as f64 / self.degrees.len().max(1) as f64,
            histogram,
        }
    }

    fn grow(&mut self, vertex_count: usize) {
        let new = vertex_count
            .checked_sub(self.degrees.len())
            .expect("vertices are only ever added");
        if new > 0 {
            *self.counts.entry(0).or_default() += new as u64;
            self.degrees.resize(vertex_count, 0);
        }
    }

    fn change(&mut self, v: VertexId, step: i32) {
        let degree = &mut self.degrees[v as usize];
        let before = *degree;
        *degree = before
            .checked_add_signed(step)
            .expect("an entry that was removed was there");
        let count = self.counts.entry(before).or_default();
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&before);
        }
        *self.counts.entry(*degree).or_default() += 1;
    }
}

/// Checks all degrees by counting the entries of all lists. Sequential, O(n + m).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &Degrees) -> Result<(), Mismatch> {
    let mut out = vec![0; graph.vertex_count()];
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        reader.for_each_neighbor(u, |_| out[u as usize] += 1);
    }
    compare_exact("degree", &result.out.degrees, &out)?;
    match &result.incoming {
        Some(incoming) => compare_exact("in-degree", &incoming.degrees, &in_degrees(graph)),
        None => Ok(()),
    }
}
