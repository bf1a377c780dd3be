//! Times as they stand in edge lists: numbers, or ISO 8601 dates.

use std::str::FromStr;

/// Unit of a time that is a number; dates are read in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// Seconds since 1970.
    #[default]
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Microseconds since 1970.
    Microseconds,
    /// Nothing: the digits are a date, `YYYYMMDD`.
    Date,
}

/// A name that is none of a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("give s, ms, us or date (YYYYMMDD)")]
pub struct UnknownTimeUnit;

impl FromStr for TimeUnit {
    type Err = UnknownTimeUnit;

    fn from_str(name: &str) -> Result<TimeUnit, UnknownTimeUnit> {
        Ok(match name {
            "s" => TimeUnit::Seconds,
            "ms" => TimeUnit::Milliseconds,
            "us" => TimeUnit::Microseconds,
            "date" => TimeUnit::Date,
            _ => return Err(UnknownTimeUnit),
        })
    }
}

impl TimeUnit {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            TimeUnit::Seconds => "seconds",
            TimeUnit::Milliseconds => "milliseconds",
            TimeUnit::Microseconds => "microseconds",
            TimeUnit::Date => "dates YYYYMMDD",
        }
    }

    /// The unit that numbers are most likely of, read as seconds. Seconds of
    /// today have ten digits, a date eight.
    pub fn of_numbers(numbers: &[i64]) -> TimeUnit {
        const DATES: std::ops::RangeInclusive<i64> = 19_000_101..=21_001_231;
        let all = |fits: &dyn Fn(i64) -> bool| numbers.iter().all(|&number| fits(number));
        if numbers.is_empty() {
            TimeUnit::Seconds
        } else if all(&|number| DATES.contains(&number) && day_of_digits(number).is_some()) {
            TimeUnit::Date
        } else if all(&|number| number >= 100_000_000_000_000) {
            TimeUnit::Microseconds
        } else if all(&|number| number >= 100_000_000_000) {
            TimeUnit::Milliseconds
        } else {
            TimeUnit::Seconds
        }
    }

    /// Seconds since 1970 of a time, parts of a second dropped.
    pub(super) fn seconds(self, text: &[u8]) -> Option<i64> {
        if is_date(text) {
            return date_time(text);
        }
        let number = number(text)?;
        match self {
            TimeUnit::Seconds => Some(number),
            TimeUnit::Milliseconds => Some(number.div_euclid(1000)),
            TimeUnit::Microseconds => Some(number.div_euclid(1_000_000)),
            TimeUnit::Date => Some(day_of_digits(number)? * DAY),
        }
    }
}

/// Days from 1970 to the date that eight digits write.
fn day_of_digits(number: i64) -> Option<i64> {
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    match number {
        0..=99_991_231 => days_since_1970(year, month, day),
        _ => None,
    }
}

const DAY: i64 = 86_400;

/// Seconds since 1970 UTC, from an integer (`1082040961`), a decimal number
/// (rounded down), or a date `YYYY-MM-DD` with an optional
/// `THH:MM[:SS[.fraction]]` (or a blank for the `T`) and an optional `Z` or
/// `±HH[:]MM`. A date without zone is UTC; fractions of a second are dropped.
pub fn seconds_since_1970(text: &[u8]) -> Option<i64> {
    TimeUnit::Seconds.seconds(text)
}

/// Whether `text` starts like `YYYY-`.
fn is_date(text: &[u8]) -> bool {
    text.len() >= 5 && text[..4].iter().all(u8::is_ascii_digit) && text[4] == b'-'
}

fn number(text: &[u8]) -> Option<i64> {
    let (whole, fraction) = match text.iter().position(|&b| b == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &text[..0]),
    };
    let (negative, digits) = match whole {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Counted downwards, because `i64::MIN` has no positive counterpart.
    let mut below = 0i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        below = below
            .checked_mul(10)?
            .checked_sub(i64::from(digit - b'0'))?;
    }
    if negative {
        // -1.5 is between -2 and -1: rounding down goes away from zero.
        let rounds = fraction.iter().any(|&digit| digit != b'0');
        below.checked_sub(i64::from(rounds))
    } else {
        below.checked_neg()
    }
}

/// Takes exactly `count` digits from the front.
fn take(text: &mut &[u8], count: usize) -> Option<i64> {
    let (digits, rest) = text.split_at_checked(count)?;
    let mut value = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    *text = rest;
    Some(value)
}

fn take_byte(text: &mut &[u8], accepted: &[u8]) -> Option<u8> {
    let (&first, rest) = text.split_first()?;
    if !accepted.contains(&first) {
        return None;
    }
    *text = rest;
    Some(first)
}

