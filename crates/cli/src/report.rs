//! Results of commands, and how they are printed.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use evergraph::query::Notification;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::stop;

const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

/// Success, or a finding that is reported in full all the same.
pub struct Report {
    /// For `--json`.
    pub json: Value,
    /// For people.
    pub text: String,
    /// Whether the exit code says that something is wrong.
    pub is_failure: bool,
}

impl Report {
    /// A success.
    pub fn new(json: Value, text: impl Into<String>) -> Self {
        Report {
            json,
            text: text.into(),
            is_failure: false,
        }
    }

    /// With rows, as JSON and as a table below the rest.
    pub fn with_rows(mut self, rows: Option<(Value, String)>) -> Self {
        if let Some((json, text)) = rows {
            self.json["top"] = json;
            self.text = format!("{}\n{text}", self.text);
        }
        self
    }

    /// That things of these names are gone, and the space that they had.
    pub fn dropped(names: &[impl AsRef<str>], freed: u64) -> Self {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let text = format!(
            "dropped {}, {} free again\n",
            names.join(", "),
            bytes(freed)
        );
        Report::new(json!({ "dropped": names, "freed_bytes": freed }), text)
    }
}

/// Why a command gave no report.
#[derive(Debug)]
pub struct Failure {
    /// 1 or 2.
    pub code: u8,
    /// One line.
    pub message: String,
    /// One line.
    pub hint: String,
}

impl Failure {
    /// Something went wrong.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure {
            code: 1,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The command was called in a wrong way.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure {
            code: 2,
            ..Failure::new(message, hint)
        }
    }
}

impl From<evergraph::Error> for Failure {
    fn from(error: evergraph::Error) -> Self {
        let wrong_usage = matches!(error, evergraph::Error::Argument { .. });
        Failure {
            code: if wrong_usage { 2 } else { 1 },
            message: error.summary(),
            hint: error.hint(),
        }
    }
}

impl From<evergraph::TopologyError> for Failure {
    fn from(error: evergraph::TopologyError) -> Self {
        evergraph::Error::from(error).into()
    }
}

impl From<evergraph::formats::FormatError> for Failure {
    fn from(error: evergraph::formats::FormatError) -> Self {
        evergraph::Error::from(error).into()
    }
}

/// Prints the outcome of a command and gives the exit code.
pub fn print(outcome: Result<Report, Failure>, as_json: bool) -> ExitCode {
    match outcome {
        Ok(report) => {
            let text = match as_json {
                // What was printed while it was made.
                true if report.json.is_null() => String::new(),
                true => report.json.to_string() + "\n",
                false => report.text,
            };
            write_out(&text);
            ended(u8::from(report.is_failure))
        }
        Err(failure) => {
            let (message, hint) = (spaced(&failure.message), one_line(&failure.hint));
            if as_json {
                write_out(&format!("{}\n", json!({ "error": message, "hint": hint })));
            }
            tell(&failure);
            ended(failure.code)
        }
    }
}

/// The exit code; of a failure behind a signal that of the signal.
fn ended(code: u8) -> ExitCode {
    let of_signal = stop::code().filter(|_| code != 0);
    ExitCode::from(of_signal.unwrap_or(code))
}

/// Writes a failure to standard error.
pub fn tell(failure: &Failure) {
    say("error:", RED, &spaced(&failure.message));
    say("hint:", GREEN, &one_line(&failure.hint));
}

/// Writes what a user may want to know of a statement to standard error.
pub fn warn(notification: &Notification) {
    say("warning:", YELLOW, &notification.to_string());
}

/// Writes a line that a word begins to standard error.
fn say(word: &str, color: u8, text: &str) {
    let word = painted(word, color);
    let _ = writeln!(io::stderr().lock(), "{word} {}", safe(text));
}

/// Prints what clap says: help on standard output, complaints on standard error.
pub fn print_usage(error: &clap::Error, as_json: bool) -> ExitCode {
    if !error.use_stderr() {
        write_out(&error.render().to_string());
        return ExitCode::SUCCESS;
    }
    if as_json {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        let message = first.trim_start_matches("error: ");
        let hint = hint_of(&text);
        write_out(&format!("{}\n", json!({ "error": message, "hint": hint })));
    }
    // If standard error is closed, there is no other place for the message.
    let _ = error.print();
    ExitCode::from(2)
}

/// The hint in a message of clap: its tip, or else how the command is used.
fn hint_of(text: &str) -> &str {
    let line = |start: &str| {
        let found = text
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with(start));
        found.map(|line| line.trim_start_matches("tip: "))
    };
    let known = line("tip: ").or_else(|| line("Usage: "));
    known.unwrap_or("see `evergraph --help`")
}

