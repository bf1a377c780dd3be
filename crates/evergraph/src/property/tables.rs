//! Mappings of plain tables, and the files that they name.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use evergraph_io::interchange::tables::{Mapping, TableFile};

use crate::formats::open_bytes;
use crate::{Cancellation, Error};

/// Names of files that a message lists.
const LISTED: usize = 20;

/// The files of a mapping, in its order. They are in `data`, or beside the mapping.
///
/// # Errors
/// A mapping that is wrong, or does not fit the files; a file that cannot be read.
pub(super) fn files(
    path: &Path,
    data: Option<&Path>,
    stop: &Cancellation,
) -> Result<Vec<(PathBuf, TableFile)>, Error> {
    let called = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(&*called, error))?;
    let mapping = Mapping::parse(&called, &text)?;
    let directory = data.or(path.parent()).unwrap_or(Path::new(""));
    for (file, line) in mapping.files() {
        if !directory.join(file).is_file() {
            return Err(mapping.error(line, missing(directory, file)).into());
        }
    }
    let ask = || match stop.is_cancelled() {
        false => Ok(()),
        true => Err(Error::Interrupted {
            message: "the types of the columns were not known yet".to_string(),
            hint: "run the same command again".to_string(),
        }),
    };
    let tables = mapping.resolve(|file| open(&directory.join(file)), &ask)?;
    let paths = tables.into_iter();
    Ok(paths
        .map(|table| (directory.join(&table.path), table))
        .collect())
}

/// Says which files there are instead.
fn missing(directory: &Path, file: &str) -> String {
    let shown = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let Ok(entries) = std::fs::read_dir(shown) else {
        return format!("{file}: there is no directory {}", shown.display());
    };
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let more = if names.len() > LISTED { ", ..." } else { "" };
    names.truncate(LISTED);
    let (names, place) = (names.join(", "), shown.display());
    format!("{file}: there is no such file in {place}; there are {names}{more}")
}

/// The bytes of a file, decompressed.
pub(super) fn open(path: &Path) -> Result<impl BufRead + use<>, Error> {
    Ok(BufReader::with_capacity(1 << 18, open_bytes(path)?))
}
