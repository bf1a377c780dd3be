//! Rows without those that are equivalent to earlier ones.
//!
//! Beyond memory the keys so far stay; rows with others go to files, sorted by their keys,
//! where equivalent ones meet. The first of each are sorted as they came: the result is
//! the same, row by row.

use evergraph_functions::Datum;
use evergraph_planner::{Plan, Slot};

use super::keys::{ENTRY, Keys, NO_NUMBER, hash_of, new_rows};
use super::runs::{Shape, Sorter, first_places, is_same};
use super::{Flow, Result, Run, Sink};
use crate::batch::{Batch, Column};

const WHAT: &str = "DISTINCT";

/// Rows whose keys were not met while there was memory: the hash of the key, the key, the
/// place of the row among all, its slots.
struct Others<'r, 's> {
    slots: &'s [Slot],
    by_key: Sorter<'r>,
    shape: Shape,
    rows: i64,
}

impl<'r, 's> Others<'r, 's> {
    fn new(run: &Run<'r, '_>, slots: &'s [Slot], batch: &Batch) -> Self {
        Others {
            slots,
            by_key: Sorter::new(run.guard, WHAT, first_places(1 + slots.len())),
            shape: Shape::of(batch),
            rows: 0,
        }
    }

    fn take(&mut self, run: &Run<'_, '_>, batch: &Batch, rows: &[u32]) -> Result<()> {
        self.shape.note(batch);
        for &row in rows {
            run.step()?;
            let row = row as usize;
            let key = self.slots.iter().map(|&slot| batch.get(slot, row));
            let mut record: Vec<Datum> = vec![Datum::NULL];
            record.extend(key);
            record[0] = hash_of(&record[1..]).into();
            record.push(self.rows.into());
            record.extend(self.shape.slots(batch, row));
            self.rows += 1;
            self.by_key.add(run, record)?;
        }
        Ok(())
    }

    fn push(self, run: &Run<'r, '_>, sink: &mut Sink<'_>) -> Result<Flow> {
        let keys = 1 + self.slots.len();
        let mut in_order = Sorter::new(run.guard, WHAT, first_places(1));
        let mut by_key = self.by_key.finish(run)?;
        let mut last: Option<Vec<Datum>> = None;
        while let Some(mut record) = by_key.next(run)? {
            if last
                .as_ref()
                .is_some_and(|last| is_same(last, &record, keys))
            {
                continue;
            }
            let row = record.split_off(keys);
            last = Some(record);
            in_order.add(run, row)?;
        }
        drop(by_key);
        let mut rows = in_order.finish(run)?;
        self.shape.push(1, || rows.next(run), sink)
    }
}

impl Run<'_, '_> {
    pub(super) fn distinct(
        &self,
        slots: &[Slot],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let numbers = argument.numbers_in();
        let slots: Vec<Slot> = slots.iter().copied().chain(numbers).collect();
        let mut keys = Keys::new(slots.len());
        let mut account = self.guard.account(WHAT);
        let mut others: Option<Others<'_, '_>> = None;
        let flow = self.run(input, argument, &mut |batch| {
            let columns: Vec<&Column> = slots.iter().map(|&slot| batch.column(slot)).collect();
            if others.is_none() && self.guard.spill().is_some() {
                let more = batch.len() * slots.len() * ENTRY + batch.bytes();
                if self.is_to_spill(&account, keys.bytes() + more) {
                    others = Some(Others::new(self, &slots, &batch));
                }
            }
            if let Some(others) = &mut others {
                let numbers = keys.found(&columns, batch.len());
                let is_other = |row: &u32| numbers[*row as usize] == NO_NUMBER;
                let rows: Vec<u32> = (0..batch.len() as u32).filter(is_other).collect();
                others.take(self, &batch, &rows)?;
                return Ok(Flow::Continue);
            }
            let before = keys.len();
            let numbers = keys.numbers(&columns, batch.len());
            account.set(keys.bytes())?;
            let rows = new_rows(&numbers, before);
            match rows.len() == batch.len() {
                true => self.push(batch, sink),
                false => self.push(batch.take(&rows), sink),
            }
        })?;
        drop((keys, account));
        match others {
            Some(others) if flow == Flow::Continue => others.push(self, sink),
            _ => Ok(flow),
        }
    }
}
