//! Communities by label propagation (CDLP), as LDBC Graphalytics defines it.
//!
//! Every vertex begins with a label of its own. In each iteration all vertices at
//! once take the label that most of their neighbors have, of several the smallest;
//! a vertex without neighbors keeps its own. On a directed graph in- and
//! out-neighbors count, and one that is both counts twice.
//!
//! Idea: labels become ranks among the initial labels, so that they fit a word and
//! keep their order. A task counts the labels around a vertex in a small hash table
//! that serves all its vertices, and knows the winner at the last count. Around hubs
//! tasks count together in an array of all labels. Ends early when no label changes.
//!
//! Work O(m) an iteration, depth O(log n) of them; DRAM 4n words of 4 bytes, 8n with
//! labels given by the caller, and a table of at most 128 KiB a task. The same for
//! any number of threads. Parallel edges count as often as they are stored; a
//! self-loop counts a vertex's own label.
//! Sources: Raghavan, Albert and Kumara, "Near Linear Time Algorithm to Detect
//! Community Structures", 2007; "LDBC Graphalytics Benchmark", version 1.0.

mod winner;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Column, Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use self::winner::{Best, for_each_run};
use crate::parallel::{
    CHUNK_ITEMS, CHUNK_VERTICES, HUB_DEGREE, Lists, chunk_range, hub_pieces, shared_u32,
};
use crate::table::Table;
use crate::{Cancelled, Control, Mismatch, RunError};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters<'a> {
    /// Iterations, fewer if one changes nothing.
    pub iterations: u32,
    /// The label that each vertex begins with, need not be unique; the number of the
    /// vertex if `None`. Graphalytics takes the external id.
    pub labels: Option<&'a [u64]>,
}

impl Default for Parameters<'_> {
    /// 10 iterations, from the numbers of the vertices.
    fn default() -> Self {
        Self {
            iterations: 10,
            labels: None,
        }
    }
}

/// The communities of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPropagation {
    /// For each vertex the label of its community.
    pub labels: Vec<u64>,
    /// Distinct labels.
    pub communities: usize,
    /// Vertices with the most frequent label.
    pub largest: usize,
    /// Iterations done.
    pub iterations: u32,
    /// Labels that the last iteration changed.
    pub changed: u64,
}

/// The communities of `graph` after some iterations.
///
/// # Errors
/// If the graph keeps only out-lists, there is not one label a vertex, or `control`
/// ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters<'_>,
    control: &Control,
) -> Result<LabelPropagation, RunError> {
    let n = graph.vertex_count();
    let names = parameters
        .labels
        .map(|labels| sorted(labels, n))
        .transpose()?;
    let mut ranks: Vec<u32> = match (parameters.labels, &names) {
        (Some(labels), Some(names)) => labels
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .map(|label| names.partition_point(|name| name < label) as u32)
            .collect(),
        _ => (0..n as u32).collect(),
    };
    let mut propagation = Propagation::new(graph, control)?;
    let (mut iterations, mut changed) = (0, 0);
    if let Some(mut saved) = control.saved() {
        iterations = saved.step as u32;
        ranks = saved.take("ranks", n)?;
    }
    while iterations < parameters.iterations {
        changed = propagation.iterate(&mut ranks, control)?;
        iterations += 1;
        control.report_iteration(iterations, parameters.iterations, changed as f64);
        if changed == 0 {
            break;
        }
        if iterations < parameters.iterations {
            control.offer(iterations.into(), || [("ranks", Column::U32(&ranks))])?;
        }
    }
    drop(propagation);
    let (communities, largest) = summary(&ranks, control)?;
    let name = |&rank: &u32| match &names {
        Some(names) => names[rank as usize],
        None => u64::from(rank),
    };
    Ok(LabelPropagation {
        labels: ranks
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .map(name)
            .collect(),
        communities,
        largest,
        iterations,
        changed,
    })
}

/// The distinct labels in order.
fn sorted(labels: &[u64], n: usize) -> Result<Vec<u64>, RunError> {
    if labels.len() != n {
        return Err(RunError::InvalidParameter {
            name: "labels",
            value: labels.len() as f64,
            expected: "as many as vertices",
        });
    }
    let mut names = labels.to_vec();
    names.par_sort_unstable();
    names.dedup();
    Ok(names)
}

/// How many distinct labels there are, and how many vertices have the most frequent.
fn summary(ranks: &[u32], control: &Control) -> Result<(usize, usize), Cancelled> {
    let mut sizes = control.array(0_u32, ranks.len())?;
    for &rank in ranks {
        sizes[rank as usize] += 1;
    }
    let communities = sizes.iter().filter(|&&size| size > 0).count();
    Ok((communities, sizes.into_iter().max().unwrap_or(0) as usize))
}

/// State of the iterations beside the labels.
struct Propagation<'g, G> {
    outgoing: Lists<'g, G>,
    /// Of a directed graph.
    incoming: Option<Lists<'g, G>>,
    next: Vec<u32>,
    /// How often each label is around a hub, 0 between hubs; empty before the first.
    around_hub: Vec<AtomicU32>,
}

impl<'g, G: Graph> Propagation<'g, G> {
    fn new(graph: &'g G, control: &Control) -> Result<Self, RunError> {
        let incoming = match graph.stored_lists() {
            StoredLists::Undirected => None,
            StoredLists::Both | StoredLists::Out => {
                Some(Lists::incoming(graph).ok_or(RunError::NeedsInLists)?)
            }
        };
        Ok(Self {
            outgoing: Lists::outgoing(graph),
            incoming,
            next: control.array(0, graph.vertex_count())?,
            around_hub: Vec::new(),
        })
    }

