//! Errors of files, worded for the user who has to repair them.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::compression::Compression;
use crate::PANDAS;

/// An end of an edge, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Source of the edge.
    Source,
    /// Target of the edge.
    Target,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Endpoint::Source => "source",
            Endpoint::Target => "target",
        })
    }
}

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "the fields say what the text of the reason says"
)]
pub enum BadLine {
    /// A column that is read is not there.
    #[error("too few columns ({found}, needed {needed})")]
    TooFewColumns { found: usize, needed: usize },
    /// The first edge of the file had another number of columns.
    #[error("{found} columns where {expected} were expected")]
    UnevenColumns { found: usize, expected: usize },
    /// Ids are numbers, and this is none.
    #[error("the {0} id is not a number")]
    NotANumber(Endpoint),
    /// Ids are numbers from 0.
    #[error("the {0} id is negative")]
    NegativeId(Endpoint),
    /// The id is above `u64::MAX`.
    #[error("the {0} id does not fit 64 bits")]
    IdTooLarge(Endpoint),
    /// There is nothing where an id should be.
    #[error("the {0} id is empty")]
    EmptyId(Endpoint),
    /// The format announced ids `1..=count`.
    #[error("the {end} id {id} is outside 1..={count}")]
    IdOutOfRange { end: Endpoint, id: u64, count: u64 },
    /// An id is not UTF-8.
    #[error("the {0} id is not UTF-8 text")]
    NotUtf8(Endpoint),
    /// In a file of events, neither `+` nor `-`.
    #[error("the operation is neither + nor -")]
    NotAnOperation,
    /// The weight is no number.
    #[error("the weight is not a number")]
    NotAWeight,
    /// The weight is NaN, which no order and no sum survives.
    #[error("the weight is NaN")]
    NanWeight,
    /// The weight is finite and beyond the range of a 32-bit float.
    #[error("the weight does not fit a 32-bit float")]
    WeightTooLarge,
    /// The time is neither seconds nor a date.
    #[error("the time is neither seconds nor a date")]
    NotATime,
    /// The line has more than `limit` bytes.
    #[error("the line is longer than {limit} bytes")]
    LineTooLong { limit: usize },
    /// A quoted field does not end, or something follows its closing quote.
    #[error("a quoted field does not end where it should")]
    Quotes,
    /// The format announced fewer edges, entries or vertices.
    #[error("more {what} than the {announced} announced")]
    MoreThanAnnounced { what: &'static str, announced: u64 },
    /// A `gr` line starts with none of `c`, `p`, `a`.
    #[error("the line starts with none of c, p, a")]
    UnknownRecord,
    /// A line of METIS neighbors ends before the weight of the last one.
    #[error("the last neighbor has no weight")]
    MissingNeighborWeight,
    /// The head of the file breaks its format. Never skipped.
    #[error("{problem}")]
    Head { problem: String, hint: String },
}

impl BadLine {
    /// Whether an id is to blame that could be a text.
    pub(super) fn may_be_text(&self) -> bool {
        use BadLine::{IdTooLarge, NegativeId, NotANumber};
        matches!(self, NotANumber(_) | NegativeId(_) | IdTooLarge(_))
    }

