//! States of one aggregation of many groups, updated by whole vectors. What
//! [`Accumulator`] gives of each group is the definition.

use std::collections::HashMap;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::Duration;
use evergraph_property_graph::vector::{Texts, Validity, Values, Vector};

use super::{Accumulator, Aggregate, Sum};
use crate::datum::Datum;
use crate::error::EvaluationError;
use crate::kernels::Operand;

type Result<T> = std::result::Result<T, EvaluationError>;

/// Which group each row is of.
#[derive(Clone, Copy, Debug)]
pub enum Groups<'g> {
    /// All rows are of the first.
    First,
    /// A number a row.
    Numbers(&'g [u32]),
}

impl Groups<'_> {
    #[inline]
    fn of(self, row: usize) -> usize {
        match self {
            Groups::First => 0,
            Groups::Numbers(numbers) => numbers[row] as usize,
        }
    }
}

/// States of one aggregation, a state a group.
#[derive(Clone, Debug)]
pub struct Accumulators {
    aggregate: Aggregate,
    distinct: bool,
    pub(super) states: States,
}

#[derive(Clone, Debug)]
pub(super) enum States {
    Counts(Vec<i64>),
    Sums(Sums),
    /// The least or greatest values; null of none.
    Extremes(Vec<Datum>),
    Others(Vec<Accumulator>),
}

impl Accumulators {
    /// Of no groups.
    pub fn new(aggregate: Aggregate, distinct: bool) -> Self {
        let states = match aggregate {
            _ if distinct && aggregate != Aggregate::CountRows => States::Others(Vec::new()),
            Aggregate::CountRows | Aggregate::Count => States::Counts(Vec::new()),
            Aggregate::Sum | Aggregate::Average => States::Sums(Sums {
                counts_rows: aggregate == Aggregate::Average,
                ..Sums::default()
            }),
            Aggregate::Least | Aggregate::Greatest => States::Extremes(Vec::new()),
            _ => States::Others(Vec::new()),
        };
        Accumulators {
            aggregate,
            distinct,
            states,
        }
    }

    /// Adds states without rows, up to so many groups.
    pub fn grow(&mut self, groups: usize) {
        match &mut self.states {
            States::Counts(counts) => counts.resize(groups, 0),
            States::Sums(sums) => sums.grow(groups),
            States::Extremes(extremes) => extremes.resize(groups, Datum::NULL),
            States::Others(states) => {
                let fresh = || Accumulator::new(self.aggregate, self.distinct);
                states.resize_with(groups, fresh);
            }
        }
    }

