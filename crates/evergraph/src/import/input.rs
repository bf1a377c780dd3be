//! The edges of an import in the order in which they are taken: as the files have
//! them, or by time.

use std::ops::Range;
use std::path::{Path, PathBuf};

use evergraph_algorithms::Cancellation;
use evergraph_storage::memory_bytes;

use super::interrupted;
use crate::Error;
use crate::formats::{
    EdgeBatch, EdgeReader, FormatError, Options, ParseError, Position, SkippedLines,
};

/// Edges that are looked at together.
const LOOKED_AT: usize = 1 << 16;

/// Source of the edges.
pub(super) enum Input {
    /// The files.
    Files(Box<EdgeReader>),
    /// The files, read as a whole and sorted.
    Sorted(Box<Sorted>),
}

/// All edges of the files, taken by time; those of one second as the files have
/// them. A position's lines are edges that were taken.
pub(super) struct Sorted {
    edges: EdgeBatch,
    order: Vec<usize>,
    taken: usize,
    /// The reader at its end, with the facts about its files.
    files: EdgeReader,
    symmetric: bool,
}

/// The times of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Times {
    /// The earliest.
    pub first: Option<i64>,
    /// File and line where the times first go back.
    pub goes_back: Option<(PathBuf, u64)>,
}

impl Times {
    /// `file:line` where they first go back.
    pub fn place(&self) -> Option<String> {
        let (file, line) = self.goes_back.as_ref()?;
        Some(format!("{}:{line}", file.display()))
    }
}

impl Input {
    pub fn open(files: &[PathBuf], reading: &Options) -> Result<Self, Error> {
        let mut reader = EdgeReader::open_all(files, reading)?;
        reader.keep_rejected();
        Ok(Input::Files(Box::new(reader)))
    }

    /// See [`EdgeReader::next_batch`].
    pub fn next_batch(&mut self, batch: &mut EdgeBatch, most: usize) -> Result<usize, Error> {
        match self {
            Input::Files(reader) => Ok(reader.next_batch(batch, most)?),
            Input::Sorted(sorted) => Ok(sorted.next_batch(batch, most)),
        }
    }

    /// See [`EdgeReader::skip_lines`].
    pub fn skip_lines(&mut self, lines: u64) -> Result<(), Error> {
        match self {
            Input::Files(reader) => Ok(reader.skip_lines(lines)?),
            Input::Sorted(sorted) => {
                sorted.taken = sorted.order.len().min(lines as usize);
                Ok(())
            }
        }
    }

    pub fn position(&self) -> Position {
        match self {
            Input::Files(reader) => reader.position(),
            Input::Sorted(sorted) => sorted.position(),
        }
    }

    pub fn symmetric(&self) -> bool {
        match self {
            Input::Files(reader) => reader.symmetric(),
            Input::Sorted(sorted) => sorted.symmetric,
        }
    }

    pub fn lists_vertices(&self) -> bool {
        match self {
            Input::Files(reader) => reader.lists_vertices(),
            Input::Sorted(_) => false,
        }
    }

    pub fn declared_ids(&self) -> Option<Range<u64>> {
        self.files().declared_ids()
    }

    /// The file of the last batch, or of the last edge before they were sorted.
    pub fn file(&self) -> &Path {
        self.files().file()
    }

    pub fn skipped(&self) -> &SkippedLines {
        self.files().skipped()
    }

    /// See [`EdgeReader::rounds_weights`].
    pub fn rounds_weights(&self) -> bool {
        self.files().rounds_weights()
    }

    /// See [`EdgeReader::take_rejected`].
    pub fn take_rejected(&mut self) -> Vec<ParseError> {
        match self {
            Input::Files(reader) => reader.take_rejected(),
            Input::Sorted(sorted) => sorted.files.take_rejected(),
        }
    }

    fn files(&self) -> &EdgeReader {
        match self {
            Input::Files(reader) => reader,
            Input::Sorted(sorted) => &sorted.files,
        }
    }
}

