//! Rows with the rows of another plan.

use std::collections::HashMap;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, Slot};

use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::Row;

/// Rows that are collected before they are pushed.
struct Pending<'s> {
    rows: Batch,
    sink: &'s mut Sink<'s>,
    stopped: bool,
}

impl Pending<'_> {
    fn add(&mut self, batch: Batch) -> Result<Flow> {
        self.rows.append(batch);
        match self.rows.len() < BATCH {
            true => Ok(Flow::Continue),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<Flow> {
        if self.rows.is_empty() {
            return Ok(Flow::Continue);
        }
        let empty = Batch::rows_of(self.rows.width(), 0);
        let rows = std::mem::replace(&mut self.rows, empty);
        let flow = (self.sink)(rows)?;
        self.stopped |= flow == Flow::Stop;
        Ok(flow)
    }
}

impl Run<'_, '_> {
    fn pending<'s>(&self, sink: &'s mut Sink<'s>) -> Pending<'s> {
        Pending {
            rows: Batch::rows_of(self.width, 0),
            sink,
            stopped: false,
        }
    }

    /// Rows with those of another plan, or with nulls if there are none.
    pub(super) fn optional(
        &self,
        inner: &Plan,
        brings: &[Slot],
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut pending = self.pending(sink);
        for at in 0..batch.len() {
            let row = batch.row(at);
            let mut found = false;
            self.run(inner, row.clone(), &mut |rows| {
                found = true;
                pending.add(brought(&row, rows, brings))
            })?;
            if pending.stopped {
                return Ok(Flow::Stop);
            }
            if !found {
                let mut row = row;
                for &slot in brings {
                    row.set(slot, Column::Same(Datum::NULL));
                }
                pending.add(row)?;
            }
        }
        pending.flush()
    }

    /// Rows with those of another plan; without `brings`, the rows as they are.
    pub(super) fn apply(
        &self,
        inner: &Plan,
        brings: Option<&[Slot]>,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut pending = self.pending(sink);
        for at in 0..batch.len() {
            let row = batch.row(at);
            match brings {
                Some(brings) => {
                    self.run(inner, row.clone(), &mut |rows| {
                        pending.add(brought(&row, rows, brings))
                    })?;
                }
                None => {
                    self.run(inner, row.clone(), &mut |_| Ok(Flow::Continue))?;
                    pending.add(row)?;
                }
            }
            if pending.stopped {
                return Ok(Flow::Stop);
            }
        }
        pending.flush()
    }

    /// Rows for which another plan has any rows, or has none.
    pub(super) fn semi_apply(&self, inner: &Plan, negated: bool, batch: Batch) -> Result<Batch> {
        let mut kept = Vec::new();
        for at in 0..batch.len() {
            let mut found = false;
            self.run(inner, batch.row(at), &mut |_| {
                found = true;
                Ok(Flow::Stop)
            })?;
            if found != negated {
                kept.push(at as u32);
            }
        }
        Ok(batch.take(&kept))
    }

    pub(super) fn hash_join(
        &self,
        inner: &Plan,
        keys: &[(Expression, Expression)],
        brings: &[Slot],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (built, _account) = self.collect(inner, argument.row(0), "a hash join")?;
        let mut places: HashMap<Vec<Datum>, Vec<u32>, foldhash::fast::RandomState> =
            HashMap::default();
        for at in 0..built.len() {
            let key = self.key(keys.iter().map(|(_, right)| right), &built, at)?;
            if let Some(key) = key {
                places.entry(key).or_default().push(at as u32);
            }
        }
        self.run(input, argument, &mut |batch| {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for at in 0..batch.len() {
                let key = self.key(keys.iter().map(|(left, _)| left), &batch, at)?;
                let found = key.and_then(|key| places.get(&key));
                for &place in found.into_iter().flatten() {
                    left.push(at as u32);
                    right.push(place);
                }
            }
            let mut joined = batch.take(&left);
            let other = built.take(&right);
            for &slot in brings {
                joined.set(slot, other.column(slot).clone());
            }
            self.push_all(joined, sink)
        })
    }

    /// Values of a key; `None` if one is null, which equals nothing.
    fn key<'e>(
        &self,
        of: impl Iterator<Item = &'e Expression>,
        batch: &Batch,
        at: usize,
    ) -> Result<Option<Vec<Datum>>> {
        let mut row = Row::new(batch, at);
        let key: Vec<Datum> = of
            .map(|one| self.value(one, &mut row))
            .collect::<Result<_>>()?;
        Ok((!key.iter().any(Datum::is_null)).then_some(key))
    }
}

/// Rows of another plan beside the row that they are for.
fn brought(row: &Batch, rows: Batch, brings: &[Slot]) -> Batch {
    let mut made = row.repeated(0, rows.len());
    for &slot in brings {
        made.set(slot, rows.column(slot).clone());
    }
    made
}
