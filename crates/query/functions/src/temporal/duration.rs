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
