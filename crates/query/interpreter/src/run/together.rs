//! Subqueries of all rows of a batch at once: each row of the inner plan has the number of
//! the row that it is for in a column of its own, which goes through all operators.

use std::cell::Cell;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Operator, Plan, Slot, SortKey, Subquery};
use evergraph_property_graph::Value;
use evergraph_syntax::tree::SubqueryKind;

use super::join::Pending;
use super::sort::Order;
use super::{Flow, Result, Run, Sink};
use crate::batch::{Batch, Column, NO_ROW};
use crate::evaluate::size_of_list;

/// Rows around a subquery that want no more rows of it: those of a semi-join that have
/// one, and those of a limit that have so many.
#[derive(Default)]
pub(crate) struct Found {
    /// The column with their numbers.
    slot: Slot,
    rows: Vec<bool>,
    left: usize,
    /// Whether each wants few, in any order of the rows around.
    few: bool,
}

/// Rows of a limit that are few.
const FEW: usize = 16;

/// Whether so many rows are few.
pub(super) fn are_few(rows: usize) -> bool {
    rows <= FEW
}

impl Found {
    pub(super) fn none_of(slot: Slot, rows: usize, few: bool) -> Self {
        Found {
            slot,
            rows: vec![false; rows],
            left: rows,
            few,
        }
    }

    /// Notes that a row wants no more.
    pub(super) fn note(&mut self, number: u32) {
        let known = &mut self.rows[number as usize];
        self.left -= usize::from(!*known);
        *known = true;
    }

    /// Whether no row wants any more.
    pub(super) fn is_all(&self) -> bool {
        self.left == 0
    }
}

/// Whether the rows of a plan can be found for many rows of its argument at once: each of
/// its operators keeps the number of the row, and nothing writes.
pub(super) fn is_joint(plan: &Plan) -> bool {
    let mut holds = true;
    plan.for_each(&mut |plan| {
        holds &= match &plan.operator {
            Operator::Apply { brings, .. } => brings.is_some(),
            operator if operator.is_search() => true,
            operator => matches!(
                operator,
                Operator::Argument
                    | Operator::Filter(_)
                    | Operator::Extend(_)
                    | Operator::Keep(_)
                    | Operator::Aggregate { .. }
                    | Operator::Count(_)
                    | Operator::Distinct(_)
                    | Operator::Sort(_)
                    | Operator::Top(..)
                    | Operator::Skip(_)
                    | Operator::Limit(_)
                    | Operator::Unwind(..)
                    | Operator::Optional { .. }
                    | Operator::SemiApply { .. }
                    | Operator::HashJoin { .. }
                    | Operator::Union { .. }
            ),
        };
    });
    holds
}

/// Whether a plan gives its rows in the order of the rows that they are for; a hash join
/// that goes on in files does not, nor one below a limit of few, which first gives one for
/// each.
fn is_ordered(plan: &Plan, spills: bool, is_few: &dyn Fn(&Expression) -> bool) -> bool {
    let mut next = Some(plan);
    let mut is_limited = false;
    while let Some(plan) = next {
        match &plan.operator {
            Operator::Limit(count) => is_limited |= is_few(count),
            Operator::Aggregate { .. }
            | Operator::Count(_)
            | Operator::Sort(_)
            | Operator::Top(..)
            | Operator::Union { .. } => return false,
            Operator::HashJoin { .. } if spills || is_limited => return false,
            _ => {}
        }
        next = plan.input.as_deref();
    }
    true
}

impl Run<'_, '_> {
    /// Rows with those of another plan; with nulls, if it has none and `optional` says so.
    pub(super) fn joined_rows(
        &self,
        inner: &Plan,
        (brings, optional): (&[Slot], bool),
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (argument, slot) = batch.numbered();
        let mut pending = Pending::new(self.width, sink);
        let next = Cell::new(0);
        let mut push = |rows: Batch| {
            let (mut outer, mut inner) = (Vec::new(), Vec::new());
            for (place, origin) in rows.numbers(slot).into_iter().enumerate() {
                // Rows without any come between.
                while optional && next.get() < origin {
                    outer.push(next.get());
                    inner.push(NO_ROW);
                    next.set(next.get() + 1);
                }
                outer.push(origin);
                inner.push(place as u32);
                next.set(next.get().max(origin + 1));
            }
            let mut made = batch.take(&outer);
            for &slot in brings {
                made.set(slot, rows.column(slot).take_or_null(&inner));
            }
            pending.add(made)
        };
        let is_few = |count: &Expression| self.count(count, batch).is_ok_and(are_few);
        match is_ordered(inner, self.guard.spill().is_some(), &is_few) {
            true => {
                self.run(inner, argument, &mut push)?;
            }
            false => {
                let key = SortKey {
                    key: Expression::Slot(slot),
                    descending: false,
                };
                let order = Order {
                    keys: &[key],
                    most: usize::MAX,
                    wanted: None,
                    what: "a subquery",
                };
                self.ordered(order, inner, argument, &mut push)?;
            }
        }
        if pending.is_stopped() {
            return Ok(Flow::Stop);
        }
        if optional && (next.get() as usize) < batch.len() {
            let rest: Vec<u32> = (next.get()..batch.len() as u32).collect();
            let mut made = batch.take(&rest);
            for &slot in brings {
                made.set(slot, Column::Same(Datum::NULL));
            }
            pending.add(made)?;
        }
        pending.flush()
    }

