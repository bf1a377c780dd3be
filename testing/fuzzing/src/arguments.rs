//! Texts that users give: dates and times, snapshots, steps, types of columns, conditions.

use std::fmt::Display;
use std::str::FromStr;

use evergraph::formats::{Format, TimeUnit, seconds_since_1970};
use evergraph::import::Every;
use evergraph::{At, time_of_text, time_text};
use evergraph_io::interchange::PropertyType;
use evergraph_io::interchange::csv::LdbcName;
use evergraph_property_graph::expression::{Expression, TypeError};
use evergraph_property_graph::value::Value;
use evergraph_property_graph::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use evergraph_topology::check_snapshot_name;

/// Whether a parsed value is shown as a text that parses to the same value.
fn again<T: FromStr + Display + PartialEq>(text: &str) -> bool {
    let Ok(value) = text.parse::<T>() else {
        return false;
    };
    let shown = value.to_string();
    assert!(
        shown.parse::<T>().is_ok_and(|again| again == value),
        "{text:?} is shown as {shown:?}"
    );
    true
}

/// Times and dates as values, in edge lists, and as selectors of snapshots. Returns
/// whether one of them is.
pub fn times(input: &[u8]) -> bool {
    let seconds = seconds_since_1970(input);
    let Ok(text) = std::str::from_utf8(input) else {
        return seconds.is_some();
    };
    let moment = time_of_text(text);
    if let Some(moment) = moment {
        time_text(moment);
    }
    let values = [
        again::<Date>(text),
        again::<Time>(text),
        again::<LocalTime>(text),
        again::<DateTime>(text),
        again::<LocalDateTime>(text),
        again::<Duration>(text),
        text.parse::<Every>().is_ok(),
    ];
    values.contains(&true) || seconds.is_some() || moment.is_some()
}

/// Names: selectors of snapshots, formats, types, snapshots, files.
pub fn names(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let at = At::from_text(text);
    assert_eq!(At::from_text(&at.to_string()), at, "{text:?}");
    let known = [
        again::<Format>(text),
        again::<PropertyType>(text),
        text.parse::<TimeUnit>().is_ok(),
        LdbcName::of(text).is_some(),
        check_snapshot_name(text).is_ok(),
    ];
    known.contains(&true)
}

/// Conditions on properties: what is read is evaluated over some values, and what is not
/// is shown with its place. Returns whether it is a text.
pub fn condition(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    match Expression::parse(text) {
        Err(error) => {
            assert!(text.get(error.at.clone()).is_some(), "{error:?}");
            assert!(error.to_string().contains('^'), "{error:?}");
        }
        Ok(expression) => {
            for value in [Value::Null, Value::Integer(2), true.into(), "a".into()] {
                let held = expression.holds(|_| Ok::<_, TypeError>(value.clone()));
                if let Err(error) = held {
                    assert!(text.get(error.at.clone()).is_some(), "{error:?}");
                }
            }
        }
    }
    true
}
