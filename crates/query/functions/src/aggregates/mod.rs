//! Aggregations: states that take rows one by one, and are merged when threads have taken
//! parts of them.

mod groups;
mod saved;

pub use groups::{Accumulators, Groups};

use std::collections::HashSet;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::Duration;

use crate::datum::Datum;
use crate::error::{ErrorKind, EvaluationError};
use crate::temporal::mean;

/// The aggregations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// `count(*)`: of rows.
    CountRows,
    /// `count(x)`
    Count,
    /// `sum(x)`
    Sum,
    /// `avg(x)`
    Average,
    /// `min(x)`
    Least,
    /// `max(x)`
    Greatest,
    /// `collect(x)`
    Collect,
    /// `stDev(x)`
    Deviation,
    /// `stDevP(x)`
    PopulationDeviation,
    /// `percentileCont(x, p)`
    ContinuousPercentile,
    /// `percentileDisc(x, p)`
    DiscretePercentile,
}

/// State of one aggregation over rows of one group.
#[derive(Clone, Debug)]
pub struct Accumulator {
    aggregate: Aggregate,
    state: State,
    /// With `DISTINCT`: values taken so far.
    seen: Option<HashSet<Datum>>,
}

#[derive(Clone, Debug)]
enum State {
    Count(i64),
    Sum(Sum),
    Extreme(Option<Datum>),
    List(Vec<Datum>),
    Spread(Spread),
    Percentile(Vec<Datum>, Option<f64>),
}

/// Sums of integers, exactly, of floats, and of durations.
#[derive(Clone, Debug, Default)]
struct Sum {
    rows: i64,
    integers: i128,
    floats: Option<f64>,
    duration: Option<Duration>,
}

/// Mean and sum of squared differences from it (Welford 1962; merged as Chan, Golub and
/// LeVeque 1979).
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    rows: f64,
    mean: f64,
    squares: f64,
}

impl Accumulator {
    /// Of no rows.
    pub fn new(aggregate: Aggregate, distinct: bool) -> Self {
        let state = match aggregate {
            Aggregate::CountRows | Aggregate::Count => State::Count(0),
            Aggregate::Sum | Aggregate::Average => State::Sum(Sum::default()),
            Aggregate::Least | Aggregate::Greatest => State::Extreme(None),
            Aggregate::Collect => State::List(Vec::new()),
            Aggregate::Deviation | Aggregate::PopulationDeviation => {
                State::Spread(Spread::default())
            }
            Aggregate::ContinuousPercentile | Aggregate::DiscretePercentile => {
                State::Percentile(Vec::new(), None)
            }
        };
        let takes_values = aggregate != Aggregate::CountRows;
        let seen = (distinct && takes_values).then(HashSet::new);
        Accumulator {
            aggregate,
            state,
            seen,
        }
    }

    /// Takes a row: the value, of `count(*)` none, and of percentiles which. A null is
    /// left out.
    ///
    /// # Errors
    /// A value of a type that the aggregation does not take, a percentile that is not from
    /// 0 to 1.
    pub fn add(&mut self, arguments: &[Datum]) -> Result<(), EvaluationError> {
        if let State::Percentile(_, percentile) = &mut self.state
            && percentile.is_none()
        {
            *percentile = Some(percentile_of(arguments.get(1))?);
        }
        let Some(value) = arguments.first() else {
            if let State::Count(count) = &mut self.state {
                *count += 1;
            }
            return Ok(());
        };
        if value.is_null() {
            return Ok(());
        }
        if let Some(seen) = &mut self.seen
            && !seen.insert(value.clone())
        {
            return Ok(());
        }
        self.take(value)
    }

    fn take(&mut self, value: &Datum) -> Result<(), EvaluationError> {
        let greatest = self.aggregate == Aggregate::Greatest;
        match &mut self.state {
            State::Count(count) => *count += 1,
            State::Sum(sum) => sum.take(value)?,
            State::List(values) => values.push(value.clone()),
            State::Spread(spread) => spread.merge(Spread {
                rows: 1.0,
                mean: number_of(value)?,
                squares: 0.0,
            }),
            State::Percentile(values, _) => {
                number_of(value)?;
                values.push(value.clone());
            }
            State::Extreme(known) => {
                let is_better = known.as_ref().is_none_or(|known| match greatest {
                    true => value > known,
                    false => value < known,
                });
                if is_better {
                    *known = Some(value.clone());
                }
            }
        }
        Ok(())
    }

