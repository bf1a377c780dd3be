//! Groups beyond memory: their states go to files, sorted by the keys, where states of one
//! group meet and are merged.
//!
//! Values of `DISTINCT` are records of their own, so that equal ones meet, too. Groups are
//! at last sorted as they came: but for the last digits of sums of floats the result is
//! the same, row by row.

use evergraph_functions::Datum;
use evergraph_functions::aggregates::{Accumulators, Aggregate as Kind, Groups as Numbered};
use evergraph_functions::kernels::Operand;
use evergraph_property_graph::Value;
use evergraph_storage::failpoint;

use super::aggregate::{Grouping, Groups, Met, WHAT};
use super::keys::hash_of;
use super::runs::{Record, Runs, Sorter, Writing, failure, first_places, in_batches, is_same};
use super::sort::sorted;
use super::{Flow, Result, Run, Sink};
use crate::batch::{Batch, Column, bytes_of};
use crate::spill::wrong;

/// The part of a group that has the states of all aggregations.
const STATES: i64 = 0;

/// Groups in files. A record has the hash of the keys, the keys, the part of the group,
/// of a value of `DISTINCT` that value, its place among all, and the states.
pub(super) struct Beyond {
    runs: Runs,
    keys: usize,
    /// Groups and values of `DISTINCT` so far.
    count: i64,
}

impl Beyond {
    /// Of groups with so many keys.
    pub(super) fn new(keys: usize) -> Self {
        Beyond {
            // Hash, keys, part, value.
            runs: Runs::new(WHAT, first_places(keys + 3)),
            keys,
            count: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Takes the groups of another thread, behind its own.
    pub(super) fn append(&mut self, other: Beyond) {
        self.runs.append(other.runs);
    }

    /// Writes groups, for [`Beyond::take`].
    pub(super) fn write<'r>(
        &mut self,
        run: &Run<'r, '_>,
        groups: Groups<'_>,
    ) -> Result<Writing<'r>> {
        let columns = (0..self.keys).map(|place| groups.keys.column(place));
        let columns: Vec<Column> = columns.collect();
        let key_of = |group: u32| columns.iter().map(move |column| column.get(group as usize));
        let count = groups.keys.len();
        let hashes = (0..count as u32).map(|group| hash_of(&key_of(group).collect::<Record>()));
        let hashes: Vec<i64> = hashes.collect();
        let hash = |group: u32| hashes[group as usize];
        let compare = |&one: &u32, &other: &u32| {
            let by_hash = hash(one).cmp(&hash(other));
            by_hash.then_with(|| key_of(one).cmp(key_of(other)))
        };
        let order = sorted(count, compare, || run.guard.check())?;
        let values = groups.columns.iter();
        let values = values.map(|column| Some(MetValues::of(column.met.as_ref()?, count)));
        let values: Vec<Option<MetValues<'_>>> = values.collect();
        let mut writing = self.runs.begin(run)?;
        let mut tail = Vec::new();
        for group in order {
            run.step()?;
            let head: Record = std::iter::once(hash(group).into())
                .chain(key_of(group))
                .collect();
            let group = group as usize;
            let place = self.count + group as i64;
            tail.clear();
            tail.extend([STATES.into(), Datum::NULL, place.into()]);
            tail.extend(groups.columns.iter().map(|column| match column.met {
                None => column.states.save(group),
                Some(_) => Datum::NULL,
            }));
            writing.add(head.iter().chain(&tail))?;
            for (part, values) in values.iter().enumerate() {
                for (value, place) in values.iter().flat_map(|values| values.in_group(group)) {
                    run.step()?;
                    let place = self.count + i64::from(place);
                    let part = STATES + 1 + part as i64;
                    tail.clear();
                    tail.extend([part.into(), value.clone(), place.into()]);
                    writing.add(head.iter().chain(&tail))?;
                }
            }
        }
        let met = values.iter().flatten().map(|values| values.sorted.len());
        self.count += met.chain([count]).max().unwrap_or(0) as i64;
        Ok(writing)
    }

    /// Takes groups that have been written.
    pub(super) fn take(&mut self, run: &Run<'_, '_>, written: Writing<'_>) -> Result<()> {
        self.runs.end(run, written)
    }
}

/// Values of `DISTINCT` that groups have met, by group and value.
struct MetValues<'v> {
    met: &'v Met,
    /// Places of the pairs.
    sorted: Vec<u32>,
    /// Where those of a group begin, and behind the last where they end.
    starts: Vec<usize>,
}

impl<'v> MetValues<'v> {
    fn of(met: &'v Met, groups: usize) -> Self {
        let mut sorted: Vec<u32> = (0..met.len() as u32).collect();
        sorted.sort_by(|&one, &other| met.pair(one).cmp(&met.pair(other)));
        let starts = (0..=groups as u32)
            .map(|group| sorted.partition_point(|&place| met.pair(place).0 < group));
        let starts = starts.collect();
        MetValues {
            met,
            sorted,
            starts,
        }
    }

