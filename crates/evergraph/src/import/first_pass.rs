//! Whether the ids of files are dense already, found by reading them once.

use std::path::{Path, PathBuf};

use evergraph_algorithms::Cancellation;
use evergraph_topology::MAX_VERTICES;
use evergraph_topology::ids::IdKind;

use super::{ImportOptions, interrupted};
use crate::Error;
use crate::formats::{Compression, EdgeBatch, EdgeReader, EndpointKind, FormatError, Options};

/// Edges that are looked at together.
const LOOKED_AT: usize = 1 << 16;

/// Bytes of a line that an id takes at least, with what separates it from the next.
const BYTES_OF_ID: u64 = 2;

/// The ids that a new database for these files has, unless something else is asked for:
/// texts where those of a file's first edge are no numbers; dense where every number from 0 to the largest stands in the files; else those of the
/// files, mapped in the order in which they appear first. Reads files of numbers once;
/// of imports with times or snapshots, whose graph grows, and of what is no regular file,
/// only the first edges.
///
/// # Errors
/// Files that cannot be opened; [`Error::Interrupted`]. Malformed lines are left to the
/// import, which reports them.
pub fn default_ids(
    files: &[PathBuf],
    options: &ImportOptions,
    cancellation: &Cancellation,
) -> Result<IdKind, Error> {
    let reading = &options.reading;
    for file in files {
        if reading.ids == EndpointKind::Text || !begins_with_numbers(file, reading)? {
            return Ok(IdKind::Texts);
        }
    }
    let grows = options.snapshots.is_some() || reading.reads_time();
    let are_regular = files
        .iter()
        .all(|file| std::fs::metadata(file).is_ok_and(|file| file.is_file()));
    if grows || !are_regular {
        return Ok(IdKind::Numbers);
    }
    let reading = Options {
        keep_base: true,
        ..reading.clone()
    };
    match are_dense(files, &reading, cancellation) {
        Ok(true) => Ok(IdKind::Dense),
        Ok(false) | Err(_) if cancellation.is_cancelled() => Err(interrupted(0)),
        Ok(false) | Err(_) => Ok(IdKind::Numbers),
    }
}

/// Whether the first edge is between numbers. A line behind it that has none is a
/// malformed one.
fn begins_with_numbers(file: &Path, reading: &Options) -> Result<bool, Error> {
    let begins = |ids| -> Result<(), FormatError> {
        let reading = Options {
            ids,
            ..reading.clone()
        };
        let mut reader = EdgeReader::open(file, &reading)?;
        reader.next_batch(&mut EdgeBatch::default(), 1).map(drop)
    };
    match begins(EndpointKind::Number) {
        Ok(()) => Ok(true),
        // What is bad as a text, too, is reported by the import.
        Err(FormatError::Parse(_)) => Ok(begins(EndpointKind::Text).is_err()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the files have edges, and every id from 0 to the largest. Stops when what is
/// left of them cannot fill the gaps, or it is cancelled.
fn are_dense(
    files: &[PathBuf],
    reading: &Options,
    cancellation: &Cancellation,
) -> Result<bool, FormatError> {
    let mut reader = EdgeReader::open_all(files, reading)?;
    // Their ids count from 1.
    if reader.declared_ids().is_some() {
        return Ok(false);
    }
    let is_plain = |file| EdgeReader::open(file, reading).map(|file| file.compression());
    let mut bytes = reader.position().total_bytes;
    for file in files {
        if is_plain(file)? != Compression::None {
            bytes = None;
        }
    }
    let mut seen = Seen::default();
    let mut batch = EdgeBatch::default();
    while reader.next_batch(&mut batch, LOOKED_AT)? > 0 {
        if cancellation.is_cancelled() || !batch.deletions.is_empty() {
            return Ok(false);
        }
        if !batch
            .sources
            .iter()
            .chain(&batch.targets)
            .all(|&id| seen.add(id))
        {
            return Ok(false);
        }
        let read = reader.position().bytes.saturating_sub(READ_AHEAD);
        let left = bytes.map(|bytes| bytes.saturating_sub(read) / BYTES_OF_ID);
        if left.is_some_and(|left| seen.gaps() > left) {
            return Ok(false);
        }
    }
    Ok(seen.distinct > 0 && seen.gaps() == 0)
}

/// Bytes that a reader may be ahead of the lines that it has given.
const READ_AHEAD: u64 = 1 << 20;

/// A bit for each id up to the largest.
#[derive(Default)]
struct Seen {
    words: Vec<u64>,
    distinct: u64,
    /// One above the largest id.
    end: u64,
}

impl Seen {
    /// Whether it is an id that a graph with dense ids can have.
    #[inline]
    fn add(&mut self, id: u64) -> bool {
        if id >= self.end {
            if id >= MAX_VERTICES {
                return false;
            }
            self.end = id + 1;
            let words = self.end.div_ceil(64) as usize;
            if words > self.words.len() {
                self.words.resize(words, 0);
            }
        }
        let (word, bit) = (&mut self.words[(id / 64) as usize], 1 << (id % 64));
        self.distinct += u64::from(*word & bit == 0);
        *word |= bit;
        true
    }

    fn gaps(&self) -> u64 {
        self.end - self.distinct
    }
}
