//! Temporal values from maps, texts, each other and the clock.

use evergraph_property_graph::value::{DateTime, LocalDateTime, LocalTime, Time, Zone};
use evergraph_property_graph::{Value, ValueError};
use evergraph_syntax::with_article;

use super::fields::Fields;
use super::{Kind, Parts};
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;

/// A value of a kind, of a text, a map or another temporal value.
pub(crate) fn construct(
    kind: Kind,
    value: &Value,
    environment: &Environment<'_>,
) -> Result<Value, EvaluationError> {
    match value {
        Value::Text(text) => read(kind, text, environment),
        Value::Map(map) => of_fields(kind, &Fields::of_kind(kind, map)?, environment),
        other => {
            let parts = Parts::of(other)?.ok_or_else(|| not_temporal(other))?;
            require(kind, &parts)?;
            of_parts(kind, &parts, None, environment)
        }
    }
}

fn read(kind: Kind, text: &str, environment: &Environment<'_>) -> Result<Value, EvaluationError> {
    Ok(match kind {
        Kind::Date => Value::Date(text.parse()?),
        Kind::LocalTime => Value::LocalTime(text.parse()?),
        Kind::Time => Value::Time(text.parse()?),
        Kind::LocalDateTime => Value::LocalDateTime(text.parse()?),
        Kind::DateTime => Value::DateTime(read_instant(text, environment)?),
    })
}

/// Refuses an offset that the time zone behind it never has at that time.
fn read_instant(text: &str, environment: &Environment<'_>) -> Result<DateTime, EvaluationError> {
    let (moment, zone) = match text.strip_suffix("[Z]") {
        Some(moment) => (DateTime::read_in(moment, &Zone::UTC)?, Zone::UTC),
        None => {
            let moment = DateTime::read_in(text, &environment.zone)?;
            let zone = Zone::of(&moment)?;
            (moment, zone)
        }
    };
    let shown = zone.show(moment.seconds(), moment.nanoseconds())?;
    if shown != moment {
        let why = "its offset and its time zone do not match".to_string();
        let (type_name, text) = ("DATETIME", text.to_string());
        return Err(ValueError::NotReadable {
            type_name,
            text,
            why,
        }
        .into());
    }
    Ok(shown)
}

/// The statement's, transaction's or system's time as a value of a kind, in a zone.
pub(crate) fn now(
    kind: Kind,
    moment: &DateTime,
    zone: Option<&str>,
    environment: &Environment<'_>,
) -> Result<Value, EvaluationError> {
    let zone = zone.map(Zone::read).transpose()?;
    let zone = zone.unwrap_or_else(|| environment.zone.clone());
    let shown = zone.show(moment.seconds(), moment.nanoseconds())?;
    construct(kind, &Value::DateTime(shown), environment)
}

fn of_fields(
    kind: Kind,
    fields: &Fields<'_>,
    environment: &Environment<'_>,
) -> Result<Value, EvaluationError> {
    let counted = of_epoch(fields, environment)?;
    let instant = counted.as_ref().or(fields.get("datetime"));
    let base = |name| match fields.get(name).or(instant) {
        None => Ok(Parts::default()),
        Some(value) => Parts::of(value)?.ok_or_else(|| not_temporal(value)),
    };
    let (of_date, of_time) = (base("date")?, base("time")?);
    if let (Some(_), None) = (fields.get("date"), of_date.date) {
        return Err(wrong("the field 'date' has no date"));
    }
    if let (Some(_), None) = (fields.get("time"), of_time.time) {
        return Err(wrong("the field 'time' has no time"));
    }
    let date = match kind.has_date() {
        true => Some(fields.date(of_date.date)?),
        // A zone may have another offset on another day.
        false => of_date.date.or(of_time.date),
    };
    if kind.has_date() && of_date.date.is_none() {
        fields.need_day_of_time()?;
    }
    let time = match kind.has_time() {
        true => Some(fields.time(of_time.time, None)?),
        false => None,
    };
    let of_another_day = !kind.has_date() && fields.get("date").is_some();
    let parts = Parts {
        date,
        time,
        zone: of_time.zone,
        offset: of_time.offset.filter(|_| !of_another_day),
    };
    of_parts(kind, &parts, fields.zone()?, environment)
}

