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
    /// With a semicolon at the end of any line: who waits for an answer gets one, also to a
    /// text that has no end.
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
        let mut raw = Vec::new();
        let mut within = Within::Statement;
        while self.parts.is_empty() {
            let most = MOST_BYTES.saturating_sub(raw.len()) as u64;
            let begin = raw.len();
            let read = (&mut self.input).take(most).read_until(b'\n', &mut raw)?;
            if !std::mem::replace(&mut self.has_begun, true) && raw.starts_with(MARK) {
                raw.drain(..MARK.len());
            }
            let is_end = read == 0 && most > 0;
            let line = &raw[begin..];
            if most == 0 {
                raw.clear();
                within = Within::Statement;
                self.skip_line()?;
                let why = format!("a statement has more than {} MiB", MOST_BYTES >> 20);
                self.parts.push_back(Part::Bad(why));
            } else if raw.trim_ascii().is_empty() {
                if is_end {
                    return Ok(None);
                }
                raw.clear();
            } else if raw.trim_ascii_start().starts_with(b":")
                || is_end
                || match self.end {
                    End::Line => ends(line),
                    End::Statement => within.pass(line),
                }
            {
                within = Within::Statement;
                self.parts.extend(parts(std::mem::take(&mut raw)));
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

/// The text, name or comment that a place of a statement is within, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
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
pub fn ends(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b";")
}

fn parts(raw: Vec<u8>) -> Vec<Part> {
    let Ok(text) = String::from_utf8(raw) else {
        return vec![Part::Bad("the input is not UTF-8".to_string())];
    };
    let text = text.trim();
    if text.starts_with(':') {
        return vec![Part::Command(
            text.trim_end_matches(';').trim_end().to_string(),
        )];
    }
    let statements = split(text).into_iter();
    statements
        .map(|statement| Part::Statement(statement.to_string()))
        .collect()
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
        // Within a statement it is a label.
        assert_eq!(
            read("MATCH (n\n:A) RETURN n;"),
            [statement("MATCH (n\n:A) RETURN n")]
        );
    }

    #[test]
    fn what_is_no_text_is_told() {
        let input = &b"RETURN '\xff';\nRETURN 1;\n"[..];
        let mut script = Script::new(input, End::Line);
        assert!(matches!(script.next().unwrap(), Some(Part::Bad(_))));
        assert_eq!(script.next().unwrap(), Some(statement("RETURN 1")));
    }
}
