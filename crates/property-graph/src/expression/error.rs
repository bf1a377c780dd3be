//! Errors of expressions: what is wrong, and where it stands.

use std::fmt;
use std::ops::Range;

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The problem.
    pub what: Box<str>,
    /// Bytes of the text that are.
    pub at: Range<usize>,
    /// Advice.
    pub hint: Box<str>,
    /// A word that may be misspelled, and those that could stand there.
    pub near: Option<(String, &'static [&'static str])>,
    /// `what`, and the line with the place marked.
    shown: Box<str>,
}

/// An operand of a type that its operator does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    pub(super) fn with_near(mut self, word: &str, known: &'static [&'static str]) -> Self {
        self.near = Some((word.to_string(), known));
        self
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

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl std::error::Error for SyntaxError {}

impl std::error::Error for TypeError {}

/// A message about bytes of a text: the character where they begin, the line, and carets
/// under them.
pub fn pointed(text: &str, at: &Range<usize>, what: &str) -> String {
    let start = at.start.min(text.len());
    let before = text.get(..start).unwrap_or_default();
    let (line_at, line) = match before.rfind('\n') {
        None => (0, text.lines().next().unwrap_or_default()),
        Some(end) => (end + 1, text[end + 1..].lines().next().unwrap_or_default()),
    };
    // Whatever moves the text moves the carets under it.
    let margin: String = before[line_at..]
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let within = at.end.min(line_at + line.len()).max(start);
    let width = text
        .get(start..within)
        .map_or(1, |part| part.chars().count());
    format!(
        "{what}, at character {}\n  {line}\n  {margin}{}",
        before.chars().count() + 1,
        "^".repeat(width.max(1))
    )
}
