//! The iterations of PageRank, by pull or by push.

use std::ops::{Add, ControlFlow};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Column, ColumnValue, Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::parameters::{Iterations, PageRank, Parameters};
use crate::parallel::{CHUNK_ITEMS, CHUNK_VERTICES, Lists, chunk_range, for_each_list, hub_pieces};
use crate::sums::ListSum;
use crate::{Cancelled, Control, RunError, Saved};

/// One in the integers that pushed contributions are added as. Ranks sum to 1,
/// so there are bits to spare for rounding.
const FIXED_ONE: f64 = (1_u64 << 62) as f64;

/// A floating-point number that ranks are kept in.
pub(crate) trait Real: Add<Output = Self> + ColumnValue + Default + Into<f64> {
    /// Whether a contribution can be worked out from the rank as it is kept.
    const RANK_IS_EXACT: bool;

    fn from_f64(value: f64) -> Self;
}
impl Real for f32 {
    const RANK_IS_EXACT: bool = false;

    #[inline]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}
impl Real for f64 {
    const RANK_IS_EXACT: bool = true;

    #[inline]
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Distribution over the vertices at which a reader starts, and lands when not following
/// an edge.
pub(crate) trait Teleport: Sync {
    /// Part of `mass` that lands on each vertex.
    fn shares(&self, mass: f64) -> impl Fn(VertexId) -> f64 + Sync;
}

/// On each of so many vertices alike.
pub(super) struct Anywhere(pub(super) usize);

impl Teleport for Anywhere {
    fn shares(&self, mass: f64) -> impl Fn(VertexId) -> f64 + Sync {
        let share = mass / self.0 as f64;
        move |_| share
    }
}

pub(crate) fn run<G: Graph, R: Real>(
    graph: &G,
    teleport: &impl Teleport,
    parameters: &Parameters,
    control: &Control,
) -> Result<PageRank, RunError> {
    let (at_most, tolerance) = match parameters.iterations {
        Iterations::Fixed(count) => (count, 0.0),
        Iterations::Until { tolerance, at_most } => (at_most, tolerance),
    };
    let incoming = Lists::incoming(graph);
    let mut ranking = Ranking::<R, _>::new(graph, teleport, parameters.damping, control)?;
    let sums: Vec<AtomicU64> = match incoming {
        Some(_) => Vec::new(),
        None => (0..graph.vertex_count())
            .map(|_| AtomicU64::new(0))
            .collect(),
    };
    let mut iterations = 0;
    let mut change = 0.0;
    if let Some(mut saved) = control.saved() {
        iterations = saved.step as u32;
        ranking.resume(&mut saved)?;
    }
    while iterations < at_most {
        change = match incoming {
            Some(lists) => ranking.pull(lists, control)?,
            None => ranking.push(Lists::outgoing(graph), &sums, control)?,
        };
        iterations += 1;
        control.report_iteration(iterations, at_most, change);
        if change < tolerance {
            break;
        }
        if iterations < at_most {
            ranking.offer(iterations, control)?;
        }
    }
    let ranks: Vec<f64> = ranking.ranks.into_par_iter().map(Into::into).collect();
    Ok(PageRank {
        sum: ranks.iter().sum(),
        ranks,
        iterations,
        change,
    })
}

/// The state between iterations.
struct Ranking<'t, R, T> {
    teleport: &'t T,
    damping: f64,
    ranks: Vec<R>,
    /// Rank / out-degree, 0 without out-edges.
    contributions: Vec<R>,
    /// The contributions of the next iteration while it is computed.
    next: Vec<R>,
    /// 1 / out-degree, 0 without out-edges.
    shares: Vec<R>,
    /// Total rank of the vertices without out-edges.
    lost: f64,
}

/// Totals over one task's vertices.
#[derive(Clone, Copy, Default)]
struct Totals {
    change: f64,
    lost: f64,
}

impl<'t, R: Real, T: Teleport> Ranking<'t, R, T> {
    fn new<G: Graph>(
        graph: &G,
        teleport: &'t T,
        damping: f64,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = graph.vertex_count();
        let mut ranks = control.array(R::default(), n)?;
        let mut contributions = control.array(R::default(), n)?;
        let mut shares = control.array(R::default(), n)?;
        let first = teleport.shares(1.0);
        let lost: Vec<f64> = (ranks.par_chunks_mut(CHUNK_VERTICES))
            .zip(contributions.par_chunks_mut(CHUNK_VERTICES))
            .zip(shares.par_chunks_mut(CHUNK_VERTICES))
            .enumerate()
            .map(|(chunk, ((ranks, contributions), shares))| {
                control.check()?;
                let mut reader = graph.reader();
                let mut totals = Totals::default();
                let places = ranks.iter_mut().zip(contributions).zip(shares);
                for (v, ((rank, contribution), share)) in chunk_range(chunk, n).zip(places) {
                    let degree = reader.degree(v);
                    if degree > 0 {
                        *share = R::from_f64(1.0 / degree as f64);
                    }
                    *contribution = settle(first(v), rank, *share, &mut totals);
                }
                Ok(totals.lost)
            })
            .collect::<Result<_, Cancelled>>()?;
        Ok(Self {
            teleport,
            damping,
            ranks,
            contributions,
            next: control.array(R::default(), n)?,
            shares,
            lost: lost.iter().sum(),
        })
    }

    /// Offers what the next iteration begins with.
    fn offer(&self, iteration: u32, control: &Control) -> Result<(), RunError> {
        // Of exact ranks they are worked out anew.
        let contributions = match R::RANK_IS_EXACT {
            true => &[],
            false => &*self.contributions,
        };
        control.offer(iteration.into(), || {
            [
                ("ranks", R::column(&self.ranks)),
                ("contributions", R::column(contributions)),
                ("lost", Column::F64(std::slice::from_ref(&self.lost))),
            ]
        })
    }