/// The instant of a field that counts from 1970, if there is one.
fn of_epoch(
    fields: &Fields<'_>,
    environment: &Environment<'_>,
) -> Result<Option<Value>, EvaluationError> {
    let counts = (
        fields.integer("epochSeconds")?,
        fields.integer("epochMillis")?,
    );
    let moment = match counts {
        (Some(seconds), _) => DateTime::from_seconds(seconds, 0, 0)?,
        (None, Some(milliseconds)) => DateTime::from_milliseconds(milliseconds)?,
        (None, None) => return Ok(None),
    };
    let zone = fields.zone()?.unwrap_or_else(|| environment.zone.clone());
    let shown = zone.show(moment.seconds(), moment.nanoseconds())?;
    Ok(Some(Value::DateTime(shown)))
}

/// A value of a kind; with an offset, shown in `zone`: one that has a zone is the same
/// instant there, another the same time on the clock.
pub(super) fn of_parts(
    kind: Kind,
    parts: &Parts,
    zone: Option<Zone>,
    environment: &Environment<'_>,
) -> Result<Value, EvaluationError> {
    let local = parts.local();
    Ok(match kind {
        Kind::Date => Value::Date(local.date()),
        Kind::LocalTime => Value::LocalTime(local.time()),
        Kind::LocalDateTime => Value::LocalDateTime(local),
        Kind::DateTime => Value::DateTime(match (&parts.zone, zone) {
            (Some(from), Some(to)) => {
                let instant = parts.instant(from)?;
                to.show(instant.seconds(), instant.nanoseconds())?
            }
            (_, zone) => parts.instant(zone.as_ref().unwrap_or(&environment.zone))?,
        }),
        Kind::Time => {
            // A zone has the offset of the date, if there is one, else of today.
            let date = match parts.date {
                Some(_) => local,
                None => environment.clock.statement.local(),
            };
            let on_date = LocalDateTime::of(date.date(), local.time());
            let offset = |zone: &Zone| zone.offset_at(on_date);
            let zone_of_day = || parts.zone.as_ref().map(|zone| parts.instant(zone));
            let from = match parts.offset {
                Some(offset) => Some(offset),
                None => zone_of_day().transpose()?.map(|instant| instant.offset()),
            };
            let offsets = (from, zone.as_ref().map(offset));
            Value::Time(match offsets {
                (Some(from), Some(to)) => shifted(local.time(), from, to)?,
                (Some(offset), None) | (None, Some(offset)) => Time::new(local.time(), offset)?,
                (None, None) => Time::new(local.time(), offset(&environment.zone))?,
            })
        }
    })
}

/// The same instant of a day at another offset.
fn shifted(time: LocalTime, from: i32, to: i32) -> Result<Time, EvaluationError> {
    let nanoseconds = time.nanoseconds() as i64 + i64::from(to - from) * 1_000_000_000;
    let local = LocalTime::from_nanoseconds(nanoseconds.rem_euclid(DAY) as u64)?;
    Ok(Time::new(local, to)?)
}

/// Refuses a value that has nothing of what a kind is made of.
pub(super) fn require(kind: Kind, parts: &Parts) -> Result<(), EvaluationError> {
    if kind.has_date() && parts.date.is_none() {
        return Err(wrong("a time of day has no date"));
    }
    if !kind.has_date() && parts.time.is_none() {
        return Err(wrong("a date has no time"));
    }
    Ok(())
}

pub(super) fn wrong(message: &str) -> EvaluationError {
    EvaluationError::new(ErrorKind::InvalidArgumentValue, message)
}

pub(super) fn not_temporal(value: &Value) -> EvaluationError {
    let found = with_article(value.type_name());
    wrong(&format!("{found} is no date, time or instant"))
}
