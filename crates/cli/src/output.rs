//! Files that commands write values to.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::Cancellation;
use evergraph::run::{FileFormat, Rows};

use crate::report::Failure;

/// Flags of a file of rows.
#[derive(Clone, Debug, clap::Args)]
pub struct RowsArgs {
    /// Write a row for each vertex or edge of the result; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format of that file: text (without titles), csv, tsv, jsonl or parquet
    /// [default: what its name ends with, or text]
    #[arg(long, value_name = "F", requires = "output", value_parser = formats(),
          hide_possible_values = true)]
    format: Option<FileFormat>,
    /// Show, or write, only the N rows with the largest values, the largest first; of
    /// components and communities the largest with their sizes
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub top: Option<u64>,
    /// Nodes of a property graph go by their internal numbers, also in --source and
    /// --target, and not by the keys of imports
    #[arg(long)]
    pub numbers: bool,
}

fn formats() -> impl TypedValueParser<Value = FileFormat> {
    PossibleValuesParser::new(FileFormat::ALL.map(|(name, _)| name)).map(|given| {
        let found = FileFormat::ALL.iter().find(|(name, _)| *name == given);
        found.expect("one of the possible values").1
    })
}

impl RowsArgs {
    /// Format of the file.
    ///
    /// # Errors
    /// If the name of the file says none, or the program was built without it.
    pub fn format(&self) -> Result<FileFormat, Failure> {
        let format = match (self.format, self.output.as_deref()) {
            (Some(format), _) => format,
            (None, Some(path)) => FileFormat::of_path(path)?,
            (None, None) => FileFormat::default(),
        };
        format.check()?;
        Ok(format)
    }

    /// The rows that are wanted of these.
    pub fn chosen<'a>(&self, rows: Rows<'a>) -> Rows<'a> {
        match self.top {
            None => rows,
            Some(count) => rows.top(usize::try_from(count).unwrap_or(usize::MAX)),
        }
    }
}

/// Whether values go to standard output.
///
/// # Errors
/// If the report is wanted there, too.
pub fn wants_stdout(output: Option<&Path>, as_json: bool) -> Result<bool, Failure> {
    match output == Some(Path::new("-")) {
        true if as_json => Err(Failure::usage(
            "--json and the output - both want standard output",
            "write to a file",
        )),
        to_stdout => Ok(to_stdout),
    }
}

/// File or stream that values are written to. A file appears under its name only when
/// complete.
pub struct Target {
    path: PathBuf,
    /// File that is written first; `None` unless the target is an ordinary file.
    partial: Option<PathBuf>,
    out: BufWriter<Box<dyn Write>>,
}

impl Target {
    /// Opens it: `-` is standard output.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Target::new(path, None, Box::new(std::io::stdout())));
        }
        let special = path.exists() && !path.is_file();
        let partial = (!special).then(|| {
            let mut name = path.as_os_str().to_owned();
            name.push(".partial");
            PathBuf::from(name)
        });
        let written = partial.as_deref().unwrap_or(path);
        let file = File::create(written)
            .map_err(|error| evergraph::Error::io(written.display().to_string(), error))?;
        Ok(Target::new(path, partial, Box::new(file)))
    }

    fn new(path: &Path, partial: Option<PathBuf>, out: Box<dyn Write>) -> Self {
        Target {
            path: path.to_path_buf(),
            partial,
            out: BufWriter::with_capacity(1 << 17, out),
        }
    }

    /// Has `write` write everything; a file appears only if that ends well.
    pub fn write(
        mut self,
        stop: &Cancellation,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = Stoppable {
            out: &mut self.out,
            stop,
        };
        let written = write(&mut out)
            .and_then(|()| self.out.flush())
            .and_then(|()| match &self.partial {
                Some(partial) => std::fs::rename(partial, &self.path),
                None => Ok(()),
            });
        if written.is_ok() {
            self.partial = None;
        }
        match written {
            Err(_) if stop.is_cancelled() => Err(Failure::new(
                "interrupted: the values were not written",
                "nothing was changed; run it again",
            )),
            // A reader of standard output that has seen enough is no failure.
            Err(error)
                if self.path == Path::new("-")
                    && error.kind() == std::io::ErrorKind::BrokenPipe =>
            {
                Ok(())
            }
            Err(error) => Err(evergraph::Error::io(self.path.display().to_string(), error).into()),
            Ok(()) => Ok(()),
        }
    }
}

/// Writes until it is told to stop.
struct Stoppable<'a, W> {
    out: &'a mut W,
    stop: &'a Cancellation,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.stop.is_cancelled() {
            true => Err(std::io::Error::other("stopped")),
            false => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // The run failed; half a file would look like a result.
            let _ = std::fs::remove_file(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_renamed_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("values");
        let target = Target::open(&path).unwrap();
        let written = target.write(&Cancellation::new(), |out| {
            std::fs::create_dir(&path)?;
            out.write_all(b"1 2\n")
        });
        assert!(written.is_err());
        let left: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
