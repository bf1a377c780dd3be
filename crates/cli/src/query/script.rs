//! Statements as a stream of lines has them.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

/// Most bytes of a statement with what is around it.
const MOST_BYTES: usize = 128 << 20;

/// The byte order mark that some programs put before a text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A part of a script.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// A statement without its semicolon.
    Statement(String),
    /// A line that begins with a colon.
    Command(String),
    /// What can be neither, and why.
    Bad(String),
}

/// Where a statement ends, beside the end of the input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With a semicolon at the end of any line but within a comment: who waits for an answer
    /// gets one, also to a text that has no end.
    Line,
    /// With a semicolon at the end of a line that is not within a text, a name or a comment.
    Statement,
}

/// Statements and commands, as they come in; a command is a line that begins with a colon,
/// between statements.
pub struct Script<R> {
    input: R,
    end: End,
    parts: VecDeque<Part>,
    /// Whether something was read.
    has_begun: bool,
}

impl<R: BufRead> Script<R> {
    /// Reads from the beginning of an input.
    pub fn new(input: R, end: End) -> Self {
        Script {
            input,
            end,
            parts: VecDeque::new(),
            has_begun: false,
        }
    }

    /// The next part; nothing at the end. Waits for lines; O(length).
    ///
    /// # Errors
    /// Of the input.
    pub fn next(&mut self) -> io::Result<Option<Part>> {
        let mut lines = Lines::default();
        while self.parts.is_empty() {
            let begin = lines.raw.len();
            let most = MOST_BYTES.saturating_sub(begin) as u64;
            let mut input = (&mut self.input).take(most);
            let read = input.read_until(b'\n', &mut lines.raw)?;
            if !std::mem::replace(&mut self.has_begun, true) && lines.raw.starts_with(MARK) {
                lines.raw.drain(..MARK.len());
            }
            let is_end = read == 0 && most > 0;
            if most == 0 {
                lines = Lines::default();
                self.skip_line()?;
                let why = format!("a statement has more than {} MiB", MOST_BYTES >> 20);
                self.parts.push_back(Part::Bad(why));
            } else if lines.are_blank() {
                if is_end {
                    return Ok(None);
                }
                lines = Lines::default();
            } else if lines.end_with(begin, self.end) || is_end {
                self.parts.extend(std::mem::take(&mut lines).parts());
            }
        }
        Ok(self.parts.pop_front())
    }

    /// Passes over the rest of a line.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let seen = self.input.fill_buf()?;
            let (used, is_done) = match seen.iter().position(|&byte| byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (seen.len(), seen.is_empty()),
            };
            self.input.consume(used);
            if is_done {
                return Ok(());
            }
        }
    }
}

/// Lines that are no part yet.
#[derive(Default)]
struct Lines {
    raw: Vec<u8>,
    within: Within,
    /// Bytes of blanks and comments that they begin with, as far as was looked.
    passed: usize,
}

impl Lines {
    fn are_blank(&self) -> bool {
        self.raw.trim_ascii().is_empty()
    }

    /// Whether a part ends with the last line, which begins there.
    fn end_with(&mut self, begin: usize, end: End) -> bool {
        let line = &self.raw[begin..];
        let is_end_of_statement = self.within.pass(line);
        let ends = match end {
            End::Line => ends(line) && self.within != Within::Comment,
            End::Statement => is_end_of_statement,
        };
        if self.within != Within::Comment {
            self.pass_comments();
        }
        ends || self.raw[self.passed..].starts_with(b":")
    }

    fn pass_comments(&mut self) {
        loop {
            let rest = self.raw[self.passed..].trim_ascii_start();
            self.passed = self.raw.len() - rest.len();
            let comment = match rest {
                [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n'),
                [b'/', b'*', inner @ ..] => {
                    let end = inner.windows(2).position(|two| two == b"*/");
                    end.map(|end| end + 4)
                }
                _ => None,
            };
            match comment {
                Some(length) => self.passed += length,
                None => return,
            }
        }
    }

    fn parts(self) -> Vec<Part> {
        let Ok(text) = String::from_utf8(self.raw) else {
            return vec![Part::Bad("the input is not UTF-8".to_string())];
        };
        if let Some(command) = text.get(self.passed..).filter(|rest| rest.starts_with(':')) {
            let command = command.trim_end().trim_end_matches(';').trim_end();
            return vec![Part::Command(command.to_string())];
        }
        let statements = split(&text).into_iter();
        statements
            .map(|statement| Part::Statement(statement.to_string()))
            .collect()
    }
}

/// Whether a text has no statement that is not ended, and may be run. O(length).
pub fn is_whole(text: &str) -> bool {
    let mut lines = Lines::default();
    for line in text.split_inclusive('\n') {
        let begin = lines.raw.len();
        lines.raw.extend_from_slice(line.as_bytes());
        if lines.are_blank() || lines.end_with(begin, End::Statement) {
            lines = Lines::default();
        }
    }
    lines.are_blank()
}

/// The text, name or comment that a place of a statement is within, or none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Statement,
    /// A text or a name, up to this.
    Quotes(u8),
    Comment,
}

