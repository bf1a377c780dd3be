//! Writing edge lists that [`super::EdgeReader`] reads back as they were.

use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::batch::EdgeBatch;
use super::compressed::Compressed;
use super::compression::Compression;
use super::error::FormatError;
use super::guess::uncompressed_name;
use super::values::is_blank;

/// How edges are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteFormat {
    /// `u v [weight] [time]`, blanks between.
    EdgeList,
    /// Commas between, quotes where needed, and a header line.
    Csv,
    /// Tabs between; otherwise like [`WriteFormat::Csv`].
    Tsv,
}

impl WriteFormat {
    /// Format for the extension of a file name, an edge list without one; others are
    /// refused.
    pub fn of_name(path: &Path) -> Result<WriteFormat, FormatError> {
        let name = uncompressed_name(path);
        let extension = name.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(WriteFormat::Csv),
            Some("tsv") => Ok(WriteFormat::Tsv),
            None | Some("txt" | "e" | "el" | "wel" | "edges" | "edgelist") => {
                Ok(WriteFormat::EdgeList)
            }
            Some(other) => Err(FormatError::Unsupported {
                file: path.to_owned(),
                problem: format!("a plain graph is not written as {other}"),
                hint: "write an edge list (.txt, .e), .csv or .tsv, with .gz or .zst if you like; \
                       GraphML and JSON lines are for property graphs"
                    .to_owned(),
            }),
        }
    }
}

/// Writes edges to a file. Only after [`EdgeWriter::finish`] is it complete.
#[must_use = "the file is complete only after `finish`"]
pub struct EdgeWriter {
    file: PathBuf,
    output: Compressed<Box<dyn Write + Send>>,
    format: WriteFormat,
    /// Lines that were not handed on yet.
    pending: Vec<u8>,
    edges: u64,
}

/// How much text is gathered before it is handed on.
const CHUNK: usize = 1 << 17;

impl EdgeWriter {
    /// Creates or replaces a file. Its name says how it is compressed (`.gz`,
    /// `.zst`) and laid out (`.csv`, `.tsv`, else an edge list).
    pub fn create(path: impl AsRef<Path>) -> Result<EdgeWriter, FormatError> {
        let path = path.as_ref();
        let format = WriteFormat::of_name(path)?;
        let file = File::create(path).map_err(|source| FormatError::Open {
            file: path.to_owned(),
            source,
        })?;
        EdgeWriter::to_writer(path, file, format, Compression::of_name(path))
    }

    /// Writes to anything; `name` stands for it in messages.
    pub fn to_writer(
        name: impl AsRef<Path>,
        writer: impl Write + Send + 'static,
        format: WriteFormat,
        compression: Compression,
    ) -> Result<EdgeWriter, FormatError> {
        let writer: Box<dyn Write + Send> = Box::new(writer);
        let file = name.as_ref().to_owned();
        let output = match Compressed::new(writer, compression) {
            Ok(output) => output,
            Err(source) => return Err(FormatError::Write { file, source }),
        };
        Ok(EdgeWriter {
            file,
            output,
            format,
            pending: Vec::with_capacity(CHUNK + 256),
            edges: 0,
        })
    }

    /// Writes an edge with numbers for ids. All edges of a file should have a
    /// weight, or none; and so for times.
    ///
    /// Fails if the weight is NaN.
    #[inline]
    pub fn edge(
        &mut self,
        source: u64,
        target: u64,
        weight: Option<f32>,
        timestamp: Option<i64>,
    ) -> Result<(), FormatError> {
        self.header(true, weight.is_some(), timestamp.is_some());
        let start = self.pending.len();
        push_number(&mut self.pending, source);
        self.pending.push(self.separator());
        push_number(&mut self.pending, target);
        self.end_edge(start, weight, timestamp)
    }

