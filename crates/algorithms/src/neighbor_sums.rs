//! For every vertex the sum of its neighbors' values: the adjacency matrix times a
//! vector, for centralities by power iteration.
//!
//! A pull reads each vertex's list and writes its sum. Graphs that keep only
//! out-lists push values along them instead, as integers of a unit that is chosen
//! so that all values that move add up to at most 2^61: sums do not depend on the
//! order of additions, and are good to some 2^−60 of that total.
//!
//! Work O(n + m). DRAM: nothing for a pull, n words of 8 bytes for a push.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::parallel::{CHUNK_VERTICES, Lists, chunk_range, for_each_list, hub_pieces};
use crate::sums::ListSum;
use crate::{Cancelled, Control};

/// Sums over the in-neighbors of each vertex.
pub(crate) struct InSums<'g, G> {
    graph: &'g G,
    /// Sums that pushes add to, 0 between two calls; empty if the graph has in-lists.
    pushed: Vec<AtomicU64>,
}

impl<'g, G: Graph> InSums<'g, G> {
    pub(crate) fn new(graph: &'g G) -> Self {
        let pushed = match Lists::incoming(graph) {
            Some(_) => Vec::new(),
            None => std::iter::repeat_with(AtomicU64::default)
                .take(graph.vertex_count())
                .collect(),
        };
        Self { graph, pushed }
    }

    /// Writes into `sums` for each vertex the sum of `values`, none negative, over
    /// its in-list.
    pub(crate) fn compute(
        &mut self,
        values: &[f64],
        sums: &mut [f64],
        control: &Control,
    ) -> Result<(), Cancelled> {
        match Lists::incoming(self.graph) {
            Some(lists) => pull(lists, values, sums, control),
            None => push(self.graph, values, &self.pushed, sums, control),
        }
    }
}

/// Writes into `sums` for each vertex the sum of `values` over its list.
pub(crate) fn pull<G: Graph>(
    lists: Lists<'_, G>,
    values: &[f64],
    sums: &mut [f64],
    control: &Control,
) -> Result<(), Cancelled> {
    let n = lists.vertex_count();
    let gather = |sum: &mut ListSum<f64>, segment: &[VertexId]| {
        sum.add(segment, |u| values[u as usize]);
        ControlFlow::Continue(())
    };
    let hubs: Vec<Vec<VertexId>> = sums
        .par_chunks_mut(CHUNK_VERTICES)
        .enumerate()
        .with_max_len(4)
        .map(|(chunk, sums)| {
            control.check()?;
            let mut hubs = Vec::new();
            let mut reader = lists.reader();
            for (v, total) in chunk_range(chunk, n).zip(sums) {
                let mut sum = ListSum::default();
                let whole = reader.for_each_segment(v, |segment| {
                    sum.has_room(segment)?;
                    gather(&mut sum, segment)
                });
                if whole.is_break() {
                    hubs.push(v);
                    continue;
                }
                *total = sum.total();
            }
            Ok(hubs)
        })
        .collect::<Result<_, Cancelled>>()?;
    for hub in hubs.into_iter().flatten() {
        let pieces = hub_pieces(lists, hub, control, gather)?;
        sums[hub as usize] = pieces.iter().map(ListSum::total).sum();
    }
    Ok(())
}

fn push<G: Graph>(
    graph: &G,
    values: &[f64],
    pushed: &[AtomicU64],
    sums: &mut [f64],
    control: &Control,
) -> Result<(), Cancelled> {
    let lists = Lists::outgoing(graph);
    let unit = unit(moving(graph, values, control)?);
    let give = |u: VertexId, segment: &[VertexId]| {
        let value = (values[u as usize] / unit) as u64;
        for &v in segment {
            pushed[v as usize].fetch_add(value, Relaxed);
        }
    };
    for_each_list(lists, |_| true, give, control)?;
    sums.par_chunks_mut(CHUNK_VERTICES)
        .zip(pushed.par_chunks(CHUNK_VERTICES))
        .for_each(|(sums, pushed)| {
            for (sum, pushed) in sums.iter_mut().zip(pushed) {
                *sum = pushed.swap(0, Relaxed) as f64 * unit;
            }
        });
    Ok(())
}

/// The sum of all values that a push moves, each as often as it moves.
fn moving<G: Graph>(graph: &G, values: &[f64], control: &Control) -> Result<f64, Cancelled> {
    let parts: Vec<f64> = values
        .par_chunks(CHUNK_VERTICES)
        .enumerate()
        .map(|(chunk, values)| {
            control.check()?;
            let mut reader = graph.reader();
            let vertices = chunk_range(chunk, graph.vertex_count());
            let moving = |(v, value): (VertexId, &f64)| reader.degree(v) as f64 * value;
            Ok(vertices.zip(values).map(moving).sum())
        })
        .collect::<Result<_, Cancelled>>()?;
    Ok(parts.iter().sum())
}

/// A power of two, so that dividing by it is exact, of which `total` has at most
/// 2^61.
fn unit(total: f64) -> f64 {
    let above = total.clamp(1e-250, f64::MAX).log2().ceil();
    (above - 61.0).exp2()
}