impl Within {
    /// Passes over a line; whether a statement ends with it.
    fn pass(&mut self, line: &[u8]) -> bool {
        let mut ends = false;
        let mut rest = line;
        while let [first, others @ ..] = rest {
            rest = others;
            match (*self, first) {
                (Within::Quotes(quote), b'\\') if quote != b'`' => {
                    rest = rest.get(1..).unwrap_or(&[])
                }
                (Within::Quotes(quote), byte) if *byte == quote => *self = Within::Statement,
                (Within::Comment, b'*') if rest.starts_with(b"/") => {
                    (*self, rest) = (Within::Statement, &rest[1..]);
                }
                (Within::Statement, b'/') if rest.starts_with(b"/") => break,
                (Within::Statement, b'/') if rest.starts_with(b"*") => {
                    (*self, rest) = (Within::Comment, &rest[1..]);
                }
                (Within::Statement, quote @ (b'\'' | b'"' | b'`')) => {
                    (*self, ends) = (Within::Quotes(*quote), false);
                }
                (Within::Statement, b';') => ends = true,
                (Within::Statement, byte) => ends &= byte.is_ascii_whitespace(),
                _ => {}
            }
        }
        ends && *self == Within::Statement
    }
}

/// Whether a line ends a statement, whatever it is within.
fn ends(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b";")
}