    /// Takes rows, with arguments as [`Accumulator::add`] has them.
    ///
    /// # Errors
    /// That of the first row that has one, as [`Accumulator::add`].
    ///
    /// # Panics
    /// If a row is of a group that is not there.
    pub fn add(
        &mut self,
        groups: Groups<'_>,
        arguments: &[Operand<'_>],
        rows: usize,
    ) -> Result<()> {
        let greatest = self.aggregate == Aggregate::Greatest;
        let is_done = match (&mut self.states, arguments) {
            (States::Counts(counts), []) => {
                count_rows(counts, groups, rows);
                true
            }
            (States::Counts(counts), [Operand::Vector(vector)]) => {
                count_values(counts, groups, vector.validity());
                true
            }
            (States::Sums(sums), [Operand::Vector(vector)]) => sum(sums, groups, vector),
            (States::Extremes(extremes), [Operand::Vector(vector)]) => {
                find_extremes(extremes, groups, vector, greatest)
            }
            _ => false,
        };
        if is_done {
            return Ok(());
        }
        let mut of_row = Vec::with_capacity(arguments.len());
        for row in 0..rows {
            of_row.clear();
            of_row.extend(arguments.iter().map(|argument| argument.get(row)));
            self.take(groups.of(row), &of_row)?;
        }
        Ok(())
    }

    /// Takes rows of the first group, of which a count or a sum is wanted: so many values
    /// that are not null, and the sum of these, which are integers.
    ///
    /// # Panics
    /// If there is no group.
    pub fn add_total(&mut self, values: i64, sum: i64) {
        match &mut self.states {
            States::Counts(counts) => counts[0] += values,
            States::Sums(sums) => sums.add_all(0, values, sum),
            States::Extremes(_) | States::Others(_) => {
                debug_assert!(false, "{:?} is no count and no sum", self.aggregate);
            }
        }
    }

    /// Takes one row.
    fn take(&mut self, group: usize, arguments: &[Datum]) -> Result<()> {
        if let States::Others(states) = &mut self.states {
            return states[group].add(arguments);
        }
        let Some(value) = arguments.first() else {
            if let States::Counts(counts) = &mut self.states {
                counts[group] += 1;
            }
            return Ok(());
        };
        if value.is_null() {
            return Ok(());
        }
        match &mut self.states {
            States::Counts(counts) => counts[group] += 1,
            States::Sums(sums) => sums.update(group, |sum| sum.take(value))?,
            States::Extremes(extremes) => {
                let greatest = self.aggregate == Aggregate::Greatest;
                improve(&mut extremes[group], value, greatest);
            }
            States::Others(_) => {}
        }
        Ok(())
    }

    /// Takes the rows that other states have taken, of which each group is here the one of
    /// a number.
    ///
    /// # Errors
    /// As [`Accumulator::merge`].
    pub fn merge(&mut self, other: Accumulators, numbers: &[u32]) -> Result<()> {
        let places = numbers.iter().map(|&number| number as usize);
        match (&mut self.states, other.states) {
            (States::Counts(mine), States::Counts(theirs)) => {
                places
                    .zip(theirs)
                    .for_each(|(place, count)| mine[place] += count);
            }
            (States::Sums(mine), States::Sums(theirs)) => {
                for (number, place) in places.enumerate() {
                    let sum = theirs.get(number);
                    mine.update(place, |mine| mine.merge(&sum))?;
                }
            }
            (States::Extremes(mine), States::Extremes(theirs)) => {
                let greatest = self.aggregate == Aggregate::Greatest;
                for (place, value) in places.zip(&theirs).filter(|(_, value)| !value.is_null()) {
                    improve(&mut mine[place], value, greatest);
                }
            }
            (States::Others(mine), States::Others(theirs)) => {
                for (place, state) in places.zip(theirs) {
                    mine[place].merge(state)?;
                }
            }
            _ => debug_assert!(false, "states of one aggregation are alike"),
        }
        Ok(())
    }

    /// The values of all groups, if they are integers.
    pub fn finish_integers(&self) -> Option<Vector> {
        let integers = match &self.states {
            States::Counts(counts) => counts.clone(),
            States::Sums(sums) if self.aggregate == Aggregate::Sum && sums.are_integers() => {
                sums.integers.clone()
            }
            _ => return None,
        };
        let validity = Validity::all(integers.len());
        Some(Vector::from_parts(Values::Integer(integers), validity))
    }

    /// The value of a group.
    ///
    /// # Errors
    /// As [`Accumulator::finish`].
    pub fn finish(&self, group: usize) -> Result<Datum> {
        Ok(match &self.states {
            States::Counts(counts) => counts[group].into(),
            States::Sums(sums) if self.aggregate == Aggregate::Sum => sums.get(group).total()?,
            States::Sums(sums) => sums.get(group).average()?,
            States::Extremes(extremes) => extremes[group].clone(),
            States::Others(states) => states[group].finish()?,
        })
    }
}

/// Sums of groups in columns: of many groups, those of integers alone should be in the
/// caches.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// Rows of each group; 1 of each, if only the sum is wanted.
    rows: Vec<i64>,
    counts_rows: bool,
    integers: Vec<i64>,
    /// Of groups whose integers went beyond 64 bits: what is to be added.
    beyond: HashMap<usize, i128>,
    /// Once there was a float.
    floats: Vec<Option<f64>>,
    /// Once there was a duration.
    durations: Vec<Option<Duration>>,
}

impl Sums {
    /// Adds sums of nothing, up to so many groups.
    pub(super) fn grow(&mut self, groups: usize) {
        self.rows.resize(groups, i64::from(!self.counts_rows));
        self.integers.resize(groups, 0);
        if !self.floats.is_empty() {
            self.floats.resize(groups, None);
        }
        if !self.durations.is_empty() {
            self.durations.resize(groups, None);
        }
    }

