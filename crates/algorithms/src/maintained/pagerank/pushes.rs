//! Pushing residuals until what is left of them does not matter.
//!
//! One by one, the bar for residuals by the entries that a push reads falling from
//! round to round, while that reads less than a part of the graph. Then all at a time.

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::{Ranks, Summary, follow};
use crate::parallel::{Lists, shared_degrees, unshared_u32};
use crate::sums::slice_sum;
use crate::{Cancelled, Control};

/// An update that has to push goes on until the error is this part of what it may be,
/// so that not every update has to.
const GOAL: f64 = 0.8;
/// By how much the bar falls from one round of pushes to the next.
const FALL: f64 = 0.5;
/// Pushes one by one end when they have read this part of all entries: an entry
/// takes them longer than a pull.
const PUSHED_PART: f64 = 0.2;
/// The residuals that a push of all would leave are estimated once residuals are this
/// many times the bound, and again when they are [`AGAIN`] of what they were. In graphs
/// of low diameter it leaves some seventh.
const NEAR: f64 = 9.0;
const AGAIN: f64 = 0.7;
/// An estimate reads about so many entries at vertices with about the same degree,
const CLASS_ENTRIES: usize = 1 << 14;
/// at so many of them at least and at most.
const FEWEST_SAMPLES: usize = 4;
const MOST_SAMPLES: usize = 64;

impl Ranks {
    /// Pushes until the error is as small as promised.
    pub(super) fn settle<G: Graph>(
        &mut self,
        graph: &G,
        summary: &mut Summary,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let bound = self.scalars.accuracy * self.sum;
        if self.scalars.unsettled <= bound {
            return Ok(());
        }
        let goal = GOAL * bound;
        control.check()?;
        let degrees = unshared_u32(shared_degrees(Lists::outgoing(graph), control)?);
        self.push(graph, &degrees, goal, summary, control)?;
        while self.scalars.unsettled > goal {
            self.pull(graph, &degrees, summary, control)?;
            self.scalars.unsettled = self.mass;
            if self.mass > goal && self.mass < NEAR * goal {
                self.estimate(graph, &degrees, summary);
            }
        }
        Ok(())
    }

    /// Pushes the residuals of one vertex after the other until the error is at
    /// most `goal`, or a part of the graph was read.
    fn push<G: Graph>(
        &mut self,
        graph: &G,
        degrees: &[u32],
        goal: f64,
        summary: &mut Summary,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let budget = summary.edges_read + (PUSHED_PART * graph.arc_count() as f64) as u64;
        let entries = |v: usize| f64::from(degrees[v]) + 1.0;
        let by_entry = |(v, residual): (usize, &f64)| residual.abs() / entries(v);
        let mut bar = (self.residuals.iter().enumerate())
            .map(by_entry)
            .fold(0.0, f64::max);
        let mut estimated = f64::INFINITY;
        let mut reader = graph.reader();
        while self.mass > goal && bar > 0.0 && summary.edges_read <= budget {
            control.check()?;
            bar *= FALL;
            // A pass over all in order costs less than a list of the vertices near the bar.
            for v in 0..degrees.len() {
                if self.residuals[v].abs() > bar * entries(v) {
                    self.push_one(&mut reader, v as VertexId, summary);
                    if summary.edges_read > budget {
                        break;
                    }
                }
            }
            if self.mass < AGAIN * estimated && self.mass < NEAR * goal {
                estimated = self.mass;
                self.estimate(graph, degrees, summary);
                if self.scalars.unsettled <= goal {
                    return Ok(());
                }
            }
        }
        // Of ranks from which nothing is taken off the residuals.
        self.scalars.shift = 0.0;
        self.scalars.unsettled = self.mass;
        Ok(())
    }

    /// Adds the residual of `v` to its value, and what that gives to its neighbors to
    /// their residuals.
    fn push_one(&mut self, reader: &mut impl NeighborReader, v: VertexId, summary: &mut Summary) {
        let residual = std::mem::take(&mut self.residuals[v as usize]);
        self.values[v as usize] += residual;
        self.sum += residual;
        let degree = reader.degree(v);
        summary.touched += 1;
        summary.edges_read += degree as u64;
        let share = self.parameters.damping * residual / degree as f64;
        let residuals = &mut self.residuals;
        let mut mass = -residual.abs();
        reader.for_each_neighbor(v, |u| {
            let residual = &mut residuals[u as usize];
            let before = residual.abs();
            *residual += share;
            mass += residual.abs() - before;
        });
        self.mass += mass;
    }

