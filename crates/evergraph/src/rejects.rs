//! The file of what an import has left out.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::formats::ParseError;

/// CSV: file, line, column and problem of each line or row, and what could be read of it.
pub(crate) struct RejectsFile {
    path: PathBuf,
    output: BufWriter<File>,
}

impl RejectsFile {
    /// Makes the file, or empties it.
    ///
    /// # Errors
    /// A file of the import, which reads `sources`; one that cannot be written.
    pub fn create<'p>(
        path: &Path,
        sources: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Self, Error> {
        let whole = path.canonicalize().ok();
        let mut sources = sources.into_iter();
        if whole.is_some() && sources.any(|source| source.canonicalize().ok() == whole) {
            return Err(Error::argument(
                format!("{}: a file of the import itself", path.display()),
                "rejected rows go to another file",
            ));
        }
        let file = File::create(path).map_err(|error| failed(path, error))?;
        let mut rejects = RejectsFile {
            path: path.to_path_buf(),
            output: BufWriter::new(file),
        };
        rejects.write(["file", "line", "column", "problem", "row"])?;
        Ok(rejects)
    }

    /// Adds lines that cannot be read.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn add_lines(&mut self, bad: &[ParseError]) -> Result<(), Error> {
        bad.iter().try_for_each(|bad| self.add_line(bad))
    }

    /// A line that cannot be read, and its beginning.
    fn add_line(&mut self, bad: &ParseError) -> Result<(), Error> {
        let column = bad.column.map(|column| column.to_string());
        self.write([
            &bad.file.display().to_string(),
            &bad.line.to_string(),
            &column.unwrap_or_default(),
            &bad.reason.to_string(),
            &bad.text,
        ])
    }

    /// # Errors
    /// Errors of writing.
    pub fn write(&mut self, fields: [&str; 5]) -> Result<(), Error> {
        let line = fields.map(quoted).join(",");
        writeln!(self.output, "{line}").map_err(|error| failed(&self.path, error))
    }

    /// Hands everything to the operating system.
    ///
    /// # Errors
    /// Errors of writing.
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
