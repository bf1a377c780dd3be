//! The file of what an import has left out.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::formats::ParseError;

/// The titles of the columns.
const TITLES: &str = "file,line,column,problem,row";

/// CSV: file, line, column and problem of each line or row, and what could be read of it.
/// Each is written at once: an import that is killed and goes on behind a commit does not
/// read again what was left out before it.
pub(crate) struct RejectsFile {
    path: PathBuf,
    output: File,
    /// Rows of the file before it, those that are read again among them.
    known: HashSet<String>,
}

impl RejectsFile {
    /// Makes the file, or empties it; one of an import that goes on keeps its whole rows.
    ///
    /// # Errors
    /// A file of the import, which reads `sources`; one that cannot be written.
    pub fn create<'p>(
        path: &Path,
        sources: impl IntoIterator<Item = &'p Path>,
        goes_on: bool,
    ) -> Result<Self, Error> {
        let whole = path.canonicalize().ok();
        let mut sources = sources.into_iter();
        if whole.is_some() && sources.any(|source| source.canonicalize().ok() == whole) {
            return Err(Error::argument(
                format!("{}: a file of the import itself", path.display()),
                "rejected rows go to another file",
            ));
        }
        let before = match goes_on && path.is_file() {
            true => std::fs::read(path).map_err(|error| failed(path, error))?,
            false => Vec::new(),
        };
        // A kill may have cut off the last row within a character.
        let text = before.utf8_chunks().next();
        let (kept, known) = whole_rows(text.map_or("", |chunk| chunk.valid()));
        let mut options = OpenOptions::new();
        let opened = options
            .write(true)
            .create(true)
            .truncate(kept == 0)
            .open(path);
        let output = opened.and_then(|mut file| {
            if kept > 0 {
                file.set_len(kept as u64)?;
                file.seek(SeekFrom::End(0))?;
            }
            Ok(file)
        });
        let mut rejects = RejectsFile {
            path: path.to_path_buf(),
            output: output.map_err(|error| failed(path, error))?,
            known,
        };
        if kept == 0 {
            rejects.write_line(TITLES.to_string())?;
        }
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
        match self.known.remove(&line) {
            true => Ok(()),
            false => self.write_line(line),
        }
    }

    fn write_line(&mut self, line: String) -> Result<(), Error> {
        let written = self.output.write_all((line + "\n").as_bytes());
        written.map_err(|error| failed(&self.path, error))
    }
}

/// Rows of a file of rejected ones, and where they end: the last may be cut off. None of
/// another file.
fn whole_rows(text: &str) -> (usize, HashSet<String>) {
    let (mut rows, mut begin, mut is_quoted) = (HashSet::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => {
                rows.insert(text[begin..at].to_string());
                begin = at + 1;
            }
            _ => {}
        }
    }
    match rows.remove(TITLES) {
        true => (begin, rows),
        false => (0, HashSet::new()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_that_goes_on_keeps_whole_rows_and_writes_none_twice() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("bad.csv");
        let write = |goes_on, lines: &[&str]| {
            let mut file = RejectsFile::create(&path, [], goes_on).expect("made");
            for line in lines {
                file.write(["f", line, "", "a\n\"b\"", ""])
                    .expect("written");
            }
            std::fs::read_to_string(&path).expect("readable")
        };
        let row = |line| format!("f,{line},,\"a\n\"\"b\"\"\",\n");
        let both = format!("{TITLES}\n{}{}", row("1"), row("2"));
        assert_eq!(write(false, &["1", "2"]), both);
        for cut in [&b""[..], b"f", b"f,3,,\"a\n", b"f,3,,\xc3"] {
            std::fs::write(&path, [both.as_bytes(), cut].concat()).expect("written");
            assert_eq!(
                write(true, &["2", "3"]),
                both.clone() + &row("3"),
                "{cut:?}"
            );
        }
        assert_eq!(write(false, &["4"]), format!("{TITLES}\n{}", row("4")));
        std::fs::write(&path, "another file\n").expect("written");
        assert_eq!(write(true, &["4"]), format!("{TITLES}\n{}", row("4")));
    }
}