/// Statements between semicolons, those in texts, names and comments apart. Of what is
/// between only blanks and comments, nothing is left.
pub fn split(text: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let (mut begin, mut has_content) = (0, false);
    let mut rest = text.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        match character {
            '\'' | '"' | '`' => {
                has_content = true;
                let escapes = character != '`';
                while let Some((_, inner)) = rest.next() {
                    match inner {
                        '\\' if escapes => drop(rest.next()),
                        inner if inner == character => break,
                        _ => {}
                    }
                }
            }
            '/' if text[at..].starts_with("//") => {
                while rest.next_if(|(_, inner)| *inner != '\n').is_some() {}
            }
            '/' if text[at..].starts_with("/*") => {
                let end = text[at + 2..]
                    .find("*/")
                    .map_or(text.len(), |end| at + end + 4);
                while rest.next_if(|(at, _)| *at < end).is_some() {}
            }
            ';' => {
                if has_content {
                    statements.push(text[begin..at].trim());
                }
                (begin, has_content) = (at + 1, false);
            }
            other => has_content |= !other.is_whitespace(),
        }
    }
    if has_content {
        statements.push(text[begin..].trim());
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Part> {
        let parts = read_by(text, End::Line);
        if !text.contains("'a;\n") {
            assert_eq!(parts, read_by(text, End::Statement), "{text:?}");
        }
        parts
    }

    fn read_by(text: &str, end: End) -> Vec<Part> {
        let mut script = Script::new(text.as_bytes(), end);
        let mut parts = Vec::new();
        while let Some(part) = script.next().unwrap() {
            parts.push(part);
        }
        parts
    }

    fn statement(text: &str) -> Part {
        Part::Statement(text.to_string())
    }

    #[test]
    fn what_is_in_a_comment_is_not_run() {
        let text = "/* oops;\nCREATE (:Lost);\nRETURN 1;\n*/ RETURN 2;\nRETURN 3;\n";
        let parts = read(text);
        assert_eq!(parts.len(), 2, "{parts:?}");
        assert_eq!(parts[1], statement("RETURN 3"));
    }

    #[test]
    fn statements_end_with_a_semicolon_and_a_line() {
        assert_eq!(read(""), []);
        assert_eq!(read("\n ;\n// nothing\n;\n"), []);
        assert_eq!(read("RETURN 1"), [statement("RETURN 1")]);
        assert_eq!(
            read("RETURN 1;\n\nMATCH (n)\n  RETURN n ; \r\n"),
            [statement("RETURN 1"), statement("MATCH (n)\n  RETURN n")]
        );
        assert_eq!(
            read("RETURN 1; RETURN 2;\n"),
            [statement("RETURN 1"), statement("RETURN 2")]
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_statement() {
        assert_eq!(read("\u{feff}"), []);
        assert_eq!(read("\u{feff}RETURN 1;\n"), [statement("RETURN 1")]);
        assert_eq!(
            read("\u{feff}:params {}\nRETURN '\u{feff}'"),
            [
                Part::Command(":params {}".to_string()),
                statement("RETURN '\u{feff}'"),
            ]
        );
    }

    #[test]
    fn semicolons_in_texts_end_nothing() {
        for text in [
            r"RETURN 'a;b' + ';\';' + ';'",
            "RETURN `a;b`",
            "RETURN /* ; ' */ 1 // ; \"\n",
            r#"RETURN "';" "#,
        ] {
            assert_eq!(read(&format!("{text};\n")), [statement(text.trim())]);
        }
    }

    /// One bad statement does not take the next ones with it.
    #[test]
    fn an_open_text_ends_with_its_line() {
        assert_eq!(
            read("RETURN 'a;\nRETURN 2;\n"),
            [statement("RETURN 'a;"), statement("RETURN 2")]
        );
    }

    /// Lines of a text are not run.
    #[test]
    fn texts_and_comments_of_several_lines_end_nothing() {
        for text in [
            "CREATE (:A {t: 'one;\nMATCH (n) DELETE n;\n'})",
            "RETURN \"\\\";\n;\n\"",
            "MATCH (`a;\nb`) RETURN 1",
            "MATCH (n)\n// WHERE n.x = 1;\nRETURN n",
            "/* x;\n y; */ RETURN 5",
        ] {
            let two = format!("{text}; // ;\nRETURN 2;\n");
            let expected = [statement(text), statement("RETURN 2")];
            assert_eq!(read_by(&two, End::Statement), expected);
        }
        assert_eq!(
            read_by("RETURN 'a;\nRETURN 2;\n", End::Statement),
            [statement("RETURN 'a;\nRETURN 2;")]
        );
    }

    #[test]
    fn commands_are_lines() {
        assert_eq!(
            read(":params {\"a\": 1}\nRETURN $a;\n:help;\n"),
            [
                Part::Command(":params {\"a\": 1}".to_string()),
                statement("RETURN $a"),
                Part::Command(":help".to_string()),
            ]
        );
        // Comments before it are no statement.
        assert_eq!(
            read(
                "// people:\n\n/* two\n:lines */ // here\n :begin\n//;\n:commit;\nRETURN 1 // c\n:x;\n"
            ),
            [
                Part::Command(":begin".to_string()),
                Part::Command(":commit".to_string()),
                statement("RETURN 1 // c\n:x"),
            ]
        );
        // Within a statement it is a label.
        assert_eq!(
            read("MATCH (n\n:A) RETURN n;"),
            [statement("MATCH (n\n:A) RETURN n")]
        );
    }

    #[test]
    fn texts_are_whole_when_their_last_statement_is() {
        for text in [
            "",
            " \n",
            "RETURN 1;",
            "RETURN 1; // one",
            "RETURN 1;\n:timing",
            ":asof x\n",
            "// a\n:begin",
            "CREATE (:A {t: 'one;\ntwo;\n'});",
            "RETURN 1;\n\n",
        ] {
            assert!(is_whole(text), "{text:?}");
        }
        for text in [
            "RETURN 1",
            "RETURN 1;\nRETURN",
            "RETURN 'a;",
            "RETURN `a;\n",
            "/* a;\n",
            "RETURN 1 // a;",
            "// a",
            "MATCH (n\n:A)",
        ] {
            assert!(!is_whole(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_told() {
        let input = &b"RETURN '\xff';\nRETURN 1;\n"[..];
        let mut script = Script::new(input, End::Line);
        assert!(matches!(script.next().unwrap(), Some(Part::Bad(_))));
        assert_eq!(script.next().unwrap(), Some(statement("RETURN 1")));
    }
}
