//! Temporal values cut to a unit.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{Date, LocalTime};

use super::construct::{not_temporal, of_parts, require, wrong};
use super::fields::Fields;
use super::{Kind, Parts};
use crate::environment::Environment;
use crate::error::EvaluationError;

/// Units of times, with their nanoseconds.
const TIMES: [(&str, u64); 7] = [
    ("day", 86_400_000_000_000),
    ("hour", 3_600_000_000_000),
    ("minute", 60_000_000_000),
    ("second", 1_000_000_000),
    ("millisecond", 1_000_000),
    ("microsecond", 1000),
    ("nanosecond", 1),
];

/// A value of a kind: `value` at the beginning of the unit that it is in, with the fields
/// of a map changed.
pub(crate) fn truncate(
    kind: Kind,
    unit: &str,
    value: &Value,
    fields: Option<&Value>,
    environment: &Environment<'_>,
) -> Result<Value, EvaluationError> {
    let parts = Parts::of(value)?.ok_or_else(|| not_temporal(value))?;
    require(kind, &parts)?;
    let of_time = TIMES.iter().find(|(name, _)| *name == unit);
    let (date, time) = match of_time {
        Some((_, nanoseconds)) if kind.has_time() || unit == "day" => {
            let time = parts.local().time().nanoseconds();
            (parts.date, time - time % nanoseconds)
        }
        Some(_) => return Err(wrong(&format!("a date has no {unit}"))),
        None => {
            let date = parts.date.filter(|_| kind.has_date());
            let date = date.ok_or_else(|| wrong(&format!("a time has no {unit}")))?;
            (Some(first_of(unit, date)?), 0)
        }
    };
    let time = LocalTime::from_nanoseconds(time)?;
    let mut cut = Parts {
        date,
        time: Some(time),
        zone: parts.zone,
        offset: parts.offset,
    };
    if let Some(Value::Map(map)) = fields
        && !map.is_empty()
    {
        let fields = Fields::of_kind(kind, map)?;
        if kind.has_date() {
            cut.date = Some(fields.date(date)?);
        }
        if kind.has_time() {
            let fraction = of_time.filter(|(_, unit)| *unit < 1_000_000_000);
            let fraction = fraction.map(|(_, unit)| *unit as i64);
            cut.time = Some(fields.time(Some(time), fraction)?);
        }
        // The time on the clock stays.
        if let Some(zone) = fields.zone()? {
            (cut.zone, cut.offset) = (Some(zone), None);
        }
    }
    of_parts(kind, &cut, None, environment)
}

fn first_of(unit: &str, date: Date) -> Result<Date, EvaluationError> {
    let (year, month, _) = date.parts();
    let of_years = |years: i32| Date::new(year - year.rem_euclid(years), 1, 1);
    Ok(match unit {
        "millennium" => of_years(1000)?,
        "century" => of_years(100)?,
        "decade" => of_years(10)?,
        "year" => of_years(1)?,
        "weekYear" => Date::of_week(date.week().0, 1, 1)?,
        "quarter" => Date::of_quarter(year, date.quarter().0, 1)?,
        "month" => Date::new(year, month, 1)?,
        "week" => date.plus_days(1 - date.week().2)?,
        _ => return Err(wrong(&format!("'{unit}' is no unit of time"))),
    })
}
