//! Functions of vectors, which are lists of numbers.

use evergraph_syntax::scope::{Parameter, Types};
use evergraph_syntax::with_article;

use super::definition::{Category, Function, needs};
use super::{unreachable_type, wrong};
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

type Result = std::result::Result<Datum, EvaluationError>;

const VECTOR: Category = Category::Vector;
const TWO: &[Parameter] = &[needs("a", Types::LIST), needs("b", Types::LIST)];

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(VECTOR, "vector.similarity.cosine", TWO, Types::FLOAT,
        "Likeness of the directions of two vectors: 1 of the same one, 0.5 of a right angle, 0 of \
         opposite ones.",
        ("vector.similarity.cosine([1, 0], [0, 2])", "0.5"), cosine),
    Function::new(VECTOR, "vector.similarity.euclidean", TWO, Types::FLOAT,
        "Likeness of two vectors by their distance: 1 / (1 + distance²).",
        ("vector.similarity.euclidean([1, 2], [1, 3])", "0.5"), euclidean),
];

fn cosine(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let (a, b) = vectors("vector.similarity.cosine", arguments)?;
    let lengths = (product(&a, &a) * product(&b, &b)).sqrt();
    if lengths == 0.0 {
        let message = "vector.similarity.cosine() needs vectors with a direction, not of zeros";
        return Err(wrong(ErrorKind::InvalidArgumentValue, message));
    }
    let cosine = (product(&a, &b) / lengths).clamp(-1.0, 1.0);
    Ok(((1.0 + cosine) / 2.0).into())
}

fn euclidean(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let (a, b) = vectors("vector.similarity.euclidean", arguments)?;
    let between: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    Ok((1.0 / (1.0 + product(&between, &between))).into())
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Both arguments of a function, as vectors of one dimension.
fn vectors(
    function: &str,
    arguments: &[Datum],
) -> std::result::Result<(Vec<f64>, Vec<f64>), EvaluationError> {
    let a = vector(function, &arguments[0])?;
    let b = vector(function, &arguments[1])?;
    if a.len() == b.len() && !a.is_empty() {
        return Ok((a, b));
    }
    let dimensions = match a.len() == b.len() {
        true => "one of none".to_string(),
        false => format!("ones of {} and {}", a.len(), b.len()),
    };
    let message = format!("{function}() takes vectors of one dimension, not {dimensions}");
    Err(wrong(ErrorKind::InvalidArgumentValue, message))
}

/// The numbers of a list in single precision, in which vectors are compared: no square of
/// one is beyond a float.
fn vector(function: &str, list: &Datum) -> std::result::Result<Vec<f64>, EvaluationError> {
    let elements = list.elements().ok_or_else(unreachable_type)?;
    let numbers = elements.iter().enumerate().map(|(at, element)| {
        let number = element.as_value().and_then(|value| value.as_float());
        let shown = match number {
            Some(number) if (number as f32).is_finite() => return Ok(f64::from(number as f32)),
            Some(number) => format!("{number:?}"),
            None => with_article(element.type_name()),
        };
        let message = format!(
            "{function}() takes lists of numbers up to {:?}, not {shown} at place {at}",
            f32::MAX
        );
        Err(wrong(ErrorKind::InvalidArgumentValue, message))
    });
    numbers.collect()
}
