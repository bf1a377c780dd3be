//! The file of the rows that an import has left out.

use std::path::Path;

use evergraph_io::interchange::json_lines::JsonLinesWriter;
use evergraph_io::interchange::{BadRow, Row};

use super::files::Source;
use crate::Error;
use crate::rejects::RejectsFile;

/// Rows with their problems, and, where one could be read, the row as a JSON line, which
/// can be imported again.
pub(super) struct Rejects(RejectsFile);

impl Rejects {
    /// As [`RejectsFile::create`].
    ///
    /// # Errors
    /// A file of the import; one that cannot be written.
    pub fn create(path: &Path, sources: &[Source], goes_on: bool) -> Result<Self, Error> {
        let sources = sources.iter().map(|source| source.path.as_path());
        RejectsFile::create(path, sources, goes_on).map(Rejects)
    }

    /// # Errors
    /// Errors of writing.
    pub fn add(&mut self, bad: &BadRow, row: Option<&Row>) -> Result<(), Error> {
        let mut json = Vec::new();
        if let Some(row) = row {
            JsonLinesWriter::new(&mut json).write(row)?;
        }
        let json = String::from_utf8_lossy(json.trim_ascii_end());
        let column = bad.column.as_deref().unwrap_or("");
        let line = bad.line.to_string();
        self.0
            .write([&bad.file, &line, column, &bad.problem, &json])
    }
}
