//! Dates, times and durations as ISO 8601 writes them, and the parts of dates.
//! Calendars and time zones are those of `jiff`.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, ValueError};

/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;

fn not_readable(type_name: &'static str, text: &str, why: impl Display) -> ValueError {
    ValueError::NotReadable {
        type_name,
        text: text.to_string(),
        why: why.to_string(),
    }
}

const EPOCH: civil::Date = civil::Date::constant(1970, 1, 1);

impl Date {
    /// A day by year, month (from 1) and day (from 1).
    pub fn new(year: i16, month: i8, day: i8) -> Result<Self, ValueError> {
        let date = civil::Date::new(year, month, day).map(Date::from_civil);
        date.map_err(|_| {
            let found = format!("{year}-{month}-{day}");
            ValueError::range("date", found, "a day of the calendar, years -9999 to 9999")
        })
    }

    /// Year, month (from 1) and day (from 1).
    pub fn parts(self) -> (i16, i8, i8) {
        let date = self.to_civil();
        (date.year(), date.month(), date.day())
    }

    fn from_civil(date: civil::Date) -> Self {
        let days = (date - EPOCH).get_days();
        Date::from_days(days).expect("both have years -9999 to 9999")
    }

    fn to_civil(self) -> civil::Date {
        let days = jiff::Span::new().days(self.days());
        EPOCH
            .checked_add(days)
            .expect("both have years -9999 to 9999")
    }
}

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

    fn from_civil(time: civil::Time) -> Self {
        let part = |part: i8| part as u8;
        let (hour, minute, second) = (part(time.hour()), part(time.minute()), part(time.second()));
        LocalTime::new(hour, minute, second, time.subsec_nanosecond() as u32)
            .expect("it is a time of day")
    }
}

impl LocalDateTime {
    fn to_civil(self) -> civil::DateTime {
        let (hour, minute, second, nanoseconds) = self.time().parts();
        let (hour, minute, second) = (hour as i8, minute as i8, second as i8);
        self.date()
            .to_civil()
            .at(hour, minute, second, nanoseconds as i32)
    }
}

impl Display for Date {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        let sign = if year < 0 { "-" } else { "" };
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

fn write_fraction(nanoseconds: u32, f: &mut Formatter<'_>) -> fmt::Result {
    if nanoseconds == 0 {
        return Ok(());
    }
    let digits = format!("{nanoseconds:09}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

fn write_offset(offset: i32, f: &mut Formatter<'_>) -> fmt::Result {
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

/// `2016-05-01`, `-0044-03-15`.
impl FromStr for Date {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if let Some((year, month, day)) = signed_year(text) {
            return Date::new(year, month, day);
        }
        // The library reads a time and an offset behind it, too, and drops them.
        let is_of_dates = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'W' | b'w');
        if !text.bytes().all(is_of_dates) {
            return Err(not_readable("DATE", text, "more than a date is there"));
        }
        let date: Result<civil::Date, _> = text.parse();
        date.map(Date::from_civil)
            .map_err(|why| not_readable("DATE", text, why))
    }
}

/// The parts of a date before the year 0, or with a plus sign.
fn signed_year(text: &str) -> Option<(i16, i8, i8)> {
    let digits = text.strip_prefix(['-', '+'])?;
    let are_digits = |part: &&str| part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = digits.split('-').filter(are_digits);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() < 4 || month.len() != 2 || day.len() != 2 || digits.matches('-').count() != 2 {
        return None;
    }
    let year: i16 = year.parse().ok()?;
    let year = if text.starts_with('-') { -year } else { year };
    Some((year, month.parse().ok()?, day.parse().ok()?))
}

/// `13:59`, `13:59:59.5`.
impl FromStr for LocalTime {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        // The library reads a date and an offset around it, too, and drops them; a leap
        // second becomes the one before.
        let is_of_times = |byte: u8| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b',');
        if !text.bytes().all(is_of_times) {
            return Err(not_readable(
                "LOCAL TIME",
                text,
                "more than a time is there",
            ));
        }
        let digits: String = text.chars().filter(|&character| character != ':').collect();
        if digits.get(4..6) == Some("60") {
            return Err(not_readable("LOCAL TIME", text, "seconds are from 0 to 59"));
        }
        let time: Result<civil::Time, _> = text.parse();
        time.map(LocalTime::from_civil)
            .map_err(|why| not_readable("LOCAL TIME", text, why))
    }
}

/// `2016-05-01T13:59:59.5`, and a date alone, which is its first moment.
impl FromStr for LocalDateTime {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wrong = |why: ValueError| not_readable("LOCAL DATETIME", text, why);
        let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, "00:00"));
        let date = date.parse().map_err(wrong)?;
        Ok(LocalDateTime::of(date, time.parse().map_err(wrong)?))
    }
}

/// `13:59:59.5+02:00`; without an offset, in UTC.
impl FromStr for Time {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wrong = |why: &str| not_readable("TIME", text, why);
        let (time, offset) = split_offset(text).ok_or_else(|| wrong("its offset does not hold"))?;
        let local: LocalTime = time
            .parse()
            .map_err(|error| not_readable("TIME", text, error))?;
        Time::new(local, offset.unwrap_or(0))
    }
}

