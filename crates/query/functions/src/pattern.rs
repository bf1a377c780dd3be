//! Patterns of `=~`: those of Java, written as `regex` reads them, so that classes and case
//! are of ASCII, and what has another meaning there is refused.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

type Result<T = ()> = std::result::Result<T, String>;

/// Ends of lines, so that `.` does not match it.
const LINE_ENDS: &str = r"\n\r\x{85}\x{2028}\x{2029}";
/// Classes of letters behind a backslash; a capital letter is all else.
const CLASSES: [(char, &str); 5] = [
    ('d', "0-9"),
    ('w', "0-9A-Za-z_"),
    ('s', r" \t\n\x0B\f\r"),
    (
        'h',
        r" \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}",
    ),
    ('v', r"\n\x0B\f\r\x{85}\x{2028}\x{2029}"),
];
/// Names of classes of ASCII, which `regex` has for others of Unicode.
const NAMED: [(&str, &str); 13] = [
    ("Lower", "lower"),
    ("Upper", "upper"),
    ("ASCII", "ascii"),
    ("Alpha", "alpha"),
    ("Digit", "digit"),
    ("Alnum", "alnum"),
    ("Punct", "punct"),
    ("Graph", "graph"),
    ("Print", "print"),
    ("Blank", "blank"),
    ("Cntrl", "cntrl"),
    ("XDigit", "xdigit"),
    ("Space", "space"),
];

/// Most groups and classes in each other.
const DEEPEST: usize = 200;

/// A pattern that matches whole texts.
///
/// # Errors
/// Why it is none, in a line.
pub(crate) fn compile(pattern: &str) -> Result<Regex> {
    let mut translation = Translation {
        rest: pattern.chars().peekable(),
        flags: Flags::default(),
        depth: 0,
        text: String::new(),
    };
    translation.alternatives()?;
    if translation.rest.next().is_some() {
        return Err("a parenthesis is closed that is not open".to_string());
    }
    Regex::new(&format!(r"\A(?:{})\z", translation.text)).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_string(),
        error => {
            // The lines before the last show the pattern, which is not the one that was given.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_string()
        }
    })
}

/// Flags of `(?i)` that hold at a place.
#[derive(Clone, Copy, Default)]
struct Flags {
    any_case: bool,
    /// Case of all of Unicode.
    unicode: bool,
    many_lines: bool,
    dot_is_all: bool,
}

struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    flags: Flags,
    /// Groups and classes around the place.
    depth: usize,
    text: String,
}

fn unsupported<T>(what: &str) -> Result<T> {
    Err(format!("{what} are not supported"))
}

