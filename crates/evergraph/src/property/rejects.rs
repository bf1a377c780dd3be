//! The file of the rows that an import has left out.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use evergraph_io::interchange::json_lines::JsonLinesWriter;
use evergraph_io::interchange::{BadRow, Row};

use super::files::Source;
use crate::Error;

/// CSV: file, line, column and problem of each row, and, where it could be read, the row
/// as a JSON line, which can be imported again.
pub(super) struct Rejects {
    path: PathBuf,
    output: BufWriter<File>,
}

impl Rejects {
    /// Makes the file, or empties it.
    ///
    /// # Errors
    /// A file of the import; one that cannot be written.
    pub fn create(path: &Path, sources: &[Source]) -> Result<Self, Error> {
        let whole = path.canonicalize().ok();
        let is_source = |source: &Source| source.path.canonicalize().ok() == whole;
        if whole.is_some() && sources.iter().any(is_source) {
            return Err(Error::argument(
                format!("{}: a file of the import itself", path.display()),
                "rejected rows go to another file",
            ));
        }
        let file = File::create(path).map_err(|error| failed(path, error))?;
        let mut rejects = Rejects {
            path: path.to_path_buf(),
            output: BufWriter::new(file),
        };
        rejects.write(["file", "line", "column", "problem", "row"])?;
        Ok(rejects)
    }

    /// # Errors
    /// Errors of writing, as of [`Rejects::finish`].
    pub fn add(&mut self, bad: &BadRow, row: Option<&Row>) -> Result<(), Error> {
        let mut json = Vec::new();
        if let Some(row) = row {
            JsonLinesWriter::new(&mut json).write(row)?;
        }
        let json = String::from_utf8_lossy(json.trim_ascii_end());
        let column = bad.column.as_deref().unwrap_or("");
        let line = bad.line.to_string();
        self.write([&bad.file, &line, column, &bad.problem, &json])
    }

    fn write(&mut self, fields: [&str; 5]) -> Result<(), Error> {
        let line = fields.map(quoted).join(",");
        writeln!(self.output, "{line}").map_err(|error| failed(&self.path, error))
    }

    /// Hands everything to the operating system.
    pub fn finish(&mut self) -> Result<(), Error> {
        let flushed = self.output.flush();
        flushed.map_err(|error| failed(&self.path, error))
    }
}

fn quoted(field: &str) -> Cow<'_, str> {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")).into(),
        false => field.into(),
    }
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::io(path.display().to_string(), error)
}
