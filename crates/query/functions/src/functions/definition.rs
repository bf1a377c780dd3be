//! What a definition of a function says.

use std::fmt;

use crate::aggregates::Aggregate;
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::types::Types;

/// Kinds of functions, as they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Of any values.
    Scalar,
    /// Of nodes, relationships and paths.
    Graph,
    /// Of lists.
    List,
    /// Of numbers.
    Mathematical,
    /// Of texts.
    String,
    /// Of dates, times and durations.
    Temporal,
    /// Of points.
    Spatial,
    /// Of many rows.
    Aggregating,
}

/// What a function gives for a null among its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnNull {
    /// Null.
    Null,
    /// What its description says.
    Handled,
    /// What it gives without the row.
    Ignored,
}

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name, for messages and documentation.
    pub name: &'static str,
    /// Types that it takes, beside null.
    pub types: Types,
    /// How often it may be there.
    pub times: Times,
}

/// How often an argument may be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Once.
    Once,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Any,
}

/// How a function is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Evaluation {
    /// Of its arguments, whose number and types have been checked.
    Scalar(fn(&[Datum], &Environment<'_>) -> Result<Datum, EvaluationError>),
    /// Row by row.
    Aggregate(Aggregate),
}

/// One function.
#[derive(Debug)]
pub struct Function {
    /// Name, as the documentation writes it.
    pub name: &'static str,
    /// Kind, for the documentation.
    pub category: Category,
    /// Arguments.
    pub parameters: &'static [Parameter],
    /// Types of results beside null.
    pub result: Types,
    /// What null gives.
    pub on_null: OnNull,
    /// What it gives, in a sentence.
    pub description: &'static str,
    /// A call, of constants or of the variables that the documentation names, and its
    /// value.
    pub example: (&'static str, &'static str),
    /// How it is evaluated.
    pub evaluation: Evaluation,
}

/// An argument that has to be there.
pub(super) const fn needs(name: &'static str, types: Types) -> Parameter {
    let times = Times::Once;
    Parameter { name, types, times }
}

/// An argument that may be there.
pub(super) const fn may(name: &'static str, types: Types) -> Parameter {
    let times = Times::Optional;
    Parameter { name, types, times }
}

/// Any number of arguments.
pub(super) const fn any(name: &'static str, types: Types) -> Parameter {
    let times = Times::Any;
    Parameter { name, types, times }
}

impl Function {
    /// A function that gives null for null.
    pub(super) const fn new(
        category: Category,
        name: &'static str,
        parameters: &'static [Parameter],
        result: Types,
        description: &'static str,
        example: (&'static str, &'static str),
        evaluate: fn(&[Datum], &Environment<'_>) -> Result<Datum, EvaluationError>,
    ) -> Self {
        Function {
            name,
            category,
            parameters,
            result,
            on_null: OnNull::Null,
            description,
            example,
            evaluation: Evaluation::Scalar(evaluate),
        }
    }

    /// A function that is evaluated for null, too.
    pub(super) const fn of_null(mut self) -> Self {
        self.on_null = OnNull::Handled;
        self
    }

    /// Refuses a number of arguments that it does not take.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidNumberOfArguments`].
    pub fn check_count(&self, count: usize) -> Result<(), EvaluationError> {
        let least = self.parameters.iter();
        let least = least.filter(|parameter| parameter.times == Times::Once);
        let least = least.count();
        let is_open = self
            .parameters
            .last()
            .is_some_and(|last| last.times == Times::Any);
        if count >= least && (is_open || count <= self.parameters.len()) {
            return Ok(());
        }
        let message = format!("{count} arguments are given to {self}");
        let kind = ErrorKind::InvalidNumberOfArguments;
        Err(EvaluationError::new(kind, message))
    }

    /// Parameter of an argument by its place.
    pub fn parameter(&self, at: usize) -> Option<&Parameter> {
        let last = self
            .parameters
            .last()
            .filter(|last| last.times == Times::Any);
        self.parameters.get(at).or(last)
    }

    /// Refuses an argument that can be of none of the types that it takes, and is not
    /// null: at run time of the type of the value, before of all that it may have.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgumentValue`]; of numbers [`ErrorKind::InvalidNumberType`],
    /// where the function says so.
    pub fn check_type(&self, at: usize, types: Types) -> Result<(), EvaluationError> {
        let Some(parameter) = self.parameter(at) else {
            return Ok(());
        };
        if types.overlaps(parameter.types.or(Types::NULL)) {
            return Ok(());
        }
        let message = format!(
            "{}() takes for '{}' {}, not {types}",
            self.name, parameter.name, parameter.types
        );
        let kind = match self.name {
            "range" => ErrorKind::InvalidNumberType,
            _ => ErrorKind::InvalidArgumentValue,
        };
        Err(EvaluationError::new(kind, message))
    }

    /// Whether it is evaluated over many rows.
    pub fn is_aggregate(&self) -> bool {
        matches!(self.evaluation, Evaluation::Aggregate(_))
    }
}

/// `left(text: STRING, length: INTEGER) :: STRING`.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, parameter) in self.parameters.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let (before, behind) = match parameter.times {
                Times::Once => ("", ""),
                Times::Optional => ("", "?"),
                Times::Any => ("...", ""),
            };
            write!(
                f,
                "{comma}{before}{}{behind}: {}",
                parameter.name, parameter.types
            )?;
        }
        write!(f, ") :: {}", self.result)
    }
}
