//! Full-text and vector search in a database: where indexes lie, names that are wrong,
//! and failures.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::View;
use crate::{Database, Error};
use evergraph_analytics::names::check_names;

impl Database {
    /// Directory in which the command line keeps indexes of full-text and vector search,
    /// and programs may: it is within that of the database, and need not be there. It
    /// holds secondary indexes only, and can be removed whenever no search has one open.
    pub fn search_directory(&self) -> PathBuf {
        self.path().join(crate::database::SEARCH)
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
