//! Arithmetic and comparison of integers, floats, dates and local date-times.

use std::cell::Cell;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{Date, LocalDateTime};
use evergraph_property_graph::vector::Values;

use super::{Operand, Side, side, zip};
use crate::datum::Datum;
use crate::operators::{Binary, holds};

/// Integers up to this far from 0 are floats without loss.
const EXACT: u64 = 1 << 53;

/// Numbers of an operand.
enum Numbers<'a> {
    Integers(Side<'a, i64>),
    Floats(Side<'a, f64>),
}

fn numbers(operand: Operand<'_>) -> Option<Numbers<'_>> {
    let integers = side!(operand, Integer).map(Numbers::Integers);
    integers.or_else(|| side!(operand, Float).map(Numbers::Floats))
}

/// Arithmetic; `None` where it is not of numbers, or a row may have an error: placeholders
/// may seem to.
pub(super) fn arithmetic(
    operator: Binary,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: usize,
) -> Option<Values> {
    let is_arithmetic = matches!(
        operator,
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Modulo
    );
    if !is_arithmetic {
        return None;
    }
    match (numbers(left)?, numbers(right)?) {
        (Numbers::Integers(a), Numbers::Integers(b)) => {
            of_integers(operator, a, b, rows).map(Values::Integer)
        }
        (Numbers::Floats(a), Numbers::Floats(b)) => {
            Some(of_floats(operator, a, b, rows, |a| a, |b| b))
        }
        (Numbers::Integers(a), Numbers::Floats(b)) => {
            Some(of_floats(operator, a, b, rows, |a| a as f64, |b| b))
        }
        (Numbers::Floats(a), Numbers::Integers(b)) => {
            Some(of_floats(operator, a, b, rows, |a| a, |b| b as f64))
        }
    }
}

fn of_integers(
    operator: Binary,
    a: Side<'_, i64>,
    b: Side<'_, i64>,
    rows: usize,
) -> Option<Vec<i64>> {
    let failed = Cell::new(false);
    let noted = |(result, overflows): (i64, bool)| {
        failed.set(failed.get() | overflows);
        result
    };
    // A division by 0 is made one by 1, and noted.
    let divided = |a: i64, b: i64, divide: fn(i64, i64) -> (i64, bool)| {
        failed.set(failed.get() | (b == 0));
        divide(a, if b == 0 { 1 } else { b })
    };
    let results = match operator {
        Binary::Add => zip(a, b, rows, |a, b| noted(a.overflowing_add(b))),
        Binary::Subtract => zip(a, b, rows, |a, b| noted(a.overflowing_sub(b))),
        Binary::Multiply => zip(a, b, rows, |a, b| noted(a.overflowing_mul(b))),
        Binary::Divide => zip(a, b, rows, |a, b| {
            noted(divided(a, b, i64::overflowing_div))
        }),
        _ => zip(a, b, rows, |a, b| divided(a, b, i64::overflowing_rem).0),
    };
    (!failed.get()).then_some(results)
}

fn of_floats<A: Copy, B: Copy>(
    operator: Binary,
    a: Side<'_, A>,
    b: Side<'_, B>,
    rows: usize,
    of_a: impl Fn(A) -> f64,
    of_b: impl Fn(B) -> f64,
) -> Values {
    Values::Float(match operator {
        Binary::Add => zip(a, b, rows, |a, b| of_a(a) + of_b(b)),
        Binary::Subtract => zip(a, b, rows, |a, b| of_a(a) - of_b(b)),
        Binary::Multiply => zip(a, b, rows, |a, b| of_a(a) * of_b(b)),
        Binary::Divide => zip(a, b, rows, |a, b| of_a(a) / of_b(b)),
        _ => zip(a, b, rows, |a, b| of_a(a) % of_b(b)),
    })
}

/// Comparison; `None` where it is of other types, or integers and floats do not compare as
/// floats.
pub(super) fn comparison(
    operator: Binary,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: usize,
) -> Option<Values> {
    // Arithmetic that is not of numbers alone.
    holds(operator, std::cmp::Ordering::Equal)?;
    let are_exact = |side: &Side<'_, i64>| match side {
        Side::Many(numbers) => numbers.iter().all(|number| number.unsigned_abs() <= EXACT),
        Side::One(number) => number.unsigned_abs() <= EXACT,
    };
    let truths = match (numbers(left), numbers(right)) {
        (Some(Numbers::Integers(a)), Some(Numbers::Integers(b))) => {
            compared(operator, a, b, rows, |a| a, |b| b)
        }
        (Some(Numbers::Floats(a)), Some(Numbers::Floats(b))) => {
            compared(operator, a, b, rows, |a| a, |b| b)
        }
        (Some(Numbers::Integers(a)), Some(Numbers::Floats(b))) if are_exact(&a) => {
            compared(operator, a, b, rows, |a| a as f64, |b| b)
        }
        (Some(Numbers::Floats(a)), Some(Numbers::Integers(b))) if are_exact(&b) => {
            compared(operator, a, b, rows, |a| a, |b| b as f64)
        }
        _ => match (side!(left, Date), side!(right, Date)) {
            (Some(a), Some(b)) => compared(operator, a, b, rows, |a: Date| a, |b| b),
            _ => {
                let (a, b) = (side!(left, LocalDateTime)?, side!(right, LocalDateTime)?);
                compared(operator, a, b, rows, |a: LocalDateTime| a, |b| b)
            }
        },
    };
    Some(Values::Boolean(truths))
}

/// As IEEE 754 compares floats, a NaN is unequal to all and neither less nor greater.
fn compared<A: Copy, B: Copy, T: PartialOrd>(
    operator: Binary,
    a: Side<'_, A>,
    b: Side<'_, B>,
    rows: usize,
    of_a: impl Fn(A) -> T,
    of_b: impl Fn(B) -> T,
) -> Vec<bool> {
    match operator {
        Binary::Equal => zip(a, b, rows, |a, b| of_a(a) == of_b(b)),
        Binary::Unequal => zip(a, b, rows, |a, b| of_a(a) != of_b(b)),
        Binary::Less => zip(a, b, rows, |a, b| of_a(a) < of_b(b)),
        Binary::LessOrEqual => zip(a, b, rows, |a, b| of_a(a) <= of_b(b)),
        Binary::Greater => zip(a, b, rows, |a, b| of_a(a) > of_b(b)),
        _ => zip(a, b, rows, |a, b| of_a(a) >= of_b(b)),
    }
}
