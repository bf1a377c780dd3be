//! Telling the types of a plain table's columns; of a large file by threads, a piece each.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use evergraph_analytics::threads::start;
use evergraph_io::interchange::{Inference, PropertyType};
use parking_lot::Mutex;

use super::files::{Defaults, Source};
use super::typed::first_line;
use crate::formats::Compression;
use crate::{Cancellation, Error};

/// Bytes of a piece at least.
const PIECE: u64 = 2 << 20;
/// Pieces of a file at most.
const MOST_PIECES: u64 = 16;
/// Bytes that a line has at most where a file is cut behind one.
const LINE: u64 = 1 << 20;

/// The types of the columns of a table by their numbers, from all rows of all parts.
///
/// # Errors
/// A part that cannot be read; [`Error::Interrupted`] if `stop` says so.
pub(super) fn infer(
    parts: &[Source],
    defaults: &Defaults,
    stop: &Cancellation,
) -> Result<Vec<PropertyType>, Error> {
    let mut inference = Inference::default();
    for part in parts {
        match by_threads(part, defaults, stop)? {
            Some(found) => inference.join(found),
            None => inference.take(part.open_neo4j(defaults)?, &|| ask(stop))?,
        }
    }
    Ok(inference.types())
}

/// `None` of a file that is small or compressed, and of one with a quote: line ends may be
/// in its fields.
fn by_threads(
    part: &Source,
    defaults: &Defaults,
    stop: &Cancellation,
) -> Result<Option<Inference>, Error> {
    let unreadable = |error| Error::io(part.path.display().to_string(), error);
    let threads = thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let Some(cuts) = cuts(&part.path, threads.min(MOST_PIECES)).map_err(unreadable)? else {
        return Ok(None);
    };
    let has_quote = AtomicBool::new(false);
    let read = |from: u64, to: u64| -> Result<Inference, Error> {
        let mut file = File::open(&part.path).map_err(unreadable)?;
        file.seek(SeekFrom::Start(from)).map_err(unreadable)?;
        let (bytes, has_quote) = (file.take(to - from), &has_quote);
        let piece = BufReader::with_capacity(1 << 18, Piece { bytes, has_quote });
        // All but the first begin behind it.
        let header = match &part.given.header {
            None if from > 0 => Some(first_line(&part.path)?),
            given => given.clone(),
        };
        let mut inference = Inference::default();
        inference.take(part.neo4j(piece, header, defaults)?, &|| ask(stop))?;
        Ok(inference)
    };
    let found = Mutex::new(Ok(Inference::default()));
    thread::scope(|scope| {
        for piece in cuts.windows(2) {
            start(scope, || {
                let piece = read(piece[0], piece[1]);
                let mut found = found.lock();
                match (&mut *found, piece) {
                    (Ok(found), Ok(piece)) => found.join(piece),
                    (Ok(_), Err(error)) => *found = Err(error),
                    (Err(_), _) => {}
                }
            })?;
        }
        Ok::<(), Error>(())
    })?;
    // Pieces that end at a quote may lack what they need, such as the header.
    match has_quote.into_inner() {
        true => Ok(None),
        false => found.into_inner().map(Some),
    }
}

/// Where pieces of a file begin and end, each but the first at a line end; `None` if it is
/// small, or its bytes are not its text.
fn cuts(path: &Path, pieces: u64) -> io::Result<Option<Vec<u64>>> {
    let metadata = fs::metadata(path)?;
    let pieces = pieces.min(metadata.len() / PIECE);
    if !metadata.is_file() || pieces < 2 {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    file.read_exact(&mut magic)?;
    if Compression::of_magic(&magic) != Compression::None {
        return Ok(None);
    }
    let mut end_of_line_behind = |at: u64| -> io::Result<Option<u64>> {
        file.seek(SeekFrom::Start(at))?;
        let mut line = Vec::new();
        BufReader::new((&mut file).take(LINE)).read_until(b'\n', &mut line)?;
        Ok((line.pop() == Some(b'\n')).then_some(at + line.len() as u64))
    };
    let mut cuts = vec![0];
    for piece in 1..pieces {
        match end_of_line_behind(metadata.len() / pieces * piece)? {
            Some(at) => cuts.push(at),
            None => return Ok(None),
        }
    }
    cuts.push(metadata.len());
    Ok(Some(cuts))
}

/// Bytes of a file up to the first quote.
struct Piece<'a> {
    bytes: Take<File>,
    has_quote: &'a AtomicBool,
}

impl Read for Piece<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.has_quote.load(Ordering::Relaxed) {
            return Ok(0);
        }
        let count = self.bytes.read(into)?;
        if into[..count].contains(&b'"') {
            self.has_quote.store(true, Ordering::Relaxed);
            return Ok(0);
        }
        Ok(count)
    }
}

fn ask(stop: &Cancellation) -> Result<(), Error> {
    match stop.is_cancelled() {
        true => Err(Error::Interrupted {
            message: "nothing was imported yet".to_string(),
            hint: "run the same command again".to_string(),
        }),
        false => Ok(()),
    }
}