    /// In order, each with its place among all.
    fn in_group(&self, group: usize) -> impl Iterator<Item = (&'v Datum, u32)> {
        let places = &self.sorted[self.starts[group]..self.starts[group + 1]];
        let met = self.met;
        places.iter().map(move |&place| (met.pair(place).1, place))
    }
}

/// A group whose records are being read.
struct Reading<'p> {
    /// The hash of its keys, and they.
    head: Record,
    /// Its place among all.
    place: Datum,
    states: Groups<'p>,
    /// The part and value of the last record.
    last: (Datum, Datum),
    /// Values of `DISTINCT` whose order is to be as they came, by column.
    ordered: Vec<Vec<(Datum, Datum)>>,
}

impl<'p> Reading<'p> {
    fn new(grouping: Grouping<'p>, head: Record, place: Datum) -> Result<Self> {
        let mut states = Groups::new(grouping)?;
        states.columns.iter_mut().for_each(|one| one.states.grow(1));
        Ok(Reading {
            head,
            place,
            ordered: vec![Vec::new(); states.columns.len()],
            states,
            last: (Datum::NULL, Datum::NULL),
        })
    }

    /// Takes what follows the keys of a record; bytes that it needs more.
    fn take(&mut self, run: &Run<'_, '_>, tail: Vec<Datum>) -> Result<usize> {
        let damaged = || failure(run.guard)(wrong());
        let mut tail = tail.into_iter();
        let (Some(part), Some(value), Some(place)) = (tail.next(), tail.next(), tail.next()) else {
            return Err(damaged());
        };
        if part == Datum::from(STATES) {
            if failpoint!("spill.later-states-forgotten") && place != self.place {
                return Ok(0);
            }
            let mut bytes = 0;
            for (column, saved) in self.states.columns.iter_mut().zip(tail) {
                bytes += bytes_of(&saved);
                // Of values of `DISTINCT` there are records.
                if column.met.is_none() {
                    let distinct = column.is_distinct_itself();
                    let other = Accumulators::from_saved(column.kind, distinct, &saved);
                    column.states.merge(other.ok_or_else(damaged)?, &[0])?;
                }
            }
            return Ok(bytes);
        }
        let this = (part, value);
        if this == self.last {
            return Ok(0);
        }
        let column = match this.0.as_value() {
            Some(Value::Integer(part)) => *part - STATES - 1,
            _ => return Err(damaged()),
        };
        let column = usize::try_from(column).map_err(|_| damaged())?;
        let states = self.states.columns.get_mut(column).ok_or_else(damaged)?;
        let bytes = match states.kind {
            Kind::Collect => {
                self.ordered[column].push((place, this.1.clone()));
                2 * size_of::<Datum>() + bytes_of(&this.1)
            }
            _ => {
                let operands = [Operand::Constant(&this.1)];
                states.states.add(Numbered::First, &operands, 1)?;
                0
            }
        };
        self.last = this;
        Ok(bytes)
    }

    /// Its place among all, its keys, and what has been computed.
    fn finish(mut self) -> Result<Record> {
        let mut record = self.head;
        record[0] = self.place;
        for (column, mut ordered) in self.states.columns.iter_mut().zip(self.ordered) {
            ordered.sort();
            for (_, value) in &ordered {
                let operands = [Operand::Constant(value)];
                column.states.add(Numbered::First, &operands, 1)?;
            }
            record.push(column.states.finish(0)?);
        }
        Ok(record)
    }
}

impl Run<'_, '_> {
    /// Pushes groups that are in files.
    pub(super) fn push_spilled(
        &self,
        beyond: Beyond,
        grouping: Grouping<'_>,
        around: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let width = 1 + beyond.keys;
        let mut in_order = Sorter::new(self.guard, WHAT, first_places(1));
        let mut account = self.guard.account(WHAT);
        let mut records = beyond.runs.merge(self)?;
        let mut met: Option<Reading<'_>> = None;
        while let Some(mut record) = records.next(self)? {
            let tail = record.split_off(width);
            if met
                .as_ref()
                .is_none_or(|met| !is_same(&met.head, &record, width))
            {
                if let Some(done) = met.take() {
                    in_order.add(self, done.finish()?)?;
                    account.clear();
                }
                let place = tail.get(2).cloned().unwrap_or_default();
                met = Some(Reading::new(grouping, record, place)?);
            }
            if let Some(met) = &mut met {
                account.grow(met.take(self, tail)?)?;
            }
        }
        if let Some(done) = met {
            in_order.add(self, done.finish()?)?;
        }
        drop((records, account));
        let mut records = in_order.finish(self)?;
        in_batches(|| records.next(self), &mut |mut records| {
            let count = records.len();
            let mut columns = (1..width + grouping.aggregates.len()).map(|at| {
                let data = records.iter_mut();
                let data = data.map(|record| std::mem::take(&mut record[at]));
                Column::of(data.collect())
            });
            let keys = columns.by_ref().take(beyond.keys).collect();
            let values = columns.collect();
            sink(grouping.rows(around, keys, values, count))
        })
    }
}
