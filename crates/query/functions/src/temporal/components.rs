//! Components of temporal and spatial values, as properties of them.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalTime, Point,
};

/// `value.key` of a temporal or spatial value: null where it is of more than 64 bits;
/// `Some(None)` where it has no such component. `None` of values of other types.
pub fn component(value: &Value, key: &str) -> Option<Option<Value>> {
    Some(match value {
        Value::Date(date) => of_date(*date, key),
        Value::LocalTime(time) => of_time(*time, key),
        Value::Time(time) => {
            let offset = || of_offset(time.offset(), key);
            let zone = || (key == "timezone").then(|| Value::from(offset_text(time.offset())));
            of_time(time.local(), key).or_else(offset).or_else(zone)
        }
        Value::LocalDateTime(moment) => {
            of_date(moment.date(), key).or_else(|| of_time(moment.time(), key))
        }
        Value::DateTime(moment) => of_instant(moment, key),
        Value::Duration(duration) => of_duration(*duration, key),
        Value::Point(point) => of_point(point, key),
        _ => return None,
    })
}

fn of_date(date: Date, key: &str) -> Option<Value> {
    let (year, month, day) = date.parts();
    Some(Value::Integer(match key {
        "year" => year.into(),
        "quarter" => date.quarter().0,
        "month" => month.into(),
        "week" => date.week().1,
        "weekYear" => date.week().0.into(),
        "day" => day.into(),
        "ordinalDay" => date.day_of_year(),
        "weekDay" | "dayOfWeek" => date.week().2,
        "dayOfQuarter" => date.quarter().1,
        _ => return None,
    }))
}

fn of_time(time: LocalTime, key: &str) -> Option<Value> {
    let (hour, minute, second, nanoseconds) = time.parts();
    let nanoseconds = i64::from(nanoseconds);
    Some(Value::Integer(match key {
        "hour" => hour.into(),
        "minute" => minute.into(),
        "second" => second.into(),
        "millisecond" => nanoseconds / 1_000_000,
        "microsecond" => nanoseconds / 1000,
        "nanosecond" => nanoseconds,
        _ => return None,
    }))
}

fn of_offset(offset: i32, key: &str) -> Option<Value> {
    Some(match key {
        "offset" => offset_text(offset).into(),
        "offsetMinutes" => (offset / 60).into(),
        "offsetSeconds" => offset.into(),
        _ => return None,
    })
}

fn offset_text(offset: i32) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let seconds = offset.unsigned_abs();
    match (seconds, seconds % 60) {
        (0, _) => "Z".to_string(),
        (_, 0) => format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60),
        (_, rest) => format!(
            "{sign}{:02}:{:02}:{rest:02}",
            seconds / 3600,
            seconds / 60 % 60
        ),
    }
}

fn of_instant(moment: &DateTime, key: &str) -> Option<Value> {
    match key {
        "timezone" => Some(match moment.zone() {
            Some(zone) => zone.into(),
            None => offset_text(moment.offset()).into(),
        }),
        "epochSeconds" => Some(moment.seconds().into()),
        "epochMillis" => Some(moment.milliseconds().into()),
        _ => {
            let local = moment.local();
            of_date(local.date(), key)
                .or_else(|| of_time(local.time(), key))
                .or_else(|| of_offset(moment.offset(), key))
        }
    }
}

fn of_duration(duration: Duration, key: &str) -> Option<Value> {
    let (months, days, seconds) = (duration.months(), duration.days(), duration.seconds());
    let nanoseconds = i64::from(duration.nanoseconds());
    // All of them in a unit of so many nanoseconds; null if it has more than 64 bits.
    let all = |unit: i128| {
        let all = i64::try_from(duration.total_nanoseconds().div_euclid(unit));
        Some(all.map_or(Value::Null, Value::Integer))
    };
    Some(Value::Integer(match key {
        "years" => months / 12,
        "quarters" => months / 3,
        "months" => months,
        "weeks" => days / 7,
        "days" => days,
        "hours" => seconds / 3600,
        "minutes" => seconds / 60,
        "seconds" => seconds,
        "milliseconds" => return all(1_000_000),
        "microseconds" => return all(1000),
        "nanoseconds" => return all(1),
        "quartersOfYear" => months / 3 % 4,
        "monthsOfQuarter" => months % 3,
        "monthsOfYear" => months % 12,
        "daysOfWeek" => days % 7,
        "minutesOfHour" => seconds / 60 % 60,
        "secondsOfMinute" => seconds % 60,
        "millisecondsOfSecond" => nanoseconds / 1_000_000,
        "microsecondsOfSecond" => nanoseconds / 1000,
        "nanosecondsOfSecond" => nanoseconds,
        _ => return None,
    }))
}

fn of_point(point: &Point, key: &str) -> Option<Value> {
    let system = point.system();
    let is_geographic = matches!(
        system,
        CoordinateSystem::Wgs84 | CoordinateSystem::Wgs84Height
    );
    let coordinate = |at: usize| point.coordinates().get(at).map(|found| (*found).into());
    match key {
        "x" => coordinate(0),
        "y" => coordinate(1),
        "z" => coordinate(2),
        "longitude" if is_geographic => coordinate(0),
        "latitude" if is_geographic => coordinate(1),
        "height" if is_geographic => coordinate(2),
        "srid" => Some(system.srid().into()),
        "crs" => Some(system_name(system).into()),
        _ => None,
    }
}

/// Name of a coordinate system in Cypher.
pub(crate) fn system_name(system: CoordinateSystem) -> &'static str {
    match system {
        CoordinateSystem::Wgs84 => "wgs-84",
        CoordinateSystem::Wgs84Height => "wgs-84-3d",
        CoordinateSystem::Cartesian => "cartesian",
        CoordinateSystem::Cartesian3d => "cartesian-3d",
    }
}
