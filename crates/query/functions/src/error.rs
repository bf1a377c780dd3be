//! Errors of evaluation.

use evergraph_property_graph::ValueError;
use evergraph_syntax::with_article;

use crate::datum::Datum;

/// Why a graph could not be read.
pub type ReadError = Box<dyn std::error::Error + Send + Sync>;

/// Why an expression has no value.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EvaluationError {
    /// The kind of error, by which programs tell them apart.
    pub kind: ErrorKind,
    /// Message: the error, and what to do.
    pub message: String,
    #[source]
    source: Option<ReadError>,
}

/// Kinds of errors, after openCypher's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An operand of a type that an operator does not take.
    InvalidArgumentType,
    /// An argument of a type that a function does not take.
    InvalidArgumentValue,
    /// An argument of a type that a function of numbers does not take.
    InvalidNumberType,
    /// A map is asked for a key that is no text.
    MapElementAccessByNonString,
    /// A list is asked for an index that is no integer.
    ListElementAccessByNonInteger,
    /// A number that a function does not take.
    NumberOutOfRange,
    /// A negative number where a length is.
    NegativeIntegerArgument,
    /// An integer of more than 64 bits.
    IntegerOverflow,
    /// An integer divided by 0.
    DivisionByZero,
    /// A text that is no value of the type that is asked for.
    InvalidText,
    /// No function has the name.
    UnknownFunction,
    /// More or fewer arguments than a function has.
    InvalidNumberOfArguments,
    /// A value of more bytes than a query may use.
    TooLarge,
    /// A node or relationship that the query has deleted.
    DeletedEntityAccess,
    /// The graph could not be read.
    Read,
}

impl ErrorKind {
    /// openCypher's class of the error: `TypeError`.
    pub fn class(self) -> &'static str {
        match self {
            ErrorKind::InvalidArgumentType
            | ErrorKind::InvalidArgumentValue
            | ErrorKind::MapElementAccessByNonString
            | ErrorKind::ListElementAccessByNonInteger => "TypeError",
            ErrorKind::InvalidNumberType
            | ErrorKind::NumberOutOfRange
            | ErrorKind::InvalidText
            | ErrorKind::NegativeIntegerArgument => "ArgumentError",
            ErrorKind::IntegerOverflow | ErrorKind::DivisionByZero => "ArithmeticError",
            ErrorKind::UnknownFunction | ErrorKind::InvalidNumberOfArguments => "SyntaxError",
            ErrorKind::DeletedEntityAccess => "EntityNotFound",
            ErrorKind::TooLarge => "ResourceError",
            ErrorKind::Read => "DatabaseError",
        }
    }

    /// openCypher's detail of the error: `InvalidArgumentValue`.
    pub fn detail(self) -> String {
        match self {
            ErrorKind::InvalidNumberType => "InvalidArgumentType".to_string(),
            other => format!("{other:?}"),
        }
    }
}

impl EvaluationError {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        EvaluationError {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// Error of a value where another was expected.
    pub(crate) fn expected(kind: ErrorKind, wanted: &str, found: &Datum) -> Self {
        let found = with_article(found.type_name());
        EvaluationError::new(kind, format!("expected {wanted}, found {found}"))
    }
}

impl From<ReadError> for EvaluationError {
    fn from(source: ReadError) -> Self {
        EvaluationError {
            kind: ErrorKind::Read,
            message: source.to_string(),
            source: Some(source),
        }
    }
}

/// Values out of range, and texts that do not read.
impl From<ValueError> for EvaluationError {
    fn from(error: ValueError) -> Self {
        let kind = match &error {
            ValueError::NotReadable { .. } => ErrorKind::InvalidText,
            _ => ErrorKind::NumberOutOfRange,
        };
        EvaluationError::new(kind, error.to_string())
    }
}
