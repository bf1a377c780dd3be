//! One open file: its lines, and the parser that understands them.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::EdgeBatch;
use super::error::{BadLine, Flaw, FormatError, ParseError, SkippedLines, excerpt};
use super::guess;
use super::input::{Compression, Input};
use super::lines::{Content, Line, Lines};
use super::options::{Format, Options};
use super::{dimacs, matrix_market, metis, table};

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
    pub skipped: SkippedLines,
}

impl Tolerance {
    pub fn of(options: &Options) -> Tolerance {
        Tolerance {
            allowed: options.skip_bad,
            skipped: SkippedLines::default(),
        }
    }

    /// Notes a malformed line, or gives up.
    #[cold]
    pub fn judge(
        &mut self,
        file: &Path,
        line: u64,
        text: String,
        flaw: Flaw,
    ) -> Result<(), FormatError> {
        let in_head = matches!(flaw.reason, BadLine::Head { .. });
        let error = ParseError {
            file: file.to_owned(),
            line,
            column: flaw.at.map(|offset| offset + 1),
            text,
            reason: flaw.reason,
        };
        if in_head || self.allowed == 0 {
            return Err(FormatError::Parse(Box::new(error)));
        }
        if self.skipped.count >= self.allowed {
            return Err(FormatError::TooManyBadLines {
                allowed: self.allowed,
                last: Box::new(error),
            });
        }
        self.skipped.count += 1;
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
    compression: Compression,
}

impl Text {
    pub fn next(&mut self) -> Result<Option<Line<'_>>, FormatError> {
        let reached = self.lines.consumed();
        self.lines
            .next()
            .map_err(|error| broken(&self.path, self.compression, reached, error))
    }

    /// The lines after the last one, which can still be given back.
    pub fn following(&mut self) -> Result<&[u8], FormatError> {
        let reached = self.lines.consumed();
        self.lines
            .following()
            .map_err(|error| broken(&self.path, self.compression, reached, error))
    }

    pub fn window(&mut self) -> Result<&[u8], FormatError> {
        let reached = self.lines.consumed();
        self.lines
            .window()
            .map_err(|error| broken(&self.path, self.compression, reached, error))
    }

    fn head(&mut self) -> Result<&[u8], FormatError> {
        self.lines
            .head()
            .map_err(|error| broken(&self.path, self.compression, 0, error))
    }

    /// An error about a line of the head, or about a head that is not there.
    pub fn bad_head(&self, line: u64, text: &[u8], flaw: Flaw) -> FormatError {
        FormatError::Parse(Box::new(ParseError {
            file: self.path.clone(),
            line,
            column: flaw.at.map(|offset| offset + 1),
            text: excerpt(text),
            reason: flaw.reason,
        }))
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

/// A file whose head has been read.
pub(super) struct OpenFile {
    text: Text,
    parser: Box<dyn LineParser>,
    pub format: Format,
    consumed: Arc<AtomicU64>,
    pub total: Option<u64>,
}

impl OpenFile {
    pub fn open(
        path: &Path,
        input: Input,
        options: &Options,
        tolerance: &mut Tolerance,
    ) -> Result<OpenFile, FormatError> {
        let mut text = Text {
            path: path.to_owned(),
            lines: Lines::new(input.bytes),
            compression: input.compression,
        };
        let head = text.head()?;
        let format = match options.format {
            Some(format) => format,
            None => guess::format(path, head)?,
        };
        text.lines.drop_prefix(b"\xef\xbb\xbf");
        let parser: Box<dyn LineParser> = match format {
            Format::EdgeList | Format::Csv | Format::Events => {
                Box::new(table::open(&mut text, options, format, tolerance)?)
            }
            Format::MatrixMarket => Box::new(matrix_market::open(&mut text, options)?),
            Format::Dimacs => Box::new(dimacs::open(&mut text, options)?),
            Format::Metis => Box::new(metis::open(&mut text, options)?),
        };
        Ok(OpenFile {
            text,
            parser,
            format,
            consumed: input.consumed,
            total: input.total,
        })
    }

    /// Appends edges until there are at least `max_edges`, or none are left.
    pub fn fill(
        &mut self,
        batch: &mut EdgeBatch,
        max_edges: usize,
        tolerance: &mut Tolerance,
    ) -> Result<(), FormatError> {
        while batch.len() < max_edges {
            let window = self.text.window()?;
            let room = max_edges - batch.len();
            let (bytes, lines) = self.parser.block(window, room, batch);
            self.text.lines.consume(bytes, lines);
            if lines as usize >= room {
                break;
            }
            let limit = self.text.lines.limit();
            let Some(line) = self.text.next()? else {
                return self.parser.finish(&self.text.path);
            };
            let number = line.number;
            let (start, flaw) = match line.content {
                Content::Text(bytes) => match self.parser.line(bytes, batch) {
                    Ok(()) => continue,
                    Err(flaw) => {
                        self.parser.pass(bytes);
                        (excerpt(bytes), flaw)
                    }
                },
                Content::TooLong(start) => {
                    self.parser.pass(start.as_bytes());
                    (start, BadLine::LineTooLong { limit }.into())
                }
            };
            tolerance.judge(&self.text.path, number, start, flaw)?;
        }
        Ok(())
    }

    /// Passes lines until `count` are consumed in all, or none are left.
    pub fn pass_lines(&mut self, count: u64) -> Result<(), FormatError> {
        while self.text.lines.consumed() < count {
            match self.text.next()?.map(|line| line.content) {
                None => return self.parser.finish(&self.text.path),
                Some(Content::Text(bytes)) => self.parser.pass(bytes),
                Some(Content::TooLong(start)) => self.parser.pass(start.as_bytes()),
            }
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.text.path
    }

    pub fn parser(&self) -> &dyn LineParser {
        &*self.parser
    }

    pub fn compression(&self) -> Compression {
        self.text.compression
    }

    /// Lines consumed, the head among them.
    pub fn lines(&self) -> u64 {
        self.text.lines.consumed()
    }

    /// Bytes of the file itself that were read.
    pub fn bytes(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }
}
