//! Rows in order.

use std::cmp::Ordering;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, SortKey};

use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch};

impl Run<'_, '_> {
    pub(super) fn sort(
        &self,
        keys: &[SortKey],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (all, _account) = self.collect(input, argument, "ORDER BY")?;
        let order = self.order(keys, &all)?;
        for rows in order.chunks(BATCH) {
            if self.push(all.take(rows), sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The first rows of an order; no more than twice as many are held.
    pub(super) fn top(
        &self,
        keys: &[SortKey],
        limit: &Expression,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let most = self.count(limit, &argument)?;
        let held = most.saturating_mul(2).saturating_add(BATCH);
        let mut account = self.guard.account("ORDER BY");
        let mut best = Batch::rows_of(self.width, 0);
        self.run(input, argument, &mut |batch| {
            account.add(batch.bytes())?;
            best.append(batch);
            if best.len() > held {
                let order = self.order(keys, &best)?;
                best = best.take(&order[..most.min(order.len())]);
                account.set(best.bytes())?;
            }
            Ok(Flow::Continue)
        })?;
        let order = self.order(keys, &best)?;
        let best = best.take(&order[..most.min(order.len())]);
        self.push_all(best, sink)
    }

    /// Places of the rows in order; rows with equal keys stay as they come.
    fn order(&self, keys: &[SortKey], all: &Batch) -> Result<Vec<u32>> {
        let values = keys.iter().map(|key| self.values(&key.key, all));
        let values: Vec<Vec<Datum>> = values.collect::<Result<_>>()?;
        let mut order: Vec<u32> = (0..all.len() as u32).collect();
        order.sort_by(|&one, &other| {
            let mut orders = values.iter().zip(keys).map(|(values, key)| {
                let (one, other) = (&values[one as usize], &values[other as usize]);
                match key.descending {
                    false => one.cmp(other),
                    true => other.cmp(one),
                }
            });
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        Ok(order)
    }
}
