//! The fields of the maps that temporal values are made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{Date, LocalTime, ValueError, Zone};
use evergraph_syntax::{nearest, with_article};

use super::Kind;
use crate::error::{ErrorKind, EvaluationError};

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// Fields of maps that temporal values are made of.
#[rustfmt::skip] // Words of a table.
const FIELDS: [&str; 20] = [
    "date", "time", "datetime", "year", "month", "day", "week", "dayOfWeek", "ordinalDay",
    "quarter", "dayOfQuarter", "hour", "minute", "second", "millisecond", "microsecond",
    "nanosecond", "timezone", "epochSeconds", "epochMillis",
];

/// Ways to say the day of a year, of which one is taken.
const DAYS: [&[&str]; 4] = [
    &["month", "day"],
    &["week", "dayOfWeek"],
    &["quarter", "dayOfQuarter"],
    &["ordinalDay"],
];

/// Values that a temporal value begins as, of which one is taken.
const BASES: [&[&str]; 4] = [
    &["date", "time"],
    &["datetime"],
    &["epochSeconds"],
    &["epochMillis"],
];

/// Whether a value of a kind has a use for a field.
fn applies(name: &str, kind: Kind) -> bool {
    match name {
        "epochSeconds" | "epochMillis" => kind == Kind::DateTime,
        "timezone" => kind.has_zone(),
        "datetime" => true,
        // The offset of a time is that of a date.
        "date" => kind != Kind::LocalTime,
        _ if is_of_time(name) => kind.has_time(),
        _ => kind.has_date(),
    }
}

fn is_of_time(name: &str) -> bool {
    let times = [
        "time",
        "hour",
        "minute",
        "second",
        "millisecond",
        "microsecond",
        "nanosecond",
    ];
    times.contains(&name)
}

/// Fields by name, of a function.
pub(crate) struct Fields<'a> {
    map: &'a BTreeMap<Arc<str>, Value>,
}

impl<'a> Fields<'a> {
    /// Fields, of which there is one at least, and all of which have to be known.
    ///
    /// # Errors
    /// No field, or one that is not among `known`.
    pub(crate) fn new(
        map: &'a BTreeMap<Arc<str>, Value>,
        known: &[&str],
    ) -> Result<Self, EvaluationError> {
        if map.is_empty() {
            return Err(refused(
                "there is no field in the map; give one".to_string(),
            ));
        }
        match map.keys().find(|key| !known.contains(&&***key)) {
            None => Ok(Fields { map }),
            Some(key) => {
                let near = nearest(key, known.iter().copied());
                let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
                Err(refused(format!("there is no field '{key}'{near}")))
            }
        }
    }

    /// Fields of a temporal value, all of which have to apply to it.
    pub(super) fn of_kind(
        kind: Kind,
        map: &'a BTreeMap<Arc<str>, Value>,
    ) -> Result<Self, EvaluationError> {
        let fields = Fields::new(map, &FIELDS)?;
        if let Some(name) = map.keys().find(|name| !applies(name, kind)) {
            let found = kind.type_name();
            return Err(refused(format!(
                "the field '{name}' does not apply to a {found}"
            )));
        }
        fields.need_one_of(&BASES)?;
        Ok(fields)
    }

    /// Refuses fields of two groups that each say the same.
    fn need_one_of(&self, groups: &[&[&str]]) -> Result<(), EvaluationError> {
        let mut names = groups.iter().filter_map(|names| self.first_of(names));
        match (names.next(), names.next()) {
            (Some(first), Some(second)) => Err(refused(format!(
                "the field '{second}' does not apply beside '{first}'"
            ))),
            _ => Ok(()),
        }
    }

