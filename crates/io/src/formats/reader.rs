//! One file after another, as batches.

use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::batch::EdgeBatch;
use super::compression::Compression;
use super::error::{FormatError, ParseError, SkippedLines};
use super::file::OpenFile;
use super::input;
use super::options::{EndpointKind, Format, Options};
use super::parser::Tolerance;
use super::shape::FileColumn;

/// How far a reader has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Lines consumed, of all files so far, heads and comments included.
    pub lines: u64,
    /// Bytes of the files themselves (that is, compressed) read so far. Up to
    /// a few hundred kilobytes ahead of the lines.
    pub bytes: u64,
    /// Bytes of all files, if known.
    pub total_bytes: Option<u64>,
}

impl Position {
    /// Between 0 and 1, for a progress bar.
    pub fn fraction(&self) -> Option<f64> {
        match self.total_bytes? {
            0 => Some(1.0),
            total => Some((self.bytes as f64 / total as f64).min(1.0)),
        }
    }
}

/// Reads the edges of one or several files in batches.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use evergraph_io::formats::{EdgeBatch, EdgeReader, Options};
/// # let directory = std::env::temp_dir().join(format!("formats-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// # let path = directory.join("roads.txt");
/// std::fs::write(&path, "# from to\n0 1\n1 2\n")?;
/// let mut reader = EdgeReader::open(&path, &Options::default())?;
/// let mut batch = EdgeBatch::default();
/// while reader.next_batch(&mut batch, 1 << 16)? > 0 {
///     assert_eq!(batch.targets, [1, 2]);
/// }
/// assert_eq!(reader.position().lines, 3);
/// # std::fs::remove_dir_all(&directory)?;
/// # Ok(())
/// # }
/// ```
pub struct EdgeReader {
    options: Options,
    current: OpenFile,
    waiting: VecDeque<PathBuf>,
    tolerance: Tolerance,
    /// Lines and bytes of the files before the current one.
    lines_before: u64,
    bytes_before: u64,
    total_bytes: Option<u64>,
    declared_ids: Option<Range<u64>>,
    rounds_weights: bool,
}