impl Sorted {
    /// Reads all edges of the files, which have times, and sorts them.
    ///
    /// # Errors
    /// If they take more than a quarter of the memory that there is.
    pub fn read(
        files: &[PathBuf],
        reading: &Options,
        times: &Times,
        cancellation: &Cancellation,
    ) -> Result<Self, Error> {
        let mut reader = EdgeReader::open_all(files, reading)?;
        reader.keep_rejected();
        let (mut edges, mut batch) = (EdgeBatch::default(), EdgeBatch::default());
        let mut symmetric = None;
        while reader.next_batch(&mut batch, LOOKED_AT)? > 0 {
            if cancellation.is_cancelled() {
                return Err(interrupted(0));
            }
            if *symmetric.get_or_insert(reader.symmetric()) != reader.symmetric() {
                return Err(Error::usage(
                    "some of the files say that their edges are undirected, others do not",
                    "import them one after another, or sort them by time first",
                ));
            }
            edges.append(&batch);
            if edges.bytes() > memory_bytes() / 4 {
                return Err(too_many(times));
            }
        }
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&edge| edges.timestamps[edge]);
        Ok(Sorted {
            edges,
            order,
            taken: 0,
            files: reader,
            symmetric: symmetric.unwrap_or(false),
        })
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch, most: usize) -> usize {
        batch.clear();
        let next = &self.order[self.taken..];
        let next = &next[..next.len().min(most)];
        for &edge in next {
            batch.push_from(&self.edges, edge);
        }
        self.taken += next.len();
        next.len()
    }

    fn position(&self) -> Position {
        let Position {
            bytes, total_bytes, ..
        } = self.files.position();
        let share = self.taken as f64 / self.order.len().max(1) as f64;
        Position {
            lines: self.taken as u64,
            bytes: (bytes as f64 * share) as u64,
            total_bytes,
        }
    }
}

/// Looks at the times of all edges.
pub(super) fn times_of(
    files: &[PathBuf],
    reading: &Options,
    cancellation: &Cancellation,
) -> Result<Times, Error> {
    let mut reader = EdgeReader::open_all(files, reading)?;
    let mut batch = EdgeBatch::default();
    let mut times = Times {
        first: None,
        goes_back: None,
    };
    let mut last = i64::MIN;
    loop {
        let lines = reader.position().lines;
        if reader.next_batch(&mut batch, LOOKED_AT)? == 0 {
            return Ok(times);
        }
        if cancellation.is_cancelled() {
            return Err(interrupted(0));
        }
        let least = batch.timestamps.iter().min().copied();
        times.first = [times.first, least].into_iter().flatten().min();
        if times.goes_back.is_none() {
            let before = last;
            let goes_back = batch.timestamps.iter().any(|&time| {
                let earlier = time < last;
                last = last.max(time);
                earlier
            });
            if goes_back {
                let line = line_that_goes_back(files, reading, lines, before)?;
                times.goes_back = line;
            }
        }
    }
}

/// Reads again from line `lines` on, behind which the first edge goes back.
fn line_that_goes_back(
    files: &[PathBuf],
    reading: &Options,
    lines: u64,
    mut last: i64,
) -> Result<Option<(PathBuf, u64)>, FormatError> {
    let mut reader = EdgeReader::open_all(files, reading)?;
    reader.skip_lines(lines)?;
    let mut batch = EdgeBatch::default();
    while reader.next_batch(&mut batch, 1)? > 0 {
        for &time in &batch.timestamps {
            if time < last {
                let line = reader.position_in_file();
                return Ok(Some((reader.file().to_owned(), line)));
            }
            last = time;
        }
    }
    Ok(None)
}

#[cold]
fn too_many(times: &Times) -> Error {
    let place = times.place().unwrap_or_default();
    Error::usage(
        format!("{place}: the times go back, and the edges are too many to be sorted in memory"),
        "sort the file by time first",
    )
}
