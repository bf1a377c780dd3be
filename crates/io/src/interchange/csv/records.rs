//! Lines into fields: RFC 4180 with any one-byte delimiter, or no quotes at all.
//!
//! Our own and not a library's, because a quoted empty field (a text) and an empty
//! field (no value) have to be told apart, and because a message has to name the
//! line of a record that spans several.

use std::io::{self, BufRead, Read};
use std::ops::Range;

use crate::RETURNS_ALONE;
use crate::interchange::error::Problem;

/// Most bytes of a record.
const MOST_BYTES: usize = 64 << 20;

/// Bytes that are read ahead at most.
const AHEAD: usize = 1 << 18;

const QUOTE: u8 = b'"';

/// How fields are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// Whether `"` around a field takes its delimiters and line ends as text. If not,
    /// a quote is a character like others.
    pub(crate) quotes: bool,
    /// Whether a delimiter before a space is text: for files that do not quote texts
    /// with delimiters in them.
    pub(crate) spaced_is_text: bool,
}

impl Dialect {
    pub(crate) fn new(delimiter: u8, quotes: bool) -> Self {
        Dialect {
            delimiter,
            quotes,
            spaced_is_text: false,
        }
    }

    /// Whether a delimiter is neither a part of a character nor of the end of a line.
    fn is_usual(self) -> bool {
        self.delimiter.is_ascii() && !matches!(self.delimiter, b'\r' | b'\n' | QUOTE)
    }

    /// Whether a field ends here.
    fn ends_field(self, line: &[u8], at: usize) -> bool {
        let is_text = || self.spaced_is_text && line.get(at + 1) == Some(&b' ');
        line[at] == self.delimiter && !is_text()
    }
}

/// Outcome of reading a record.
pub(crate) enum Outcome {
    /// Its fields can be asked for.
    Record,
    /// It cannot be read, the next can.
    Bad(Problem),
    /// Neither it nor anything behind it can be read.
    Broken(Problem),
}

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) text: &'a str,
    pub(crate) quoted: bool,
}

/// The records of an input.
pub(crate) struct Records<R> {
    input: R,
    dialect: Dialect,
    /// The line on which the record at hand begins.
    line: u64,
    lines_read: u64,
    /// Whole lines that are read ahead, and how much of them is taken.
    ahead: String,
    taken: usize,
    /// Whether the record at hand is in them.
    is_ahead: bool,
    /// Bytes that are not in the middle of a field without quotes.
    stops: [bool; 256],
    raw: Vec<u8>,
    /// Fields of the record that is being split...
    bytes: Vec<u8>,
    /// ...and of the one at hand.
    text: String,
    fields: Vec<(Range<usize>, bool)>,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(input: R, dialect: Dialect) -> Self {
        Records {
            input,
            dialect,
            line: 0,
            lines_read: 0,
            ahead: String::new(),
            taken: 0,
            is_ahead: false,
            stops: std::array::from_fn(|byte| {
                [b'\n', QUOTE, dialect.delimiter].contains(&(byte as u8))
            }),
            raw: Vec::new(),
            bytes: Vec::new(),
            text: String::new(),
            fields: Vec::new(),
        }
    }

