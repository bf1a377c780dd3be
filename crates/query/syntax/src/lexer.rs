//! From a text to tokens.

use std::ops::Range;

use crate::error::{Detail, Problem};

/// Bytes of the longest text.
pub const LONGEST_TEXT: usize = 64 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name or a keyword; the text has it.
    Word,
    /// A name in backticks.
    Quoted(String),
    Text(String),
    /// Without a sign; up to 2^63, which needs one.
    Integer(u64),
    Float(f64),
    Parameter(String),
    Symbol(&'static str),
    /// No token: the error is told where it stands in the way.
    Bad(Box<Problem>),
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Spanned {
    pub token: Token,
    pub start: u32,
    pub end: u32,
    /// Of a bracket that opens: the token that closes it, or the last one.
    pub closed_by: u32,
}

/// Longer ones first where one begins as another.
const SYMBOLS: [&str; 33] = [
    "..", "<>", "<=", ">=", "=~", "+=", "||", "::", "<", ">", "=", "(", ")", "[", "]", "{", "}",
    ",", ";", ":", ".", "+", "-", "*", "/", "%", "^", "|", "&", "!", "$", "?", "@",
];

/// Operators of other languages, and theirs here.
const FOREIGN: [(&str, &str); 4] = [
    ("==", "equality is `=`"),
    ("!=", "inequality is `<>`"),
    ("&&", "write AND; labels are joined with one `&`"),
    ("->>", "an arrow ends with one `>`"),
];

/// All tokens, and then [`Token::End`]. Refuses nothing but texts that are too long.
pub(crate) fn tokens(text: &str) -> Result<Vec<Spanned>, Problem> {
    if text.len() > LONGEST_TEXT {
        let what = format!("a statement of more than {} MiB", LONGEST_TEXT >> 20);
        let hint = "give the data as parameters, or load it from a file";
        return Err(Problem::new(Detail::LimitExceeded, 0..0, what, hint));
    }
    let mut lexer = Lexer { text, at: 0 };
    let mut found: Vec<Spanned> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        let token = lexer.skip_blanks().err();
        let start = lexer.at;
        let token = token.unwrap_or_else(|| {
            lexer
                .token()
                .unwrap_or_else(|problem| Token::Bad(Box::new(problem)))
        });
        let number = found.len();
        match token {
            Token::Symbol("(" | "[" | "{") => open.push(number),
            Token::Symbol(")" | "]" | "}") => {
                if let Some(opening) = open.pop() {
                    found[opening].closed_by = number as u32;
                }
            }
            _ => {}
        }
        let is_end = token == Token::End;
        found.push(Spanned {
            token,
            start: start as u32,
            end: lexer.at as u32,
            closed_by: u32::MAX,
        });
        if is_end {
            break;
        }
    }
    let last = found.len() as u32 - 1;
    for token in &mut found {
        token.closed_by = token.closed_by.min(last);
    }
    Ok(found)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

type Lexed = Result<Token, Problem>;

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Skips comments, too. An error is a token that has taken the rest.
    fn skip_blanks(&mut self) -> Result<(), Token> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n' && c != '\r');
            } else if self.rest().starts_with("/*") {
                let start = self.at;
                let Some(end) = self.rest()[2..].find("*/") else {
                    let problem = Problem::new(
                        Detail::UnexpectedSyntax,
                        start..start + 2,
                        "this comment has no end",
                        "close it with */",
                    );
                    self.at = self.text.len();
                    return Err(Token::Bad(Box::new(problem)));
                };
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Lexed {
        let start = self.at;
        let Some(first) = self.peek() else {
            return Ok(Token::End);
        };
        let second = self.rest()[first.len_utf8()..].chars().next();
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if is_digit(Some(first)) || (first == '.' && is_digit(second)) {
            return self.number();
        }
        if is_name_start(first) {
            self.take_while(is_name_part);
            return Ok(Token::Word);
        }
        match (first, second) {
            ('\'' | '"', _) => return self.string(first),
            ('`', _) => return self.quoted().map(Token::Quoted),
            ('$', Some(c)) if is_name_part(c) => {
                self.next();
                return Ok(Token::Parameter(self.take_while(is_name_part).to_string()));
            }
            ('$', Some('`')) => {
                self.next();
                return self.quoted().map(Token::Parameter);
            }
            _ => {}
        }
        for (foreign, hint) in FOREIGN {
            if self.rest().starts_with(foreign) {
                self.at += foreign.len();
                return Err(self.bad(start, format!("there is no operator {foreign}"), hint));
            }
        }
        let symbol = SYMBOLS
            .iter()
            .find(|symbol| self.rest().starts_with(**symbol));
        if let Some(symbol) = symbol {
            self.at += symbol.len();
            return Ok(Token::Symbol(symbol));
        }
        self.next();
        let what = format!("{first:?} has no meaning here");
        if first.is_ascii() {
            let hint = "strings stand in quotes, and names that are no words in backticks";
            return Err(self.bad(start, what, hint));
        }
        let hint = match first {
            '—' | '–' | '−' => "a minus is written -",
            '‘' | '’' | '“' | '”' => "quotes are written ' or \"",
            '…' => "a range is written ..",
            _ => "strings stand in quotes, and names that are no words in backticks",
        };
        let at = start..self.at;
        Err(Problem::new(
            Detail::InvalidUnicodeCharacter,
            at,
            what,
            hint,
        ))
    }

    fn bad(&self, start: usize, what: impl Into<String>, hint: &str) -> Problem {
        Problem::new(Detail::UnexpectedSyntax, start..self.at, what, hint)
    }

    fn number(&mut self) -> Lexed {
        let start = self.at;
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
            if self.rest().starts_with(prefix) {
                self.at += prefix.len();
                let digits = self.take_while(is_name_part);
                return self.integer(start, digits, radix);
            }
        }
        let whole = self.digits();
        let mut is_float = false;
        let mut ahead = self.rest().chars();
        if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
            is_float = true;
            self.next();
            self.digits();
        }
        let before = self.at;
        if matches!(self.peek(), Some('e' | 'E')) {
            self.next();
            if matches!(self.peek(), Some('+' | '-')) {
                self.next();
            }
            is_float = true;
            if self.digits().is_empty() {
                self.at = before;
            }
        }
        let digits_end = self.at;
        let behind = self.take_while(is_name_part);
        let is_octal_elsewhere = whole.len() > 1 && whole.starts_with('0');
        if !is_float && behind.is_empty() && !is_octal_elsewhere {
            return self.integer(start, whole, 10);
        }
        let text = &self.text[start..self.at];
        let is_suffix = matches!(behind, "" | "f" | "F" | "d" | "D");
        if !is_float || !is_suffix {
            return Err(self.no_number(start));
        }
        let digits = self.text[start..digits_end].replace('_', "");
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Float(number)),
            Ok(_) => Err(Problem::new(
                Detail::FloatingPointOverflow,
                start..self.at,
                format!("{text} is larger than a float can be"),
                "floats go up to 1.7976931348623157e308",
            )),
            Err(_) => Err(self.no_number(start)),
        }
    }

    /// Digits, also with single underscores between them.
    fn digits(&mut self) -> &'t str {
        let start = self.at;
        loop {
            self.take_while(|c| c.is_ascii_digit());
            let mut ahead = self.rest().chars();
            let goes_on = ahead.next() == Some('_')
                && ahead.next().is_some_and(|c| c.is_ascii_digit())
                && self.at > start;
            if !goes_on {
                return &self.text[start..self.at];
            }
            self.next();
        }
    }

    fn integer(&self, start: usize, digits: &str, radix: u32) -> Lexed {
        let digits = digits.replace('_', "");
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(self.no_number(start));
        }
        let number = u64::from_str_radix(&digits, radix).ok();
        let number = number.filter(|&number| number <= 1 << 63);
        number
            .map(Token::Integer)
            .ok_or_else(|| too_large(start..self.at))
    }

    fn no_number(&self, start: usize) -> Problem {
        let text = &self.text[start..self.at];
        let hint = match text.starts_with('0') {
            true => {
                "integers begin with 1 to 9, hexadecimal ones with 0x, octal ones with 0o, binary ones with 0b"
            }
            false => {
                "put a blank behind a number, quotes around a string, and backticks around a name"
            }
        };
        let what = format!("{text} is no number");
        Problem::new(Detail::InvalidNumberLiteral, start..self.at, what, hint)
    }

    fn string(&mut self, quote: char) -> Lexed {
        let start = self.at;
        self.next();
        let mut text = String::new();
        // Told when the string has ended, so that what is behind it is read as it is meant.
        let mut problem = None;
        loop {
            text.push_str(self.take_while(|c| c != quote && c != '\\'));
            let at = self.at;
            match self.next() {
                None => {
                    let at = start..start + 1;
                    let what = "this string has no end";
                    let hint = "close it with a quote; one within it is written \\' or \\\"";
                    return Err(Problem::new(Detail::UnexpectedSyntax, at, what, hint));
                }
                Some('\\') => match self.escape(at) {
                    Ok(c) => text.push(c),
                    Err(found) => problem = problem.or(Some(found)),
                },
                Some(_) if self.peek() == Some(quote) => {
                    self.next();
                    text.push(quote);
                }
                Some(_) => return problem.map_or(Ok(Token::Text(text)), Err),
            }
        }
    }

    /// The character that an escape stands for, whose backslash is at `start`.
    fn escape(&mut self, start: usize) -> Result<char, Problem> {
        let lengths: &[usize] = match self.peek() {
            Some(c @ ('b' | 'f' | 'n' | 'r' | 't' | '\\' | '\'' | '"' | '`')) => {
                self.next();
                return Ok(match c {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    c => c,
                });
            }
            Some('u') => &[4],
            Some('U') => &[8, 6],
            _ => {
                if let Some(c) = self.peek() {
                    self.at += c.len_utf8();
                }
                return Err(self.bad(start, "there is no such escape", "write a backslash twice"));
            }
        };
        self.next();
        for &length in lengths {
            let number = hexadecimal(self.rest(), length);
            if let Some(c) = number.and_then(char::from_u32) {
                self.at += length;
                return Ok(c);
            }
        }
        if lengths == [4]
            && let Some(c) = surrogates(self.rest())
        {
            self.at += r"D83D\uDE00".len();
            return Ok(c);
        }
        let hint = r"\u takes four hexadecimal digits, \U six or eight, of a character";
        let (at, what) = (start..self.at, "this is no character");
        Err(Problem::new(Detail::InvalidUnicodeLiteral, at, what, hint))
    }

    fn quoted(&mut self) -> Result<String, Problem> {
        let start = self.at;
        self.next();
        let mut name = String::new();
        loop {
            name.push_str(self.take_while(|c| c != '`'));
            if self.next().is_none() {
                let hint = "close it with a backtick; one within the name is written twice";
                let (at, what) = (start..start + 1, "this name has no end");
                return Err(Problem::new(Detail::UnexpectedSyntax, at, what, hint));
            }
            if self.peek() != Some('`') {
                return Ok(name);
            }
            self.next();
            name.push('`');
        }
    }
}

pub(crate) fn too_large(at: Range<usize>) -> Problem {
    let what = "this integer needs more than 64 bits";
    Problem::new(
        Detail::IntegerOverflow,
        at,
        what,
        "write a float, such as 1e20",
    )
}

pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(crate) fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number of so many hexadecimal digits at the beginning of a text.
fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let code = text.get(..digits)?;
    let are_digits = code.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u32::from_str_radix(code, 16).ok())?
}

/// A character that a text begins with as JSON writes it: in two halves of UTF-16, the first
/// `\u` left out.
fn surrogates(text: &str) -> Option<char> {
    let first = hexadecimal(text, 4)?;
    let second = hexadecimal(text.get(4..)?.strip_prefix("\\u")?, 4)?;
    let halves = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let mut characters = char::decode_utf16(halves);
    // Two characters of their own are read one by one.
    let found = characters.next()?.ok();
    found.filter(|_| characters.next().is_none())
}