    /// Advice for the user.
    pub fn hint(&self) -> String {
        let hint = match self {
            BadLine::TooFewColumns { found: 1, .. } => {
                "check that the line is complete; --separator says what is between columns, if it is no blank, tab, comma or semicolon"
            }
            BadLine::TooFewColumns { .. } => {
                "check that the line is complete; leave out weights or timestamps if the file has none"
            }
            BadLine::UnevenColumns { .. } => {
                "check the line; lists of neighbors are no edge list (of those, METIS is read), and text with the separator in it needs csv with quotes"
            }
            BadLine::NotANumber(_) => {
                "read ids as text (`--ids text`), or as csv if this is a header line (`--format csv`)"
            }
            BadLine::NegativeId(_) | BadLine::IdTooLarge(_) => {
                "read ids as text (`--ids text`), or renumber the vertices"
            }
            BadLine::EmptyId(_) => "fill in the id, or remove the line",
            BadLine::IdOutOfRange { .. } => "correct the id, or the count in the head of the file",
            BadLine::NotUtf8(_) => "convert the file to UTF-8, for example with iconv",
            BadLine::NotAnOperation => {
                "write `+` before an edge that comes, `-` before one that goes"
            }
            BadLine::NotAWeight => "check which column holds the weight",
            BadLine::NanWeight => "give the edge a weight, or remove it",
            BadLine::WeightTooLarge => "scale the weights to below 3.4e38",
            BadLine::NotATime => {
                "check which column holds the time: seconds since 1970, or YYYY-MM-DD[THH:MM:SS]"
            }
            BadLine::LineTooLong { .. } => "check that this is a text file with an edge a line",
            BadLine::Quotes => "close the quote on the same line; write a quote inside as \"\"",
            BadLine::MoreThanAnnounced { .. } => "correct the count in the head of the file",
            BadLine::UnknownRecord => "check that this is a DIMACS shortest-path file",
            BadLine::MissingNeighborWeight => {
                "check the line against the format code in the first line of the file"
            }
            BadLine::Head { hint, .. } => hint,
        };
        hint.to_owned()
    }
}

/// A line that cannot be read, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The file, as it was named.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The byte in the line, from 1, where one place is to blame.
    pub column: Option<usize>,
    /// The start of the line, made printable.
    pub text: String,
    /// Problem.
    pub reason: BadLine,
}

impl ParseError {
    /// Advice for the user.
    pub fn hint(&self) -> String {
        let is_header = self.line == 1 && self.text.starts_with([',', ';', '\t']);
        match self.reason {
            BadLine::EmptyId(_) if is_header => {
                format!("name the first column, or leave it out: {PANDAS}")
            }
            _ => self.reason.hint(),
        }
    }

    /// The message without the hint.
    pub fn summary(&self) -> String {
        let ParseError {
            file, line, reason, ..
        } = self;
        let column = match self.column {
            Some(column) => format!(":{column}"),
            None => String::new(),
        };
        format!(
            "{}:{line}{column}: {reason}: {:?}",
            file.display(),
            self.text
        )
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.summary(), self.hint())
    }
}

impl std::error::Error for ParseError {}

/// Malformed lines that were tolerated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedLines {
    /// How many.
    pub count: u64,
    /// The first [`SkippedLines::KEPT`] of them.
    pub first: Vec<ParseError>,
}

impl SkippedLines {
    /// How many lines are kept for the report.
    pub const KEPT: usize = 10;
}

/// Why a file cannot be opened, read or written.
#[derive(Debug)]
#[allow(missing_docs, reason = "the fields say what the summary says")]
pub enum FormatError {
    /// There is no such file.
    NotFound { file: PathBuf },
    /// A directory, pipe or device.
    NotAFile { file: PathBuf, what: &'static str },
    /// The system refused to open or create the file.
    Open { file: PathBuf, source: io::Error },
    /// The system failed while reading, after `line` lines.
    Read {
        file: PathBuf,
        line: u64,
        source: io::Error,
    },
    /// The compressed data is cut off or damaged, after `line` whole lines.
    Damaged {
        file: PathBuf,
        line: u64,
        compression: Compression,
        cut_off: bool,
        source: io::Error,
    },
    /// The file is of a kind that is not read or written here.
    Unsupported {
        file: PathBuf,
        problem: String,
        hint: String,
    },
    /// The options do not fit the file or each other.
    Options {
        file: PathBuf,
        problem: String,
        hint: String,
    },
    /// A malformed line, and none was to be tolerated.
    Parse(Box<ParseError>),
    /// One malformed line more than was to be tolerated.
    TooManyBadLines { allowed: u64, last: Box<ParseError> },
    /// The file holds fewer, or more, than its head announced.
    WrongCount {
        file: PathBuf,
        what: &'static str,
        announced: u64,
        found: u64,
    },
    /// The two directions of an undirected adjacency disagree.
    NotSymmetric { file: PathBuf, problem: String },
    /// The system failed while writing.
    Write { file: PathBuf, source: io::Error },
}

impl FormatError {
    /// The message without the hint.
    pub fn summary(&self) -> String {
        match self {
            FormatError::NotFound { file } => format!("{}: no such file", file.display()),
            FormatError::NotAFile { file, what } => {
                format!("{} is {what}, not a file", file.display())
            }
            FormatError::Open { file, source } => {
                format!("cannot open {}: {source}", file.display())
            }
            FormatError::Read { file, line, source } => {
                format!("cannot read {} after line {line}: {source}", file.display())
            }
            FormatError::Damaged {
                file,
                line,
                compression,
                cut_off,
                source,
            } => {
                let how = match cut_off {
                    true => "is cut off".to_owned(),
                    false => format!("is damaged ({source})"),
                };
                let file = file.display();
                format!("{file}: the {compression} data {how} after line {line}")
            }
            FormatError::Unsupported { file, problem, .. }
            | FormatError::Options { file, problem, .. }
            | FormatError::NotSymmetric { file, problem } => {
                format!("{}: {problem}", file.display())
            }
            FormatError::Parse(error) => error.summary(),
            FormatError::TooManyBadLines { allowed, last } => {
                format!("more than {allowed} malformed lines: {}", last.summary())
            }
            FormatError::WrongCount {
                file,
                what,
                announced,
                found,
            } => {
                let file = file.display();
                match found < announced {
                    true => format!("{file} ends after {found} of {announced} announced {what}"),
                    false => format!("{file} has {found} {what} where {announced} were announced"),
                }
            }
            FormatError::Write { file, source } => {
                format!("cannot write {}: {source}", file.display())
            }
        }
    }