    /// The line on which the record at hand begins, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line.max(1)
    }

    pub(crate) fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// A field of the record at hand, which [`Records::advance`] found to be UTF-8.
    pub(crate) fn field(&self, at: usize) -> Option<Field<'_>> {
        let (range, quoted) = self.fields.get(at)?;
        let text = match self.is_ahead {
            true => &self.ahead,
            false => &self.text,
        };
        Some(Field {
            text: text.get(range.clone()).unwrap_or(""),
            quoted: *quoted,
        })
    }

    /// Passes over lines, whatever is in them; at the end over those that there are.
    pub(crate) fn pass_over(&mut self, lines: u64) -> io::Result<()> {
        for _ in 0..lines {
            self.raw.clear();
            while self.read_line()? && !self.raw.ends_with(b"\n") {
                // A piece of a line that is longer than any row.
                self.lines_read -= 1;
                self.raw.clear();
            }
        }
        Ok(())
    }

    /// The next record that is no empty line.
    pub(crate) fn advance(&mut self) -> io::Result<Option<Outcome>> {
        loop {
            self.is_ahead = self.split_ahead();
            if self.is_ahead {
                return Ok(Some(Outcome::Record));
            }
            self.raw.clear();
            let line = self.lines_read + 1;
            if !self.read_line()? {
                return Ok(None);
            }
            self.line = line;
            if self.line == 1 && self.raw.starts_with(b"\xef\xbb\xbf") {
                self.raw.drain(..3);
            }
            let ended = trimmed(&self.raw).len();
            if self.line == 1 && self.has_returns_alone() {
                let problem = Problem::new(RETURNS_ALONE.join("; "));
                return Ok(Some(Outcome::Broken(problem)));
            }
            if ended > 0 {
                return self.split().map(Some);
            }
        }
    }

    /// Whether the input, whose first line is at hand, has lines that end with CR and no
    /// LF: all of it would be taken for its header.
    fn has_returns_alone(&self) -> bool {
        let mut is_quoted = false;
        let mut pairs = self.raw.windows(2);
        let ends_line = |pair: &[u8]| {
            is_quoted ^= self.dialect.quotes && pair[0] == QUOTE;
            !is_quoted && pair[0] == b'\r' && pair[1] != b'\r'
        };
        !self.raw.ends_with(b"\n") && pairs.any(ends_line)
    }

    /// Appends a line with its end; `false` at the end of the input.
    fn read_line(&mut self) -> io::Result<bool> {
        let ahead = &self.ahead[self.taken..];
        let read = match ahead.find('\n') {
            Some(end) => {
                self.raw.extend_from_slice(&ahead.as_bytes()[..=end]);
                self.taken += end + 1;
                end + 1
            }
            None => {
                let left = (MOST_BYTES + 1).saturating_sub(self.raw.len()) as u64;
                let input = &mut self.input;
                input.take(left).read_until(b'\n', &mut self.raw)?
            }
        };
        self.lines_read += u64::from(read > 0);
        Ok(read > 0)
    }

    fn split(&mut self) -> io::Result<Outcome> {
        self.bytes.clear();
        self.fields.clear();
        if self.raw.len() > MOST_BYTES {
            return Ok(too_long());
        }
        let found = match self.split_plain() {
            true => Outcome::Record,
            false => {
                self.fields.clear();
                self.split_quoted()?
            }
        };
        if matches!(found, Outcome::Record) && !self.take_text() {
            return Ok(Outcome::Bad(Problem::new("the line is not UTF-8")));
        }
        Ok(found)
    }

    /// Takes the bytes of the fields as text. Returns whether they are text.
    fn take_text(&mut self) -> bool {
        let text = match String::from_utf8(std::mem::take(&mut self.bytes)) {
            Ok(text) => text,
            Err(error) => {
                self.bytes = error.into_bytes();
                return false;
            }
        };
        self.bytes = std::mem::replace(&mut self.text, text).into_bytes();
        // Each field by itself: two broken characters may be a good one together.
        let mut fields = self.fields.iter();
        fields.all(|(field, _)| self.text.is_char_boundary(field.start))
    }

    /// Splits the next line of those read ahead that is not empty, if it has no quotes.
    /// Returns whether it is at hand; if not, nothing of it was taken.
    fn split_ahead(&mut self) -> bool {
        self.fields.clear();
        loop {
            if self.taken == self.ahead.len() && !self.read_ahead() {
                return false;
            }
            let bytes = self.ahead.as_bytes();
            let (begin, mut start) = (self.taken, self.taken);
            let mut at = begin;
            // A line end is there, as these are whole lines.
            loop {
                let stop = |byte: &u8| self.stops[usize::from(*byte)];
                at += bytes[at..].iter().position(stop).unwrap_or(0);
                match bytes[at] {
                    b'\n' => break,
                    QUOTE if self.dialect.quotes => return false,
                    _ if self.dialect.ends_field(bytes, at) => {
                        self.fields.push((start..at, false));
                        start = at + 1;
                    }
                    _ => {}
                }
                at += 1;
            }
            self.taken = at + 1;
            self.lines_read += 1;
            let end = begin + trimmed(&bytes[begin..=at]).len();
            if end > begin {
                self.line = self.lines_read;
                self.fields.push((start..end, false));
                return true;
            }
        }
    }

    /// Reads whole lines ahead that are text, as many as the input has in its buffer. Returns
    /// whether there are any. The first line, which may begin with a mark, is not among them.
    fn read_ahead(&mut self) -> bool {
        self.ahead.clear();
        self.taken = 0;
        if self.lines_read == 0 || !self.dialect.is_usual() {
            return false;
        }
        // An error comes again for who reads the next line by itself.
        let buffer = self.input.fill_buf().unwrap_or_default();
        let buffer = &buffer[..buffer.len().min(AHEAD)];
        let valid = str::from_utf8(buffer).map_or_else(|error| error.valid_up_to(), str::len);
        let lines = buffer[..valid].iter().rposition(|byte| *byte == b'\n');
        let lines = &buffer[..lines.map_or(0, |last| last + 1)];
        self.ahead
            .push_str(str::from_utf8(lines).unwrap_or_default());
        let read = self.ahead.len();
        self.input.consume(read);
        read > 0
    }

    /// Splits a line without quotes, and takes its bytes. Returns whether it is one.
    fn split_plain(&mut self) -> bool {
        let Dialect {
            delimiter, quotes, ..
        } = self.dialect;
        let line = trimmed(&self.raw);
        let mut start = 0;
        for (at, &byte) in line.iter().enumerate() {
            if byte == delimiter && self.dialect.ends_field(line, at) {
                self.fields.push((start..at, false));
                start = at + 1;
            } else if byte == QUOTE && quotes {
                return false;
            }
        }
        self.fields.push((start..line.len(), false));
        let end = line.len();
        std::mem::swap(&mut self.raw, &mut self.bytes);
        self.bytes.truncate(end);
        true
    }

    fn split_quoted(&mut self) -> io::Result<Outcome> {
        let mut at = 0;
        loop {
            let start = self.bytes.len();
            if self.raw.get(at) == Some(&QUOTE) {
                match self.quoted_field(at + 1)? {
                    Ok(behind) => at = behind,
                    Err(problem) => return Ok(problem),
                }
                self.fields.push((start..self.bytes.len(), true));
            } else {
                let rest = trimmed(&self.raw).get(at..).unwrap_or(&[]);
                let end = (0..rest.len()).find(|&at| self.dialect.ends_field(rest, at));
                let field = &rest[..end.unwrap_or(rest.len())];
                if field.contains(&QUOTE) {
                    let problem = "a quote inside of a field that does not begin with one";
                    return Ok(Outcome::Bad(Problem::new(problem)));
                }
                self.bytes.extend_from_slice(field);
                at += field.len();
                self.fields.push((start..self.bytes.len(), false));
            }
            match trimmed(&self.raw).get(at) {
                Some(&byte) if byte == self.dialect.delimiter => at += 1,
                None => return Ok(Outcome::Record),
                Some(_) => {
                    let problem = "something follows the quote that ends a field";
                    return Ok(Outcome::Bad(Problem::new(problem)));
                }
            }
        }
    }

    /// Takes the text of a field behind its first quote; gives the place behind the
    /// last.
    fn quoted_field(&mut self, mut at: usize) -> io::Result<Result<usize, Outcome>> {
        loop {
            let Some(&byte) = self.raw.get(at) else {
                if self.raw.len() > MOST_BYTES {
                    return Ok(Err(too_long()));
                }
                if !self.read_line()? {
                    let problem = "a quoted field begins on this line and does not end";
                    return Ok(Err(Outcome::Broken(Problem::new(problem))));
                }
                continue;
            };
            at += 1;
            if byte != QUOTE {
                self.bytes.push(byte);
            } else if self.raw.get(at) == Some(&QUOTE) {
                self.bytes.push(QUOTE);
                at += 1;
            } else {
                return Ok(Ok(at));
            }
        }
    }
}

