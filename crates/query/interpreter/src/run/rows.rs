//! Operators on rows alone: filters, projections, unions.

use std::collections::HashSet;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, Slot};
use evergraph_property_graph::Value;

use super::{Filled, Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column, bytes_of};
use crate::evaluate::Row;

impl Run<'_, '_> {
    /// Rows that satisfy all conditions.
    pub(super) fn filtered(&self, conditions: &[Expression], batch: Batch) -> Result<Batch> {
        let mut rows: Vec<u32> = (0..batch.len() as u32).collect();
        for condition in conditions {
            rows = self.satisfying(condition, &batch, rows)?;
        }
        match rows.len() == batch.len() {
            true => Ok(batch),
            false => Ok(batch.take(&rows)),
        }
    }

    /// Rows with more slots.
    pub(super) fn extended(&self, items: &[(Slot, Expression)], mut batch: Batch) -> Result<Batch> {
        for (slot, value) in items {
            let column = match value {
                Expression::Slot(same) => batch.column(*same).clone(),
                value => Column::Data(self.values(value, &batch)?),
            };
            batch.set(*slot, column);
        }
        Ok(batch)
    }

    pub(super) fn distinct(
        &self,
        slots: &[Slot],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut seen: HashSet<Vec<Datum>, foldhash::fast::RandomState> = HashSet::default();
        let mut account = self.guard.account("DISTINCT");
        self.run(input, argument, &mut |batch| {
            let mut rows = Vec::new();
            for at in 0..batch.len() {
                let key: Vec<Datum> = slots.iter().map(|&slot| batch.get(slot, at)).collect();
                let size = 64 + key.iter().map(|datum| 32 + bytes_of(datum)).sum::<usize>();
                if seen.insert(key) {
                    account.add(size)?;
                    rows.push(at as u32);
                }
            }
            self.push(batch.take(&rows), sink)
        })
    }

    /// The value of `SKIP` or `LIMIT`.
    pub(super) fn count(&self, count: &Expression, argument: &Batch) -> Result<usize> {
        let datum = self.value(count, &mut Row::new(argument, 0))?;
        match datum {
            Datum::Value(Value::Integer(count)) => usize::try_from(count).map_err(|_| {
                let message = format!("a number of rows is not negative, as {count}");
                QueryError::runtime("SyntaxError", "NegativeIntegerArgument", message)
            }),
            other => {
                let message = format!(
                    "a number of rows is an INTEGER, not a {}",
                    other.type_name()
                );
                Err(QueryError::runtime(
                    "SyntaxError",
                    "InvalidArgumentType",
                    message,
                ))
            }
        }
    }

    pub(super) fn skip(
        &self,
        count: &Expression,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut left = self.count(count, &argument)?;
        self.run(input, argument, &mut |batch| {
            let skipped = left.min(batch.len());
            left -= skipped;
            match skipped {
                0 => sink(batch),
                _ => self.push(batch.slice(skipped, batch.len()), sink),
            }
        })
    }

    pub(super) fn limit(
        &self,
        count: &Expression,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut left = self.count(count, &argument)?;
        let mut stopped = false;
        self.run(input, argument, &mut |batch| {
            let taken = left.min(batch.len());
            left -= taken;
            // What is written below has been written by now.
            if taken == 0 {
                return Ok(Flow::Stop);
            }
            let batch = match taken == batch.len() {
                true => batch,
                false => batch.slice(0, taken),
            };
            let flow = sink(batch)?;
            stopped = flow == Flow::Stop;
            match left {
                0 => Ok(Flow::Stop),
                _ => Ok(flow),
            }
        })?;
        // Operators above want more rows, of the next argument perhaps.
        Ok(match stopped {
            true => Flow::Stop,
            false => Flow::Continue,
        })
    }

    pub(super) fn unwind(
        &self,
        list: &Expression,
        slot: Slot,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        self.for_each_row(batch, sink, |row, out| {
            let list = self.value(list, row)?;
            if list.is_null() {
                return Ok(Flow::Continue);
            }
            let Some(elements) = list.elements() else {
                return out.add([(slot, Filled::Datum(list))]);
            };
            for element in elements.iter() {
                self.step()?;
                if out.add([(slot, Filled::Datum(element))])? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Continue)
        })
    }

    pub(super) fn union(
        &self,
        parts: &[(Plan, Vec<Slot>)],
        columns: &[Slot],
        argument: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        for (plan, slots) in parts {
            let flow = self.run(plan, argument.clone(), &mut |batch| {
                let mut made = argument.repeated_around(self.width, batch.len());
                for (&from, &to) in slots.iter().zip(columns) {
                    made.set(to, batch.column(from).clone());
                }
                self.push(made, sink)
            })?;
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}
