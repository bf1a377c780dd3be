//! Bytes on their way into a file, compressed as its name says.

use std::io::{self, Write};

use super::compression::Compression;

/// A writer behind an encoder, or behind none. Only after [`Compressed::finish`] is
/// everything written.
pub enum Compressed<W: Write> {
    /// As it is.
    Plain(W),
    /// Compressed by gzip.
    Gzip(flate2::write::GzEncoder<W>),
    /// Compressed by zstd.
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Compressed<W> {
    /// Compresses at a level that keeps up with the export; lists of edges gain little
    /// from a higher one.
    pub fn new(writer: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Compressed::Plain(writer),
            Compression::Gzip => Compressed::Gzip(flate2::write::GzEncoder::new(
                writer,
                flate2::Compression::new(4),
            )),
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(writer, 3)?;
                encoder.include_checksum(true)?;
                Compressed::Zstd(encoder)
            }
        })
    }

    /// Ends the compressed stream and gives the writer back, flushed.
    pub fn finish(self) -> io::Result<W> {
        let mut writer = match self {
            Compressed::Plain(writer) => writer,
            Compressed::Gzip(encoder) => encoder.finish()?,
            Compressed::Zstd(encoder) => encoder.finish()?,
        };
        writer.flush()?;
        Ok(writer)
    }
}

impl<W: Write> Write for Compressed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Compressed::Plain(writer) => writer.write(bytes),
            Compressed::Gzip(encoder) => encoder.write(bytes),
            Compressed::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Compressed::Plain(writer) => writer.flush(),
            Compressed::Gzip(encoder) => encoder.flush(),
            Compressed::Zstd(encoder) => encoder.flush(),
        }
    }
}
