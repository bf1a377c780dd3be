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
/// texts where those of a file's first edge are no numbers; dense where every number from 0
/// to the largest stands in the files; else those of the files, mapped in the order in which
/// they appear first. Reads files of numbers once; of imports with times or snapshots, whose
/// graph grows, and of what is no regular file, only the first edges.
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
    if reading.ids == EndpointKind::Text || are_texts(files, reading)? {
        return Ok(IdKind::Texts);
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

/// Whether ids are texts: those of any file's first edge. A line alone is titles over
/// numbers, if other files have some, and else an edge.
pub(super) fn are_texts(files: &[impl AsRef<Path>], reading: &Options) -> Result<bool, Error> {
    let mut has_numbers = false;
    for file in files {
        match EdgeReader::kind_of_ids(file, reading)? {
            Some(EndpointKind::Text) => return Ok(true),
            Some(EndpointKind::Number) => has_numbers = true,
            None => {}
        }
    }
    Ok(!has_numbers
        && files
            .iter()
            .any(|file| begins_with_texts(file.as_ref(), reading)))
}

/// Whether there is an edge if ids are texts; errors are reported by the import.
fn begins_with_texts(file: &Path, reading: &Options) -> bool {
    let reading = Options {
        ids: EndpointKind::Text,
        ..reading.clone()
    };
    let opened = EdgeReader::open(file, &reading);
    let read = opened.and_then(|mut reader| reader.next_batch(&mut EdgeBatch::default(), 1));
    read.is_ok_and(|edges| edges > 0)
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
