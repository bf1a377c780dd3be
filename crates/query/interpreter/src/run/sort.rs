//! Rows in order.

use std::cmp::Ordering;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Operator, Plan, Slot, SortKey};
use evergraph_property_graph::Value;
use evergraph_property_graph::vector::Values;
use evergraph_storage::failpoint;

use super::runs::{Place, Runs, Shape, Writing};
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::compile::is_cheap;
use crate::evaluate::{Gathered, Held, Over};
use crate::limits::Account;

/// Rows that are held besides twice the first ones: few, so that a bound is soon known.
const FEW: usize = 1024;

/// The order in which rows are wanted.
pub(super) struct Order<'p> {
    pub(super) keys: &'p [SortKey],
    /// Rows that are wanted.
    pub(super) most: usize,
    /// Slots that are wanted of the rows; `None` of all.
    pub(super) wanted: Option<&'p [Slot]>,
    /// What an error tells that memory is needed for.
    pub(super) what: &'static str,
}

impl<'p> Order<'p> {
    /// All rows by some keys.
    fn by(keys: &'p [SortKey]) -> Self {
        Order {
            keys,
            most: usize::MAX,
            wanted: None,
            what: "ORDER BY",
        }
    }
}

/// The keys as the first places of records.
fn places_of(keys: &[SortKey]) -> Vec<Place> {
    let places = keys.iter().enumerate().map(|(at, key)| Place {
        at,
        descending: key.descending,
    });
    places.collect()
}

/// A projection below an order that can wait until it is known which rows may be among the
/// first: it costs little, cannot fail, and tells the first key.
struct Late<'p> {
    items: &'p [(Slot, Expression)],
    /// The first key, of the rows below the projection.
    first: SortKey,
    input: &'p Plan,
}

impl<'p> Late<'p> {
    fn of(keys: &[SortKey], input: &'p Plan) -> Option<Self> {
        let (Operator::Extend(items), Some(below)) = (&input.operator, input.input.as_deref())
        else {
            return None;
        };
        let first = keys.first()?;
        let Expression::Slot(slot) = first.key else {
            return None;
        };
        let (_, key) = items.iter().find(|(of, _)| *of == slot)?;
        let is_of_others = |item: &Expression| match item {
            Expression::Slot(of) => items.iter().any(|(slot, _)| slot == of),
            _ => false,
        };
        let depends =
            |item: &Expression| is_of_others(item) || item.children().into_iter().any(is_of_others);
        let can_wait = |(_, item): &(Slot, Expression)| is_cheap(item) && !depends(item);
        items.iter().all(can_wait).then(|| Late {
            items,
            first: SortKey {
                key: key.clone(),
                ..*first
            },
            input: below,
        })
    }
}

impl Run<'_, '_> {
    pub(super) fn sort(
        &self,
        keys: &[SortKey],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        self.ordered(Order::by(keys), input, argument, sink)
    }

    /// Rows of which these slots are wanted: an order by some of them holds no others.
    pub(super) fn rows_with(
        &self,
        slots: &[Slot],
        plan: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (keys, most) = match &plan.operator {
            Operator::Sort(keys) => (keys, usize::MAX),
            Operator::Top(keys, limit) => (keys, self.count(limit, &argument)?),
            _ => return self.run(plan, argument, sink),
        };
        let is_wanted = |key: &SortKey| match &key.key {
            Expression::Slot(slot) => slots.contains(slot),
            _ => false,
        };
        match plan.input.as_deref() {
            Some(input) if keys.iter().all(is_wanted) => {
                let order = Order {
                    most,
                    wanted: Some(slots),
                    ..Order::by(keys)
                };
                self.ordered(order, input, argument, sink)
            }
            _ => self.run(plan, argument, sink),
        }
    }

    /// The first rows of an order.
    pub(super) fn top(
        &self,
        keys: &[SortKey],
        limit: &Expression,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let order = Order {
            most: self.count(limit, &argument)?,
            ..Order::by(keys)
        };
        self.ordered(order, input, argument, sink)
    }

