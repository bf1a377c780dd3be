//! The order of values, and when they are the same.
//!
//! There are two notions, as in openCypher:
//!
//! - **Order and equivalence** ([`Ord`], [`Eq`], [`std::hash::Hash`]): total, for
//!   sorting, grouping, `DISTINCT` and indexes. Every NaN is equivalent to every
//!   other and greater than all numbers; −0.0 is equivalent to 0.0; an integer is
//!   equivalent to the float of exactly its value; null is equivalent to null and
//!   greater than everything.
//! - **Equality and comparison** ([`Value::equals`], [`Value::compares`]): what the
//!   operators `=` and `<` give, which may be null (`None`). Null equals nothing,
//!   NaN is not equal to itself, and values of different types do not compare.
//!
//! Between types the order is map, list, bytes, point, datetime, local datetime,
//! date, time, local time, duration, text, boolean, number, null.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::value::calendar::SECOND;
use crate::value::temporal::DAY;
use crate::value::{DateTime, Duration, Point, Time, Value};

/// A 400th of the seconds of 400 years, by months: what one month counts when
/// durations are ordered (30.436875 days).
const SECONDS_OF_MONTH: i128 = 2_629_746;

impl Value {
    /// Place of the type in the order of types.
    fn rank(&self) -> u8 {
        match self {
            Value::Map(_) => 0,
            Value::List(_) => 1,
            Value::Bytes(_) => 2,
            Value::Point(_) => 3,
            Value::DateTime(_) => 4,
            Value::LocalDateTime(_) => 5,
            Value::Date(_) => 6,
            Value::Time(_) => 7,
            Value::LocalTime(_) => 8,
            Value::Duration(_) => 9,
            Value::Text(_) => 10,
            Value::Boolean(_) => 11,
            Value::Integer(_) | Value::Float(_) => 12,
            Value::Null => 13,
        }
    }

    /// `self = other` in Cypher; `None` is null, that is: unknown, because a null is
    /// involved.
    pub fn equals(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Null, _) | (_, Value::Null) => None,
            (Value::List(a), Value::List(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                all_equal(a.iter().zip(b.iter()))
            }
            (Value::Map(a), Value::Map(b)) => {
                if !a.keys().eq(b.keys()) {
                    return Some(false);
                }
                all_equal(a.values().zip(b.values()))
            }
            _ if self.is_nan() || other.is_nan() => Some(false),
            _ => Some(self == other),
        }
    }

    /// Order behind `<`, `<=`, `>` and `>=`: `None` if a null is involved or the types do
    /// not compare, in which case they give null; with a NaN all four give false, and
    /// this gives `None`, too. Durations, maps and points do not compare.
    pub fn compares(&self, other: &Value) -> Option<Ordering> {
        let comparable = match self {
            Value::Null | Value::Map(_) | Value::Point(_) | Value::Duration(_) => false,
            _ => self.rank() == other.rank() && !self.is_nan() && !other.is_nan(),
        };
        match (self, other) {
            (Value::List(a), Value::List(b)) => {
                for (a, b) in a.iter().zip(b.iter()) {
                    match a.compares(b)? {
                        Ordering::Equal => {}
                        unequal => return Some(unequal),
                    }
                }
                Some(a.len().cmp(&b.len()))
            }
            _ => comparable.then(|| self.cmp(other)),
        }
    }

    fn is_nan(&self) -> bool {
        matches!(self, Value::Float(number) if number.is_nan())
    }
}

