//! Types of values, as statements name them.

use std::collections::BTreeSet;

use evergraph_syntax::tree::{DataType, OneType, Types};
use evergraph_syntax::with_article;

use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::functions;

/// `value IS :: type`: null is of each type that is not `NOT NULL`.
pub fn is_typed(datum: &Datum, wanted: &DataType) -> bool {
    wanted.any_of.iter().any(|one| is_of(datum, one))
}

fn is_of(datum: &Datum, one: &OneType) -> bool {
    if one.types == Types::NONE {
        return false;
    }
    if datum.is_null() {
        return !one.not_null;
    }
    if !one.types.overlaps(datum.types()) {
        return false;
    }
    match (&one.element, datum.elements()) {
        (Some(of), Some(elements)) => elements.iter().all(|element| is_typed(&element, of)),
        _ => true,
    }
}

/// The type of a value, as precise as can be said: `LIST<INTEGER NOT NULL> NOT NULL`.
pub fn type_of(datum: &Datum) -> DataType {
    let not_null = !datum.is_null();
    let Some(elements) = datum.elements() else {
        return DataType::of(datum.types(), not_null);
    };
    let mut types: BTreeSet<OneType> = elements
        .iter()
        .flat_map(|element| type_of(&element).any_of)
        .collect();
    let null = OneType {
        types: Types::NULL,
        element: None,
        not_null: false,
    };
    if types.len() > 1 && types.remove(&null) {
        let nullable = |one| OneType {
            not_null: false,
            ..one
        };
        types = types.into_iter().map(nullable).collect();
    }
    let of = match types.is_empty() {
        true => DataType::of(Types::NONE, false),
        false => DataType {
            any_of: types.into_iter().collect(),
        },
    };
    let element = Some(Box::new(of));
    DataType {
        any_of: vec![OneType {
            types: Types::LIST,
            element,
            not_null,
        }],
    }
}

/// Functions that make values of a type of others.
const CASTS: [(Types, &str); 10] = [
    (Types::BOOLEAN, "toBoolean"),
    (Types::STRING, "toString"),
    (Types::INTEGER, "toInteger"),
    (Types::FLOAT, "toFloat"),
    (Types::DATE, "date"),
    (Types::LOCAL_TIME, "localtime"),
    (Types::TIME, "time"),
    (Types::LOCAL_DATETIME, "localdatetime"),
    (Types::DATETIME, "datetime"),
    (Types::DURATION, "duration"),
];

/// `CAST(value AS type)`: a value of the type is itself.
///
/// # Errors
/// A value that says none of the type, and a type that others do not become.
pub fn cast(
    datum: &Datum,
    to: &DataType,
    environment: &Environment<'_>,
) -> Result<Datum, EvaluationError> {
    if is_typed(datum, to) {
        return Ok(datum.clone());
    }
    let failed = || {
        let shown = datum.as_value().filter(|_| datum.elements().is_none());
        let shown = shown.map_or(datum.type_name().to_string(), ToString::to_string);
        let message = format!("{shown} cannot be cast to {to}");
        EvaluationError::new(ErrorKind::InvalidArgumentValue, message)
    };
    let [one] = &to.any_of[..] else {
        return Err(failed());
    };
    if datum.is_null() {
        return Err(failed());
    }
    if one.types == Types::LIST
        && let (Some(of), Some(elements)) = (&one.element, datum.elements())
    {
        let cast = elements
            .iter()
            .map(|element| cast(&element, of, environment));
        return Ok(Datum::list(cast.collect::<Result<_, _>>()?));
    }
    let known = CASTS.iter().find(|(types, _)| *types == one.types);
    let (_, function) = known.ok_or_else(|| {
        EvaluationError::expected(ErrorKind::InvalidArgumentType, &with_article(to), datum)
    })?;
    let value = functions::call(
        functions::find(function)?,
        std::slice::from_ref(datum),
        environment,
    )?;
    match value.is_null() {
        true => Err(failed()),
        false => Ok(value),
    }
}
