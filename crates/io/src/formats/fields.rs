//! Cutting a line of a table into fields.

use super::error::{BadLine, Flaw};
use super::values::is_blank;

/// Separators of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Blanks, or one comma or semicolon with blanks around it: two commas in
    /// a row are an empty field, not one separator.
    Mixed,
    /// Blanks.
    Blanks,
    /// This byte, each time.
    Single(u8),
    /// This byte outside double quotes.
    Quoted(u8),
}

/// One field of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub start: usize,
    pub end: usize,
    /// It has doubled quotes in it.
    pub escaped: bool,
}

impl Field {
    pub(super) fn bytes<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        &line[self.start..self.end]
    }
}

/// Whether the line has nothing to read: blank, or a comment.
#[inline]
pub(super) fn is_idle(line: &[u8], comments: bool) -> bool {
    let Some(start) = line.iter().position(|&byte| !is_blank(byte)) else {
        return true;
    };
    comments && matches!(&line[start..], [b'#' | b'%', ..] | [b'/', b'/', ..])
}

impl Dialect {
    /// Separator of a csv file, from its first line: a tab if there is one, else the most
    /// frequent candidate.
    pub(super) fn of_csv(line: &[u8]) -> Dialect {
        let mut counts = [(b',', 0), (b';', 0), (b'|', 0)];
        let mut quoted = false;
        for &byte in line {
            match byte {
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'\t' => return Dialect::Quoted(b'\t'),
                _ => {
                    for (separator, count) in &mut counts {
                        *count += usize::from(*separator == byte);
                    }
                }
            }
        }
        // Of equally frequent ones the first: `max_by_key` would take the last.
        counts.reverse();
        match counts.into_iter().max_by_key(|&(_, count)| count) {
            Some((separator, 1..)) => Dialect::Quoted(separator),
            _ if line.trim_ascii().contains(&b' ') && !line.contains(&b'"') => Dialect::Blanks,
            _ => Dialect::Quoted(b','),
        }
    }

    /// The dialect that an explicit separator asks for.
    pub(super) fn with_separator(separator: u8, quotes: bool) -> Dialect {
        match separator {
            b' ' => Dialect::Blanks,
            separator if quotes => Dialect::Quoted(separator),
            separator => Dialect::Single(separator),
        }
    }

    /// Cuts a line that is not blank.
    pub(super) fn split(self, line: &[u8], fields: &mut Vec<Field>) -> Result<(), Flaw> {
        fields.clear();
        match self {
            Dialect::Mixed => split_blanks(line, true, fields),
            Dialect::Blanks => split_blanks(line, false, fields),
            Dialect::Single(separator) => split_at(line, separator, false, fields)?,
            Dialect::Quoted(separator) => split_at(line, separator, true, fields)?,
        }
        Ok(())
    }
}

#[inline]
fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while line.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}

/// Classes of the bytes that end a field between blanks.
const BLANK: u8 = 1;
const MARK: u8 = 2;
const ENDS: [u8; 256] = {
    let mut ends = [0; 256];
    ends[b' ' as usize] = BLANK;
    ends[b'\t' as usize] = BLANK;
    ends[b'\r' as usize] = BLANK;
    ends[b',' as usize] = MARK;
    ends[b';' as usize] = MARK;
    ends
};

fn split_blanks(line: &[u8], marks: bool, fields: &mut Vec<Field>) {
    let ending = if marks { BLANK | MARK } else { BLANK };
    let mut at = skip_blanks(line, 0);
    loop {
        let rest = &line[at..];
        let ends = |&byte: &u8| ENDS[usize::from(byte)] & ending != 0;
        let end = at + rest.iter().position(ends).unwrap_or(rest.len());
        fields.push(Field {
            start: at,
            end,
            escaped: false,
        });
        at = skip_blanks(line, end);
        match line.get(at) {
            None => return,
            // After a mark a field follows, if only an empty one.
            Some(&byte) if ENDS[usize::from(byte)] & ending & MARK != 0 => {
                at = skip_blanks(line, at + 1);
            }
            Some(_) => {}
        }
    }
}