    /// Takes the rows that another state of the same aggregation has taken, as if they
    /// came behind its own.
    ///
    /// # Errors
    /// Durations beside numbers, or too long.
    pub fn merge(&mut self, other: Accumulator) -> Result<(), EvaluationError> {
        debug_assert_eq!(self.aggregate, other.aggregate);
        if let Some(seen) = other.seen {
            if let (State::Percentile(_, mine), State::Percentile(_, theirs)) =
                (&mut self.state, &other.state)
            {
                *mine = mine.or(*theirs);
            }
            // Lists and percentiles have their values in the order of rows.
            let values = match other.state {
                State::List(values) | State::Percentile(values, _) => values,
                _ => seen.into_iter().collect(),
            };
            for value in values {
                if self
                    .seen
                    .as_mut()
                    .is_none_or(|seen| seen.insert(value.clone()))
                {
                    self.take(&value)?;
                }
            }
            return Ok(());
        }
        match (&mut self.state, other.state) {
            (State::Count(mine), State::Count(theirs)) => *mine += theirs,
            (State::Sum(mine), State::Sum(theirs)) => mine.merge(&theirs)?,
            (State::Extreme(_), State::Extreme(Some(theirs))) => self.take(&theirs)?,
            (State::List(mine), State::List(theirs)) => mine.extend(theirs),
            (State::Spread(mine), State::Spread(theirs)) => mine.merge(theirs),
            (State::Percentile(mine, which), State::Percentile(theirs, of_theirs)) => {
                mine.extend(theirs);
                *which = which.or(of_theirs);
            }
            _ => {}
        }
        Ok(())
    }

    /// The value of the aggregation of the rows so far.
    ///
    /// # Errors
    /// A sum of integers that has more than 64 bits.
    pub fn finish(&self) -> Result<Datum, EvaluationError> {
        Ok(match &self.state {
            State::Count(count) => (*count).into(),
            State::Sum(sum) if self.aggregate == Aggregate::Sum => sum.total()?,
            State::Sum(sum) => sum.average()?,
            State::Extreme(known) => known.clone().unwrap_or_default(),
            State::List(values) => Datum::list(values.clone()),
            State::Spread(spread) => {
                let population = self.aggregate == Aggregate::PopulationDeviation;
                spread.deviation(population).into()
            }
            State::Percentile(values, percentile) => {
                let mut sorted = values.clone();
                sorted.sort_unstable();
                let percentile = percentile.unwrap_or(0.0);
                match self.aggregate {
                    Aggregate::DiscretePercentile => discrete(&sorted, percentile),
                    _ => continuous(&sorted, percentile)?,
                }
            }
        })
    }

    /// Bytes of DRAM that it holds, about: what a limit of memory counts.
    pub fn heap_bytes(&self) -> usize {
        let of_datum =
            |datum: &Datum| size_of::<Datum>() + datum.as_value().map_or(0, Value::heap_bytes);
        let values = match &self.state {
            State::List(values) | State::Percentile(values, _) => values.iter().map(of_datum).sum(),
            _ => 0,
        };
        let seen = self.seen.iter().flatten().map(of_datum).sum::<usize>();
        values + seen
    }
}

impl Sum {
    fn take(&mut self, value: &Datum) -> Result<(), EvaluationError> {
        self.rows += 1;
        match value.as_value() {
            Some(Value::Integer(number)) => self.integers += i128::from(*number),
            Some(Value::Float(number)) => self.floats = Some(self.floats.unwrap_or(0.0) + number),
            Some(Value::Duration(duration)) => {
                self.duration = Some(match self.duration {
                    Some(sum) => sum.plus(*duration)?,
                    None => *duration,
                });
            }
            _ => return Err(not_taken(value, "numbers or durations in sum() or avg()")),
        }
        Ok(())
    }

