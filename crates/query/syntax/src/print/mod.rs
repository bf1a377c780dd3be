//! The tree as text, which parses to an equal tree.

mod clause;
mod command;
mod copy;
mod expression;
mod pattern;

use std::fmt::{self, Display, Formatter};

use crate::lexer::{is_name_part, is_name_start};
use crate::parse::is_reserved;
use crate::tree::{Body, Expression, Map, Mode, Name, Statement, StatementOption};

/// Parts with something between them.
struct Separated<'a, T>(&'a [T], &'static str);

impl<T: Display> Display for Separated<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        separated(self.0, self.1, T::fmt).fmt(f)
    }
}

/// Parts with something between them, each shown in a way of its own.
fn separated<T>(
    parts: &[T],
    separator: &str,
    show: impl Fn(&T, &mut Formatter<'_>) -> fmt::Result,
) -> impl Display {
    fmt::from_fn(move |f| {
        for (number, part) in parts.iter().enumerate() {
            f.write_str(if number > 0 { separator } else { "" })?;
            show(part, f)?;
        }
        Ok(())
    })
}

/// A word and what follows it, if there is something.
fn optional(f: &mut Formatter<'_>, word: &str, part: Option<&impl Display>) -> fmt::Result {
    match part {
        Some(part) => write!(f, "{word}{part}"),
        None => Ok(()),
    }
}

/// Words that begin something where a variable or a name can stand, too.
const SPECIAL: [&str; 17] = [
    "all", "any", "collect", "count", "each", "exists", "for", "from", "group", "groups", "if",
    "none", "path", "paths", "shortest", "single", "to",
];

fn is_special(name: &str) -> bool {
    SPECIAL.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// A name, in backticks where it is no plain word.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_plain = self.0.starts_with(is_name_start)
            && self.0.chars().all(is_name_part)
            && !is_reserved(self.0)
            && !is_special(self.0);
        match is_plain {
            true => f.write_str(self.0),
            false => write!(f, "`{}`", self.0.replace('`', "``")),
        }
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Quoted(&self.text).fmt(f)
    }
}

/// A parameter.
struct Parameter<'a>(&'a str);

impl Display for Parameter<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match !self.0.is_empty() && self.0.chars().all(is_name_part) {
            true => write!(f, "${}", self.0),
            false => write!(f, "$`{}`", self.0.replace('`', "``")),
        }
    }
}

/// A string in quotes, with escapes.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("'")?;
        for c in self.0.chars() {
            match c {
                '\'' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() => write!(f, "\\u{:04X}", c as u32)?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("'")
    }
}

impl Display for Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let entry =
            |(key, value): &(Name, Expression), f: &mut Formatter<'_>| write!(f, "{key}: {value}");
        write!(f, "{{{}}}", separated(&self.entries, ", ", entry))
    }
}

impl Display for StatementOption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.options.is_empty() {
            write!(f, "CYPHER 5 {} ", Separated(&self.options, " "))?;
        }
        f.write_str(match self.mode {
            Mode::Execute => "",
            Mode::Explain => "EXPLAIN ",
            Mode::Profile => "PROFILE ",
        })?;
        match &self.body {
            Body::Query(query) => query.fmt(f),
            Body::Command(command) => command.fmt(f),
        }
    }
}
