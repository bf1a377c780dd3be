//! Rows with the rows of another plan.

use std::rc::Rc;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, Slot};

use super::keys::{Keys, NO_NUMBER};
use super::together::is_joint;
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::{Gathered, Over};
use crate::limits::Account;

/// Rows that are collected before they are pushed.
pub(super) struct Pending<'s> {
    rows: Batch,
    sink: &'s mut Sink<'s>,
    stopped: bool,
}

/// One side of a hash join.
struct Built<'r> {
    rows: Batch,
    numbers: Keys,
    places: Places,
    _account: Account<'r>,
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
        self.rows.append(batch);
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
        let around = argument.row(0);
        // Not before the first row: what makes the rows may write what `inner` reads.
        let mut built: Option<Built<'_>> = None;
        self.run(input, argument, &mut |batch| {
            let built = match &mut built {
                Some(built) => built,
                none => none.insert(self.build(inner, around.clone(), keys)?),
            };
            self.probe(built, keys, brings, &batch, sink)
        })
    }

    /// The rows of a plan by their keys.
    fn build(
        &self,
        inner: &Plan,
        around: Batch,
        keys: &[(Expression, Expression)],
    ) -> Result<Built<'_>> {
        let (rows, mut account) = self.collect_in_any_order(inner, around, "a hash join")?;
        let right = self.keys_of(keys.iter().map(|(_, right)| right), &rows)?;
        let mut numbers = Keys::new(keys.len());
        let places = Places::of(numbers.numbers(&right.columns, rows.len()), &right);
        account.add(numbers.bytes() + 4 * rows.len())?;
        Ok(Built {
            rows,
            numbers,
            places,
            _account: account,
        })
    }

    /// Pushes the rows of a batch beside those with equal keys.
    fn probe(
        &self,
        built: &mut Built<'_>,
        keys: &[(Expression, Expression)],
        brings: &[Slot],
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let left = self.keys_of(keys.iter().map(|(left, _)| left), batch)?;
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        let numbers = built.numbers.found(&left.columns, batch.len());
        for (at, number) in numbers.into_iter().enumerate() {
            if number == NO_NUMBER || left.has_null(at) {
                continue;
            }
            let found = built.places.rows(number);
            rows.extend(std::iter::repeat_n(at as u32, found.len()));
            others.extend_from_slice(found);
            if rows.len() >= BATCH {
                let pair = (&rows[..], &others[..]);
                if self.push_joined(batch, &built.rows, pair, brings, sink)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                rows.clear();
                others.clear();
            }
        }
        self.push_joined(batch, &built.rows, (&rows, &others), brings, sink)
    }

    /// Pushes rows beside those of another batch.
    fn push_joined(
        &self,
        batch: &Batch,
        built: &Batch,
        (rows, others): (&[u32], &[u32]),
        brings: &[Slot],
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        for (rows, others) in rows.chunks(BATCH).zip(others.chunks(BATCH)) {
            let mut joined = batch.take(rows);
            for &slot in brings {
                joined.set(slot, built.column(slot).take(others));
            }
            if sink(joined)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The columns of a key.
    fn keys_of<'e>(
        &self,
        of: impl Iterator<Item = &'e Expression>,
        batch: &Batch,
    ) -> Result<KeyColumns> {
        let gathered = Gathered::default();
        let over = Over::new(self, batch, &gathered);
        let columns = of.map(|one| Ok(Rc::new(over.all(one)?)));
        Ok(KeyColumns {
            columns: columns.collect::<Result<_>>()?,
        })
    }
}

/// The columns of a key.
struct KeyColumns {
    columns: Vec<Rc<Column>>,
}

impl KeyColumns {
    /// Whether a row has a null, which equals nothing.
    fn has_null(&self, row: usize) -> bool {
        self.columns.iter().any(|column| column.is_null_at(row))
    }
}

/// Rows by the number of their key.
struct Places {
    /// Where those of a number begin, and behind the last where they end.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Places {
    fn of(numbers: Vec<u32>, keys: &KeyColumns) -> Self {
        let there = || {
            let rows = numbers.iter().enumerate();
            rows.filter(|(row, _)| !keys.has_null(*row))
        };
        let count = numbers.iter().max().map_or(0, |most| *most as usize + 1);
        let mut starts = vec![0u32; count + 1];
        there().for_each(|(_, &number)| starts[number as usize + 1] += 1);
        for number in 0..count {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[count] as usize];
        for (row, &number) in there() {
            let place = &mut next[number as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        Places { starts, rows }
    }

    fn rows(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.rows[self.starts[number] as usize..self.starts[number + 1] as usize]
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
