//! Errors of queries.

use evergraph_functions::{Bytes, ErrorKind, EvaluationError, ReadError};
use evergraph_planner::PlanError;
use evergraph_property_graph::graph::GraphError;

/// Why a query has no result. What it had written by then is undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The text is no query that can be run.
    #[error(transparent)]
    Syntax(#[from] evergraph_syntax::Error),
    /// It cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An expression has no value.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The graph refuses a read or a write.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Something that the query does is not possible.
    #[error("{message}")]
    Runtime {
        /// openCypher's class of the error: `TypeError`.
        class: &'static str,
        /// openCypher's detail of the error.
        detail: &'static str,
        /// Message: the error, and what to do.
        message: String,
    },
    /// The caller cancelled it.
    #[error("the query was cancelled")]
    Cancelled,
    /// It took too long.
    #[error("the query took longer than its timeout of {} ms; give it more time", .0.as_millis())]
    Timeout(std::time::Duration),
    /// It needs more memory than it may use.
    #[error(
        "the query needs more than the {} of memory that it may use, for {what}",
        Bytes(*limit as u64)
    )]
    Memory {
        /// The limit.
        limit: usize,
        /// Name of what takes the memory.
        what: &'static str,
    },
    /// A temporary file could not be written or read.
    #[error(
        "the query needs more than its memory, and its temporary file in {} failed: {source}",
        directory.display()
    )]
    Spill {
        /// Where the file is.
        directory: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A procedure failed.
    #[error("procedure {name}: {source}")]
    Procedure {
        /// Its name.
        name: String,
        /// Why.
        source: ReadError,
    },
}

impl QueryError {
    pub(crate) fn runtime(
        class: &'static str,
        detail: &'static str,
        message: impl Into<String>,
    ) -> Self {
        QueryError::Runtime {
            class,
            detail,
            message: message.into(),
        }
    }

    /// Whether the run is to end, and not tried in another way.
    pub(crate) fn is_stop(&self) -> bool {
        matches!(self, QueryError::Cancelled | QueryError::Timeout(_))
    }

    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        QueryError::runtime("TypeError", "InvalidArgumentType", message)
    }

    /// openCypher's class of the error: `SyntaxError`.
    pub fn class(&self) -> String {
        match self {
            QueryError::Syntax(error) => format!("{:?}", error.class()),
            QueryError::Plan(error) => error.kind.into(),
            QueryError::Evaluation(error) => kind_of(error).class().into(),
            QueryError::Graph(GraphError::Constraint(_)) => "ConstraintValidationFailed".into(),
            QueryError::Graph(GraphError::MemoryLimit { .. }) => "ResourceError".into(),
            QueryError::Graph(_) => "DatabaseError".into(),
            QueryError::Runtime { class, .. } => (*class).into(),
            QueryError::Cancelled | QueryError::Timeout(_) => "TransientError".into(),
            QueryError::Memory { .. } | QueryError::Spill { .. } => "ResourceError".into(),
            QueryError::Procedure { .. } => "ProcedureError".into(),
        }
    }

    /// openCypher's detail of the error: `UndefinedVariable`.
    pub fn detail(&self) -> String {
        match self {
            QueryError::Syntax(error) => error.detail().name().into(),
            QueryError::Plan(error) => error.detail.into(),
            QueryError::Evaluation(error) => kind_of(error).detail(),
            QueryError::Graph(GraphError::MemoryLimit { .. }) => "OutOfMemory".into(),
            QueryError::Graph(_) => "Graph".into(),
            QueryError::Runtime { detail, .. } => (*detail).into(),
            QueryError::Cancelled => "Cancelled".into(),
            QueryError::Timeout(_) => "Timeout".into(),
            QueryError::Memory { .. } => "OutOfMemory".into(),
            QueryError::Spill { .. } => "TemporaryFile".into(),
            QueryError::Procedure { .. } => "ProcedureFailed".into(),
        }
    }

    /// The error through a transaction, which may be run again.
    pub fn into_graph(self) -> GraphError {
        match self {
            QueryError::Graph(error) => error,
            other => GraphError::User(Box::new(other)),
        }
    }

    /// The error that came through a transaction, as [`QueryError::into_graph`] makes it.
    pub fn of_transaction(error: GraphError) -> Self {
        match error {
            GraphError::User(error) => match error.downcast::<QueryError>() {
                Ok(error) => *error,
                Err(error) => GraphError::User(error).into(),
            },
            other => other.into(),
        }
    }

    /// Whether it was found before the query ran.
    pub fn is_of_compile_time(&self) -> bool {
        matches!(self, QueryError::Syntax(_) | QueryError::Plan(_))
    }
}

/// An error of a read within an expression.
impl From<ReadError> for QueryError {
    fn from(error: ReadError) -> Self {
        match error.downcast::<GraphError>() {
            Ok(error) => QueryError::Graph(*error),
            Err(error) => QueryError::Evaluation(error.into()),
        }
    }
}

impl From<ErrorKind> for QueryError {
    fn from(kind: ErrorKind) -> Self {
        EvaluationError::new(kind, kind.detail()).into()
    }
}

/// The kind of an error, of a failed read that of its cause.
fn kind_of(error: &EvaluationError) -> ErrorKind {
    let cause = std::error::Error::source(error);
    let cause = cause.and_then(|cause| cause.downcast_ref::<EvaluationError>());
    cause.map_or(error.kind, kind_of)
}
