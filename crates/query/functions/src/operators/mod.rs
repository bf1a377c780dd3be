//! Operators on data: what they give, one value at a time.

mod access;
mod arithmetic;
mod compare;
mod joined;
mod types;
mod typing;

use std::fmt;

pub use access::{index, property, slice};
pub use compare::{and, compare, is_in, or, xor};
pub(crate) use compare::{holds, test_text};
pub use joined::Growing;
pub use typing::{cast, is_typed, type_of};

use evergraph_syntax::{with_article, written};

use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

written! {
    /// Operators between two operands.
    #[derive(Hash)]
    Binary,
    /// As it is written.
    symbol:
    /// of numbers, texts, lists, temporal values
    Add = "+",
    Subtract = "-",
    Multiply = "*",
    /// of integers an integer, rounded towards 0
    Divide = "/",
    /// of the sign of the left operand
    Modulo = "%",
    /// always a float
    Power = "^",
    /// of texts and of lists
    Concatenate = "||",
    Equal = "=",
    Unequal = "<>",
    Less = "<",
    LessOrEqual = "<=",
    Greater = ">",
    GreaterOrEqual = ">=",
    And = "AND",
    Or = "OR",
    Xor = "XOR",
    In = "IN",
    StartsWith = "STARTS WITH",
    EndsWith = "ENDS WITH",
    Contains = "CONTAINS",
    /// a regular expression that has to match the whole text
    Matches = "=~",
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `NOT`
    Not,
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `IS NULL`
    IsNull,
    /// `IS NOT NULL`
    IsNotNull,
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// The value of `left operator right`.
///
/// # Errors
/// Operands of types that the operator does not take, and numbers that do not fit; null
/// operands give null, but where logic decides without them.
pub fn binary(
    operator: Binary,
    left: &Datum,
    right: &Datum,
    environment: &Environment<'_>,
) -> Result<Datum, EvaluationError> {
    let truth = match operator {
        Binary::Add
        | Binary::Subtract
        | Binary::Multiply
        | Binary::Divide
        | Binary::Modulo
        | Binary::Power
        | Binary::Concatenate => {
            if left.is_null() || right.is_null() {
                return Ok(Datum::NULL);
            }
            return arithmetic::arithmetic(operator, left, right, environment);
        }
        Binary::And => and(boolean(left)?, boolean(right)?),
        Binary::Or => or(boolean(left)?, boolean(right)?),
        Binary::Xor => xor(boolean(left)?, boolean(right)?),
        Binary::In => is_in(left, right)?,
        Binary::StartsWith | Binary::EndsWith | Binary::Contains | Binary::Matches => {
            compare::of_texts(operator, left, right, environment)?
        }
        _ => compare(operator, left, right),
    };
    Ok(Datum::truth(truth))
}

/// The value of an operator before its operand, or of `operand IS NULL`.
///
/// # Errors
/// As [`binary`].
pub fn unary(operator: Unary, operand: &Datum) -> Result<Datum, EvaluationError> {
    match operator {
        Unary::Not => Ok(Datum::truth(boolean(operand)?.map(|truth| !truth))),
        Unary::IsNull => Ok(operand.is_null().into()),
        Unary::IsNotNull => Ok((!operand.is_null()).into()),
        Unary::Plus | Unary::Minus => arithmetic::signed(operator == Unary::Minus, operand),
    }
}

/// The truth of a value, as `WHERE`, `AND` and `CASE` take it.
///
/// # Errors
/// A value that is neither true, false nor null.
pub fn boolean(datum: &Datum) -> Result<Option<bool>, EvaluationError> {
    use evergraph_property_graph::Value;
    match datum {
        Datum::Value(Value::Boolean(truth)) => Ok(Some(*truth)),
        Datum::Value(Value::Null) => Ok(None),
        other => {
            let kind = ErrorKind::InvalidArgumentType;
            Err(EvaluationError::expected(kind, "a BOOLEAN", other))
        }
    }
}

/// An error of an operator that does not take its operands.
fn wrong_operands(operator: Binary, left: &Datum, right: &Datum) -> EvaluationError {
    let left = with_article(left.type_name());
    let right = with_article(right.type_name());
    let message = format!("{operator} does not take {left} and {right}");
    EvaluationError::new(ErrorKind::InvalidArgumentType, message)
}
