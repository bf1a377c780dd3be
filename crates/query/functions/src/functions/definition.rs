//! The definition of a function.

use evergraph_syntax::scope::{FunctionSignature, Parameter, Returns, Times, Types};

use crate::aggregates::Aggregate;
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

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
    /// Of lists of numbers.
    Vector,
    /// Of many rows.
    Aggregating,
}

/// Result of a function for a null among its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnNull {
    /// Null.
    Null,
    /// As its description says.
    Handled,
    /// As without the row.
    Ignored,
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
    /// Its name, as the documentation writes it, and the types of what it takes and gives.
    pub signature: FunctionSignature,
    /// Kind, for the documentation.
    pub category: Category,
    /// Result of null.
    pub on_null: OnNull,
    /// Description, in a sentence.
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
            signature: FunctionSignature {
                name,
                parameters,
                returns: Returns::One(result),
                aggregates: false,
                is_late: false,
            },
            category,
            on_null: OnNull::Null,
            description,
            example,
            evaluation: Evaluation::Scalar(evaluate),
        }
    }

    /// A function whose arguments have the wrong types only when it is called.
    pub(super) const fn late(mut self) -> Self {
        self.signature.is_late = true;
        self
    }

    /// A function whose result has another type than one of a set.
    pub(super) const fn that(mut self, returns: Returns) -> Self {
        self.signature.returns = returns;
        self
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
        let (least, most) = self.signature.counts();
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let message = format!("{count} arguments are given to {}", self.signature);
        let kind = ErrorKind::InvalidNumberOfArguments;
        Err(EvaluationError::new(kind, message))
    }

    /// Refuses an argument that can be of none of the types that it takes, and is not
    /// null: at run time of the type of the value, before of all that it may have.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgumentValue`]; of numbers [`ErrorKind::InvalidNumberType`],
    /// where the function says so.
    pub fn check_type(&self, at: usize, types: Types) -> Result<(), EvaluationError> {
        let Some(parameter) = self.signature.parameter(at) else {
            return Ok(());
        };
        if types.overlaps(parameter.types.or(Types::NULL)) {
            return Ok(());
        }
        let message = format!(
            "{}() takes for '{}' {}, not {types}",
            self.signature.name, parameter.name, parameter.types
        );
        let kind = match self.signature.is_late {
            true => ErrorKind::InvalidNumberType,
            false => ErrorKind::InvalidArgumentValue,
        };
        Err(EvaluationError::new(kind, message))
    }
}
