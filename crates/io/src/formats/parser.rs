//! The lines of one open file, and what understands them.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::batch::EdgeBatch;
use super::compression::Compression;
use super::error::{BadLine, Flaw, FormatError, ParseError, SkippedLines, excerpt};
use super::lines::{Content, Line, Lines};
use super::options::Options;
use super::shape::FileColumn;

/// Understands the lines after the head of one file.
pub(super) trait LineParser: Send {
    /// Takes plain lines from the front of `window` (which ends with a whole line) while
    /// there is space for `room` edges, and returns the numbers of bytes and lines. Need
    /// not take any: [`LineParser::line`] gets the rest.
    fn block(&mut self, window: &[u8], room: usize, out: &mut EdgeBatch) -> (usize, u64) {
        let _ = (window, room, out);
        (0, 0)
    }

    /// Takes one line; leaves `out` as it was if the line is bad.
    fn line(&mut self, line: &[u8], out: &mut EdgeBatch) -> Result<(), Flaw>;

    /// Takes note of a line that is not read: because it is bad, or because an
    /// earlier reader has read it.
    fn pass(&mut self, line: &[u8]);

    /// Compares the counts read with those that the head announced.
    fn finish(&self, file: &Path) -> Result<(), FormatError>;

    /// The ids that the head says exist.
    fn declared_ids(&self) -> Option<Range<u64>>;

    /// Columns of the lines.
    fn columns(&self) -> Vec<FileColumn>;

    /// Whether each edge stands for both directions.
    fn symmetric(&self) -> bool;

    /// Whether the lines are vertices.
    fn vertices(&self) -> bool {
        false
    }
}

/// How many malformed lines are put up with.
#[derive(Clone, Debug)]
pub(super) struct Tolerance {
    allowed: u64,
    /// An id that is no number is not put up with: it tells the kind of all ids.
    pub refuses_texts: bool,
    pub skipped: SkippedLines,
    /// All of them since they were taken last, if they are wanted.
    pub rejected: Option<Vec<ParseError>>,
}

impl Tolerance {
    pub(super) fn of(options: &Options) -> Tolerance {
        Tolerance {
            allowed: options.skip_bad,
            refuses_texts: false,
            skipped: SkippedLines::default(),
            rejected: None,
        }
    }

    /// As [`Tolerance::of`], but for ids that are no numbers.
    pub(super) fn of_numbers(options: &Options) -> Tolerance {
        Tolerance {
            refuses_texts: true,
            ..Tolerance::of(options)
        }
    }

    /// Notes a malformed line, or gives up.
    #[cold]
    pub(super) fn judge(
        &mut self,
        file: &Path,
        line: u64,
        text: String,
        flaw: Flaw,
    ) -> Result<(), FormatError> {
        let in_head = matches!(flaw.reason, BadLine::Head { .. });
        let is_text = self.refuses_texts && flaw.reason.may_be_text();
        let error = ParseError {
            file: file.to_owned(),
            line,
            column: flaw.at.map(|offset| offset + 1),
            text,
            reason: flaw.reason,
        };
        if in_head || is_text || self.allowed == 0 {
            return Err(FormatError::Parse(Box::new(error)));
        }
        if self.skipped.count >= self.allowed {
            return Err(FormatError::TooManyBadLines {
                allowed: self.allowed,
                last: Box::new(error),
            });
        }
        self.skipped.count += 1;
        if let Some(rejected) = &mut self.rejected {
            rejected.push(error.clone());
        }
        if self.skipped.first.len() < SkippedLines::KEPT {
            self.skipped.first.push(error);
        }
        Ok(())
    }
}

/// The lines of a file, with errors that name it.
pub(super) struct Text {
    pub path: PathBuf,
    pub lines: Lines,
    pub compression: Compression,
}

impl Text {
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, FormatError> {
        let reached = self.lines.consumed();
        self.lines
            .next()
            .map_err(|error| broken(&self.path, self.compression, reached, error))
    }

    /// The lines after the last one, which can still be given back.
    pub(super) fn following(&mut self) -> Result<&[u8], FormatError> {
        let reached = self.lines.consumed();
        self.lines
            .following()
            .map_err(|error| broken(&self.path, self.compression, reached, error))
    }

    pub(super) fn window(&mut self) -> Result<&[u8], FormatError> {
        let reached = self.lines.consumed();
        self.lines
            .window()
            .map_err(|error| broken(&self.path, self.compression, reached, error))
    }

    pub(super) fn head(&mut self) -> Result<&[u8], FormatError> {
        self.lines
            .head()
            .map_err(|error| broken(&self.path, self.compression, 0, error))
    }

    /// An error about a line of the head, or about a head that is not there.
    pub(super) fn bad_head(&self, line: u64, text: &[u8], flaw: Flaw) -> FormatError {
        FormatError::Parse(Box::new(ParseError {
            file: self.path.clone(),
            line,
            column: flaw.at.map(|offset| offset + 1),
            text: excerpt(text),
            reason: flaw.reason,
        }))
    }
}

/// The next line that is not `idle`, and its number.
pub(super) fn head_line(
    text: &mut Text,
    idle: impl Fn(&[u8]) -> bool,
) -> Result<(u64, Vec<u8>), FormatError> {
    loop {
        let Some(line) = text.next()? else {
            let flaw = Flaw::head(
                "the file ends before its head is complete",
                "fetch the file again, or give its format",
            );
            return Err(text.bad_head(text.lines.consumed(), b"", flaw));
        };
        let number = line.number;
        match line.content {
            Content::Text(line) if idle(line) => {}
            Content::Text(line) => return Ok((number, line.to_vec())),
            Content::TooLong(start) => {
                let limit = text.lines.limit();
                let flaw = BadLine::LineTooLong { limit }.into();
                return Err(text.bad_head(number, start.as_bytes(), flaw));
            }
        }
    }
}

/// Refuses to read times from a format that has none.
pub(super) fn no_times(text: &Text) -> FormatError {
    FormatError::Options {
        file: text.path.clone(),
        problem: "this format has no timestamps".to_owned(),
        hint: "read it without timestamps".to_owned(),
    }
}

#[cold]
fn broken(path: &Path, compression: Compression, line: u64, source: io::Error) -> FormatError {
    let file = path.to_owned();
    match compression {
        Compression::None => FormatError::Read { file, line, source },
        compression => FormatError::Damaged {
            file,
            line,
            compression,
            cut_off: source.kind() == io::ErrorKind::UnexpectedEof,
            source,
        },
    }
}
