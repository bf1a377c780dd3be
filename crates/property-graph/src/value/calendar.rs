//! Dates, times and durations as files have them, in one of the forms of ISO 8601.

use std::fmt::{self, Display, Formatter};

use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, ValueError};

/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;

impl LocalTime {
    /// A time of day; nanoseconds are less than a second.
    pub fn new(hour: u8, minute: u8, second: u8, nanoseconds: u32) -> Result<Self, ValueError> {
        let in_range = hour < 24 && minute < 60 && second < 60;
        if !in_range || u64::from(nanoseconds) >= SECOND {
            let found = format!("{hour}:{minute}:{second} and {nanoseconds} ns");
            return Err(ValueError::range(
                "time",
                found,
                "0:00:00 to 23:59:59.999999999",
            ));
        }
        let seconds = u64::from(hour) * 3600 + u64::from(minute) * 60 + u64::from(second);
        LocalTime::from_nanoseconds(seconds * SECOND + u64::from(nanoseconds))
    }

    /// Hour, minute, second and nanoseconds.
    pub fn parts(self) -> (u8, u8, u8, u32) {
        let seconds = self.nanoseconds() / SECOND;
        (
            (seconds / 3600) as u8,
            (seconds / 60 % 60) as u8,
            (seconds % 60) as u8,
            (self.nanoseconds() % SECOND) as u32,
        )
    }
}

impl Display for Date {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        let sign = match year {
            ..0 => "-",
            0..=9999 => "",
            _ => "+",
        };
        write!(f, "{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
    }
}

/// Seconds are always there, a fraction only if it is not 0.
impl Display for LocalTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (hour, minute, second, nanoseconds) = self.parts();
        write!(f, "{hour:02}:{minute:02}:{second:02}")?;
        write_fraction(nanoseconds, f)
    }
}

pub(super) fn write_fraction(nanoseconds: u32, f: &mut impl fmt::Write) -> fmt::Result {
    if nanoseconds == 0 {
        return Ok(());
    }
    let digits = format!("{nanoseconds:09}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

pub(super) fn write_offset(offset: i32, f: &mut impl fmt::Write) -> fmt::Result {
    if offset == 0 {
        return f.write_str("Z");
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let seconds = offset.unsigned_abs();
    write!(f, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
    match seconds % 60 {
        0 => Ok(()),
        rest => write!(f, ":{rest:02}"),
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.local())?;
        write_offset(self.offset(), f)
    }
}

impl Display for LocalDateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date(), self.time())
    }
}

impl Display for DateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.local())?;
        write_offset(self.offset(), f)?;
        match self.zone() {
            Some(zone) => write!(f, "[{zone}]"),
            None => Ok(()),
        }
    }
}

/// Years are not shown apart from months, nor weeks from days. A part that is
/// negative has its own sign.
impl Display for Duration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        for (amount, unit) in [(self.months(), 'M'), (self.days(), 'D')] {
            if amount != 0 {
                write!(f, "{amount}{unit}")?;
            }
        }
        let total =
            i128::from(self.seconds()) * i128::from(SECOND) + i128::from(self.nanoseconds());
        if total != 0 || (self.months() == 0 && self.days() == 0) {
            let sign = if total < 0 { "-" } else { "" };
            let total = total.unsigned_abs();
            write!(f, "T{sign}{}", total / u128::from(SECOND))?;
            write_fraction((total % u128::from(SECOND)) as u32, f)?;
            f.write_str("S")?;
        }
        Ok(())
    }
}
