//! Errors of statements.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use evergraph_interpreter::QueryError;
use evergraph_property_graph::graph::GraphError;
use evergraph_property_graph::transaction::Retryable;
use evergraph_syntax::tree::Name;
use evergraph_syntax::{excerpt, nearest, position};

/// Why a statement failed. Nothing of it is in the graph.
#[derive(Debug)]
pub struct Error(Box<Content>);

#[derive(Debug)]
struct Content {
    class: String,
    detail: String,
    message: String,
    hint: String,
    place: Option<Place>,
    is_of_compile_time: bool,
    is_retryable: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// A place in the text of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// The line, and carets below the place.
    pub excerpt: String,
}

impl Place {
    pub(super) fn of(text: &str, at: &Range<usize>) -> Self {
        let (line, column) = position(text, at.start);
        Place {
            line,
            column,
            excerpt: excerpt(text, at),
        }
    }
}

/// Information about a statement that is right: a name that the graph does
/// not have, or an option or a hint without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// One line.
    pub message: String,
    /// The place in the statement.
    pub place: Place,
}

impl fmt::Display for Notification {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Place {
            line,
            column,
            excerpt,
        } = &self.place;
        write!(
            f,
            "{}, at line {line}, column {column}\n{excerpt}",
            self.message
        )
    }
}

impl Error {
    fn new(class: &str, detail: &str, message: impl Into<String>, hint: &str) -> Self {
        Error(Box::new(Content {
            class: class.to_string(),
            detail: detail.to_string(),
            message: message.into(),
            hint: hint.to_string(),
            place: None,
            is_of_compile_time: false,
            is_retryable: false,
            source: None,
        }))
    }

    /// The caller wants what there is not.
    pub(super) fn of_usage(message: impl Into<String>) -> Self {
        Error::of_usage_with(message, "look at the columns first")
    }

    /// The same with advice of its own.
    pub(super) fn of_usage_with(message: impl Into<String>, hint: &str) -> Self {
        Error::new("ClientError", "Usage", message, hint)
    }

    /// A value has another type than the caller wants.
    pub(super) fn of_type(message: impl Into<String>) -> Self {
        let hint = "take the type that the column has, or Option of it where null can be";
        Error::new("ClientError", "WrongType", message, hint)
    }

    /// A statement that cannot be run so.
    pub(super) fn of_statement(
        detail: &str,
        message: impl Into<String>,
        hint: &str,
        text: &str,
        at: &Range<usize>,
    ) -> Self {
        let mut error = Error::new("SyntaxError", detail, message, hint);
        error.0.place = Some(Place::of(text, at));
        error.0.is_of_compile_time = true;
        error
    }

    /// A parameter that a text has, and its caller has not given.
    pub(super) fn of_missing_parameter(name: &Name, given: Vec<&str>, text: &str) -> Self {
        let near = nearest(&name.text, given);
        let near = near.map(|near| format!("${near}"));
        let what = format!("parameter ${} is not given", name.text);
        let hint = "give it a value: --param NAME=VALUE of a command, :params {json} of a script";
        let what = meant(&what, near.as_deref());
        let mut error = Error::of_statement("MissingParameter", what, hint, text, &name.at.range());
        error.0.class = "ParameterMissing".to_string();
        error
    }

    /// A file that cannot be read or written as a statement asks.
    pub(super) fn of_file(message: impl Into<String>, hint: &str) -> Self {
        Error::new("FileError", "File", message, hint)
    }

    /// A statement that would take more than there is.
    pub(super) fn of_resource(detail: &str, message: impl Into<String>, hint: &str) -> Self {
        Error::new("ResourceError", detail, message, hint)
    }

    /// A statement that is refused where it is run.
    pub(super) fn refused(detail: &str, message: impl Into<String>, hint: &str) -> Self {
        Error::new("AccessError", detail, message, hint)
    }

    pub(super) fn within(mut self, what: &str) -> Self {
        self.0.message = format!("{what}: {}", self.0.message);
        self
    }

    /// An error of the interpreter for a text that reads.
    pub(super) fn of_query(error: QueryError, text: &str) -> Self {
        Error::of_run(error, text, false)
    }

    /// An error of the interpreter for a text, and whether it would have written.
    pub(super) fn of_run(error: QueryError, text: &str, writes: bool) -> Self {
        let (class, detail) = (error.class(), error.detail());
        let (message, hint, at) = match &error {
            QueryError::Syntax(error) => (
                meant(error.what(), error.near()),
                error.hint().to_string(),
                Some(error.at()),
            ),
            QueryError::Plan(error) => {
                (error.message.clone(), String::new(), Some(error.at.range()))
            }
            QueryError::Graph(graph) => (graph.to_string(), String::new(), None),
            QueryError::Procedure { name, source } => match source.downcast_ref::<crate::Error>() {
                Some(error) => (format!("{name}: {}", error.summary()), error.hint(), None),
                None => (format!("{name}: {source}"), String::new(), None),
            },
            other => (other.to_string(), String::new(), None),
        };
        let (message, hint) = match hint.is_empty() {
            true => parted(&message, &error, writes),
            false => (message, hint),
        };
        let is_retryable = matches!(&error, QueryError::Graph(graph) if graph.conflict().is_some());
        Error(Box::new(Content {
            class,
            detail,
            message,
            hint,
            place: at.map(|at| Place::of(text, &at)),
            is_of_compile_time: error.is_of_compile_time(),
            is_retryable,
            source: Some(Box::new(error)),
        }))
    }

