//! Errors of planning.

use evergraph_syntax::tree::Span;

/// A query that cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    /// The kind, as openCypher names it: `SyntaxError`, `ProcedureError`, ...
    pub kind: &'static str,
    /// Which of them: `ProcedureNotFound`, ...
    pub detail: &'static str,
    /// Message: the error, and what to do.
    pub message: String,
    /// Where.
    pub at: Span,
}

impl PlanError {
    pub(crate) fn new(
        kind: &'static str,
        detail: &'static str,
        at: Span,
        message: impl Into<String>,
    ) -> Self {
        PlanError {
            kind,
            detail,
            message: message.into(),
            at,
        }
    }

    pub(crate) fn syntax(detail: &'static str, at: Span, message: impl Into<String>) -> Self {
        PlanError::new("SyntaxError", detail, at, message)
    }

    /// A part of the language that is read, and not run yet.
    pub(crate) fn unsupported(at: Span, what: &str) -> Self {
        let message = format!("{what} cannot be run yet");
        PlanError::new("FeatureError", "NotImplemented", at, message)
    }
}
