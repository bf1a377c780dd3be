//! PageRank that follows its graph.
//!
//! Idea: let y be what readers bring to each vertex when one of them starts at every
//! vertex, follows edges with probability d, and leaves at a vertex without
//! out-edges: y(v) = 1 + d · Σ y(u) / deg(u) over the in-neighbors u. Scaled to the
//! sum 1 this is PageRank, as readers who jump from a vertex without out-edges land
//! where those do who start. So neither these vertices nor the number of vertices are
//! in the equations, and a change of the graph concerns the equations alone of the
//! vertices whose in-lists changed.
//!
//! State: an approximation of y, and its residuals r, by which the equations fail. A
//! vertex whose list changed keeps what it gives along each edge, if most of the list
//! stayed, so that residuals arise where edges came and went and at the vertex itself.
//! A push adds the residual of a vertex to its value, and to the residuals of its
//! out-neighbors what that gives them.
//!
//! The ranks are those after one more push of all vertices at a time, which needs no
//! edges, as its residuals are not wanted. As scaling changes nothing, a common part
//! can be taken off all residuals first: the mean, so that they cancel out where they
//! meet. What would be left decides whether more has to be pushed; it is estimated from
//! the in-lists of some vertices.
//!
//! Accuracy: that of a run from scratch. A start measures the L1 error of a static run
//! that ends at the same tolerance, against a run to 1 / 20 of it; the residuals that the
//! ranks leave are kept below that, as a part of the sum of y. The L1 error of the ranks is at most
//! 2 / (1 − d) of those residuals, and about as large as they are in graphs where
//! residuals of either sign meet. They are summed exactly in small graphs, estimated
//! in others; without in-lists their largest possible sum counts.
//!
//! Work: O(changes) while they leave residuals small; else O(n), and the entries that
//! pushes read: at most a fifth of the graph one by one, from then on all of them at a
//! time, each time to some seventh of the residuals (at worst to d). The worst case is a
//! change of most ranks: as from scratch. DRAM: 2n words, and in an update 3n more. The
//! result depends on the updates that led to it, within its accuracy; for the same
//! updates it is the same for any number of threads.
//! Sources: Andersen, Chung and Lang, "Local Graph Partitioning using PageRank
//! Vectors", FOCS 2006 (pushes); Ohsaka, Maehara and Kawarabayashi, "Efficient
//! PageRank Tracking in Evolving Networks", KDD 2015 (signed residuals that follow
//! edges); Del Corso, Gullì and Romani, "Fast PageRank Computation via a Sparse Linear
//! System", 2005 (vertices without out-edges).

mod pushes;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::{Changes, Entry, Summary};
use crate::error::{compare_near, mismatch};
use crate::neighbor_sums::{InSums, pull};
use crate::pagerank::{self, Iterations, Precision, check_damping};
use crate::parallel::{Lists, shared_degrees, unshared_u32};
use crate::sums::slice_sum;
use crate::{Cancelled, Control, Mismatch, RunError};

/// A start goes on until residuals are this part of the tolerance.
const EXACTER: f64 = 0.05;
/// Ranks may leave residuals of this part of the error of a run from scratch, as the
/// error that they leave is somewhat larger than they are.
const SHARE: f64 = 0.6;

/// Parameters of maintained ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Probability of following an edge, 0 up to but without 1.
    pub damping: f64,
    /// Ranks are as exact as those of a static run that ends when an iteration
    /// changes them by less than this in total, 10^−12 up to but without 1.
    pub tolerance: f64,
}

impl Default for Parameters {
    /// As the static algorithm's: damping 0.85, tolerance 10^−6.
    fn default() -> Self {
        Self {
            damping: 0.85,
            tolerance: 1e-6,
        }
    }
}

/// The ranks of a graph, and what keeps them up to date.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    parameters: Parameters,
    /// The approximation of y.
    values: Vec<f64>,
    residuals: Vec<f64>,
    /// Of the values.
    sum: f64,
    /// Sum of the absolute residuals.
    mass: f64,
    scalars: Scalars,
}

/// The part of the state that is no array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalars {
    /// Bound of the sum of the residuals that ranks leave, as a part of the sum of y.
    pub accuracy: f64,
    /// That sum now, absolutely; an estimate or a bound.
    pub unsettled: f64,
    /// The part that is taken off all residuals.
    pub shift: f64,
}

