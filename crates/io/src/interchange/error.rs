//! Errors of files, worded for the user who has to repair them.

use std::fmt;
use std::io;
use std::sync::Arc;

/// A row that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The caller's name for the input.
    pub file: Arc<str>,
    /// The line on which the row begins, from 1.
    pub line: u64,
    /// The column or property, where the problem lies in one.
    pub column: Option<Arc<str>>,
    /// Reason, for the message.
    pub problem: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if let Some(column) = &self.column {
            write!(f, "{column}: ")?;
        }
        f.write_str(&self.problem)
    }
}

/// Why reading or writing ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterchangeError {
    /// The input cannot be read.
    #[error("{file}:{line}: cannot be read: {source}")]
    Input {
        /// The caller's name for the input.
        file: Arc<str>,
        /// The line up to which it was read.
        line: u64,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The file as a whole is not what its format asks for: its header, or a place
    /// from which on rows cannot be told apart. Never skipped.
    #[error("{0}")]
    Unreadable(BadRow),
    /// A mapping of tables is not what it has to be, or does not fit its files.
    #[error("{0}")]
    Mapping(BadRow),
    /// One row cannot be read; those behind it can.
    #[error("{0}")]
    BadRow(BadRow),
    /// One bad row more than are to be skipped.
    #[error("{bad} (bad row {count}, {most} may be skipped)")]
    TooManyBad {
        /// The row.
        bad: BadRow,
        /// How many there are up to here.
        count: u64,
        /// How many may be left out.
        most: u64,
    },
    /// The format has no way to write something.
    #[error("{what} cannot be written as {format}: {problem}; JSON lines hold everything")]
    Unwritable {
        /// The name of the format.
        format: &'static str,
        /// The property, label or id.
        what: String,
        /// Why not.
        problem: String,
    },
}

impl InterchangeError {
    pub(crate) fn unwritable(
        format: &'static str,
        what: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        InterchangeError::Unwritable {
            format,
            what: what.into(),
            problem: problem.into(),
        }
    }
}

/// A problem, and the column it is in, before file and line are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) column: Option<Arc<str>>,
    pub(crate) text: String,
}

impl Problem {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Problem {
            column: None,
            text: text.into(),
        }
    }

    pub(crate) fn at(column: &str, text: impl Into<String>) -> Self {
        Problem {
            column: Some(column.into()),
            text: text.into(),
        }
    }

    pub(crate) fn row(self, file: &Arc<str>, line: u64) -> BadRow {
        BadRow {
            file: file.clone(),
            line,
            column: self.column,
            problem: self.text,
        }
    }
}
