//! Rows in order.

use std::cmp::Ordering;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, SortKey};

use super::external::External;
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch};
use crate::limits::Account;

impl Run<'_, '_> {
    pub(super) fn sort(
        &self,
        keys: &[SortKey],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut account = self.guard.account("ORDER BY");
        let mut held = Batch::rows_of(self.width, 0);
        let mut external = None;
        self.run(input, argument, &mut |batch| {
            let bytes = size_of_order(&batch, keys);
            if self.is_to_spill(&account, bytes) {
                let external = match &mut external {
                    Some(external) => external,
                    none => none.insert(External::new(self, keys)?),
                };
                let empty = Batch::rows_of(self.width, 0);
                external.take(std::mem::replace(&mut held, empty))?;
                account.clear();
            }
            account.add(bytes)?;
            held.append(batch);
            Ok(Flow::Continue)
        })?;
        match external {
            None => self.push_sorted(keys, &held, sink),
            Some(mut external) => {
                external.take(held)?;
                account.clear();
                external.merge(sink)
            }
        }
    }

    /// Whether so many more bytes are not to be held: what reads the rows needs memory, too.
    fn is_to_spill(&self, account: &Account<'_>, bytes: usize) -> bool {
        self.guard.spill().is_some() && account.bytes() + bytes > self.guard.memory() / 2
    }

    fn push_sorted(&self, keys: &[SortKey], all: &Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        let order = self.order(keys, &self.key_values(keys, all)?, all.len())?;
        for rows in order.chunks(BATCH) {
            self.guard.check()?;
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
            account.add(size_of_order(&batch, keys))?;
            best.append(batch);
            if best.len() > held {
                best = self.first(keys, most, &best)?;
                account.set(size_of_order(&best, keys))?;
            }
            Ok(Flow::Continue)
        })?;
        let best = self.first(keys, most, &best)?;
        self.push_all(best, sink)
    }

    fn first(&self, keys: &[SortKey], most: usize, rows: &Batch) -> Result<Batch> {
        let order = self.order(keys, &self.key_values(keys, rows)?, rows.len())?;
        Ok(rows.take(&order[..most.min(order.len())]))
    }

    /// Values of the keys, a column each.
    pub(super) fn key_values(&self, keys: &[SortKey], all: &Batch) -> Result<Vec<Vec<Datum>>> {
        let values = keys.iter().map(|key| self.values(&key.key, all));
        values.collect()
    }

    /// Places of the rows in order; rows with equal keys stay as they come.
    pub(super) fn order(
        &self,
        keys: &[SortKey],
        values: &[Vec<Datum>],
        rows: usize,
    ) -> Result<Vec<u32>> {
        let compare = |&one: &u32, &other: &u32| {
            let pairs = values.iter().zip(keys);
            let mut orders = pairs.map(|(values, key)| {
                key_order(key, &values[one as usize], &values[other as usize])
            });
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        };
        sorted(rows, compare, || self.guard.check())
    }
}

/// Places that are sorted in one go.
const CHUNK: usize = 1 << 12;

/// Sorts the places of rows, equal ones in their order. A sort of the standard library
/// cannot be stopped: it sorts chunks, which are merged here.
fn sorted(
    rows: usize,
    compare: impl Fn(&u32, &u32) -> Ordering,
    check: impl Fn() -> Result<()>,
) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    for chunk in order.chunks_mut(CHUNK) {
        check()?;
        chunk.sort_by(&compare);
    }
    let mut merged = Vec::with_capacity(rows);
    let mut width = CHUNK;
    while width < rows {
        merged.clear();
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some(one), Some(other)) = (left.first(), right.first()) {
                if merged.len() % CHUNK == 0 {
                    check()?;
                }
                let from = match compare(one, other).is_le() {
                    true => &mut left,
                    false => &mut right,
                };
                merged.extend(from.split_off_first());
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    Ok(order)
}

/// Order of two values of a key.
pub(super) fn key_order(key: &SortKey, one: &Datum, other: &Datum) -> Ordering {
    match key.descending {
        false => one.cmp(other),
        true => other.cmp(one),
    }
}

/// Bytes of rows that are sorted: with their keys, and their places in the order.
fn size_of_order(batch: &Batch, keys: &[SortKey]) -> usize {
    batch.bytes() + batch.len() * (keys.len() * size_of::<Datum>() + size_of::<u32>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QueryError;

    #[test]
    fn places_are_sorted_as_the_standard_library_does() {
        for rows in [
            0,
            1,
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            3 * CHUNK,
            5 * CHUNK + 7,
            1 << 16,
        ] {
            for modulus in [1, 3, 1 << 20] {
                let key = |place: &u32| place.wrapping_mul(2_654_435_761) % modulus;
                let mut expected: Vec<u32> = (0..rows as u32).collect();
                expected.sort_by_key(key);
                let found = sorted(rows, |a, b| key(a).cmp(&key(b)), || Ok(()));
                assert!(
                    found.is_ok_and(|found| found == expected),
                    "{rows} {modulus}"
                );
            }
        }
    }

    #[test]
    fn a_sort_stops() {
        for calls in 0..40 {
            let left = std::cell::Cell::new(calls);
            let check = || match left.replace(left.get() - 1) {
                0 => Err(QueryError::Cancelled),
                _ => Ok(()),
            };
            let ended = sorted(16 * CHUNK, |a, b| b.cmp(a), check);
            assert!(matches!(ended, Err(QueryError::Cancelled)), "{calls}");
        }
    }
}