    /// That of a group.
    pub(super) fn get(&self, group: usize) -> Sum {
        let beyond = match self.beyond.is_empty() {
            true => 0,
            false => self.beyond.get(&group).copied().unwrap_or_default(),
        };
        Sum {
            rows: self.rows[group],
            integers: i128::from(self.integers[group]) + beyond,
            floats: self.floats.get(group).copied().flatten(),
            duration: self.durations.get(group).copied().flatten(),
        }
    }

    /// Gives a group another sum.
    pub(super) fn set(&mut self, group: usize, sum: Sum) {
        self.rows[group] = sum.rows;
        self.integers[group] = match i64::try_from(sum.integers) {
            Ok(integers) => {
                self.beyond.remove(&group);
                integers
            }
            Err(_) => {
                self.beyond.insert(group, sum.integers);
                0
            }
        };
        if sum.floats.is_some() || !self.floats.is_empty() {
            self.floats()[group] = sum.floats;
        }
        if sum.duration.is_some() || !self.durations.is_empty() {
            self.durations.resize(self.rows.len(), None);
            self.durations[group] = sum.duration;
        }
    }

    fn are_integers(&self) -> bool {
        self.beyond.is_empty() && self.floats.is_empty() && self.durations.is_empty()
    }

    fn floats(&mut self) -> &mut [Option<f64>] {
        self.floats.resize(self.rows.len(), None);
        &mut self.floats
    }

    fn update(&mut self, group: usize, change: impl FnOnce(&mut Sum) -> Result<()>) -> Result<()> {
        let mut sum = self.get(group);
        change(&mut sum)?;
        self.set(group, sum);
        Ok(())
    }

    #[inline]
    fn add(&mut self, group: usize, number: i64) {
        self.add_all(group, 1, number);
    }

    #[inline]
    fn add_all(&mut self, group: usize, rows: i64, number: i64) {
        if self.counts_rows {
            self.rows[group] += rows;
        }
        let sum = &mut self.integers[group];
        match sum.checked_add(number) {
            Some(more) => *sum = more,
            None => {
                let beyond = self.beyond.entry(group).or_default();
                *beyond += i128::from(*sum) + i128::from(number);
                *sum = 0;
            }
        }
    }
}

/// Puts a value in the place of one that is worse, or of none.
fn improve(known: &mut Datum, value: &Datum, greatest: bool) {
    let is_better = match greatest {
        _ if known.is_null() => true,
        true => value > known,
        false => value < known,
    };
    if is_better {
        *known = value.clone();
    }
}

fn count_rows(counts: &mut [i64], groups: Groups<'_>, rows: usize) {
    match groups {
        Groups::First => counts[0] += rows as i64,
        Groups::Numbers(numbers) => {
            numbers
                .iter()
                .for_each(|&number| counts[number as usize] += 1);
        }
    }
}

fn count_values(counts: &mut [i64], groups: Groups<'_>, validity: &Validity) {
    match groups {
        Groups::First => counts[0] += validity.count() as i64,
        Groups::Numbers(numbers) if validity.is_all() => count_rows(counts, groups, numbers.len()),
        Groups::Numbers(numbers) => {
            for (row, &number) in numbers.iter().enumerate() {
                counts[number as usize] += i64::from(validity.is_valid(row));
            }
        }
    }
}

/// Calls `each` with the rows that have a value.
#[inline]
fn for_valid(validity: &Validity, mut each: impl FnMut(usize)) {
    match validity.is_all() {
        true => (0..validity.len()).for_each(each),
        false => (0..validity.len()).for_each(|row| {
            if validity.is_valid(row) {
                each(row);
            }
        }),
    }
}