    /// Pushes all residuals at a time, without their common part.
    fn pull<G: Graph>(
        &mut self,
        graph: &G,
        degrees: &[u32],
        summary: &mut Summary,
        control: &Control,
    ) -> Result<(), Cancelled> {
        self.choose_shift(degrees);
        let shift = self.scalars.shift;
        let mut next = control.array(0.0, self.values.len())?;
        self.residuals
            .par_iter_mut()
            .for_each(|residual| *residual -= shift);
        follow(graph, degrees, &self.residuals, &mut next, control)?;
        let factor = self.parameters.damping / (1.0 - shift);
        next.par_iter_mut().for_each(|sum| *sum *= factor);
        (self.values.par_iter_mut())
            .zip(&self.residuals)
            .for_each(|(value, residual)| *value = (*value + residual) / (1.0 - shift));
        self.residuals = next;
        self.sum = slice_sum(&self.values, |value| *value);
        self.mass = slice_sum(&self.residuals, |residual| residual.abs());
        self.scalars.shift = 0.0;
        summary.touched += self.values.len() as u64;
        summary.edges_read += graph.arc_count();
        Ok(())
    }

    /// Chooses the common part of all residuals: the mean of those that go on.
    fn choose_shift(&mut self, degrees: &[u32]) {
        let (mut sum, mut count) = (0.0, 0_usize);
        for (residual, &degree) in self.residuals.iter().zip(degrees) {
            sum += if degree > 0 { *residual } else { 0.0 };
            count += usize::from(degree > 0);
        }
        self.scalars.shift = sum / count.max(1) as f64;
    }

    /// Estimates what residuals would be after a push of all without their common
    /// part, from vertices of each class of degrees; exact in a graph with few
    /// vertices. Without in-lists it is the worst that can be.
    fn estimate<G: Graph>(&mut self, graph: &G, degrees: &[u32], summary: &mut Summary) {
        self.choose_shift(degrees);
        let Some(lists) = Lists::incoming(graph) else {
            let beyond = |residual: &f64| (residual - self.scalars.shift).abs();
            self.scalars.unsettled = self.parameters.damping * slice_sum(&self.residuals, beyond);
            return;
        };
        let mut reader = lists.reader();
        let mut total = 0.0;
        for class in Classes::of(&mut reader, degrees.len()).0 {
            let mut sum = 0.0;
            for &v in &class.samples {
                let mut own = 0.0;
                reader.for_each_neighbor(v, |u| {
                    summary.edges_read += 1;
                    let given = self.residuals[u as usize] - self.scalars.shift;
                    own += given / f64::from(degrees[u as usize]);
                });
                sum += own.abs();
            }
            total += sum * class.vertices as f64 / class.samples.len().max(1) as f64;
        }
        self.scalars.unsettled = self.parameters.damping * total;
    }
}

/// Samples of the vertices with 2^k up to 2^(k + 1) in-neighbors, for each k.
struct Classes(Vec<Class>);

#[derive(Clone, Default)]
struct Class {
    vertices: u64,
    samples: Vec<VertexId>,
}

impl Classes {
    fn of(reader: &mut impl NeighborReader, vertex_count: usize) -> Self {
        let mut classes = vec![Class::default(); u32::BITS as usize];
        let mut random = Random::new(27);
        for v in 0..vertex_count as VertexId {
            let Some(log) = (reader.degree(v) as u32).checked_ilog2() else {
                continue;
            };
            let class = &mut classes[log as usize];
            class.vertices += 1;
            let wanted = (CLASS_ENTRIES >> log).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
            if class.samples.len() < wanted {
                class.samples.push(v);
            } else if let Some(place) =
                (class.samples).get_mut(random.below(class.vertices) as usize)
            {
                *place = v;
            }
        }
        Self(classes)
    }
}
