//! Operators on vectors of values. What [`operators`] give for each row is
//! the definition; arrays of integers, floats, truth values, texts, dates and local
//! date-times have loops of their own, all else goes row by row.

mod numbers;
mod texts;
mod truths;

use evergraph_property_graph::Value;
use evergraph_property_graph::vector::{Validity, Values, Vector};

use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::EvaluationError;
use crate::functions::{Function, call};
use crate::operators::{self, Binary, Unary};

/// Values of the rows of an operand.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// One a row.
    Vector(&'a Vector),
    /// One a row, some of which are no property values.
    Data(&'a [Datum]),
    /// The same for every row.
    Constant(&'a Datum),
}

/// Values of rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Property values.
    Values(Vector),
    /// Some of which are none.
    Data(Vec<Datum>),
}

impl Operand<'_> {
    /// The value of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> Datum {
        match self {
            Operand::Vector(vector) => Datum::Value(vector.get(row)),
            Operand::Data(data) => data[row].clone(),
            Operand::Constant(datum) => (*datum).clone(),
        }
    }

    /// Rows that have a value; `None` if it is not known of all at once.
    fn validity(&self, rows: usize) -> Option<Validity> {
        match self {
            Operand::Vector(vector) => Some(vector.validity().clone()),
            Operand::Data(_) => None,
            Operand::Constant(datum) if datum.is_null() => Some(Validity::none(rows)),
            Operand::Constant(_) => Some(Validity::all(rows)),
        }
    }
}

impl Column {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Values(vector) => vector.len(),
            Column::Data(data) => data.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As an operand.
    pub fn operand(&self) -> Operand<'_> {
        match self {
            Column::Values(vector) => Operand::Vector(vector),
            Column::Data(data) => Operand::Data(data),
        }
    }
}

impl FromIterator<Datum> for Column {
    fn from_iter<I: IntoIterator<Item = Datum>>(data: I) -> Self {
        let data: Vec<Datum> = data.into_iter().collect();
        if data.iter().all(|datum| datum.as_value().is_some()) {
            let values = data.into_iter().map(|datum| match datum {
                Datum::Value(value) => value,
                _ => Value::Null,
            });
            return Column::Values(values.collect());
        }
        Column::Data(data)
    }
}

/// `left operator right` for each of `rows` rows.
///
/// # Errors
/// That of the first row that has one.
pub fn binary(
    operator: Binary,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: usize,
    environment: &Environment<'_>,
) -> Result<Column, EvaluationError> {
    let sides = (left.validity(rows), right.validity(rows));
    if let (Some(a), Some(b)) = sides {
        let fast = match operator {
            Binary::And | Binary::Or | Binary::Xor => {
                truths::logic(operator, left, right, (&a, &b), rows)
            }
            Binary::In => texts::membership(left, right, &a, rows),
            Binary::Concatenate | Binary::Power | Binary::Matches => None,
            Binary::StartsWith | Binary::EndsWith | Binary::Contains => {
                texts::tested(operator, left, right, rows).map(|values| (values, both(&a, &b)))
            }
            _ => numbers::arithmetic(operator, left, right, rows)
                .or_else(|| numbers::comparison(operator, left, right, rows))
                .or_else(|| texts::comparison(operator, left, right, rows))
                .map(|values| (values, both(&a, &b))),
        };
        if let Some((values, validity)) = fast {
            return Ok(Column::Values(Vector::from_parts(values, validity)));
        }
    }
    by_row(rows, |row| {
        operators::binary(operator, &left.get(row), &right.get(row), environment)
    })
}

/// An operator of one operand, for each of `rows` rows.
///
/// # Errors
/// That of the first row that has one.
pub fn unary(
    operator: Unary,
    operand: Operand<'_>,
    rows: usize,
) -> Result<Column, EvaluationError> {
    if let Some(validity) = operand.validity(rows) {
        let fast = match operator {
            Unary::IsNull | Unary::IsNotNull => {
                let wanted = operator == Unary::IsNotNull;
                let truths = (0..rows).map(|row| validity.is_valid(row) == wanted);
                Some((Values::Boolean(truths.collect()), Validity::all(rows)))
            }
            Unary::Not => truths::negated(operand, rows).map(|values| (values, validity)),
            Unary::Minus | Unary::Plus => None,
        };
        if let Some((values, validity)) = fast {
            return Ok(Column::Values(Vector::from_parts(values, validity)));
        }
    }
    by_row(rows, |row| operators::unary(operator, &operand.get(row)))
}

/// A function that does not aggregate, for each of `rows` rows.
///
/// # Errors
/// That of the first row that has one.
pub fn function(
    function: &Function,
    arguments: &[Operand<'_>],
    rows: usize,
    environment: &Environment<'_>,
) -> Result<Column, EvaluationError> {
    let mut of_row = Vec::with_capacity(arguments.len());
    by_row(rows, |row| {
        of_row.clear();
        of_row.extend(arguments.iter().map(|argument| argument.get(row)));
        call(function, &of_row, environment)
    })
}

fn by_row(
    rows: usize,
    evaluate: impl FnMut(usize) -> Result<Datum, EvaluationError>,
) -> Result<Column, EvaluationError> {
    (0..rows).map(evaluate).collect()
}

/// Rows that are valid on both sides.
fn both(a: &Validity, b: &Validity) -> Validity {
    match (a.words(), b.words()) {
        (None, _) => b.clone(),
        (_, None) => a.clone(),
        (Some(left), Some(right)) => {
            let words = left.iter().zip(right).map(|(a, b)| a & b);
            Validity::from_words(words.collect(), a.len())
        }
    }
}

/// Values of one type: of each row, or the same of all.
#[derive(Clone, Copy)]
enum Side<'a, T> {
    Many(&'a [T]),
    One(T),
}

/// An operand whose values are all of one variant of [`Values`] and [`Value`].
macro_rules! side {
    ($operand:expr, $type:ident) => {
        match $operand {
            Operand::Vector(vector) => match vector.values() {
                Values::$type(values) => Some(Side::Many(values)),
                _ => None,
            },
            Operand::Constant(Datum::Value(Value::$type(value))) => Some(Side::One(*value)),
            _ => None,
        }
    };
}
use side;

/// A loop for each pair of forms, so that none looks at them for each row.
fn zip<A: Copy, B: Copy, R>(
    a: Side<'_, A>,
    b: Side<'_, B>,
    rows: usize,
    each: impl Fn(A, B) -> R,
) -> Vec<R> {
    match (a, b) {
        (Side::Many(a), Side::Many(b)) => a.iter().zip(b).map(|(a, b)| each(*a, *b)).collect(),
        (Side::Many(a), Side::One(b)) => a.iter().map(|a| each(*a, b)).collect(),
        (Side::One(a), Side::Many(b)) => b.iter().map(|b| each(a, *b)).collect(),
        (Side::One(a), Side::One(b)) => (0..rows).map(|_| each(a, b)).collect(),
    }
}