    /// For which rows of a batch another plan has any rows.
    pub(super) fn have_rows(&self, inner: &Plan, batch: &Batch) -> Result<Vec<bool>> {
        let (argument, slot) = batch.numbered();
        let found = Found::none_of(slot, batch.len(), true);
        self.found.borrow_mut().push(found);
        let done = self.run(inner, argument, &mut |rows| {
            let mut found = self.found.borrow_mut();
            let Some(found) = found.last_mut() else {
                return Ok(Flow::Stop);
            };
            rows.numbers(slot)
                .into_iter()
                .for_each(|number| found.note(number));
            Ok(match found.is_all() {
                true => Flow::Stop,
                false => Flow::Continue,
            })
        });
        let found = self.found.borrow_mut().pop();
        done?;
        Ok(found.unwrap_or_default().rows)
    }

    /// Whether a row around may want no more rows, where those of a batch are for rows
    /// around.
    pub(super) fn may_be_closed(&self, batch: &Batch) -> bool {
        let found = self.found.borrow();
        let last = found.last();
        last.is_some_and(|one| batch.numbers_in() == Some(one.slot))
    }

    /// Whether rows around want few rows each, in any order.
    pub(super) fn wants_few(&self, batch: &Batch) -> bool {
        let found = self.found.borrow();
        self.may_be_closed(batch) && found.last().is_some_and(|one| one.few)
    }

    /// Which rows of a batch are for rows around that want more.
    pub(super) fn are_open(&self, batch: &Batch) -> Vec<bool> {
        let mut are_open = vec![true; batch.len()];
        let found = self.found.borrow();
        let of_batch = found.iter().rev();
        for found in of_batch.take_while(|one| batch.numbers_in() == Some(one.slot)) {
            let numbers = batch.numbers(found.slot).into_iter();
            for (is_open, number) in are_open.iter_mut().zip(numbers) {
                *is_open &= !found.rows[number as usize];
            }
        }
        are_open
    }

    /// The rows of a batch that are for rows around that want more.
    pub(super) fn still_open(&self, batch: Batch) -> Batch {
        if !self.may_be_closed(&batch) {
            return batch;
        }
        let are_open = self.are_open(&batch);
        let rows = (0..batch.len() as u32).filter(|&row| are_open[row as usize]);
        let rows: Vec<u32> = rows.collect();
        match rows.len() == batch.len() {
            true => batch,
            false => batch.take(&rows),
        }
    }

    /// Whether one row of a batch is for a row around that wants no more.
    pub(super) fn is_closed(&self, batch: &Batch, at: usize) -> bool {
        let found = self.found.borrow();
        let of_batch = found.iter().rev();
        let mut of_batch = of_batch.take_while(|one| batch.numbers_in() == Some(one.slot));
        of_batch.any(|found| match batch.get(found.slot, at) {
            Datum::Value(Value::Integer(number)) => found.rows[number as usize],
            _ => false,
        })
    }

    /// What is asked of the rows of another plan, for each row of a batch; `None` if it is
    /// to be asked row by row.
    pub(crate) fn subqueries(&self, of: &Subquery, batch: &Batch) -> Result<Option<Column>> {
        if !is_joint(&of.plan) {
            return Ok(None);
        }
        if of.kind == SubqueryKind::Exists {
            let found = self.have_rows(&of.plan, batch)?.into_iter();
            return Ok(Some(Column::of(found.map(Datum::from).collect())));
        }
        let (argument, slot) = batch.numbered();
        let mut counts = vec![0i64; batch.len()];
        let mut collected: Vec<Vec<Datum>> = vec![Vec::new(); batch.len()];
        let is_list = of.kind == SubqueryKind::Collect;
        let mut account = self.guard.account("a list");
        self.run(&of.plan, argument, &mut |rows| {
            if let (true, Some(value)) = (is_list, of.value) {
                account.add(size_of_list(&rows, value))?;
            }
            for (row, number) in rows.numbers(slot).into_iter().enumerate() {
                counts[number as usize] += 1;
                if let (true, Some(value)) = (is_list, of.value) {
                    collected[number as usize].push(rows.get(value, row));
                }
            }
            Ok(Flow::Continue)
        })?;
        let data = match is_list {
            true => collected.into_iter().map(Datum::list).collect(),
            false => counts.into_iter().map(Datum::from).collect(),
        };
        Ok(Some(Column::of(data)))
    }
}
