//! Durations from maps and texts, and added to temporal values.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{
    DateTime, Duration, LocalDateTime, LocalTime, Time, ValueError, Zone,
};

use super::fields::Fields;
use crate::error::EvaluationError;

const BILLION: i128 = 1_000_000_000;
/// Nanoseconds of a day.
const DAY: i128 = 86_400 * BILLION;
/// Seconds of a month on average.
const SECONDS_OF_MONTH: i128 = 2_629_746;

/// Fields of durations: those of months, of days and of nanoseconds, with how many of these
/// they have.
const MONTHS: [(&str, i128); 3] = [("years", 12), ("quarters", 3), ("months", 1)];
const DAYS: [(&str, i128); 2] = [("weeks", 7), ("days", 1)];
const NANOSECONDS: [(&str, i128); 6] = [
    ("hours", 3600 * BILLION),
    ("minutes", 60 * BILLION),
    ("seconds", BILLION),
    ("milliseconds", 1_000_000),
    ("microseconds", 1000),
    ("nanoseconds", 1),
];

/// Of a text, of a map, and of a duration itself.
pub(crate) fn duration_of(value: &Value) -> Result<Duration, EvaluationError> {
    let map = match value {
        Value::Duration(duration) => return Ok(*duration),
        Value::Text(text) => return Ok(text.parse()?),
        Value::Map(map) => map,
        other => return Err(super::construct::not_temporal(other)),
    };
    let units = MONTHS.iter().chain(&DAYS).chain(&NANOSECONDS);
    let known: Vec<&str> = units.map(|(name, _)| *name).collect();
    let fields = Fields::new(map, &known)?;
    let sum = |units: &[(&str, i128)]| -> Result<i128, EvaluationError> {
        units.iter().try_fold(0_i128, |sum, &(name, unit)| {
            let amount = billionths(&fields, name)?;
            let amount = amount
                .checked_mul(unit)
                .and_then(|amount| amount.checked_add(sum));
            Ok(amount.ok_or_else(|| too_long(name))?)
        })
    };
    let nanoseconds = sum(&NANOSECONDS)? / BILLION;
    Ok(Duration::of_amounts(
        sum(&MONTHS)?,
        sum(&DAYS)?,
        nanoseconds,
    )?)
}

/// Billionths of a field, of its integer exactly.
fn billionths(fields: &Fields<'_>, name: &str) -> Result<i128, EvaluationError> {
    if let Some(Value::Integer(number)) = fields.get(name) {
        return Ok(i128::from(*number) * BILLION);
    }
    let number = fields.float(name)?.unwrap_or(0.0) * BILLION as f64;
    if number.abs() < 1e28 {
        return Ok(number.round() as i128);
    }
    Err(too_long(name).into())
}

fn too_long(name: &str) -> ValueError {
    ValueError::OutOfRange {
        what: "duration",
        found: format!("in {name}"),
        range: "64 bits of months, days, seconds",
    }
}

/// A duration times a number, or divided by it; `None` of what is no number.
pub(crate) fn scaled(
    duration: Duration,
    by: &Value,
    divides: bool,
) -> Result<Option<Duration>, EvaluationError> {
    // The numerator and the denominator of the number.
    let ratio = match by {
        Value::Integer(number) => Some((i128::from(*number), 1)),
        Value::Float(number) => decimal(*number),
        _ => return Ok(None),
    };
    let ratio = ratio.map(|(over, under)| match divides {
        true => (under, over),
        false => (over, under),
    });
    if let Some(parts) = ratio.and_then(|(over, under)| times(duration, over, under)) {
        return Ok(Some(of_whole(parts)?));
    }
    // Of numbers that are too large or too small for it, or none: not to the nanosecond.
    let number = by.as_float().unwrap_or(f64::NAN);
    let factor = if divides { 1.0 / number } else { number };
    Ok(Some(duration.scaled_by(factor)?))
}

/// A float as it is written, so that 0.7 is seven tenths.
fn decimal(number: f64) -> Option<(i128, i128)> {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits: i128 = [whole, fraction].concat().parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()? - fraction.len() as i32;
    let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
    match exponent {
        0.. => Some((digits.checked_mul(power)?, 1)),
        _ => Some((digits, power)),
    }
}