    /// Gives all vertices their next labels; returns how many changed.
    fn iterate(&mut self, labels: &mut Vec<u32>, control: &Control) -> Result<u64, Cancelled> {
        let (outgoing, incoming, current) = (self.outgoing, self.incoming, &*labels);
        let n = current.len();
        let parts: Vec<(u64, Vec<VertexId>)> = self
            .next
            .par_chunks_mut(CHUNK_VERTICES)
            .enumerate()
            .with_max_len(4)
            .map_init(Table::default, |table, (chunk, next)| {
                control.check()?;
                let mut changed = 0;
                let mut hubs = Vec::new();
                let mut out_reader = outgoing.reader();
                let mut in_reader = incoming.map(|lists| lists.reader());
                for (v, next) in chunk_range(chunk, n).zip(next) {
                    let mut degree = out_reader.degree(v);
                    if let Some(reader) = &mut in_reader {
                        degree += reader.degree(v);
                    }
                    if degree > HUB_DEGREE {
                        hubs.push(v);
                        continue;
                    }
                    let own = current[v as usize];
                    let mut counts = table.begin(degree);
                    let mut best = Best::default();
                    let mut count = |segment: &[VertexId]| {
                        for_each_run(segment, current, |label, times| {
                            // The winner's last count beats all others' last counts.
                            best.meet(label, counts.add(label, times));
                        });
                        ControlFlow::Continue(())
                    };
                    let _ = out_reader.for_each_segment(v, &mut count);
                    if let Some(reader) = &mut in_reader {
                        let _ = reader.for_each_segment(v, &mut count);
                    }
                    *next = best.label_or(own);
                    changed += u64::from(*next != own);
                }
                Ok((changed, hubs))
            })
            .collect::<Result<_, Cancelled>>()?;
        let mut all_changed = 0;
        for (changed, hubs) in parts {
            all_changed += changed;
            for hub in hubs {
                let label = self.hub_label(hub, labels, control)?;
                self.next[hub as usize] = label;
                all_changed += u64::from(label != labels[hub as usize]);
            }
        }
        std::mem::swap(labels, &mut self.next);
        Ok(all_changed)
    }

    fn hub_label(
        &mut self,
        hub: VertexId,
        labels: &[u32],
        control: &Control,
    ) -> Result<u32, Cancelled> {
        if self.around_hub.is_empty() {
            self.around_hub = shared_u32(labels.len(), 0, control)?;
        }
        let counts = &self.around_hub;
        let lists = [Some(self.outgoing), self.incoming];
        for lists in lists.into_iter().flatten() {
            hub_pieces(lists, hub, control, |_: &mut (), segment| {
                for_each_run(segment, labels, |label, times| {
                    counts[label as usize].fetch_add(times, Relaxed);
                });
                ControlFlow::Continue(())
            })?;
        }
        let mut best = Best::default();
        for lists in lists.into_iter().flatten() {
            let pieces = hub_pieces(lists, hub, control, |best: &mut Best, segment| {
                for_each_run(segment, labels, |label, _| {
                    best.meet(label, counts[label as usize].load(Relaxed));
                });
                ControlFlow::Continue(())
            })?;
            pieces
                .iter()
                .for_each(|piece| best.meet(piece.label, piece.count));
        }
        for lists in lists.into_iter().flatten() {
            hub_pieces(lists, hub, control, |_: &mut (), segment| {
                for_each_run(segment, labels, |label, _| {
                    counts[label as usize].store(0, Relaxed);
                });
                ControlFlow::Continue(())
            })?;
        }
        Ok(best.label_or(labels[hub as usize]))
    }
}

/// Labels after `iterations`, counted in ordered maps; the reference implementation of
/// [`run`].
pub fn reference<G: Graph>(graph: &G, initial: &[u64], iterations: u32) -> Vec<u64> {
    let mut labels = initial.to_vec();
    let mut readers = vec![graph.reader()];
    if graph.stored_lists() == StoredLists::Both {
        readers.extend(graph.reverse_reader());
    }
    for _ in 0..iterations {
        let next = |v: usize| {
            let mut counts = BTreeMap::new();
            for reader in &mut readers {
                reader.for_each_neighbor(v as VertexId, |u| {
                    *counts.entry(labels[u as usize]).or_insert(0_u64) += 1;
                });
            }
            // Of equal counts the first is kept when the order is turned around.
            let most = counts.into_iter().rev().max_by_key(|&(_, count)| count);
            most.map_or(labels[v], |(label, _)| label)
        };
        labels = (0..labels.len()).map(next).collect();
    }
    labels
}

/// Checks every label against [`reference()`] after as many iterations. Sequential,
/// O(m log n) an iteration.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters<'_>,
    result: &LabelPropagation,
) -> Result<(), Mismatch> {
    let own: Vec<u64>;
    let initial = match parameters.labels {
        Some(labels) => labels,
        None => {
            own = (0..graph.vertex_count() as u64).collect();
            &own
        }
    };
    let expected = reference(graph, initial, result.iterations);
    let mut pairs = result.labels.iter().zip(&expected);
    match pairs.position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(vertex) => Err(Mismatch {
            vertex: vertex as VertexId,
            what: "label",
            found: result.labels[vertex] as f64,
            expected: expected[vertex] as f64,
        }),
    }
}