fn split_at(line: &[u8], separator: u8, quotes: bool, fields: &mut Vec<Field>) -> Result<(), Flaw> {
    // A tab that separates is no blank to trim.
    let is_trimmed = |byte: u8| is_blank(byte) && byte != separator;
    let mut at = 0;
    loop {
        while line.get(at).is_some_and(|&byte| is_trimmed(byte)) {
            at += 1;
        }
        let mut start = at;
        let mut end;
        let mut escaped = false;
        if quotes && line.get(at) == Some(&b'"') {
            let opening = at;
            start = at + 1;
            at = start;
            loop {
                match line.get(at) {
                    None => return Err(Flaw::at(opening, BadLine::Quotes)),
                    Some(b'"') if line.get(at + 1) == Some(&b'"') => {
                        escaped = true;
                        at += 2;
                    }
                    Some(b'"') => break,
                    Some(_) => at += 1,
                }
            }
            end = at;
            at += 1;
            while line.get(at).is_some_and(|&byte| is_trimmed(byte)) {
                at += 1;
            }
            if line.get(at).is_some_and(|&byte| byte != separator) {
                return Err(Flaw::at(at, BadLine::Quotes));
            }
        } else {
            while line.get(at).is_some_and(|&byte| byte != separator) {
                at += 1;
            }
            end = at;
            while end > start && is_trimmed(line[end - 1]) {
                end -= 1;
            }
        }
        fields.push(Field {
            start,
            end,
            escaped,
        });
        if at >= line.len() {
            return Ok(());
        }
        at += 1;
    }
}

/// A quoted field with its doubled quotes made single.
pub(super) fn unescape(field: &[u8], into: &mut Vec<u8>) {
    into.clear();
    let mut rest = field;
    while let Some(quote) = rest.windows(2).position(|pair| pair == b"\"\"") {
        into.extend(&rest[..=quote]);
        rest = &rest[quote + 2..];
    }
    into.extend(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(dialect: Dialect, line: &str) -> String {
        let mut fields = Vec::new();
        if let Err(flaw) = dialect.split(line.as_bytes(), &mut fields) {
            return format!("{} at {}", flaw.reason, flaw.at.unwrap());
        }
        let mut text = Vec::new();
        let mut shown = Vec::new();
        for field in fields {
            unescape(field.bytes(line.as_bytes()), &mut text);
            shown.push(String::from_utf8(text.clone()).unwrap());
        }
        shown.join("·")
    }

    #[test]
    fn lines_are_cut() {
        use Dialect::*;
        let rows: &[(Dialect, &str, &str)] = &[
            (Mixed, " 1 \t2\r", "1·2"),
            (Mixed, "1,2;3 4", "1·2·3·4"),
            (Mixed, "1 , 2", "1·2"),
            (Mixed, "1,,2", "1··2"),
            (Mixed, "1,2,", "1·2·"),
            (Mixed, ",1", "·1"),
            (Blanks, "a,b c;d", "a,b·c;d"),
            (Single(b'\t'), "a b\tc\t\t", "a b·c··"),
            (Single(b':'), " \"a : b\" ", "\"a·b\""),
            (Quoted(b','), "a b, c ,", "a b·c·"),
            (Quoted(b','), r#" "a,b" ,"c ""d""" "#, r#"a,b·c "d""#),
            (Quoted(b','), r#""",x"#, "·x"),
            (Quoted(b'\t'), "\"a\tb\"\t c\r", "a\tb·c"),
            (
                Quoted(b','),
                r#"a,"b"#,
                "a quoted field does not end where it should at 2",
            ),
            (
                Quoted(b','),
                r#""a"b,c"#,
                "a quoted field does not end where it should at 3",
            ),
            (Quoted(b','), r#"a"b,c"#, r#"a"b·c"#),
        ];
        for (dialect, line, expected) in rows {
            assert_eq!(split(*dialect, line), *expected, "{dialect:?} {line:?}");
        }
    }

    #[test]
    fn separators_are_told() {
        let rows: &[(&str, Dialect)] = &[
            ("1,2", Dialect::Quoted(b',')),
            ("a;b,c;d", Dialect::Quoted(b';')),
            ("\"a,b,c\"|d", Dialect::Quoted(b'|')),
            ("a,b\tc,d", Dialect::Quoted(b'\t')),
            ("a,b;c", Dialect::Quoted(b',')),
            ("1 2", Dialect::Blanks),
            ("1", Dialect::Quoted(b',')),
        ];
        for (line, expected) in rows {
            assert_eq!(Dialect::of_csv(line.as_bytes()), *expected, "{line:?}");
        }
    }
}
