//! Moments as dates, and the texts that stand for them. All of it is UTC.

use evergraph_io::formats::{days_since_1970, seconds_since_1970};

/// Seconds of a day.
pub const DAY: i64 = 86_400;
/// Microseconds of a second.
pub const SECOND_US: i64 = 1_000_000;

/// The first second of the year 0 and the last of the year 9999: the range of a date of
/// four digits.
pub const NAMEABLE: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// Year, month (from 1) and day (from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// From 0 on; 0 is the year before 1.
    pub year: i64,
    /// From 1 to 12.
    pub month: i64,
    /// From 1 to 31.
    pub day: i64,
}

impl Date {
    /// The date so many days after 1 January 1970.
    pub fn of_days(days: i64) -> Self {
        // Close: 400 years have 146 097 days.
        let mut year = 1970 + (days * 400).div_euclid(146_097);
        while days_of(year, 1) > days {
            year -= 1;
        }
        while days_of(year + 1, 1) <= days {
            year += 1;
        }
        let later = (2..=12).take_while(|&month| days_of(year, month) <= days);
        let month = later.last().unwrap_or(1);
        Date {
            year,
            month,
            day: days - days_of(year, month) + 1,
        }
    }

    /// The date of a second.
    pub fn of(seconds: i64) -> Self {
        Date::of_days(seconds.div_euclid(DAY))
    }

    /// Months since the year 0.
    pub fn months(self) -> i64 {
        12 * self.year + self.month - 1
    }
}

/// Days from 1970 to the first of a month.
fn days_of(year: i64, month: i64) -> i64 {
    days_since_1970(year, month, 1).expect("every month has a first day")
}

/// The first second of a month, counted from the year 0.
pub fn start_of_month(months: i64) -> i64 {
    DAY * days_of(months.div_euclid(12), months.rem_euclid(12) + 1)
}

/// Units that a written moment can end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A month.
    Month,
    /// A day.
    Day,
    /// An hour.
    Hour,
    /// A minute.
    Minute,
    /// A second.
    Second,
}

/// The month, day, hour, minute or second of a moment: `2016-05`, `2016-05-01`,
/// `2016-05-01T13`, `2016-05-01T13:59`, `2016-05-01T13:59:59`.
pub fn written(seconds: i64, unit: Unit) -> String {
    let Date { year, month, day } = Date::of(seconds);
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let mut text = format!("{year:04}-{month:02}");
    for (least, part) in [
        (Unit::Day, format!("-{day:02}")),
        (Unit::Hour, format!("T{hour:02}")),
        (Unit::Minute, format!(":{minute:02}")),
        (Unit::Second, format!(":{second:02}")),
    ] {
        if unit as u8 >= least as u8 {
            text += &part;
        }
    }
    text
}

/// A moment, in microseconds since 1970, as `2016-05-31T23:59:59Z`.
pub fn time_text(time_us: i64) -> String {
    let seconds = time_us.div_euclid(SECOND_US);
    match NAMEABLE.contains(&seconds) {
        true => written(seconds, Unit::Second) + "Z",
        false => format!("{seconds} s"),
    }
}

/// The last microsecond of the month, day, hour, minute or second that `text` names
/// (`2016-05`, `2016-05-01`, `2016-05-01T13:59`, with `Z` or `±HH:MM` behind an hour
/// or more; UTC without), since 1970. `None` if it is no date.
pub fn time_of_text(text: &str) -> Option<i64> {
    span_of(text)?.1.checked_sub(1)
}

/// The first microsecond of the time span that `text` stands for.
pub fn start_of(text: &str) -> Option<i64> {
    Some(span_of(text)?.0)
}

/// The first microsecond of the time span that `text` stands for, and the one behind it: of
/// a month, a day, an hour, a minute or a second, as [`written`] writes them, with `Z` or
/// `±HH:MM` behind an hour or more, or of the microsecond of a fraction of a second. `None`
/// if it is no date.
fn span_of(text: &str) -> Option<(i64, i64)> {
    let Some((whole, behind)) = text.split_once('.') else {
        let (start, end) = seconds_of(text)?;
        return Some((start.checked_mul(SECOND_US)?, end.checked_mul(SECOND_US)?));
    };
    let digits = behind.len()
        - behind
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let (fraction, zone) = behind.split_at(digits);
    let has_seconds = whole.matches(':').count() == 2;
    if !has_seconds || !(1..=9).contains(&digits) {
        return None;
    }
    let (start, _) = seconds_of(&format!("{whole}{zone}"))?;
    let microseconds: i64 = format!("{fraction:0<6.6}").parse().ok()?;
    let start = start.checked_mul(SECOND_US)?.checked_add(microseconds)?;
    Some((start, start.checked_add(1)?))
}

