//! Arithmetic of durations, and temporal values as openCypher's `toString` writes them.

use std::fmt::Write;

use super::calendar::{SECOND, write_fraction, write_offset};
use super::temporal::DAY;
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, Value, ValueError};

/// Seconds of a month on average: a 4,800th of the seconds of 400 years.
const SECONDS_OF_MONTH: i128 = 2_629_746;
const BILLION: i128 = SECOND as i128;

impl Duration {
    /// Of billionths of months and of days, and nanoseconds. A fraction of a month becomes
    /// days of its average length (30.436875 days), a fraction of a day becomes seconds;
    /// a fraction of a nanosecond is dropped before.
    ///
    /// # Errors
    /// A duration that is too long: [`ValueError::OutOfRange`].
    pub fn of_amounts(months: i128, days: i128, nanoseconds: i128) -> Result<Self, ValueError> {
        let too_long = || {
            ValueError::range(
                "duration",
                "of so many months, days or seconds",
                "each has 64 bits",
            )
        };
        let day = i128::from(DAY);
        // A billionth of a month has so many nanoseconds as a month has seconds.
        let of_days = days
            .checked_mul(day / BILLION)
            .and_then(|days| days.checked_add(months % BILLION * SECONDS_OF_MONTH))
            .ok_or_else(too_long)?;
        let nanoseconds = nanoseconds
            .checked_add(of_days % day)
            .ok_or_else(too_long)?;
        let whole = |amount: i128| i64::try_from(amount).map_err(|_| too_long());
        Duration::new(
            whole(months / BILLION)?,
            whole(of_days / day)?,
            whole(nanoseconds.div_euclid(BILLION))?,
            nanoseconds.rem_euclid(BILLION) as u32,
        )
    }

    /// Seconds and their fraction, in nanoseconds.
    pub fn total_nanoseconds(self) -> i128 {
        i128::from(self.seconds()) * BILLION + i128::from(self.nanoseconds())
    }

    /// Each part of both added.
    ///
    /// # Errors
    /// A duration that is too long.
    pub fn plus(self, other: Duration) -> Result<Self, ValueError> {
        let sum = |a: i64, b: i64| (i128::from(a) + i128::from(b)) * BILLION;
        Duration::of_amounts(
            sum(self.months(), other.months()),
            sum(self.days(), other.days()),
            self.total_nanoseconds() + other.total_nanoseconds(),
        )
    }

    /// Each part times `factor`, divided by `divisor`.
    ///
    /// # Errors
    /// A duration that is too long, a divisor of 0.
    pub fn scaled(self, factor: i64, divisor: i64) -> Result<Self, ValueError> {
        let scale = |amount: i128| {
            let product = amount.checked_mul(factor.into());
            let quotient = product.and_then(|product| product.checked_div(divisor.into()));
            quotient.ok_or_else(|| ValueError::range("factor", factor, "that the duration fits"))
        };
        Duration::of_amounts(
            scale(i128::from(self.months()) * BILLION)?,
            scale(i128::from(self.days()) * BILLION)?,
            scale(self.total_nanoseconds())?,
        )
    }

    /// Each part times a float.
    ///
    /// # Errors
    /// A duration that is too long, a factor that is not finite.
    pub fn scaled_by(self, factor: f64) -> Result<Self, ValueError> {
        let scale = |amount: i64| (amount as f64 * factor * BILLION as f64).round();
        let parts = [self.months(), self.days(), self.seconds()].map(scale);
        if !parts.iter().all(|part| part.abs() < 1e30) {
            let range = "finite, and that the duration fits";
            return Err(ValueError::range("factor", factor, range));
        }
        let [months, days, nanoseconds] = parts.map(|part| part as i128);
        let fraction = (f64::from(self.nanoseconds()) * factor) as i128;
        Duration::of_amounts(months, days, nanoseconds + fraction)
    }
}

impl Value {
    /// A temporal value as `toString` writes it: seconds and fractions where they are not
    /// 0, durations in years to seconds. `None` of other types. It reads back as the value.
    pub fn temporal_text(&self) -> Option<String> {
        let mut text = String::new();
        match self {
            Value::Date(date) => push_date(*date, &mut text),
            Value::LocalTime(time) => push_time(*time, &mut text),
            Value::Time(time) => push_offset_time(time, &mut text),
            Value::LocalDateTime(moment) => push_moment(*moment, &mut text),
            Value::DateTime(moment) => push_instant(moment, &mut text),
            Value::Duration(duration) => push_duration(*duration, &mut text),
            _ => return None,
        }
        Some(text)
    }
}

/// Writing to a text does not fail.
fn written(result: std::fmt::Result) {
    debug_assert!(result.is_ok());
}

fn push_date(date: Date, text: &mut String) {
    written(write!(text, "{date}"));
}

fn push_time(time: LocalTime, text: &mut String) {
    let (hour, minute, second, nanoseconds) = time.parts();
    written(write!(text, "{hour:02}:{minute:02}"));
    if second > 0 || nanoseconds > 0 {
        written(write!(text, ":{second:02}"));
        written(write_fraction(nanoseconds, text));
    }
}

fn push_offset_time(time: &Time, text: &mut String) {
    push_time(time.local(), text);
    written(write_offset(time.offset(), text));
}

fn push_moment(moment: LocalDateTime, text: &mut String) {
    push_date(moment.date(), text);
    text.push('T');
    push_time(moment.time(), text);
}

fn push_instant(moment: &DateTime, text: &mut String) {
    push_moment(moment.local(), text);
    written(write_offset(moment.offset(), text));
    if let Some(zone) = moment.zone() {
        written(write!(text, "[{zone}]"));
    }
}

fn push_duration(duration: Duration, text: &mut String) {
    let part = |amount: i128, unit: char, text: &mut String| {
        if amount != 0 {
            written(write!(text, "{amount}{unit}"));
        }
    };
    text.push('P');
    part((duration.months() / 12).into(), 'Y', text);
    part((duration.months() % 12).into(), 'M', text);
    part(duration.days().into(), 'D', text);
    let total = duration.total_nanoseconds();
    if total != 0 {
        text.push('T');
        let seconds = total / BILLION;
        part(seconds / 3600, 'H', text);
        part(seconds / 60 % 60, 'M', text);
        let rest = (total % (60 * BILLION)).unsigned_abs();
        if rest > 0 {
            let sign = if total < 0 { "-" } else { "" };
            written(write!(text, "{sign}{}", rest / u128::from(SECOND)));
            written(write_fraction((rest % u128::from(SECOND)) as u32, text));
            text.push('S');
        }
    }
    if text.len() == 1 {
        text.push_str("T0S");
    }
}
