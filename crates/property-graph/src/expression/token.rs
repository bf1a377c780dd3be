//! The words of an expression.

use std::ops::Range;

use super::SyntaxError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    /// A name in backticks.
    Quoted(String),
    Text(String),
    Integer(u64),
    Float(f64),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Spanned {
    pub token: Token,
    pub at: Range<usize>,
}

/// Longer ones first where one begins as another.
const SYMBOLS: [&str; 14] = [
    "<>", "<=", ">=", "<", ">", "=", "(", ")", "[", "]", ",", "+", "-", ".",
];

/// Operators of other languages, and theirs here.
const FOREIGN: [(&str, &str); 7] = [
    ("==", "equality is `=`"),
    ("!=", "inequality is `<>`"),
    ("&&", "write AND"),
    ("||", "write OR"),
    ("=~", "use STARTS WITH, ENDS WITH or CONTAINS"),
    ("!", "write NOT"),
    ("$", "write the value itself"),
];

/// All words, and then [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Spanned>, SyntaxError> {
    let mut scanner = Scanner { text, at: 0 };
    let mut found = Vec::new();
    loop {
        scanner.skip_blanks();
        let start = scanner.at;
        let token = scanner.token()?;
        let is_end = token == Token::End;
        found.push(Spanned {
            token,
            at: start..scanner.at,
        });
        if is_end {
            return Ok(found);
        }
    }
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
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

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&is_part) {
            self.next();
        }
        &self.text[start..self.at]
    }

    fn error(&self, start: usize, what: impl Into<String>, hint: &str) -> SyntaxError {
        SyntaxError::new(self.text, start..self.at, what, hint)
    }

    fn token(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let Some(first) = self.peek() else {
            return Ok(Token::End);
        };
        let mut following = self.rest().chars().skip(1);
        let begins_number = first.is_ascii_digit()
            || (first == '.' && following.next().is_some_and(|c| c.is_ascii_digit()));
        if begins_number {
            return self.number();
        }
        if is_name_start(first) {
            return Ok(Token::Word(self.take_while(is_name_part).to_string()));
        }
        match first {
            '\'' | '"' => return self.string(first),
            '`' => return self.quoted(),
            _ => {}
        }
        for (foreign, hint) in FOREIGN {
            if self.rest().starts_with(foreign) {
                self.at += foreign.len();
                return Err(self.error(start, format!("there is no operator {foreign}"), hint));
            }
        }
        match SYMBOLS
            .iter()
            .find(|symbol| self.rest().starts_with(**symbol))
        {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Token::Symbol(symbol))
            }
            None => {
                self.next();
                let hint = "texts stand in quotes, names that are no words in backticks";
                Err(self.error(start, format!("{first:?} has no meaning here"), hint))
            }
        }
    }

    fn number(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8)] {
            if self.rest().starts_with(prefix) {
                self.at += prefix.len();
                let digits = self.take_while(is_name_part);
                let number = u64::from_str_radix(digits, radix);
                let number = number.ok().filter(|_| !digits.starts_with('+'));
                return number.map(Token::Integer).ok_or_else(|| {
                    self.error(
                        start,
                        "this is no integer of 64 bits",
                        "write decimal digits",
                    )
                });
            }
        }
        self.take_while(|c| c.is_ascii_digit());
        let mut is_float = false;
        let mut ahead = self.rest().chars();
        if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
            is_float = true;
            self.next();
            self.take_while(|c| c.is_ascii_digit());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            is_float = true;
            self.next();
            if matches!(self.peek(), Some('+' | '-')) {
                self.next();
            }
            self.take_while(|c| c.is_ascii_digit());
        }
        let behind = self.take_while(is_name_part);
        let text = &self.text[start..self.at];
        let hint = "put a blank behind a number, quotes around a text, and backticks around a name";
        if !behind.is_empty() {
            return Err(self.error(start, format!("{text} is no number"), hint));
        }
        if !is_float {
            let number = text.parse().map(Token::Integer);
            return number.map_err(|_| {
                self.error(
                    start,
                    "this integer needs more than 64 bits",
                    "write a float, such as 1e20",
                )
            });
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Float(number)),
            Ok(_) => Err(self.error(start, "this number is larger than a float can be", hint)),
            Err(_) => Err(self.error(start, format!("{text} is no number"), hint)),
        }
    }

    fn string(&mut self, quote: char) -> Result<Token, SyntaxError> {
        let start = self.at;
        self.next();
        let mut text = String::new();
        loop {
            let at = self.at;
            match self.next() {
                None => {
                    self.at = start + 1;
                    return Err(self.error(start, "this text has no end", "close it with a quote"));
                }
                Some('\\') => text.push(self.escape(at)?),
                Some(c) if c == quote => return Ok(Token::Text(text)),
                Some(c) => text.push(c),
            }
        }
    }

    /// The character that an escape stands for, whose backslash is at `start`.
    fn escape(&mut self, start: usize) -> Result<char, SyntaxError> {
        let digits = match self.next() {
            Some('b') => return Ok('\u{8}'),
            Some('f') => return Ok('\u{c}'),
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some(c @ ('\\' | '\'' | '"' | '`')) => return Ok(c),
            Some('u') => 4,
            Some('U') => 8,
            _ => {
                let hint = "write a backslash twice";
                return Err(self.error(start, "there is no such escape", hint));
            }
        };
        let code = self.rest().get(..digits);
        let code = code.filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match number.and_then(char::from_u32) {
            Some(c) => {
                self.at += digits;
                Ok(c)
            }
            None => {
                let hint = r"\u takes four hexadecimal digits, \U eight, of a character";
                Err(self.error(start, "this is no character", hint))
            }
        }
    }

    fn quoted(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        self.next();
        let mut name = String::new();
        loop {
            match self.next() {
                None => {
                    self.at = start + 1;
                    let hint = "close it with a backtick; one within the name is written twice";
                    return Err(self.error(start, "this name has no end", hint));
                }
                Some('`') if self.peek() == Some('`') => {
                    self.next();
                    name.push('`');
                }
                Some('`') if name.is_empty() => {
                    return Err(self.error(start, "this name is empty", "name a property"));
                }
                Some('`') => return Ok(Token::Quoted(name)),
                Some(c) => name.push(c),
            }
        }
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
