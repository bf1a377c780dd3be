//! States of aggregations as data, which temporary files can hold.

use evergraph_property_graph::Value;

use super::groups::{Accumulators, States};
use super::{Accumulator, Aggregate, Spread, State, Sum};
use crate::datum::Datum;

impl Accumulators {
    /// The state of a group, of which [`Accumulators::from_saved`] makes it again.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn save(&self, group: usize) -> Datum {
        match &self.states {
            States::Counts(counts) => counts[group].into(),
            States::Sums(sums) => sums.get(group).save(),
            States::Extremes(extremes) => extremes[group].clone(),
            States::Others(states) => states[group].save(),
        }
    }

    /// States of one group that was saved; `None` if that was no state of this aggregation.
    pub fn from_saved(aggregate: Aggregate, distinct: bool, saved: &Datum) -> Option<Self> {
        let mut made = Accumulators::new(aggregate, distinct);
        match &mut made.states {
            States::Counts(counts) => counts.push(integer(saved)?),
            States::Sums(sums) => {
                sums.grow(1);
                sums.set(0, Sum::from_saved(&elements(saved)?)?);
            }
            States::Extremes(extremes) => extremes.push(saved.clone()),
            States::Others(states) => {
                states.push(Accumulator::from_saved(aggregate, distinct, saved)?);
            }
        }
        Some(made)
    }
}

impl Accumulator {
    fn save(&self) -> Datum {
        match &self.state {
            State::Count(count) => self.save_with_seen((*count).into()),
            State::Sum(sum) => self.save_with_seen(sum.save()),
            State::Extreme(known) => self.save_with_seen(known.clone().unwrap_or_default()),
            State::List(values) => Datum::list(values.clone()),
            State::Spread(spread) => self.save_with_seen(spread.save()),
            State::Percentile(values, percentile) => {
                let percentile = percentile.map_or(Datum::NULL, Datum::from);
                Datum::list(vec![percentile, Datum::list(values.clone())])
            }
        }
    }

    /// Lists and percentiles have the values that were taken in their states.
    fn save_with_seen(&self, state: Datum) -> Datum {
        match &self.seen {
            None => state,
            Some(seen) => Datum::list(vec![state, Datum::list(seen.iter().cloned().collect())]),
        }
    }

    fn from_saved(aggregate: Aggregate, distinct: bool, saved: &Datum) -> Option<Self> {
        let mut made = Accumulator::new(aggregate, distinct);
        let (state, seen) = match (&made.state, made.seen.is_some()) {
            (State::List(_), _) => (saved.clone(), elements(saved)?),
            (State::Percentile(..), _) => {
                let [percentile, values] = elements(saved)?.try_into().ok()?;
                let seen = elements(&values)?;
                (Datum::list(vec![percentile, values]), seen)
            }
            (_, false) => (saved.clone(), Vec::new()),
            (_, true) => {
                let [state, seen] = elements(saved)?.try_into().ok()?;
                (state, elements(&seen)?)
            }
        };
        match &mut made.state {
            State::Count(count) => *count = integer(&state)?,
            State::Sum(sum) => *sum = Sum::from_saved(&elements(&state)?)?,
            State::Extreme(known) => *known = (!state.is_null()).then_some(state),
            State::List(values) => *values = elements(&state)?,
            State::Spread(spread) => *spread = Spread::from_saved(&elements(&state)?)?,
            State::Percentile(values, percentile) => {
                let [which, of] = elements(&state)?.try_into().ok()?;
                *percentile = (!which.is_null()).then(|| float(&which)).flatten();
                *values = elements(&of)?;
            }
        }
        if let Some(own) = &mut made.seen {
            own.extend(seen);
        }
        Some(made)
    }
}

impl Sum {
    fn save(&self) -> Datum {
        Datum::list(vec![
            self.rows.into(),
            ((self.integers >> 64) as i64).into(),
            (self.integers as i64).into(),
            self.floats.map_or(Datum::NULL, Datum::from),
            self.duration.map_or(Datum::NULL, Datum::from),
        ])
    }

    fn from_saved(saved: &[Datum]) -> Option<Self> {
        let [rows, high, low, floats, duration] = saved else {
            return None;
        };
        let low = integer(low)? as u64;
        let duration = match duration.as_value()? {
            Value::Duration(duration) => Some(*duration),
            _ => None,
        };
        Some(Sum {
            rows: integer(rows)?,
            integers: (i128::from(integer(high)?) << 64) | i128::from(low),
            floats: float(floats),
            duration,
        })
    }
}

impl Spread {
    fn save(self) -> Datum {
        let parts = [self.rows, self.mean, self.squares];
        Datum::list(parts.map(Datum::from).to_vec())
    }

    fn from_saved(saved: &[Datum]) -> Option<Self> {
        let [rows, mean, squares] = saved else {
            return None;
        };
        Some(Spread {
            rows: float(rows)?,
            mean: float(mean)?,
            squares: float(squares)?,
        })
    }
}

fn elements(list: &Datum) -> Option<Vec<Datum>> {
    Some(list.elements()?.iter().collect())
}

fn integer(datum: &Datum) -> Option<i64> {
    datum.as_value()?.as_integer()
}

fn float(datum: &Datum) -> Option<f64> {
    match datum.as_value()? {
        Value::Float(number) => Some(*number),
        _ => None,
    }
}