    /// Writes all edges (or vertices) of a batch.
    ///
    /// Fails if the columns of the batch are of different lengths, or if an id
    /// cannot be written in this format: in an edge list ids have no blanks,
    /// commas or semicolons and do not start like a comment; nowhere are they
    /// empty or of several lines.
    pub fn batch(&mut self, batch: &EdgeBatch) -> Result<(), FormatError> {
        let texts = !batch.source_texts.is_empty();
        let (len, targets) = match texts {
            true => (batch.source_texts.len(), batch.target_texts.len()),
            false => (batch.sources.len(), batch.targets.len()),
        };
        if !batch.deletions.is_empty() {
            let problem = "edges that are deleted are no edges".to_owned();
            return Err(self.refuse(problem, "import the events, and write what is left"));
        }
        let optional = [targets, batch.weights.len(), batch.timestamps.len()];
        let both_kinds = texts && !batch.sources.is_empty();
        if both_kinds || optional.iter().any(|&other| other != 0 && other != len) {
            let problem = "the columns of the batch are not of one length".to_owned();
            return Err(self.refuse(problem, "fill all columns or leave them empty"));
        }
        for index in 0..len {
            let weight = batch.weights.get(index).copied();
            let timestamp = batch.timestamps.get(index).copied();
            self.header(targets != 0, weight.is_some(), timestamp.is_some());
            let start = self.pending.len();
            if texts {
                self.text(start, batch.source_texts.get(index))?;
            } else {
                push_number(&mut self.pending, batch.sources[index]);
            }
            if targets != 0 {
                self.pending.push(self.separator());
                if texts {
                    self.text(start, batch.target_texts.get(index))?;
                } else {
                    push_number(&mut self.pending, batch.targets[index]);
                }
            }
            self.end_edge(start, weight, timestamp)?;
        }
        Ok(())
    }

    /// Hands on the rest, ends the compressed stream and returns how many edges were
    /// written. The data is then with the operating system; it is not synced to the disk.
    pub fn finish(mut self) -> Result<u64, FormatError> {
        self.hand_on()?;
        match self.output.finish() {
            Ok(_) => Ok(self.edges),
            Err(source) => Err(FormatError::Write {
                file: self.file,
                source,
            }),
        }
    }

    fn separator(&self) -> u8 {
        match self.format {
            WriteFormat::EdgeList => b' ',
            WriteFormat::Csv => b',',
            WriteFormat::Tsv => b'\t',
        }
    }

    /// Names the columns before the first edge of a csv file.
    fn header(&mut self, targets: bool, weights: bool, timestamps: bool) {
        if self.edges > 0 || self.format == WriteFormat::EdgeList {
            return;
        }
        let separator = char::from(self.separator()).to_string();
        let mut names = match targets {
            true => vec!["source", "target"],
            false => vec!["id"],
        };
        names.extend(weights.then_some("weight"));
        names.extend(timestamps.then_some("timestamp"));
        self.pending.clear();
        self.pending.extend(names.join(&separator).as_bytes());
        self.pending.push(b'\n');
    }

    /// Appends an id to the line that starts at `start`.
    fn text(&mut self, start: usize, text: &str) -> Result<(), FormatError> {
        let bytes = text.as_bytes();
        if is_hostile(text) {
            self.pending.truncate(start);
            let problem = format!("cannot write the id {text:?}");
            return Err(self.refuse(problem, "give it another name"));
        }
        if self.format == WriteFormat::EdgeList {
            if !is_plain_id(text) {
                self.pending.truncate(start);
                let hint = "write csv, which can quote it";
                let problem = format!("cannot write the id {text:?}");
                return Err(self.refuse(problem, hint));
            }
            self.pending.extend(bytes);
            return Ok(());
        }
        let edge_blank = |byte: Option<&u8>| byte.is_some_and(|&byte| is_blank(byte));
        // Any byte that could be a separator, because a reader has to guess it.
        let quoted = bytes.iter().any(|byte| b",;|\t\"".contains(byte))
            || edge_blank(bytes.first())
            || edge_blank(bytes.last());
        if quoted {
            self.pending.push(b'"');
            self.pending.extend(text.replace('"', "\"\"").as_bytes());
            self.pending.push(b'"');
        } else {
            self.pending.extend(bytes);
        }
        Ok(())
    }