/// `2016-05-01T13:59:59.5+02:00[Europe/Rome]`. Without an offset it is that of the
/// zone, by the system's table of time zones; without either, UTC.
impl FromStr for DateTime {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wrong = |why: &str| not_readable("DATETIME", text, why);
        let (text_of_moment, zone) = match text.strip_suffix(']').and_then(|t| t.split_once('[')) {
            Some((moment, zone)) if !zone.is_empty() => (moment, Some(zone)),
            Some(_) => return Err(wrong("the name of its time zone is empty")),
            None => (text, None),
        };
        // An offset comes after the time: a date has minus signs of its own.
        let time_at = text_of_moment
            .find(['T', 't', ' '])
            .unwrap_or(text_of_moment.len());
        let (date, time) = text_of_moment.split_at(time_at);
        let (time, offset) = split_offset(time).ok_or_else(|| wrong("its offset does not hold"))?;
        let local: LocalDateTime = format!("{date}{time}")
            .parse()
            .map_err(|error| not_readable("DATETIME", text, error))?;
        let known = zone.map(zone_of).transpose().map_err(|why| wrong(&why))?;
        let offset = match (offset, known) {
            (Some(offset), _) => offset,
            (None, None) => 0,
            (None, Some(zone)) => offset_in(&zone, local),
        };
        let seconds = local.seconds() - i64::from(offset);
        let moment = DateTime::from_seconds(seconds, local.nanoseconds(), offset)?;
        Ok(match zone {
            Some(zone) => moment.in_stored_zone(zone),
            None => moment,
        })
    }
}

/// A time zone by its name, as the system knows it; where the system has no table, as
/// the one that was compiled in does.
fn zone_of(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| format!("the table of time zones does not have \"{name}\""))
}

/// Refuses names that are no time zones.
pub(super) fn check_zone(name: &str) -> Result<(), ValueError> {
    let known = zone_of(name);
    known
        .map(drop)
        .map_err(|why| not_readable("TIME ZONE", name, why))
}

/// Offset of a time zone from UTC at a local time; of one that occurs twice, the first;
/// of one that is skipped, the offset before the jump.
fn offset_in(zone: &TimeZone, local: LocalDateTime) -> i32 {
    let offset = match zone.to_ambiguous_timestamp(local.to_civil()).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
    };
    offset.seconds()
}

/// Divides a time from its offset in seconds, if it has one: `Z`, `+02`, `+0200`,
/// `+02:00`, `-02:00:30`. `None` if there is one that does not hold.
fn split_offset(text: &str) -> Option<(&str, Option<i32>)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time, Some(0)));
    }
    let Some(at) = text.rfind(['+', '-']) else {
        return Some((text, None));
    };
    let (time, offset) = text.split_at(at);
    let (sign, digits) = offset.split_at(1);
    let digits = digits.replace(':', "");
    if !matches!(digits.len(), 2 | 4 | 6) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize| {
        digits
            .get(from..from + 2)
            .map_or(Some(0), |part| part.parse().ok())
    };
    let (hours, minutes, seconds): (i32, i32, i32) = (part(0)?, part(2)?, part(4)?);
    if minutes >= 60 || seconds >= 60 {
        return None;
    }
    let offset = hours * 3600 + minutes * 60 + seconds;
    Some((time, Some(if sign == "-" { -offset } else { offset })))
}

/// `P1Y2M3W4DT5H6M7.5S`. Each part may have a sign of its own, seconds a fraction.
impl FromStr for Duration {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wrong = |why: &str| not_readable("DURATION", text, why);
        let (sign, body) = match text.strip_prefix('-') {
            Some(body) => (-1, body),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let body = body
            .strip_prefix(['P', 'p'])
            .ok_or_else(|| wrong("it does not begin with P"))?;
        let (mut months, mut days, mut nanoseconds) = (0i128, 0i128, 0i128);
        let (mut rest, mut of_time, mut parts) = (body, false, 0);
        while !rest.is_empty() {
            if let Some(time) = rest.strip_prefix(['T', 't'])
                && !of_time
            {
                (rest, of_time) = (time, true);
                continue;
            }
            let unit_at = rest.find(|c: char| c.is_ascii_alphabetic());
            let unit_at = unit_at.ok_or_else(|| wrong("a number has no unit"))?;
            let (number, with_unit) = rest.split_at(unit_at);
            let unit = with_unit.as_bytes()[0].to_ascii_uppercase();
            rest = &with_unit[1..];
            parts += 1;
            let amount = parse_billionths(number).ok_or_else(|| wrong("a number does not hold"))?;
            let whole = amount / i128::from(SECOND);
            let is_whole = amount % i128::from(SECOND) == 0;
            if !is_whole && unit != b'S' {
                return Err(wrong("only seconds have a fraction"));
            }
            match (of_time, unit) {
                (false, b'Y') => months += 12 * whole,
                (false, b'M') => months += whole,
                (false, b'W') => days += 7 * whole,
                (false, b'D') => days += whole,
                (true, b'H') => nanoseconds += 3600 * amount,
                (true, b'M') => nanoseconds += 60 * amount,
                (true, b'S') => nanoseconds += amount,
                _ => return Err(wrong("a unit is not known")),
            }
        }
        if parts == 0 {
            return Err(wrong("it has no part"));
        }
        let in_range =
            |amount: i128| i64::try_from(sign * amount).map_err(|_| wrong("it is too long"));
        let seconds = (sign * nanoseconds).div_euclid(SECOND.into());
        let rest = (sign * nanoseconds).rem_euclid(SECOND.into());
        let seconds = i64::try_from(seconds).map_err(|_| wrong("it is too long"))?;
        Duration::new(in_range(months)?, in_range(days)?, seconds, rest as u32)
    }
}

/// A decimal number, times 10⁹; of a fraction nine digits at most.
fn parse_billionths(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || fraction.len() > 9 || whole.len() > 19 {
        return None;
    }
    let whole: i128 = whole.parse().ok()?;
    let fraction: i128 = format!("{fraction:0<9}").parse().ok()?;
    Some(sign * (whole * i128::from(SECOND) + fraction))
}