/// The ranks of `graph`. O(m) an iteration.
///
/// # Errors
/// If a parameter is out of range, or `control` ends the run.
pub fn start<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Ranks, RunError> {
    check(parameters)?;
    let run = pagerank::Parameters {
        damping: parameters.damping,
        iterations: Iterations::Until {
            tolerance: parameters.tolerance,
            at_most: u32::MAX,
        },
        precision: Precision::Double,
    };
    let mut values = pagerank::run(graph, &run, control)?.ranks;
    let degrees = unshared_u32(shared_degrees(Lists::outgoing(graph), control)?);
    let ends = values
        .iter()
        .zip(&degrees)
        .filter(|&(_, &degree)| degree == 0);
    let lost: f64 = ends.map(|(rank, _)| rank).sum();
    let scale = values.len() as f64 / (1.0 - parameters.damping * (1.0 - lost));
    values.iter_mut().for_each(|value| *value *= scale);

    let mut residuals = control.array(0.0, values.len())?;
    follow(graph, &degrees, &values, &mut residuals, control)?;
    for (residual, value) in residuals.iter_mut().zip(&values) {
        *residual = 1.0 + parameters.damping * *residual - value;
    }
    let scalars = Scalars {
        accuracy: EXACTER * parameters.tolerance,
        unsettled: f64::INFINITY,
        shift: 0.0,
    };
    let mut ranks = Ranks::of(*parameters, values, residuals, scalars);
    let scratch = ranks.scaled(|rank, _| rank);
    ranks.settle(graph, &mut Summary::default(), control)?;
    let error = scratch
        .iter()
        .zip(ranks.ranks())
        .map(|(a, b)| (a - b).abs())
        .sum::<f64>();
    let promised = parameters.tolerance * parameters.damping / (1.0 - parameters.damping);
    ranks.scalars.accuracy = (SHARE * error).min(promised).max(ranks.scalars.accuracy);
    Ok(ranks)
}

impl Ranks {
    /// The state whose ranks were kept, and what they were divided by, and the
    /// residuals; `None` if they cannot be of one graph, or a parameter is out of range.
    /// O(n).
    pub fn restore(
        parameters: Parameters,
        (mut ranks, scale): (Vec<f64>, f64),
        residuals: Vec<f64>,
        scalars: Scalars,
    ) -> Option<Self> {
        let Scalars {
            accuracy,
            unsettled,
            shift,
        } = scalars;
        let rest = [&scale, &accuracy, &unsettled, &shift];
        let numbers = || ranks.iter().chain(&residuals).chain(rest);
        let valid = check(&parameters).is_ok()
            && ranks.len() == residuals.len()
            && numbers().all(|number| number.is_finite());
        if !valid {
            return None;
        }
        for (rank, residual) in ranks.iter_mut().zip(&residuals) {
            *rank = *rank * scale - residual + shift;
        }
        Some(Self::of(parameters, ranks, residuals, scalars))
    }

    fn of(parameters: Parameters, values: Vec<f64>, residuals: Vec<f64>, scalars: Scalars) -> Self {
        Self {
            parameters,
            sum: slice_sum(&values, |value| *value),
            mass: slice_sum(&residuals, |residual| residual.abs()),
            values,
            residuals,
            scalars,
        }
    }

    /// Parameters of the ranks.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// For each vertex its probability. O(n).
    pub fn ranks(&self) -> Vec<f64> {
        // One more push of all, of which only the first half is needed.
        self.scaled(|value, residual| value + residual - self.scalars.shift)
    }

    fn scaled(&self, rank: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let both = self.values.iter().zip(&self.residuals);
        let mut ranks: Vec<f64> = both
            .map(|(&value, &residual)| rank(value, residual))
            .collect();
        let sum: f64 = ranks.iter().sum();
        ranks.iter_mut().for_each(|rank| *rank /= sum);
        ranks
    }

    /// Divisor that makes the ranks' sum 1. O(n).
    pub fn scale(&self) -> f64 {
        let both = self.values.iter().zip(&self.residuals);
        both.map(|(value, residual)| value + residual - self.scalars.shift)
            .sum()
    }

    /// By how much the equations of the values fail.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The rest of the state.
    pub fn scalars(&self) -> Scalars {
        self.scalars
    }

    /// The sum of the absolute errors of all ranks is at most this, as far as what
    /// residuals sum up to is not estimated.
    pub fn error_bound(&self) -> f64 {
        2.0 * self.scalars.accuracy / (1.0 - self.parameters.damping)
    }

    /// Follows the graph to `after`.
    ///
    /// # Errors
    /// If `control` ends the run.
    ///
    /// # Panics
    /// If `after` has fewer vertices than before.
    pub fn update<G: Graph>(
        &mut self,
        after: &G,
        changes: &Changes,
        control: &Control,
    ) -> Result<Summary, RunError> {
        self.grow(after.vertex_count());
        let mut summary = Summary::default();
        let mut reader = after.reader();
        changes.for_each_list(|u, added, removed| {
            summary.touched += 1 + (added.len() + removed.len()) as u64;
            self.change_list(&mut reader, u, added, removed, &mut summary);
        });
        drop(reader);
        self.settle(after, &mut summary, control)?;
        Ok(summary)
    }