fn too_long() -> Outcome {
    let mebibytes = MOST_BYTES >> 20;
    Outcome::Broken(Problem::new(format!(
        "more than {mebibytes} MiB in one row"
    )))
}

/// A line without its end.
#[inline]
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::BufReader;

    use proptest::prelude::*;

    /// Fields and whether they were quoted, or what is wrong.
    type Fields = Result<Vec<(String, bool)>, String>;

    fn fields(text: &str, quotes: bool) -> Vec<(u64, Fields)> {
        fields_of(text.as_bytes(), Dialect::new(b',', quotes))
    }

    fn fields_of(input: impl BufRead, dialect: Dialect) -> Vec<(u64, Fields)> {
        let mut records = Records::new(input, dialect);
        let mut found = Vec::new();
        while let Some(read) = records.advance().unwrap() {
            let line = records.line();
            match read {
                Outcome::Record => {
                    let field = |at| records.field(at).unwrap();
                    let all = (0..records.field_count())
                        .map(|at| (field(at).text.to_string(), field(at).quoted));
                    found.push((line, Ok(all.collect())));
                }
                Outcome::Bad(problem) => found.push((line, Err(problem.text))),
                Outcome::Broken(problem) => {
                    found.push((line, Err(problem.text)));
                    break;
                }
            }
        }
        found
    }

    fn plain(fields: &[&str]) -> Fields {
        Ok(fields
            .iter()
            .map(|field| (field.to_string(), false))
            .collect())
    }

    #[test]
    fn lines_are_counted_over_empty_ones_and_ends_of_two_bytes() {
        let found = fields("\u{feff}a,b\r\n\r\n\nc,\nlast", true);
        let expected = [
            (1, plain(&["a", "b"])),
            (4, plain(&["c", ""])),
            (5, plain(&["last"])),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_that_end_with_cr_alone_are_told() {
        let found = fields("a,b\r1,2\r3,4", true);
        assert_eq!(found.len(), 1);
        assert!(found[0].1.as_ref().unwrap_err().contains("CR alone"));
        assert_eq!(fields("a,b\r", true), [(1, plain(&["a", "b"]))]);
        assert!(fields("\"a\rb\",c", true)[0].1.is_ok());
        assert!(fields("a\rb,c\n1,2\n", true)[0].1.is_ok());
    }

    proptest! {
        /// With a buffer of one byte no line is read ahead.
        #[test]
        fn lines_read_ahead_are_as_those_read_one_by_one(
            bytes in prop::collection::vec(
                prop::sample::select(b"aab,,,\n\n\r \"\xc3\xa9\xff".to_vec()),
                0..200,
            ),
            capacity in 2..100_usize,
            quotes: bool,
            spaced_is_text: bool,
        ) {
            let dialect = Dialect { spaced_is_text, ..Dialect::new(b',', quotes) };
            let with_buffer = |capacity| fields_of(BufReader::with_capacity(capacity, &bytes[..]), dialect);
            prop_assert_eq!(with_buffer(capacity), with_buffer(1));
            prop_assert_eq!(fields_of(&bytes[..], dialect), with_buffer(1));
        }
    }

    /// As the standard library splits it, between lines with quotes.
    #[test]
    fn a_line_without_quotes_is_split_at_each_delimiter() {
        let quoted = |text: &str| (text.to_string(), true);
        for line in ["a,b", ",", "a,,b,", "é,ü,", " a , b", "x"] {
            let expected: Vec<&str> = line.split(',').collect();
            assert_eq!(fields(line, false), [(1, plain(&expected))]);
            let found = fields(&format!("{line}\n\"c,d\",\n{line}\r\n"), true);
            let between = Ok(vec![quoted("c,d"), (String::new(), false)]);
            let expected = [(1, plain(&expected)), (2, between), (3, plain(&expected))];
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn quoted_fields_hold_everything() {
        let found = fields("\"a,\"\"b\",\"\",c\n\"x\r\ny\",z\nq,\"r\"\n", true);
        let quoted = |text: &str| (text.to_string(), true);
        assert_eq!(
            found[0].1,
            Ok(vec![quoted("a,\"b"), quoted(""), ("c".to_string(), false)])
        );
        assert_eq!(
            found[1],
            (2, Ok(vec![quoted("x\r\ny"), ("z".to_string(), false)]))
        );
        assert_eq!(
            found[2],
            (4, Ok(vec![("q".to_string(), false), quoted("r")]))
        );
    }

    #[test]
    fn without_quotes_a_quote_is_a_character() {
        assert_eq!(fields("a\"b,\"c\n", false), [(1, plain(&["a\"b", "\"c"]))]);
    }

    #[test]
    fn a_delimiter_before_a_space_is_text_where_it_is_said() {
        let dialect = Dialect {
            spaced_is_text: true,
            ..Dialect::new(b',', true)
        };
        let text = "1,12, rue X,Y,\n\"a\",b, c, d,\"e, f\",\n";
        let mut records = Records::new(text.as_bytes(), dialect);
        for expected in [
            &["1", "12, rue X", "Y", ""][..],
            &["a", "b, c, d", "e, f", ""],
        ] {
            assert!(matches!(records.advance().unwrap(), Some(Outcome::Record)));
            let fields = (0..records.field_count()).map(|at| records.field(at).unwrap().text);
            assert_eq!(fields.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn bad_quotes_are_reported_and_reading_goes_on() {
        let found = fields("a\"b\n\"a\"b\nfine\n\"never\nends", true);
        assert!(found[0].1.as_ref().unwrap_err().contains("a quote inside"));
        assert!(
            found[1]
                .1
                .as_ref()
                .unwrap_err()
                .contains("something follows")
        );
        assert_eq!(found[2], (3, plain(&["fine"])));
        let (line, problem) = &found[3];
        assert_eq!(*line, 4);
        assert!(problem.as_ref().unwrap_err().contains("does not end"));
    }

    #[test]
    fn a_line_that_is_no_text_is_bad() {
        let text = b"\xff\xfe,a\n\"\xc3\",\"\xa9\"\nb\n";
        let mut records = Records::new(&text[..], Dialect::new(b',', true));
        assert!(matches!(records.advance().unwrap(), Some(Outcome::Bad(_))));
        assert!(matches!(records.advance().unwrap(), Some(Outcome::Bad(_))));
        assert!(matches!(records.advance().unwrap(), Some(Outcome::Record)));
        assert_eq!(records.field(0).unwrap().text, "b");
        assert!(records.field(1).is_none());
    }
}
