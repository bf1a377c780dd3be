//! Formats of files of rows.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evergraph_io::interchange::json_lines::to_json;

use super::values::Cell;
use super::{Format, real};
use crate::Error;
use evergraph_property_graph::value::Value;

/// Format of a file of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileFormat {
    /// A line for each row, without titles: names and values with blanks between, or
    /// tabs where names are properties; a name with blanks in quotes; `inf` for a vertex
    /// that is not reached, `-` for nothing.
    #[default]
    Text,
    /// Titles, then rows, with commas between (RFC 4180); a cell of a vertex that is not
    /// reached is empty.
    Csv,
    /// As CSV with tabs, which names have as `\t`.
    Tsv,
    /// A JSON object for each row.
    JsonLines,
    /// Parquet, in programs that are built with the feature `columnar`. The rows wait in
    /// DRAM.
    Parquet,
}

impl FileFormat {
    /// Each with its name, which is also the usual extension.
    pub const ALL: [(&str, FileFormat); 5] = [
        ("text", FileFormat::Text),
        ("csv", FileFormat::Csv),
        ("tsv", FileFormat::Tsv),
        ("jsonl", FileFormat::JsonLines),
        ("parquet", FileFormat::Parquet),
    ];

    /// The format that the extension of a path says: text for `.txt`, and for a path that
    /// has none, is a directory, or ends with a slash.
    ///
    /// # Errors
    /// If it has another one, as of compression.
    pub fn of_path(path: &Path) -> Result<Self, Error> {
        let is_directory = path.as_os_str().as_bytes().ends_with(b"/") || path.is_dir();
        let Some(extension) = path.extension().filter(|_| !is_directory) else {
            return Ok(FileFormat::Text);
        };
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        let named = Self::ALL.iter().find(|(name, _)| *name == extension);
        match (extension.as_str(), named) {
            ("txt", _) => Ok(FileFormat::Text),
            ("ndjson", _) => Ok(FileFormat::JsonLines),
            (_, Some((_, format))) => Ok(*format),
            ("gz" | "zst" | "bz2" | "xz", None) => Err(Error::usage(
                format!("{} would be compressed, and values are not", path.display()),
                "write it without that ending and compress the file, or write to `-o -` with \
                 --format and compress what comes",
            )),
            (_, None) => Err(Error::usage(
                format!("the ending .{extension} says no format of values"),
                "end it with .txt, .csv, .tsv, .jsonl, .ndjson or .parquet, or give --format",
            )),
        }
    }

    /// Refuses a format that the program was built without.
    ///
    /// # Errors
    /// If it is Parquet, and the feature `columnar` is off.
    pub fn check(self) -> Result<(), Error> {
        match self == FileFormat::Parquet && cfg!(not(feature = "columnar")) {
            false => Ok(()),
            true => Err(Error::usage(
                "this program was built without Parquet",
                "write .csv or .jsonl, or build it with `--features columnar`",
            )),
        }
    }
}

/// How lines of text are written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Tabs between the parts of a line.
    pub tabs: bool,
    /// How many of the first cells are names.
    pub names: usize,
    pub format: Format,
}

impl Style {
    pub(super) fn write_line(self, out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
        let separator: &[u8] = if self.tabs { b"\t" } else { b" " };
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                out.write_all(separator)?;
            }
            out.write_all(self.text(cell, at < self.names).as_bytes())?;
        }
        out.write_all(b"\n")
    }

    fn text(self, cell: &Cell, is_name: bool) -> String {
        match cell {
            None => "-".to_string(),
            Some(Value::Null) => self.format.unreached().to_string(),
            Some(Value::Float(number)) if is_name => real(*number),
            Some(Value::Float(number)) => self.format.real(*number),
            Some(Value::Boolean(is_so)) if !is_name => u8::from(*is_so).to_string(),
            Some(Value::Text(text)) if self.tabs => escaped(text),
            Some(Value::Text(text)) => quoted_if(text, |c| c.is_whitespace() || c == '"'),
            Some(other) => other.to_string(),
        }
    }
}

/// Writes rows under their titles.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    format: FileFormat,
    style: Style,
    titles: Vec<String>,
    /// Of Parquet.
    waiting: Vec<Vec<Option<Value>>>,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(
        out: &'a mut dyn Write,
        format: FileFormat,
        style: Style,
        titles: Vec<String>,
    ) -> io::Result<Self> {
        let mut writer = Writer {
            out,
            format,
            style,
            waiting: vec![Vec::new(); titles.len()],
            titles: Vec::new(),
        };
        if let FileFormat::Csv | FileFormat::Tsv = format {
            let cells = titles
                .iter()
                .map(|title| Some(Value::Text(title.as_str().into())));
            let cells: Vec<Cell> = cells.collect();
            writer.separated(&cells)?;
        }
        // Of JSON, as they are written each time.
        writer.titles = match format {
            FileFormat::JsonLines => {
                let titles = titles.iter();
                let json = titles.map(|title| to_json(&Value::Text(title.as_str().into())));
                json.map(|title| title.to_string()).collect()
            }
            _ => titles,
        };
        Ok(writer)
    }

    pub(super) fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        match self.format {
            FileFormat::Text => self.style.write_line(self.out, cells),
            FileFormat::Csv | FileFormat::Tsv => self.separated(cells),
            FileFormat::JsonLines => self.object(cells),
            FileFormat::Parquet => {
                let cells = cells.iter().map(known);
                let columns = self.waiting.iter_mut().zip(cells);
                columns.for_each(|(column, cell)| column.push(cell.cloned()));
                Ok(())
            }
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        #[cfg(feature = "columnar")]
        if self.format == FileFormat::Parquet {
            let table = evergraph_io::interchange::columnar::table(&self.titles, &self.waiting);
            return self.out.write_all(&table.map_err(io::Error::other)?);
        }
        Ok(())
    }

    fn separated(&mut self, cells: &[Cell]) -> io::Result<()> {
        let is_csv = self.format == FileFormat::Csv;
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                self.out.write_all(if is_csv { b"," } else { b"\t" })?;
            }
            let text = match known(cell) {
                None => String::new(),
                Some(Value::Float(number)) => real(*number),
                Some(Value::Text(text)) if is_csv => {
                    quoted_if(text, |c| matches!(c, ',' | '"' | '\n' | '\r'))
                }
                Some(Value::Text(text)) => escaped(text),
                Some(other) if is_csv => quoted_if(&other.to_string(), |c| matches!(c, ',' | '"')),
                Some(other) => escaped(&other.to_string()),
            };
            self.out.write_all(text.as_bytes())?;
        }
        self.out.write_all(b"\n")
    }

    fn object(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.out.write_all(b"{")?;
        for (at, (title, cell)) in self.titles.iter().zip(cells).enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let json = to_json(known(cell).unwrap_or(&Value::Null));
            write!(self.out, "{comma}{title}:{json}")?;
        }
        self.out.write_all(b"}\n")
    }
}