impl EdgeReader {
    /// Opens a file and reads its head.
    ///
    /// Fails if the file is no regular file, is of a kind that is not read
    /// here, or has a head or a first edge that does not fit the options.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<EdgeReader, FormatError> {
        EdgeReader::open_all([path], options)
    }

    /// Opens several files, to be read in this order. Each has a format of its
    /// own, unless the options give one. The heads of all of them are read
    /// now, so that a wrong name among many is told before any work is done.
    ///
    /// # Panics
    /// If there are no paths.
    pub fn open_all<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        options: &Options,
    ) -> Result<EdgeReader, FormatError> {
        let mut paths = paths.into_iter();
        let first = paths.next().expect("at least one file to read");
        let first = first.as_ref();
        let tolerance = Tolerance::of(options);
        let mut reader = EdgeReader::start(first, input::open(first)?, options, tolerance)?;
        for path in paths {
            let path = path.as_ref();
            let mut trial = Tolerance::of(options);
            let file = OpenFile::open(path, input::open(path)?, options, &mut trial)?;
            reader.note(&file);
            reader.waiting.push_back(path.to_owned());
        }
        Ok(reader)
    }

    /// Reads from anything; `name` stands for it in messages, and its
    /// extension helps to tell the format.
    pub fn from_reader(
        name: impl AsRef<Path>,
        reader: impl Read + Send + 'static,
        options: &Options,
    ) -> Result<EdgeReader, FormatError> {
        let name = name.as_ref();
        let input = input::from_reader(name, Box::new(reader), None)?;
        EdgeReader::start(name, input, options, Tolerance::of(options))
    }

    fn start(
        path: &Path,
        input: input::Input,
        options: &Options,
        mut tolerance: Tolerance,
    ) -> Result<EdgeReader, FormatError> {
        let current = OpenFile::open(path, input, options, &mut tolerance)?;
        Ok(EdgeReader {
            options: options.clone(),
            total_bytes: current.total,
            declared_ids: current.parser().declared_ids(),
            current,
            waiting: VecDeque::new(),
            tolerance,
            lines_before: 0,
            bytes_before: 0,
            rounds_weights: false,
        })
    }

    /// Kind of the ids of a file, of its first edge or vertex. Lines that are malformed
    /// whatever ids are count for [`Options::skip_bad`]; `None` if nothing is left, as of a
    /// file of one line, which over numbers would be titles.
    ///
    /// # Errors
    /// As of reading, but for malformed lines.
    pub fn kind_of_ids(
        path: impl AsRef<Path>,
        options: &Options,
    ) -> Result<Option<EndpointKind>, FormatError> {
        let path = path.as_ref();
        let options = Options {
            ids: EndpointKind::Number,
            ..options.clone()
        };
        let tolerance = Tolerance::of_numbers(&options);
        let opened = EdgeReader::start(path, input::open(path)?, &options, tolerance);
        let read = opened.and_then(|mut reader| reader.next_batch(&mut EdgeBatch::default(), 1));
        match read {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(EndpointKind::Number)),
            Err(FormatError::Parse(bad)) if bad.reason.may_be_text() => {
                Ok(Some(EndpointKind::Text))
            }
            Err(FormatError::Parse(_) | FormatError::TooManyBadLines { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes note of a file that waits.
    fn note(&mut self, file: &OpenFile) {
        self.total_bytes = self
            .total_bytes
            .zip(file.total)
            .map(|(sum, more)| sum.saturating_add(more));
        let more = file.parser().declared_ids();
        self.declared_ids = match (self.declared_ids.take(), more) {
            (Some(a), Some(b)) => Some(a.start.min(b.start)..a.end.max(b.end)),
            (a, b) => a.or(b),
        };
    }

    /// Replaces what is in `batch` by the next edges, and returns how many:
    /// up to `max_edges` (at least one), or what one line holds above that in
    /// the formats with several edges a line; 0 at the end of the last file.
    /// A batch never spans two files.
    ///
    /// After an error the batch holds the edges before the bad line. A
    /// malformed line has then been consumed, and reading may go on; other
    /// errors repeat themselves. Checksums of compressed files, and counts that
    /// a head announces, are compared at the end: until 0 is returned, what
    /// was read is to be taken as provisional.
    pub fn next_batch(
        &mut self,
        batch: &mut EdgeBatch,
        max_edges: usize,
    ) -> Result<usize, FormatError> {
        batch.clear();
        loop {
            let filled = self
                .current
                .fill(batch, max_edges.max(1), &mut self.tolerance);
            self.rounds_weights |= batch.rounds_weights;
            filled?;
            if !batch.is_empty() || !self.next_file()? {
                return Ok(batch.len());
            }
        }
    }

    /// Goes on to the next file, if there is one.
    fn next_file(&mut self) -> Result<bool, FormatError> {
        let Some(path) = self.waiting.front() else {
            return Ok(false);
        };
        let input = input::open(path)?;
        let next = OpenFile::open(path, input, &self.options, &mut self.tolerance)?;
        self.lines_before += self.current.lines();
        self.bytes_before += self.current.bytes();
        self.current = next;
        self.waiting.pop_front();
        Ok(true)
    }

    /// How far the reader has come.
    pub fn position(&self) -> Position {
        Position {
            lines: self.lines_before + self.current.lines(),
            bytes: self.bytes_before + self.current.bytes(),
            total_bytes: self.total_bytes,
        }
    }

    /// Lines of the file of the last batch that were consumed.
    pub fn position_in_file(&self) -> u64 {
        self.current.lines()
    }

    /// Passes the first `lines` lines of all files together, heads included,
    /// without parsing them: a fresh reader then goes on where another one of
    /// the same files stopped with that [`Position::lines`]. Lines that were
    /// read already count, so a smaller number changes nothing. Malformed lines
    /// among the passed ones are not reported again.
    ///
    /// Fails if the files have fewer lines.
    pub fn skip_lines(&mut self, lines: u64) -> Result<(), FormatError> {
        loop {
            let here = lines.saturating_sub(self.lines_before);
            self.current.pass_lines(here)?;
            if self.position().lines >= lines {
                return Ok(());
            }
            if !self.next_file()? {
                return Err(FormatError::Options {
                    file: self.current.path().to_owned(),
                    problem: format!(
                        "there are {} lines, and reading was to go on after line {lines}",
                        self.position().lines
                    ),
                    hint: "the file has changed: import it anew".to_owned(),
                });
            }
        }
    }

    /// How many vertices the heads of the files say there are (the most, if
    /// there are several files); `None` if none says so.
    pub fn declared_vertex_count(&self) -> Option<u64> {
        let ids = self.declared_ids.as_ref()?;
        Some(ids.end - ids.start)
    }

    /// The ids of those vertices, as they are read: vertices without edges
    /// are among them.
    pub fn declared_ids(&self) -> Option<Range<u64>> {
        self.declared_ids.clone()
    }

    /// Whether the file of the last batch says that its edges are undirected:
    /// each stands for both directions.
    pub fn symmetric(&self) -> bool {
        self.current.parser().symmetric()
    }

    /// Whether the file of the last batch lists vertices instead of edges.
    pub fn lists_vertices(&self) -> bool {
        self.current.parser().vertices()
    }

    /// The format of the file of the last batch.
    pub fn format(&self) -> Format {
        self.current.format
    }

    /// How the file of the last batch is compressed.
    pub fn compression(&self) -> Compression {
        self.current.compression()
    }

    /// The file of the last batch.
    pub fn file(&self) -> &Path {
        self.current.path()
    }

    /// Columns of the file of the last batch.
    pub fn columns(&self) -> Vec<FileColumn> {
        self.current.parser().columns()
    }

    /// Keeps malformed lines that are tolerated for [`EdgeReader::take_rejected`]; to be
    /// called before the first batch. Of those in a head only the first
    /// [`SkippedLines::KEPT`] are known.
    pub fn keep_rejected(&mut self) {
        self.tolerance.rejected = Some(self.tolerance.skipped.first.clone());
    }

    /// The malformed lines since the last call, if they are kept.
    pub fn take_rejected(&mut self) -> Vec<ParseError> {
        let rejected = self.tolerance.rejected.as_mut();
        rejected.map(std::mem::take).unwrap_or_default()
    }

    /// Whether a weight that was read has more digits than floats of 32 bits keep.
    pub fn rounds_weights(&self) -> bool {
        self.rounds_weights
    }

    /// The malformed lines that were tolerated so far.
    pub fn skipped(&self) -> &SkippedLines {
        &self.tolerance.skipped
    }
}

impl std::fmt::Debug for EdgeReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EdgeReader")
            .field("file", &self.file())
            .field("format", &self.format())
            .field("position", &self.position())
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}
