//! Dates, times and durations. All of them are plain numbers: counting days and
//! seconds is done here, calendars and texts elsewhere.

use crate::value::calendar::SECOND;
use std::sync::Arc;

use super::civil::days_of;
use crate::value::{ValueError, Zone};

/// Nanoseconds of a day.
pub(crate) const DAY: u64 = 86_400 * SECOND;
/// Days from 1970-01-01 that are dates.
const DAYS: std::ops::RangeInclusive<i64> =
    days_of(-999_999_999, 1, 1)..=days_of(999_999_999, 12, 31);
/// Seconds of those days.
const SECONDS: std::ops::RangeInclusive<i64> =
    *DAYS.start() * 86_400..=*DAYS.end() * 86_400 + 86_399;
/// The most that a local time is ahead of UTC or behind it, in seconds.
pub(super) const MOST_OFFSET: i32 = 18 * 3600;
pub(super) const YEARS: &str = "years -999999999 to 999999999";
const OF_SECOND: &str = "0 to 999 999 999";

/// A day of the proleptic Gregorian calendar, years −999,999,999 to 999,999,999.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    days: i64,
}

impl Date {
    /// The day so many days after 1970-01-01.
    pub fn from_days(days: impl Into<i64>) -> Result<Self, ValueError> {
        let days = days.into();
        if !DAYS.contains(&days) {
            return Err(ValueError::range("day", days, YEARS));
        }
        Ok(Date { days })
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i64 {
        self.days
    }
}

/// A time of day, to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime {
    nanoseconds: u64,
}

impl LocalTime {
    /// The time so many nanoseconds after midnight.
    pub fn from_nanoseconds(nanoseconds: u64) -> Result<Self, ValueError> {
        if nanoseconds >= DAY {
            return Err(ValueError::range(
                "time of day",
                nanoseconds,
                "less than 24 hours of nanoseconds",
            ));
        }
        Ok(LocalTime { nanoseconds })
    }

    /// Nanoseconds since midnight.
    pub fn nanoseconds(self) -> u64 {
        self.nanoseconds
    }
}

/// A time of day somewhere. Ordered by the instant; equal instants by offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    local: LocalTime,
    offset: i32,
}

impl Time {
    /// A local time that is `offset` seconds ahead of UTC.
    pub fn new(local: LocalTime, offset: i32) -> Result<Self, ValueError> {
        checked_offset(offset)?;
        Ok(Time { local, offset })
    }

    /// The time on the clock there.
    pub fn local(self) -> LocalTime {
        self.local
    }

    /// Seconds that the clock there is ahead of UTC.
    pub fn offset(self) -> i32 {
        self.offset
    }

    /// Nanoseconds since midnight UTC; negative or beyond a day where the day
    /// there is another.
    pub fn instant(self) -> i64 {
        self.local.nanoseconds as i64 - i64::from(self.offset) * SECOND as i64
    }
}

/// A day and a time of day, in no time zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalDateTime {
    seconds: i64,
    nanoseconds: u32,
}

impl LocalDateTime {
    /// So many seconds (and nanoseconds, less than a second) after the beginning
    /// of 1970-01-01.
    pub fn from_seconds(seconds: i64, nanoseconds: u32) -> Result<Self, ValueError> {
        checked_moment(seconds, nanoseconds)?;
        Ok(LocalDateTime {
            seconds,
            nanoseconds,
        })
    }

    /// A day and a time of it.
    pub fn of(date: Date, time: LocalTime) -> Self {
        LocalDateTime {
            seconds: date.days * 86_400 + (time.nanoseconds / SECOND) as i64,
            nanoseconds: (time.nanoseconds % SECOND) as u32,
        }
    }

    /// Whole seconds since the beginning of 1970-01-01.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after the whole second.
    pub fn nanoseconds(self) -> u32 {
        self.nanoseconds
    }

    /// The day.
    pub fn date(self) -> Date {
        Date {
            days: self.seconds.div_euclid(86_400),
        }
    }

    /// The time of the day.
    pub fn time(self) -> LocalTime {
        LocalTime {
            nanoseconds: self.seconds.rem_euclid(86_400) as u64 * SECOND
                + u64::from(self.nanoseconds),
        }
    }
}

/// An instant, with how it is shown: an offset from UTC, and a time zone if it
/// has one. Ordered by the instant; equal instants by offset and zone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    seconds: i64,
    nanoseconds: u32,
    offset: i32,
    zone: Option<Arc<str>>,
}

