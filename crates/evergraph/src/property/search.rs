//! Full-text and vector search in a database: where indexes lie, names that are wrong,
//! and failures.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::View;
use crate::names::check_names;
use crate::{Database, Error};

impl Database {
    /// Directory in which the command line keeps indexes of full-text and vector search,
    /// and programs may: it is within that of the database, and need not be there. It
    /// holds secondary indexes only, and can be removed whenever no search has one open.
    pub fn search_directory(&self) -> PathBuf {
        self.path().join("search")
    }

    /// Bytes of disk that indexes there occupy; 0 if there are none.
    ///
    /// # Errors
    /// I/O errors.
    pub fn search_bytes(&self) -> Result<u64, Error> {
        let directory = self.search_directory();
        match directory.is_dir() {
            true => occupied(&directory).map_err(|e| Error::io(directory.display().to_string(), e)),
            false => Ok(0),
        }
    }
}

/// Of files, and of those in directories.
fn occupied(directory: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let facts = entry.metadata()?;
        bytes += match facts.is_dir() {
            true => occupied(&entry.path())?,
            false => facts.blocks() * 512,
        };
    }
    Ok(bytes)
}

/// Refuses a label that the graph has never had.
///
/// # Errors
/// The error says which label is near, or which there are.
pub fn known_label(view: &View, label: &str) -> Result<(), Error> {
    check_names("label", [&label.to_string()], &view.known_labels())
}

/// Refuses types of relationships that the graph has never had.
///
/// # Errors
/// As [`known_label`].
pub fn known_types(view: &View, types: &[String]) -> Result<(), Error> {
    check_names("relationship type", types, &view.known_types())
}

/// Refuses keys of properties that the graph has never had.
///
/// # Errors
/// As [`known_label`].
pub fn known_keys(view: &View, keys: &[String]) -> Result<(), Error> {
    check_names("property", keys, &view.known_keys())
}

#[cfg(any(feature = "fulltext", feature = "vector"))]
fn of_file(error: evergraph_search::IndexFileError) -> Error {
    use evergraph_search::IndexFileError;
    match error {
        IndexFileError::InUse { .. } => Error::usage(
            "somebody else searches with this index",
            "try again when they have ended",
        ),
        IndexFileError::NotThere { path } => Error::usage(
            format!("{}: there is no such index", path.display()),
            "`evergraph search DB list` shows what there is",
        ),
        IndexFileError::Io { path, source } => Error::io(path.display().to_string(), source),
    }
}

#[cfg(any(feature = "fulltext", feature = "vector"))]
fn stopped() -> Error {
    Error::Interrupted {
        message: "the index was not brought up to date".to_string(),
        hint: "nothing is lost; search again".to_string(),
    }
}

#[cfg(feature = "fulltext")]
impl From<evergraph_search::fulltext::TextError> for Error {
    fn from(error: evergraph_search::fulltext::TextError) -> Self {
        use evergraph_search::fulltext::TextError;
        match error {
            TextError::Graph(error) => error.into(),
            TextError::IndexFile(error) => of_file(error),
            TextError::Stopped => stopped(),
            TextError::Query { .. } => Error::argument(
                error.to_string(),
                "a query is words; OR, -word, \"words side by side\" and (brackets) say more",
            ),
            TextError::Index { ref path, .. } => Error::usage(
                error.to_string(),
                format!("remove {}, and search again", path.display()),
            ),
            TextError::Definition { .. } | TextError::OtherGraph => {
                Error::argument(error.to_string(), "see docs/search.md")
            }
        }
    }
}

#[cfg(feature = "vector")]
impl From<evergraph_search::vector::VectorError> for Error {
    fn from(error: evergraph_search::vector::VectorError) -> Self {
        use evergraph_search::vector::VectorError;
        match error {
            VectorError::Graph(error) => error.into(),
            VectorError::IndexFile(error) => of_file(error),
            VectorError::Stopped => stopped(),
            VectorError::Library(_) => Error::usage(
                error.to_string(),
                "the index is held in memory: see what is free",
            ),
            VectorError::Query(_) | VectorError::Definition { .. } | VectorError::OtherGraph => {
                Error::argument(error.to_string(), "see docs/search.md")
            }
        }
    }
}