    /// The first of some fields that is given.
    fn first_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        let mut names = names.iter().copied();
        names.find(|name| self.get(name).is_some())
    }

    /// Fields beside others, which are left out.
    pub(crate) fn among_others(map: &'a BTreeMap<Arc<str>, Value>) -> Self {
        Fields { map }
    }

    /// The value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    /// An integer.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, EvaluationError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Integer(number)) => Ok(Some(*number)),
            Some(other) => Err(wrong(name, "an INTEGER", other)),
        }
    }

    /// An integer of a date or a time, the least one for null.
    fn part(&self, name: &str) -> Result<Option<i64>, EvaluationError> {
        match self.get(name) {
            Some(Value::Null) if name == "year" || is_of_time(name) => Ok(Some(0)),
            Some(Value::Null) => Ok(Some(1)),
            _ => self.integer(name),
        }
    }

    /// A float; also of an integer.
    pub(crate) fn float(&self, name: &str) -> Result<Option<f64>, EvaluationError> {
        let number = self.get(name).map(|value| {
            let number = value.as_float();
            number.ok_or_else(|| wrong(name, "a number", value))
        });
        number.transpose()
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, EvaluationError> {
        let text = self.get(name).map(|value| {
            let text = value.as_text();
            text.ok_or_else(|| wrong(name, "a STRING", value))
        });
        text.transpose()
    }

    /// The zone of the field `timezone`.
    pub(super) fn zone(&self) -> Result<Option<Zone>, EvaluationError> {
        Ok(self.text("timezone")?.map(Zone::read).transpose()?)
    }

    /// A date from its fields; those that are absent are of `base`, else the first.
    pub(super) fn date(&self, base: Option<Date>) -> Result<Date, EvaluationError> {
        let year = self.part("year")?;
        let year = year
            .map(|year| i32::try_from(year).map_err(|_| out_of_range("year", year)))
            .transpose()?;
        self.need_one_of(&DAYS)?;
        let has = |names: [&str; 2]| self.first_of(&names).is_some();
        let needed = |known: Option<i32>| {
            let year = year.or(known);
            year.ok_or_else(|| absent("year"))
        };
        if has(["week", "dayOfWeek"]) {
            self.need("week", "dayOfWeek", base.is_some())?;
            let known = base.map(Date::week);
            let year = needed(known.map(|known| known.0))?;
            let week = self.part("week")?.or(known.map(|known| known.1));
            let day = self.part("dayOfWeek")?.or(known.map(|known| known.2));
            return Ok(Date::of_week(year, week.unwrap_or(1), day.unwrap_or(1))?);
        }
        let of_base = base.map(|date| date.parts());
        let year = needed(of_base.map(|parts| parts.0))?;
        if let Some(day) = self.part("ordinalDay")? {
            return Ok(Date::of_year(year, day)?);
        }
        if has(["quarter", "dayOfQuarter"]) {
            self.need("quarter", "dayOfQuarter", base.is_some())?;
            let known = base.map(Date::quarter);
            let quarter = self.part("quarter")?.or(known.map(|known| known.0));
            let day = self.part("dayOfQuarter")?;
            if let (Some(quarter), None, Some((_, month, day))) = (quarter, day, of_base) {
                // The month of the quarter and its day are those of the other date.
                let (first_year, first_month, _) = Date::of_quarter(year, quarter, 1)?.parts();
                return Ok(nearest_day(first_year, first_month + (month - 1) % 3, day)?);
            }
            return Ok(Date::of_quarter(
                year,
                quarter.unwrap_or(1),
                day.unwrap_or(1),
            )?);
        }
        self.need("month", "day", base.is_some())?;
        let part = |name, known: Option<i8>| -> Result<i8, EvaluationError> {
            match self.part(name)? {
                None => Ok(known.unwrap_or(1)),
                Some(number) => i8::try_from(number).map_err(|_| out_of_range(name, number)),
            }
        };
        let month = part("month", of_base.map(|parts| parts.1))?;
        let day = part("day", of_base.map(|parts| parts.2))?;
        match self.get("day") {
            Some(_) => Ok(Date::new(year, month, day)?),
            None => Ok(nearest_day(year, month, day)?),
        }
    }

    /// A time of day from its fields; those that are absent are of `base`, else 0. `cut` are
    /// the nanoseconds of the fraction of a second that the base was cut to, if it was.
    pub(super) fn time(
        &self,
        base: Option<LocalTime>,
        cut: Option<i64>,
    ) -> Result<LocalTime, EvaluationError> {
        self.need("hour", "minute", base.is_some())?;
        self.need("minute", "second", base.is_some())?;
        let known = base.map_or((0, 0, 0, 0), LocalTime::parts);
        let part = |name, known: u8| -> Result<u8, EvaluationError> {
            match self.part(name)? {
                None => Ok(known),
                Some(number) => u8::try_from(number).map_err(|_| out_of_range(name, number)),
            }
        };
        let (hour, minute) = (part("hour", known.0)?, part("minute", known.1)?);
        let second = part("second", known.2)?;
        let nanoseconds = self.nanoseconds(base.is_some(), (known.3, cut))?;
        let nanoseconds = nanoseconds.unwrap_or(known.3);
        Ok(LocalTime::new(hour, minute, second, nanoseconds)?)
    }

    /// The fraction of a second; each of its fields has as many digits as the coarser ones
    /// leave to it, and the first as many as the fraction of the base, if that is cut to a
    /// unit of which it is a part.
    fn nanoseconds(
        &self,
        has_base: bool,
        (base, cut): (u32, Option<i64>),
    ) -> Result<Option<u32>, EvaluationError> {
        let mut limit = SECOND;
        let mut sum = None;
        for (name, unit) in [
            ("millisecond", 1_000_000),
            ("microsecond", 1000),
            ("nanosecond", 1),
        ] {
            let Some(number) = self.part(name)? else {
                continue;
            };
            self.need("second", name, has_base)?;
            if let (None, Some(cut)) = (sum, cut.filter(|cut| *cut > unit)) {
                (sum, limit) = (Some(base), cut);
            }
            if number < 0 || number >= limit / unit {
                return Err(out_of_range(name, number));
            }
            sum = Some(sum.unwrap_or(0) + (number * unit) as u32);
            limit = unit;
        }
        Ok(sum)
    }

    /// Refuses a time on a day that is not said to the end.
    pub(super) fn need_day_of_time(&self) -> Result<(), EvaluationError> {
        if !self.map.keys().any(|name| is_of_time(name)) {
            return Ok(());
        }
        let said = DAYS
            .into_iter()
            .find(|names| self.first_of(names).is_some());
        let mut names = said.unwrap_or(DAYS[0]).iter();
        match names.find(|name| self.get(name).is_none()) {
            Some(name) => Err(absent(name)),
            None => Ok(()),
        }
    }

    /// Refuses a field without the one that it is a part of.
    fn need(&self, outer: &str, inner: &str, has_base: bool) -> Result<(), EvaluationError> {
        if !has_base && self.get(inner).is_some() && self.get(outer).is_none() {
            return Err(absent(outer));
        }
        Ok(())
    }
}

fn refused(message: String) -> EvaluationError {
    EvaluationError::new(ErrorKind::InvalidArgumentValue, message)
}

fn absent(name: &str) -> EvaluationError {
    refused(format!("the field '{name}' is needed"))
}

fn out_of_range(name: &str, number: i64) -> EvaluationError {
    let message = format!("the field '{name}' is out of range: {number}");
    EvaluationError::new(ErrorKind::NumberOutOfRange, message)
}

fn wrong(name: &str, expected: &str, found: &Value) -> EvaluationError {
    let found = with_article(found.type_name());
    refused(format!(
        "the field '{name}' has to be {expected}, not {found}"
    ))
}

/// A date; where the month does not have the day, its last one.
fn nearest_day(year: i32, month: i8, day: i8) -> Result<Date, ValueError> {
    let date = Date::new(year, month, day);
    let mut before = (1..day).rev();
    date.or_else(|error| {
        let last = before.find_map(|day| Date::new(year, month, day).ok());
        last.ok_or(error)
    })
}
