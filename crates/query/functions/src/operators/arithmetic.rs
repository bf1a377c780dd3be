//! Arithmetic and concatenation.

use evergraph_property_graph::Value;

use super::joined::joined;
use super::{Binary, wrong_operands};
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::temporal::{plus_duration, scaled};

/// Neither operand is null.
pub(super) fn arithmetic(
    operator: Binary,
    left: &Datum,
    right: &Datum,
    environment: &Environment<'_>,
) -> Result<Datum, EvaluationError> {
    use Value::{Duration as Length, Float, Integer};
    let unfit = || wrong_operands(operator, left, right);
    if matches!(operator, Binary::Add | Binary::Concatenate)
        && let Some(joined) = joined(operator, left, right, environment)?
    {
        return Ok(joined);
    }
    let (Datum::Value(a), Datum::Value(b)) = (left, right) else {
        return Err(unfit());
    };
    let value = match (operator, a, b) {
        (Binary::Concatenate, ..) => return Err(unfit()),
        (Binary::Power, ..) => {
            let (Some(a), Some(b)) = (a.as_float(), b.as_float()) else {
                return Err(unfit());
            };
            Float(power(a, b))
        }
        (_, Integer(a), Integer(b)) => Integer(of_integers(operator, *a, *b)?),
        (_, Integer(_) | Float(_), Integer(_) | Float(_)) => {
            let (a, b) = (a.as_float().unwrap_or(0.0), b.as_float().unwrap_or(0.0));
            Float(of_floats(operator, a, b))
        }
        (Binary::Add, Length(a), Length(b)) => Length(a.plus(*b)?),
        (Binary::Subtract, Length(a), Length(b)) => Length(a.plus(b.scaled(-1, 1)?)?),
        (Binary::Multiply, Length(length), number) | (Binary::Multiply, number, Length(length)) => {
            Length(scaled(*length, number, false)?.ok_or_else(unfit)?)
        }
        (Binary::Divide, Length(length), number) => {
            Length(scaled(*length, number, true)?.ok_or_else(unfit)?)
        }
        (Binary::Add, instant, Length(length)) | (Binary::Add, Length(length), instant) => {
            plus_duration(instant, *length)?.ok_or_else(unfit)?
        }
        (Binary::Subtract, instant, Length(length)) => {
            plus_duration(instant, length.scaled(-1, 1)?)?.ok_or_else(unfit)?
        }
        _ => return Err(unfit()),
    };
    Ok(Datum::Value(value))
}

fn overflow(operator: Binary, a: i64, b: i64) -> EvaluationError {
    let message = format!("{a} {operator} {b} is no integer of 64 bits");
    EvaluationError::new(ErrorKind::IntegerOverflow, message)
}

/// Arithmetic of integers, but powers.
pub(crate) fn of_integers(operator: Binary, a: i64, b: i64) -> Result<i64, EvaluationError> {
    let result = match operator {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        _ if b == 0 => {
            let message = format!("{a} {operator} 0: an integer is not divided by 0");
            return Err(EvaluationError::new(ErrorKind::DivisionByZero, message));
        }
        Binary::Divide => a.checked_div(b),
        _ => Some(a.wrapping_rem(b)),
    };
    result.ok_or_else(|| overflow(operator, a, b))
}

/// Arithmetic of floats, but powers.
pub(crate) fn of_floats(operator: Binary, a: f64, b: f64) -> f64 {
    match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        _ => a % b,
    }
}

/// As IEEE 754 has it, but that 1 to the power of what is no number, and 1 and -1 to an
/// infinite one, are no numbers.
fn power(a: f64, b: f64) -> f64 {
    match b.is_nan() || b.is_infinite() && a.abs() == 1.0 {
        true => f64::NAN,
        false => a.powf(b),
    }
}

/// `-number` or `+number`; also of a duration.
pub(super) fn signed(minus: bool, operand: &Datum) -> Result<Datum, EvaluationError> {
    Ok(Datum::Value(match operand.as_value() {
        Some(Value::Null) => Value::Null,
        Some(Value::Integer(number)) if minus => {
            Value::Integer(of_integers(Binary::Subtract, 0, *number)?)
        }
        Some(Value::Float(number)) if minus => Value::Float(-number),
        Some(Value::Duration(duration)) if minus => Value::Duration(duration.scaled(-1, 1)?),
        Some(value @ (Value::Integer(_) | Value::Float(_) | Value::Duration(_))) => value.clone(),
        _ => {
            let (kind, wanted) = (ErrorKind::InvalidArgumentType, "a number behind the sign");
            return Err(EvaluationError::expected(kind, wanted, operand));
        }
    }))
}