    /// Rows in an order; of its first ones no more than twice as many are held.
    pub(super) fn ordered(
        &self,
        order: Order<'_>,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let Order {
            keys, most, what, ..
        } = order;
        let enough = most.saturating_mul(2).saturating_add(FEW);
        let mut account = self.guard.account(what);
        let mut held = argument.blank(0);
        let mut shape = Shape::of(&argument);
        let mut runs = Runs::new(what, places_of(keys));
        let mut bound: Option<Datum> = None;
        let late = match self.profiler {
            // Of all rows none is left out.
            None if most < usize::MAX => Late::of(keys, input),
            // A profile tells the two apart.
            _ => None,
        };
        let input = late.as_ref().map_or(input, |late| late.input);
        let first = late.as_ref().map(|late| &late.first).or(keys.first());
        self.run(input, argument, &mut |batch| {
            let batch = match bound.as_ref().zip(first) {
                Some((bound, first)) => self.not_behind(first, bound, batch)?,
                None => batch,
            };
            if batch.is_empty() {
                return Ok(Flow::Continue);
            }
            let batch = match &late {
                Some(late) => self.extended(late.items, batch)?,
                None => batch,
            };
            let batch = match order.wanted {
                Some(slots) => batch.keep(None, slots),
                None => batch,
            };
            let bytes = size_of_order(&batch, keys);
            if !held.is_empty() && self.is_to_spill(&account, account.bytes() + bytes) {
                let empty = held.blank(0);
                let held = std::mem::replace(&mut held, empty);
                shape.note(&held);
                let writing = self.write_sorted(keys, held, &shape, &runs)?;
                account.clear();
                runs.end(self, writing)?;
            }
            // Of rows that are large a batch alone may be too much.
            if held.is_empty() && self.is_to_spill(&account, bytes) {
                shape.note(&batch);
                let writing = self.write_sorted(keys, batch, &shape, &runs)?;
                runs.end(self, writing)?;
                return Ok(Flow::Continue);
            }
            account.add(bytes)?;
            held.append(batch);
            if held.len() > enough {
                (held, bound) = self.first(keys, most, &held)?;
                account.set(size_of_order(&held, keys))?;
            }
            Ok(Flow::Continue)
        })?;
        if runs.is_empty() {
            return self.push_sorted(keys, most, held, sink);
        }
        shape.note(&held);
        let writing = self.write_sorted(keys, held, &shape, &runs)?;
        drop(account);
        runs.end(self, writing)?;
        let (mut merged, mut left) = (runs.merge(self)?, most);
        let next = || match left {
            0 => Ok(None),
            _ => {
                left -= 1;
                merged.next(self)
            }
        };
        shape.push(keys.len(), next, sink)
    }

    /// Whether an operator is not to hold so many bytes: more than half of what the query
    /// may hold, as what reads the rows needs memory, too, or what others hold leaves it
    /// too little.
    pub(super) fn is_to_spill(&self, account: &Account<'_>, bytes: usize) -> bool {
        let memory = self.guard.memory();
        let others = self.guard.used().saturating_sub(account.bytes());
        let is_full = others.saturating_add(bytes) > memory / 4 * 3;
        // Files of a few rows each would not help.
        let is_worth = bytes > memory / 16;
        self.guard.spill().is_some() && (bytes > memory / 2 || (is_full && is_worth))
    }

    /// Writes rows as a run: their keys, then their slots.
    fn write_sorted(
        &self,
        keys: &[SortKey],
        rows: Batch,
        shape: &Shape,
        runs: &Runs,
    ) -> Result<Writing<'_>> {
        let gathered = Gathered::default();
        let values = self.key_columns(keys, &rows, &gathered)?;
        let mut writing = runs.begin(self)?;
        let mut slots = Vec::with_capacity(rows.width());
        for row in self.order(keys, &values, rows.len(), usize::MAX)? {
            self.step()?;
            let row = row as usize;
            slots.clear();
            slots.extend(shape.slots(&rows, row));
            let key: Vec<Datum> = values.iter().map(|column| column.get(row)).collect();
            writing.add(key.iter().chain(&slots))?;
        }
        Ok(writing)
    }

    fn push_sorted(
        &self,
        keys: &[SortKey],
        most: usize,
        all: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let order = {
            let gathered = Gathered::default();
            let values = self.key_columns(keys, &all, &gathered)?;
            self.order(keys, &values, all.len(), most)?
        };
        if (1..=BATCH).contains(&order.len()) {
            self.guard.check()?;
            return self.push(all.into_places(&order), sink);
        }
        for rows in order.chunks(BATCH) {
            self.guard.check()?;
            if self.push(all.take(rows), sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The first rows of an order, and the first key of the last of them.
    fn first(&self, keys: &[SortKey], most: usize, rows: &Batch) -> Result<(Batch, Option<Datum>)> {
        let gathered = Gathered::default();
        let values = self.key_columns(keys, rows, &gathered)?;
        let order = self.order(keys, &values, rows.len(), most)?;
        let last = order.last().filter(|_| order.len() == most);
        let bound = last.and_then(|&last| Some(values.first()?.get(last as usize)));
        Ok((rows.take(&order), bound))
    }

    /// The rows whose first key does not come behind a value: others cannot be among the
    /// first rows any more.
    fn not_behind(&self, key: &SortKey, bound: &Datum, batch: Batch) -> Result<Batch> {
        let gathered = Gathered::default();
        let values = Over::new(self, &batch, &gathered).held(&key.key)?;
        let ties = i64::from(failpoint!("top.ties-dropped"));
        let kept: Vec<u32> = match (&*values, bound) {
            (Column::Vector(vector), Datum::Value(Value::Integer(bound)))
                if vector.validity().is_all()
                    && let Values::Integer(numbers) = vector.values() =>
            {
                match key.descending {
                    true => places(numbers, |&number| number >= bound.saturating_add(ties)),
                    false => places(numbers, |&number| number <= bound.saturating_sub(ties)),
                }
            }
            _ => (0..batch.len() as u32)
                .filter(|&row| key_order(key, &values.get(row as usize), bound).is_le())
                .collect(),
        };
        drop(values);
        Ok(match kept.len() == batch.len() {
            true => batch,
            false => batch.take(&kept),
        })
    }

    /// Values of the keys, a column each.
    fn key_columns<'v>(
        &'v self,
        keys: &[SortKey],
        all: &'v Batch,
        gathered: &'v Gathered,
    ) -> Result<Vec<Held<'v>>> {
        let over = Over::new(self, all, gathered);
        keys.iter().map(|key| over.held(&key.key)).collect()
    }

    /// Places of the first `most` rows in order; rows with equal keys stay as they come.
    fn order(
        &self,
        keys: &[SortKey],
        values: &[Held<'_>],
        rows: usize,
        most: usize,
    ) -> Result<Vec<u32>> {
        if keys.is_empty() {
            return Ok((0..rows.min(most) as u32).collect());
        }
        let check = || self.guard.check();
        let integers: Option<Vec<_>> = values.iter().map(|of| of.as_integers()).collect();
        let Some(integers) = integers else {
            let values: Vec<_> = values.iter().map(|of| of.as_data(rows)).collect();
            let compare =
                |at: usize, one: usize, other: usize| values[at][one].cmp(&values[at][other]);
            return first_places(rows, most, by_keys(keys, compare), check);
        };
        let compare =
            |at: usize, one: usize, other: usize| integers[at][one].cmp(&integers[at][other]);
        first_places(rows, most, by_keys(keys, compare), check)
    }
}

/// Places of the numbers that pass, where most do not.
fn places(numbers: &[i64], passes: impl Fn(&i64) -> bool) -> Vec<u32> {
    let mut places = Vec::new();
    for (start, part) in (0..).step_by(64).zip(numbers.chunks(64)) {
        // Without a branch for each.
        if part.iter().fold(false, |any, number| any | passes(number)) {
            let passing = (start..).zip(part).filter(|(_, number)| passes(number));
            places.extend(passing.map(|(place, _)| place));
        }
    }
    places
}

/// The order of two rows, where `compare` says that of the values of one key.
fn by_keys(
    keys: &[SortKey],
    compare: impl Fn(usize, usize, usize) -> Ordering,
) -> impl Fn(&u32, &u32) -> Ordering {
    move |&one, &other| {
        let mut orders = keys.iter().enumerate().map(|(at, key)| {
            let order = compare(at, one as usize, other as usize);
            match key.descending {
                false => order,
                true => order.reverse(),
            }
        });
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// Places of the first `most` rows in order, equal ones as they come. A few of many are
/// selected before they are sorted.
fn first_places(
    rows: usize,
    most: usize,
    compare: impl Fn(&u32, &u32) -> Ordering,
    check: impl Fn() -> Result<()>,
) -> Result<Vec<u32>> {
    let few = most.min(CHUNK);
    if few != most || few == 0 || few > rows / 2 {
        let mut order = sorted(rows, compare, check)?;
        order.truncate(most);
        return Ok(order);
    }
    let compare = |one: &u32, other: &u32| compare(one, other).then(one.cmp(other));
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.select_nth_unstable_by(few - 1, compare);
    order.truncate(few);
    order.sort_unstable_by(compare);
    Ok(order)
}

/// Places that are sorted in one go.
const CHUNK: usize = 1 << 12;

/// Sorts the places of rows, equal ones in their order. A sort of the standard library
/// cannot be stopped: it sorts chunks, which are merged here.
pub(super) fn sorted(
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
fn key_order(key: &SortKey, one: &Datum, other: &Datum) -> Ordering {
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
    fn the_first_places_are_those_of_a_whole_sort() {
        for rows in [0, 1, 2, 9, 100, 3 * CHUNK] {
            for modulus in [1, 3, 1 << 20] {
                let key = |place: &u32| place.wrapping_mul(2_654_435_761) % modulus;
                let compare = |a: &u32, b: &u32| key(a).cmp(&key(b));
                let all = sorted(rows, compare, || Ok(())).unwrap();
                for most in [0, 1, 4, 50, CHUNK + 1, usize::MAX] {
                    let found = first_places(rows, most, compare, || Ok(())).unwrap();
                    assert_eq!(found, all[..most.min(rows)], "{most} of {rows}, {modulus}");
                }
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
