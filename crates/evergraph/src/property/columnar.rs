//! Parquet and Arrow, where the program was built with them.

use std::path::Path;
use std::sync::Arc;

use evergraph_io::interchange::RowReader;

use super::FileKind;
use crate::Error;

/// Opens a Parquet or Arrow file for its rows. Relationships without a type have
/// `relationship`.
#[cfg(feature = "columnar")]
pub(super) fn open(
    kind: FileKind,
    path: &Path,
    relationship: Option<Arc<str>>,
) -> Result<Box<dyn RowReader>, Error> {
    use std::fs::File;
    use std::io::{BufReader, Read, Seek};

    use evergraph_io::interchange::columnar::{ColumnarOptions, ColumnarReader};

    const FILE_MAGIC: &[u8] = b"ARROW1";

    let name = path.display().to_string();
    let failed = |error| Error::io(name.clone(), error);
    let mut file = File::open(path).map_err(failed)?;
    let options = ColumnarOptions {
        kind: relationship,
        ..ColumnarOptions::default()
    };
    if kind == FileKind::Parquet {
        return Ok(Box::new(ColumnarReader::parquet(&name, file, options)?));
    }
    let mut magic = Vec::new();
    let read = (&mut file)
        .take(FILE_MAGIC.len() as u64)
        .read_to_end(&mut magic);
    read.and_then(|_| file.rewind()).map_err(failed)?;
    let input = BufReader::with_capacity(1 << 18, file);
    Ok(Box::new(match magic == FILE_MAGIC {
        true => ColumnarReader::arrow_file(&name, input, options)?,
        false => ColumnarReader::arrow_stream(&name, input, options)?,
    }))
}

/// Says that they are not there.
#[cfg(not(feature = "columnar"))]
pub(super) fn open(
    _: FileKind,
    _: &Path,
    _: Option<Arc<str>>,
) -> Result<Box<dyn RowReader>, Error> {
    Err(not_there())
}

/// # Errors
/// If this is a format that the program was built without.
pub(super) fn check(kind: FileKind) -> Result<(), Error> {
    match kind {
        FileKind::Parquet | FileKind::Arrow if !cfg!(feature = "columnar") => Err(not_there()),
        _ => Ok(()),
    }
}

fn not_there() -> Error {
    Error::usage(
        "this program was built without Parquet and Arrow",
        "build it with them: cargo build --release -p evergraph-cli --features columnar",
    )
}