impl Translation<'_> {
    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn need(&mut self) -> Result<char> {
        self.rest
            .next()
            .ok_or_else(|| "it ends too early".to_string())
    }

    /// Text up to a character, which is taken, too.
    fn until(&mut self, end: char) -> Result<String> {
        let mut text = String::new();
        loop {
            match self.need()? {
                c if c == end => return Ok(text),
                c => text.push(c),
            }
        }
    }

    /// Up to the end, or the parenthesis that closes them.
    fn alternatives(&mut self) -> Result {
        while let Some(c) = self.rest.next_if(|c| *c != ')') {
            match c {
                '|' => self.text.push('|'),
                '(' => self.group()?,
                '^' if self.flags.many_lines => self.text.push_str("(?m:^)"),
                '$' if self.flags.many_lines => self.text.push_str("(?m:$)"),
                '^' | '$' => self.text.push(c),
                '.' if self.flags.dot_is_all => self.text.push_str("(?s:.)"),
                '.' => self.text.push_str(&format!("[^{LINE_ENDS}]")),
                '[' => {
                    let class = self.class()?;
                    self.text.push_str(&self.in_any_case(class));
                }
                '\\' => self.escaped()?,
                '*' | '+' | '?' | '{' => self.quantifier(c)?,
                _ => self.literal(c),
            }
        }
        Ok(())
    }

    fn quantifier(&mut self, first: char) -> Result {
        self.text.push(first);
        if first == '{' {
            let counts = self.until('}')?;
            self.text.push_str(&counts);
            self.text.push('}');
        }
        if self.take('?') {
            self.text.push('?');
        }
        match self.rest.peek() {
            Some('+') => unsupported("possessive quantifiers (as a++)"),
            Some('*' | '?') => unsupported("quantifiers of quantifiers"),
            _ => Ok(()),
        }
    }

    fn deeper(&mut self) -> Result {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err("too many parentheses or brackets lie in each other".to_string()),
            false => Ok(()),
        }
    }

    fn group(&mut self) -> Result {
        let outer = self.flags;
        if !self.take('?') {
            self.text.push('(');
        } else if self.take('<') {
            match self.rest.peek() {
                Some('=' | '!') => return unsupported("look-arounds (as (?<=a))"),
                _ => self.until('>')?,
            };
            self.text.push('(');
        } else {
            match self.rest.peek() {
                Some('=' | '!') => return unsupported("look-arounds (as (?=a))"),
                Some('>') => return unsupported("atomic groups (as (?>a))"),
                _ => {}
            }
            let end = self.flags()?;
            if end == ')' {
                return Ok(());
            }
            self.text.push_str("(?:");
        }
        self.deeper()?;
        self.alternatives()?;
        self.depth -= 1;
        match self.take(')') {
            true => self.text.push(')'),
            false => return Err("a parenthesis is not closed".to_string()),
        }
        self.flags = outer;
        Ok(())
    }

    /// Flags, and what ends them.
    fn flags(&mut self) -> Result<char> {
        let mut holds = true;
        loop {
            match self.need()? {
                '-' => holds = false,
                'i' => self.flags.any_case = holds,
                'u' => self.flags.unicode = holds,
                'm' => self.flags.many_lines = holds,
                's' => self.flags.dot_is_all = holds,
                end @ (':' | ')') => return Ok(end),
                other => return Err(format!("the flag (?{other}) is not supported")),
            }
        }
    }

    fn literal(&mut self, c: char) {
        let literal = regex::escape(c.encode_utf8(&mut [0; 4]));
        let cased = match self.flags.any_case && !self.flags.unicode && c.is_ascii_alphabetic() {
            true => format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase()),
            false => self.in_any_case(literal),
        };
        self.text.push_str(&cased);
    }

    /// With the case of all of Unicode, where the flags say so.
    fn in_any_case(&self, text: String) -> String {
        match self.flags.any_case && self.flags.unicode {
            true => format!("(?i:{text})"),
            false => text,
        }
    }

    fn escaped(&mut self) -> Result {
        let c = self.need()?;
        match c {
            'b' | 'B' if self.rest.peek() != Some(&'{') => {
                self.text.push_str(&format!(r"(?-u:\{c})"));
            }
            'A' | 'z' => self.text.extend(['\\', c]),
            'R' => {
                let breaks = format!(r"(?:\r\n|[\x0B\f{LINE_ENDS}])");
                self.text.push_str(&breaks);
            }
            // Up to `\E`, or the end.
            'Q' => {
                while let Some(c) = self.rest.next() {
                    if c == '\\' && self.take('E') {
                        break;
                    }
                    self.literal(c);
                }
            }
            '1'..='9' | 'k' => return unsupported(r"back references (as \1)"),
            _ => match self.class_of(c)? {
                Some(class) => self.text.push_str(&class),
                None => {
                    let c = self.character(c)?;
                    self.literal(c);
                }
            },
        }
        Ok(())
    }

    /// The class of a letter behind a backslash, in brackets.
    fn class_of(&mut self, letter: char) -> Result<Option<String>> {
        if letter == 'p' || letter == 'P' {
            let name = match self.take('{') {
                true => self.until('}')?,
                false => self.need()?.to_string(),
            };
            let ascii = NAMED.iter().find(|(known, _)| *known == name);
            let negated = if letter == 'P' { "^" } else { "" };
            return Ok(Some(match ascii {
                Some((_, ascii)) => format!("[{negated}[:{ascii}:]]"),
                None => format!(r"[{negated}\p{{{name}}}]"),
            }));
        }
        let known = |(known, _): &&(char, &str)| *known == letter.to_ascii_lowercase();
        Ok(CLASSES.iter().find(known).map(|(_, class)| {
            let negated = if letter.is_ascii_uppercase() { "^" } else { "" };
            format!("[{negated}{class}]")
        }))
    }

    /// The character that is written behind a backslash.
    fn character(&mut self, c: char) -> Result<char> {
        let digits = match c {
            't' => return Ok('\t'),
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            'f' => return Ok('\x0C'),
            'a' => return Ok('\x07'),
            'e' => return Ok('\x1B'),
            'x' if self.take('{') => self.until('}')?,
            'x' => [self.need()?, self.need()?].iter().collect(),
            'u' => {
                let digits = [self.need()?, self.need()?, self.need()?, self.need()?];
                digits.iter().collect()
            }
            _ if c.is_ascii_alphanumeric() => return Err(format!(r"\{c} is not supported")),
            _ => return Ok(c),
        };
        let number = u32::from_str_radix(&digits, 16).ok();
        let c = number.and_then(char::from_u32);
        c.ok_or_else(|| format!("'{digits}' is the number of no character"))
    }

    /// A class in brackets, behind the first of them.
    fn class(&mut self) -> Result<String> {
        let mut class = String::from(if self.take('^') { "[^" } else { "[" });
        // A bracket that closes it first is one of its characters.
        if self.take(']') {
            class.push_str(r"\]");
        }
        loop {
            let first = match self.need()? {
                ']' => {
                    class.push(']');
                    return Ok(class);
                }
                '[' => {
                    self.deeper()?;
                    class.push_str(&self.class()?);
                    self.depth -= 1;
                    continue;
                }
                '&' if self.take('&') => {
                    class.push_str("&&");
                    continue;
                }
                '\\' => {
                    let c = self.need()?;
                    if let Some(of_letter) = self.class_of(c)? {
                        class.push_str(&of_letter);
                        continue;
                    }
                    self.character(c)?
                }
                c => c,
            };
            let last = self.end_of_range(first)?;
            self.push_range(first, last, &mut class);
        }
    }

    /// The last character of a range of a class; of one character itself.
    fn end_of_range(&mut self, first: char) -> Result<char> {
        let mut behind = self.rest.clone();
        let is_range = behind.next() == Some('-') && !matches!(behind.next(), Some(']' | '['));
        if !is_range {
            return Ok(first);
        }
        self.take('-');
        match self.need()? {
            '\\' => {
                let c = self.need()?;
                self.character(c)
            }
            last => Ok(last),
        }
    }

    fn push_range(&self, first: char, last: char, class: &mut String) {
        let mut push = |first: char, last: char| {
            let (first, last) = (u32::from(first), u32::from(last));
            class.push_str(&format!(r"\x{{{first:x}}}-\x{{{last:x}}}"));
        };
        push(first, last);
        if self.flags.any_case && !self.flags.unicode {
            // Its letters in the other case, too.
            for (from, to) in [('a', 'z'), ('A', 'Z')] {
                let (from, to) = (first.max(from), last.min(to));
                let other = |c: char| char::from(c as u8 ^ 0x20);
                if from <= to {
                    push(other(from), other(to));
                }
            }
        }
    }
}
