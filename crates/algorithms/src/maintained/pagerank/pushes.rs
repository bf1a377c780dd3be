//! Pushing residuals until they are small enough.

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::{MARGIN, Ranks, Summary, follow};
use crate::parallel::{Lists, shared_degrees, unshared_u32};
use crate::sums::slice_sum;
use crate::{Cancelled, Control};

/// Residuals are pushed until they are this part of what they may be, so that not
/// every update has to.
const GOAL: f64 = 0.5;
/// By how much the bar falls from one round of pushes to the next.
const FALL: f64 = 0.25;
/// Pushes that read this part of all entries end; an entry takes a push this much
/// longer than a pull, and the rest is up to pulls.
const PUSHED_PART: f64 = 0.25;

impl Ranks {
    /// Pushes until residuals are as small as promised.
    pub(super) fn settle<G: Graph>(
        &mut self,
        graph: &G,
        summary: &mut Summary,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let bound = |ranks: &Self| ranks.parameters.tolerance / MARGIN * ranks.sum;
        if self.mass <= bound(self) {
            return Ok(());
        }
        let goal = GOAL * bound(self);
        self.push(graph, goal, summary, control)?;
        if self.mass > goal {
            let degrees = unshared_u32(shared_degrees(Lists::outgoing(graph), control)?);
            while self.mass > goal {
                self.pull(graph, &degrees, summary, control)?;
            }
        }
        Ok(())
    }

    /// Pushes the residuals of one vertex after the other until they sum up to
    /// `goal`, or a part of the graph was read.
    fn push<G: Graph>(
        &mut self,
        graph: &G,
        goal: f64,
        summary: &mut Summary,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let n = self.values.len();
        let entries = graph.arc_count() as f64;
        let budget = summary.edges_read + (PUSHED_PART * entries) as u64;
        // All residuals below it together are half the goal.
        let floor = 0.5 * goal / n as f64;
        let lowest_bar = 0.5 * goal / (entries + n as f64);

        let mut waits: Vec<bool> = vec![false; n];
        let mut waiting: Vec<VertexId> = Vec::new();
        for (v, residual) in (0..).zip(&self.residuals) {
            if residual.abs() > floor {
                waits[v as usize] = true;
                waiting.push(v);
            }
        }
        let mut reader = graph.reader();
        let entries_of = |reader: &mut G::Reader<'_>, v| reader.degree(v) as f64 + 1.0;
        let mut bar = 0.0_f64;
        for &v in &waiting {
            bar = bar.max(self.residuals[v as usize].abs() / entries_of(&mut reader, v));
        }
        while self.mass > goal && summary.edges_read < budget && !waiting.is_empty() {
            control.check()?;
            bar = (bar * FALL).max(lowest_bar);
            let mut still = Vec::new();
            for v in waiting {
                let residual = self.residuals[v as usize];
                let enough = self.mass <= goal || summary.edges_read >= budget;
                if enough || residual.abs() <= bar * entries_of(&mut reader, v) {
                    still.push(v);
                    continue;
                }
                waits[v as usize] = false;
                self.push_one(&mut reader, v, summary, |v, residual| {
                    if residual.abs() > floor && !waits[v as usize] {
                        waits[v as usize] = true;
                        still.push(v);
                    }
                });
            }
            if bar == lowest_bar
                && still
                    .iter()
                    .all(|&v| self.residuals[v as usize].abs() <= bar * entries_of(&mut reader, v))
            {
                break;
            }
            waiting = still;
        }
        Ok(())
    }

    /// Adds the residual of `v` to its value, and what that gives to its neighbors to
    /// their residuals, of which `left` is told.
    fn push_one(
        &mut self,
        reader: &mut impl NeighborReader,
        v: VertexId,
        summary: &mut Summary,
        mut left: impl FnMut(VertexId, f64),
    ) {
        let residual = std::mem::take(&mut self.residuals[v as usize]);
        self.mass -= residual.abs();
        self.values[v as usize] += residual;
        self.sum += residual;
        let degree = reader.degree(v);
        summary.touched += 1;
        summary.edges_read += degree as u64;
        let share = self.parameters.damping * residual / degree as f64;
        reader.for_each_neighbor(v, |u| {
            let residual = self.miss(u, share);
            left(u, residual);
        });
    }

    /// Pushes all residuals at a time.
    fn pull<G: Graph>(
        &mut self,
        graph: &G,
        degrees: &[u32],
        summary: &mut Summary,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let mut next = vec![0.0; self.values.len()];
        follow(graph, degrees, &self.residuals, &mut next, control)?;
        next.par_iter_mut()
            .for_each(|sum| *sum *= self.parameters.damping);
        (self.values.par_iter_mut())
            .zip(&self.residuals)
            .for_each(|(value, residual)| *value += residual);
        self.residuals = next;
        self.sum = slice_sum(&self.values, |value| *value);
        self.mass = slice_sum(&self.residuals, |residual| residual.abs());
        summary.touched += self.values.len() as u64;
        summary.edges_read += graph.arc_count();
        Ok(())
    }
}
