//! Operators on rows alone: filters, projections, unions.

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, Slot, SortKey};
use evergraph_property_graph::Value;
use evergraph_syntax::with_article;

use super::together::are_few;
use super::{Filled, Flow, Found, Result, Run, Sink};
use crate::QueryError;
use crate::batch::Batch;
use crate::evaluate::{Gathered, Over, Row};

impl Run<'_, '_> {
    /// Rows that satisfy all conditions of a filter.
    pub(super) fn filtered(&self, conditions: &[Expression], batch: Batch) -> Result<Batch> {
        let gathered = Gathered::default();
        let kept = Over::new(self, &batch, &gathered).satisfying_all(conditions);
        match kept {
            Some(rows) if rows.len() == batch.len() => Ok(batch),
            Some(rows) => Ok(batch.take(&rows)),
            None => self.filtered_by(conditions, batch),
        }
    }

    /// Numbers of the rows that satisfy all of some conditions, one after the other.
    pub(super) fn satisfying<'e>(
        &self,
        conditions: impl IntoIterator<Item = &'e Expression>,
        batch: &Batch,
    ) -> Result<Vec<u32>> {
        let mut rows: Vec<u32> = (0..batch.len() as u32).collect();
        let gathered = Gathered::default();
        let over = Over::new(self, batch, &gathered);
        for condition in conditions {
            let labelled = self.rows_labelled(condition, batch, &rows)?;
            rows = match labelled.or_else(|| self.ids_compared(condition, batch, &rows)) {
                Some(rows) => rows,
                None => over.satisfying(condition, rows)?,
            };
        }
        Ok(rows)
    }

    /// Rows that satisfy all of some conditions, one after the other.
    pub(super) fn filtered_by<'e>(
        &self,
        conditions: impl IntoIterator<Item = &'e Expression>,
        batch: Batch,
    ) -> Result<Batch> {
        let rows = self.satisfying(conditions, &batch)?;
        match rows.len() == batch.len() {
            true => Ok(batch),
            false => Ok(batch.take(&rows)),
        }
    }

    /// Rows with more slots.
    pub(super) fn extended(&self, items: &[(Slot, Expression)], mut batch: Batch) -> Result<Batch> {
        let gathered = Gathered::default();
        for (slot, value) in items {
            let column = match value {
                Expression::Slot(same) => {
                    gathered.forget(*slot);
                    batch.set_same(*slot, *same);
                    continue;
                }
                value => Over::new(self, &batch, &gathered).all(value)?,
            };
            gathered.forget(*slot);
            batch.set(*slot, column);
        }
        Ok(batch)
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
                    "a number of rows is an INTEGER, not {}",
                    with_article(other.type_name())
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
        if let Some(slot) = argument.numbers_in() {
            let mut taken = vec![0; argument.len()];
            return self.run(input, argument, &mut |batch| {
                self.push(
                    counted(batch, slot, &mut taken, |taken| taken >= left),
                    sink,
                )
            });
        }
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
        if argument.numbers_in().is_some() {
            return self.limit_each(left, input, argument, sink);
        }
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

    /// The first so many rows for each row around.
    fn limit_each(
        &self,
        most: usize,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let slot = argument.numbers_in().unwrap_or_default();
        let mut taken = vec![0; argument.len()];
        if most == 0 {
            return Ok(Flow::Continue);
        }
        let full = Found::none_of(slot, argument.len(), are_few(most));
        self.found.borrow_mut().push(full);
        let mut stopped = false;
        let done = self.run(input, argument, &mut |batch| {
            let batch = counted(batch, slot, &mut taken, |taken| taken < most);
            // What is above wants rows that have enough of those below.
            let Some(mut full) = self.found.borrow_mut().pop() else {
                return Ok(Flow::Stop);
            };
            for number in batch.numbers(slot) {
                if taken[number as usize] >= most {
                    full.note(number);
                }
            }
            let is_all = full.is_all();
            let flow = self.push(batch, sink);
            self.found.borrow_mut().push(full);
            stopped = flow? == Flow::Stop;
            Ok(match stopped || is_all {
                true => Flow::Stop,
                false => Flow::Continue,
            })
        });
        self.found.borrow_mut().pop();
        done?;
        Ok(match stopped {
            true => Flow::Stop,
            false => Flow::Continue,
        })
    }

    /// The first rows in order, for each row around.
    pub(super) fn top_each(
        &self,
        (keys, limit): (&[SortKey], &Expression),
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let most = self.count(limit, &argument)?;
        let slot = argument.numbers_in().unwrap_or_default();
        let mut taken = vec![0; argument.len()];
        self.sort(keys, input, argument, &mut |batch| {
            self.push(counted(batch, slot, &mut taken, |taken| taken < most), sink)
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
            let one = |datum| Ok(Some(datum));
            self.each_element(list, row, &one, &mut |element| {
                out.add([(slot, Filled::Datum(element))])
            })
        })
    }

    /// Gives the elements of a list one by one, none of null, and `one` of what is no
    /// list. `range(...)` is never a list.
    pub(super) fn each_element(
        &self,
        list: &Expression,
        row: &mut Row<'_>,
        one: &dyn Fn(Datum) -> Result<Option<Datum>>,
        each: &mut dyn FnMut(Datum) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut give = |element: Datum| {
            self.step()?;
            each(element)
        };
        if let Some(range) = self.range(list, row)? {
            for number in range {
                if give(number.into())? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            return Ok(Flow::Continue);
        }
        let list = self.value(list, row)?;
        if list.is_null() {
            return Ok(Flow::Continue);
        }
        let Some(elements) = list.elements() else {
            return one(list)?.map_or(Ok(Flow::Continue), give);
        };
        for element in elements.iter() {
            if give(element)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
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
                let mut made = argument.beside(&batch);
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

/// Rows of a batch by how many rows for the same row around came before.
fn counted(
    batch: Batch,
    slot: Slot,
    taken: &mut [usize],
    is_kept: impl Fn(usize) -> bool,
) -> Batch {
    let numbers = batch.numbers(slot);
    let mut rows = Vec::new();
    for (row, number) in numbers.into_iter().enumerate() {
        let taken = &mut taken[number as usize];
        rows.extend(is_kept(*taken).then_some(row as u32));
        *taken += 1;
    }
    batch.take(&rows)
}
