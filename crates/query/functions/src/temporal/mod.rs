//! Dates, times, instants and durations: made from maps, texts and each other, cut to a
//! unit, taken apart, and what lies between two of them.

mod between;
mod components;
mod construct;
mod duration;
mod fields;
mod truncate;

use evergraph_property_graph::value::{Date, DateTime, LocalDateTime, LocalTime, Zone};
use evergraph_property_graph::{Value, ValueError};

pub(crate) use between::{Unit, between};
pub use components::component;
pub(crate) use components::system_name;
pub(crate) use construct::{construct, now};
pub(crate) use duration::{duration_of, mean, plus_duration, scaled};
pub(crate) use fields::Fields;
pub(crate) use truncate::truncate;

use crate::error::EvaluationError;

/// Types of temporal values that are no durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
}

impl Kind {
    fn has_date(self) -> bool {
        !matches!(self, Kind::LocalTime | Kind::Time)
    }

    fn has_time(self) -> bool {
        self != Kind::Date
    }

    fn has_zone(self) -> bool {
        matches!(self, Kind::Time | Kind::DateTime)
    }

    fn type_name(self) -> &'static str {
        match self {
            Kind::Date => "DATE",
            Kind::LocalTime => "LOCAL TIME",
            Kind::Time => "ZONED TIME",
            Kind::LocalDateTime => "LOCAL DATETIME",
            Kind::DateTime => "ZONED DATETIME",
        }
    }
}

/// Date, time on the clock and zone of a temporal value, as far as it has them.
#[derive(Clone, Debug, Default)]
struct Parts {
    date: Option<Date>,
    time: Option<LocalTime>,
    zone: Option<Zone>,
    /// Offset of an instant, which tells local times apart that occur twice.
    offset: Option<i32>,
}

impl Parts {
    /// `None` of values that are no date, time or instant.
    fn of(value: &Value) -> Result<Option<Self>, EvaluationError> {
        let (date, time, zone, offset) = match value {
            Value::Date(date) => (Some(*date), None, None, None),
            Value::LocalTime(time) => (None, Some(*time), None, None),
            Value::Time(time) => {
                let zone = Zone::offset(time.offset());
                (None, Some(time.local()), Some(zone), None)
            }
            Value::LocalDateTime(moment) => (Some(moment.date()), Some(moment.time()), None, None),
            Value::DateTime(moment) => {
                let (local, zone) = (moment.local(), Zone::of(moment)?);
                let offset = Some(moment.offset());
                (Some(local.date()), Some(local.time()), Some(zone), offset)
            }
            _ => return Ok(None),
        };
        Ok(Some(Parts {
            date,
            time,
            zone,
            offset,
        }))
    }

    /// The instant, in a zone where they have none.
    fn instant(&self, default: &Zone) -> Result<DateTime, ValueError> {
        let zone = self.zone.as_ref().unwrap_or(default);
        match self.offset {
            Some(offset) => zone.resolve_near(self.local(), offset),
            None => zone.resolve(self.local()),
        }
    }

    /// Of a date, or the first; and of a time, or midnight.
    fn local(&self) -> LocalDateTime {
        let midnight = LocalDateTime::default().time();
        LocalDateTime::of(self.date.unwrap_or_default(), self.time.unwrap_or(midnight))
    }
}