/// As [`span_of`], of what has no fraction, in seconds.
fn seconds_of(text: &str) -> Option<(i64, i64)> {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    if shape == "0000-00" {
        let start = seconds_since_1970(format!("{text}-01").as_bytes())?;
        return Some((start, start_of_month(Date::of(start).months() + 1)));
    }
    if !shape.starts_with("0000-00-00") {
        return None;
    }
    let Some(rest) = text.get(11..) else {
        let start = seconds_since_1970(text.as_bytes())?;
        return Some((start, start + DAY));
    };
    let zone_at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone_at);
    let (whole, length) = match time.matches(':').count() {
        0 => (format!("{time}:00"), 3600),
        1 => (time.to_string(), 60),
        _ => (time.to_string(), 1),
    };
    let start = format!("{}{whole}{zone}", text.get(..11)?);
    let start = seconds_since_1970(start.as_bytes())?;
    Some((start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_reader() {
        let mut day = NAMEABLE.start() / DAY;
        while day * DAY < *NAMEABLE.end() {
            let text = written(day * DAY, Unit::Day);
            assert_eq!(seconds_since_1970(text.as_bytes()), Some(day * DAY));
            // Every day of a few years, and then a few days of each.
            let near = (-366 * 4..366 * 60).contains(&day);
            day += if near { 1 } else { 97 };
        }
        assert_eq!(
            written(*NAMEABLE.end(), Unit::Second),
            "9999-12-31T23:59:59"
        );
        assert_eq!(written(*NAMEABLE.start(), Unit::Month), "0000-01");
    }

    #[test]
    fn a_fraction_of_a_second_is_a_microsecond() {
        let whole = start_of("2016-05-31T23:59:59").expect("a date");
        for (fraction, microseconds) in [
            ("999998", 999_998),
            ("5", 500_000),
            ("000001999", 1),
            ("0", 0),
        ] {
            for (text, zone) in [
                ("2016-05-31T23:59:59", "Z"),
                ("2016-06-01T01:59:59", "+02:00"),
            ] {
                let text = format!("{text}.{fraction}{zone}");
                assert_eq!(time_of_text(&text), Some(whole + microseconds), "{text}");
                assert_eq!(start_of(&text), Some(whole + microseconds), "{text}");
            }
        }
        for text in [
            "2016-05-31T23:59.5",
            "2016-05-31.5",
            "2016-05-31T23:59:59.",
            "2016.5",
            "1.5",
            "2016-05-31T23:59:59.0000000001",
            "2016-05-31T23:59:59.x",
        ] {
            assert_eq!(time_of_text(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_ends_where_its_unit_does() {
        let second = |text: &str| seconds_since_1970(text.as_bytes());
        for (text, end) in [
            ("2016-05", second("2016-06-01")),
            ("2016-12", second("2017-01-01")),
            ("2016-02", second("2016-03-01")),
            ("9999-12", Some(NAMEABLE.end() + 1)),
            ("2016-05-01", second("2016-05-02")),
            ("2016-05-01T13", second("2016-05-01T14:00")),
            ("2016-05-01 13:14", second("2016-05-01T13:15")),
            ("2016-05-01T13:14:15", second("2016-05-01T13:14:16")),
            ("2016-05-01T13:14:15Z", second("2016-05-01T13:14:16")),
            ("2016-05-01T13:14+02:00", second("2016-05-01T11:15")),
            ("2016-05-01T13-0200", second("2016-05-01T16:00")),
            ("2016-13", None),
            ("2016-02-30", None),
            ("2016-05-01T", None),
            ("2016-05-01T25", None),
            ("2016-05-01x", None),
            ("2016-05-é", None),
            ("2016", None),
            ("may", None),
        ] {
            let expected = end.map(|end| end * SECOND_US - 1);
            assert_eq!(time_of_text(text), expected, "{text}");
        }
    }
}