/// False if a pair is not equal, else null if one is unknown, else true.
fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Option<bool> {
    let mut result = Some(true);
    for (a, b) in pairs {
        match a.equals(b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Map(a), Value::Map(b)) => (a.len().cmp(&b.len()))
                .then_with(|| a.keys().cmp(b.keys()))
                .then_with(|| a.values().cmp(b.values())),
            (Value::List(a), Value::List(b)) => a.cmp(b),
            (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            (Value::Point(a), Value::Point(b)) => a.cmp(b),
            (Value::DateTime(a), Value::DateTime(b)) => a.cmp(b),
            (Value::LocalDateTime(a), Value::LocalDateTime(b)) => a.cmp(b),
            (Value::Date(a), Value::Date(b)) => a.cmp(b),
            (Value::Time(a), Value::Time(b)) => a.cmp(b),
            (Value::LocalTime(a), Value::LocalTime(b)) => a.cmp(b),
            (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
            (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => order_of_floats(*a, *b),
            (Value::Integer(a), Value::Float(b)) => order_of_integer_and_float(*a, *b),
            (Value::Float(a), Value::Integer(b)) => order_of_integer_and_float(*b, *a).reverse(),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

/// NaN last, −0.0 and 0.0 the same.
fn order_of_floats(a: f64, b: f64) -> Ordering {
    let known = a.partial_cmp(&b);
    known.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Exact, also where the integer is no float.
fn order_of_integer_and_float(a: i64, b: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if b.is_nan() || b >= BEYOND {
        return Ordering::Less;
    }
    if b < -BEYOND {
        return Ordering::Greater;
    }
    // The float without its fraction is an integer of 64 bits now.
    let whole = b.trunc();
    a.cmp(&(whole as i64))
        .then_with(|| order_of_floats(0.0, b - whole))
}

/// Values that are equivalent hash alike: a float that is an integer as that
/// integer.
impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.rank());
        match self {
            Value::Null => {}
            Value::Boolean(value) => value.hash(state),
            Value::Integer(number) => number.hash(state),
            Value::Float(number) => hash_float(*number, state),
            Value::Text(text) => text.hash(state),
            Value::Bytes(bytes) => bytes.hash(state),
            Value::List(values) => values.hash(state),
            Value::Map(entries) => entries.hash(state),
            Value::Date(date) => date.hash(state),
            Value::Time(time) => time.hash(state),
            Value::LocalTime(time) => time.hash(state),
            Value::DateTime(moment) => moment.hash(state),
            Value::LocalDateTime(moment) => moment.hash(state),
            Value::Duration(duration) => duration.hash(state),
            Value::Point(point) => {
                point.system().hash(state);
                point
                    .coordinates()
                    .iter()
                    .for_each(|&c| hash_float(c, state));
            }
        }
    }
}

fn hash_float<H: Hasher>(number: f64, state: &mut H) {
    let as_integer = number as i64;
    if order_of_integer_and_float(as_integer, number) == Ordering::Equal {
        as_integer.hash(state);
    } else if number.is_nan() {
        f64::NAN.to_bits().hash(state);
    } else {
        number.to_bits().hash(state);
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_instant = self.instant().cmp(&other.instant());
        by_instant.then_with(|| self.offset().cmp(&other.offset()))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |moment: &DateTime| (moment.seconds(), moment.nanoseconds(), moment.offset());
        let by_instant = key(self).cmp(&key(other));
        by_instant.then_with(|| self.zone().cmp(&other.zone()))
    }
}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By length, where a month counts 30.436875 days and a day 24 hours; those of
/// the same length by months, days, seconds.
impl Ord for Duration {
    fn cmp(&self, other: &Self) -> Ordering {
        let parts = |d: &Duration| (d.months(), d.days(), d.seconds(), d.nanoseconds());
        let by_length = self.average_nanoseconds().cmp(&other.average_nanoseconds());
        by_length.then_with(|| parts(self).cmp(&parts(other)))
    }
}

impl PartialOrd for Duration {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Duration {
    /// Length in nanoseconds, where a month counts 30.436875 days.
    fn average_nanoseconds(self) -> i128 {
        let seconds = i128::from(self.months()) * SECONDS_OF_MONTH + i128::from(self.seconds());
        seconds * i128::from(SECOND)
            + i128::from(self.days()) * i128::from(DAY)
            + i128::from(self.nanoseconds())
    }
}

/// By coordinate system, then by coordinates.
impl Ord for Point {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_system = self.system().cmp(&other.system());
        by_system.then_with(|| {
            let pairs = self.coordinates().iter().zip(other.coordinates());
            let orders = pairs.map(|(&a, &b)| order_of_floats(a, b));
            orders.fold(Ordering::Equal, Ordering::then)
        })
    }
}

impl PartialOrd for Point {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Point {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Point {}
