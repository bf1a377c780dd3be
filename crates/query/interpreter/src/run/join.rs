//! Rows with the rows of another plan.

use evergraph_functions::Datum;
use evergraph_planner::{Plan, Slot};

use super::together::is_joint;
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};

/// Rows that are collected before they are pushed.
pub(super) struct Pending<'s> {
    rows: Batch,
    sink: &'s mut Sink<'s>,
    stopped: bool,
}

impl<'s> Pending<'s> {
    pub(super) fn new(width: usize, sink: &'s mut Sink<'s>) -> Self {
        Pending {
            rows: Batch::rows_of(width, 0),
            sink,
            stopped: false,
        }
    }

    /// Whether no more rows are wanted.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn add(&mut self, batch: Batch) -> Result<Flow> {
        match self.rows.is_empty() {
            true => self.rows = batch,
            false => self.rows.append(batch),
        }
        match self.rows.len() < BATCH {
            true => Ok(Flow::Continue),
            false => self.flush(),
        }
    }

    pub(super) fn flush(&mut self) -> Result<Flow> {
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
    /// Rows with those of another plan, or with nulls if there are none.
    pub(super) fn optional(
        &self,
        inner: &Plan,
        brings: &[Slot],
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        if batch.len() > 1 && is_joint(inner) {
            return self.joined_rows(inner, (brings, true), batch, sink);
        }
        let mut pending = Pending::new(self.width, sink);
        for at in 0..batch.len() {
            let row = batch.row(at);
            let mut found = false;
            self.run(inner, batch.row_alone(at), &mut |rows| {
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
        if let Some(brings) = brings
            && batch.len() > 1
            && is_joint(inner)
        {
            return self.joined_rows(inner, (brings, false), batch, sink);
        }
        let mut pending = Pending::new(self.width, sink);
        for at in 0..batch.len() {
            let row = batch.row(at);
            match brings {
                Some(brings) => {
                    self.run(inner, batch.row_alone(at), &mut |rows| {
                        pending.add(brought(&row, rows, brings))
                    })?;
                }
                None => {
                    self.run(inner, batch.row_alone(at), &mut |_| Ok(Flow::Continue))?;
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
        // After an error the rows are asked one by one: the first may end it.
        if batch.len() > 1
            && is_joint(inner)
            && let Ok(found) = self.have_rows(inner, &batch)
        {
            let rows = (0..batch.len() as u32).filter(|&at| found[at as usize] != negated);
            return Ok(batch.take(&rows.collect::<Vec<_>>()));
        }
        let mut kept = Vec::new();
        for at in 0..batch.len() {
            let mut found = false;
            self.run(inner, batch.row_alone(at), &mut |_| {
                found = true;
                Ok(Flow::Stop)
            })?;
            if found != negated {
                kept.push(at as u32);
            }
        }
        Ok(batch.take(&kept))
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