    fn merge(&mut self, other: &Sum) -> Result<(), EvaluationError> {
        self.rows += other.rows;
        self.integers += other.integers;
        if let Some(floats) = other.floats {
            self.floats = Some(self.floats.unwrap_or(0.0) + floats);
        }
        if let Some(duration) = other.duration {
            let mine = self
                .duration
                .map_or(Ok(duration), |mine| mine.plus(duration));
            self.duration = Some(mine?);
        }
        Ok(())
    }

    /// The sum of durations, which numbers cannot be added to.
    fn of_durations(&self) -> Result<Option<Duration>, EvaluationError> {
        match self.duration {
            Some(_) if self.integers != 0 || self.floats.is_some() => {
                let message = "durations and numbers have no sum";
                Err(EvaluationError::new(
                    ErrorKind::InvalidArgumentValue,
                    message,
                ))
            }
            duration => Ok(duration),
        }
    }

    fn total(&self) -> Result<Datum, EvaluationError> {
        if let Some(duration) = self.of_durations()? {
            return Ok(duration.into());
        }
        if let Some(floats) = self.floats {
            return Ok((floats + self.integers as f64).into());
        }
        Ok(match i64::try_from(self.integers) {
            Ok(sum) => sum.into(),
            Err(_) => (self.integers as f64).into(),
        })
    }

    fn average(&self) -> Result<Datum, EvaluationError> {
        if self.rows == 0 {
            return Ok(Datum::NULL);
        }
        if let Some(duration) = self.of_durations()? {
            return Ok(mean(duration, self.rows)?.into());
        }
        let sum = self.floats.unwrap_or(0.0) + self.integers as f64;
        Ok((sum / self.rows as f64).into())
    }
}

impl Spread {
    fn merge(&mut self, other: Spread) {
        // To the last bit: one that goes on where it was interrupted is the same.
        if self.rows == 0.0 {
            *self = other;
            return;
        }
        let rows = self.rows + other.rows;
        if other.rows > 0.0 {
            let difference = other.mean - self.mean;
            self.mean += difference * other.rows / rows;
            self.squares += other.squares + difference * difference * self.rows * other.rows / rows;
            self.rows = rows;
        }
    }

    fn deviation(self, population: bool) -> f64 {
        let divisor = if population {
            self.rows
        } else {
            self.rows - 1.0
        };
        match divisor > 0.0 {
            // From an infinite mean nothing differs by a number.
            true if !self.mean.is_finite() => f64::NAN,
            true => (self.squares / divisor).sqrt(),
            false => 0.0,
        }
    }
}

fn not_taken(value: &Datum, wanted: &str) -> EvaluationError {
    EvaluationError::expected(ErrorKind::InvalidArgumentValue, wanted, value)
}

fn number_of(value: &Datum) -> Result<f64, EvaluationError> {
    let number = value.as_value().and_then(Value::as_float);
    number.ok_or_else(|| not_taken(value, "a number"))
}

fn percentile_of(argument: Option<&Datum>) -> Result<f64, EvaluationError> {
    let percentile = number_of(argument.unwrap_or(&Datum::NULL))?;
    if (0.0..=1.0).contains(&percentile) {
        return Ok(percentile);
    }
    let message = format!("a percentile is from 0.0 to 1.0, not {percentile}");
    Err(EvaluationError::new(ErrorKind::NumberOutOfRange, message))
}

/// The least value that so many of all are not greater than.
fn discrete(sorted: &[Datum], percentile: f64) -> Datum {
    let rank = (percentile * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .cloned()
        .unwrap_or_default()
}

/// Between the two values that are nearest to that place.
fn continuous(sorted: &[Datum], percentile: f64) -> Result<Datum, EvaluationError> {
    let Some(last) = sorted.len().checked_sub(1) else {
        return Ok(Datum::NULL);
    };
    let place = percentile * last as f64;
    let (below, above) = (place.floor(), place.ceil());
    let a = number_of(&sorted[below as usize])?;
    if below == above {
        return Ok(a.into());
    }
    let b = number_of(&sorted[above as usize])?;
    // Weights, not a part of a difference: infinite values have none.
    Ok((a * (above - place) + b * (place - below)).into())
}
