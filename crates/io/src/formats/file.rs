//! One open file: its lines, and the parser that understands them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::EdgeBatch;
use super::compression::Compression;
use super::error::{BadLine, FormatError, excerpt};
use super::guess;
use super::input::Input;
use super::lines::{Content, Lines};
use super::options::{Format, Options};
use super::parser::{LineParser, Text, Tolerance};
use super::{dimacs, matrix_market, metis, table};

/// A file whose head has been read.
pub(super) struct OpenFile {
    text: Text,
    parser: Box<dyn LineParser>,
    pub format: Format,
    consumed: Arc<AtomicU64>,
    pub total: Option<u64>,
}

impl OpenFile {
    pub(super) fn open(
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
        guess::check_line_ends(path, head)?;
        text.lines.drop_prefix(b"\xef\xbb\xbf");
        let is_table = matches!(format, Format::EdgeList | Format::Csv | Format::Events);
        // Ids of the others are numbers.
        tolerance.refuses_texts &= is_table;
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
    pub(super) fn fill(
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
    pub(super) fn pass_lines(&mut self, count: u64) -> Result<(), FormatError> {
        while self.text.lines.consumed() < count {
            match self.text.next()?.map(|line| line.content) {
                None => return self.parser.finish(&self.text.path),
                Some(Content::Text(bytes)) => self.parser.pass(bytes),
                Some(Content::TooLong(start)) => self.parser.pass(start.as_bytes()),
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.text.path
    }

    pub(super) fn parser(&self) -> &dyn LineParser {
        &*self.parser
    }

    pub(super) fn compression(&self) -> Compression {
        self.text.compression
    }

    /// Lines consumed, the head among them.
    pub(super) fn lines(&self) -> u64 {
        self.text.lines.consumed()
    }

    /// Bytes of the file itself that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }
}
