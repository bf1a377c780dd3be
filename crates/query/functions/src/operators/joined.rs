//! Texts and lists one behind the other.

use std::sync::Arc;

use evergraph_property_graph::Value;

use super::Binary;
use crate::datum::{Datum, Elements};
use crate::environment::Environment;
use crate::error::EvaluationError;
use crate::functions::scalar;

/// Texts and lists one behind the other; `+` also takes what has a text
/// beside one, and an element beside a list. `None` if they are neither.
pub(super) fn joined(
    operator: Binary,
    left: &Datum,
    right: &Datum,
    environment: &Environment<'_>,
) -> Result<Option<Datum>, EvaluationError> {
    let adds = operator == Binary::Add;
    if let (Some(a), Some(b)) = (left.elements(), right.elements()) {
        environment.check_elements(a.len() + b.len())?;
        return Ok(Some(match (a, b) {
            (Elements::Values(a), Elements::Values(b)) => {
                Datum::Value(Value::List(a.iter().chain(b).cloned().collect()))
            }
            _ => Datum::list(a.iter().chain(b.iter()).collect()),
        }));
    }
    if let Some(list) = left.elements().filter(|_| adds) {
        environment.check_elements(list.len() + 1)?;
        return Ok(Some(Datum::list(
            list.iter().chain([right.clone()]).collect(),
        )));
    }
    if let Some(list) = right.elements().filter(|_| adds) {
        environment.check_elements(list.len() + 1)?;
        let first = std::iter::once(left.clone());
        return Ok(Some(Datum::list(first.chain(list.iter()).collect())));
    }
    let is_text = |datum: &Datum| matches!(datum, Datum::Value(Value::Text(_)));
    let both = is_text(left) && is_text(right);
    if !both && !(adds && (is_text(left) || is_text(right))) {
        return Ok(None);
    }
    let (Some(a), Some(b)) = (text_of(left), text_of(right)) else {
        return Ok(None);
    };
    environment.check_bytes(a.len() + b.len())?;
    Ok(Some(Datum::from([&*a, &*b].concat())))
}

/// A text, and what `+` writes beside one: as `toString`.
fn text_of(datum: &Datum) -> Option<Arc<str>> {
    match scalar::text(datum.as_value()?)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// A list or a text that others come behind, one after the other: what `+` and `||` make of
/// it each time, without a copy of all before.
#[derive(Debug)]
pub struct Growing(Grown);

#[derive(Debug)]
enum Grown {
    List(Vec<Datum>),
    Text(String),
}

impl Growing {
    /// `None` of what is neither. O(length)
    pub fn new(first: &Datum) -> Option<Self> {
        match (first.elements(), first) {
            (Some(elements), _) => Some(Growing(Grown::List(elements.iter().collect()))),
            (None, Datum::Value(Value::Text(text))) => Some(Growing(Grown::Text(text.to_string()))),
            _ => None,
        }
    }

    /// Puts an operand behind it; false, and nothing is done, where the operator makes
    /// something else of the two, or takes no such operand. O(length of the operand)
    ///
    /// # Errors
    /// If it becomes too long.
    pub fn add(
        &mut self,
        operator: Binary,
        operand: &Datum,
        environment: &Environment<'_>,
    ) -> Result<bool, EvaluationError> {
        let adds = match operator {
            _ if operand.is_null() => return Ok(false),
            Binary::Add => true,
            Binary::Concatenate => false,
            _ => return Ok(false),
        };
        match (&mut self.0, operand.elements()) {
            (Grown::List(list), Some(elements)) => {
                environment.check_elements(list.len() + elements.len())?;
                list.extend(elements.iter());
            }
            (Grown::List(list), None) if adds => {
                environment.check_elements(list.len() + 1)?;
                list.push(operand.clone());
            }
            (Grown::Text(text), None)
                if adds || matches!(operand, Datum::Value(Value::Text(_))) =>
            {
                let Some(other) = text_of(operand) else {
                    return Ok(false);
                };
                environment.check_bytes(text.len() + other.len())?;
                text.push_str(&other);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// All of it. O(length)
    pub fn finish(self) -> Datum {
        match self.0 {
            Grown::List(list) => Datum::list(list),
            Grown::Text(text) => Datum::from(text),
        }
    }
}