fn date_time(mut text: &[u8]) -> Option<i64> {
    let text = &mut text;
    let year = take(text, 4)?;
    take_byte(text, b"-")?;
    let month = take(text, 2)?;
    take_byte(text, b"-")?;
    let day = take(text, 2)?;
    let mut seconds = days_since_1970(year, month, day)? * DAY;
    if text.is_empty() {
        return Some(seconds);
    }
    take_byte(text, b"Tt ")?;
    let hour = take(text, 2)?;
    take_byte(text, b":")?;
    let minute = take(text, 2)?;
    let mut second = 0;
    if take_byte(text, b":").is_some() {
        second = take(text, 2)?;
        if take_byte(text, b".,").is_some() {
            take(text, 1)?;
            while take(text, 1).is_some() {}
        }
    }
    // 60 is a leap second.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    seconds += hour * 3600 + minute * 60 + second;
    if text.is_empty() || take_byte(text, b"Zz").is_some() {
        return text.is_empty().then_some(seconds);
    }
    let east = take_byte(text, b"+-")? == b'+';
    let hours = take(text, 2)?;
    let mut minutes = 0;
    if !text.is_empty() {
        let _ = take_byte(text, b":");
        minutes = take(text, 2)?;
    }
    if !text.is_empty() || hours > 23 || minutes > 59 {
        return None;
    }
    let offset = hours * 3600 + minutes * 60;
    Some(if east {
        seconds - offset
    } else {
        seconds + offset
    })
}

/// Days of a date of the Gregorian calendar; `None` if there is no such day.
pub fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    const BEFORE_MONTH: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Leap days in the years 0..year; the year 0 is one.
    let leap_days = |year: i64| (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    let this_year = i64::from(leap && month > 2);
    let before_year = year * 365 + leap_days(year);
    let before_1970 = 1970 * 365 + leap_days(1970);
    Some(
        before_year - before_1970
            + BEFORE_MONTH[usize::try_from(month - 1).ok()?]
            + this_year
            + day
            - 1,
    )
}

#[cfg(test)]
mod tests {
    use super::{TimeUnit, seconds_since_1970};

    #[test]
    fn units_are_told_and_read() {
        let rows: &[(&[i64], TimeUnit)] = &[
            (&[], TimeUnit::Seconds),
            (&[1_082_040_961], TimeUnit::Seconds),
            (&[19_971_108, 20_000_102], TimeUnit::Date),
            (&[19_971_108, 19_971_308], TimeUnit::Seconds),
            (&[1, 19_971_108], TimeUnit::Seconds),
            (&[1_082_040_961_000], TimeUnit::Milliseconds),
            (
                &[1_082_040_961_000_000, 1_082_040_961_000],
                TimeUnit::Milliseconds,
            ),
            (&[1_082_040_961_000_000], TimeUnit::Microseconds),
        ];
        for (numbers, unit) in rows {
            assert_eq!(TimeUnit::of_numbers(numbers), *unit, "{numbers:?}");
        }
        for (unit, text, expected) in [
            ("s", "7", Some(7)),
            ("ms", "-1", Some(-1)),
            ("ms", "2999.5", Some(2)),
            ("us", "1999999", Some(1)),
            ("us", "1970-01-02", Some(86_400)),
            ("date", "19971108", Some(878_947_200)),
            ("date", "1997-11-08", Some(878_947_200)),
            ("date", "19971131", None),
            ("date", "-19971108", None),
        ] {
            let unit: TimeUnit = unit.parse().unwrap();
            assert_eq!(unit.seconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn times_are_read_or_refused() {
        let rows: &[(&str, Option<i64>)] = &[
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("1082040961", Some(1_082_040_961)),
            ("1289241911.72836", Some(1_289_241_911)),
            ("-1.5", Some(-2)),
            ("-1.0", Some(-1)),
            ("1.", Some(1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-9223372036854775808.5", None),
            ("", None),
            ("-", None),
            (".5", None),
            ("1e9", None),
            ("noon", None),
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-86_400)),
            ("1992-02-24", Some(698_889_600)),
            ("2000-02-29", Some(951_782_400)),
            ("2000-03-01", Some(951_868_800)),
            ("2004-04-15T14:56:01", Some(1_082_040_961)),
            ("2004-04-15 14:56:01", Some(1_082_040_961)),
            ("2004-04-15T14:56", Some(1_082_040_960)),
            ("2004-04-15T14:56:01Z", Some(1_082_040_961)),
            ("2004-04-15T16:56:01.732+0200", Some(1_082_040_961)),
            ("2004-04-15T09:26:01-05:30", Some(1_082_040_961)),
            ("0000-01-01", Some(-62_167_219_200)),
            ("9999-12-31", Some(253_402_214_400)),
            ("1900-02-29", None),
            ("2001-02-29", None),
            ("2001-13-01", None),
            ("2001-00-01", None),
            ("2001-01-32", None),
            ("2001-1-1", None),
            ("2001-01-01T24:00", None),
            ("2001-01-01T10:00:00Zulu", None),
            ("2001-01-01T10:00:00.", None),
            ("2001-01-01x", None),
        ];
        for (text, expected) in rows {
            assert_eq!(seconds_since_1970(text.as_bytes()), *expected, "{text:?}");
        }
    }
}
