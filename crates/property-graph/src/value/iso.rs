//! Dates, times and durations read from the forms of ISO 8601.

use std::fmt::Display;
use std::str::FromStr;

use super::calendar::SECOND;
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, ValueError, Zone};

fn not_readable(type_name: &'static str, text: &str, why: impl Display) -> ValueError {
    ValueError::NotReadable {
        type_name,
        text: text.to_string(),
        why: why.to_string(),
    }
}

/// A number of digits alone.
fn number<N: FromStr>(text: &str) -> Option<N> {
    let are_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| text.parse().ok()).flatten()
}

/// By month and day (`2015-07-21`, `20150721`), month (`2015-07`, `201507`) or year alone
/// (`2015`), by week (`2015-W30-2`, `2015W302`, `2015-W30`), by the day of the year
/// (`2015-202`, `2015202`) and of the quarter (`2015-Q3-21`, `2015Q321`). What is left out
/// is the first. Years of a sign have 4 to 9 digits, and a part behind them, with a dash.
impl FromStr for Date {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wrong = || not_readable("DATE", text, "write it as 2015-07-21");
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let is_signed = digits.len() < text.len();
        let year_end = match is_signed {
            true => digits.find('-').ok_or_else(wrong)?,
            false => 4,
        };
        if !(4..=9).contains(&year_end) {
            return Err(wrong());
        }
        let (year, rest) = digits.split_at_checked(year_end).ok_or_else(wrong)?;
        let year = sign * number::<i32>(year).ok_or_else(wrong)?;
        let date = date_in(year, rest).ok_or_else(wrong)?;
        date.map_err(|error| not_readable("DATE", text, error))
    }
}

/// The date that what stands behind a year says; `None` if it is none of the forms.
fn date_in(year: i32, rest: &str) -> Option<Result<Date, ValueError>> {
    let (has_dashes, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    // Splits off the first part; the second one has a dash where the first has, and so
    // many digits.
    let split = |text: &str, first: usize, digits: usize| -> Option<(i64, i64)> {
        let (first, second) = text.split_at_checked(first)?;
        let second = match second.strip_prefix('-') {
            _ if second.is_empty() => return Some((number(first)?, 1)),
            Some(second) => has_dashes.then_some(second)?,
            None => (!has_dashes).then_some(second)?,
        };
        let second = Some(second).filter(|second| second.len() == digits)?;
        Some((number(first)?, number(second)?))
    };
    if rest.is_empty() {
        return (!has_dashes).then(|| Date::new(year, 1, 1));
    }
    if let Some(week) = rest.strip_prefix(['W', 'w']) {
        let (week, day) = split(week, 2, 1)?;
        return Some(Date::of_week(year, week, day));
    }
    if let Some(quarter) = rest.strip_prefix(['Q', 'q']) {
        let (quarter, day) = split(quarter, 1, 2)?;
        return Some(Date::of_quarter(year, quarter, day));
    }
    if rest.len() == 3 {
        return Some(Date::of_year(year, number(rest)?));
    }
    let (month, day) = split(rest, 2, 2)?;
    Some(Date::new(year, month as i8, day as i8))
}

/// `13:59:59.5`, `135959.5`, `13:59`, `1359`, `13`.
impl FromStr for LocalTime {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let wrong = |why: &str| not_readable("LOCAL TIME", text, why);
        let form = || wrong("write it as 21:40:32.142");
        let (whole, fraction) = match text.split_once(['.', ',']) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let digits = match whole.len() {
            5 | 8 if whole.bytes().skip(2).step_by(3).all(|byte| byte == b':') => {
                whole.replace(':', "")
            }
            2 | 4 | 6 => whole.to_string(),
            _ => return Err(form()),
        };
        let part = |at: usize| match digits.get(at..at + 2) {
            Some(part) => number::<u8>(part).ok_or_else(form),
            None if at < digits.len() => Err(form()),
            None => Ok(0),
        };
        let (hour, minute, second) = (part(0)?, part(2)?, part(4)?);
        if second > 59 {
            return Err(wrong("seconds are from 0 to 59"));
        }
        let nanoseconds = match fraction {
            None => 0,
            Some(fraction) if digits.len() == 6 && fraction.len() <= 9 => {
                number::<u32>(fraction).ok_or_else(form)?;
                number(&format!("{fraction:0<9}")).ok_or_else(form)?
            }
            Some(_) => return Err(wrong("seconds alone have a fraction, of at most 9 digits")),
        };
        LocalTime::new(hour, minute, second, nanoseconds)
    }
}

/// A date and a time with `T` or a space between them; a date alone is its first moment.
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
        DateTime::read_in(text, &Zone::UTC)
    }
}

impl DateTime {
    /// As `text.parse()`, in a zone where the text has neither a zone nor an offset.
    pub fn read_in(text: &str, default: &Zone) -> Result<Self, ValueError> {
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
        let named = zone.map(Zone::named).transpose();
        let named = named.map_err(|error| not_readable("DATETIME", text, error))?;
        match (offset, named) {
            (None, Some(zone)) => zone.resolve(local),
            (None, None) => default.resolve(local),
            (Some(offset), None) => Zone::offset(offset).resolve(local),
            (Some(offset), Some(zone)) => {
                let moment = Zone::offset(offset).resolve(local)?;
                Ok(moment.in_stored_zone(zone.name().unwrap_or_default()))
            }
        }
    }
}

