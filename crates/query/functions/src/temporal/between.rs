//! Durations between two temporal values.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{Date, DateTime, Duration, LocalDateTime, Zone};

use super::Parts;
use super::construct::not_temporal;
use crate::error::EvaluationError;

const BILLION: i128 = 1_000_000_000;

/// Units that a duration between two values is given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Months, then days, then seconds.
    All,
    Months,
    Days,
    Seconds,
}

/// From one value to another. What only one of them has of a date or a zone is taken to be
/// that of the other, too; a date has midnight.
pub(crate) fn between(unit: Unit, from: &Value, to: &Value) -> Result<Duration, EvaluationError> {
    let mut from_parts = Parts::of(from)?.ok_or_else(|| not_temporal(from))?;
    let mut to_parts = Parts::of(to)?.ok_or_else(|| not_temporal(to))?;
    let have_dates = from_parts.date.is_some() && to_parts.date.is_some();
    let has_days = unit == Unit::Days || have_dates && unit == Unit::All;
    from_parts.date = from_parts.date.or(to_parts.date);
    to_parts.date = to_parts.date.or(from_parts.date);
    let zone = from_parts.zone.clone().or(to_parts.zone.clone());
    // Without any, as of UTC, where no local time is skipped.
    let zone = zone.unwrap_or(Zone::UTC);
    let (start, end) = (from_parts.instant(&zone)?, to_parts.instant(&zone)?);
    let local_end = zone.show(end.seconds(), end.nanoseconds())?.local();
    let mut local = start.local();
    let (mut months, mut days) = (0, 0);
    if have_dates && matches!(unit, Unit::All | Unit::Months) {
        months = months_between(local, local_end)?;
        local = LocalDateTime::of(local.date().plus_months(months)?, local.time());
    }
    if has_days {
        days = days_between(local, local_end);
        local = LocalDateTime::of(local.date().plus_days(days)?, local.time());
    }
    let nanoseconds = match unit {
        Unit::Months | Unit::Days => 0,
        // The start itself, which its zone may show at a local time that occurs twice.
        _ if months == 0 && days == 0 => distance(&start, &end),
        _ => distance(&zone.resolve(local)?, &end),
    };
    let whole = |amount: i64| i128::from(amount) * BILLION;
    Ok(Duration::of_amounts(
        whole(months),
        whole(days),
        nanoseconds,
    )?)
}

fn distance(from: &DateTime, to: &DateTime) -> i128 {
    let seconds = i128::from(to.seconds()) - i128::from(from.seconds());
    seconds * BILLION + i128::from(to.nanoseconds()) - i128::from(from.nanoseconds())
}

/// Whole days, rounded towards 0.
fn days_between(from: LocalDateTime, to: LocalDateTime) -> i64 {
    whole_date(from, to).days() - from.date().days()
}

/// Whole months, rounded towards 0.
fn months_between(from: LocalDateTime, to: LocalDateTime) -> Result<i64, EvaluationError> {
    let end = whole_date(from, to);
    let months = |date: Date| {
        let (year, month, _) = date.parts();
        i64::from(year) * 12 + i64::from(month)
    };
    let day = |date: Date| date.parts().2;
    let (start, all) = (from.date(), months(end) - months(from.date()));
    Ok(match all {
        1.. if day(end) < day(start) => all - 1,
        ..=-1 if day(end) > day(start) => all + 1,
        _ => all,
    })
}

/// The date of the end, or the one before it or behind, to which whole days have gone.
fn whole_date(from: LocalDateTime, to: LocalDateTime) -> Date {
    let (start, end) = (from.date(), to.date());
    let moved = match (end.cmp(&start), to.time().cmp(&from.time())) {
        (std::cmp::Ordering::Greater, std::cmp::Ordering::Less) => end.plus_days(-1),
        (std::cmp::Ordering::Less, std::cmp::Ordering::Greater) => end.plus_days(1),
        _ => return end,
    };
    // It lies between two dates.
    moved.unwrap_or(end)
}
