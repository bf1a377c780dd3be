//! Steps of time, or of edges, by which snapshots are made and kept.

use std::fmt;
use std::str::FromStr;

use crate::calendar::{DAY, Date, NAMEABLE, Unit, start_of_month, written};

/// The longest step, in years, and in days: all that dates can name.
const LONGEST_YEARS: i64 = 10_000;
const LONGEST_DAYS: i64 = 3_652_425;

/// Weeks begin on Mondays; 1 January 1970 was a Thursday.
const FIRST_MONDAY: i64 = 4 * DAY;

/// How often an import names a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many edges.
    Edges(u64),
    /// At the end of each step of so many seconds of the edges' times. Steps of
    /// weeks begin on Mondays, others are counted from 1970, so that days begin at
    /// midnight (UTC).
    Seconds(i64),
    /// At the end of each step of so many months; quarters and years begin in
    /// January.
    Months(i64),
}

/// A text that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "give a number of edges, or a time up to 10000 years: a number from 1 with s, min, h, d, w, mo or y (`7d`, `1mo`)"
)]
pub struct NotAStep;

impl FromStr for Every {
    type Err = NotAStep;

    fn from_str(text: &str) -> Result<Every, NotAStep> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let number: u32 = number.parse().map_err(|_| NotAStep)?;
        let number = i64::from(number);
        let every = match unit {
            "" => Every::Edges(number as u64),
            "s" => Every::Seconds(number),
            "min" => Every::Seconds(60 * number),
            "h" => Every::Seconds(3600 * number),
            "d" => Every::Seconds(DAY * number),
            "w" => Every::Seconds(7 * DAY * number),
            "mo" => Every::Months(number),
            "y" => Every::Months(12 * number),
            _ => return Err(NotAStep),
        };
        every.is_step().then_some(every).ok_or(NotAStep)
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Every::Edges(n) => write!(f, "{n} edges"),
            Every::Months(n) if n % 12 == 0 => write!(f, "{}y", n / 12),
            Every::Months(n) => write!(f, "{n}mo"),
            Every::Seconds(n) if n % DAY == 0 => write!(f, "{}d", n / DAY),
            Every::Seconds(n) if n % 3600 == 0 => write!(f, "{}h", n / 3600),
            Every::Seconds(n) if n % 60 == 0 => write!(f, "{}min", n / 60),
            Every::Seconds(n) => write!(f, "{n}s"),
        }
    }
}

impl Every {
    /// Whether it is neither nothing nor longer than all dates.
    pub fn is_step(self) -> bool {
        match self {
            Every::Edges(edges) => edges > 0,
            Every::Seconds(seconds) => (1..=LONGEST_DAYS * DAY).contains(&seconds),
            Every::Months(months) => (1..=LONGEST_YEARS * 12).contains(&months),
        }
    }

    /// Whether steps go by the times of edges.
    pub fn is_of_time(self) -> bool {
        !matches!(self, Every::Edges(_))
    }

    /// The second behind the step of a time; `None` for steps of edges, and for
    /// times whose dates have not four digits of years.
    pub fn end_of_step(self, seconds: i64) -> Option<i64> {
        if !NAMEABLE.contains(&seconds) {
            return None;
        }
        match self {
            Every::Edges(_) => None,
            Every::Seconds(step) => {
                let first = match step % (7 * DAY) {
                    0 => FIRST_MONDAY,
                    _ => 0,
                };
                Some(seconds - (seconds - first).rem_euclid(step) + step)
            }
            Every::Months(step) => {
                let months = Date::of(seconds).months();
                Some(start_of_month(months - months.rem_euclid(step) + step))
            }
        }
    }

    /// Name of a step: the last of its months, days, hours, minutes or seconds, so that
    /// the name, read as a time, means its end.
    pub fn name_of_step(self, end: i64) -> String {
        let unit = match self {
            Every::Months(_) => Unit::Month,
            Every::Seconds(n) if n % DAY == 0 => Unit::Day,
            Every::Seconds(n) if n % 3600 == 0 => Unit::Hour,
            Every::Seconds(n) if n % 60 == 0 => Unit::Minute,
            Every::Seconds(_) | Every::Edges(_) => Unit::Second,
        };
        written((end - 1).min(*NAMEABLE.end()), unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{SECOND_US, time_of_text};
    use evergraph_io::formats::seconds_since_1970;
    use proptest::prelude::*;

    #[test]
    fn steps_are_read_and_shown() {
        for (text, shown) in [
            ("5000", "5000 edges"),
            ("90s", "90s"),
            ("60s", "1min"),
            ("24h", "1d"),
            ("1w", "7d"),
            ("3mo", "3mo"),
            ("12mo", "1y"),
            ("521775w", "3652425d"),
            ("10000y", "10000y"),
        ] {
            let every: Every = text.parse().unwrap();
            assert_eq!(every.to_string(), shown);
            let end = every.end_of_step(*NAMEABLE.end());
            assert!(end.is_none_or(|end| end.checked_mul(SECOND_US).is_some()));
            // As rules of retention are stored.
            assert!(!every.is_of_time() || shown.parse() == Ok(every));
        }
        for text in [
            "",
            "0",
            "0d",
            "d",
            "-1d",
            "1m",
            "1.5d",
            "1 d",
            "99999999999d",
            "10001y",
            "120001mo",
            "300000y",
            "3652426d",
            "700000000w",
        ] {
            assert_eq!(text.parse::<Every>(), Err(NotAStep), "{text}");
        }
    }

    #[test]
    fn steps_end_where_the_calendar_says() {
        let second = |text: &str| seconds_since_1970(text.as_bytes()).unwrap();
        for (every, time, name) in [
            ("1mo", "2016-02-29T23:59:59", "2016-02"),
            ("3mo", "2016-02-29", "2016-03"),
            ("1y", "2016-02-29", "2016-12"),
            ("1y", "9999-12-31", "9999-12"),
            ("1d", "2016-02-29T12:00", "2016-02-29"),
            ("1d", "1969-12-31T12:00", "1969-12-31"),
            // A Monday, a Sunday.
            ("1w", "2016-05-02", "2016-05-08"),
            ("7d", "2016-05-08T23:00", "2016-05-08"),
            ("6h", "2016-05-08T13:00", "2016-05-08T17"),
            ("15min", "2016-05-08T13:00", "2016-05-08T13:14"),
            ("10s", "2016-05-08T13:00:07", "2016-05-08T13:00:09"),
        ] {
            let every: Every = every.parse().unwrap();
            let end = every.end_of_step(second(time)).unwrap();
            assert_eq!(every.name_of_step(end), name, "{every} {time}");
        }
        assert_eq!(Every::Seconds(1).end_of_step(i64::MAX), None);
    }

    proptest! {
        #[test]
        fn a_step_ends_behind_its_times_and_is_named_by_its_end(
            seconds in NAMEABLE,
            number in 1..50i64,
            unit in prop::sample::select(vec!["s", "min", "h", "d", "w", "mo", "y"]),
        ) {
            let every: Every = format!("{number}{unit}").parse().unwrap();
            let end = every.end_of_step(seconds).unwrap();
            prop_assert!(end > seconds);
            if end <= *NAMEABLE.end() {
                // One step is of one piece, and the next begins behind it.
                prop_assert_eq!(every.end_of_step(end - 1), Some(end));
                prop_assert!(every.end_of_step(end).unwrap() > end);
                prop_assert_eq!(time_of_text(&every.name_of_step(end)), Some(end * SECOND_US - 1));
            }
        }
    }
}