    /// New vertices have no edges yet, so their values are exact.
    fn grow(&mut self, vertex_count: usize) {
        let new = vertex_count
            .checked_sub(self.values.len())
            .expect("vertices are only ever added");
        self.sum += new as f64;
        self.values.resize(vertex_count, 1.0);
        self.residuals.resize(vertex_count, 0.0);
    }

    /// Takes the changed list of `u` into the equations.
    fn change_list(
        &mut self,
        reader: &mut impl NeighborReader,
        u: VertexId,
        added: &[Entry],
        removed: &[Entry],
        summary: &mut Summary,
    ) {
        let damping = self.parameters.damping;
        let value = self.values[u as usize];
        let new = reader.degree(u);
        let stayed = new - added.len();
        let old = stayed + removed.len();
        // Along each edge.
        let given = |degree: usize| match degree {
            0 => 0.0,
            degree => damping * value / degree as f64,
        };
        let (before, now) = (given(old), given(new));
        if stayed > added.len() + removed.len() {
            let kept = value * (new as f64 / old as f64);
            self.values[u as usize] = kept;
            self.sum += kept - value;
            self.miss(u, value - kept);
        } else {
            summary.edges_read += new as u64;
            reader.for_each_neighbor(u, |v| {
                self.miss(v, now - before);
            });
        }
        // Either way, what is in the list got what makes `before` right.
        for &(_, v, _) in added {
            self.miss(v, before);
        }
        for &(_, v, _) in removed {
            self.miss(v, -before);
        }
        // The last push would have given this share to the old neighbors; it goes to others
        // now.
        let goes_on = self.residuals[u as usize] - self.scalars.shift;
        self.scalars.unsettled += 2.0 * damping * goes_on.abs();
    }

    /// Adds to the residual of `v`; returns it.
    #[inline]
    fn miss(&mut self, v: VertexId, amount: f64) -> f64 {
        let residual = &mut self.residuals[v as usize];
        let before = *residual;
        *residual += amount;
        self.mass += residual.abs() - before.abs();
        self.scalars.unsettled += self.parameters.damping * amount.abs();
        *residual
    }
}

/// Writes into `sums` for each vertex what it gets when each vertex gives its of
/// `values`, which may be negative, in equal shares along its out-edges.
fn follow<G: Graph>(
    graph: &G,
    degrees: &[u32],
    values: &[f64],
    sums: &mut [f64],
    control: &Control,
) -> Result<(), Cancelled> {
    let shares = |sign: f64| -> Vec<f64> {
        let share = |(value, &degree): (&f64, &u32)| sign * value / f64::from(degree.max(1));
        values.par_iter().zip(degrees).map(share).collect()
    };
    if let Some(lists) = Lists::incoming(graph) {
        return pull(lists, &shares(1.0), sums, control);
    }
    // Pushes add up positive values alone.
    let mut pushes = InSums::new(graph);
    let positive = |mut shares: Vec<f64>| {
        shares.iter_mut().for_each(|share| *share = share.max(0.0));
        shares
    };
    pushes.compute(&positive(shares(1.0)), sums, control)?;
    let mut negative = control.array(0.0, sums.len())?;
    pushes.compute(&positive(shares(-1.0)), &mut negative, control)?;
    sums.iter_mut()
        .zip(negative)
        .for_each(|(sum, less)| *sum -= less);
    Ok(())
}

fn check(parameters: &Parameters) -> Result<(), RunError> {
    check_damping(parameters.damping)?;
    // Rounding alone leaves residuals of some 10^−16.
    if (1e-12..1.0).contains(&parameters.tolerance) {
        return Ok(());
    }
    Err(RunError::InvalidParameter {
        name: "tolerance",
        value: parameters.tolerance,
        expected: "at least 1e-12 and below 1",
    })
}

/// Checks the ranks against [`pagerank::reference`] after so many iterations that it is
/// exact to 10^−12: together they are off by at most [`Ranks::error_bound`]. Sequential.
///
/// # Errors
/// The first vertex that is wrong by more, or vertex 0 for the sum.
pub fn verify<G: Graph>(graph: &G, result: &Ranks) -> Result<(), Mismatch> {
    let damping = result.parameters.damping;
    let iterations = (1e-12_f64.ln() / damping.max(1e-9).ln()).ceil() as u32;
    let expected = pagerank::reference(graph, damping, iterations);
    let bound = result.error_bound() + 1e-11;
    let found = result.ranks();
    compare_near("rank", &found, &expected, 0.0, bound)?;
    let pairs = found.iter().zip(&expected);
    let error: f64 = pairs.map(|(a, b)| (a - b).abs()).sum();
    match error <= bound {
        true => Ok(()),
        false => Err(mismatch(0, "sum of all errors", error, bound)),
    }
}
