//! Time zones, those of `jiff`: by the system's table, or the one that was compiled in.

use std::sync::{Arc, LazyLock};

use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};

use super::civil::{civil_of, days_of};
use crate::value::{DateTime, LocalDateTime, ValueError};

/// Years that the tables are asked for; those before have the first offset of a zone,
/// those after the rules of the same year of a calendar of 400.
const KNOWN_YEARS: std::ops::RangeInclusive<i64> = -9000..=9000;

/// An offset from UTC, or a time zone by its name.
#[derive(Clone, Debug)]
pub struct Zone(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Offset(i32),
    Named(Arc<str>, Box<Tables>),
}

/// A time zone since 1970, and before: systems are built with different tables for years
/// that far back, the one that was compiled in is the same everywhere.
#[derive(Clone, Debug)]
struct Tables {
    since_1970: TimeZone,
    before: TimeZone,
}

impl Tables {
    fn at(&self, seconds: i64) -> &TimeZone {
        match seconds {
            ..0 => &self.before,
            0.. => &self.since_1970,
        }
    }
}

impl Zone {
    /// UTC.
    pub const UTC: Zone = Zone(Kind::Offset(0));

    /// Clocks that are so many seconds ahead of UTC.
    pub fn offset(seconds: i32) -> Self {
        Zone(Kind::Offset(seconds))
    }

    /// A time zone by its name, `Europe/Rome`.
    ///
    /// # Errors
    /// A time zone that the table does not have.
    pub fn named(name: &str) -> Result<Self, ValueError> {
        let since_1970 = TimeZone::get(name).map_err(|_| ValueError::NotReadable {
            type_name: "TIME ZONE",
            text: name.to_string(),
            why: format!("the table of time zones does not have \"{name}\""),
        })?;
        static BUNDLED: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
        let before = BUNDLED.get(name);
        let before = before.unwrap_or_else(|_| since_1970.clone());
        // As the table spells it.
        let name = Arc::from(since_1970.iana_name().unwrap_or(name));
        let tables = Tables { since_1970, before };
        Ok(Zone(Kind::Named(name, Box::new(tables))))
    }

    /// The zone that an instant is shown in.
    ///
    /// # Errors
    /// A stored name that the table does not have.
    pub fn of(moment: &DateTime) -> Result<Self, ValueError> {
        match moment.zone() {
            Some(name) => Zone::named(name),
            None => Ok(Zone::offset(moment.offset())),
        }
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Kind::Offset(_) => None,
            Kind::Named(name, _) => Some(name),
        }
    }

    /// Seconds ahead of UTC at a local time; of one that occurs twice, the first; of one
    /// that is skipped, the offset before the jump.
    pub fn offset_at(&self, local: LocalDateTime) -> i32 {
        let zone = match &self.0 {
            Kind::Offset(offset) => return *offset,
            Kind::Named(_, tables) => tables.at(local.seconds()),
        };
        let offset = match zone.to_ambiguous_timestamp(civil_time(local)).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
        };
        offset.seconds()
    }

    /// The instant at which clocks here show a local time; one that is skipped is moved on
    /// by as much as the clocks are.
    ///
    /// # Errors
    /// An instant out of range.
    pub fn resolve(&self, local: LocalDateTime) -> Result<DateTime, ValueError> {
        let seconds = local.seconds() - i64::from(self.offset_at(local));
        self.show(seconds, local.nanoseconds())
    }

    /// As [`Zone::resolve`]; of a local time that occurs twice, where clocks are `offset`
    /// seconds ahead of UTC, if that is one of the two.
    ///
    /// # Errors
    /// An instant out of range.
    pub fn resolve_near(&self, local: LocalDateTime, offset: i32) -> Result<DateTime, ValueError> {
        let near = self.show(local.seconds() - i64::from(offset), local.nanoseconds())?;
        match near.local() == local {
            true => Ok(near),
            false => self.resolve(local),
        }
    }

    /// The instant so many seconds and nanoseconds after 1970-01-01T00:00Z, shown here.
    ///
    /// # Errors
    /// An instant out of range.
    pub fn show(&self, seconds: i64, nanoseconds: u32) -> Result<DateTime, ValueError> {
        match &self.0 {
            Kind::Offset(offset) => DateTime::from_seconds(seconds, nanoseconds, *offset),
            Kind::Named(name, tables) => {
                let utc = DateTime::from_seconds(seconds, nanoseconds, 0)?;
                let at = TimeZone::UTC.to_timestamp(civil_time(utc.local()));
                // Those years are in the range of timestamps, too.
                let at = at.map_err(|_| ValueError::range("moment", seconds, "of a year"))?;
                let offset = tables.at(seconds).to_offset(at).seconds();
                let moment = DateTime::from_seconds(seconds, nanoseconds, offset)?;
                Ok(moment.in_stored_zone(name))
            }
        }
    }
}

/// As the library has it, in a year that it knows.
fn civil_time(local: LocalDateTime) -> civil::DateTime {
    let (year, month, day) = civil_of(local.date().days());
    let known = match year {
        year if year > *KNOWN_YEARS.end() => 2000 + year.rem_euclid(400),
        year => year.max(*KNOWN_YEARS.start()),
    };
    // The year before may have been a leap year.
    let (known, month, day) = civil_of(days_of(known, month, day));
    let (hour, minute, second, nanoseconds) = local.time().parts();
    civil::Date::constant(known as i16, month as i8, day as i8).at(
        hour as i8,
        minute as i8,
        second as i8,
        nanoseconds as i32,
    )
}