    /// Ends the line that starts at `start`.
    #[inline]
    fn end_edge(
        &mut self,
        start: usize,
        weight: Option<f32>,
        timestamp: Option<i64>,
    ) -> Result<(), FormatError> {
        let separator = self.separator();
        if let Some(weight) = weight {
            if weight.is_nan() {
                self.pending.truncate(start);
                return Err(self.refuse(
                    "cannot write the weight NaN".to_owned(),
                    "leave the edge out",
                ));
            }
            self.pending.push(separator);
            write!(self.pending, "{}", Exact(weight)).expect("a Vec takes all bytes");
        }
        if let Some(timestamp) = timestamp {
            self.pending.push(separator);
            if timestamp < 0 {
                self.pending.push(b'-');
            }
            push_number(&mut self.pending, timestamp.unsigned_abs());
        }
        self.pending.push(b'\n');
        self.edges += 1;
        if self.pending.len() >= CHUNK {
            self.hand_on()?;
        }
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), FormatError> {
        let written = self.output.write_all(&self.pending);
        self.pending.clear();
        written.map_err(|source: io::Error| FormatError::Write {
            file: self.file.clone(),
            source,
        })
    }

    #[cold]
    fn refuse(&self, problem: String, hint: &str) -> FormatError {
        FormatError::Unsupported {
            file: self.file.clone(),
            problem,
            hint: hint.to_owned(),
        }
    }
}

impl std::fmt::Debug for EdgeWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EdgeWriter")
            .field("file", &self.file)
            .field("format", &self.format)
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}

/// Appends a number in decimal.
#[inline]
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Writes edges without weights to a new file, as [`EdgeWriter::create`] has
/// it, and returns how many they were.
pub fn write_edges(
    path: impl AsRef<Path>,
    edges: impl IntoIterator<Item = (u64, u64)>,
) -> Result<u64, FormatError> {
    let mut writer = EdgeWriter::create(path)?;
    for (source, target) in edges {
        writer.edge(source, target, None, None)?;
    }
    writer.finish()
}

/// Whether no file of lines can have an id.
fn is_hostile(text: &str) -> bool {
    // A byte order mark would be taken for one at the start of the file.
    text.is_empty() || text.contains(['\n', '\r']) || text.starts_with('\u{feff}')
}

/// A weight as others read it, too: the shortest digits of 4294967296 as a float of 32 bits
/// are 4294967300.
pub struct Exact(pub f32);

impl Display for Exact {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Exact(weight) = *self;
        match weight.fract() == 0.0 && weight.abs() < 9e15 {
            true => write!(f, "{}", f64::from(weight)),
            false => write!(f, "{weight}"),
        }
    }
}

/// Whether an edge list, or a file of events, can have an id: there are no quotes in it, and
/// a sign is an addition or a deletion.
pub fn is_plain_id(text: &str) -> bool {
    let separates = |byte: u8| is_blank(byte) || byte == b',' || byte == b';';
    let is_comment = text.starts_with(['#', '%']) || text.starts_with("//");
    let is_sign = matches!(text, "+" | "-");
    !is_hostile(text) && !is_comment && !is_sign && !text.bytes().any(separates)
}

#[cfg(test)]
mod tests {
    use super::Exact;

    #[test]
    fn whole_weights_have_all_digits() {
        for (weight, text) in [
            (4_294_967_296.0, "4294967296"),
            (100_000_008.0, "100000008"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (16_777_216.0, "16777216"),
            (f32::INFINITY, "inf"),
            (1e-40, "0.0000000000000000000000000000000000000001"),
            (1e20, "100000000000000000000"),
        ] {
            assert_eq!(Exact(weight).to_string(), text);
        }
    }
}
