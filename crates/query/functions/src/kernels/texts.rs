//! Texts: comparison, tests; and membership in constant lists, of integers, too.

use std::collections::HashSet;

use evergraph_property_graph::Value;
use evergraph_property_graph::vector::{Texts, Validity, Values};

use super::Operand;
use crate::datum::Datum;
use crate::operators::{Binary, holds, test_text};

/// Texts of an operand.
#[derive(Clone, Copy)]
enum Side<'a> {
    Many(&'a Texts),
    One(&'a str),
}

impl<'a> Side<'a> {
    fn get(self, row: usize) -> &'a str {
        match self {
            Side::Many(texts) => texts.get(row),
            Side::One(text) => text,
        }
    }
}

fn texts<'a>(operand: Operand<'a>) -> Option<Side<'a>> {
    match operand {
        Operand::Vector(vector) => match vector.values() {
            Values::Text(texts) => Some(Side::Many(texts)),
            _ => None,
        },
        Operand::Constant(Datum::Value(Value::Text(text))) => Some(Side::One(text)),
        _ => None,
    }
}

pub(super) fn comparison(
    operator: Binary,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: usize,
) -> Option<Values> {
    let (a, b) = (texts(left)?, texts(right)?);
    let truths = (0..rows).map(|row| {
        let (a, b) = (a.get(row), b.get(row));
        match operator {
            Binary::Equal => Some(a == b),
            Binary::Unequal => Some(a != b),
            _ => holds(operator, a.cmp(b)),
        }
    });
    // `None` of operators that compare nothing.
    Some(Values::Boolean(truths.collect::<Option<_>>()?))
}

/// `STARTS WITH`, `ENDS WITH` and `CONTAINS`.
pub(super) fn tested(
    operator: Binary,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: usize,
) -> Option<Values> {
    let (text, wanted) = (texts(left)?, texts(right)?);
    let truths = (0..rows).map(|row| test_text(operator, text.get(row), wanted.get(row)));
    Some(Values::Boolean(truths.collect()))
}

/// `IN` of a constant list, of integers and of texts.
pub(super) fn membership(
    left: Operand<'_>,
    right: Operand<'_>,
    validity: &Validity,
    rows: usize,
) -> Option<(Values, Validity)> {
    let (Operand::Vector(members), Operand::Constant(Datum::Value(Value::List(list)))) =
        (left, right)
    else {
        return None;
    };
    let found: Vec<bool> = match members.values() {
        Values::Integer(numbers) => {
            let known: HashSet<i64> = list.iter().filter_map(integer).collect();
            numbers
                .iter()
                .map(|number| known.contains(number))
                .collect()
        }
        Values::Text(texts) => {
            let known: HashSet<&str> = list.iter().filter_map(Value::as_text).collect();
            texts.iter().map(|text| known.contains(text)).collect()
        }
        _ => return None,
    };
    // Null is in no list, and in an empty one it is not; else with a null in the list
    // nothing is known to be outside.
    let has_null = list.iter().any(Value::is_null);
    let mut valid = Validity::default();
    for (row, found) in found.iter().enumerate().take(rows) {
        valid.push(list.is_empty() || validity.is_valid(row) && (*found || !has_null));
    }
    Some((Values::Boolean(found), valid))
}

/// The integer that a number of the list is equal to.
fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        Value::Float(number) => {
            let whole = Value::Integer(*number as i64);
            (whole.equals(value) == Some(true)).then_some(*number as i64)
        }
        _ => None,
    }
}
