//! Bytes of a file, decompressed, with how far the compressed file was read.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression::Compression;
use super::error::FormatError;

/// Decompressing reader of a file.
pub(super) struct Input {
    pub bytes: Box<dyn Read + Send>,
    pub compression: Compression,
    /// Bytes of the file itself that were read so far.
    pub consumed: Arc<AtomicU64>,
    /// Bytes of the file itself, if known.
    pub total: Option<u64>,
}

/// Opens a regular file; anything else is refused before it can block.
pub(super) fn open(path: &Path) -> Result<Input, FormatError> {
    let file = || path.to_owned();
    let explain = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => FormatError::NotFound { file: file() },
        _ => FormatError::Open {
            file: file(),
            source,
        },
    };
    // Asked before opening, because opening a pipe waits for its writer.
    let metadata = fs::metadata(path).map_err(explain)?;
    if !metadata.is_file() {
        let what = match metadata.is_dir() {
            true => "a directory",
            false => "a pipe or device",
        };
        return Err(FormatError::NotAFile { file: file(), what });
    }
    let opened = File::open(path).map_err(explain)?;
    from_reader(path, Box::new(opened), Some(metadata.len()))
}

/// The decompressed bytes of a regular file.
pub fn open_bytes(path: &Path) -> Result<Box<dyn Read + Send>, FormatError> {
    open(path).map(|input| input.bytes)
}

/// Wraps any reader; `path` names it in messages.
pub(super) fn from_reader(
    path: &Path,
    reader: Box<dyn Read + Send>,
    total: Option<u64>,
) -> Result<Input, FormatError> {
    let consumed = Arc::new(AtomicU64::new(0));
    let mut reader = Counting {
        reader,
        consumed: Arc::clone(&consumed),
    };
    let failed = |source| FormatError::Read {
        file: path.to_owned(),
        line: 0,
        source,
    };
    let mut magic = Vec::new();
    (&mut reader)
        .take(4)
        .read_to_end(&mut magic)
        .map_err(failed)?;
    let compression = Compression::of_magic(&magic);
    let promised = Compression::of_name(path);
    if magic.is_empty() && promised != Compression::None {
        // Even nothing is some bytes once it is compressed.
        return Err(FormatError::Damaged {
            file: path.to_owned(),
            line: 0,
            compression: promised,
            cut_off: true,
            source: io::ErrorKind::UnexpectedEof.into(),
        });
    }
    let whole = Cursor::new(magic).chain(reader);
    let bytes: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(
            BufReader::with_capacity(1 << 16, whole),
        )),
        Compression::Zstd => {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(BufReader::with_capacity(1 << 16, whole))
                    .map_err(failed)?;
            // Files written with `zstd --long=31` are as sound as any.
            decoder.window_log_max(31).map_err(failed)?;
            Box::new(decoder)
        }
    };
    Ok(Input {
        bytes,
        compression,
        consumed,
        total,
    })
}

struct Counting {
    reader: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