impl DateTime {
    /// 1970-01-01T00:00Z.
    pub const EPOCH: DateTime = DateTime {
        seconds: 0,
        nanoseconds: 0,
        offset: 0,
        zone: None,
    };

    /// The instant so many seconds (and nanoseconds, less than a second) after
    /// 1970-01-01T00:00Z, where clocks are `offset` seconds ahead of UTC.
    pub fn from_seconds(seconds: i64, nanoseconds: u32, offset: i32) -> Result<Self, ValueError> {
        checked_moment(seconds, nanoseconds)?;
        checked_offset(offset)?;
        // Its local time has to be a date, too.
        checked_moment(seconds + i64::from(offset), nanoseconds)?;
        Ok(DateTime {
            seconds,
            nanoseconds,
            offset,
            zone: None,
        })
    }

    /// An instant of UTC, in milliseconds since 1970 (as in LDBC's files).
    pub fn from_milliseconds(milliseconds: i64) -> Result<Self, ValueError> {
        let nanoseconds = milliseconds.rem_euclid(1000) as u32 * 1_000_000;
        DateTime::from_seconds(milliseconds.div_euclid(1000), nanoseconds, 0)
    }

    /// Names the time zone (`Europe/Rome`), which is kept as given.
    ///
    /// # Errors
    /// A time zone that the system's table does not have.
    pub fn in_zone(self, zone: &str) -> Result<Self, ValueError> {
        let known = Zone::named(zone)?;
        Ok(self.in_stored_zone(known.name().unwrap_or(zone)))
    }

    /// As [`DateTime::in_zone`], of a zone that was known where it was stored.
    pub(crate) fn in_stored_zone(mut self, zone: &str) -> Self {
        self.zone = Some(Arc::from(zone));
        self
    }

    /// Whole seconds since 1970-01-01T00:00Z.
    pub fn seconds(&self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after the whole second.
    pub fn nanoseconds(&self) -> u32 {
        self.nanoseconds
    }

    /// Milliseconds since 1970-01-01T00:00Z, rounded down.
    pub fn milliseconds(&self) -> i64 {
        self.seconds * 1000 + i64::from(self.nanoseconds / 1_000_000)
    }

    /// Seconds that the clock there is ahead of UTC.
    pub fn offset(&self) -> i32 {
        self.offset
    }

    /// The name of the time zone, if one was given.
    pub fn zone(&self) -> Option<&str> {
        self.zone.as_deref()
    }

    /// Local date and time there.
    pub fn local(&self) -> LocalDateTime {
        LocalDateTime {
            seconds: self.seconds + i64::from(self.offset),
            nanoseconds: self.nanoseconds,
        }
    }
}

/// An amount of time in units that do not convert into each other: a month has
/// no fixed number of days, a day no fixed number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Duration {
    months: i64,
    days: i64,
    seconds: i64,
    nanoseconds: u32,
}

impl Duration {
    /// `nanoseconds` (less than a second) are added to `seconds`, also where
    /// those are negative.
    pub fn new(months: i64, days: i64, seconds: i64, nanoseconds: u32) -> Result<Self, ValueError> {
        checked_nanoseconds(nanoseconds)?;
        Ok(Duration {
            months,
            days,
            seconds,
            nanoseconds,
        })
    }

    /// Months.
    pub fn months(self) -> i64 {
        self.months
    }

    /// Days.
    pub fn days(self) -> i64 {
        self.days
    }

    /// Whole seconds, rounded down.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after the whole second.
    pub fn nanoseconds(self) -> u32 {
        self.nanoseconds
    }
}

fn checked_nanoseconds(nanoseconds: u32) -> Result<(), ValueError> {
    if u64::from(nanoseconds) >= SECOND {
        return Err(ValueError::range(
            "nanoseconds of a second",
            nanoseconds,
            OF_SECOND,
        ));
    }
    Ok(())
}

fn checked_moment(seconds: i64, nanoseconds: u32) -> Result<(), ValueError> {
    checked_nanoseconds(nanoseconds)?;
    if !SECONDS.contains(&seconds) {
        return Err(ValueError::range("moment", seconds, YEARS));
    }
    Ok(())
}

fn checked_offset(offset: i32) -> Result<(), ValueError> {
    if !(-MOST_OFFSET..=MOST_OFFSET).contains(&offset) {
        return Err(ValueError::range(
            "offset from UTC",
            offset,
            "18 hours of seconds either way",
        ));
    }
    Ok(())
}
