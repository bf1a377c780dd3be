//! Comparison, membership, tests of texts, and logic of three values.

use std::cmp::Ordering;

use evergraph_property_graph::Value;

use super::Binary;
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

/// One of the six comparisons; `None` is null, also for another operator.
pub fn compare(operator: Binary, left: &Datum, right: &Datum) -> Option<bool> {
    match operator {
        Binary::Equal => return left.equals(right),
        Binary::Unequal => return left.equals(right).map(|equal| !equal),
        _ => {}
    }
    match left.compares(right) {
        Some(order) => holds(operator, order),
        // A NaN compares with numbers: it is neither less nor greater.
        None if is_number(left) && is_number(right) => Some(false),
        None => None,
    }
}

/// Whether two values in that order are as the operator says.
pub(crate) fn holds(operator: Binary, order: Ordering) -> Option<bool> {
    Some(match operator {
        Binary::Equal => order.is_eq(),
        Binary::Unequal => order.is_ne(),
        Binary::Less => order.is_lt(),
        Binary::LessOrEqual => order.is_le(),
        Binary::Greater => order.is_gt(),
        Binary::GreaterOrEqual => order.is_ge(),
        _ => return None,
    })
}

fn is_number(datum: &Datum) -> bool {
    matches!(datum, Datum::Value(Value::Integer(_) | Value::Float(_)))
}

/// `member IN list`: true if an element is equal, else null if one may be, else false.
///
/// # Errors
/// Error of a value behind `IN` that is no list.
pub fn is_in(member: &Datum, list: &Datum) -> Result<Option<bool>, EvaluationError> {
    if list.is_null() {
        return Ok(None);
    }
    let Some(elements) = list.elements() else {
        let kind = ErrorKind::InvalidArgumentType;
        return Err(EvaluationError::expected(kind, "a LIST behind IN", list));
    };
    let mut known = Some(false);
    for element in elements.iter() {
        match member.equals(&element) {
            Some(true) => return Ok(Some(true)),
            Some(false) => {}
            None => known = None,
        }
    }
    Ok(known)
}

/// Tests of texts; null unless both are texts.
///
/// # Errors
/// A pattern of `=~` that is none.
pub(super) fn of_texts(
    operator: Binary,
    text: &Datum,
    wanted: &Datum,
    environment: &Environment<'_>,
) -> Result<Option<bool>, EvaluationError> {
    let Datum::Value(Value::Text(text)) = text else {
        return Ok(None);
    };
    let wanted = match wanted {
        Datum::Value(Value::Text(wanted)) => wanted,
        Datum::Value(Value::Null) => return Ok(None),
        _ if operator != Binary::Matches => return Ok(None),
        other => {
            let kind = ErrorKind::InvalidArgumentType;
            return Err(EvaluationError::expected(kind, "a STRING behind =~", other));
        }
    };
    match operator {
        Binary::Matches => Ok(Some(environment.matches(text, wanted)?)),
        _ => Ok(Some(test_text(operator, text, wanted))),
    }
}

/// `STARTS WITH`, `ENDS WITH` and `CONTAINS`.
pub(crate) fn test_text(operator: Binary, text: &str, wanted: &str) -> bool {
    match operator {
        Binary::StartsWith => text.starts_with(wanted),
        Binary::EndsWith => text.ends_with(wanted),
        _ => text.contains(wanted),
    }
}

/// False if one is, else null if one is, else true.
pub fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// True if one is, else null if one is, else false.
pub fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Whether one of them alone is true; null if one is null.
pub fn xor(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    left.zip(right).map(|(a, b)| a != b)
}
