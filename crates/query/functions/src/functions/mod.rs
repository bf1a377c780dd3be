//! The functions of the language: one table, from which they are called, listed and
//! documented.

mod aggregating;
mod definition;
mod graph;
mod list;
mod mathematical;
pub(crate) mod scalar;
mod spatial;
mod temporal;
mod text;
mod vector;

use std::collections::HashMap;
use std::sync::LazyLock;

use evergraph_syntax::nearest;
use evergraph_syntax::scope::{FunctionSignature, Functions};

pub use list::{Range, range_of};

pub use definition::{Category, Evaluation, Function, OnNull};

use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

/// Tables of the categories, in the order of the documentation.
const TABLES: [&[Function]; 14] = [
    scalar::FUNCTIONS,
    graph::FUNCTIONS,
    list::FUNCTIONS,
    mathematical::FUNCTIONS,
    text::FUNCTIONS,
    temporal::OF_KINDS[0],
    temporal::OF_KINDS[1],
    temporal::OF_KINDS[2],
    temporal::OF_KINDS[3],
    temporal::OF_KINDS[4],
    temporal::FUNCTIONS,
    spatial::FUNCTIONS,
    vector::FUNCTIONS,
    aggregating::FUNCTIONS,
];

/// All functions, by category.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.into_iter().flatten()
}

/// The table, as the checks of a statement see it.
#[derive(Clone, Copy, Debug)]
pub struct Table;

impl Functions for Table {
    fn find(&self, name: &str) -> Option<FunctionSignature> {
        known(name).map(|function| function.signature)
    }

    fn names(&self) -> Vec<&'static str> {
        all().map(|function| function.signature.name).collect()
    }
}

/// A function by its name, in any case.
///
/// # Errors
/// No function has it; the error names the nearest.
pub fn find(name: &str) -> Result<&'static Function, EvaluationError> {
    known(name).ok_or_else(|| {
        let near = nearest(name, Table.names());
        let near = near.map_or(String::new(), |near| format!("; did you mean {near}()?"));
        let message = format!("there is no function {name}(){near}");
        EvaluationError::new(ErrorKind::UnknownFunction, message)
    })
}

fn known(name: &str) -> Option<&'static Function> {
    static BY_NAME: LazyLock<HashMap<String, &'static Function>> = LazyLock::new(|| {
        let named = all().map(|function| (function.signature.name.to_lowercase(), function));
        named.collect()
    });
    BY_NAME.get(&name.to_lowercase()).copied()
}

/// The value of a call of a function that does not aggregate.
///
/// # Errors
/// Too many or too few arguments, arguments of other types than it takes, and its own.
pub fn call(
    function: &Function,
    arguments: &[Datum],
    environment: &Environment<'_>,
) -> Result<Datum, EvaluationError> {
    let is_null = !checked(function, arguments)?;
    let Evaluation::Scalar(evaluate) = function.evaluation else {
        let message = format!(
            "{}() aggregates rows: it is no call here",
            function.signature.name
        );
        return Err(EvaluationError::new(
            ErrorKind::InvalidArgumentType,
            message,
        ));
    };
    match is_null {
        true => Ok(Datum::NULL),
        false => evaluate(arguments, environment),
    }
}

/// Refuses arguments of another number or of other types than a function takes; whether
/// it is evaluated, and not null for a null.
fn checked(function: &Function, arguments: &[Datum]) -> Result<bool, EvaluationError> {
    function.check_count(arguments.len())?;
    if function.on_null == OnNull::Null && arguments.iter().any(Datum::is_null) {
        return Ok(false);
    }
    for (at, argument) in arguments.iter().enumerate() {
        function.check_type(at, argument.types())?;
    }
    Ok(true)
}

/// An error of an argument's value.
fn wrong(kind: ErrorKind, message: impl Into<String>) -> EvaluationError {
    EvaluationError::new(kind, message)
}

/// The error of a map of fields, some of which no field can have.
fn not_storable() -> EvaluationError {
    let message = "fields are no nodes, relationships or paths";
    wrong(ErrorKind::InvalidArgumentValue, message)
}

/// The error of an argument that the types of a definition let through, but not its code;
/// a test calls every function with every type.
fn unreachable_type() -> EvaluationError {
    wrong(
        ErrorKind::InvalidArgumentValue,
        "an argument has a type that the function does not take",
    )
}