/// The value of a cell, unless it says that there is none.
pub(super) fn known(cell: &Cell) -> Option<&Value> {
    cell.as_ref().filter(|value| match value {
        Value::Null => false,
        Value::Float(number) => *number != f64::INFINITY,
        _ => true,
    })
}

/// In quotes if it is empty or has one of those characters, with quotes doubled.
fn quoted_if(text: &str, needs_quotes: impl Fn(char) -> bool) -> String {
    match text.is_empty() || text.contains(needs_quotes) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// With `\t`, `\n`, `\r` and `\\` for the characters that a line cannot hold.
fn escaped(name: &str) -> String {
    if !name.contains(['\t', '\n', '\r', '\\']) {
        return name.to_string();
    }
    let mut text = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        match letter {
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\\' => text.push_str("\\\\"),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: FileFormat, cells: &[Cell]) -> String {
        let style = Style {
            tabs: false,
            names: 1,
            format: Format::Evergraph,
        };
        let mut out = Vec::new();
        let titles = vec!["a name".to_string(), "x".to_string()];
        let mut writer = Writer::begin(&mut out, format, style, titles).unwrap();
        writer.row(cells).unwrap();
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_keep_to_their_place() {
        let text = |text: &str| Some(Value::Text(text.into()));
        for (format, expected) in [
            (FileFormat::Text, "\"c, \"\"d\"\"\t\" 0.5\n"),
            (FileFormat::Csv, "a name,x\n\"c, \"\"d\"\"\t\",0.5\n"),
            (FileFormat::Tsv, "a name\tx\nc, \"d\"\\t\t0.5\n"),
            (
                FileFormat::JsonLines,
                "{\"a name\":\"c, \\\"d\\\"\\t\",\"x\":0.5}\n",
            ),
        ] {
            let cells = [text("c, \"d\"\t"), Some(Value::Float(0.5))];
            assert_eq!(written(format, &cells), expected, "{format:?}");
        }
        assert_eq!(escaped("a\tb\\c\r\n"), "a\\tb\\\\c\\r\\n");
    }

    /// Names as they are, values as numbers.
    #[test]
    fn a_line_of_text_tells_names_from_values() {
        let line = |tabs: bool, cells: &[Cell]| {
            let style = Style {
                tabs,
                names: 1,
                format: Format::Evergraph,
            };
            let mut out = Vec::new();
            style.write_line(&mut out, cells).unwrap();
            String::from_utf8(out).unwrap()
        };
        let truths = [Some(Value::Boolean(true)), Some(Value::Boolean(true))];
        let texts = ["a\tb c", "d"].map(|text| Some(Value::Text(text.into())));
        for (tabs, cells, expected) in [
            (false, &truths, "true 1\n"),
            (true, &truths, "true\t1\n"),
            (false, &texts, "\"a\tb c\" d\n"),
            (true, &texts, "a\\tb c\td\n"),
            (true, &[None, Some(Value::Null)], "-\tinf\n"),
        ] {
            assert_eq!(line(tabs, cells), expected);
        }
    }

    #[test]
    fn what_is_not_reached_is_told_or_left_out() {
        for unreached in [Value::Null, Value::Float(f64::INFINITY)] {
            let cells = [Some(Value::Integer(7)), Some(unreached)];
            assert_eq!(written(FileFormat::Text, &cells), "7 inf\n");
            assert_eq!(written(FileFormat::Csv, &cells), "a name,x\n7,\n");
            let json = written(FileFormat::JsonLines, &cells);
            assert_eq!(json, "{\"a name\":7,\"x\":null}\n");
        }
    }

    #[test]
    fn extensions_say_the_format() {
        for (path, format) in [
            ("a.CSV", FileFormat::Csv),
            ("a.ndjson", FileFormat::JsonLines),
            ("a.txt", FileFormat::Text),
            ("a.text", FileFormat::Text),
            ("values", FileFormat::Text),
            ("two.d/", FileFormat::Text),
            ("/tmp", FileFormat::Text),
            ("-", FileFormat::Text),
        ] {
            assert_eq!(FileFormat::of_path(path.as_ref()).unwrap(), format);
        }
        for path in ["a.csv.gz", "a.tsv.zst", "a.foo", "a."] {
            assert!(FileFormat::of_path(path.as_ref()).is_err(), "{path}");
        }
    }
}