impl Zone {
    /// An offset (`+02:00`, `Z`) or the name of a time zone.
    ///
    /// # Errors
    /// An offset that does not hold, a time zone that the table does not have.
    pub fn read(text: &str) -> Result<Self, ValueError> {
        if !text.starts_with(['+', '-']) && !matches!(text, "Z" | "z") {
            return Zone::named(text);
        }
        match split_offset(text) {
            Some(("", Some(seconds))) if seconds.abs() <= super::temporal::MOST_OFFSET => {
                Ok(Zone::offset(seconds))
            }
            _ => Err(not_readable("TIME ZONE", text, "write it as +02:00")),
        }
    }
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

/// `P1Y2M3W4DT5H6M7.5S`. Each part may have a sign of its own and a fraction; also
/// `P2012-02-02T14:37:21.545`.
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
        let starts_with_year = body
            .get(..4)
            .is_some_and(|year| number::<u16>(year).is_some());
        if starts_with_year && (body[4..].starts_with('-') || is_compact(body)) {
            let amounts = date_and_time(body).ok_or_else(|| wrong("a number does not hold"))?;
            let [months, days, nanoseconds] = amounts.map(|amount| sign * amount);
            return Duration::of_amounts(months, days, nanoseconds);
        }
        let mut amounts = [0; 3];
        let (mut rest, mut of_time, mut units) = (body, false, &UNITS[..]);
        let mut has_fraction = false;
        loop {
            if let Some(time) = rest.strip_prefix(['T', 't'])
                && !of_time
            {
                (rest, of_time) = (time, true);
            }
            let unit_at = rest.find(|c: char| c.is_ascii_alphabetic());
            let unit_at = unit_at.ok_or_else(|| wrong("it does not end with a unit"))?;
            let (number, with_unit) = rest.split_at(unit_at);
            let letter = with_unit.as_bytes()[0].to_ascii_uppercase();
            let is_it = |known: &Unit| (known.of_time, known.letter) == (of_time, letter);
            let place = units.iter().position(is_it);
            let place = place.ok_or_else(|| wrong("its units are not Y, M, W, D, T, H, M, S"))?;
            if has_fraction {
                return Err(wrong("a fraction is not in its last part"));
            }
            let amount = parse_billionths(number).ok_or_else(|| wrong("a number does not hold"))?;
            amounts[units[place].sum] += sign * units[place].size * amount;
            has_fraction = number.contains(['.', ',']);
            (rest, units) = (&with_unit[1..], &units[place + 1..]);
            if rest.is_empty() {
                break;
            }
        }
        let [months, days, nanoseconds] = amounts;
        Duration::of_amounts(months, days, nanoseconds).map_err(|_| wrong("it is too long"))
    }
}

/// A unit of durations: its letter, whether it stands behind `T`, and to which of months,
/// days and seconds it adds how many.
struct Unit {
    letter: u8,
    of_time: bool,
    sum: usize,
    size: i128,
}

const fn unit(letter: u8, of_time: bool, sum: usize, size: i128) -> Unit {
    Unit {
        letter,
        of_time,
        sum,
        size,
    }
}

/// In the order in which they stand.
static UNITS: [Unit; 7] = [
    unit(b'Y', false, 0, 12),
    unit(b'M', false, 0, 1),
    unit(b'W', false, 1, 7),
    unit(b'D', false, 1, 1),
    unit(b'H', true, 2, 3600),
    unit(b'M', true, 2, 60),
    unit(b'S', true, 2, 1),
];

/// Whether a text begins as a date without dashes does.
fn is_compact(text: &str) -> bool {
    let date = text.split(['T', 't']).next().unwrap_or_default();
    date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit())
}

/// Billionths of months and days, and nanoseconds, of a duration written as a date and a
/// time.
fn date_and_time(text: &str) -> Option<[i128; 3]> {
    let (date, time) = text.split_once(['T', 't']).unwrap_or((text, "00:00"));
    let parts: Vec<&str> = match is_compact(text) {
        true => vec![&date[..4], &date[4..6], &date[6..]],
        false => date.split('-').collect(),
    };
    let &[years, months, days] = parts.as_slice() else {
        return None;
    };
    let (years, months, days): (i128, i128, i128) =
        (number(years)?, number(months)?, number(days)?);
    let time: LocalTime = time.parse().ok()?;
    let is_date = months <= 12 && days <= 31;
    let billion = i128::from(SECOND);
    is_date.then_some([
        (years * 12 + months) * billion,
        days * billion,
        time.nanoseconds().into(),
    ])
}

/// A decimal number, times 10⁹; of a fraction nine digits at most.
fn parse_billionths(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
    if fraction.len() > 9 || whole.len() > 19 {
        return None;
    }
    let whole: i128 = number(whole)?;
    number::<u64>(fraction)?;
    let fraction: i128 = number(&format!("{fraction:0<9}"))?;
    Some(sign * (whole * i128::from(SECOND) + fraction))
}
