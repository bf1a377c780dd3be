//! Days of the proleptic Gregorian calendar: by month, by week, by quarter, by number.
//!
//! Years have 400 in a cycle of 146,097 days, counted from the first of March, so that
//! the day of a leap year is the last of its year.

use crate::value::{Date, ValueError};

/// Days of 400 years.
const CYCLE: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Days from 1970-01-01 to a day; the month is from 1 to 12.
pub(crate) const fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    cycle * CYCLE + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - EPOCH
}

/// Year, month and day so many days after 1970-01-01.
pub(crate) const fn civil_of(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (cycle, of_cycle) = (days.div_euclid(CYCLE), days.rem_euclid(CYCLE));
    let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (cycle * 400 + year + next, month, day)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Monday of the first week of a year, in days since 1970-01-01: the week that has the
/// fourth of January.
fn first_monday(year: i64) -> i64 {
    let fourth = days_of(year, 1, 4);
    fourth - (weekday_of(fourth) - 1)
}

/// 1 is Monday.
fn weekday_of(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

impl Date {
    /// A day by year, month (from 1) and day (from 1).
    pub fn new(year: impl Into<i32>, month: i8, day: i8) -> Result<Self, ValueError> {
        let (year, month, day): (i64, i64, i64) = (year.into().into(), month.into(), day.into());
        if !(1..=12).contains(&month) {
            return Err(ValueError::range("month", month, "1 to 12"));
        }
        let last = days_of_month(year, month);
        if !(1..=last).contains(&day) {
            let range = match last {
                28 => "1 to 28 in this month",
                29 => "1 to 29 in this month",
                30 => "1 to 30 in this month",
                _ => "1 to 31",
            };
            return Err(ValueError::range("day", day, range));
        }
        Date::from_days(days_of(year, month, day))
    }

    /// A day by the year of its week, the week (from 1, as ISO 8601 counts them) and the
    /// day of the week (1 is Monday).
    pub fn of_week(year: i32, week: i64, weekday: i64) -> Result<Self, ValueError> {
        let monday = first_monday(year.into());
        let weeks = (first_monday(i64::from(year) + 1) - monday) / 7;
        if !(1..=weeks).contains(&week) {
            let range = "1 to 52, or to 53 in a long year";
            return Err(ValueError::range("week", week, range));
        }
        if !(1..=7).contains(&weekday) {
            return Err(ValueError::range("day of the week", weekday, "1 to 7"));
        }
        Date::from_days(monday + (week - 1) * 7 + weekday - 1)
    }

    /// A day by its number in the year, from 1.
    pub fn of_year(year: i32, day: i64) -> Result<Self, ValueError> {
        let days = if is_leap(year.into()) { 366 } else { 365 };
        if !(1..=days).contains(&day) {
            let range = "1 to 365, or to 366 in a leap year";
            return Err(ValueError::range("day of the year", day, range));
        }
        Date::from_days(days_of(year.into(), 1, 1) + day - 1)
    }

    /// A day by the quarter of a year and its number in the quarter, both from 1.
    pub fn of_quarter(year: i32, quarter: i64, day: i64) -> Result<Self, ValueError> {
        if !(1..=4).contains(&quarter) {
            return Err(ValueError::range("quarter", quarter, "1 to 4"));
        }
        let year = i64::from(year);
        let first = days_of(year, quarter * 3 - 2, 1);
        let next = days_of(year + quarter / 4, quarter % 4 * 3 + 1, 1);
        if !(1..=next - first).contains(&day) {
            let range = "1 to 90, 91 or 92";
            return Err(ValueError::range("day of the quarter", day, range));
        }
        Date::from_days(first + day - 1)
    }

    /// Year, month (from 1) and day (from 1).
    pub fn parts(self) -> (i32, i8, i8) {
        let (year, month, day) = civil_of(self.days());
        (year as i32, month as i8, day as i8)
    }

    /// The year of its week, the week as ISO 8601 counts them, and the day of the week,
    /// where 1 is Monday.
    pub fn week(self) -> (i32, i64, i64) {
        let days = self.days();
        // The year of a week is that of its Thursday.
        let (year, ..) = civil_of(days - weekday_of(days) + 4);
        let week = (days - first_monday(year)) / 7 + 1;
        (year as i32, week, weekday_of(days))
    }

    /// Number of the day in its year, from 1.
    pub fn day_of_year(self) -> i64 {
        let (year, ..) = civil_of(self.days());
        self.days() - days_of(year, 1, 1) + 1
    }

    /// Quarter of the year, and number of the day in it, both from 1.
    pub fn quarter(self) -> (i64, i64) {
        let (year, month, _) = civil_of(self.days());
        let quarter = (month - 1) / 3;
        (
            quarter + 1,
            self.days() - days_of(year, quarter * 3 + 1, 1) + 1,
        )
    }

    /// The same day so many months later; the last of a month that is shorter.
    ///
    /// # Errors
    /// A day out of range.
    pub fn plus_months(self, months: i64) -> Result<Self, ValueError> {
        let (year, month, day) = civil_of(self.days());
        let of_all = i128::from(year) * 12 + i128::from(month - 1) + i128::from(months);
        let year = i64::try_from(of_all.div_euclid(12)).ok();
        let year = year.filter(|year| year.abs() <= 1_000_000_000);
        let year =
            year.ok_or_else(|| ValueError::range("months", months, super::temporal::YEARS))?;
        let month = of_all.rem_euclid(12) as i64 + 1;
        Date::from_days(days_of(year, month, day.min(days_of_month(year, month))))
    }

    /// The day so many days later.
    ///
    /// # Errors
    /// A day out of range.
    pub fn plus_days(self, days: i64) -> Result<Self, ValueError> {
        Date::from_days(self.days().saturating_add(days))
    }
}