    /// Goes back to what was offered.
    fn resume(&mut self, saved: &mut Saved) -> Result<(), RunError> {
        let n = self.ranks.len();
        self.ranks = saved.take("ranks", n)?;
        self.lost = saved.take("lost", 1)?[0];
        if !R::RANK_IS_EXACT {
            self.contributions = saved.take("contributions", n)?;
            return Ok(());
        }
        let places = self.contributions.par_iter_mut().with_min_len(CHUNK_ITEMS);
        places
            .zip(&self.ranks)
            .zip(&self.shares)
            .for_each(|((contribution, &rank), &share)| {
                *contribution = R::from_f64(rank.into() * share.into());
            });
        Ok(())
    }

    /// Rank that a vertex receives beside its in-neighbors' contributions.
    fn base(&self) -> impl Fn(VertexId) -> f64 + Sync + use<'t, R, T> {
        self.teleport
            .shares(1.0 - self.damping + self.damping * self.lost)
    }

    /// One iteration over in-lists; returns the change.
    fn pull<G: Graph>(&mut self, lists: Lists<'_, G>, control: &Control) -> Result<f64, Cancelled> {
        let n = self.ranks.len();
        let base = self.base();
        let contributions = &*self.contributions;
        // Up to a hub's piece is summed in `R`; the rest in `f64`.
        let gather = |sum: &mut ListSum<R>, segment: &[VertexId]| {
            sum.add(segment, |u| contributions[u as usize]);
            ControlFlow::Continue(())
        };

        let parts: Vec<(Totals, Vec<VertexId>)> = (self.ranks.par_chunks_mut(CHUNK_VERTICES))
            .zip(self.next.par_chunks_mut(CHUNK_VERTICES))
            .zip(self.shares.par_chunks(CHUNK_VERTICES))
            .enumerate()
            .with_max_len(4)
            .map(|(chunk, ((ranks, next), shares))| {
                control.check()?;
                let mut totals = Totals::default();
                let mut hubs = Vec::new();
                let mut reader = lists.reader();
                let places = ranks.iter_mut().zip(next).zip(shares);
                for (v, ((rank, next), &share)) in chunk_range(chunk, n).zip(places) {
                    let mut sum = ListSum::default();
                    let whole = reader.for_each_segment(v, |segment| {
                        sum.has_room(segment)?;
                        gather(&mut sum, segment)
                    });
                    if whole.is_break() {
                        hubs.push(v);
                        continue;
                    }
                    let sum: f64 = sum.total().into();
                    *next = settle(base(v) + self.damping * sum, rank, share, &mut totals);
                }
                Ok((totals, hubs))
            })
            .collect::<Result<_, Cancelled>>()?;

        let mut totals = Totals::default();
        for (part, hubs) in parts {
            totals.change += part.change;
            totals.lost += part.lost;
            for hub in hubs {
                let pieces = hub_pieces(lists, hub, control, gather)?;
                let sum: f64 = pieces.iter().map(|sum| sum.total().into()).sum();
                let rank = base(hub) + self.damping * sum;
                let hub = hub as usize;
                self.next[hub] = settle(rank, &mut self.ranks[hub], self.shares[hub], &mut totals);
            }
        }
        Ok(self.finish(totals))
    }

    /// One iteration over out-lists; returns the change. `sums` are 0 before and after.
    fn push<G: Graph>(
        &mut self,
        lists: Lists<'_, G>,
        sums: &[AtomicU64],
        control: &Control,
    ) -> Result<f64, Cancelled> {
        let n = self.ranks.len();
        let contributions = &*self.contributions;
        let give = |u: VertexId, list: &[VertexId]| {
            let contribution: f64 = contributions[u as usize].into();
            let contribution = (contribution * FIXED_ONE) as u64;
            for &v in list {
                sums[v as usize].fetch_add(contribution, Relaxed);
            }
        };
        for_each_list(lists, |_| true, give, control)?;

        let base = self.base();
        let parts: Vec<Totals> = (self.ranks.par_chunks_mut(CHUNK_VERTICES))
            .zip(self.next.par_chunks_mut(CHUNK_VERTICES))
            .zip(self.shares.par_chunks(CHUNK_VERTICES))
            .zip(sums.par_chunks(CHUNK_VERTICES))
            .enumerate()
            .map(|(chunk, (((ranks, next), shares), sums))| {
                let mut totals = Totals::default();
                let places = ranks.iter_mut().zip(next).zip(shares).zip(sums);
                for (v, (((rank, next), &share), sum)) in chunk_range(chunk, n).zip(places) {
                    let sum = sum.swap(0, Relaxed) as f64 / FIXED_ONE;
                    *next = settle(base(v) + self.damping * sum, rank, share, &mut totals);
                }
                totals
            })
            .collect();
        let totals = parts.iter().fold(Totals::default(), |sum, part| Totals {
            change: sum.change + part.change,
            lost: sum.lost + part.lost,
        });
        Ok(self.finish(totals))
    }

    fn finish(&mut self, totals: Totals) -> f64 {
        std::mem::swap(&mut self.contributions, &mut self.next);
        self.lost = totals.lost;
        totals.change
    }
}

/// Gives a vertex its new rank; returns its next contribution.
#[inline]
fn settle<R: Real>(new: f64, rank: &mut R, share: R, totals: &mut Totals) -> R {
    let share: f64 = share.into();
    totals.change += (new - (*rank).into()).abs();
    // No branch: which vertices have no edges is as good as random.
    totals.lost += new * f64::from(u8::from(share == 0.0));
    *rank = R::from_f64(new);
    R::from_f64(new * share)
}
