//! Errors of expressions: what is wrong, and where it stands.

use std::ops::Range;

use evergraph_syntax::excerpt;

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{shown}")]
pub struct SyntaxError {
    /// The problem.
    pub what: Box<str>,
    /// Bytes of the text that are.
    pub at: Range<usize>,
    /// Advice.
    pub hint: Box<str>,
    /// The word that was probably meant.
    pub near: Option<String>,
    /// `what`, and the line with the place marked.
    shown: Box<str>,
}

/// An operand of a type that its operator does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{shown}")]
pub struct TypeError {
    /// The problem.
    pub what: String,
    /// Bytes of the text that are.
    pub at: Range<usize>,
    shown: String,
}

impl SyntaxError {
    pub(super) fn new(
        text: &str,
        at: Range<usize>,
        what: impl Into<String>,
        hint: impl Into<Box<str>>,
    ) -> Self {
        let what = what.into();
        SyntaxError {
            shown: pointed(text, &at, &what).into(),
            what: what.into(),
            at,
            hint: hint.into(),
            near: None,
        }
    }

    /// The error of the language's parser, about the same text.
    pub(super) fn of(text: &str, error: &evergraph_syntax::Error) -> Self {
        SyntaxError {
            near: error.near().map(str::to_string),
            ..SyntaxError::new(text, error.at(), error.what(), error.hint())
        }
    }
}

impl TypeError {
    pub(super) fn new(text: &str, at: &Range<usize>, what: String) -> Self {
        TypeError {
            shown: pointed(text, at, &what),
            what,
            at: at.clone(),
        }
    }
}

/// A message about bytes of a text: the character where they begin, the line, and carets
/// under them.
pub fn pointed(text: &str, at: &Range<usize>, what: &str) -> String {
    let before = text.get(..at.start).unwrap_or(text);
    let character = before.chars().count() + 1;
    format!("{what}, at character {character}\n{}", excerpt(text, at))
}