/// A word that begins a message, in color where that is wanted: standard error is a
/// terminal and `NO_COLOR` is empty, which is also clap's rule.
fn painted(word: &str, color: u8) -> String {
    let is_off = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match io::stderr().is_terminal() && !is_off && !is_dumb {
        true => format!("\u{1b}[1;{color}m{word}\u{1b}[0m"),
        false => word.to_string(),
    }
}

/// Whether a terminal would obey a character, or show those around it in another order.
pub fn is_obeyed(character: char) -> bool {
    let is_of_order = matches!(
        character,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    character.is_control() || is_of_order || matches!(character, '\u{2028}' | '\u{2029}')
}

/// A text of lines without what a terminal would obey: names come from files.
pub fn safe(text: &str) -> Cow<'_, str> {
    let is_unsafe = |character: char| is_obeyed(character) && !"\n\t".contains(character);
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match is_unsafe(character) {
            true => safe += &format!("\\u{:04X}", u32::from(character)),
            false => safe.push(character),
        }
    }
    Cow::Owned(safe)
}

/// Writes to standard output. A reader that has gone away is no error.
pub fn write_out(text: &str) {
    let text = match io::stdout().is_terminal() {
        true => safe(text),
        false => Cow::Borrowed(text),
    };
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        note(&format!("error: cannot write to standard output: {error}"));
        std::process::exit(1);
    }
}

/// Writes a line to standard error. Errors are passed over: it may be closed.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", safe(text));
}

/// On one line, unless carets mark a place in the line above.
fn spaced(text: &str) -> String {
    match text.contains('\n') && text.ends_with('^') {
        true => text.to_string(),
        false => one_line(text),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Name and value of each fact, one a line, values aligned.
pub fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let line = |(name, value): &(&str, String)| format!("{name:<width$}  {value}\n");
    rows.iter().map(line).collect()
}

/// Rows of cells, aligned; the first column to the left, others to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    aligned_by(rows, |column| column > 0)
}

/// Rows of cells, aligned: the columns of figures to the right.
pub fn aligned_by(rows: &[Vec<String>], is_figure: impl Fn(usize) -> bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            text += if i > 0 { "  " } else { "" };
            text += &filled(cell, width, is_figure(i));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// A cell with blanks up to a width on the terminal, before it if it is a figure.
pub fn filled(cell: &str, width: usize, is_figure: bool) -> String {
    // Wider than a format of the standard library can be.
    let blanks = " ".repeat(width.saturating_sub(cell.width()));
    match is_figure {
        true => blanks + cell,
        false => cell.to_string() + &blanks,
    }
}

/// How many there are of something, with its name.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    let name = if number == 1 { one } else { many };
    format!("{} {name}", count(number))
}

/// Edges in words.
pub fn edges(number: u64) -> String {
    counted(number, "edge", "edges")
}

/// A count with thin gaps between thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A rate a second, in a unit that is easy to read.
pub fn rate(number: f64) -> String {
    match number {
        n if n >= 1e6 => format!("{:.2} M/s", n / 1e6),
        n if n >= 1e3 => format!("{:.1} k/s", n / 1e3),
        n => format!("{n:.1} /s"),
    }
}

/// Bytes in a unit that is easy to read.
pub fn bytes(number: u64) -> String {
    evergraph::graph::Bytes(number).to_string()
}

/// Seconds in a unit that is easy to read.
pub fn seconds(number: f64) -> String {
    match number {
        n if n >= 1.0 => format!("{n:.2} s"),
        n if n >= 1e-3 => format!("{:.2} ms", n * 1e3),
        n => format!("{:.1} µs", n * 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_easy_to_read() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(rate(2_500_000.0), "2.50 M/s");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!([0, 1, 2].map(edges), ["0 edges", "1 edge", "2 edges"]);
        assert_eq!(seconds(0.0123), "12.30 ms");
        assert_eq!(
            table(&[("a", "1".into()), ("long", "2".into())]),
            "a     1\nlong  2\n"
        );
    }

    #[test]
    fn columns_are_as_wide_as_a_terminal_shows_them() {
        let rows = [["é", "1"], ["e\u{301}a", "22"], ["日本", "3"]];
        let rows = rows.map(|row| row.map(str::to_string).to_vec());
        let expected = "é      1\ne\u{301}a    22\n日本   3\n";
        assert_eq!(aligned(&rows), expected);
    }
}