/// Months, days and nanoseconds times `over`, divided by `under`; as in
/// [`Duration::of_amounts`], a fraction of a month becomes days, and one of a day seconds.
/// `None` if a number on the way does not fit.
fn times(duration: Duration, over: i128, under: i128) -> Option<[i128; 3]> {
    let product = |amount: i128| amount.checked_mul(over);
    let months = product(duration.months().into())?;
    let seconds_of_months = (months.checked_rem(under)?).checked_mul(SECONDS_OF_MONTH)?;
    let seconds_of_days = product(duration.days().into())?.checked_mul(DAY / BILLION)?;
    let of_days = seconds_of_days.checked_add(seconds_of_months)?;
    let day = under.checked_mul(DAY / BILLION)?;
    let rest = (of_days % day).checked_mul(BILLION)?;
    let nanoseconds = product(duration.total_nanoseconds())?.checked_add(rest)?;
    Some([months / under, of_days / day, nanoseconds / under])
}

fn of_whole([months, days, nanoseconds]: [i128; 3]) -> Result<Duration, ValueError> {
    let whole = |amount: i128, name| amount.checked_mul(BILLION).ok_or_else(|| too_long(name));
    Duration::of_amounts(whole(months, "months")?, whole(days, "days")?, nanoseconds)
}

/// The mean of so many durations, of their sum.
pub(crate) fn mean(sum: Duration, rows: i64) -> Result<Duration, ValueError> {
    of_whole(times(sum, 1, rows.into()).ok_or_else(|| too_long("a mean"))?)
}

/// A temporal value that much later: months first, then days, then seconds; of a date,
/// whole days of the seconds; of a time of day, seconds alone. `None` of other types.
pub(crate) fn plus_duration(
    value: &Value,
    duration: Duration,
) -> Result<Option<Value>, EvaluationError> {
    let nanoseconds = duration.total_nanoseconds();
    Ok(Some(match value {
        Value::Date(date) => {
            let date = date.plus_months(duration.months())?;
            let days = duration.days().saturating_add((nanoseconds / DAY) as i64);
            Value::Date(date.plus_days(days)?)
        }
        Value::LocalTime(time) => Value::LocalTime(later(*time, nanoseconds)?),
        Value::Time(time) => {
            Value::Time(Time::new(later(time.local(), nanoseconds)?, time.offset())?)
        }
        Value::LocalDateTime(moment) => {
            let moment = days_later(*moment, duration)?;
            let (seconds, rest) =
                seconds_later(moment.seconds(), moment.nanoseconds(), nanoseconds);
            Value::LocalDateTime(LocalDateTime::from_seconds(seconds, rest)?)
        }
        Value::DateTime(moment) => Value::DateTime(instant_later(moment, duration)?),
        _ => return Ok(None),
    }))
}

/// The zone decides what an hour of the clock is after days were added, not before.
fn instant_later(moment: &DateTime, duration: Duration) -> Result<DateTime, EvaluationError> {
    let zone = Zone::of(moment)?;
    let moment = match (duration.months(), duration.days()) {
        (0, 0) => moment.clone(),
        _ => zone.resolve_near(days_later(moment.local(), duration)?, moment.offset())?,
    };
    let nanoseconds = duration.total_nanoseconds();
    let (seconds, rest) = seconds_later(moment.seconds(), moment.nanoseconds(), nanoseconds);
    Ok(zone.show(seconds, rest)?)
}

fn days_later(moment: LocalDateTime, duration: Duration) -> Result<LocalDateTime, ValueError> {
    let date = moment.date().plus_months(duration.months())?;
    Ok(LocalDateTime::of(
        date.plus_days(duration.days())?,
        moment.time(),
    ))
}

/// Out of range, where it is, for a moment, too.
fn seconds_later(seconds: i64, nanoseconds: u32, later: i128) -> (i64, u32) {
    let sum = i128::from(seconds) * BILLION + i128::from(nanoseconds) + later;
    let seconds = i64::try_from(sum.div_euclid(BILLION)).unwrap_or(i64::MAX);
    (seconds, sum.rem_euclid(BILLION) as u32)
}

fn later(time: LocalTime, nanoseconds: i128) -> Result<LocalTime, ValueError> {
    let sum = i128::from(time.nanoseconds()) + nanoseconds;
    LocalTime::from_nanoseconds(sum.rem_euclid(DAY) as u64)
}