/// Adds numbers that lie in an array; whether it is one of numbers.
fn sum(sums: &mut Sums, groups: Groups<'_>, vector: &Vector) -> bool {
    let validity = vector.validity();
    match (vector.values(), groups) {
        (Values::Null(_), _) => {}
        (Values::Integer(numbers), Groups::First) => {
            let mut sum = sums.get(0);
            sum.rows += validity.count() as i64;
            sum.integers += total(numbers, validity);
            sums.set(0, sum);
        }
        (Values::Integer(numbers), Groups::Numbers(groups)) => for_valid(validity, |row| {
            sums.add(groups[row] as usize, numbers[row]);
        }),
        (Values::Float(numbers), Groups::First) => {
            let count = validity.count();
            if count > 0 {
                // In the order of the rows, as each alone.
                let mut sum = sums.get(0);
                let mut floats = sum.floats.unwrap_or(0.0);
                for_valid(validity, |row| floats += numbers[row]);
                sum.floats = Some(floats);
                sum.rows += count as i64;
                sums.set(0, sum);
            }
        }
        (Values::Float(numbers), Groups::Numbers(groups)) => {
            sums.floats();
            for_valid(validity, |row| {
                let group = groups[row] as usize;
                sums.rows[group] += 1;
                let sum = &mut sums.floats[group];
                *sum = Some(sum.unwrap_or(0.0) + numbers[row]);
            });
        }
        _ => return false,
    }
    true
}

/// The sum of integers: their halves are added apart, so that nothing overflows.
fn total(numbers: &[i64], validity: &Validity) -> i128 {
    let mut total = 0i128;
    if !validity.is_all() {
        for_valid(validity, |row| total += i128::from(numbers[row]));
        return total;
    }
    for part in numbers.chunks(1 << 30) {
        let (mut low, mut high) = (0i64, 0i64);
        for number in part {
            low += number & 0xffff_ffff;
            high += number >> 32;
        }
        total += (i128::from(high) << 32) + i128::from(low);
    }
    total
}

/// Finds better values in an array; whether it is one that has an order of its own here.
fn find_extremes(
    extremes: &mut [Datum],
    groups: Groups<'_>,
    vector: &Vector,
    greatest: bool,
) -> bool {
    let validity = vector.validity();
    let mut found = Found {
        extremes,
        groups,
        validity,
        greatest,
    };
    match vector.values() {
        Values::Null(_) => {}
        Values::Integer(numbers) => found.of_numbers(
            |row| numbers[row],
            |a, b| a < b,
            |datum| match datum {
                Datum::Value(Value::Integer(number)) => Some(*number),
                _ => None,
            },
        ),
        Values::Float(numbers) => found.of_numbers(
            |row| numbers[row],
            // NaN comes last.
            |a, b| a < b || (b.is_nan() && !a.is_nan()),
            |datum| match datum {
                Datum::Value(Value::Float(number)) => Some(*number),
                _ => None,
            },
        ),
        Values::Text(texts) => found.of_texts(texts),
        _ => return false,
    }
    true
}

struct Found<'f> {
    extremes: &'f mut [Datum],
    groups: Groups<'f>,
    validity: &'f Validity,
    greatest: bool,
}

impl Found<'_> {
    fn of_numbers<T: Copy + Into<Datum>>(
        &mut self,
        get: impl Fn(usize) -> T,
        is_less: impl Fn(T, T) -> bool,
        known: impl Fn(&Datum) -> Option<T>,
    ) {
        let greatest = self.greatest;
        let is_better = |new: T, old: T| match greatest {
            true => is_less(old, new),
            false => is_less(new, old),
        };
        match self.groups {
            Groups::First => {
                let mut best: Option<T> = None;
                for_valid(self.validity, |row| {
                    let new = get(row);
                    if best.is_none_or(|old| is_better(new, old)) {
                        best = Some(new);
                    }
                });
                if let Some(best) = best {
                    improve(&mut self.extremes[0], &best.into(), greatest);
                }
            }
            Groups::Numbers(numbers) => for_valid(self.validity, |row| {
                let extreme = &mut self.extremes[numbers[row] as usize];
                let new = get(row);
                match known(extreme) {
                    Some(old) if !is_better(new, old) => {}
                    Some(_) => *extreme = new.into(),
                    None => improve(extreme, &new.into(), greatest),
                }
            }),
        }
    }

    fn of_texts(&mut self, texts: &Texts) {
        let (groups, greatest) = (self.groups, self.greatest);
        for_valid(self.validity, |row| {
            let extreme = &mut self.extremes[groups.of(row)];
            let new = texts.get(row);
            let is_worse = match extreme {
                Datum::Value(Value::Text(old)) if greatest => new <= &**old,
                Datum::Value(Value::Text(old)) => new >= &**old,
                _ => false,
            };
            if !is_worse {
                improve(extreme, &new.into(), greatest);
            }
        });
    }
}