    /// The same of a statement whose transactions commit by themselves: it is not as if it
    /// had not been run.
    pub(super) fn of_transactions(mut self) -> Self {
        self.0.hint = "transactions of the statement that have committed stay; with ON ERROR \
                       CONTINUE others go on"
            .to_string();
        self.0.is_retryable = false;
        self
    }

    /// openCypher's class of the error: `SyntaxError`, `TypeError`, `ParameterMissing`, ...
    pub fn class(&self) -> &str {
        &self.0.class
    }

    /// openCypher's detail of the error: `UndefinedVariable`, ...
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The problem, on one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do, on one line.
    pub fn hint(&self) -> &str {
        &self.0.hint
    }

    /// Where in the text, if it is known.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// Whether its statement was waiting for others, or reading, when it was ended.
    pub(super) fn is_of_waiting(&self) -> bool {
        let source = self.0.source.as_deref();
        let source = source.and_then(|source| source.downcast_ref::<crate::Error>());
        let is_stopped = matches!(source, Some(crate::Error::Graph(GraphError::Cancelled)));
        self.is_retryable() || is_stopped
    }

    /// Whether it was found before the statement ran.
    pub fn is_of_compile_time(&self) -> bool {
        self.0.is_of_compile_time
    }

    /// Whether running the whole transaction again can succeed.
    pub fn is_retryable(&self) -> bool {
        self.0.is_retryable
    }
}

/// A message with the word that was probably meant.
fn meant(what: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("{what}: did you mean {near}?"),
        None => what.to_string(),
    }
}

/// Told of a statement that would have written.
const UNDONE: &str = "nothing of the statement is in the graph";

/// A message in what is wrong and what to do.
fn parted(message: &str, error: &QueryError, writes: bool) -> (String, String) {
    let in_brackets = message
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    let in_brackets = in_brackets.filter(|(_, hint)| hint.contains("; "));
    if let Some((what, hint)) = in_brackets.or_else(|| message.rsplit_once("; ")) {
        return (what.to_string(), hint.to_string());
    }
    let hint = match error {
        QueryError::Cancelled if writes => "nothing of it is in the graph; run it again",
        QueryError::Cancelled => "run it again",
        QueryError::Memory { .. } => "return less, aggregate earlier, or raise the limit",
        QueryError::Spill { .. } => "name a directory on a disk with space",
        QueryError::Graph(error) if error.conflict().is_some() => "run the transaction again",
        QueryError::Plan(_) => "docs/query-language.md says what is supported",
        _ if writes => UNDONE,
        _ if error.class() == "FileError" => "repair the file, or name another",
        QueryError::Graph(_) => "nothing was changed: the statement only reads",
        QueryError::Procedure { .. } => "SHOW PROCEDURES lists what procedures take",
        _ => "use other values, or leave such ones out with WHERE",
    };
    (message.to_string(), hint.to_string())
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match &self.0.place {
            None => Ok(()),
            Some(Place {
                line,
                column,
                excerpt,
            }) => write!(f, ", at line {line}, column {column}\n{excerpt}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// Of the database, and not of the statement: a snapshot that there is not, damage.
impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        let (class, detail) = match &error {
            crate::Error::Argument { .. } | crate::Error::Usage { .. } => ("ClientError", "Usage"),
            _ => ("DatabaseError", "Database"),
        };
        let mut made = Error::new(class, detail, error.summary(), &error.hint());
        made.0.is_retryable = error.is_retryable();
        made.0.source = Some(Box::new(error));
        made
    }
}

impl Error {
    /// Of the commit of several statements, all of which it takes back.
    pub(super) fn of_commit(error: GraphError) -> Self {
        let mut made = Error::from(error);
        if made.0.hint == UNDONE {
            made.0.hint = "nothing of the transaction is in the graph".to_string();
        }
        made
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        match error {
            constraint @ GraphError::Constraint(_) => Error::new(
                "ConstraintValidationFailed",
                "ConstraintValidationFailed",
                constraint.to_string(),
                UNDONE,
            ),
            other => crate::Error::from(other).into(),
        }
    }
}

impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        crate::Error::usage(error.message(), error.hint())
    }
}