    /// Advice for the user.
    pub fn hint(&self) -> String {
        let hint = match self {
            FormatError::NotFound { .. } => "check the path",
            FormatError::NotAFile { .. } => {
                "name the files in it, or save the stream to a file first"
            }
            FormatError::Open { .. } => "check that you may read and write it",
            FormatError::Read { .. } => "check the disk it is on",
            FormatError::Damaged { cut_off: true, .. } => {
                "fetch or compress the file again; the edges before that line are sound"
            }
            FormatError::Damaged { .. } => {
                "fetch or compress the file again; what was read from it may be wrong"
            }
            FormatError::Unsupported { hint, .. } | FormatError::Options { hint, .. } => hint,
            FormatError::Parse(error) => return error.hint(),
            FormatError::TooManyBadLines { last, .. } => {
                return format!("{}; or raise `--skip-bad`", last.hint());
            }
            FormatError::WrongCount { .. } => {
                "fetch the file again, or correct the count in its head"
            }
            FormatError::NotSymmetric { .. } => "list each edge at both of its ends, as METIS asks",
            FormatError::Write { .. } => {
                "check that there is space left and that you may write there"
            }
        };
        hint.to_owned()
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.summary(), self.hint())
    }
}

impl std::error::Error for FormatError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FormatError::Open { source, .. }
            | FormatError::Read { source, .. }
            | FormatError::Damaged { source, .. }
            | FormatError::Write { source, .. } => Some(source),
            FormatError::Parse(error) | FormatError::TooManyBadLines { last: error, .. } => {
                Some(error)
            }
            _ => None,
        }
    }
}

/// Why a line is bad and where in it, before the file is known.
#[derive(Debug)]
pub(super) struct Flaw {
    pub reason: BadLine,
    /// Offset in the line.
    pub at: Option<usize>,
}

impl Flaw {
    pub(super) fn at(offset: usize, reason: BadLine) -> Flaw {
        Flaw {
            reason,
            at: Some(offset),
        }
    }

    pub(super) fn head(problem: impl Into<String>, hint: impl Into<String>) -> Flaw {
        Flaw::from(BadLine::Head {
            problem: problem.into(),
            hint: hint.into(),
        })
    }
}

impl From<BadLine> for Flaw {
    fn from(reason: BadLine) -> Flaw {
        Flaw { reason, at: None }
    }
}

/// The start of `line`, short and printable: `{:?}` then escapes the rest.
pub(super) fn excerpt(line: &[u8]) -> String {
    const LONGEST: usize = 80;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.get(..LONGEST) {
        Some(start) if line.len() > LONGEST => {
            let mut text = String::from_utf8_lossy(start).into_owned();
            text.push('…');
            text
        }
        _ => String::from_utf8_lossy(line).into_owned(),
    }
}
