//! Functions of lists.

use evergraph_property_graph::Value;

use evergraph_syntax::scope::{Returns, Types};

use super::definition::{Category, Function, may, needs};
use super::{scalar, unreachable_type, wrong};
use crate::datum::{Datum, Elements};
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

type Result = std::result::Result<Datum, EvaluationError>;

const LIST: Category = Category::List;

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(LIST, "range",
        &[needs("start", Types::INTEGER), needs("end", Types::INTEGER), may("step", Types::INTEGER)],
        Types::LIST,
        "Integers from the first to the last, both in it, a step (1) apart.",
        ("range(2, 10, 3)", "[2, 5, 8]"), range).that(Returns::ListOf(Types::INTEGER)).late(),
    Function::new(LIST, "head", &[needs("list", Types::LIST)], Types::ANY,
        "First element of a list, null if there is none.",
        ("head([1, 2])", "1"),
        |arguments, _| Ok(elements(&arguments[0])?.get(0).unwrap_or_default())).that(Returns::ElementOfFirst),
    Function::new(LIST, "last", &[needs("list", Types::LIST)], Types::ANY,
        "Last element of a list, null if there is none.",
        ("last([1, 2])", "2"), |arguments, _| {
            Ok(elements(&arguments[0])?
                .iter()
                .next_back()
                .unwrap_or_default())
        }).that(Returns::ElementOfFirst),
    Function::new(LIST, "tail", &[needs("list", Types::LIST)], Types::LIST,
        "A list without its first element.",
        ("tail([1, 2, 3])", "[2, 3]"), |arguments, _| {
            let elements = elements(&arguments[0])?;
            Ok(elements.slice(elements.len().min(1)..elements.len()))
        }).that(Returns::First(Types::LIST)),
    Function::new(LIST, "reverse",
        &[needs("value", Types::LIST.or(Types::STRING))], Types::LIST.or(Types::STRING),
        "A list or a text from its end to its beginning.",
        ("reverse('raksO')", "'Oskar'"), reverse).that(Returns::First(Types::LIST.or(Types::STRING))),
    Function::new(LIST, "toBooleanList", &[needs("list", Types::LIST)], Types::LIST,
        "Each element by toBooleanOrNull.",
        ("toBooleanList(['true', 'a'])", "[true, null]"),
        |arguments, _| scalar::each(arguments, scalar::boolean)).that(Returns::ListOf(Types::BOOLEAN)),
    Function::new(LIST, "toFloatList", &[needs("list", Types::LIST)], Types::LIST,
        "Each element by toFloatOrNull.",
        ("toFloatList(['1.5', 2])", "[1.5, 2.0]"),
        |arguments, _| scalar::each(arguments, scalar::float)).that(Returns::ListOf(Types::FLOAT)),
    Function::new(LIST, "toIntegerList", &[needs("list", Types::LIST)], Types::LIST,
        "Each element by toIntegerOrNull.",
        ("toIntegerList(['1', 2.5])", "[1, 2]"),
        |arguments, _| scalar::each(arguments, scalar::integer)).that(Returns::ListOf(Types::INTEGER)),
    Function::new(LIST, "toStringList", &[needs("list", Types::LIST)], Types::LIST,
        "Each element by toStringOrNull.",
        ("toStringList([1, true])", "['1', 'true']"),
        |arguments, _| scalar::each(arguments, scalar::text)).that(Returns::ListOf(Types::STRING)),
];

fn elements(datum: &Datum) -> std::result::Result<Elements<'_>, EvaluationError> {
    datum.elements().ok_or_else(unreachable_type)
}

fn range(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let range = Range::of(arguments)?;
    environment.check_elements(range.count)?;
    Ok(Datum::Value(Value::List(
        range.map(Value::Integer).collect(),
    )))
}

/// The integers of `range(...)`, one after another.
#[derive(Clone, Debug)]
pub struct Range {
    next: i64,
    step: i64,
    count: usize,
}

impl Range {
    /// Of arguments that have the types of the function's.
    fn of(arguments: &[Datum]) -> std::result::Result<Self, EvaluationError> {
        let number = |at: usize| arguments.get(at)?.as_value()?.as_integer();
        let (Some(start), Some(end)) = (number(0), number(1)) else {
            return Err(unreachable_type());
        };
        let step = number(2).unwrap_or(1);
        if step == 0 {
            return Err(wrong(
                ErrorKind::NumberOutOfRange,
                "range() needs a step other than 0",
            ));
        }
        let span = (i128::from(end) - i128::from(start)) / i128::from(step);
        let is_empty = (end < start) != (step < 0) && end != start;
        let count = match is_empty {
            true => 0,
            false => usize::try_from(span + 1).unwrap_or(usize::MAX),
        };
        let next = start;
        Ok(Range { next, step, count })
    }
}

impl Iterator for Range {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.count = self.count.checked_sub(1)?;
        let next = self.next;
        // Behind the last one there may be no integer.
        self.next = next.wrapping_add(self.step);
        Some(next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl ExactSizeIterator for Range {}

/// The integers of a call of `range` without the list of them; `None` of null.
///
/// # Errors
/// As a call of the function, but for its length.
pub fn range_of(
    function: &Function,
    arguments: &[Datum],
) -> std::result::Result<Option<Range>, EvaluationError> {
    match super::checked(function, arguments)? {
        false => Ok(None),
        true => Range::of(arguments).map(Some),
    }
}

fn reverse(arguments: &[Datum], _: &Environment<'_>) -> Result {
    if let Datum::Value(Value::Text(text)) = &arguments[0] {
        return Ok(text.chars().rev().collect::<String>().into());
    }
    Ok(Datum::list(elements(&arguments[0])?.iter().rev().collect()))
}
